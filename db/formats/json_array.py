"""JSON: an array with the objects of `db.formats.jsonl`, one on each line. Arrays of up to 16 MiB are read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from minesweeper.db.formats.format import Tabular, quote, reader, text_of, whole
from minesweeper.db.formats.jsonl import from_json, in_json, sound_objects
from minesweeper.db.tables import Table
from minesweeper.player.core.errors import FormatError
from minesweeper.player.logic.paper import Generosity


def write(
    tables: Iterable[Table],
    stream: BinaryIO,
    *,
    clues: Generosity | None = None,
    columns: Sequence[str] | None = None,
) -> int:
    """Write an array of all puzzles, and return their number."""
    count = 0
    for found in in_json(tables, clues, columns):
        stream.write(("[\n", ",\n")[count > 0].encode() + ",\n".join(found).encode())
        count += len(found)
    stream.write(b"\n]\n" if count else b"[]\n")
    return count


def _objects(stream: BinaryIO) -> Iterator[tuple[str, Any]]:
    for _, data in whole(stream):
        text = text_of(data)
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"invalid JSON ({error}): {quote(data)}") from error
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise FormatError(f"no array of JSON objects: {quote(data)}")
        yield from ((f"puzzle {number}", one) for number, one in enumerate(found, 1))


read = reader(_objects, from_json, Tabular(len, sound_objects))
"""Read the puzzle of each object of an array of at most 16 MiB."""
