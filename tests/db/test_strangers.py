"""Files of strangers: refused before they take time or memory, or run expressions."""

import json
import mmap
import multiprocessing
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import crafted
import pyarrow as pa
import pytest
from pyarrow import parquet
from sample_records import RECIPE, add_puzzles, row_of, sampled

from minesweeper import Board, Store
from minesweeper.db import formats
from minesweeper.db.formats import limited
from minesweeper.db.people import HumanGame
from minesweeper.db.records import GameRecord, Sample
from minesweeper.player.core.errors import DatabaseError, FormatError
from minesweeper.player.parallel.processes import START_METHOD


def refusal(path: Path) -> str:
    """Read a pack with limits up to its first error, and return the error."""
    with pytest.raises(FormatError) as refused, formats.reading(path, limited=True) as reader:
        for _ in reader:
            pass
    return str(refused.value)


@pytest.mark.parametrize("name", crafted.CHANGES)
def test_a_database_with_a_changed_schema_is_refused_by_all_readers(name: str, tmp_path: Path) -> None:
    path = crafted.database(tmp_path / "pack.db", crafted.CHANGES[name])
    assert "database of another layout" in refusal(path)
    with pytest.raises(DatabaseError, match="database of another layout"):
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


@pytest.mark.parametrize(
    ("table", "cause"), [("puzzles", "a table without end"), ("sqlite_master", "takes more than 0.5")]
)
def test_pages_that_are_read_without_end_are_refused(
    table: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "BATCH_SECONDS", 0.5)
    path = crafted.endless_database(tmp_path / "pack.db", table)
    with pytest.raises(FormatError, match=cause), formats.reading(path, limited=True) as reader:
        for _ in reader:
            pass


def test_repeated_rows_are_refused_by_the_metadata(tmp_path: Path) -> None:
    path = crafted.repeated_rows(tmp_path / "pack.parquet", 100_000, board="zz")
    assert f"100000 rows in {path.stat().st_size} bytes" in refusal(path)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_texts_that_expand_beyond_the_memory_are_refused(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(START_METHOD, method)
    path = crafted.repeated_rows(tmp_path / "pack.parquet", 3000, mine_bits="00" * 500_000)
    assert refusal(path).startswith("reading this file takes more than 1024 MiB of memory")


def _reserving(path: Path) -> Iterator[limited.Batch]:
    with mmap.mmap(-1, 2 * limited.BATCH_MEMORY, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        yield ["path"], [(str(path),)]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no flags for mapped memory")
def test_memory_that_an_allocator_reserves_but_does_not_use_is_not_limited(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's allocator reserves a GiB, and then five puzzles were refused as too large."""
    monkeypatch.setenv(START_METHOD, method)
    assert list(limited.rows_of(_reserving, tmp_path, limited=True)) == [("row 1", (["path"], (str(tmp_path),)))]


def _end_process(path: Path) -> Iterator[limited.Batch]:
    """Read a file as Arrow reads some damaged ones."""
    os._exit(3)


def test_a_reader_that_ends_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="damaged file: it ended the process that read it"):
        list(limited.rows_of(_end_process, tmp_path, limited=True))


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


@pytest.mark.parametrize("value", ["NULL", "'x'", "x'00'", "1.5", "-1"])
def test_stored_values_of_a_wrong_type_are_named(value: str, tmp_path: Path) -> None:
    """They passed to comparisons of numbers, which raised TypeError."""
    path = tmp_path / "pack.db"
    person = HumanGame("a", "classic", "Classic", Board.from_text("*."), (), True, 1.0, 1, "2026-01-02 03:04:05")
    with Store(path) as store:
        add_puzzles(store, [sampled(0)])
        store.add_games([GameRecord("local", Sample(RECIPE, 3), True, 71, 2, 0.5)])
        store.people.add([("player", person)])
    change = "".join(f"UPDATE {table} SET rows = {value};" for table in ("puzzles", "games", "human_games"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        sql = "UPDATE sqlite_master SET sql = replace(sql, 'rows INTEGER NOT NULL', 'rows')"
        connection.executescript(f"PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; {sql}")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA ignore_check_constraints = ON; {change}")
        back = "UPDATE sqlite_master SET sql = replace(sql, 'rows CHECK', 'rows INTEGER NOT NULL CHECK')"
        connection.executescript(f"PRAGMA writable_schema = ON; {back}")
    skipped: list[str] = []
    with Store(path, create=False) as store:
        assert list(store.puzzles(on_bad=lambda name, error: skipped.append(str(error)))) == []
        for read in (store.games, store.people.games):
            with pytest.raises(DatabaseError, match="invalid values"):
                read()
    assert len(skipped) == 1


@pytest.mark.parametrize("key", ["board", "first_click", "seed", "rows"])
def test_deeply_nested_values_are_refused(key: str, tmp_path: Path) -> None:
    """json reads some nested lists that repr cannot print, which ended with a traceback."""
    row = {"board": ["..", ".."], "first_click": [0, 0]}
    for depth in range(900, 1000):
        nested = "[" * depth + "]" * depth
        (tmp_path / "pack.jsonl").write_text(f"{json.dumps(row)[:-1]}, {json.dumps(key)}: {nested}}}")
        refusal(tmp_path / "pack.jsonl")
