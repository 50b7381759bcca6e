"""Folders of Parquet parts: the puzzles of a database, complete parts, and resumed runs."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from minesweeper import Puzzle, Recipe
from minesweeper.db import formats, parts
from minesweeper.db.parts import PartsFolder, PartsImport, PuzzleFolder
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store
from minesweeper.generator import Limits, Task, generate
from minesweeper.player.core.difficulty import WORDS, Difficulty
from minesweeper.player.core.errors import DatabaseError, FormatError
from minesweeper.player.logic.metrics import Measures, measure_all

pytest.importorskip("pyarrow", reason="parts need the extra parquet")

# Boards so small that duplicates are frequent.
TASK = Task(Recipe("4x4/3", click=(0, 0), seed=5), "sat")


def _run(out: Path, count: int, task: Task = TASK, **settings: Any) -> None:
    """Write or resume a run of some puzzles in a folder."""
    with PartsFolder(out) as folder:
        generate(task, Limits(count), folder, workers=1, **settings)


def _found(folder: Path) -> list[PuzzleRecord]:
    with formats.reading(folder) as reader:
        return [found for found in reader if isinstance(found, PuzzleRecord)]


def _expected(path: Path, count: int) -> list[PuzzleRecord]:
    with Store(path) as store:
        generate(TASK, Limits(count), store, workers=1)
        return list(store.puzzles())


def test_a_folder_has_the_puzzles_of_a_database(tmp_path: Path) -> None:
    for count in (15, 60):
        with PartsFolder(tmp_path / "out", rows_per_part=10) as folder:
            summary = generate(TASK, Limits(count), folder, workers=1)
            assert (summary.ending, summary.run.kept) == ("done", count)
    expected = _expected(tmp_path / "a.db", 60)
    assert _found(tmp_path / "out") == expected
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    rows = duckdb.sql(f"SELECT id FROM '{tmp_path / 'out'}/*.parquet' ORDER BY sample_index").fetchall()
    assert [row[0] for row in rows] == [record.id for record in expected]
    assert len(list((tmp_path / "out").glob("*.parquet"))) > 2
    rows = duckdb.sql(f"SELECT * FROM '{tmp_path / 'out'}/*.parquet' ORDER BY sample_index").fetchall()
    formats.save(expected, tmp_path / "exported.parquet")
    assert rows == duckdb.sql(f"SELECT * FROM '{tmp_path / 'exported.parquet'}'").fetchall()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not list threads")
def test_reading_starts_no_thread_that_aborts_the_program_at_its_end(tmp_path: Path) -> None:
    _run(tmp_path / "out", 3)
    program = """
import sys
from pathlib import Path
from minesweeper.db.formats import parquet

parquet.pyarrow()
before = len(list(Path("/proc/self/task").iterdir()))
assert next(parquet.ids(Path(sys.argv[1])))
assert len(list(Path("/proc/self/task").iterdir())) == before
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "out"], check=True)


def block_manifest(folder: Path) -> None:
    """Let writing the manifest fail, by a folder in place of its temporary file."""
    (folder / "._manifest.json.part").mkdir(exist_ok=True)


