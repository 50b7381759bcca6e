"""SQLite: a database that holds nothing but puzzles."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from minesweeper.db.columns import PUZZLE_COLUMNS
from minesweeper.db.file import check_pages, check_schema, connect, is_empty, translate_sqlite_errors
from minesweeper.db.formats.format import MAX_BYTES, Reader
from minesweeper.db.formats.rows import EXPORTED, parse_row
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store
from minesweeper.player.errors import DatabaseError, FormatError

_BATCH: Final = 1000
_Row = dict[str, object]
_READ: Final = (*EXPORTED, *(column for column in PUZZLE_COLUMNS if column.key == "path"))
_KEYS: Final = [column.key for column in _READ]
_NAMES: Final = ", ".join(column.name for column in _READ)


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
        with translate_sqlite_errors(name), closing(connect(f"{path.absolute().as_uri()}?mode=ro")) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            is_empty(connection, name, create=False)
            check_schema(connection, name)
            check_pages(connection, name, ["puzzles"])
            for number, row in enumerate(connection.execute(f"SELECT {_NAMES} FROM puzzles ORDER BY rowid"), 1):
                yield f"puzzle {number}", dict(zip(_KEYS, row, strict=True))
    except DatabaseError as error:
        raise FormatError(str(error).removesuffix(f": {name}")) from error


def looks_like(head: bytes) -> bool:
    """Return True for the first bytes of an SQLite file."""
    return head.startswith(b"SQLite format 3\0")
