"""JSON: an array with the objects of `db.formats.jsonl`, one on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO

from minesweeper.db.formats.format import MAX_BYTES, Reader, lines, quote, text_of
from minesweeper.db.formats.jsonl import encoder, from_json
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.errors import FormatError
from minesweeper.player.paper import Generosity

_decode = json.JSONDecoder().raw_decode


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
    """Yield the objects of an array as their lines arrive."""
    text, needed, number, ended = "", 0, -1, False
    for _, line in chain(lines(stream), [("", b"")]):
        text += text_of(line)
        if len(text) > MAX_BYTES:
            raise FormatError(f"object {number + 1} is too long; expected at most {MAX_BYTES >> 20} MiB")
        # An object on many lines is tried again when there is twice as much of it.
        while (text := text.lstrip(" \t\r\n" if number < 1 else ", \t\r\n")) and (not line or len(text) >= needed):
            if not ended and text[0] == ("[" if number < 0 else "]"):
                text, number, ended = text[1:], max(number, 0), number >= 0
                continue
            try:
                if number < 0 or ended:
                    raise ValueError("expected one array")
                found, end = _decode(text)
            except (ValueError, RecursionError) as error:
                needed = 2 * len(text)
                if line:
                    break
                raise FormatError(f"invalid JSON ({error}): {quote(text)}") from error
            text, needed, number = text[end:], 0, number + 1
            if not isinstance(found, dict):
                raise FormatError(f"puzzle {number}: not a JSON object: {quote(found)}")
            yield f"puzzle {number}", found
    if not ended:
        raise FormatError("the array does not end; expected ]")
