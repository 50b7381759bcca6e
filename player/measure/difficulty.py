"""How hard a puzzle is for a person: one score from what solving it takes, and a word for it on a board of its size."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from math import sqrt
from typing import Final

from minesweeper.player.steps import Tally

# From which score for every 100 safe cells on each word holds, easiest first; of boards with fewer, from which score.
# A word for the score alone would be fiendish for 88% of the solvable boards of 30x50/300. Cut so that each word is for
# 1% or more of the solvable boards of every preset; the README has the shares.
WORDS: Final[dict[str, float]] = {"easy": 0.0, "medium": 4.0, "hard": 7.0, "expert": 10.0, "fiendish": 15.0}
_WORDS, _LEAST = tuple(WORDS), tuple(WORDS.values())
_PER_CELLS: Final = 100

_ONE_CLUE: Final = 0.02
_TWO_CLUES: Final = 1.0
_MORE_CLUES: Final = 8.0
_MINE_COUNT: Final = 16.0
_CLUE_AT_ONCE: Final = 4.0


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A score of 0 or more, higher being harder, and its word, one of `WORDS`."""

    score: float
    word: str


def difficulty(tally: Tally, clues_at_once: int | None, safe_cells: int) -> Difficulty:
    """Rate a puzzle with `safe_cells` by `tally`, the cells that each tier decides, and by how many clues its hardest
    step needs at once: see `player.measure.effort`; None, for not known, rates like 2.

    The score is 0.02 a + b + 8 sqrt(c) + 16 sqrt(d) + 4 max(k - 2, 0). Its unit is a cell that two clues decide, each
    found by looking somewhere new. Fifty cells that one clue decides are as much work: one only has to look. Cells that
    need more clues or the mine count come in groups from one idea, which the square roots stand for; the first such
    cell is as much work as 8 or 16 of the pairs. Each clue beyond two to be kept in mind at once is as much as 4. So
    longer puzzles are harder than short ones of the same kind, and of two with the same steps the one that needs fewer
    clues at once is easier. The word, by `WORDS`, tells hard boards from easy ones of the same size; of two sizes, only
    the scores tell which puzzle is more work.
    """
    one, two, more, count = tally
    score = _ONE_CLUE * one + _TWO_CLUES * two + _MORE_CLUES * sqrt(more) + _MINE_COUNT * sqrt(count)
    score += _CLUE_AT_ONCE * max((clues_at_once or 0) - 2, 0)
    share = score * _PER_CELLS / max(safe_cells, _PER_CELLS)
    return Difficulty(score, _WORDS[bisect(_LEAST, share) - 1])
