"""Ranges of the number of mines on a board, with a density."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from minesweeper.player.core.errors import BoardError, counted
from minesweeper.player.core.grid import as_number

ASSUMED_DENSITY: Final = 0.2
"""The density of a board without any other limit, near that of the preset expert."""
MINES_PATTERN: Final = r"(?:[0-9]{1,9}(?:-(?:[0-9]{1,9}|\?))?|\?)(?:@[0-9.e-]{1,25})?"
"""The number of mines in the first line of a text."""
_TEXT: Final = re.compile(r"(?:([0-9]+)-)?([0-9]+|\?)(?:@(.+))?")


class MinePrior(NamedTuple):
    """The numbers of mines that a board may have, `most` - `spare` to `most`.

    A board with one more mine is `odds` times as likely. The `assumed` density is None unless no density was given.
    """

    most: int
    spare: int = 0
    odds: float = 1.0
    assumed: float | None = None


KNOWN_NUMBER: Final = MinePrior(0)
"""The prior of views whose number of mines is known; it is not read."""


@dataclass(frozen=True, slots=True)
class MineRange:
    """A number of mines that is known only as a range, with a density. Raises `BoardError` for values out of range.

    :param least: the least number
    :param most: the largest number, None for all hidden cells
    :param density: the probability that a cell is a mine, between 0 and 1. Without it, chances assume the middle of the
        range, or 0.2 without `most`

    >>> print(ms.MineRange(90, 110), ms.MineRange(), ms.MineRange(density=0.15))
    90-110 ? ?@0.15
    >>> ms.View("1?\\n??", ms.MineRange(1, 2))
    <View 2x2/1-2, 3 hidden>
    """

    least: int = 0
    most: int | None = None
    density: float | None = None

    def __post_init__(self) -> None:
        numbers = [as_number(one, "number of mines") for one in (self.least, self.most) if one is not None]
        if sorted([0, *numbers]) != [0, *numbers]:
            raise BoardError(f"{self.least} to {self.most} mines; expected a range of numbers from 0 on")
        if self.density is not None and not (isinstance(self.density, float) and 0 < self.density < 1):
            raise BoardError(f"invalid density {self.density}; expected a number between 0 and 1")

    def prior(self, cells: int, hidden: int) -> MinePrior:
        """Return the numbers that a board may have. Raises `BoardError` if none fits its hidden cells."""
        if self.least > hidden:
            raise BoardError(f"{counted(self.least, 'mine')} or more; expected at most {hidden}, the hidden cells")
        most = hidden if self.most is None else min(self.most, hidden)
        assumed = None
        if self.density is None and most > self.least:
            middle = ASSUMED_DENSITY if self.most is None else (self.least + self.most) / 2 / cells
            assumed = min(max(middle, 0.01), 0.99)
        density = assumed or self.density or 0.5
        return MinePrior(most, most - self.least, density / (1 - density), assumed)

    def __str__(self) -> str:
        most = "?" if self.most is None else str(self.most)
        numbers = f"{self.least}-{most}" if self.least or self.most is not None else most
        return numbers if self.density is None else f"{numbers}@{self.density}"


MinesLike: TypeAlias = "int | range | float | str | MineRange"
"""A number of mines, a range, a density between 0 and 1, or ``"unknown"``."""


def as_mines(mines: Any) -> int | MineRange:
    """Convert `MinesLike`. Raises `BoardError` for anything else."""
    if isinstance(mines, MineRange):
        return mines
    if isinstance(mines, range) and mines and mines.step == 1:
        return MineRange(mines.start, mines.stop - 1)
    if isinstance(mines, float) and 0 < mines < 1:
        return MineRange(density=float(mines))
    if mines == "unknown":
        return MineRange()
    return as_number(mines, "number of mines")


def parse_mines(text: str) -> int | MineRange:
    """Read text: a number, ``90-110``, ``90-?``, ``?``, and after an ``@`` a density. Raises `BoardError`."""
    found = _TEXT.fullmatch(text)
    try:
        if found is None or not (found[1] or found[3] or found[2] == "?"):
            return int(text)
        least = int(found[1] or (0 if found[2] == "?" else found[2]))
        density = None if found[3] is None else float(found[3])
        return MineRange(least, None if found[2] == "?" else int(found[2]), density)
    except ValueError:
        raise BoardError(f"{text!r} is no number of mines; expected e.g. 99, 90-110, ? or ?@0.2") from None
