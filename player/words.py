"""Names of random boards in files and on command lines: sizes, presets, cells, start rules, seeds, engines.

A cell is ``(row, col)`` counted from 0. The module imports nothing heavy, so a program can show its help at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from operator import index
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, SupportsIndex, get_args

Cell = tuple[int, int]
CellLike = Iterable[SupportsIndex]
"""Input of `as_cell`: any pair of integers, of Python or NumPy."""
Engine = Literal["auto", "native", "sat"]
RuleName = Literal["opening", "safe"]

ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)
FIND: Final = "find"
"""Placeholder for a first click that is still to be found."""
MAX_SEED: Final = 2**63 - 1
MAX_SIDE: Final = 4000
MOST_CELLS: Final = 1_000_000
"""Limit of everything that takes much time or memory for each cell: see `check_cells`."""

_SIZE = re.compile(r"([0-9]{1,9})[xX]([0-9]{1,9})")


class BoardError(ValueError):
    """Text or numbers that describe no board, puzzle or view."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return a suggestion to append to a message about an unknown name: `` (did you mean 'expert'?)``.

    Case is ignored. Return an empty string if no choice is similar to `word`.
    """
    from difflib import get_close_matches

    by_lower_case = {choice.lower(): choice for choice in choices}
    close = get_close_matches(word.lower(), by_lower_case, n=1)
    return f" (did you mean {by_lower_case[close[0]]!r}?)" if close else ""


class Preset(NamedTuple):
    """A board size with its number of mines."""

    rows: int
    cols: int
    mines: int


_STANDARD: Final = MappingProxyType(
    {
        "beginner": Preset(9, 9, 10),
        "intermediate": Preset(16, 16, 40),
        "expert": Preset(16, 30, 99),
        "super-expert": Preset(30, 50, 300),
    }
)


def standard_presets() -> Mapping[str, Preset]:
    """Return the built-in presets by name; a settings file may add others."""
    return _STANDARD


def parse_size(text: str) -> tuple[int, int]:
    """Read ``ROWSxCOLS``, e.g. ``16x30``; each side is 1 to 4000. Raises `BoardError`."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BoardError(f"unknown size {text!r}; expected ROWSxCOLS, e.g. 16x30")
    rows, cols = int(match[1]), int(match[2])
    check_size(rows, cols)
    return rows, cols


def parse_board(text: str, presets: Mapping[str, Preset] = _STANDARD) -> Preset:
    """Read ``ROWSxCOLS/MINES``, e.g. ``16x30/99``, or the name of a preset in upper or lower case.

    Raises `BoardError`.
    """
    preset = {name.lower(): board for name, board in presets.items()}.get(text.strip().lower())
    if preset is not None:
        return preset
    size, slash, mines = text.partition("/")
    if not slash or not mines.isdecimal() or len(mines) > 8:
        raise BoardError(
            f"unknown preset {text!r}{did_you_mean(text, presets)}; presets: {', '.join(presets)}; "
            "or a board as ROWSxCOLS/MINES, e.g. 16x30/99"
        )
    return Preset(*parse_size(size), int(mines))


def size_name(rows: int, cols: int) -> str:
    """Return a size as text that `parse_size` reads: ``16x30``."""
    return f"{rows}x{cols}"


def board_name(rows: int, cols: int, mines: int) -> str:
    """Return a size and a number of mines as text: ``16x30/99``."""
    return f"{size_name(rows, cols)}/{mines}"


def counted(number: int, word: str) -> str:
    """Return a number with its noun: ``1 mine``, ``2 mines``, ``0 guesses``."""
    plural = "es" if word.endswith("s") else "s"
    return f"{number} {word}{plural * (number != 1)}"


def check_size(rows: int, cols: int) -> None:
    """Raise `BoardError` unless both sides are 1 to 4000."""
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
        raise BoardError(f"size {size_name(rows, cols)!r} is out of range; expected sides of 1 to {MAX_SIDE} cells")


def check_cells(rows: int, cols: int, use: str) -> None:
    """Raise `BoardError` for a board of more than a million cells, which is too large for a `use` such as games."""
    if rows * cols > MOST_CELLS:
        raise BoardError(f"{size_name(rows, cols)} is too large for {use}; expected at most {MOST_CELLS:,} cells")


def as_cell(cell: CellLike) -> Cell:
    """Convert a pair of integers to a cell. Raises `BoardError` for anything else."""
    try:
        row, col = cell
        return index(row), index(col)
    except (TypeError, ValueError):
        raise BoardError(f"{cell!r} is not a cell; expected (row, col)") from None


def neighbours(rows: int, cols: int, cell: Cell) -> Iterator[Cell]:
    """Yield the up to 8 cells that touch `cell`, row by row."""
    row, col = cell
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            if (r, c) != cell:
                yield r, c


class StartRule(StrEnum):
    """A guarantee about the first click on a random board."""

    OPENING = "opening"
    SAFE = "safe"

    @classmethod
    def named(cls, name: object) -> StartRule:
        """Return the rule of that name. Raises `BoardError` for an unknown name."""
        try:
            return cls(str(name))
        except ValueError:
            suggestion = did_you_mean(str(name), cls)
            raise BoardError(f"unknown start rule {name!r}{suggestion}; start rules: {', '.join(cls)}") from None

    @property
    def words(self) -> str:
        """The rule in words: ``opening start`` or ``safe start``."""
        return f"{self} start"

    def zone(self, rows: int, cols: int, click: Cell) -> list[Cell]:
        """List the cells without mines: the click, and for an opening start its neighbours.

        Raises `BoardError` if the click is off the board.
        """
        check_size(rows, cols)
        row, col = click
        if not (0 <= row < rows and 0 <= col < cols):
            raise BoardError(f"first click {click} is off the board; expected a cell of {size_name(rows, cols)}")
        return [click] if self is StartRule.SAFE else sorted([click, *neighbours(rows, cols, click)])

    def room(self, rows: int, cols: int, click: Cell | None) -> int:
        """Return the largest number of mines outside the zone of a click, or of every click for None."""
        # An inner cell has the largest zone.
        worst = (min(1, rows - 1), min(1, cols - 1))
        return rows * cols - len(self.zone(rows, cols, worst if click is None else click))

    def check_mines(self, rows: int, cols: int, mines: int, click: Cell | None) -> None:
        """Raise `BoardError` unless 0 or more `mines` fit outside the zone of a click, or of every click for None."""
        room = self.room(rows, cols, click)
        if not 0 <= mines <= room:
            place = "any first click" if click is None else f"first click {click}"
            size = size_name(rows, cols)
            fit = f"{counted(mines, 'mine')} {'does' if mines == 1 else 'do'} not fit {size}"
            raise BoardError(f"{fit} with {self.words} and {place}; expected 0 to {room}")
