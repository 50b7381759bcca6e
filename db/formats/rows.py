"""Puzzles as rows of a table, by column name, for the complete file formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf, nan
from operator import itemgetter
from typing import Any, Final

from minesweeper.db.columns import COMPLETE, DIGITS, Use, columns_for, first_is_zero, record_of
from minesweeper.db.formats.format import IMPORTED, NO_ENGINE, quote
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import Table, board_texts, converted
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import BoardError, FormatError, counted
from minesweeper.player.core.grid import RECTANGLE, grid_of
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.logic.metrics import efficiency_bound

_READ: Final = columns_for(Use.READ)
COLUMNS: Final = tuple(column.name for column in _READ)
"""The columns that are read. ``board`` has the rows with ``/`` between them: ``*`` for a mine, ``.`` for a safe cell
and ``-`` for a hole. ``mine_bits``, read without it, has the mines in hexadecimal, one bit a cell, row by row, most
significant first, zeros at the end.
"""

_MOST: Final = 2**63 - 1
_COUNTS: Final = [column.name for column in _READ if column.type is int]
_RULES: Final = list(StartRule)
_BLANK: Final = (None, "")
_CLICK: Final = ("first_row", "first_col")
_ROUNDED: Final = {column.name for column in COMPLETE if column.type is float}
_INVALID: Final = b"\2"
_MARKS: Final = bytes({ord("."): 0, ord("*"): 1}.get(byte, 2) for byte in range(256))
_FRACTIONS: Final = [column.name for column in _READ if column.type is float]
_TEXTS: Final = ("start", "engine", "method", "certificate")
_CLAIMS: Final = ("rows", "cols", "mines", "hardest_tier", "verdict", "id")
_ABSENT: Final = dict.fromkeys(COLUMNS)
_NUMBERS: Final = frozenset({int, type(None)})
_counts_in, _texts_in, _claims_in = itemgetter(*_COUNTS), itemgetter(*_TEXTS), itemgetter(*_CLAIMS)


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
    try:
        counts, texts, claims = _counts_in(row), _texts_in(row), _claims_in(row)
    except KeyError:
        return parse_row({**_ABSENT, **row}, board)
    values: dict[str, Any] = {**row}
    known = [0, *filter(None, counts)]
    if not (_NUMBERS.issuperset(map(type, counts)) and min(known) == 0 and max(known) <= _MOST):
        values.update(zip(_COUNTS, _numbers(counts), strict=True))
    for key in _FRACTIONS:
        values[key] = _fraction(key, values.get(key))
    board = board or _board_in(values)
    for key in _CLICK:
        if values[key] is None:
            raise FormatError(f"the column {key} is empty; expected a number")
    start, engine, method, certificate = texts
    if start in _BLANK:
        start = StartRule.SAFE
    if start not in _RULES:
        raise FormatError(f"invalid start {quote(start)}; expected {' or '.join(StartRule)}")
    values["start"] = str(start)
    values["engine"] = NO_ENGINE if engine is None else _text("engine", engine)
    values["method"] = IMPORTED if method is None else _text("method", method)
    values["certificate"] = None if certificate in _BLANK else _text("certificate", certificate)
    path, canonical_id = row.get("path"), row.get("canonical_id")
    canonical_id = None if canonical_id in _BLANK else _text("canonical_id", canonical_id)
    # Only databases have it as bytes.
    path = path if isinstance(path, bytes) else None
    record = record_of(values, board, path=path, canonical_id=canonical_id)
    if record.effort is not None and record.effort.open_steps > record.effort.steps:
        # German spreadsheets read 1.234 as 1234.
        open_steps = f"{record.effort.open_steps:g}; expected at most {record.effort.steps}, the path_steps"
        raise FormatError(f"invalid path_open_steps {open_steps}; if a spreadsheet changed it, delete the column")
    true = (*board.grid.shape, board.mines, record.hardest_tier, record.verdict, record.id)
    if (claims != true and claims != tuple(map(str, true))) or row.get("size") is not None:
        _check(row, "size", board.grid.name)
        for key, value in zip(_CLAIMS, true, strict=True):
            _check(row, key, value)
    return record


def _check(row: Mapping[str, object], key: str, true: object) -> None:
    """Raise `FormatError` if a row has another value for a key than the true one."""
    given = row.get(key)
    if given != true and given not in _BLANK and str(given) != str(true):
        raise FormatError(f"invalid {key} {quote(given)}; expected {json.dumps(true)} for this puzzle")


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


def _numbers(counts: Sequence[Any]) -> list[int | None]:
    """Return the values of `_COUNTS` as numbers."""
    if {str}.issuperset(map(type, counts)):
        digits = "".join(counts)
        # Together, because checking each takes thrice as long; all of fewer than 19 digits are in range.
        if digits.isascii() and digits.isdecimal() and max(map(len, counts)) < 19:
            return [int(count) if count else None for count in counts]
    return list(map(_count, _COUNTS, counts))


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
