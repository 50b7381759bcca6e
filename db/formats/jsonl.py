"""JSON lines: one puzzle on each line, with all columns.

A line, here broken for reading:

    {"id": "569321a9cf74593f4527", "canonical_id": "10f99d63d0bed22e92f3", "rows": 3, "cols": 4, "grid": "rectangle",
     "mines": 2, "first_click": [0, 0], "start": "opening", "board": ["....", "...*", "*..."], "verdict": "solvable",
     "hardest_tier": "2 clues", "steps_1_clue": 3, "steps_2_clues": 3, "steps_more_clues": 0, "steps_mine_count": 0,
     "needs_mine_count": false, "clues_at_once": 2, "difficulty": 3.06, "difficulty_word": "easy", "path_steps": 4,
     "path_hard_steps": 0, "path_open_steps": 1.25, "path_longest_wait": 1, "bbbv": 5, "openings": 1, "islands": 2,
     "greedy_zini": 3, "human_zini": 3, "buried": 0, "efficiency_bound": 1.667, "first_opening": 6,
     "first_is_zero": true, "method": "rejection", "engine": "sat", "seed": 7, "sample_index": 12, "certificate": null}

With `clues`, the key ``paper`` has the rows of the paper form.

``board`` has a string for each row, ``*`` for a mine, ``.`` for a safe cell and ``-`` for a hole. `db.columns`
describes the other keys; an unknown value is null.

A reader needs ``board`` and ``first_click`` only: ``{"board": ["....", "...*", "*..."], "first_click": [0, 0]}``.
``start`` is ``"safe"`` by default. Redundant keys are checked. Measures and unknown keys are ignored. ``run`` and
``created`` are written on request only, and ignored, because the database that stores the puzzle sets them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

from minesweeper.db.columns import COMPLETE
from minesweeper.db.formats.format import Tabular, chosen_columns, lines, quote, reader, text_of
from minesweeper.db.formats.rows import board_of_rows, file_column, parse_row, sound_rows
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import SoundRows, Table, converted, puzzles_of, table_of_records, with_measures
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.grid import is_cell
from minesweeper.player.logic.paper import Generosity, paper_form

_KNOWN: Final = tuple(
    "first_click" if column.name == "first_row" else column.name
    for column in COMPLETE
    if column.name not in ("first_col", "mine_bits")
)
KEYS: Final = tuple(key for key in _KNOWN if key not in ("run", "created"))

_decode = json.JSONDecoder().raw_decode


def write(
    tables: Iterable[Table],
    stream: BinaryIO,
    *,
    clues: Generosity | None = None,
    columns: Sequence[str] | None = None,
) -> int:
    """Write one line for each puzzle, in UTF-8, and return their number."""
    count = 0
    for found in in_json(tables, clues, columns):
        stream.write("\n".join([*found, ""]).encode())
        count += len(found)
    return count


def in_json(
    tables: Iterable[Table],
    clues: Generosity | None = None,
    columns: Sequence[str] | None = None,
    *,
    ensure_ascii: bool = False,
) -> Iterator[list[str]]:
    """Yield the puzzles of each table as JSON: their `columns`, and with `clues` the rows of their paper forms."""
    chosen = chosen_columns(columns, _KNOWN, KEYS)
    encode = json.JSONEncoder(ensure_ascii=ensure_ascii, check_circular=False).encode
    line = ", ".join(f'"{key}": %s' for key in (*chosen, *(["paper"] if clues is not None else [])))
    for table in map(with_measures, tables):
        values = [_encoded(table, key, encode) for key in chosen]
        if clues is not None:
            values.append([encode(paper_form(puzzle, clues).lines) for puzzle in puzzles_of(table)])
        yield [f"{{{line}}}" % row for row in zip(*values, strict=True)]


def _encoded(table: Table, key: str, encode: Callable[[Any], str]) -> Sequence[Any]:
    """Return the values of a key as JSON, or as numbers."""
    if key == "first_click":
        return [f"[{row}, {col}]" for row, col in zip(table["first_row"], table["first_col"], strict=True)]
    values = file_column(table, key)
    if key == "board":
        return ['["{}"]'.format(text.replace("/", '", "')) for text in values]
    return values if {int, float}.issuperset(map(type, values)) else converted(encode, values)


def puzzle_to_json(record: PuzzleRecord) -> dict[str, Any]:
    """Return a puzzle as the object of a line."""
    return object_of(next(in_json([table_of_records([record])]))[0].encode())


def object_of(line: bytes) -> dict[str, Any]:
    """Parse a line. Raise `FormatError` unless it is a JSON object."""
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


def from_json(line: dict[str, Any]) -> PuzzleRecord:
    """Return the puzzle of an object. Raise `FormatError` or `BoardError`."""
    board = board_of(line)
    first_click = _get(line, "first_click")
    if not (is_cell(first_click) and min(first_click) >= 0):
        raise FormatError(f"invalid first_click {quote(first_click)}; expected [ROW, COL], e.g. [8, 15]")
    line["first_row"], line["first_col"] = first_click
    line.setdefault("rows", board.rows)
    line.setdefault("cols", board.cols)
    line.setdefault("grid", board.grid.label)
    return parse_row(line, board)


def sound_objects(found: Sequence[dict[str, Any]]) -> SoundRows | None:
    keys = tuple(found[0])
    if any(tuple(one) != keys for one in found):
        return None
    values = dict(zip(keys, zip(*map(dict.values, found), strict=True), strict=True))
    boards, clicks = values["board"], values["first_click"]
    if {*map(type, (*boards, *clicks))} != {list}:
        return None
    first_row, first_col = zip(*clicks, strict=True)
    texts = list(map("/".join, boards))
    # No row has a "/".
    if "".join(texts).count("/") != sum(map(len, boards)) - len(boards):
        return None
    return sound_rows({**values, "board": texts, "first_row": first_row, "first_col": first_col})


def board_of(line: dict[str, Any]) -> Board:
    """Return the board of a line. Raise `FormatError` or `BoardError`."""
    return board_of_rows(_get(line, "board"), str(line.get("grid") or ""))


def _get(line: dict[str, Any], key: str) -> Any:
    if key not in line:
        raise FormatError(f"the key {key!r} is missing; keys: {', '.join(map(repr, line))[:60] or 'none'}")
    return line[key]


read = reader(
    lines,
    lambda line: from_json(object_of(line)),
    Tabular[bytes](len, lambda found: sound_objects(list(map(object_of, found)))),
)
