"""Puzzles as rows of a table, by column name, for the complete file formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import inf, nan
from operator import gt
from typing import Any, Final

from minesweeper.db.columns import COMPLETE, DIGITS, EFFORT, STEPS, Use, columns_for, first_is_zero, record_of
from minesweeper.db.formats.format import IMPORTED, NO_ENGINE, Tabular, quote
from minesweeper.db.formats.limited import Row
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import SoundRows, Table, board_texts, converted, with_ratings
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import BoardError, FormatError, counted
from minesweeper.player.core.grid import RECTANGLE, Grid, grid_of
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.kernel_api import available, kernel, native_grid
from minesweeper.player.logic.metrics import efficiency_bound

_READ: Final = columns_for(Use.READ)
COLUMNS: Final = tuple(column.name for column in _READ)
"""The columns that are read. ``board`` has the rows with ``/`` between them: ``*`` for a mine, ``.`` for a safe cell
and ``-`` for a hole. ``mine_bits``, read without it, has the mines in hexadecimal, one bit a cell, row by row, most
significant first, zeros at the end.
"""

_MOST: Final = 2**63 - 1
_COUNTS: Final = [column.name for column in _READ if column.type is int]
_FRACTIONS: Final = [column.name for column in _READ if column.type is float]
_BLANK: Final = (None, "")
_CLICK: Final = ("first_row", "first_col")
_ROUNDED: Final = {column.name for column in COMPLETE if column.type is float}
_INVALID: Final = b"\2"
_BITS: Final = bytes.maketrans(b"01", b"\0\1")
_MARKS: Final = bytes({ord("."): 0, ord("*"): 1}.get(byte, 2) for byte in range(256))
_CLAIMS: Final = ("size", "rows", "cols", "mines", "hardest_tier", "verdict", "id")
_ABSENT: Final = dict.fromkeys([*COLUMNS, "size", "path"])
_NULL: Final = type(None)


def file_column(table: Table, name: str) -> Sequence[Any]:
    """Return a column of `COMPLETE` with the values of files: fractions rounded, the rectangle named, and so on."""
    if name in _DERIVED:
        names, derive = _DERIVED[name]
        values: Sequence[Any] = [derive(*row) for row in zip(*map(table.__getitem__, names), strict=True)]
    else:
        values = board_texts(table) if name == "board" else table.get(name) or [None] * len(table["id"])
    return converted(_CONVERTED[name], values) if name in _CONVERTED else values


def _efficiency_bound(*clicks: Any) -> float | None:
    return None if None in clicks else efficiency_bound(*clicks)


def _first_is_zero(opened: int | None, row: int, col: int, *board: Any) -> bool | None:
    if opened is not None and opened > 1:
        return True
    rows, cols, label = board
    return first_is_zero(opened, grid_of((rows, cols), label), (row, col))


_DERIVED: Final[dict[str, tuple[Sequence[str], Callable[..., Any]]]] = {
    "efficiency_bound": (("bbbv", "greedy_zini", "human_zini"), _efficiency_bound),
    "first_is_zero": (("first_opening", "first_row", "first_col", "rows", "cols", "grid"), _first_is_zero),
}
_CONVERTED: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_ROUNDED, lambda value: None if value is None else round(value, DIGITS)),
    "needs_mine_count": lambda value: None if value is None else bool(value),
    "grid": lambda label: label or RECTANGLE,
    "mine_bits": bytes.hex,
}


def missing_column(names: Collection[str]) -> str | None:
    """Return a column that a table with these columns lacks, None if puzzles can be read from it."""
    needed = _CLICK if "board" in names else ("rows", "cols", "mine_bits", *_CLICK)
    return next(("board" if name == "mine_bits" else name for name in needed if name not in names), None)


def parse_row(row: Mapping[str, object], board: Board | None = None) -> PuzzleRecord:
    """Build a puzzle from such a row, with this `board` if given; numbers may be text.

    Required are first_row, first_col and board, or rows, cols and mine_bits in its place; start is safe by default.
    Redundant columns are checked. Raise `FormatError` or `BoardError` for an invalid row.
    """
    values = {**_ABSENT, **row}
    values |= {
        # Most are, and a call for each takes twice the time.
        name: value if type(value := values[name]) is int and 0 <= value <= _MOST else _count(name, value)
        for name in _COUNTS
    }
    values |= {name: _fraction(name, values[name]) for name in _FRACTIONS}
    board = board or _board_in(values)
    for key in _CLICK:
        if values[key] is None:
            raise FormatError(f"the column {key} is empty; expected a number")
    values |= {name: parse(values[name]) for name, parse in _TEXTS.items()}
    record = record_of(values, board, path=values["path"], canonical_id=values["canonical_id"])
    if record.effort is not None and record.effort.open_steps > record.effort.steps:
        # German spreadsheets read 1.234 as 1234.
        open_steps = f"{record.effort.open_steps:g}; expected at most {record.effort.steps}, the path_steps"
        raise FormatError(f"invalid path_open_steps {open_steps}; if a spreadsheet changed it, delete the column")
    true = (board.grid.name, *board.grid.shape, board.mines, record.hardest_tier, record.verdict, record.id)
    for key, value in zip(_CLAIMS, true, strict=True):
        if (given := row.get(key)) != value and given not in _BLANK and str(given) != str(value):
            raise FormatError(f"invalid {key} {quote(given)}; expected {json.dumps(value)} for this puzzle")
    return record


def sound_rows(columns: Mapping[str, Sequence[Any]]) -> SoundRows | None:
    """Return rows, given by column, as the table of the records that `parse_row` makes of them.

    None without the kernel, and for rows that are invalid, on different grids, with holes, or in part without steps or
    measures of paths. Raise `ValueError` or `TypeError` for other invalid rows.
    """
    count = len(columns["first_row"])
    blank = [None] * count
    given = {name: columns.get(name) or blank for name in _ABSENT}
    # Values of different types may be equal.
    if not available() or any(len({*map(type, one)} - {_NULL}) > 1 for one in given.values()):
        return None
    values: dict[str, Sequence[Any]] = {
        name: converted(parse, given[name]) for name, parse in (_NUMBERS | _TEXTS).items()
    }
    (label,) = {str(one or "") for one in given["grid"]}
    grid, cells = (_drawn if given["board"][0] else _packed)(given | values, label)
    known = [count - values[name].count(None) for name in (*STEPS, *EFFORT)]
    clicks = list(zip(*(values[name] for name in _CLICK), strict=True))
    if grid.holes or not all(row < grid.rows and col < grid.cols for row, col in clicks):
        return None
    if known not in ([0] * 8, [count] * 4 + [0] * 4, [count] * 8):
        return None
    if known[-1] and any(map(gt, values["path_open_steps"], values["path_steps"])):
        return None
    puzzles = kernel.Puzzles(native_grid(grid), cells, [row * grid.cols + col for row, col in clicks])
    places = range(0, len(cells), grid.cells)
    found = puzzles.ids()
    of_board = {"size": grid.name, "rows": grid.rows, "cols": grid.cols, "grid": grid.label}
    table = with_ratings(
        {
            **values,
            **{name: [value] * count for name, value in of_board.items()},
            **{name: [getattr(ids, name) for ids in found] for name in ("id", "canonical_id", "mine_bits")},
            "mines": [cells.count(1, place, place + grid.cells) for place in places],
            "verdict": given["verdict"],
        }
    )
    agree = all(_agree(given[name], table[name]) for name in (*_CLAIMS, "canonical_id"))
    return SoundRows(table, grid, puzzles) if agree else None


def parse_values(row: Row) -> PuzzleRecord:
    """Build a puzzle from a row as `parse_row` does."""
    return parse_row(dict(zip(*row, strict=True)))


def _sound_values(rows: Sequence[Row]) -> SoundRows | None:
    """Return rows as `sound_rows` does, None if they have different columns."""
    ((names, _), *_) = rows
    if any(one is not names and one != names for one, _ in rows):
        return None
    return sound_rows(dict(zip(names, zip(*(values for _, values in rows), strict=True), strict=True)))


def _size(row: Row) -> int:
    names, values = row
    board = values[names.index("board" if "board" in names else "mine_bits")]
    return 8 * len(board) if isinstance(board, str | bytes) else 0


def _drawn(values: Mapping[str, Sequence[Any]], label: str) -> tuple[Grid, bytes]:
    """Return the grid and the cells of the column ``board``. Raise `ValueError` for different grids."""
    texts = values["board"]
    rows = texts[0].split("/")
    grid = grid_of((len(rows), len(rows[0])), label)
    marks = "/".join([*texts, ""]).encode()
    if {*map(len, texts)} != {len(texts[0])} or marks[grid.cols :: grid.cols + 1] != b"/" * len(texts) * grid.rows:
        raise ValueError("boards of different sizes")
    return grid, marks.translate(_MARKS, b"/")


def _packed(values: Mapping[str, Sequence[Any]], label: str) -> tuple[Grid, bytes]:
    """Return the grid and the cells of the column ``mine_bits``. Raise `ValueError` for different grids."""
    (rows,), (cols,), *no_text = (set(values[name]) for name in ("rows", "cols", "board"))
    grid = grid_of((rows, cols), label)
    packed = [one if isinstance(one, bytes) else bytes.fromhex(one) for one in values["mine_bits"]]
    size, padded = rows * cols, (rows * cols + 7) // 8 * 8
    # NumPy would take a tenth of a second to load.
    bits = f"{int.from_bytes(b''.join(packed)):0{padded * len(packed)}b}".encode()
    if no_text != [{None}] or {8 * len(one) for one in packed} != {padded}:
        raise ValueError("boards of different sizes")
    if any(b"1" in bits[place::padded] for place in range(size, padded)):
        raise ValueError("a padding bit is set")
    cells = b"".join([bits[place : place + size] for place in range(0, len(bits), padded)])
    return grid, cells.translate(_BITS)


def _agree(given: Sequence[Any], true: Sequence[Any]) -> bool:
    pairs = zip(given, true, strict=True)
    return [*given] == [*true] or all(one in _BLANK or str(one) == str(value) for one, value in set(pairs))


def board_of_rows(rows: Any, label: str) -> Board:
    """Return the board of a list of rows. Raise `FormatError` or `BoardError`."""
    try:
        cells = "".join(rows).encode().translate(_MARKS) if isinstance(rows, list) else _INVALID
    except (TypeError, UnicodeEncodeError):
        cells = _INVALID
    if _INVALID in cells or "holes" in label:
        text = "\n".join(map(str, rows)) if isinstance(rows, list) else ""
        if text and ("-" in text or "holes" in label):
            return Board.from_text(text, label)
        raise FormatError(f"invalid board {quote(rows)}; expected a list of strings of '*' and '.', one for each row")
    if not cells:
        raise BoardError("the board is empty; expected its rows")
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        number, row = next((number, row) for number, row in enumerate(rows, 1) if len(row) != width)
        raise BoardError(
            f"{counted(len(row), 'cell')} in row {number} of the board; expected {width}, as in row 1: {quote(row)}"
        )
    return Board.unchecked(grid_of((len(rows), width), label), cells)


def _board_in(row: Mapping[str, Any]) -> Board:
    text, bits, label = row.get("board"), row.get("mine_bits"), str(row.get("grid") or "")
    if text not in _BLANK:
        return board_of_rows(str(text).split("/"), label)
    if None in (row["rows"], row["cols"]):
        raise FormatError("the column board is empty; expected the rows of the board with '/' between them")
    if not isinstance(bits, bytes):
        try:
            bits = bytes.fromhex(bits or "")
        except (TypeError, ValueError):
            raise FormatError(
                f"invalid mine_bits {quote(bits)}; expected two hexadecimal digits for each 8 cells. "
                "A spreadsheet may have changed them: export the column board instead"
            ) from None
    return Board.from_bytes(grid_of((row["rows"], row["cols"]), label), bits)


def _count(key: str, value: object) -> int | None:
    if value in _BLANK:
        return None
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _MOST:
        raise FormatError(f"invalid {key} {quote(value)}; expected a number of 0 to {_MOST}")
    return value


def _fraction(key: str, value: object) -> float | None:
    if value in _BLANK:
        return None
    try:
        number = float(str(value).replace(",", "."))
    except ValueError:
        number = nan
    if not 0 <= number < inf:
        raise FormatError(f"invalid {key} {quote(value)}; expected a number of 0 or more")
    return number


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise FormatError(f"invalid {key} {quote(value)}; expected text in one line")
    return value


def _start(value: object) -> str:
    if value not in (*_BLANK, *StartRule):
        raise FormatError(f"invalid start {quote(value)}; expected {' or '.join(StartRule)}")
    return str(value or StartRule.SAFE)


def _text_or(absent: str | None, missing: Collection[object], key: str) -> Callable[[object], str | None]:
    return lambda value: absent if value in missing else _text(key, value)


_TEXTS: Final[dict[str, Callable[[Any], Any]]] = {
    "start": _start,
    "engine": _text_or(NO_ENGINE, [None], "engine"),
    "method": _text_or(IMPORTED, [None], "method"),
    "certificate": _text_or(None, _BLANK, "certificate"),
    "canonical_id": _text_or(None, _BLANK, "canonical_id"),
    # Only databases have it as bytes.
    "path": lambda value: value if isinstance(value, bytes) else None,
}
_NUMBERS: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: partial(_count, name) for name in _COUNTS},
    **{name: partial(_fraction, name) for name in _FRACTIONS},
}
TABULAR: Final = Tabular(_size, _sound_values)
"""Rows of a database or a Parquet file as a table."""