def test_a_part_outside_the_manifest_is_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _run(out, 10)
    with pytest.raises(DatabaseError, match="safe"):
        _run(out, 20, report=lambda _: block_manifest(out))
    assert len(_found(out)) == 10
    assert len(list(out.glob("*.parquet"))) == 2
    (out / "._manifest.json.part").rmdir()
    assert not list(out.glob(".*.part"))
    _run(out, 20)
    assert _found(out) == _expected(tmp_path / "a.db", 20)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _run(out, 2)
    other = Task(Recipe("4x4/3", click=(0, 0), seed=6), "sat")
    with pytest.raises(DatabaseError, match="another"):
        _run(out, 2, other)
    assert len(_found(out)) == 2
    (out / "_manifest.json").write_text(json.dumps({"run": {}, "progress": {}, "parts": [{"name": "../a.parquet"}]}))
    with pytest.raises(FormatError, match="manifest"):
        _run(out, 2)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(DatabaseError, match="has other files"):
        _run(tmp_path / "full", 2)
    with pytest.raises(DatabaseError, match="this is a file"):
        _run(tmp_path / "full/mine.txt", 2)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder of a run with 25 puzzles in three parts."""
    with PartsFolder(tmp_path / "out", rows_per_part=10) as folder:
        for count in (10, 20, 25):
            generate(TASK, Limits(count), folder, workers=1)
            folder.flush()
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 3
    return tmp_path / "out"


CONDITIONS: list[dict[str, object]] = [
    {},
    {"rows": 4, "cols": 4, "mines": 3, "start": "opening"},
    {"mines": 4},
    {"run": 1, "where": "bbbv > 1 AND hardest_tier <> 'first click'"},
    {"run": 2},
    {"where": "rowid % 2 AND created > '2020'"},
    {"where": "bbbv = (SELECT max(bbbv) FROM puzzles)"},
    {"where": "id > '8' -- not all"},
    {"tier": "1 clue"},
    {"difficulty": "easy", "where": "openings BETWEEN 1 AND 2"},
]


ORDERS: list[dict[str, object]] = [{"limit": 3}, {"shuffle_seed": 7}, {"shuffle_seed": 7, "limit": 4}]


def test_a_folder_answers_as_a_database_does(out: Path, tmp_path: Path) -> None:
    _expected(tmp_path / "a.db", 25)
    with Store(tmp_path / "a.db") as store, PuzzleFolder(out) as folder:
        for number, filters in enumerate(CONDITIONS):
            count = store.count(**filters)  # type: ignore[arg-type]
            assert folder.count(**filters) == count, filters  # type: ignore[arg-type]
            for order in ({}, ORDERS[number % len(ORDERS)]):
                expected = list(store.puzzles(**filters, **order))  # type: ignore[arg-type]
                found = list(folder.puzzles(**filters, **order))  # type: ignore[arg-type]
                assert found == expected, (filters, order)
                known = [(record.run, record.measured) for record in expected]
                assert [(record.run, record.measured) for record in found] == known
        for record in store.puzzles(limit=3):
            assert folder.puzzle(record.id[:12]) == record


def test_difficulties_are_computed_not_read(out: Path) -> None:
    """A part of another version may have other difficulties."""
    import pyarrow as arrow
    from pyarrow import parquet

    def difficulties() -> list[Difficulty | None]:
        with PuzzleFolder(out) as folder:
            return [record.difficulty for record in folder.puzzles()]

    expected = difficulties()
    path = out / "part-000000.parquet"
    table = parquet.read_table(path)
    table = table.drop_columns(["difficulty", "difficulty_word"])
    old = table.append_column("difficulty_word", arrow.array(["fiendish"] * len(table)))
    parquet.write_table(old.append_column("difficulty", arrow.array([99.0] * len(table))), path)
    assert difficulties() == expected
    with PuzzleFolder(out) as folder:
        for word in WORDS:
            count = sum(found is not None and found.word == word for found in expected)
            assert folder.count(difficulty=word) == folder.count(where=f"difficulty_word = '{word}'") == count
        assert folder.count(where="difficulty > 90") == 0


def test_wrong_conditions_and_ids_are_refused_as_by_a_database(out: Path) -> None:
    with PuzzleFolder(out) as folder:
        for where in ("mines = ?", "nonsense", "1); drop table puzzles; --"):
            with pytest.raises(DatabaseError, match="condition"):
                folder.count(where=where)
        with pytest.raises(DatabaseError, match="no puzzle"):
            folder.puzzle("0" * 20)
        with pytest.raises(DatabaseError, match="hexadecimal"):
            folder.puzzle("xyz")


def _spoil(part: Path, how: str) -> None:
    if how == "missing":
        part.unlink()
    elif how == "cut short":
        part.write_bytes(part.read_bytes()[:-20])
    else:
        shutil.copy(part.with_name("part-000002.parquet"), part)


@pytest.mark.parametrize("how", ["missing", "cut short", "another"])
def test_an_invalid_part_is_named_and_the_others_are_read(out: Path, how: str) -> None:
    _spoil(out / "part-000001.parquet", how)
    with formats.reading(out) as reader:
        assert len([next(reader) for _ in range(10)]) == 10
        with pytest.raises(FormatError, match=r"part-000001\.parquet"):
            next(reader)
        assert len(list(reader)) == 5
    with PuzzleFolder(out) as folder:
        with pytest.raises(FormatError, match=r"part-000001\.parquet"):
            list(folder.puzzles())
        bad: list[str] = []
        assert len(list(folder.puzzles(on_bad_part=lambda name, _: bad.append(name)))) == 15
    assert bad == ["part-000001.parquet"]
    with pytest.raises(FormatError, match=r"part-000001\.parquet"):
        _run(out, 30)


_HOLD = """
import sys
from test_parts import TASK
from minesweeper.db.parts import PartsFolder
from minesweeper.generator.pipeline import Limits, generate
with PartsFolder(sys.argv[1]) as folder:
    generate(TASK, Limits(25), folder, workers=1)
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_is_refused_until_the_first_is_killed(out: Path, tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DatabaseError, match="another process writes"):
            _run(out, 30)
        with PuzzleFolder(out) as reader:
            assert reader.count() == 25
    finally:
        holder.kill()
        holder.communicate()
    _run(out, 30)
    assert _found(out) == _expected(tmp_path / "a.db", 30)


