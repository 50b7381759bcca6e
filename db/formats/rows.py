"""A puzzle as one row of a table, for the formats that are tables: the facts that are exported, by their keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from minesweeper.db.columns import Group, Use, reader, record_of, used
from minesweeper.db.formats.format import IMPORTED, NO_ENGINE, FormatError, echo
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.board import Board, size_name
from minesweeper.player.game import StartRule

EXPORTED: Final = used(Use.EXPORTED)
COLUMNS: Final = tuple(fact.key for fact in EXPORTED)
"""``board`` is the mines in hexadecimal, one bit a cell, row by row, most significant first, zeros at the end."""

_LARGEST: Final = 2**63 - 1
# Measures are not taken over: whoever needs them measures the puzzle.
_COUNTS: Final = [fact.key for fact in EXPORTED if fact.type is int and fact.group is not Group.MEASURES]
_RULES: Final = list(StartRule)
_BLANK: Final = (None, "")
_NEEDED: Final = ("rows", "cols", "first_row", "first_col")
_facts_of = reader(EXPORTED)


def row_of(record: PuzzleRecord) -> dict[str, Any]:
    """List a puzzle by `COLUMNS`."""
    row: dict[str, Any] = _facts_of(record)
    row["board"] = row["board"].hex()
    return row


def parse_row(row: Mapping[str, object], board: Board | None = None) -> PuzzleRecord:
    """Build a puzzle from such a row, or from one with its board beside it; numbers may be text, and a blank is None.

    Needed are rows, cols, first_row, first_col and board; without start only a safe one is sure, and what repeats these
    is checked where it is given. Raises `FormatError` or `BoardError` naming what is wrong.
    """
    facts: dict[str, Any] = {}
    for key in _COUNTS:
        value = row.get(key)
        # Most are what they should be.
        fits = value is None or (type(value) is int and 0 <= value <= _LARGEST)
        facts[key] = value if fits else _count(key, value)
    for key in _NEEDED:
        if facts[key] is None:
            raise FormatError(f"expected a number in the column {key}, found none")
    if board is None:
        board = Board.from_bytes(facts["rows"], facts["cols"], _bits(row.get("board")))
    start = row.get("start")
    if start in _BLANK:
        start = StartRule.SAFE
    if start not in _RULES:
        raise FormatError(f"expected start as {' or '.join(StartRule)}: {echo(start)}")
    facts["start"] = str(start)
    engine, method, certificate = row.get("engine"), row.get("method"), row.get("certificate")
    facts["engine"] = NO_ENGINE if engine is None else _text("engine", engine)
    facts["method"] = IMPORTED if method is None else _text("method", method)
    facts["certificate"] = None if certificate in _BLANK else _text("certificate", certificate)
    facts["verdict"] = row.get("verdict")
    record = record_of(facts, board)
    _check(row, "size", size_name(board.rows, board.cols))
    _check(row, "mines", board.mines)
    _check(row, "hardest_tier", record.hardest_tier)
    _check(row, "verdict", record.verdict)
    if row.get("id") is not None:
        _check(row, "id", record.id)
    return record


def _check(row: Mapping[str, object], key: str, true: object) -> None:
    """Raise `FormatError` if a row says otherwise than what is so."""
    said = row.get(key)
    if said != true and said not in _BLANK and str(said) != str(true):
        raise FormatError(f"expected {key} {json.dumps(true)}, as the rest has it: {echo(said)}")


def _bits(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        raise FormatError(f"expected board as hexadecimal digits: {echo(value)}") from None


def _count(key: str, value: object) -> int | None:
    if value == "":
        return None
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise FormatError(f"expected {key} as a number of 0 to {_LARGEST}: {echo(value)}")
    return value


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise FormatError(f"expected {key} as a text on one line: {echo(value)}")
    return value
