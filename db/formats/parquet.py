"""Parquet files with the columns `db.columns.EXPORTED`, for data tools. Needs pyarrow, the extra ``parquet``.

A pack is one file, or a folder of parts with a manifest, see `db.parts`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from minesweeper.db.columns import COMPLETE, EXPORTED, Column
from minesweeper.db.formats.format import Reader, chosen_columns, quote
from minesweeper.db.formats.limited import Batch, Row, rows_of
from minesweeper.db.formats.rows import COLUMNS, TABULAR, file_column, missing_column, parse_values
from minesweeper.db.formats.target import write_whole
from minesweeper.db.tables import Table, puzzles_of, with_measures
from minesweeper.player.core.errors import FormatError, counted

if TYPE_CHECKING:
    from minesweeper.player.play.click_rows import ClickColumn, ClickRow

MANIFEST: Final = "_manifest.json"
_BATCH: Final = 5000
_BATCH_BYTES: Final = 2**24
_ROWS_PER_GROUP: Final = 10_000
_DIFFERENT: Final = ("id", "canonical_id", "board", "mine_bits", "sample_index", "certificate")
"""The columns not worth a dictionary, which takes time and space for values that are all different."""


def write_file(
    tables: Iterable[Table], path: Path, *, steps: bool = False, columns: Sequence[str] | None = None
) -> int:
    """Write a row for each puzzle, and return their number. Raise `FormatError` without pyarrow.

    With `steps`, the nested column ``path`` has the solution path: a list of steps with the keys of its JSON.
    `columns` are names of `db.columns.COMPLETE`, by default `db.columns.EXPORTED`.
    """
    known = {column.name: column for column in COMPLETE}
    chosen = chosen_columns(columns, tuple(known), tuple(column.name for column in EXPORTED))
    schema = _schema(tuple(known[name] for name in chosen), steps=steps)

    def arrow_tables() -> Iterator[Any]:
        for table in map(with_measures, tables):
            values = {name: file_column(table, name) for name in chosen}
            yield _table(values | {"path": _paths(table)} if steps else values, schema)

    return write(_regrouped(arrow_tables()), path, schema)


def _regrouped(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of Arrow tables in groups of a file."""
    arrow, _ = pyarrow()
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        while sum(map(len, waiting)) >= _ROWS_PER_GROUP:
            joined = arrow.concat_tables(waiting)
            yield joined[:_ROWS_PER_GROUP].combine_chunks()
            waiting = [joined[_ROWS_PER_GROUP:]]
    if any(map(len, waiting)):
        yield arrow.concat_tables(waiting).combine_chunks()


def _paths(table: Table) -> list[list[dict[str, Any]]]:
    from minesweeper.player.logic.path import solution_paths

    return [[step.to_json() for step in path.steps] for path in solution_paths(puzzles_of(table))]


def arrow_table(table: Table) -> Any:
    """Return a table as an Arrow table of `EXPORTED`."""
    return _table({column.name: file_column(table, column.name) for column in EXPORTED}, _schema())


def _table(columns: Mapping[str, Sequence[Any]], schema: Any) -> Any:
    arrow, _ = pyarrow()
    return arrow.table([arrow.array(columns[field.name], field.type) for field in schema], schema=schema)


def table_to_bytes(table: Any) -> bytes:
    """Return an Arrow table as bytes, which take less time to pickle."""
    arrow, _ = pyarrow()
    stream = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return bytes(stream.getvalue())


def write(tables: Iterable[Any], path: Path, schema: Any = None) -> int:
    """Write Arrow tables to a file, and return the number of their rows."""
    _, files = pyarrow()
    schema = schema or _schema()
    options = {"compression": "zstd", "use_dictionary": [name for name in schema.names if name not in _DIFFERENT]}
    count = 0
    # Arrow would encode a file name as UTF-8 in every locale.
    with path.open("wb") as stream, files.ParquetWriter(stream, schema, **options) as writer:
        for table in tables:
            writer.write_table(table, _ROWS_PER_GROUP)
            count += len(table)
    return count


def write_click_rows(rows: Sequence[ClickRow], path: Path) -> None:
    """Write rows with `CLICK_COLUMNS` to a file. Raise `FormatError` without pyarrow, and `OSError`."""
    from minesweeper.player.play.click_rows import CLICK_COLUMNS

    _, files = pyarrow()
    values = {column.name: [row[column.name] for row in rows] for column in CLICK_COLUMNS}
    table = _table(values, _schema(CLICK_COLUMNS))
    write_whole(path, lambda stream: files.write_table(table, stream, compression="zstd"))


