"""Parquet files with the columns of `db.formats.rows`, for data tools. Needs pyarrow, the extra ``parquet``.

A pack is one file, or a folder of parts with a manifest, see `db.parts`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import SEEK_END
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final

from minesweeper.db.formats.format import Reader, quote
from minesweeper.db.formats.pages import Group, groups_of, pages_of
from minesweeper.db.formats.rows import COLUMNS, EXPORTED, parse_row, row_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.errors import FormatError, counted
from minesweeper.player.why.path import solution_paths

MANIFEST: Final = "manifest.json"
_BATCH: Final = 5000
_BATCH_BYTES: Final = 2**24
_ROWS_PER_GROUP: Final = 10_000
_MAX_GROUP_BYTES: Final = 2**30
# Packs of all sizes and of sparse boards expand less: at most 16 MiB and 200 times the file.
_EXPANDED_BYTES: Final = 2**24
_EXPANDED_TIMES: Final = 200
_MAX_CONTAINER: Final = 2**20
_REPEATED: Final = [name for name in COLUMNS if name not in ("id", "board", "index", "certificate")]
"""The columns worth a dictionary, which takes time and space for values that are all different."""
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


def table_to_bytes(columns: Iterable[Sequence[object]]) -> bytes:
    """Return the values of `COLUMNS` as an Arrow table for `table_of`."""
    arrow, _ = pyarrow()
    schema = _schema(arrow)
    arrays = [arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    stream = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(stream, schema) as writer:
        writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
    return bytes(stream.getvalue())


def table_of(tables: Iterable[bytes]) -> Any:
    """Return the rows of several results of `table_to_bytes` as one Arrow table."""
    arrow, _ = pyarrow()
    return arrow.concat_tables([arrow.ipc.open_stream(table).read_all() for table in tables])


def chosen(table: Any, wanted: Sequence[bool]) -> Any:
    """Return the wanted rows of an Arrow table."""
    arrow, _ = pyarrow()
    return table.filter(arrow.array(wanted, arrow.bool_()))


def write_part(tables: list[Any], path: Path) -> None:
    """Write Arrow tables as one part."""
    arrow, files = pyarrow()
    with path.open("wb") as stream:
        files.write_table(
            arrow.concat_tables(tables),
            stream,
            compression="zstd",
            row_group_size=_ROWS_PER_GROUP,
            use_dictionary=_REPEATED,
        )


def _schema(arrow: Any) -> Any:
    types: dict[type, Any] = {int: arrow.int64(), float: arrow.float64()}
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
    name, path = part["name"], folder / part["name"]
    if not path.is_file():
        raise PartError(f"{name}: this part of the {MANIFEST} is missing")
    try:
        with _opened(path) as (file, *_):
            found = file.metadata.num_rows
    except FormatError as error:
        raise PartError(f"{name}: {error}") from error
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
    number = 0
    with _opened(path) as (file, groups, stream):
        budget = _expanded(path.stat().st_size)
        columns = [column for column in names if column in file.schema_arrow.names]
        for group, longest in enumerate(_longest_texts(file, groups, stream, columns)):
            size = max(1, min(_BATCH, _BATCH_BYTES // longest))
            for batch in file.iter_batches(size, [group], columns, use_threads=False):
                # Empty columns, such as those of paths, would take a sixth of the time. One has to count the rows.
                first, *others = zip(batch.schema.names, batch.columns, strict=True)
                used = [first, *((name, column) for name, column in others if column.null_count < len(column))]
                found = {name: _decoded(column) for name, column in used}
                budget -= sum(column.nbytes for column in found.values())
                if budget < 0:
                    raise FormatError("the texts of this Parquet file expand too much; expected those of puzzles")
                for values in zip(*(column.to_pylist() for column in found.values()), strict=True):
                    number += 1
                    yield f"row {number}", dict(zip(found, values, strict=True))


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, list[Group], BinaryIO]]:
    """Open a file whose metadata are valid. Raise `FormatError` for errors of Arrow."""
    arrow, files = pyarrow()
    size = path.stat().st_size
    try:
        # Every element takes a byte or more, and Arrow allocates all at once.
        limits = {"thrift_string_size_limit": 2**24, "thrift_container_size_limit": max(1, min(_MAX_CONTAINER, size))}
        # A thread that fills buffers from a file of Python's while the program ends would abort it.
        with path.open("rb") as stream, files.ParquetFile(stream, pre_buffer=False, **limits) as file:
            groups = groups_of(stream)
            _check(file, groups, size)
            yield file, groups, stream
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FormatError(_damaged(error)) from error


def _longest_texts(file: Any, groups: Sequence[Group], stream: BinaryIO, columns: Sequence[str]) -> Iterator[int]:
    """Yield the most bytes that the texts of one row can take, for each row group, at least 1.

    Raise `FormatError` if the pages of the file expand too much, or several chunks share pages.
    """
    _, files = pyarrow()
    metadata, size = file.metadata, stream.seek(0, SEEK_END)
    budget, unread = _expanded(size), size
    # By the schema: the path in a chunk may be another one.
    leaves = [metadata.schema.column(number) for number in range(metadata.num_columns)]
    for group, (_, rows, chunks) in enumerate(groups):
        texts: Counter[str] = Counter()
        if len(chunks) != len(leaves):
            raise FormatError(f"damaged Parquet file: {counted(len(chunks), 'column')}; expected {len(leaves)}")
        for leaf, chunk in zip(leaves, chunks, strict=True):
            if leaf.path not in columns:
                continue
            is_text = leaf.physical_type == "BYTE_ARRAY"
            pages = pages_of(stream, chunk, is_text)
            budget -= pages.size
            unread -= chunk.length
            if budget < 0 or unread < 0:
                raise FormatError(f"the pages of this Parquet file expand too much; expected {_expanded(size)} bytes")
            if is_text:
                texts[leaf.path] += pages.dictionary
        longest = sum(texts.values())
        if longest * min(rows, _BATCH) > _BATCH_BYTES:
            # Read as a dictionary, a repeated text is in memory once.
            with files.ParquetFile(stream, metadata=metadata, read_dictionary=list(texts), pre_buffer=False) as reader:
                batches = reader.iter_batches(1, [group], list(texts), use_threads=False)
                longest = sum(_longest_text(column) for batch in islice(batches, 1) for column in batch.columns)
        yield max(1, longest)


def _longest_text(column: Any) -> int:
    """Return the bytes of the longest text in the dictionary of an Arrow column."""
    from pyarrow import compute

    return compute.max(compute.binary_length(column.dictionary)).as_py() or 0


def _expanded(size: int) -> int:
    """Return the number of bytes to which a file of `size` bytes may expand."""
    return _EXPANDED_BYTES + _EXPANDED_TIMES * size


def _decoded(column: Any) -> Any:
    """Return an Arrow column without a dictionary, which would take thrice as long to convert."""
    from pyarrow import types

    return column.dictionary_decode() if types.is_dictionary(column.type) else column


def _damaged(error: Exception) -> str:
    return f"damaged Parquet file: {quote(' '.join(str(error).split()))}"


def _check(file: Any, groups: Sequence[Group], size: int) -> None:
    """Raise `FormatError` for metadata that no file of puzzles has, before anything is decoded."""
    schema, metadata = file.schema_arrow, file.metadata
    missing = [column for column in ("rows", "cols", "board") if column not in schema.names]
    if missing:
        raise FormatError(f"the column {missing[0]} is missing; columns: {quote(', '.join(schema.names))}")
    for field in schema:
        # Arrow reads board.x together with board.
        if field.name.partition(".")[0] in COLUMNS and not (field.name in COLUMNS and _is_plain(field.type)):
            raise FormatError(
                f"the column {field.name} has the type {quote(str(field.type))}; expected numbers or text"
            )
    if len(groups) != metadata.num_row_groups:
        raise FormatError("damaged Parquet file: its row groups cannot be counted")
    rows = max(metadata.num_rows, sum(group.rows for group in groups))
    if rows > size:
        raise FormatError(f"{rows} rows in {size} bytes; expected at least a byte for each puzzle")
    largest = max((group.size for group in groups), default=0)
    limit = min(_MAX_GROUP_BYTES, _expanded(size))
    if largest > limit:
        raise FormatError(f"row group of {largest >> 20} MiB; expected at most {limit >> 20} MiB")


def _is_plain(kind: Any) -> bool:
    """Return True for numbers and texts, whose size is bounded, also in a dictionary."""
    from pyarrow import types

    plain = ("integer", "floating", "boolean", "null", "string", "large_string", "binary", "large_binary")
    value = kind.value_type if types.is_dictionary(kind) else kind
    return any(getattr(types, f"is_{name}")(value) for name in plain)


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
