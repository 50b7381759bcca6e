"""JSON: an array with the objects of `db.formats.jsonl`, one on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

from minesweeper.db.formats.format import Reader, quote, text_of
from minesweeper.db.formats.jsonl import encoder, from_json
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.errors import FormatError
from minesweeper.player.paper import Generosity

MAX_BYTES: Final = 2**28


def write(
    records: Iterable[PuzzleRecord],
    stream: BinaryIO,
    *,
    clues: Generosity | None = None,
    columns: Sequence[str] | None = None,
) -> int:
    """Write an array of all puzzles, and return their number."""
    encode, count = encoder(clues, columns), 0
    for count, record in enumerate(records, 1):
        stream.write((b",\n" if count > 1 else b"[\n") + encode(record))
    stream.write(b"\n]\n" if count else b"[]\n")
    return count


def read(stream: BinaryIO) -> Reader[dict[str, Any]]:
    """Read the puzzle of each object."""
    return Reader(_objects(stream), from_json)


def _objects(stream: BinaryIO) -> Iterator[tuple[str, dict[str, Any]]]:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FormatError(f"the array is too long; expected at most {MAX_BYTES >> 20} MiB, or JSON lines")
    try:
        found = json.loads(text_of(data))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"invalid JSON ({error}): {quote(data)}") from error
    for number, one in enumerate(found if isinstance(found, list) else [found], 1):
        if not isinstance(one, dict):
            raise FormatError(f"puzzle {number}: not a JSON object: {quote(one)}")
        yield f"puzzle {number}", one
