"""Files of strangers: refused before they take time or memory, or run expressions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import crafted
import pyarrow as pa
import pytest
from pyarrow import parquet
from sample_records import sampled

from minesweeper.db import formats
from minesweeper.db.file import DatabaseError
from minesweeper.db.formats.format import FormatError
from minesweeper.db.formats.rows import row_of
from minesweeper.db.store import Store


def refusal(path: Path) -> str:
    """Read a pack up to its first error, and return the error."""
    with pytest.raises(FormatError) as refused, formats.reading(path) as reader:
        for _ in reader:
            pass
    return str(refused.value)


@pytest.mark.parametrize("name", crafted.CHANGES)
def test_a_database_with_a_changed_schema_is_refused_by_all_readers(name: str, tmp_path: Path) -> None:
    path = crafted.database(tmp_path / "pack.db", crafted.CHANGES[name])
    assert "not the tables of version 1" in refusal(path)
    with pytest.raises(DatabaseError, match="not the tables of version 1"):
        Store(path, create=False)


@pytest.mark.parametrize(
    "change",
    [
        f"CREATE VIEW pragma_user_version AS {crafted.ENDLESS}",
        "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', ' /* always */ NOT\n NULL')",
        "CREATE INDEX puzzles_by_canonical_id ON puzzles (canonical_id); ANALYZE",
        "CREATE TABLE notes (puzzle TEXT, note TEXT); CREATE INDEX [my notes] ON [notes] ([puzzle], note DESC)",
    ],
)
def test_additions_without_expressions_are_accepted(change: str, tmp_path: Path) -> None:
    path = crafted.database(tmp_path / "pack.db", change)
    with formats.reading(path) as reader:
        assert len(list(reader)) == 2
    with Store(path, create=False) as store:
        assert store.count() == 2


def test_a_generated_column_does_not_run(tmp_path: Path) -> None:
    assert "not the tables of version 1" in refusal(crafted.slow_database(tmp_path / "pack.db"))


def test_a_table_with_more_rows_than_its_file_is_refused(tmp_path: Path) -> None:
    assert "more bytes than the file" in refusal(crafted.circular_database(tmp_path / "pack.db"))


def test_repeated_rows_are_refused_by_the_metadata(tmp_path: Path) -> None:
    path = crafted.repeated_rows(tmp_path / "pack.parquet", 100_000, board="zz")
    assert f"100000 rows in {path.stat().st_size} bytes" in refusal(path)


def test_repeated_texts_are_refused_before_they_expand(tmp_path: Path) -> None:
    path = crafted.repeated_rows(tmp_path / "pack.parquet", 100, board="00" * 500_000)
    assert refusal(path).startswith("the texts of this Parquet file expand too much")


def test_a_row_group_that_expands_too_much_is_refused(tmp_path: Path) -> None:
    path = crafted.repeated_rows(tmp_path / "pack.parquet", 1, board="00" * 20_000_000)
    assert refusal(path).startswith("row group of 38 MiB; expected at most 1")


@pytest.mark.parametrize("value", [["00"], {"a": 1}, 1.5])
def test_columns_of_another_type_are_refused(value: object, tmp_path: Path) -> None:
    row = row_of(sampled(0)) | {"board": value}
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "pack.parquet")
    assert "board" in refusal(tmp_path / "pack.parquet")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_every_type_are_read(kind: pa.DataType, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([row_of(sampled(index)) for index in range(3)])
    number = table.schema.get_field_index("board")
    table = table.set_column(number, "board", table.column("board").cast(kind)).drop_columns(["certificate"])
    parquet.write_table(table, tmp_path / "pack.parquet")
    with formats.reading(tmp_path / "pack.parquet") as reader:
        assert list(reader) == [sampled(index) for index in range(3)]


def test_crafted_databases_are_readable_by_sqlite(tmp_path: Path) -> None:
    """They are valid, so nothing but their expressions can be the reason of the refusal."""
    for name, change in crafted.CHANGES.items():
        with closing(sqlite3.connect(crafted.database(tmp_path / f"{name}.db", change))) as connection:
            assert connection.execute("SELECT count(*) FROM puzzles").fetchone() == (2,)
