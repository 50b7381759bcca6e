"""Parquet files with the columns of `db.formats.rows`, for data tools. Needs pyarrow, the extra ``parquet``.

A pack is one file, or a folder of parts with a manifest, see `db.parts`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from minesweeper.db.formats.format import FormatError, Reader, quote
from minesweeper.db.formats.rows import COLUMNS, EXPORTED, parse_row, row_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.why.path import solution_paths
from minesweeper.player.words import counted

MANIFEST: Final = "manifest.json"
_BATCH: Final = 1000
_ROWS_PER_GROUP: Final = 10_000
_MAX_GROUP_BYTES: Final = 2**30
_Row = dict[str, object]


def write_file(records: Iterable[PuzzleRecord], path: Path, *, steps: bool = False) -> int:
    """Write a row for each puzzle, and return their number. Raise `FormatError` without pyarrow.

    With `steps`, the nested column ``path`` has the solution path: a list of steps with the keys of its JSON.
    """
    arrow, files = pyarrow()
    schema = _schema(arrow)
    if steps:
        cells = arrow.list_(arrow.list_(arrow.int32(), 2))
        kinds = {"tier": arrow.int8(), "safe": cells, "mines": cells, "clues": cells}
        step = arrow.struct([*kinds.items(), ("count", arrow.bool_()), ("smallest", arrow.bool_())])
        schema = schema.append(arrow.field("path", arrow.list_(step), metadata={"description": "solution path"}))
    records, count = iter(records), 0
    # Arrow would encode a file name as UTF-8 in every locale.
    with path.open("wb") as stream, files.ParquetWriter(stream, schema, compression="zstd") as writer:
        while portion := list(islice(records, _ROWS_PER_GROUP)):
            rows = [row_of(record) for record in portion]
            if steps:
                for row, found in zip(rows, solution_paths([record.puzzle for record in portion]), strict=True):
                    row["path"] = [step.to_json() for step in found.steps]
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def table_of(rows: Sequence[Sequence[object]]) -> Any:
    """Return rows of the columns as an Arrow table, which takes a tenth of their memory."""
    arrow, _ = pyarrow()
    schema = _schema(arrow)
    columns = zip(*rows, strict=True)
    arrays = [arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return arrow.Table.from_arrays(arrays, schema=schema)


def write_part(tables: list[Any], path: Path) -> None:
    """Write Arrow tables as one part."""
    arrow, files = pyarrow()
    with path.open("wb") as stream:
        files.write_table(arrow.concat_tables(tables), stream, compression="zstd", row_group_size=_ROWS_PER_GROUP)


def _schema(arrow: Any) -> Any:
    types: dict[type, Any] = {int: arrow.int64()}
    return arrow.schema(
        [
            arrow.field(column.key, types.get(column.type, arrow.string()), metadata={"description": column.meaning})
            for column in EXPORTED
        ]
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a folder of parts. Raise `FormatError` for a missing or invalid one."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names = [part["name"] for part in manifest["parts"] if part["puzzles"] >= 0]
        if not all(isinstance(name, str) and name == Path(name).name for name in names):
            raise KeyError("parts")
        if not {"run", "progress"} <= manifest.keys():
            raise KeyError("run")
    except FileNotFoundError:
        raise FormatError(f"not a folder of Parquet parts, no {MANIFEST}: {quote(str(folder))}") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise FormatError(f"invalid {MANIFEST} in the folder {quote(str(folder))}") from None
    return dict(manifest)


def read_folder(folder: Path) -> Reader[_Row]:
    """Read the puzzles of all parts in the manifest.

    The reader raises `PartError` for a missing or damaged part and then continues with the next one.
    """
    # A chain goes on with the next part after an error.
    return Reader(chain.from_iterable(map(partial(rows_of_part, folder), read_manifest(folder)["parts"])), parse_row)


class PartError(FormatError):
    """A part of the manifest that is missing, damaged or replaced."""


def rows_of_part(folder: Path, part: Mapping[str, Any], columns: Sequence[str] = COLUMNS) -> Iterator[tuple[str, _Row]]:
    """Yield the rows of a part, each with its place. Raise `PartError` unless it matches the manifest."""
    name = part["name"]
    check_part(folder, part)
    try:
        for place, row in _rows(folder / name, columns):
            yield f"{name}, {place}", row
    except FormatError as error:
        raise PartError(f"{name}: {error}") from error


def check_part(folder: Path, part: Mapping[str, Any]) -> None:
    """Raise `PartError` for a part that is missing, truncated, or of another length than in the manifest."""
    arrow, files = pyarrow()
    name, path = part["name"], folder / part["name"]
    if not path.is_file():
        raise PartError(f"{name}: this part of the {MANIFEST} is missing")
    try:
        with path.open("rb") as stream:
            found = files.read_metadata(stream).num_rows
    except (arrow.ArrowException, OSError) as error:
        raise PartError(f"{name}: {_damaged(error)}") from error
    if found != part["puzzles"]:
        raise PartError(f"{name}: {counted(found, 'puzzle')}; expected {part['puzzles']}, as in the {MANIFEST}")


def ids(folder: Path) -> Iterator[str]:
    """Yield the ids of the puzzles in a folder of parts. Raise `PartError` for an invalid part."""
    for part in read_manifest(folder)["parts"]:
        for _, row in rows_of_part(folder, part, ("id",)):
            yield str(row["id"])


def read_file(path: Path) -> Reader[_Row]:
    """Read the puzzle of each row. Raise `FormatError` without pyarrow."""
    return Reader(_rows(path), parse_row)


def _rows(path: Path, names: Sequence[str] = COLUMNS) -> Iterator[tuple[str, _Row]]:
    arrow, files = pyarrow()
    number = 0
    try:
        limits = {"thrift_string_size_limit": 2**24, "thrift_container_size_limit": 2**20}
        with path.open("rb") as stream, files.ParquetFile(stream, **limits) as file:
            _check(file)
            columns = [column for column in names if column in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError(_damaged(error)) from error


def _damaged(error: Exception) -> str:
    return f"damaged Parquet file: {quote(' '.join(str(error).split()))}"


def _check(file: Any) -> None:
    missing = [column for column in ("rows", "cols", "board") if column not in file.schema_arrow.names]
    if missing:
        raise FormatError(f"the column {missing[0]} is missing; columns: {quote(', '.join(file.schema_arrow.names))}")
    metadata = file.metadata
    largest = max((metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)), default=0)
    if largest > _MAX_GROUP_BYTES:
        raise FormatError(f"row group of {largest >> 20} MiB; expected at most {_MAX_GROUP_BYTES >> 20} MiB")


def pyarrow() -> tuple[ModuleType, ModuleType]:
    """Import pyarrow. Raise `FormatError` if it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise FormatError("Parquet files need pyarrow: pip install 'minesweeper-toolkit[parquet]'") from None
    return pyarrow, parquet


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of a Parquet file."""
    return head.startswith(b"PAR1")
