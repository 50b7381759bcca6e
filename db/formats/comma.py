"""CSV: one puzzle on each line, under a line that names the columns, which `db.formats.rows` describes.

Columns may come in any order, and others are passed over.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from minesweeper.db.formats.format import LONGEST, FormatError, Reader, echo, first_line, lines, text_of, writer
from minesweeper.db.formats.rows import COLUMNS, parse_row, row_of
from minesweeper.db.records import PuzzleRecord

_Line = tuple[list[str], bytes]


class _Returned:
    """A file for `csv.writer` that hands back each line instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
    """Write a line of column names and one for each puzzle, in UTF-8, and return how many puzzles."""
    line = csv.writer(_Returned(), lineterminator="\n").writerow
    stream.write(line(COLUMNS).encode())
    return writer(lambda record: line(row_of(record).values()).encode())(records, stream)


def read(stream: BinaryIO) -> Reader[_Line]:
    """Find the puzzle of each line; raises `FormatError` naming the line at fault."""
    return Reader(_named_lines(stream), _parse)


def looks_like(head: bytes) -> bool:
    """Whether the first line names the columns that are needed."""
    return {b"rows", b"cols", b"board"} <= {name.strip(b' "') for name in first_line(head).split(b",")}


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
        missing = [column for column in ("rows", "cols", "board") if column not in names]
        if missing:
            raise FormatError(f"{place}: expected a column named {missing[0]}: {echo(line)}")


def _parse(named: _Line) -> PuzzleRecord:
    names, line = named
    fields = _fields(line)
    if len(fields) != len(names):
        raise FormatError(f"expected {len(names)} fields, as in line 1, found {len(fields)}: {echo(line)}")
    return parse_row(dict(zip(names, fields, strict=True)))


def _fields(line: bytes) -> list[str]:
    # Boards of a million cells are longer than the fields that Python expects.
    csv.field_size_limit(LONGEST)
    try:
        return next(csv.reader([text_of(line).rstrip("\r\n")], strict=True), [])
    except csv.Error as error:
        raise FormatError(f"expected comma-separated values ({error}): {echo(line)}") from error
