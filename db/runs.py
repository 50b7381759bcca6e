"""The runs of the generator with their puzzles, and proofs: all that only the programs of the toolkit store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from minesweeper.db import sql
from minesweeper.db.columns import Columns, PuzzleRow
from minesweeper.db.file import DatabaseFile
from minesweeper.db.records import PuzzleRecord, Run, RunKey
from minesweeper.player.core.errors import DatabaseError
from minesweeper.player.version import VERSION


class Runs:
    """The runs of the generator in a database. All methods raise `DatabaseError`, and have then stored nothing."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    def begin(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start a run, or resume the run with the same key.

        `arguments` are stored as JSON for people to read. A resumed run gets the new arguments and engine and the
        current version of the toolkit.
        """
        row = sql.run_key_row(key)
        described = {"arguments": json.dumps(dict(arguments), default=str), "engine": engine, "version": VERSION}
        with self._file.transaction():
            self._file.connection.execute(sql.INSERT_RUN, row | described)
            return self._run(sql.RUN_HAS_KEY, row)

    @staticmethod
    def prepare(columns: Columns) -> Columns:
        """Return the columns of new puzzles, in the process that found them, for `join`."""
        return columns

    @staticmethod
    def join(prepared: Iterable[Columns]) -> list[PuzzleRow]:
        """Return several pieces as rows for `add_rows`."""
        return list(chain.from_iterable(zip(*columns, strict=True) for columns in prepared))

    def add_rows(
        self, run_id: int, rows: Sequence[PuzzleRow], *, next_index: int, candidates: int, seconds: float
    ) -> Run:
        """Store rows of `join` with the progress of their run, and return the new progress.

        `next_index`, `candidates` and `seconds` are totals of the run. They never decrease, so repeating a batch
        changes nothing.
        """
        connection = self._file.connection
        with self._file.unchecked_transaction():
            added = sum(
                connection.executemany(sql.insert_puzzle(size), alike).rowcount for size, alike in groupby(rows, len)
            )
            connection.execute(
                "UPDATE runs SET next_index = max(next_index, ?), candidates = max(candidates, ?), "
                "seconds = max(seconds, ?), kept = kept + ?, updated = CURRENT_TIMESTAMP WHERE id = ?",
                (next_index, candidates, seconds, added, run_id),
            )
            return self._run("id = :id", {"id": run_id})

    def _run(self, condition: str, values: dict[str, object]) -> Run:
        query = f"SELECT id, next_index, candidates, kept, seconds FROM runs WHERE {condition}"
        row = self._file.connection.execute(query, values).fetchone()
        if row is None:
            raise DatabaseError(f"no run {values['id']} in {self._file.name}")
        return Run(*row)


class Proofs:
    """The proofs of the puzzles in a database. All methods raise `DatabaseError`, and have then stored nothing."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    def store(self, records: Iterable[PuzzleRecord]) -> None:
        """Store the verdict, steps and certificate of puzzles that are in the database."""
        with self._file.transaction():
            self._file.connection.executemany(sql.SET_PROOF, map(sql.proof_row, records))

    def clear(self, ids: Iterable[str]) -> None:
        """Remove the proofs of puzzles, by their stored ids."""
        with self._file.transaction():
            self._file.connection.executemany(sql.CLEAR_PROOF, [(name,) for name in ids])
