"""Gem Hunter: a static grid of clues and unknown cells, where every unknown cell hides a trap or a gem.

A clue counts the traps around it; the number of traps is not given. `text` reads and writes puzzles, `parts` cuts them
into pieces that have nothing to do with each other, four algorithms with one interface race on these pieces, and
`solving` puts their answers together.
"""

from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN, GemError, GemPuzzle
from minesweeper.player.gems.solving import ALGORITHMS, Clash, certain_cells, count_solutions, solutions

__all__ = [
    "ALGORITHMS",
    "GEM",
    "TRAP",
    "UNKNOWN",
    "Clash",
    "GemError",
    "GemPuzzle",
    "certain_cells",
    "count_solutions",
    "solutions",
]
