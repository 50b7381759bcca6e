"""Gem Hunter: a static grid of clues and unknown cells, where every unknown cell hides a trap or a gem.

A clue counts the traps around it; the number of traps is not given. `text` reads and writes puzzles, `puzzle` splits
them into independent parts, four algorithms with one interface solve the parts, and `solving` combines their solutions.
"""

from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN, GemPuzzle
from minesweeper.player.gems.solving import ALGORITHMS, certain_cells, count_solutions, solutions

__all__ = [
    "ALGORITHMS",
    "GEM",
    "TRAP",
    "UNKNOWN",
    "GemPuzzle",
    "certain_cells",
    "count_solutions",
    "solutions",
]
