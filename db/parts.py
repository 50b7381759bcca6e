"""A folder of Parquet parts, for more puzzles than one file should hold, and for data tools.

The columns are those of `db.formats.parquet`. ``_manifest.json`` names the run, its progress and its parts. A part
appears as a whole and counts once the manifest names it. A folder of merged packs belongs to no run. Parts that a
killed writer left behind are deleted by the next one, and a lock keeps a second writer out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, Unpack

from minesweeper.db import sql
from minesweeper.db.columns import PUZZLE_COLUMNS, WRITTEN, Columns, puzzle_rows
from minesweeper.db.file import create_tables, translate_sqlite_errors
from minesweeper.db.formats import parquet
from minesweeper.db.formats.rows import parse_row
from minesweeper.db.records import PuzzleRecord, Run, RunKey
from minesweeper.db.store import FILTER_COLUMNS, Filters, Store, id_prefix, only_match, select, skip_damaged
from minesweeper.db.tables import Table, rows_to_store
from minesweeper.player.core.errors import BoardError, DatabaseError, FormatError
from minesweeper.player.logic.metrics import ids_of_many, measure_all
from minesweeper.player.logic.paper import Generosity

ROWS_PER_PART: Final = 250_000
SECONDS_PER_PART: Final = 30.0
_BATCH: Final = 1000
_READ: Final = {column.name: column.read for column in PUZZLE_COLUMNS}
_RUN: Final = 1
_PART: Final = re.compile(r"part-\d{6,}\.parquet|\.part-\d{6,}\.parquet\.part")
_LOCK: Final = ".lock"

OnBad = Callable[[str, BoardError | FormatError], None]


class _Writer(AbstractContextManager[Any]):
    """The only writer of a folder: its lock, its manifest and its buffer.

    Raise `DatabaseError` for a folder that is not writable, or that belongs to another writer or another run;
    `FormatError` without pyarrow, or for an invalid manifest or part.
    """

    def __init__(self, path: str | Path, rows_per_part: int) -> None:
        parquet.pyarrow()
        self.path = Path(path)
        self._rows_per_part = rows_per_part
        self._manifest: dict[str, Any] = {}
        self._tables: list[Any] = []
        self._unpublished: list[str] = []
        self._lock: BinaryIO | None = None
        self._seen: set[str] | None = None

    def _open(self, new: Mapping[str, Any]) -> dict[str, Any]:
        """Lock the folder, delete unpublished parts, and return the manifest, a `new` one for an empty folder."""
        if self.path.is_file():
            raise DatabaseError(f"this is a file; expected a folder for Parquet files: {str(self.path)!r}")
        with self._translate_errors():
            self.path.mkdir(exist_ok=True)
            exists = (self.path / parquet.MANIFEST).exists()
            if not exists and not all(map(_is_ours, self.path.iterdir())):
                raise DatabaseError(f"the folder has other files; expected an empty or new one: {str(self.path)!r}")
            self._lock = self._lock or _locked(self.path)  # closing a second file would release the lock
            self._manifest = parquet.read_manifest(self.path) if exists else {**new, "parts": []}
            published = {part["name"] for part in self._manifest["parts"]}
            for part in self._manifest["parts"]:
                parquet.check_part(self.path, part)
            for path in self.path.iterdir():
                if _PART.fullmatch(path.name) and path.name not in published:
                    path.unlink()
        return self._manifest

    def _close(self) -> None:
        """Release the lock, if any."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _is_unseen(self, name: str) -> bool:
        """Add an id to those seen, and return True if it is new."""
        assert self._seen is not None
        is_new = name not in self._seen
        self._seen.add(name)
        return is_new

    @property
    def _buffered(self) -> int:
        return sum(map(len, self._tables))

    def _write_part(self, properties: Mapping[str, Any]) -> None:
        """Write the buffered rows as a part with `properties` in the manifest, hidden until it is published."""
        if not self._buffered:
            return
        parts = self._manifest["parts"]
        name = f"part-{len(parts):06}.parquet"
        table = parquet.pyarrow()[0].concat_tables(self._tables)
        with self._translate_errors():
            self._write(name, lambda path: parquet.write([table], path))
        parts.append({"name": name, "puzzles": self._buffered, **properties})
        self._unpublished.append(name)
        self._tables = []

    def _publish(self, properties: Mapping[str, Any]) -> None:
        """Rename the hidden parts, and write the manifest with new `properties`."""
        self._manifest |= properties
        with self._translate_errors():
            for name in self._unpublished:
                # A failed earlier attempt may have renamed it.
                with suppress(FileNotFoundError):
                    self._hidden_path(name).replace(self.path / name)
            text = json.dumps(self._manifest, indent=1)
            self._write(parquet.MANIFEST, lambda path: path.write_text(text, encoding="utf-8"))
            self._hidden_path(parquet.MANIFEST).replace(self.path / parquet.MANIFEST)
            self._unpublished = []

    def _hidden_path(self, name: str) -> Path:
        return self.path / f".{name}.part"

    def _write(self, name: str, write: Callable[[Path], object]) -> None:
        """Write a hidden file and flush it to the disk."""
        path = self._hidden_path(name)
        try:
            write(path)
            with path.open("rb") as stream:
                os.fsync(stream.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            # Arrow's own message is long.
            cause = os.strerror(error.errno) if error.errno else error
            parts = len(self._manifest.get("parts", ())) - len(self._unpublished)
            safe = f"the {parts} parts written before are safe" if parts > 0 else "nothing was written before"
            raise DatabaseError(f"{cause}; {safe}: {str(self.path)!r}") from error


class PartsFolder(_Writer):
    """A folder for the puzzles of one run, in a ``with`` statement whose end writes all of them.

    A destination of `generate`, like `db.store.Store`. A missing folder is created.
    """

    def __init__(self, path: str | Path, *, rows_per_part: int = ROWS_PER_PART) -> None:
        super().__init__(path, rows_per_part)
        self._run = Run(_RUN, 0, 0, 0, 0.0)
        self._written = time.monotonic()
        self._begun = False

    def __exit__(self, *_: object) -> None:
        try:
            if self._begun:
                self.flush()
        finally:
            self._close()

    @property
    def runs(self) -> Self:
        """The folder itself, which has one run."""
        return self

    def begin(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start the run of this folder, or resume it."""
        run = json.loads(json.dumps(sql.run_key_row(key)))
        manifest = self._open({"run": run, "progress": asdict(self._run)})
        if manifest["run"] != run:
            raise DatabaseError(f"the folder belongs to another run; name a new folder: {str(self.path)!r}")
        self._run = Run(**manifest["progress"])
        self._publish({"arguments": json.loads(json.dumps(dict(arguments), default=str)), "engine": engine})
        self._begun = True
        if key.recipe.may_repeat:
            self._seen = set(parquet.ids(self.path))
        return self._run

    @staticmethod
    def prepare(columns: Columns) -> bytes:
        """Return the columns of new puzzles, in the process that found them, for `join`: in a tenth of their memory."""
        return parquet.table_to_bytes(_table_of(columns))

    @staticmethod
    def join(prepared: Iterable[bytes]) -> Any:
        """Return several results of `prepare` as one Arrow table for `add_rows`."""
        arrow, _ = parquet.pyarrow()
        return arrow.concat_tables(arrow.ipc.open_stream(table).read_all() for table in prepared)

    def add_rows(self, run_id: int, rows: Any, *, next_index: int, candidates: int, seconds: float) -> Run:
        """Buffer rows of `join`, and return the new progress of the run."""
        if self._seen is not None:
            arrow, _ = parquet.pyarrow()
            rows = rows.filter(arrow.array(map(self._is_unseen, rows["id"].to_pylist()), arrow.bool_()))
        self._tables.append(rows)
        self._run = Run(run_id, next_index, candidates, self._run.kept + len(rows), seconds)
        if self._buffered >= self._rows_per_part or time.monotonic() - self._written >= SECONDS_PER_PART:
            self.flush()
        return self._run

    def flush(self) -> None:
        """Write the buffered rows as a part, and the manifest."""
        self._write_part({"next_index": self._run.next_index})
        self._publish({"progress": asdict(self._run)})
        self._written = time.monotonic()


class PartsImport(_Writer):
    """Import of many puzzles into a folder of no run, in a ``with`` statement, like `db.store.Import`.

    Its end publishes the new parts. If it raises, they are deleted, and so is a new folder. The ids of all puzzles are
    in memory.
    """

    def __init__(self, path: str | Path, *, canonical: bool = False) -> None:
        super().__init__(path, ROWS_PER_PART)
        self._canonical = canonical
        self._is_new = not self.path.exists()
        self.added = 0
        self.duplicates = 0

    def add(self, found: Iterable[PuzzleRecord] | Table) -> None:
        """Buffer puzzles, without duplicates."""
        rows = rows_to_store(found)
        key = WRITTEN.index("canonical_id" if self._canonical else "id")
        new = [row for row in rows if self._is_unseen(row[key])]
        if new:
            self._tables.append(_table_of(list(zip(*new, strict=True))))
        self.added += len(new)
        self.duplicates += len(rows) - len(new)
        if self._buffered >= self._rows_per_part:
            self._write_part({})

    def __enter__(self) -> Self:
        try:
            if self._open({"run": None, "progress": None})["run"] is not None:
                raise DatabaseError(f"the folder belongs to a run; name a new one to merge into: {str(self.path)!r}")
            exists = (self.path / parquet.MANIFEST).exists()
            ids = _canonical_ids if self._canonical else parquet.ids
            self._seen = set(ids(self.path)) if exists else set()
        except BaseException:
            self._discard()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._write_part({})
                self._publish({})
        finally:
            self._discard()

    def _discard(self) -> None:
        """Delete the parts that were not published and release the lock; delete a folder without parts if it is new."""
        for name in self._unpublished:
            self._hidden_path(name).unlink(missing_ok=True)
            (self.path / name).unlink(missing_ok=True)
        if self._is_new and self.path.is_dir() and not (self.path / parquet.MANIFEST).exists():
            shutil.rmtree(self.path)
        self._close()


def _table_of(columns: Columns) -> Any:
    """Return the columns `WRITTEN` as an Arrow table of the exported ones."""
    return parquet.arrow_table(dict(zip(WRITTEN, columns, strict=False)))


def _is_ours(path: Path) -> bool:
    return path.name in (_LOCK, f".{parquet.MANIFEST}.part") or _PART.fullmatch(path.name) is not None


def _locked(folder: Path) -> BinaryIO:
    """Lock a folder until the returned file is closed or the process ends."""
    stream = (folder / _LOCK).open("ab")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            # A worker process that outlives a killed writer would still hold a lock of `flock`.
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        stream.close()
        raise DatabaseError(f"another process writes to this folder: {str(folder)!r}") from error
    return stream


def _canonical_ids(folder: Path) -> Iterator[str]:
    with PuzzleFolder(folder) as parts:
        records = parts.puzzles()
        while batch := [record.puzzle for record in islice(records, _BATCH)]:
            yield from (ids.canonical_id for ids in ids_of_many(batch))


class PuzzleFolder(AbstractContextManager["PuzzleFolder"]):
    """The puzzles of a folder of parts, read like those of a `Store`.

    Few puzzles are in memory at a time; a random order or an SQL condition copies all of them to a temporary file. The
    run has the number 1, and a puzzle was stored when its part was written. Raise `FormatError` for an invalid
    manifest or part.
    """

    def __init__(self, path: str | Path) -> None:
        parquet.pyarrow()
        self.path = Path(path)
        self._manifest = parquet.read_manifest(self.path)
        self._run = None if self._manifest["run"] is None else _RUN

    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    def puzzles(
        self,
        *,
        limit: int | None = None,
        shuffle_seed: int | None = None,
        sort: Sequence[str] = (),
        on_bad: OnBad = skip_damaged,
        on_bad_part: OnBad | None = None,
        **filters: Unpack[Filters],
    ) -> Generator[PuzzleRecord, None, None]:
        """Yield the puzzles that match the filters, like `Store.puzzles`.

        `on_bad` gets the place of an invalid row, and `on_bad_part`, if given, the name of an invalid part.
        """
        is_filtered = bool(sort) or any(value is not None for value in (shuffle_seed, *filters.values()))
        clues = filters.pop("clues", None)
        size = _BATCH if limit is None or is_filtered else max(1, min(limit, _BATCH))
        batches = self._batches(on_bad, on_bad_part, size, clues)
        if shuffle_seed is not None or sort or filters.get("where") is not None:
            found = self._select(batches, limit, shuffle_seed, sort, filters | Filters(clues=clues))
        else:
            expected = [(FILTER_COLUMNS.get(name, name), value) for name, value in filters.items() if value is not None]
            found = (
                record
                for batch in batches
                for record in batch
                if all(_READ[name](record) == value for name, value in expected)
            )
        yield from islice(found, limit)

    def count(self, **filters: Unpack[Filters]) -> int:
        """Return the number of puzzles that match."""
        if any(value is not None for value in filters.values()):
            return sum(1 for _ in self.puzzles(**filters))
        return sum(part["puzzles"] for part in self._manifest["parts"])

    def puzzle(self, name: str) -> PuzzleRecord:
        """Return the only puzzle whose id begins with `name`, like `Store.puzzle`."""
        prefix = id_prefix(name)
        found = (
            (part, place)
            for part in self._manifest["parts"]
            for place, row in self._rows(part, ("id",))
            if str(row["id"]).startswith(prefix)
        )
        part, place = only_match(list(islice(found, 2)), name, self.path)
        row = next(row for at, row in self._rows(part) if at == place)
        return self._completed(parse_row(row), part)

    def _rows(self, part: Mapping[str, Any], *columns: Sequence[str]) -> Iterator[tuple[str, dict[str, object]]]:
        try:
            for place, row in parquet.rows_of_part(self.path, part, *columns):
                yield place, dict(zip(*row, strict=True))
        except FormatError as error:
            raise FormatError(f"{self.path}: {error}") from error

    def _batches(
        self, on_bad: OnBad, on_bad_part: OnBad | None, size: int, clues: Generosity | None
    ) -> Iterator[list[PuzzleRecord]]:
        """Yield all puzzles in batches of `size` rows, with their measures."""
        for part in self._manifest["parts"]:
            try:
                rows = self._rows(part)
                while batch := list(islice(rows, size)):
                    records = list(_parsed(batch, on_bad))
                    measured = measure_all([record.puzzle for record in records])
                    pairs = zip(records, measured, strict=True)
                    yield [
                        self._completed(one, part, measured=values, clues=clues or "minimal") for one, values in pairs
                    ]
            except FormatError as error:
                if on_bad_part is None:
                    raise
                on_bad_part(part["name"], error)

    def _completed(self, record: PuzzleRecord, part: Mapping[str, Any], **fields: Any) -> PuzzleRecord:
        """Return a record with these fields and those that a database adds."""
        written = datetime.fromtimestamp((self.path / part["name"]).stat().st_mtime, UTC)
        created = written.strftime("%Y-%m-%d %H:%M:%S")
        return replace(record, run=self._run, created=created, **fields)

    def _select(
        self,
        batches: Iterator[list[PuzzleRecord]],
        limit: int | None,
        shuffle_seed: int | None,
        sort: Sequence[str],
        filters: Filters,
    ) -> Iterator[PuzzleRecord]:
        """Copy the puzzles to a table like that of a database, and query it."""
        # A database without a name is a temporary file.
        with (
            translate_sqlite_errors(repr(str(self.path)), filters.get("where")),
            closing(sqlite3.connect("", isolation_level=None)) as table,
        ):
            table.execute("BEGIN")
            create_tables(table)
            # An invalid condition fails before the copy.
            select(table, limit, shuffle_seed, sort, filters).close()
            for batch in batches:
                rows = zip(batch, puzzle_rows(batch, self._run), strict=True)
                table.executemany(sql.COPY_PUZZLE, [(record.created, *row) for record, row in rows])
            for row in select(table, limit, shuffle_seed, sort, filters):
                yield sql.puzzle_record(row, filters.get("clues"))


def _parsed(rows: list[tuple[str, dict[str, object]]], on_bad: OnBad) -> Iterator[PuzzleRecord]:
    for place, row in rows:
        try:
            yield parse_row(row)
        except (BoardError, FormatError) as error:
            on_bad(place, error)


def open_puzzles(path: str | Path) -> Store | PuzzleFolder:
    """Open a database or a folder of Parquet parts to read its puzzles."""
    return PuzzleFolder(path) if Path(path).is_dir() else Store(path, create=False)
