"""SQLite: a database that holds nothing but puzzles."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from minesweeper.db import sql
from minesweeper.db.columns import WRITTEN
from minesweeper.db.file import DatabaseFile, check_layout, connect, is_empty, translate_sqlite_errors
from minesweeper.db.formats.format import MAX_BYTES
from minesweeper.db.formats.limited import Batch
from minesweeper.db.formats.rows import COLUMNS
from minesweeper.db.tables import Table
from minesweeper.player.core.errors import DatabaseError, FormatError

_BATCH: Final = 1000
_NAMES: Final = (*(name for name in COLUMNS if name != "board"), "path")


def write_file(tables: Iterable[Table], path: Path) -> int:
    """Create a database of the puzzles, without duplicates, and return their number."""
    added = 0
    with closing(DatabaseFile(path, create=True)) as file:
        with file.translate_sqlite_errors():
            # Leave one file, without a write-ahead log beside it.
            file.connection.execute("PRAGMA journal_mode = DELETE")
        with file.transaction():
            for table in tables:
                size = len(table["id"])
                # The bytes depend on the puzzles alone.
                columns = {**table, "created": [""] * size, "run": [None] * size}
                rows = zip(*map(columns.__getitem__, ("created", *WRITTEN)), strict=True)
                added += file.connection.executemany(sql.COPY_PUZZLE, rows).rowcount
    return added


def batches(path: Path) -> Iterator[Batch]:
    """Yield the puzzles of a database without changing the file."""
    name = repr(str(path))
    try:
        # A connection that is opened only for reading would leave a write-ahead log.
        with translate_sqlite_errors(name), closing(connect(f"{path.absolute().as_uri()}?mode=rw")) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            is_empty(connection, name, create=False)
            check_layout(connection, name)
            # With the pages of a write-ahead log.
            pages, page_size = (connection.execute(f"PRAGMA page_{one}").fetchone()[0] for one in ("count", "size"))
            rows = connection.execute(f"SELECT {', '.join(_NAMES)} FROM puzzles ORDER BY rowid")
            count = 0
            while batch := rows.fetchmany(_BATCH):
                count += len(batch)
                if count > pages * page_size:
                    raise DatabaseError(f"the database is damaged (a table without end): {name}")
                yield _NAMES, batch
    except DatabaseError as error:
        raise FormatError(str(error).removesuffix(f": {name}")) from error
