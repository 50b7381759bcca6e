"""How hard a puzzle is for a person: one score from what solving it takes, and a word for it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

# From which score on each word holds, easiest first.
WORDS: Final[dict[str, float]] = {"easy": 0.0, "medium": 2.0, "hard": 10.0, "expert": 30.0, "fiendish": 60.0}

_ONE_CLUE: Final = 0.02
_TWO_CLUES: Final = 1.0
_MORE_CLUES: Final = 8.0
_MINE_COUNT: Final = 16.0


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A score of 0 or more, higher being harder, and its word, one of `WORDS`."""

    score: float
    word: str


def difficulty(steps: tuple[int, int, int, int]) -> Difficulty:
    """Rate a puzzle by `steps`, the cells decided by one clue, two clues, more clues and the mine count.

    The score is 0.02 a + b + 8 sqrt(c) + 16 sqrt(d). Its unit is a cell that two clues decide, each found by looking
    somewhere new. Fifty cells that one clue decides are as much work: one only has to look. Cells that need more clues
    or the mine count come in groups from one idea, which the square roots stand for; the first such cell is as much
    work as 8 or 16 of the pairs. So longer puzzles are harder than short ones of the same kind.
    """
    one, two, more, count = steps
    score = _ONE_CLUE * one + _TWO_CLUES * two + _MORE_CLUES * sqrt(more) + _MINE_COUNT * sqrt(count)
    return Difficulty(score, [word for word, least in WORDS.items() if score >= least][-1])
