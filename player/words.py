"""The words that name random boards, in files and on command lines: sizes, cells, start rules, seeds, engines.

A cell is ``(row, col)`` counted from 0. Nothing heavy is imported here, so that a program can show its help at once.
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
"""A cell as people write it, which `as_cell` reads: any pair of whole numbers, of Python or NumPy."""
Engine = Literal["auto", "native", "sat"]
RuleName = Literal["opening", "safe"]

ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)
FIND: Final = "find"
"""Stands for a first click where one is to be looked for."""
MAX_SEED: Final = 2**63 - 1
MAX_SIDE: Final = 1000

_SIZE = re.compile(r"([0-9]{1,9})[xX]([0-9]{1,9})")


class BoardError(ValueError):
    """Text or numbers that do not describe a board, a puzzle or a view."""


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
    """Read ``ROWSxCOLS``, e.g. ``16x30``; each side is 1 to 1000.

    Raises `BoardError` naming the text otherwise.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BoardError(f"expected size as ROWSxCOLS, e.g. 16x30: {text!r}")
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
    if not slash or not mines.isdecimal() or len(mines) > 7:
        raise BoardError(
            f"unknown preset {text!r}{did_you_mean(text, presets)}; presets: {', '.join(presets)}; "
            "or a board as ROWSxCOLS/MINES, e.g. 16x30/99"
        )
    return Preset(*parse_size(size), int(mines))


def size_name(rows: int, cols: int) -> str:
    """Write a size as `parse_size` reads it: ``16x30``."""
    return f"{rows}x{cols}"


def board_name(rows: int, cols: int, mines: int) -> str:
    """Write a size and a number of mines: ``16x30/99``."""
    return f"{size_name(rows, cols)}/{mines}"


def check_size(rows: int, cols: int) -> None:
    """Raise `BoardError` unless both sides are 1 to 1000."""
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
        raise BoardError(f"expected sides of 1 to {MAX_SIDE} cells: {size_name(rows, cols)!r}")


def as_cell(cell: CellLike) -> Cell:
    """Take a cell as people write it. Raises `BoardError` for what is no pair of whole numbers."""
    try:
        row, col = cell
        return index(row), index(col)
    except (TypeError, ValueError):
        raise BoardError(f"expected a cell as (row, col): {cell!r}") from None


def neighbours(rows: int, cols: int, cell: Cell) -> Iterator[Cell]:
    """Yield the up to 8 cells that touch `cell`, row by row."""
    row, col = cell
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            if (r, c) != cell:
                yield r, c


class StartRule(StrEnum):
    """What the first click on a random board is sure to be."""

    OPENING = "opening"
    SAFE = "safe"

    @classmethod
    def named(cls, name: object) -> StartRule:
        """Return the rule of that name. Raises `BoardError` if there is none."""
        try:
            return cls(str(name))
        except ValueError:
            raise BoardError(f"expected a start rule, {' or '.join(cls)}: {name!r}") from None

    @property
    def words(self) -> str:
        """The rule as boards are described: ``opening start`` or ``safe start``."""
        return f"{self} start"

    def zone(self, rows: int, cols: int, click: Cell) -> list[Cell]:
        """List the cells that are kept free of mines: the click, and its neighbours for an opening start.

        Raises `BoardError` if the click is off the board.
        """
        check_size(rows, cols)
        row, col = click
        if not (0 <= row < rows and 0 <= col < cols):
            raise BoardError(f"expected the first click inside {size_name(rows, cols)}: {click}")
        return [click] if self is StartRule.SAFE else sorted([click, *neighbours(rows, cols, click)])

    def room(self, rows: int, cols: int, click: Cell | None) -> int:
        """How many mines fit outside the zone of a click, or of any click for None."""
        # An inner cell has the largest zone, so what fits around it fits around every click.
        worst = (min(1, rows - 1), min(1, cols - 1))
        return rows * cols - len(self.zone(rows, cols, worst if click is None else click))

    def check_mines(self, rows: int, cols: int, mines: int, click: Cell | None) -> None:
        """Raise `BoardError` unless `mines` is at least 0 and fits outside the zone of a click, or of any for None."""
        room = self.room(rows, cols, click)
        if not 0 <= mines <= room:
            place = "anywhere" if click is None else f"at {click}"
            size = size_name(rows, cols)
            raise BoardError(
                f"expected 0 to {room} mines, all that {size} leaves room for with {self.words} {place}: {mines}"
            )
