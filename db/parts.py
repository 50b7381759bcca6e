"""A run as a folder of Parquet parts: for more puzzles than one file should hold, and for data tools to read at once.

The columns are those of `db.formats.parquet`. A part appears whole or not at all, and counts once ``manifest.json``
names it: which run this is, how far it has come, and its parts. One that it does not name, because the run was killed
in between, is written again under the same name.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Self

from minesweeper.db import sql
from minesweeper.db.file import DatabaseError
from minesweeper.db.formats import parquet
from minesweeper.db.formats.columns import EXPORTED
from minesweeper.db.records import Run, RunKey

_ROWS_OF_A_PART: Final = 250_000
_SECONDS_OF_A_PART: Final = 30.0
# Among so many puzzles, e**80, the same one is never drawn twice.
_LOG_OF_ENOUGH: Final = 80.0
_COLUMNS: Final = [(fact, sql.place_of(fact.name)) for fact in EXPORTED]
_ID: Final = sql.place_of("id")


class PartsFolder:
    """A folder that takes the puzzles of one run, in a ``with`` statement; whatever ends it, all of them are written.

    Takes finished rows as `db.store.Store` does. A missing folder is made. Raises `DatabaseError` for a folder of
    another run or without a sound manifest, or that can't be written to; `FormatError` without pyarrow.
    """

    def __init__(self, path: str | Path) -> None:
        parquet.pyarrow()
        self.path = Path(path)
        self._waiting: list[sql.PuzzleRow] = []
        self._manifest: dict[str, Any] = {}
        self._seen: set[str] | None = None
        self._run = Run(1, 0, 0, 0, 0.0)
        self._written = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._manifest:
            self.flush()

    def begin_run(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start the run of this folder, or go on with it."""
        ours = sql.run_key_row(key)
        manifest_path = self.path / parquet.MANIFEST
        try:
            self.path.mkdir(exist_ok=True)
            if manifest_path.exists():
                manifest = parquet.read_manifest(self.path)
            elif any(self.path.iterdir()):
                raise DatabaseError(f"expected an empty folder, or one of a run: {str(self.path)!r}")
            else:
                manifest = {"run": ours, "progress": asdict(self._run), "parts": []}
        except OSError as error:
            raise DatabaseError(
                f"expected a folder that can be written to ({error.strerror}): {str(self.path)!r}"
            ) from error
        if manifest["run"] != json.loads(json.dumps(ours)):
            raise DatabaseError(f"expected a folder of this run, found one of another: {str(self.path)!r}")
        self._manifest = manifest | {
            "arguments": json.loads(json.dumps(dict(arguments), default=str)),
            "engine": engine,
        }
        self._run = Run(**self._manifest["progress"])
        if key.recipe.log_puzzles() < _LOG_OF_ENOUGH:
            self._seen = set(parquet.ids(self.path))
        return self._run

    def add_rows(
        self, run_id: int, rows: Sequence[sql.PuzzleRow], *, next_index: int, candidates: int, seconds: float
    ) -> Run:
        """Take puzzles, to be written soon, and return how far the run is with them."""
        if self._seen is not None:
            seen = self._seen
            # A set's `add` returns nothing, so this notes an id and keeps its first row.
            rows = [row for row in rows if row[_ID] not in seen and not seen.add(str(row[_ID]))]  # type: ignore[func-returns-value]
        self._waiting += rows
        self._run = Run(run_id, next_index, candidates, self._run.kept + len(rows), seconds)
        if len(self._waiting) >= _ROWS_OF_A_PART or time.monotonic() - self._written >= _SECONDS_OF_A_PART:
            self.flush()
        return self._run

    def flush(self) -> None:
        """Write what is waiting as a part, and the manifest."""
        parts = self._manifest["parts"]
        try:
            if self._waiting:
                name = f"part-{len(parts):06}.parquet"
                self._replace(name, self._write_part)
                parts.append({"name": name, "puzzles": len(self._waiting), "next_index": self._run.next_index})
                self._waiting = []
            self._manifest["progress"] = asdict(self._run)
            self._replace(parquet.MANIFEST, self._write_manifest)
        except OSError as error:
            # Arrow's own words for it are long.
            reason = os.strerror(error.errno) if error.errno else error
            before = f"the {len(parts)} parts written before are safe" if parts else "nothing was written before"
            raise DatabaseError(f"{reason}; {before}: {str(self.path)!r}") from error
        self._written = time.monotonic()

    def _replace(self, name: str, write: Callable[[Path], None]) -> None:
        """Write a file under another name, and give it its own once it is on the disk."""
        part = self.path / f".{name}.part"
        try:
            write(part)
            with part.open("rb") as stream:
                os.fsync(stream.fileno())
            part.replace(self.path / name)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _write_part(self, path: Path) -> None:
        columns = list(zip(*self._waiting, strict=True))
        parquet.write_columns([[_plain(value) for value in columns[place]] for _, place in _COLUMNS], path)

    def _write_manifest(self, path: Path) -> None:
        path.write_text(json.dumps(self._manifest, indent=1), encoding="utf-8")


def _plain(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value
