"""JSON lines: one puzzle on each line, with everything that is known about it.

A line, here broken for reading::

    {"id": "569321a9cf74593f4527", "size": "3x4", "mines": 2, "first_click": [0, 0], "start": "opening",
     "board": ["....", "...*", "*..."], "hardest_tier": "2 clues",
     "steps": {"1 clue": 3, "2 clues": 3, "more clues": 0, "mine count": 0}, "clues_at_once": 2,
     "first_opening": 6,
     "made_by": {"method": "rejection", "engine": "sat", "seed": 7, "index": 12, "certificate": null}}

``board`` has a text for each row, ``*`` for a mine and ``.`` for a safe cell. ``steps`` counts the cells that each tier
decided; it is null, like ``hardest_tier``, for a puzzle that is not known to be solvable, and one known not to be says
``"unsolvable": true``. ``clues_at_once`` is how many clues the hardest step needs at once, null if not known.
``first_opening`` is how many cells the first click opens, null if the puzzle is not measured. A reader needs ``board``
and ``first_click``: ``{"board": ["....", "...*", "*..."], "first_click": [0, 0]}`` is a whole line. Without ``start``
nothing but a safe start is sure. The rest repeats what follows from these, and is checked where it is given. Other
keys are passed over, and so are measures, which a reader takes itself.
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
    echo,
    first_line,
    lines,
    text_of,
    writer,
)
from minesweeper.db.formats.rows import EXPORTED, parse_row
from minesweeper.db.records import UNSOLVABLE, PuzzleRecord
from minesweeper.player.board import Board, BoardError, size_name
from minesweeper.player.game import StartRule
from minesweeper.player.steps import Tier

_TIERS: Final = [tier.title for tier in list(Tier)[1:]]
_ORIGIN: Final = [fact for fact in EXPORTED if fact.group is Group.ORIGIN]
# What is not written in a form of its own.
_PLAIN: Final = [
    fact
    for fact in EXPORTED
    if fact.group not in (Group.PUZZLE, Group.ORIGIN) and fact.type is int and fact.key not in STEPS
]
_MADE_BY: Final = [fact.key for fact in _ORIGIN]
_STRANGE: Final = b"\2"
_MARKS: Final = bytes({ord("."): 0, ord("*"): 1}.get(byte, 2) for byte in range(256))
_origin_of, _plain_of = reader(_ORIGIN), reader(_PLAIN)

_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
write = writer(lambda record: f"{_encode(_to_json(record))}\n".encode())
"""Write one line for each puzzle, in UTF-8."""


def read(stream: BinaryIO) -> Reader[bytes]:
    """Find the puzzle of each line, empty lines passed over; raises `FormatError` naming the line at fault."""
    return Reader(lines(stream), lambda line: _from_json(_parse(line)))


def looks_like(head: bytes) -> bool:
    """Whether this begins as an object does."""
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
        # Not by `json.loads`, which looks twice for blanks with a regular expression.
        found, end = _decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a JSON object ({error}): {echo(line)}") from error
    if not isinstance(found, dict):
        raise FormatError(f"expected a JSON object: {echo(found)}")
    return found


def _from_json(line: dict[str, Any]) -> PuzzleRecord:
    board = _board(_get(line, "board"))
    first_click = _get(line, "first_click")
    if not isinstance(first_click, list) or len(first_click) != 2 or not all(map(_is_count, first_click)):
        raise FormatError(f"expected first_click as [ROW, COL], e.g. [8, 15]: {echo(first_click)}")
    start, steps = line.get("start", StartRule.SAFE), line.get("steps")
    made_by = line.get("made_by", {"method": IMPORTED, "engine": NO_ENGINE})
    if not isinstance(made_by, dict):
        raise FormatError(f"expected made_by as a JSON object: {echo(made_by)}")
    if steps is None:
        steps = {}
    elif not isinstance(steps, dict) or not all(map(_is_count, map(steps.get, _TIERS))):
        raise FormatError(f"expected steps as a number of cells for each of {', '.join(_TIERS)}: {echo(steps)}")
    refuted = line.get("unsolvable", False)
    if refuted not in (True, False) or (refuted and steps):
        raise FormatError(f"expected unsolvable as true or false, and steps null where it is true: {echo(refuted)}")
    # All that a row has and a line has not under the same key, so that a line's other keys count for nothing.
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
        cells = "".join(rows).encode().translate(_MARKS) if isinstance(rows, list) else _STRANGE
    except (TypeError, UnicodeEncodeError):
        cells = _STRANGE
    if _STRANGE in cells:
        raise FormatError(f"expected board as a list of texts of '*' and '.', one for each row: {echo(rows)}")
    if not cells:
        raise BoardError("expected the rows of a board, found no text")
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        number, row = next((number, row) for number, row in enumerate(rows, 1) if len(row) != width)
        raise BoardError(f"expected {width} cells in row {number} of the board, as in row 1: {echo(row)}")
    return Board.unchecked(len(rows), width, cells)


def _get(line: dict[str, Any], key: str) -> Any:
    if key not in line:
        raise FormatError(f"expected the key {key!r}, found only {', '.join(map(repr, line))[:60] or 'none'}")
    return line[key]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