def test_only_files_of_a_killed_writer_are_deleted(out: Path) -> None:
    (out / "part-000003.parquet").write_bytes(b"left")
    (out / ".part-000004.parquet.part").write_bytes(b"left")
    (out / "part-of-mine.parquet").write_bytes(b"mine")
    _run(out, 25)
    assert sorted(path.name for path in out.glob("part-*")) == [
        *(f"part-00000{number}.parquet" for number in range(3)),
        "part-of-mine.parquet",
    ]
    assert not list(out.glob(".part*"))


@pytest.mark.parametrize("canonical", [False, True])
def test_packs_are_merged_into_a_folder_as_into_a_database(out: Path, tmp_path: Path, canonical: bool) -> None:
    expected = _expected(tmp_path / "a.db", 40)
    with Store(tmp_path / "all.db") as store:
        with Import(store, canonical=canonical) as batch:
            batch.add(_found(out))
            batch.add(expected)
        merged = list(store.puzzles())
    for times in (1, 2):
        with PartsImport(tmp_path / "all", canonical=canonical) as taken:
            taken.add(_found(out))
            taken.add(expected)
        assert _found(tmp_path / "all") == merged
        assert (taken.added, taken.duplicates) == ((len(merged), 65 - len(merged)) if times == 1 else (0, 65))
    block_manifest(tmp_path / "all")
    before = sorted(path.name for path in (tmp_path / "all").iterdir())
    with pytest.raises(DatabaseError, match="safe"), PartsImport(tmp_path / "all", canonical=canonical) as taken:
        taken.add(_expected(tmp_path / "b.db", 60))
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == before
    with pytest.raises(DatabaseError, match="belongs to a run"), PartsImport(out):
        pass
    with pytest.raises(KeyError), PartsImport(tmp_path / "new"):
        raise KeyError
    assert not (tmp_path / "new").exists()


def test_the_first_puzzle_of_a_folder_is_measured_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = list[int]()

    def measure(puzzles: Sequence[Puzzle]) -> Iterator[Measures]:
        measured.append(len(puzzles))
        return measure_all(puzzles)

    monkeypatch.setattr(parts, "measure_all", measure)
    with PuzzleFolder(out) as folder:
        every = list(folder.puzzles())
        assert measured == [10, 10, 5]
        assert list(folder.puzzles(limit=1)) == every[:1]
        assert measured[3:] == [1]
        assert list(folder.puzzles(limit=12)) == every[:12]
        assert list(folder.puzzles(limit=0)) == []
