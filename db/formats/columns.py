"""A puzzle as one row of a table, for the formats that are tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from minesweeper.db.formats.format import FormatError, echo
from minesweeper.db.records import UNSOLVABLE, PuzzleRecord
from minesweeper.player.board import Board, Puzzle
from minesweeper.player.game import StartRule
from minesweeper.player.steps import Tally

INTEGERS: Final = frozenset(
    {
        *("rows", "cols", "mines", "first_row", "first_col", "seed", "index"),
        *("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "clues_at_once"),
    }
)
COLUMNS: Final = (
    *("id", "rows", "cols", "mines", "first_row", "first_col", "start", "board", "verdict", "hardest_tier"),
    *("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "clues_at_once"),
    *("method", "engine", "seed", "index", "certificate"),
)
"""``board`` is the mines in hexadecimal, one bit a cell, row by row, most significant first, zeros at the end."""

_LARGEST: Final = 2**63 - 1
_STEPS: Final = ("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count")


def row_of(record: PuzzleRecord) -> dict[str, str | int | None]:
    """List a puzzle by `COLUMNS`."""
    board = record.puzzle.board
    steps = record.tally or (None, None, None, None)
    return {
        "id": record.id,
        "rows": board.rows,
        "cols": board.cols,
        "mines": board.mines,
        "first_row": record.puzzle.first_click[0],
        "first_col": record.puzzle.first_click[1],
        "start": record.rule,
        "board": board.to_bytes().hex(),
        "verdict": record.verdict,
        "hardest_tier": record.hardest_tier,
        **dict(zip(_STEPS, steps, strict=True)),
        "clues_at_once": record.clues_at_once,
        "method": record.method,
        "engine": record.engine,
        "seed": record.seed,
        "index": record.index,
        "certificate": record.certificate,
    }


def record_of(row: Mapping[str, object]) -> PuzzleRecord:
    """Build a puzzle from such a row; numbers may be given as text, and a blank is None.

    Needed are rows, cols, first_row, first_col, start, board, method and engine; what repeats them is checked where it
    is given. Raises `FormatError` or `BoardError` naming what is wrong.
    """
    rows, cols = _needed_count(row, "rows"), _needed_count(row, "cols")
    board = Board.from_bytes(rows, cols, _bits(row.get("board")))
    start = row.get("start")
    if start not in list(StartRule):
        raise FormatError(f"expected start as {' or '.join(StartRule)}: {echo(start)}")
    steps = [count for column in _STEPS if (count := _count(row, column)) is not None]
    tally = Tally(*steps) if len(steps) == len(_STEPS) else None
    record = PuzzleRecord(
        puzzle=Puzzle(board, (_needed_count(row, "first_row"), _needed_count(row, "first_col"))),
        rule=str(start),
        index=_count(row, "index"),
        seed=_count(row, "seed"),
        engine=_text(row, "engine"),
        method=_text(row, "method"),
        tally=tally,
        certificate=_text(row, "certificate") if _given(row, "certificate") else None,
        clues_at_once=None if tally is None else _count(row, "clues_at_once"),
        refuted=tally is None and row.get("verdict") == UNSOLVABLE,
    )
    facts = {"mines": board.mines, "hardest_tier": record.hardest_tier, "verdict": record.verdict}
    if _given(row, "id"):
        facts["id"] = record.id
    for column, value in facts.items():
        if _given(row, column) and str(row[column]) != str(value):
            raise FormatError(f"expected {column} {value}, as the rest of the row has it: {echo(row[column])}")
    return record


def _given(row: Mapping[str, object], column: str) -> bool:
    return row.get(column) not in (None, "")


def _bits(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        raise FormatError(f"expected board as hexadecimal digits: {echo(value)}") from None


def _count(row: Mapping[str, object], column: str) -> int | None:
    value = row.get(column)
    if value is None or value == "":
        return None
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise FormatError(f"expected {column} as a number of 0 to {_LARGEST}: {echo(value)}")
    return value


def _needed_count(row: Mapping[str, object], column: str) -> int:
    value = _count(row, column)
    if value is None:
        raise FormatError(f"expected a number in the column {column}, found none")
    return value


def _text(row: Mapping[str, object], column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.isprintable() or not value:
        raise FormatError(f"expected {column} as a text on one line: {echo(value)}")
    return value
