"""Parquet: the columns of `db.formats.columns`, for data tools. Needs pyarrow, the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from minesweeper.db.formats.columns import COLUMNS, EXPORTED, parse_row, row_of
from minesweeper.db.formats.format import FormatError, Reader, echo
from minesweeper.db.records import PuzzleRecord

_AT_A_TIME: Final = 1000
_ROWS_OF_A_GROUP: Final = 10_000
_LARGEST_GROUP: Final = 2**30
_Row = dict[str, object]


def write_file(records: Iterable[PuzzleRecord], path: Path) -> int:
    """Write a row for each puzzle, and return how many. Raises `FormatError` without pyarrow."""
    arrow, files = _pyarrow()
    types = [arrow.int64() if fact.type is int else arrow.string() for fact in EXPORTED]
    columns = [
        arrow.field(fact.key, kind, metadata={"description": fact.meaning})
        for fact, kind in zip(EXPORTED, types, strict=True)
    ]
    schema = arrow.schema(columns)
    records, count = iter(records), 0
    with files.ParquetWriter(path, schema, compression="zstd") as writer:
        while rows := [row_of(record) for record in islice(records, _ROWS_OF_A_GROUP)]:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def read_file(path: Path) -> Reader[_Row]:
    """Find the puzzle of each row; raises `FormatError` naming the row at fault, or without pyarrow."""
    return Reader(_rows(path), parse_row)


def _rows(path: Path) -> Iterator[tuple[str, _Row]]:
    arrow, files = _pyarrow()
    number = 0
    try:
        with files.ParquetFile(path, thrift_string_size_limit=2**24, thrift_container_size_limit=2**20) as file:
            _check(file)
            columns = [column for column in COLUMNS if column in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=_AT_A_TIME, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError(f"expected a sound Parquet file: {echo(' '.join(str(error).split()))}") from error


def _check(file: Any) -> None:
    missing = [column for column in ("rows", "cols", "board") if column not in file.schema_arrow.names]
    if missing:
        raise FormatError(f"expected a column named {missing[0]}: {echo(', '.join(file.schema_arrow.names))}")
    metadata = file.metadata
    largest = max((metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)), default=0)
    if largest > _LARGEST_GROUP:
        raise FormatError(f"expected row groups of at most {_LARGEST_GROUP >> 20} MiB: {largest >> 20} MiB")


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise FormatError("expected pyarrow for Parquet files: pip install 'minesweeper-toolkit[parquet]'") from None
    return pyarrow, parquet


def looks_like(head: bytes) -> bool:
    """Whether this begins as every Parquet file does."""
    return head.startswith(b"PAR1")
