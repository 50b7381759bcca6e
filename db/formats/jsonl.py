"""JSON lines: one puzzle on each line, with everything that is known about it.

A line, here broken for reading::

    {"id": "569321a9cf74593f4527", "size": "3x4", "mines": 2, "first_click": [0, 0], "start": "opening",
     "board": ["....", "...*", "*..."], "hardest_tier": "2 clues",
     "steps": {"1 clue": 3, "2 clues": 3, "more clues": 0, "mine count": 0}, "clues_at_once": 2,
     "made_by": {"method": "rejection", "engine": "sat", "seed": 7, "index": 12, "certificate": null}}

``board`` has a text for each row, ``*`` for a mine and ``.`` for a safe cell. ``steps`` counts the cells that each tier
decided; it is null, like ``hardest_tier``, for a puzzle that is not known to be solvable, and one known not to be says
``"unsolvable": true``. ``clues_at_once`` is how many clues the hardest step needs at once, null if not known. A reader
needs ``board``, ``first_click``, ``start``, ``steps`` and ``made_by``; the rest repeats what follows from these, and is
checked where it is given. Other keys are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, BinaryIO, Final

import numpy as np

from minesweeper.db.formats.format import FormatError, Reader, echo, lines, text_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.board import Board, BoardError, Puzzle, check_size, size_name
from minesweeper.player.game import StartRule
from minesweeper.player.steps import Tally, Tier

_TIERS: Final = [tier.title for tier in list(Tier)[1:]]
_LARGEST: Final = 2**63 - 1


def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
    """Write one line for each puzzle, in UTF-8, and return how many."""
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    count = 0
    for record in records:
        stream.write(encode(_to_json(record)).encode() + b"\n")
        count += 1
    return count


def read(stream: BinaryIO) -> Reader[bytes]:
    """Find the puzzle of each line, empty lines passed over; raises `FormatError` naming the line at fault."""
    return Reader(lines(stream), lambda line: _from_json(_parse(line)))


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
        "clues_at_once": record.clues_at_once,
        "made_by": {
            "method": record.method,
            "engine": record.engine,
            "seed": record.seed,
            "index": record.index,
            "certificate": record.certificate,
        },
    }
    return described | {"unsolvable": True} if record.refuted else described


def _parse(line: bytes) -> dict[str, Any]:
    text = text_of(line)
    try:
        found = json.loads(text)
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
    rule = _get(line, "start")
    if rule not in list(StartRule):
        raise FormatError(f"expected start as {' or '.join(StartRule)}: {echo(rule)}")
    made_by = _get(line, "made_by")
    if not isinstance(made_by, dict):
        raise FormatError(f"expected made_by as a JSON object: {echo(made_by)}")
    tally, refuted = _tally(_get(line, "steps")), line.get("unsolvable", False)
    if refuted not in (True, False) or (refuted and tally is not None):
        raise FormatError(f"expected unsolvable as true or false, and steps null where it is true: {echo(refuted)}")
    record = PuzzleRecord(
        puzzle=Puzzle(board, (first_click[0], first_click[1])),
        rule=rule,
        index=_optional_count(made_by, "index"),
        seed=_optional_count(made_by, "seed"),
        engine=_text(made_by, "engine"),
        method=_text(made_by, "method"),
        tally=tally,
        certificate=None if made_by.get("certificate") is None else _text(made_by, "certificate"),
        refuted=bool(refuted),
        clues_at_once=None if tally is None else _optional_count(line, "clues_at_once"),
    )
    facts = {"size": size_name(board.rows, board.cols), "mines": board.mines, "hardest_tier": record.hardest_tier}
    if "id" in line:
        facts["id"] = record.id
    for key, value in facts.items():
        if line.get(key, value) != value:
            raise FormatError(f"expected {key} {json.dumps(value)}, as the rest of the line has it: {echo(line[key])}")
    return record


def _board(rows: Any) -> Board:
    try:
        cells = "".join(rows).encode() if isinstance(rows, list) else b"?"
    except (TypeError, UnicodeEncodeError):
        cells = b"?"
    if cells.translate(None, b"*."):
        raise FormatError(f"expected board as a list of texts of '*' and '.', one for each row: {echo(rows)}")
    if not cells:
        raise BoardError("expected the rows of a board, found no text")
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        number, row = next((number, row) for number, row in enumerate(rows, 1) if len(row) != width)
        raise BoardError(f"expected {width} cells in row {number} of the board, as in row 1: {echo(row)}")
    check_size(len(rows), width)
    return Board((np.frombuffer(cells, dtype=np.uint8) == ord("*")).reshape(len(rows), width))


def _tally(steps: Any) -> Tally | None:
    if steps is None:
        return None
    if not isinstance(steps, dict) or not all(_is_count(steps.get(tier)) for tier in _TIERS):
        raise FormatError(f"expected steps as a number of cells for each of {', '.join(_TIERS)}: {echo(steps)}")
    return Tally(*(int(steps[tier]) for tier in _TIERS))


def _get(line: dict[str, Any], key: str) -> Any:
    if key not in line:
        raise FormatError(f"expected the key {key!r}, found only {', '.join(map(repr, line))[:60] or 'none'}")
    return line[key]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _optional_count(facts: dict[str, Any], key: str) -> int | None:
    value = facts.get(key)
    if value is not None and not _is_count(value):
        raise FormatError(f"expected {key} as a number of 0 to {_LARGEST}, or null: {echo(value)}")
    return value


def _text(made_by: dict[str, Any], key: str) -> str:
    value = made_by.get(key)
    if not isinstance(value, str) or not value.isprintable():
        raise FormatError(f"expected {key} as a text on one line: {echo(value)}")
    return value
