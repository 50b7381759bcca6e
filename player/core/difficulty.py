"""The difficulty of a puzzle for people: a score computed from its solution, and a rating for its board size."""

from __future__ import annotations

from bisect import bisect
from math import sqrt
from typing import Final, NamedTuple

from minesweeper.player.core.steps import Tally

# Lower bound of each rating, in score per 100 safe cells (per board if it has fewer). With bounds on the score alone,
# 88% of the solvable boards of 30x50/300 would be fiendish. With these, each rating applies to at least 1% of the
# solvable boards of every preset.
WORDS: Final[dict[str, float]] = {"easy": 0.0, "medium": 4.0, "hard": 7.0, "expert": 10.0, "fiendish": 15.0}
_WORDS, _LEAST = tuple(WORDS), tuple(WORDS.values())
_PER_CELLS: Final = 100


class Difficulty(NamedTuple):
    """A score of 0 or more, higher is harder, and the rating, one of `WORDS`."""

    score: float
    word: str


def rate_solution(tally: Tally, clues_at_once: int | None = None, safe_cells: int = 0) -> Difficulty:
    """Rate the numbers of a solution; the parameters are those of `player.logic.difficulty`.

    The score is 0.02 a + b + 8 sqrt(c) + 16 sqrt(d) + 4 max(k - 2, 0) for a, b, c, d cells of the tiers 1 clue, 2
    clues, more clues and mine count, and k clues at once. Its unit is a cell that two clues decide, which takes a
    search. Fifty cells that one clue decides are as much work. Cells of the harder tiers come in groups from one idea,
    hence the square roots; the first such cell equals 8 or 16 cells of tier 2. Each clue beyond two to be combined at
    once adds 4. The rating compares puzzles of one board size; only the score compares puzzles of different sizes.
    """
    one, two, more, count = tally
    score = 0.02 * one + two + 8 * sqrt(more) + 16 * sqrt(count) + 4 * max((clues_at_once or 0) - 2, 0)
    share = score * _PER_CELLS / max(safe_cells, _PER_CELLS)
    return Difficulty(score, _WORDS[bisect(_LEAST, share) - 1])
