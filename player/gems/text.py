"""Puzzles as text.

A line for each row, cells separated by commas, blanks around them ignored: a clue ``0`` to ``8``, ``_`` for an unknown
cell, ``T`` for a trap and ``G`` for a gem. A first line ``ROWS COLS`` and empty lines may be there.
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import MAX_SIDE
from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN, GemError, GemPuzzle

_VALUES: Final = {"_": UNKNOWN, "T": TRAP, "G": GEM} | {str(clue): clue for clue in range(9)}
_CHARACTERS: Final = {value: text for text, value in _VALUES.items()}
_HEAD: Final = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s*")
_LONGEST_QUOTE: Final = 20
MAX_BYTES: Final = 2**24


def read_puzzle(file: BinaryIO) -> GemPuzzle:
    """Read a puzzle from UTF-8 text, at most 16 MiB of it, so that no file is too large to be refused.

    Raises `GemError` naming line and column, as `parse_puzzle` does.
    """
    data = file.read(MAX_BYTES + 1)
    try:
        return parse_puzzle(data[:MAX_BYTES].decode("utf-8-sig"), cut=len(data) > MAX_BYTES)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise GemError(
            f"expected UTF-8 text at line {line}, column {column}: {data[error.start : error.end]!r}"
        ) from None


def parse_puzzle(text: str, *, cut: bool = False) -> GemPuzzle:
    """Read a puzzle; `cut` tells that its text goes on, but is too long.

    Raises `GemError` naming the line and the column, counted from 1, of what cannot be read.
    """
    head: re.Match[str] | None = None
    head_line = first = width = number = 0
    line = ""
    values: list[list[int]] = []
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if not line.strip():
            continue
        if not values and head is None and (head := _HEAD.fullmatch(line)):
            head_line = number
            continue
        if len(values) == MAX_SIDE:
            raise GemError(f"expected at most {MAX_SIDE} rows at line {number}, column 1: another row")
        if not values:
            first, width = number, line.count(",") + 1
        values.append(_parse_row(number, line.rstrip("\n"), width, first))
    if cut:
        raise GemError(f"expected at most {MAX_BYTES} bytes of text at line {number}, column {len(line) + 1}: more")
    if not values:
        raise GemError(f"expected rows of cells at line {number + 1}, column 1: no text")
    if head and (int(head[1]), int(head[2])) != (len(values), width):
        raise GemError(
            f"expected {len(values)} {width} at line {head_line}, column 1, as the rows say: {head[0].strip()!r}"
        )
    return GemPuzzle(np.array(values, dtype=np.int8))


def _parse_row(number: int, line: str, width: int, first: int) -> list[int]:
    tokens = line.split(",")
    if number == first and width > MAX_SIDE:
        column = sum(map(len, tokens[:MAX_SIDE])) + MAX_SIDE + 1
        raise GemError(f"expected at most {MAX_SIDE} cells at line {number}, column {column}: {width} cells")
    values: list[int] = []
    column = 1
    for token in tokens:
        value = _VALUES.get(token.strip())
        if value is None:
            column += len(token) - len(token.lstrip())
            shown = token.strip() if len(token) <= _LONGEST_QUOTE else token.strip()[:_LONGEST_QUOTE] + "..."
            raise GemError(f"expected a clue 0 to 8, _, T or G at line {number}, column {column}: {shown!r}")
        if len(values) == width:
            break
        values.append(value)
        column += len(token) + 1
    if len(tokens) != width:
        raise GemError(
            f"expected {width} cells, as in line {first}, at line {number}, column {column}: {len(tokens)} cells"
        )
    return values


def puzzle_text(puzzle: GemPuzzle, certain: NDArray[np.bool_] | None = None) -> str:
    """Write a puzzle as `parse_puzzle` reads it.

    Traps and gems outside `certain`, a (rows, cols) array of bool, are written t and g, which it does not read.
    """
    rows = [[_CHARACTERS[value] for value in row] for row in puzzle.cells.tolist()]
    if certain is not None:
        for row, col in np.argwhere(~certain).tolist():
            rows[row][col] = rows[row][col].lower()
    return "\n".join(",".join(row) for row in rows)


def signed_list(traps: NDArray[np.bool_]) -> list[int]:
    """Number the cells of a (rows, cols) map from 1, row by row; traps are negative, all others positive."""
    numbers = np.arange(1, traps.size + 1)
    signed: list[int] = np.where(traps.ravel(), -numbers, numbers).tolist()
    return signed
