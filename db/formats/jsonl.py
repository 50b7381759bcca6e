"""JSON lines: one puzzle on each line, with all columns.

A line, here broken for reading:

    {"id": "569321a9cf74593f4527", "size": "3x4", "mines": 2, "first_click": [0, 0], "start": "opening",
     "board": ["....", "...*", "*..."], "hardest_tier": "2 clues",
     "steps": {"1 clue": 3, "2 clues": 3, "more clues": 0, "mine count": 0}, "clues_at_once": 2,
     "first_opening": 6,
     "made_by": {"method": "rejection", "engine": "sat", "seed": 7, "index": 12, "certificate": null}}

``board`` has a string for each row, ``*`` for a mine and ``.`` for a safe cell. ``steps`` counts the cells that each
tier decided; it is null, like ``hardest_tier``, without a proof. A puzzle that logic does not solve has
``"unsolvable": true``. ``clues_at_once`` is the number of clues that the hardest step needs at once, null if unknown.
``first_opening`` is the number of cells that the first click opens, null without measures.

A reader needs ``board`` and ``first_click`` only: ``{"board": ["....", "...*", "*..."], "first_click": [0, 0]}``.
``start`` is ``"safe"`` by default. Redundant keys are checked. Measures and unknown keys are ignored.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Final

from minesweeper.db.columns import STEPS, Group, reader
from minesweeper.db.formats.format import (
    IMPORTED,
    NO_ENGINE,
    FormatError,
    Reader,
    first_line,
    lines,
    quote,
    text_of,
    writer,
)
from minesweeper.db.formats.rows import EXPORTED, parse_row
from minesweeper.db.records import UNSOLVABLE, PuzzleRecord
from minesweeper.player.board import Board, BoardError, check_size, size_name
from minesweeper.player.game import StartRule
from minesweeper.player.steps import Tier
from minesweeper.player.words import counted

_TIERS: Final = [tier.title for tier in list(Tier)[1:]]
_ORIGIN: Final = [column for column in EXPORTED if column.group is Group.ORIGIN]
# Columns written as they are.
_PLAIN: Final = [
    column
    for column in EXPORTED
    if column.group not in (Group.PUZZLE, Group.ORIGIN) and column.type is int and column.key not in STEPS
]
_MADE_BY: Final = [column.key for column in _ORIGIN]
_INVALID: Final = b"\2"
_MARKS: Final = bytes({ord("."): 0, ord("*"): 1}.get(byte, 2) for byte in range(256))
_origin_of, _plain_of = reader(_ORIGIN), reader(_PLAIN)

_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
write = writer(lambda record: f"{_encode(_to_json(record))}\n".encode())
"""Write one line for each puzzle, in UTF-8."""


def read(stream: BinaryIO) -> Reader[bytes]:
    """Read the puzzle of each line that is not blank."""
    return Reader(lines(stream), lambda line: _from_json(_parse(line)))


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of an object."""
    return first_line(head).startswith(b"{")


def _to_json(record: PuzzleRecord) -> dict[str, Any]:
    board = record.puzzle.board
    described = {
        "id": record.id,
        "size": size_name(board.rows, board.cols),
        "mines": board.mines,
        "first_click": list(record.puzzle.first_click),
        "start": record.rule,
        "board": board.to_text().splitlines(),
        "hardest_tier": record.hardest_tier,
        "steps": None if record.tally is None else dict(zip(_TIERS, record.tally, strict=True)),
        **_plain_of(record),
        "made_by": _origin_of(record),
    }
    return described | {"unsolvable": True} if record.refuted else described


def _parse(line: bytes) -> dict[str, Any]:
    text = text_of(line).strip(" \t\r\n")
    try:
        # json.loads is slower: it searches for blanks twice.
        found, end = _decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"invalid JSON ({error}): {quote(line)}") from error
    if not isinstance(found, dict):
        raise FormatError(f"not a JSON object: {quote(found)}")
    return found


def _from_json(line: dict[str, Any]) -> PuzzleRecord:
    board = _board(_get(line, "board"))
    first_click = _get(line, "first_click")
    if not isinstance(first_click, list) or len(first_click) != 2 or not all(map(_is_count, first_click)):
        raise FormatError(f"invalid first_click {quote(first_click)}; expected [ROW, COL], e.g. [8, 15]")
    start, steps = line.get("start", StartRule.SAFE), line.get("steps")
    made_by = line.get("made_by", {"method": IMPORTED, "engine": NO_ENGINE})
    if not isinstance(made_by, dict):
        raise FormatError(f"invalid made_by {quote(made_by)}; expected a JSON object")
    if steps is None:
        steps = {}
    elif not isinstance(steps, dict) or not all(map(_is_count, map(steps.get, _TIERS))):
        raise FormatError(f"invalid steps {quote(steps)}; expected a number of cells for each of {', '.join(_TIERS)}")
    refuted = line.get("unsolvable", False)
    if refuted not in (True, False) or (refuted and steps):
        raise FormatError(f"invalid unsolvable {quote(refuted)}; expected true or false, and null steps if true")
    # Override all keys of a row that a line lacks, so that unknown keys of the line have no effect.
    row = {
        **line,
        "rows": board.rows,
        "cols": board.cols,
        "first_row": first_click[0],
        "first_col": first_click[1],
        "start": start,
        "verdict": UNSOLVABLE if refuted else None,
        **dict(zip(STEPS, map(steps.get, _TIERS), strict=True)),
        **dict(zip(_MADE_BY, map(made_by.get, _MADE_BY), strict=True)),
    }
    return parse_row(row, board)


def _board(rows: Any) -> Board:
    try:
        cells = "".join(rows).encode().translate(_MARKS) if isinstance(rows, list) else _INVALID
    except (TypeError, UnicodeEncodeError):
        cells = _INVALID
    if _INVALID in cells:
        raise FormatError(f"invalid board {quote(rows)}; expected a list of strings of '*' and '.', one for each row")
    if not cells:
        raise BoardError("the board is empty; expected its rows")
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        number, row = next((number, row) for number, row in enumerate(rows, 1) if len(row) != width)
        raise BoardError(
            f"{counted(len(row), 'cell')} in row {number} of the board; expected {width}, as in row 1: {quote(row)}"
        )
    check_size(len(rows), width)
    return Board.unchecked(len(rows), width, cells)


def _get(line: dict[str, Any], key: str) -> Any:
    if key not in line:
        raise FormatError(f"the key {key!r} is missing; keys: {', '.join(map(repr, line))[:60] or 'none'}")
    return line[key]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
