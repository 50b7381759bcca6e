"""Parquet: the columns of `db.formats.rows`, for data tools. Needs pyarrow, the extra ``parquet``.

A pack is one file, or a folder of parts with a manifest that names them, which `db.parts` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from minesweeper.db.formats.format import FormatError, Reader, echo
from minesweeper.db.formats.rows import COLUMNS, EXPORTED, parse_row, row_of
from minesweeper.db.records import PuzzleRecord

MANIFEST: Final = "manifest.json"
_AT_A_TIME: Final = 1000
_ROWS_OF_A_GROUP: Final = 10_000
_LARGEST_GROUP: Final = 2**30
_Row = dict[str, object]


def write_file(records: Iterable[PuzzleRecord], path: Path) -> int:
    """Write a row for each puzzle, and return how many. Raises `FormatError` without pyarrow."""
    arrow, files = pyarrow()
    schema = _schema(arrow)
    records, count = iter(records), 0
    # Not by its name, which Arrow takes for UTF-8 in any locale; nor are files read by theirs.
    with path.open("wb") as stream, files.ParquetWriter(stream, schema, compression="zstd") as writer:
        while rows := [row_of(record) for record in islice(records, _ROWS_OF_A_GROUP)]:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def table_of(rows: Sequence[Sequence[object]]) -> Any:
    """Make an Arrow table of rows, each the values of the columns, which takes a tenth of their memory."""
    arrow, _ = pyarrow()
    schema = _schema(arrow)
    columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return arrow.Table.from_arrays(arrays, schema=schema)


def write_part(tables: list[Any], path: Path) -> None:
    """Write such tables as a part, in groups of rows that are read one at a time."""
    arrow, files = pyarrow()
    with path.open("wb") as stream:
        files.write_table(arrow.concat_tables(tables), stream, compression="zstd", row_group_size=_ROWS_OF_A_GROUP)


def _schema(arrow: Any) -> Any:
    types = [arrow.int64() if fact.type is int else arrow.string() for fact in EXPORTED]
    return arrow.schema(
        [
            arrow.field(fact.key, kind, metadata={"description": fact.meaning})
            for fact, kind in zip(EXPORTED, types, strict=True)
        ]
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read what a folder of parts says about itself; raises `FormatError` if that can't be."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names = [part["name"] for part in manifest["parts"] if part["puzzles"] >= 0]
        if not all(isinstance(name, str) and name == Path(name).name for name in names):
            raise KeyError("parts")
        if not {"run", "progress"} <= manifest.keys():
            raise KeyError("run")
    except FileNotFoundError:
        raise FormatError(f"expected a folder of Parquet parts, found no {MANIFEST}: {echo(str(folder))}") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise FormatError(f"expected a sound {MANIFEST} in the folder {echo(str(folder))}") from None
    return dict(manifest)


def read_folder(folder: Path) -> Reader[_Row]:
    """Find the puzzles of all parts that the manifest names, one part after the other.

    For a part that is missing or damaged it raises `PartError`, and goes on with the next one if it is asked again.
    """
    return Reader(_RowsOfParts(folder, read_manifest(folder)["parts"]), parse_row)


class PartError(FormatError):
    """A part that the manifest names and that is missing, damaged, or not the one it was."""


class _RowsOfParts(Iterator[tuple[str, _Row]]):
    def __init__(self, folder: Path, parts: list[dict[str, Any]]) -> None:
        self._folder = folder
        self._parts = iter(parts)
        self._rows: Iterator[tuple[str, _Row]] = iter(())

    def __next__(self) -> tuple[str, _Row]:
        while True:
            try:
                return next(self._rows)
            except StopIteration:
                # What follows a part that was not sound is the next one, too: its generator has ended.
                self._rows = rows_of_part(self._folder, next(self._parts))


def rows_of_part(folder: Path, part: Mapping[str, Any], columns: Sequence[str] = COLUMNS) -> Iterator[tuple[str, _Row]]:
    """Yield the rows of a part, each with its place. Raises `PartError` unless it is as the manifest says."""
    name = part["name"]
    check_part(folder, part)
    try:
        for place, row in _rows(folder / name, columns):
            yield f"{name}, {place}", row
    except FormatError as error:
        raise PartError(f"{name}: {error}") from error


def check_part(folder: Path, part: Mapping[str, Any]) -> None:
    """Raise `PartError` for a part that is missing or cut short, or that has not as many puzzles as it should."""
    arrow, files = pyarrow()
    name, path = part["name"], folder / part["name"]
    if not path.is_file():
        raise PartError(f"{name}: expected a part that the {MANIFEST} names, found none")
    try:
        with path.open("rb") as stream:
            found = files.read_metadata(stream).num_rows
    except (arrow.ArrowException, OSError) as error:
        raise PartError(f"{name}: {_unsound(error)}") from error
    if found != part["puzzles"]:
        raise PartError(f"{name}: expected {part['puzzles']} puzzles, as the {MANIFEST} says, found {found}")


def ids(folder: Path) -> Iterator[str]:
    """Yield the ids of the puzzles in a folder of parts. Raises `PartError`."""
    for part in read_manifest(folder)["parts"]:
        for _, row in rows_of_part(folder, part, ("id",)):
            yield str(row["id"])


def read_file(path: Path) -> Reader[_Row]:
    """Find the puzzle of each row; raises `FormatError` naming the row at fault, or without pyarrow."""
    return Reader(_rows(path), parse_row)


def _rows(path: Path, wanted: Sequence[str] = COLUMNS) -> Iterator[tuple[str, _Row]]:
    arrow, files = pyarrow()
    number = 0
    try:
        limits = {"thrift_string_size_limit": 2**24, "thrift_container_size_limit": 2**20}
        with path.open("rb") as stream, files.ParquetFile(stream, **limits) as file:
            _check(file)
            columns = [column for column in wanted if column in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=_AT_A_TIME, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError(_unsound(error)) from error


def _unsound(error: Exception) -> str:
    return f"expected a sound Parquet file: {echo(' '.join(str(error).split()))}"


def _check(file: Any) -> None:
    missing = [column for column in ("rows", "cols", "board") if column not in file.schema_arrow.names]
    if missing:
        raise FormatError(f"expected a column named {missing[0]}: {echo(', '.join(file.schema_arrow.names))}")
    metadata = file.metadata
    largest = max((metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)), default=0)
    if largest > _LARGEST_GROUP:
        raise FormatError(f"expected row groups of at most {_LARGEST_GROUP >> 20} MiB: {largest >> 20} MiB")


def pyarrow() -> tuple[ModuleType, ModuleType]:
    """Import pyarrow; raises `FormatError` saying how to install it."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise FormatError("expected pyarrow for Parquet files: pip install 'minesweeper-toolkit[parquet]'") from None
    return pyarrow, parquet


def looks_like(head: bytes) -> bool:
    """Whether this begins as every Parquet file does."""
    return head.startswith(b"PAR1")
