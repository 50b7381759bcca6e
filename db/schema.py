"""The tables and views of the database, and the steps that bring an older file up to date.

``PRAGMA application_id`` marks a file as ours, ``PRAGMA user_version`` is its schema version. ``newest.sql`` creates a
new file. After the first release, every change is appended to `MIGRATIONS` and made in ``newest.sql`` too.

Tables, views and migrations are plain SQL. sqlite-utils answers questions (`Store.db` is its `Database`, for whoever
has more of them), but it takes as long to load as NumPy, its ``create`` knows no CHECK and its ``create_index`` no
WHERE. What its ``transform`` keeps of a table and how ``create_view`` quotes a name depends on its version, and a file
should not. Its migrations keep a table of their own in the file, where one number does.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from minesweeper.db import sql
from minesweeper.player.measure.metrics import measure_all

APPLICATION_ID: Final = int.from_bytes(b"MINE", "big")
FIRST_VERSION: Final = 14
MIGRATIONS: Final[list[str]] = []
"""SQL, one statement for each version after the first."""
VERSION: Final = FIRST_VERSION + len(MIGRATIONS)
_NEWEST: Final = Path(__file__).with_name("newest.sql")


def rate(connection: sqlite3.Connection) -> int:
    """Fill in the measures and the difficulty of all puzzles that lack them, and return how many did.

    The caller holds a write transaction.
    """
    from minesweeper.player.measure.effort import clues_at_once_of_many

    rated, last = 0, -1
    while found := connection.execute(sql.READ_UNRATED, (last,)).fetchall():
        records = [sql.puzzle_record(row[:-1]) for row in found]
        puzzles = [record.puzzle for record in records]
        unknown = [record.tally if record.clues_at_once is None else None for record in records]
        measured = zip(records, measure_all(puzzles), clues_at_once_of_many(puzzles, unknown), strict=True)
        for record, measures, clues in measured:
            known = clues if record.clues_at_once is None else record.clues_at_once
            row = sql.rating_row(replace(record, measured=measures, clues_at_once=known))
            connection.execute(sql.SET_RATING, row)
        rated, last = rated + len(found), found[-1][-1]
    return rated


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file, or an empty one, up to the newest schema version; the caller holds a write transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for statement in newest() if not version else MIGRATIONS[version - FIRST_VERSION :]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


@cache
def newest() -> list[str]:
    """The SQL that creates a new file."""
    return _NEWEST.read_text(encoding="utf-8").rstrip().removesuffix(";").split(";\n\n")
