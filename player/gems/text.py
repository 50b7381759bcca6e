"""Puzzles as text.

Each line is a row. Commas, with optional blanks, or blanks alone separate the cells: a clue ``0`` to ``8``, ``_`` or
``-3`` for an unknown cell, ``T`` or ``-1`` for a trap and ``G`` or ``-2`` for a gem. A first line ``ROWS COLS`` is
optional. If blanks separate the cells, two numbers in the first line are a row of cells unless they
are the size of the rows below.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

from minesweeper.player.core.errors import BoardError, counted
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.gems.puzzle import GEM, MAX_GEM_SIDE, TRAP, UNKNOWN_CELL, GemPuzzle

_WRITTEN: Final = {UNKNOWN_CELL: "_", TRAP: "T", GEM: "G"} | {clue: str(clue) for clue in range(9)}
_VALUES: Final = {text: value for value, text in _WRITTEN.items()} | {"-3": UNKNOWN_CELL, "-1": TRAP, "-2": GEM}
_HEAD: Final = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")
_LONGEST_QUOTE: Final = 20
MAX_GEM_BYTES: Final = 2**24


def read_puzzle(file: BinaryIO, max_bytes: int = MAX_GEM_BYTES) -> GemPuzzle:
    """Read a puzzle from UTF-8 text of at most `max_bytes`.

    Raises `BoardError` with line and column, as `parse_puzzle` does.
    """
    data = file.read(max_bytes + 1)
    try:
        return parse_puzzle(data[:max_bytes].decode("utf-8-sig"), cut=max_bytes if len(data) > max_bytes else None)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise BoardError(f"line {line}, column {column}: byte 0x{data[error.start]:02x}; expected UTF-8 text") from None


def parse_puzzle(text: str, *, cut: int | None = None) -> GemPuzzle:
    """Read a puzzle; `cut` is the limit in bytes at which a longer text was cut off.

    Raises `BoardError` with the line and the column of an error, counted from 1.
    """
    head: re.Match[str] | None = None
    head_line = first = width = number = blank = 0
    line = separator = ""
    values: list[list[int]] = []
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if not line.strip():
            blank = number if values else 0
            continue
        if blank:
            raise BoardError(f"line {blank}, column 1: a blank line inside the grid; expected one grid")
        if not values and head is None and (head := _HEAD.fullmatch(line)):
            head_line = number
            continue
        if len(values) == MAX_GEM_SIDE:
            raise BoardError(f"line {number}, column 1: too many rows; expected at most {MAX_GEM_SIDE}")
        if not values:
            separator = "," if "," in line else " "
            first, width = number, _count(line, separator)
        values.append(_parse_row(number, line, separator, width, first))
    if cut is not None:
        raise BoardError(f"line {number}, column {len(line) + 1}: the text continues; expected at most {cut} bytes")
    if head and separator == " " and (int(head[1]), int(head[2])) != (len(values), width):
        # Not the size: the first row of a grid without commas.
        values.insert(0, _parse_row(head_line, head[0], " ", width, first))
        head = None
    if not values:
        raise BoardError(f"line {number + 1}, column 1: no text; expected rows of cells")
    if head and (int(head[1]), int(head[2])) != (len(values), width):
        raise BoardError(
            f"line {head_line}, column 1: {head[0].strip()!r} is not the size of the rows, {len(values)} {width}"
        )
    return GemPuzzle(np.array(values, dtype=np.int8))


def _count(line: str, separator: str) -> int:
    return len(line.split()) if separator == " " else line.count(",") + 1


def _tokens(line: str, separator: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a row's cells, each with its column from 1."""
    for match in re.finditer(r"\S+" if separator == " " else r"(?:(?<=,)|^)[^,]*", line.rstrip("\n")):
        yield match.start() + len(match[0]) - len(match[0].lstrip()) + 1, match[0].strip()


def _parse_row(number: int, line: str, separator: str, width: int, first: int) -> list[int]:
    tokens = list(islice(_tokens(line, separator), min(width, MAX_GEM_SIDE) + 1))
    if number == first and width > MAX_GEM_SIDE:
        column = tokens[MAX_GEM_SIDE][0]
        raise BoardError(f"line {number}, column {column}: {width} cells; expected at most {MAX_GEM_SIDE}")
    values: list[int] = []
    for column, token in tokens:
        value = _VALUES.get(token)
        if value is None:
            shown = token if len(token) <= _LONGEST_QUOTE else token[:_LONGEST_QUOTE] + "..."
            raise BoardError(f"line {number}, column {column}: {shown!r}; expected a clue 0 to 8, _, T or G")
        values.append(value)
    if len(tokens) != width:
        column = tokens[width][0] if len(tokens) > width else len(line.rstrip("\n")) + 2
        found = _count(line, separator)
        raise BoardError(
            f"line {number}, column {column}: {counted(found, 'cell')}; expected {width}, as in line {first}"
        )
    return values


def puzzle_text(puzzle: GemPuzzle, certain: NDArray[np.bool_] | None = None) -> str:
    """Return a puzzle as text that `parse_puzzle` reads.

    Traps and gems outside `certain`, an array of bool, are lower case, which it does not read.
    """
    rows = [[_WRITTEN[value] for value in row] for row in puzzle.cells.tolist()]
    if certain is not None:
        for row, col in np.argwhere(~certain).tolist():
            rows[row][col] = rows[row][col].lower()
    return "\n".join(",".join(row) for row in rows)


def signed_list(traps: NDArray[np.bool_]) -> list[int]:
    """Return the numbers of the cells of a map, from 1, row by row; those of traps are negative."""
    numbers = np.arange(1, traps.size + 1)
    signed: list[int] = np.where(traps.ravel(), -numbers, numbers).tolist()
    return signed
