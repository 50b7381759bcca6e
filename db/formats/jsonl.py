"""JSON lines: one puzzle on each line, with everything that is known about it.

A line, here broken for reading::

    {"id": "569321a9cf74593f4527", "size": "3x4", "mines": 2, "first_click": [0, 0], "start": "opening",
     "board": ["....", "...*", "*..."], "hardest_tier": "2 clues",
     "steps": {"1 clue": 3, "2 clues": 3, "more clues": 0, "mine count": 0},
     "made_by": {"method": "rejection", "engine": "sat", "seed": 7, "index": 12, "certificate": null}}

``board`` has a text for each row, ``*`` for a mine and ``.`` for a safe cell. ``steps`` counts the cells that each tier
decided. A reader needs ``board``, ``first_click``, ``start``, ``steps`` and ``made_by``; the rest repeats what follows
from these, and is checked where it is given. Other keys are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from db.formats.format import FormatError
from db.records import TIER_NAMES, PuzzleRecord
from player.board import Board, BoardError, Puzzle, size_name

_TIERS: Final = TIER_NAMES[1:]
_RULES: Final = ("opening", "safe")
_LARGEST: Final = 2**63 - 1
_ECHO: Final = 60


def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
    """Write one line for each puzzle, in UTF-8, and return how many."""
    count = 0
    for record in records:
        stream.write(json.dumps(_to_json(record), ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def read(stream: BinaryIO) -> Iterator[PuzzleRecord]:
    """Yield the puzzle of each line, empty lines passed over; raises `FormatError` naming the line at fault."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            try:
                yield _from_json(_parse(line))
            except (FormatError, BoardError) as error:
                raise FormatError(f"line {number}: {error}") from error


def _to_json(record: PuzzleRecord) -> dict[str, Any]:
    board = record.puzzle.board
    return {
        "id": record.id,
        "size": size_name(board.rows, board.cols),
        "mines": board.mines,
        "first_click": list(record.puzzle.first_click),
        "start": record.rule,
        "board": board.to_text().splitlines(),
        "hardest_tier": record.hardest_tier,
        "steps": dict(zip(_TIERS, record.steps, strict=True)),
        "made_by": {
            "method": record.method,
            "engine": record.engine,
            "seed": record.seed,
            "index": record.index,
            "certificate": record.certificate,
        },
    }


def _parse(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a JSON object ({error}): {_echo(line)}") from error
    if not isinstance(found, dict):
        raise FormatError(f"expected a JSON object: {_echo(found)}")
    return found


def _from_json(line: dict[str, Any]) -> PuzzleRecord:
    board = _board(_get(line, "board"))
    first_click = _get(line, "first_click")
    if not isinstance(first_click, list) or len(first_click) != 2 or not all(map(_is_count, first_click)):
        raise FormatError(f"expected first_click as [ROW, COL], e.g. [8, 15]: {_echo(first_click)}")
    rule = _get(line, "start")
    if rule not in _RULES:
        raise FormatError(f"expected start as {' or '.join(_RULES)}: {_echo(rule)}")
    steps = _get(line, "steps")
    if not isinstance(steps, dict) or not all(_is_count(steps.get(tier)) for tier in _TIERS):
        raise FormatError(f"expected steps as a number of cells for each of {', '.join(_TIERS)}: {_echo(steps)}")
    made_by = _get(line, "made_by")
    if not isinstance(made_by, dict):
        raise FormatError(f"expected made_by as a JSON object: {_echo(made_by)}")
    one, two, more, count = (int(steps[tier]) for tier in _TIERS)
    record = PuzzleRecord(
        puzzle=Puzzle(board, (first_click[0], first_click[1])),
        rule=rule,
        index=_optional_count(made_by, "index"),
        seed=_optional_count(made_by, "seed"),
        engine=_text(made_by, "engine"),
        method=_text(made_by, "method"),
        steps=(one, two, more, count),
        certificate=None if made_by.get("certificate") is None else _text(made_by, "certificate"),
    )
    for key, value in _to_json(record).items():
        if key not in ("steps", "made_by") and line.get(key, value) != value:
            raise FormatError(f"expected {key} {json.dumps(value)}, as the rest of the line has it: {_echo(line[key])}")
    return record


def _board(rows: Any) -> Board:
    if not isinstance(rows, list) or not all(isinstance(row, str) and set(row) <= {"*", "."} for row in rows):
        raise FormatError(f"expected board as a list of texts of '*' and '.', one for each row: {_echo(rows)}")
    return Board.from_text("\n".join(rows))


def _get(line: dict[str, Any], key: str) -> Any:
    if key not in line:
        raise FormatError(f"expected the key {key!r}, found only {', '.join(map(repr, line))[:_ECHO] or 'none'}")
    return line[key]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _optional_count(made_by: dict[str, Any], key: str) -> int | None:
    value = made_by.get(key)
    if value is not None and not _is_count(value):
        raise FormatError(f"expected {key} as a number of 0 to {_LARGEST}, or null: {_echo(value)}")
    return value


def _text(made_by: dict[str, Any], key: str) -> str:
    value = made_by.get(key)
    if not isinstance(value, str) or not value.isprintable():
        raise FormatError(f"expected {key} as a text on one line: {_echo(value)}")
    return value


def _echo(value: object) -> str:
    """Show what was found, cut short if it is long."""
    shown = repr(value)
    return shown if len(shown) <= _ECHO else f"{shown[:_ECHO]}..."
