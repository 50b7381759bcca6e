"""Take in many puzzles as a whole, or not at all, in little memory and without keeping others from the database."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from minesweeper.db import sql
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.player.board import identify


class Import:
    """Puzzles on their way into a database, in a ``with`` statement: they wait in a temporary table, which SQLite keeps
    on disk, and are stored in one transaction where the statement ends. If it raises, nothing is.

    `canonical` passes over turns and mirrors of puzzles that are there already, too. Afterwards `added` is how many
    puzzles were new, and `duplicates` how many were not. Raises `DatabaseError` if storing fails.
    """

    def __init__(self, store: Store, *, canonical: bool = False) -> None:
        self._store = store
        self._canonical = canonical
        self._waiting = 0
        self.added = 0
        self.duplicates = 0

    def add(self, records: Iterable[PuzzleRecord]) -> None:
        """Let some more puzzles wait."""
        found = list(records)
        identify([record.puzzle for record in found])
        rows = [sql.puzzle_row(record, None) for record in found]
        self._waiting += len(rows)
        self._store.stage_puzzles(rows)

    def __enter__(self) -> Self:
        self._store.begin_staging()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.added = self._store.store_staged(canonical=self._canonical)
                self.duplicates = self._waiting - self.added
        finally:
            self._store.end_staging()
