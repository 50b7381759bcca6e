"""Puzzles as rows of a table, by column name, for the complete file formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import inf, nan
from operator import itemgetter
from typing import Any, Final

from minesweeper.db.columns import COMPLETE, DIGITS, Column, Group, Use, columns_for, reader, record_of
from minesweeper.db.formats.format import IMPORTED, NO_ENGINE, quote
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.grid import grid_of
from minesweeper.player.core.recipe import StartRule

EXPORTED: Final = columns_for(Use.EXPORTED)
COLUMNS: Final = tuple(column.name for column in EXPORTED)
"""``mine_bits`` has the mines in hexadecimal, one bit a cell, row by row, most significant first, zeros at the end."""

_MOST: Final = 2**63 - 1
# Metrics are not read but computed from the puzzle.
_COUNTS: Final = [column.name for column in EXPORTED if column.type is int and column.group is not Group.MEASURES]
_RULES: Final = list(StartRule)
_BLANK: Final = (None, "")
_NEEDED: Final = ("rows", "cols", "first_row", "first_col")
_EXPORTED_FRACTIONS: Final = [column.name for column in EXPORTED if column.type is float]
_TEXTS: Final = ("start", "engine", "method", "certificate")
_CLAIMS: Final = ("rows", "cols", "grid", "mines", "hardest_tier", "verdict", "id")
_ABSENT: Final = dict.fromkeys(COLUMNS)
_NUMBERS: Final = frozenset({int, type(None)})
_counts_in, _texts_in, _claims_in = itemgetter(*_COUNTS), itemgetter(*_TEXTS), itemgetter(*_CLAIMS)


def rounded(column: Column) -> Column:
    """Return a column that rounds fractions."""

    def read(record: PuzzleRecord) -> float | None:
        value: Any = column.read(record)
        return None if value is None else round(value, DIGITS)

    return replace(column, read=read) if column.type is float else column


_read_complete = reader(map(rounded, COMPLETE))


def complete_row(record: PuzzleRecord) -> dict[str, Any]:
    """Return a puzzle by the names of `COMPLETE`, with computed measures and rounded fractions."""
    row: dict[str, Any] = _read_complete(record.with_measures())
    return row | {"mine_bits": row["mine_bits"].hex()}


def parse_row(row: Mapping[str, object], board: Board | None = None) -> PuzzleRecord:
    """Build a puzzle from such a row, with `board` in place of ``mine_bits`` if given; numbers may be text.

    Required are rows, cols, first_row, first_col and mine_bits; start is safe by default. Redundant columns are
    checked. Raise `FormatError` or `BoardError` for an invalid row.
    """
    try:
        counts, texts, claims = _counts_in(row), _texts_in(row), _claims_in(row)
    except KeyError:
        return parse_row({**_ABSENT, **row}, board)
    values: dict[str, Any] = {**row}
    known = [0, *filter(None, counts)]
    if not (_NUMBERS.issuperset(map(type, counts)) and min(known) == 0 and max(known) <= _MOST):
        values.update(zip(_COUNTS, map(_count, _COUNTS, counts), strict=True))
    for key in _EXPORTED_FRACTIONS:
        values[key] = _fraction(key, values.get(key))
    for key in _NEEDED:
        if values[key] is None:
            raise FormatError(f"the column {key} is empty; expected a number")
    if board is None:
        grid = grid_of((values["rows"], values["cols"]), str(row.get("grid") or ""))
        board = Board.from_bytes(grid, _bits(row.get("mine_bits")))
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
    true = (*board.grid.shape, board.grid.label, board.mines, record.hardest_tier, record.verdict, record.id)
    if claims != true or row.get("size") is not None:
        _check(row, "size", board.grid.name)
        for key, value in zip(_CLAIMS, true, strict=True):
            if key != "grid" or not row[key] or grid_of(board.grid.shape, str(row[key])) != board.grid:
                _check(row, key, value)
    return record


def _check(row: Mapping[str, object], key: str, true: object) -> None:
    """Raise `FormatError` if a row has another value for a key than the true one."""
    given = row.get(key)
    if given != true and given not in _BLANK and str(given) != str(true):
        raise FormatError(f"invalid {key} {quote(given)}; expected {json.dumps(true)} for this puzzle")


def _bits(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        with suppress(ValueError):
            return bytes.fromhex(value)
    if value is None:
        return b""
    raise FormatError(f"invalid mine_bits {quote(value)}; expected hexadecimal digits")


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
        number = float(str(value))
    except ValueError:
        number = nan
    if not 0 <= number < inf:
        raise FormatError(f"invalid {key} {quote(value)}; expected a number of 0 or more")
    return number


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise FormatError(f"invalid {key} {quote(value)}; expected text in one line")
    return value
