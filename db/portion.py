"""Finished puzzles on their way from the worker that found them to whoever stores them.

The rows travel as the image of an SQLite database in which they stand already, so that a database takes them over
without Python in between; and the CHECKs of the table are made where there are many processors, not where one writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from minesweeper.db import schema, sql

NAMES: Final = tuple(f"portion_{number}" for number in range(8))
"""What images are called where they are attached: so many are stored together, and SQLite may refuse some more."""

_INDEXES: Final = "SELECT sample_index FROM puzzles ORDER BY rowid"


@dataclass(frozen=True)
class Portion:
    """Some rows of the table ``puzzles`` that keep its CHECKs, in order; no id is there twice.

    `content` is the image, or the rows themselves where Python was built without such images. `indexes` are the
    puzzles' numbers in their recipe; the first of them stands in row number `first`, from 1.
    """

    content: bytes | list[sql.PuzzleRow]
    indexes: tuple[int, ...]
    first: int = 1

    def __len__(self) -> int:
        return len(self.indexes)

    @property
    def places(self) -> tuple[int, int]:
        """The numbers of the first row and the last."""
        return self.first, self.first + len(self) - 1

    def cut(self, count: int) -> tuple[Portion, Portion]:
        """Cut into the first `count` puzzles and the others."""
        head = replace(self, indexes=self.indexes[:count])
        return head, replace(self, indexes=self.indexes[count:], first=self.first + len(head))

    def rows(self) -> list[sql.PuzzleRow]:
        """List the rows, as `sql.puzzle_rows` does."""
        return self._answers(sql.read_portion(NAMES[0]))

    def values(self, columns: Sequence[str]) -> list[sql.PuzzleRow]:
        """List these columns, or SQL of them, of each row."""
        return self._answers(f"SELECT {', '.join(columns)} {sql.of_portion(NAMES[0])}")

    def _answers(self, query: str) -> list[sql.PuzzleRow]:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute(f"ATTACH ':memory:' AS {NAMES[0]}")
            lay_out(self, connection, NAMES[0])
            return connection.execute(query, self.places).fetchall()


def checked(rows: Sequence[sql.PuzzleRow]) -> Portion:
    """Make a portion of rows; one whose id came before is left out. Raises `sqlite3.IntegrityError` for a bad row."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(_table())
        connection.executemany(sql.INSERT_PUZZLE, rows)
        connection.execute("COMMIT")
        indexes = tuple(index for (index,) in connection.execute(_INDEXES))
        if hasattr(connection, "serialize"):
            return Portion(connection.serialize(), indexes)
        return Portion(connection.execute(sql.read_portion("main"), (1, len(rows))).fetchall(), indexes)


def lay_out(portion: Portion, connection: sqlite3.Connection, name: str) -> None:
    """Put a portion where a connection has attached an empty database of this name."""
    if isinstance(portion.content, bytes) and hasattr(connection, "deserialize"):
        connection.deserialize(portion.content, name=name)
        return
    rows = portion.content
    if isinstance(rows, bytes):
        raise sqlite3.NotSupportedError("expected a Python that can read images of SQLite, as its workers can")
    connection.execute(f"DROP TABLE IF EXISTS {name}.puzzles")
    connection.execute(_table().replace("TABLE puzzles", f"TABLE {name}.puzzles", 1))
    connection.executemany(sql.INSERT_PUZZLE.replace("INTO puzzles", f"INTO {name}.puzzles", 1), rows)


def _table() -> str:
    """The SQL that makes the table ``puzzles`` of the newest version."""
    return next(text for text in schema.newest() if text.startswith("CREATE TABLE puzzles "))