@cache
def _schema(columns: tuple[Column | ClickColumn, ...] = EXPORTED, *, steps: bool = False) -> Any:
    arrow, _ = pyarrow()
    types: dict[type, Any] = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    fields = [
        arrow.field(column.name, types.get(column.type, arrow.string()), metadata={"description": column.meaning})
        for column in columns
    ]
    if steps:
        cells = arrow.list_(arrow.list_(arrow.int32(), 2))
        kinds = {"tier": arrow.int8(), "safe": cells, "mines": cells, "clues": cells}
        step = arrow.struct([*kinds.items(), ("count", arrow.bool_()), ("smallest", arrow.bool_())])
        fields.append(arrow.field("path", arrow.list_(step), metadata={"description": "solution path"}))
    return arrow.schema(fields)


def batches(path: Path, names: Sequence[str] = COLUMNS, puzzles: int | None = None) -> Iterator[Batch]:
    """Yield the rows of a file, or of a part of `puzzles`, without columns that are empty.

    Raise `FormatError` without pyarrow.
    """
    with _opened(path, puzzles) as file:
        schema = file.schema_arrow.names
        if missing := missing_column(schema):
            raise FormatError(f"the column {missing} is missing; columns: {quote(', '.join(schema))}")
        size, count = path.stat().st_size, file.metadata.num_rows
        if count > size:
            raise FormatError(f"{count} rows in {size} bytes; expected at least a byte for each puzzle")
        # Large boards in small batches.
        rows = max(1, min(_BATCH, _BATCH_BYTES * count // size))
        for batch in file.iter_batches(rows, columns=[name for name in names if name in schema], use_threads=False):
            # Empty columns, such as those of paths, would take a sixth of the time. One has to count the rows.
            first, *others = zip(batch.schema.names, batch.columns, strict=True)
            used = [first, *((name, column) for name, column in others if column.null_count < len(column))]
            values = [_decoded(column).to_pylist() for _, column in used]
            yield [name for name, _ in used], list(zip(*values, strict=True))


def _decoded(column: Any) -> Any:
    """Return an Arrow column without a dictionary, which would take thrice as long to convert."""
    from pyarrow import types

    return column.dictionary_decode() if types.is_dictionary(column.type) else column


@contextmanager
def _opened(path: Path, puzzles: int | None) -> Iterator[Any]:
    """Open a file, or a part of `puzzles`. Raise `FormatError` for errors of Arrow, or for another part."""
    arrow, files = pyarrow()
    if puzzles is not None and not path.is_file():
        raise FormatError(f"this part of the {MANIFEST} is missing")
    try:
        # A thread that fills buffers from a file of Python's while the program ends would abort it.
        with path.open("rb") as stream, files.ParquetFile(stream, pre_buffer=False) as file:
            found = file.metadata.num_rows
            if puzzles not in (None, found):
                raise FormatError(f"{counted(found, 'puzzle')}; expected {puzzles}, as in the {MANIFEST}")
            yield file
    except (FormatError, MemoryError):
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise FormatError(f"damaged Parquet file: {quote(' '.join(str(error).split()))}") from error


def pyarrow() -> tuple[ModuleType, ModuleType]:
    """Import pyarrow. Raise `FormatError` if it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise FormatError("Parquet files need pyarrow: pip install 'minesweeper-toolkit[parquet]'") from None
    return pyarrow, parquet


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


def read_folder(folder: Path, *, limited: bool = False) -> Reader[Row]:
    """Read the puzzles of all parts in the manifest; `limited`, in processes with limits.

    The reader raises `FormatError` for a missing or damaged part and then continues with the next one.
    """
    read = partial(rows_of_part, folder, limited=limited)
    # A chain goes on with the next part after an error.
    return Reader(chain.from_iterable(map(read, read_manifest(folder)["parts"])), parse_values, TABULAR)


def rows_of_part(
    folder: Path, part: Mapping[str, Any], columns: Sequence[str] = COLUMNS, *, limited: bool = False
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a part, each with its place. Raise `FormatError` for an invalid part."""
    name, path = part["name"], folder / part["name"]
    read = partial(batches, names=columns, puzzles=part["puzzles"])
    try:
        for place, row in rows_of(read, path, limited=limited):
            yield f"{name}, {place}", row
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from error


def check_part(folder: Path, part: Mapping[str, Any]) -> None:
    """Raise `FormatError` for a part that is missing, truncated, or of another length than in the manifest."""
    try:
        with _opened(folder / part["name"], part["puzzles"]):
            pass
    except FormatError as error:
        raise FormatError(f"{folder}: {part['name']}: {error}") from error


def ids(folder: Path) -> Iterator[str]:
    """Yield the ids of the puzzles in a folder of parts. Raise `FormatError` for an invalid part."""
    for part in read_manifest(folder)["parts"]:
        for _, (_, (name,)) in rows_of_part(folder, part, ("id",)):
            yield str(name)
