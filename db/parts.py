"""A folder of Parquet parts: for more puzzles than one file should hold, and for data tools to read at once.

The columns are those of `db.formats.parquet`. A part appears whole or not at all, and counts once ``manifest.json``
names it: which run this is, how far it has come, and its parts. A folder that packs were merged into is of no run.
What no manifest names, because a writer was killed in between, the next writer clears away; a lock, which the system
lets go when a process ends, keeps it from another's work.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, Unpack

from minesweeper.db import schema, sql
from minesweeper.db.file import DatabaseError, translate_sqlite_errors
from minesweeper.db.formats import parquet
from minesweeper.db.formats.format import FormatError
from minesweeper.db.formats.parquet import PartError
from minesweeper.db.formats.rows import EXPORTED, parse_row
from minesweeper.db.records import PuzzleRecord, Run, RunKey
from minesweeper.db.store import Filters, Store, condition_of, id_prefix, shuffler, skip_damaged, the_only
from minesweeper.player.board import BoardError
from minesweeper.player.measure.metrics import Measures, measure_all, puzzle_ids

_ROWS_OF_A_PART: Final = 250_000
_SECONDS_OF_A_PART: Final = 30.0
_AT_A_TIME: Final = 1000
# Among so many puzzles, e**80, the same one is never drawn twice.
_LOG_OF_ENOUGH: Final = 80.0
_PLACES: Final = [sql.column_index(fact.name) for fact in EXPORTED]
_ID: Final = sql.column_index("id")
_CANONICAL_ID: Final = sql.column_index("canonical_id")
_RUN: Final = 1
_PART: Final = re.compile(r"part-\d{6,}\.parquet|\.part-\d{6,}\.parquet\.part")
_LOCK: Final = ".lock"


class PartsFolder(AbstractContextManager["PartsFolder"]):
    """A folder that takes the puzzles of one run, in a ``with`` statement; whatever ends it, all of them are written.

    Takes finished puzzles as `db.store.Store` does, but as tables. A missing folder is made. Raises `DatabaseError` for
    a folder that another process writes to, of another run or of none, or that can't be written to; `FormatError`
    without pyarrow, without a sound manifest, or if a part that it names is missing or damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._writer = _Writer(self.path)
        self._seen: set[str] | None = None
        self._run = Run(_RUN, 0, 0, 0, 0.0)
        self._written = time.monotonic()
        self._begun = False

    def __exit__(self, *_: object) -> None:
        with self._writer:
            if self._begun:
                self.flush()

    def begin_run(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start the run of this folder, or go on with it."""
        ours = json.loads(json.dumps(sql.run_key_row(key)))
        manifest = self._writer.open({"run": ours, "progress": asdict(self._run)})
        if manifest["run"] != ours:
            raise DatabaseError(f"expected a folder of this run, found one of another: {str(self.path)!r}")
        manifest |= {"arguments": json.loads(json.dumps(dict(arguments), default=str)), "engine": engine}
        self._run = Run(**manifest["progress"])
        # From now on this folder is known to be of this run, whatever happens.
        self._writer.publish(manifest)
        self._begun = True
        if key.recipe.log_puzzles() < _LOG_OF_ENOUGH:
            self._seen = set(parquet.ids(self.path))
        return self._run

    def add_rows(
        self, run_id: int, rows: Sequence[sql.PuzzleRow], *, next_index: int, candidates: int, seconds: float
    ) -> Run:
        """Take puzzles, to be written soon, and return how far the run is with them."""
        if self._seen is not None:
            first = {str(row[_ID]): row for row in reversed(rows)}
            rows = [row for row in rows if first[str(row[_ID])] is row and row[_ID] not in self._seen]
            self._seen.update(first)
        self._writer.take(_table_of(rows))
        self._run = Run(run_id, next_index, candidates, self._run.kept + len(rows), seconds)
        if self._writer.waiting >= _ROWS_OF_A_PART or time.monotonic() - self._written >= _SECONDS_OF_A_PART:
            self.flush()
        return self._run

    def flush(self) -> None:
        """Write what is waiting as a part, and the manifest."""
        self._writer.write_part({"next_index": self._run.next_index})
        self._writer.publish({"progress": asdict(self._run)})
        self._written = time.monotonic()


class PartsImport:
    """Many puzzles on their way into a folder of no run, in a ``with`` statement: as `db.store.Import` for a database.

    Their parts are named where the statement ends. If it raises, they are removed, and so is a folder made for them.
    Which puzzles are there already is kept in a temporary file.
    """

    def __init__(self, path: str | Path, *, canonical: bool = False) -> None:
        self.path = Path(path)
        self._writer = _Writer(self.path)
        self._canonical = canonical
        self._is_new = not self.path.exists()
        self.added = 0
        self.duplicates = 0

    def add(self, records: Iterable[PuzzleRecord]) -> None:
        """Let some more puzzles wait."""
        rows = sql.puzzle_rows(records, None)
        place = _CANONICAL_ID if self._canonical else _ID
        new = [row for row in rows if self._note(str(row[place]))]
        self._writer.take(_table_of(new))
        self.added += len(new)
        self.duplicates += len(rows) - len(new)
        if self._writer.waiting >= _ROWS_OF_A_PART:
            self._writer.write_part({})

    def _note(self, name: str) -> bool:
        """Note an id, and say whether it is new."""
        return self._seen.execute("INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", (name,)).rowcount > 0

    def __enter__(self) -> Self:
        try:
            if self._writer.open({"run": None, "progress": None})["run"] is not None:
                raise DatabaseError(
                    f"expected a new folder or one that packs were merged into, found that of a run: {str(self.path)!r}"
                )
            self._seen = sqlite3.connect("", isolation_level=None)
            self._seen.execute("CREATE TABLE seen (name TEXT PRIMARY KEY) WITHOUT ROWID")
            self._seen.execute("BEGIN")
            if (self.path / parquet.MANIFEST).exists():
                for name in _canonical_ids(self.path) if self._canonical else parquet.ids(self.path):
                    self._note(name)
        except BaseException:
            self._leave(failed=True)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        failed = True
        try:
            if kind is None:
                self._writer.write_part({})
                self._writer.publish({})
                failed = False
        finally:
            self._seen.close()
            self._leave(failed=failed)

    def _leave(self, *, failed: bool) -> None:
        with self._writer:
            if failed:
                self._writer.discard()
                if self._is_new and self.path.is_dir() and not (self.path / parquet.MANIFEST).exists():
                    shutil.rmtree(self.path)


class _Writer(AbstractContextManager["_Writer"]):
    """A folder that one process writes to: its lock, its manifest, and what waits to be written."""

    def __init__(self, path: Path) -> None:
        parquet.pyarrow()
        self.path = path
        self.manifest: dict[str, Any] = {}
        self.waiting = 0
        self._tables: list[Any] = []
        self._unnamed: list[str] = []
        self._lock: BinaryIO | None = None

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def open(self, fresh: Mapping[str, Any]) -> dict[str, Any]:
        """Keep other writers out, read the manifest, or take a fresh one for an empty folder, and return it."""
        with self._errors_explained():
            self.path.mkdir(exist_ok=True)
            if not (self.path / parquet.MANIFEST).exists() and any(not _is_ours(path) for path in self.path.iterdir()):
                raise DatabaseError(f"expected an empty folder, or one of Parquet parts: {str(self.path)!r}")
            self._lock = _locked(self.path)
            manifest = {**fresh, "parts": []}
            if (self.path / parquet.MANIFEST).exists():
                manifest = parquet.read_manifest(self.path)
                for part in manifest["parts"]:
                    try:
                        parquet.check_part(self.path, part)
                    except PartError as error:
                        raise FormatError(f"{self.path}: {error}") from error
            self.manifest = manifest
            names = {part["name"] for part in manifest["parts"]}
            for path in self.path.iterdir():
                if _PART.fullmatch(path.name) and path.name not in names:
                    path.unlink()
        return manifest

    def take(self, table: Any) -> None:
        """Take puzzles, a table of the columns of a part, to be written in one."""
        if len(table):
            self._tables.append(table)
            self.waiting += len(table)

    def write_part(self, told: Mapping[str, Any]) -> None:
        """Write what is waiting as a part that is hidden until it is published, with what else is told of it."""
        if not self._tables:
            return
        parts = self.manifest["parts"]
        name = f"part-{len(parts):06}.parquet"
        with self._errors_explained():
            self._write(name, lambda path: parquet.write_part(self._tables, path))
        parts.append({"name": name, "puzzles": self.waiting, **told})
        self._unnamed.append(name)
        self._tables, self.waiting = [], 0

    def publish(self, told: Mapping[str, Any]) -> None:
        """Give written parts their names, and write the manifest."""
        self.manifest |= told
        with self._errors_explained():
            for name in self._unnamed:
                # An earlier try may have come this far.
                with suppress(FileNotFoundError):
                    self._hidden_path(name).replace(self.path / name)
            self._write(parquet.MANIFEST, self._write_manifest)
            self._hidden_path(parquet.MANIFEST).replace(self.path / parquet.MANIFEST)
            self._unnamed = []

    def discard(self) -> None:
        """Remove the parts that were not published."""
        for name in self._unnamed:
            self._hidden_path(name).unlink(missing_ok=True)
            (self.path / name).unlink(missing_ok=True)

    def _hidden_path(self, name: str) -> Path:
        return self.path / f".{name}.part"

    def _write(self, name: str, write: Callable[[Path], None]) -> None:
        """Write a file under another name, and see that it is on the disk."""
        path = self._hidden_path(name)
        try:
            write(path)
            with path.open("rb") as stream:
                os.fsync(stream.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def _write_manifest(self, path: Path) -> None:
        path.write_text(json.dumps(self.manifest, indent=1), encoding="utf-8")

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # Arrow's own words for it are long.
            why = os.strerror(error.errno) if error.errno else error
            parts = len(self.manifest.get("parts", ())) - len(self._unnamed)
            before = f"the {parts} parts written before are safe" if parts > 0 else "nothing was written before"
            raise DatabaseError(f"{why}; {before}: {str(self.path)!r}") from error


def _is_ours(path: Path) -> bool:
    return path.name in (_LOCK, f".{parquet.MANIFEST}.part") or _PART.fullmatch(path.name) is not None


def _locked(folder: Path) -> BinaryIO:
    """Keep a folder to this process until what this returns is closed, or the process ends."""
    stream = (folder / _LOCK).open("ab")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            # Not `flock`: a worker process that outlives a killed writer would go on holding it.
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        stream.close()
        raise DatabaseError(f"expected a folder that no other process writes to: {str(folder)!r}") from error
    return stream


def _table_of(rows: Iterable[sql.PuzzleRow]) -> Any:
    """Make an Arrow table of rows of the database."""
    return parquet.table_of([tuple(_plain(row[place]) for place in _PLACES) for row in rows])


def _plain(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value


def _canonical_ids(folder: Path) -> Iterator[str]:
    with PuzzleFolder(folder) as parts:
        yield from (puzzle_ids(record.puzzle).canonical_id for record in parts.puzzles())


class PuzzleFolder(AbstractContextManager["PuzzleFolder"]):
    """The puzzles of a folder of parts, to be read as those of a `Store` are: same questions, same answers.

    They are read part by part, so that few are in memory; a random order, or a condition with a question of its own,
    first copies what there is to a temporary file. The run is number 1, if there is one, and a puzzle was stored when
    its part was written. Raises `FormatError` for a folder without a sound manifest, and `PartError` naming a part that
    is missing or damaged.
    """

    def __init__(self, path: str | Path) -> None:
        parquet.pyarrow()
        self.path = Path(path)
        self._manifest = parquet.read_manifest(self.path)
        self._run = None if self._manifest["run"] is None else _RUN

    def __exit__(self, *_: object) -> None:
        """Nothing stays open."""

    def puzzles(
        self,
        *,
        limit: int | None = None,
        shuffle_seed: int | None = None,
        on_bad: Callable[[str, BoardError | FormatError], None] = skip_damaged,
        on_bad_part: Callable[[str, PartError], None] | None = None,
        **filters: Unpack[Filters],
    ) -> Iterator[PuzzleRecord]:
        """Yield the puzzles that fit, as `Store.puzzles` does.

        `on_bad` is told the place of a row that can't be right; `on_bad_part`, if given, the name of a part.
        """
        portions = self._portions(on_bad, on_bad_part)
        found: Iterator[PuzzleRecord] = (record for portion in portions for record in portion)
        if shuffle_seed is not None or any(value is not None for value in filters.values()):
            found = self._fitting(portions, limit, shuffle_seed, filters)
        yield from islice(found, limit)

    def count(self, **filters: Unpack[Filters]) -> int:
        """Count the puzzles that fit."""
        if any(value is not None for value in filters.values()):
            return sum(1 for _ in self.puzzles(**filters))
        return sum(part["puzzles"] for part in self._manifest["parts"])

    def puzzle(self, name: str) -> PuzzleRecord:
        """Return the puzzle whose id is `name` or, if only one does, begins with it, as `Store.puzzle` does."""
        prefix = id_prefix(name)
        found = (
            (part, place)
            for part in self._manifest["parts"]
            for place, row in self._rows(part, ("id",))
            if str(row["id"]).startswith(prefix)
        )
        part, place = the_only(list(islice(found, 2)), name, self.path)
        row = next(row for at, row in self._rows(part) if at == place)
        return self._known(parse_row(row), part)

    def _rows(self, part: Mapping[str, Any], *columns: Sequence[str]) -> Iterator[tuple[str, dict[str, object]]]:
        try:
            yield from parquet.rows_of_part(self.path, part, *columns)
        except PartError as error:
            raise PartError(f"{self.path}: {error}") from error

    def _portions(
        self,
        on_bad: Callable[[str, BoardError | FormatError], None],
        on_bad_part: Callable[[str, PartError], None] | None,
    ) -> Iterator[list[PuzzleRecord]]:
        """Read all the puzzles, some at a time, with their measures."""
        for part in self._manifest["parts"]:
            try:
                rows = self._rows(part)
                while portion := list(islice(rows, _AT_A_TIME)):
                    records = list(_parsed(portion, on_bad))
                    measured = measure_all([record.puzzle for record in records])
                    yield [self._known(record, part, found) for record, found in zip(records, measured, strict=True)]
            except PartError as error:
                if on_bad_part is None:
                    raise
                on_bad_part(part["name"], error)

    def _known(self, record: PuzzleRecord, part: Mapping[str, Any], measured: Measures | None = None) -> PuzzleRecord:
        """Add what a database knows of a puzzle besides."""
        return replace(record, run=self._run, created=self._when(part["name"]), measured=measured)

    def _when(self, name: str) -> str:
        written = (self.path / name).stat().st_mtime
        return datetime.fromtimestamp(written, UTC).strftime("%Y-%m-%d %H:%M:%S")

    def _fitting(
        self,
        portions: Iterator[list[PuzzleRecord]],
        limit: int | None,
        shuffle_seed: int | None,
        filters: Filters,
    ) -> Iterator[PuzzleRecord]:
        """Have SQLite say which puzzles fit, in a table as the database's: so that conditions mean the same."""
        condition, values = condition_of(filters)
        query = f"{sql.READ_PUZZLES} WHERE {condition} ORDER BY "
        with translate_sqlite_errors(repr(str(self.path)), filters.get("where")):
            asks = _selects(query + "rowid", values)
            if shuffle_seed is None and asks == 1:
                with _table(":memory:") as table:
                    yield from self._portion_by_portion(portions, table, query + "rowid", values)
                return
            with _table("") as table:
                for _ in self._portion_by_portion(portions, table, None, []):
                    pass
                if shuffle_seed is not None:
                    table.create_function("shuffled", 1, shuffler(shuffle_seed), deterministic=True)
                    query += "shuffled(id) LIMIT ?"
                else:
                    query += "rowid LIMIT ?"
                for row in table.execute(query, (*values, -1 if limit is None else limit)):
                    yield sql.puzzle_record(row)

    def _portion_by_portion(
        self, portions: Iterator[list[PuzzleRecord]], table: sqlite3.Connection, query: str | None, values: list[object]
    ) -> Iterator[PuzzleRecord]:
        """Put portion after portion into the table; with a query, ask it of each, and take that out again."""
        number = 0
        for portion in portions:
            rows = sql.puzzle_rows(portion, self._run)
            numbered = enumerate(zip(portion, rows, strict=True), number + 1)
            table.executemany(sql.COPY_PUZZLE, [(at, record.created, *row) for at, (record, row) in numbered])
            number += len(portion)
            if query is not None:
                yield from map(sql.puzzle_record, table.execute(query, values).fetchall())
                table.execute("DELETE FROM puzzles")


def _parsed(
    rows: list[tuple[str, dict[str, object]]], on_bad: Callable[[str, BoardError | FormatError], None]
) -> Iterator[PuzzleRecord]:
    for place, row in rows:
        try:
            yield parse_row(row)
        except (BoardError, FormatError) as error:
            on_bad(place, error)


@contextmanager
def _table(name: str) -> Iterator[sqlite3.Connection]:
    """Make an empty table of puzzles as in a new database: in memory, or without a name in a temporary file."""
    connection = sqlite3.connect(name, isolation_level=None)
    try:
        connection.execute("BEGIN")
        schema.migrate(connection)
        yield connection
    finally:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        connection.close()


def _selects(query: str, values: list[object]) -> int:
    """Count the questions in a query; one that has more than one can't be answered row by row."""
    count = 0

    def note(action: int, *_: object) -> int:
        nonlocal count
        count += action == sqlite3.SQLITE_SELECT
        return sqlite3.SQLITE_OK

    with _table(":memory:") as table:
        table.set_authorizer(note)
        table.execute(query, values)
        table.set_authorizer(None)
    return count


def open_puzzles(path: str | Path) -> Store | PuzzleFolder:
    """Open a database, or a folder of Parquet parts, to read its puzzles."""
    return PuzzleFolder(path) if Path(path).is_dir() else Store(path, create=False)
