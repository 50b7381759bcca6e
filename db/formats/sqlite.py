"""A self-contained SQLite file: a database like any other of ours, with nothing but puzzles in it."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from minesweeper.db.file import DatabaseError
from minesweeper.db.formats.format import LONGEST, FormatError, Reader
from minesweeper.db.formats.rows import COLUMNS, EXPORTED, parse_row
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store

_AT_A_TIME: Final = 1000
_Row = dict[str, object]
_COLUMNS: Final = ", ".join(fact.name for fact in EXPORTED)


def write_file(records: Iterable[PuzzleRecord], path: Path) -> int:
    """Make a new database of the puzzles, and return how many they are; a puzzle given twice is there once."""
    records = iter(records)
    with Store(path) as store:
        with Import(store) as pack:
            while portion := list(islice(records, _AT_A_TIME)):
                pack.add(portion)
        # In one file, also while it is open.
        store.db.execute("PRAGMA journal_mode = DELETE")
    return pack.added


def read_file(path: Path) -> Reader[_Row]:
    """Find the puzzles of a database; raises `FormatError` naming what is wrong. The file stays as it is."""
    return Reader(_rows(path), parse_row)


def _rows(path: Path) -> Iterator[tuple[str, _Row]]:
    """Yield the rows of a copy of the database, of the newest version."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        try:
            _copy(path, copy)
            # An older file is brought up to date, which is why this works on a copy.
            with Store(copy, create=False):
                pass
            with closing(_reading(copy)) as connection:
                for number, row in enumerate(connection.execute(f"SELECT {_COLUMNS} FROM puzzles ORDER BY rowid"), 1):
                    yield f"puzzle {number}", dict(zip(COLUMNS, row, strict=True))
        except DatabaseError as error:
            raise FormatError(str(error).partition(f": {str(copy)!r}")[0]) from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # As an error of SQLite's may quote any bytes.
            raise FormatError(f"expected a sound database of puzzles ({error})") from error


def _copy(path: Path, copy: Path) -> None:
    """Copy a database, and make sure that nothing in it does anything but hold rows."""
    with closing(_reading(path)) as source, closing(sqlite3.connect(copy)) as target:
        kinds = source.execute(
            "SELECT type, sql FROM sqlite_master WHERE type = 'trigger' OR name = 'puzzles'"
        ).fetchall()
        if any(kind != "table" or "VIRTUAL" in sql[:20].upper() or "GENERATED" in sql.upper() for kind, sql in kinds):
            raise FormatError("expected a database with plain tables, found triggers or a made-up table of puzzles")
        source.backup(target, pages=1000)


def _reading(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    return connection


def looks_like(head: bytes) -> bool:
    """Whether this begins as every SQLite file does."""
    return head.startswith(b"SQLite format 3\0")
