"""CSV: one puzzle on each line, after a header with the columns `db.columns.COMPLETE`.

``mine_bits`` has the mines in hexadecimal, as in `db.formats.rows`, and ``board`` in plain text. True and false are 1
and 0, unknown values are empty. A reader needs rows, cols, first_row, first_col and mine_bits, in any order. It ignores
measures and unknown columns.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

from minesweeper.db.columns import COMPLETE
from minesweeper.db.formats.format import MAX_BYTES, Reader, chosen_columns, first_line, lines, quote, text_of, writer
from minesweeper.db.formats.rows import complete_row, parse_row
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.errors import FormatError, counted

HEADER: Final = tuple(column.name for column in COMPLETE)
_BOOLEANS: Final = [column.name for column in COMPLETE if column.type is bool]
_Line = tuple[list[str], bytes]


class _Returned:
    """A file for `csv.writer` whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def write(records: Iterable[PuzzleRecord], stream: BinaryIO, *, columns: Sequence[str] | None = None) -> int:
    """Write a header and a line for each puzzle, in UTF-8, and return the number of puzzles."""
    line, chosen = csv.writer(_Returned(), lineterminator="\n").writerow, chosen_columns(columns, HEADER)

    def encode(record: PuzzleRecord) -> bytes:
        values = values_of(record)
        text: str = line([values[key] for key in chosen])
        return text.encode()

    stream.write(line(chosen).encode())
    return writer(encode)(records, stream)


def values_of(record: PuzzleRecord) -> dict[str, Any]:
    """Return the values of a line by the names of `HEADER`."""
    row = complete_row(record)
    for key in _BOOLEANS:
        row[key] = None if row[key] is None else int(row[key])
    return row


def read(stream: BinaryIO) -> Reader[_Line]:
    """Read the puzzle of each line."""
    return Reader(_named_lines(stream), _parse)


def looks_like(head: bytes) -> bool:
    """Return True if the first line names the required columns."""
    return {b"rows", b"cols", b"mine_bits"} <= {name.strip(b' "') for name in first_line(head).split(b",")}


def _named_lines(stream: BinaryIO) -> Iterator[tuple[str, _Line]]:
    names: list[str] = []
    for place, line in lines(stream):
        if names:
            yield place, (names, line)
            continue
        try:
            names = _fields(line)
        except FormatError as error:
            raise FormatError(f"{place}: {error}") from error
        missing = [column for column in ("rows", "cols", "mine_bits") if column not in names]
        if missing:
            raise FormatError(f"{place}: the column {missing[0]} is missing in the header: {quote(line)}")


def _parse(named: _Line) -> PuzzleRecord:
    names, line = named
    fields = _fields(line)
    if len(fields) != len(names):
        raise FormatError(f"{counted(len(fields), 'field')}; expected {len(names)}, as in the header: {quote(line)}")
    return parse_row(dict(zip(names, fields, strict=True)))


def _fields(line: bytes) -> list[str]:
    # The default limit is shorter than a board of a million cells.
    csv.field_size_limit(MAX_BYTES)
    try:
        return next(csv.reader([text_of(line).rstrip("\r\n")], strict=True), [])
    except csv.Error as error:
        raise FormatError(f"invalid comma-separated values ({error}): {quote(line)}") from error
