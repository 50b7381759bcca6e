"""SQLite: a database that holds nothing but puzzles."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from minesweeper.db.file import DatabaseError, check_schema, is_empty
from minesweeper.db.formats.format import MAX_BYTES, FormatError, Reader
from minesweeper.db.formats.rows import COLUMNS, EXPORTED, parse_row
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store

_BATCH: Final = 1000
_Row = dict[str, object]
_ROW_BYTES: Final = 4
"""The smallest row of SQLite: its place in the page, its length and its number."""
_NAMES: Final = ", ".join(column.name for column in EXPORTED)


def write_file(records: Iterable[PuzzleRecord], path: Path) -> int:
    """Create a database of the puzzles, without duplicates, and return their number."""
    records = iter(records)
    with Store(path) as store:
        with Import(store) as pack:
            while batch := list(islice(records, _BATCH)):
                pack.add(batch)
        # Leave one file, without a write-ahead log beside it.
        store.db.execute("PRAGMA journal_mode = DELETE")
    return pack.added


def read_file(path: Path) -> Reader[_Row]:
    """Read the puzzles of a database without changing the file."""
    return Reader(_rows(path), parse_row)


def _rows(path: Path) -> Iterator[tuple[str, _Row]]:
    name = repr(str(path))
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            connection.execute("PRAGMA cell_size_check = ON")
            is_empty(connection, name, create=False)
            check_schema(connection, name)
            # Pages that several others name, or a chain of pages in a circle, would be read without end.
            budget = path.stat().st_size
            for number, row in enumerate(connection.execute(f"SELECT {_NAMES} FROM puzzles ORDER BY rowid"), 1):
                budget -= _ROW_BYTES + sum(len(value) for value in row if isinstance(value, str | bytes))
                if budget < 0:
                    raise FormatError("damaged database: its puzzles have more bytes than the file")
                yield f"puzzle {number}", dict(zip(COLUMNS, row, strict=True))
    except DatabaseError as error:
        raise FormatError(str(error).removesuffix(f": {name}")) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes damaged names, which Python fails to decode.
        raise FormatError(f"not a readable database of puzzles ({error})") from error


def looks_like(head: bytes) -> bool:
    """Return True for the first bytes of an SQLite file."""
    return head.startswith(b"SQLite format 3\0")
