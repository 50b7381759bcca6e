"""CSV: one puzzle on each line, after a header with the columns `db.columns.EXPORTED`.

``board`` has the rows of the board with ``/`` between them, as in `db.formats.rows`. True and false are 1 and 0,
unknown values are empty. A reader needs first_row, first_col and board, in any order. It ignores measures and unknown
columns.

Spreadsheets write semicolons or tabs between the fields, a comma in fractions, and round numbers of more than 15
digits: all of these are read, and an id or seed such as ``1.234E+18`` counts as unknown.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

from minesweeper.db.columns import COMPLETE, EXPORTED
from minesweeper.db.formats.format import MAX_BYTES, Reader, Tabular, chosen_columns, first_line, lines, quote, text_of
from minesweeper.db.formats.rows import file_column, missing_column, parse_row, sound_rows
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import SoundRows, Table, converted, with_measures
from minesweeper.player.core.errors import FormatError, counted

HEADER: Final = tuple(column.name for column in EXPORTED)
_KNOWN: Final = tuple(column.name for column in COMPLETE)
_SEPARATORS: Final = ",;\t"
_NUMBER_TOO_LONG: Final = re.compile(r"[0-9](?:[.,][0-9]+)?E\+?[0-9]+")
_BOOLEANS: Final = [column.name for column in COMPLETE if column.type is bool]
_Line = tuple[list[str], bytes, str]


def write(tables: Iterable[Table], stream: BinaryIO, *, columns: Sequence[str] | None = None) -> int:
    """Write a header and a line for each puzzle, in UTF-8, and return the number of puzzles."""
    count = 0
    for added, text in in_csv(tables, columns):
        stream.write(text.encode())
        count += added
    return count


def in_csv(tables: Iterable[Table], columns: Sequence[str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield the header, and the lines of each table, as text after the number of its puzzles."""
    chosen = chosen_columns(columns, _KNOWN, HEADER)
    yield 0, _lines([chosen])
    for table in map(with_measures, tables):
        values = [_column(table, name) for name in chosen]
        yield len(values[0]), _lines(zip(*values, strict=True))


def _column(table: Table, name: str) -> Sequence[Any]:
    values = file_column(table, name)
    return converted(lambda value: None if value is None else int(value), values) if name in _BOOLEANS else values


def _lines(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def read(stream: BinaryIO) -> Reader[_Line]:
    """Read the puzzle of each line."""
    return Reader(_named_lines(stream), _parse, Tabular(lambda named: len(named[1]), _rows))


def looks_like(head: bytes) -> bool:
    """Return True if the first line names the required columns."""
    line = first_line(head)
    names = [name.strip(' "') for name in line.decode("latin-1").split(_separator(line))]
    return missing_column(names) is None


def _separator(line: bytes) -> str:
    """Return the most frequent separator of a header."""
    return max(_SEPARATORS, key=lambda one: line.count(one.encode()))


def _named_lines(stream: BinaryIO) -> Iterator[tuple[str, _Line]]:
    names: list[str] = []
    separator = ","
    for place, line in lines(stream):
        if names:
            if line.strip(f" {separator}\r\n".encode()):
                yield place, (names, line, separator)
            continue
        separator = _separator(line)
        try:
            (names,) = _fields(line, separator)
        except FormatError as error:
            raise FormatError(f"{place}: {error}") from error
        if missing := missing_column(names):
            raise FormatError(f"{place}: the column {missing} is missing in the header: {quote(line)}")


def _parse(named: _Line) -> PuzzleRecord:
    names, line, separator = named
    (fields,) = _fields(line, separator)
    if len(fields) != len(names):
        raise FormatError(f"{counted(len(fields), 'field')}; expected {len(names)}, as in the header: {quote(line)}")
    if b"E" in line:
        fields = ["" if _NUMBER_TOO_LONG.fullmatch(field) else field for field in fields]
    return parse_row(dict(zip(names, fields, strict=True)))


def _rows(named: Sequence[_Line]) -> SoundRows | None:
    names, _, separator = named[0]
    data = b"".join([line for _, line, _ in named])
    rows = _fields(data, separator)
    # Quotes may join lines, and numbers that are too long and marks at the beginning of a line are rare.
    if len(rows) != len(named) or b"E" in data or codecs.BOM_UTF8 in data:
        return None
    return sound_rows(dict(zip(names, zip(*rows, strict=True), strict=True)))


def _fields(data: bytes, separator: str) -> list[list[str]]:
    """Return the fields of each line. Raise `FormatError`."""
    # The default limit is shorter than a board of a million cells.
    csv.field_size_limit(MAX_BYTES)
    try:
        return list(csv.reader(text_of(data).rstrip("\r\n").split("\n"), strict=True, delimiter=separator))
    except csv.Error as error:
        raise FormatError(f"invalid comma-separated values ({error}): {quote(data)}") from error
