"""A run as a folder of Parquet parts: the same puzzles as in a database, whole parts, to be gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minesweeper.db import formats, parts
from minesweeper.db.parts import PartsFolder
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import DatabaseError, Store
from minesweeper.generator.pipeline import Limits, Task, generate
from minesweeper.player.recipe import Recipe

pytest.importorskip("pyarrow", reason="parts need the extra parquet")

# So small that the same puzzle is drawn again and again, which counts once.
TASK = Task(Recipe(4, 4, 3, (0, 0), "opening", 5), "sat")


def _found(folder: Path) -> list[PuzzleRecord]:
    with formats.reading(folder) as reader:
        return [found for found in reader if isinstance(found, PuzzleRecord)]


def _expected(path: Path, count: int) -> list[PuzzleRecord]:
    with Store(path) as store:
        generate(TASK, Limits(count), store, workers=1)
        return list(store.puzzles())


def test_the_same_puzzles_as_in_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_ROWS_OF_A_PART", 10)
    for count in (15, 60):
        with PartsFolder(tmp_path / "out") as folder:
            summary = generate(TASK, Limits(count), folder, workers=1)
            assert (summary.ending, summary.run.kept) == ("done", count)
    expected = _expected(tmp_path / "a.db", 60)
    assert _found(tmp_path / "out") == expected
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    rows = duckdb.sql(f"SELECT id FROM '{tmp_path / 'out'}/*.parquet' ORDER BY index").fetchall()
    assert [row[0] for row in rows] == [record.id for record in expected]
    assert len(list((tmp_path / "out").glob("*.parquet"))) > 2


def test_a_part_that_the_manifest_does_not_name_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with PartsFolder(out) as folder:
        generate(TASK, Limits(10), folder, workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(PartsFolder, "_write_manifest", _fail)
        with pytest.raises(DatabaseError, match="safe"), PartsFolder(out) as folder:
            generate(TASK, Limits(20), folder, workers=1)
    assert len(_found(out)) == 10
    assert not list(out.glob(".*"))
    with PartsFolder(out) as folder:
        generate(TASK, Limits(20), folder, workers=1)
    assert _found(out) == _expected(tmp_path / "a.db", 20)


def _fail(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_other_folders_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with PartsFolder(out) as folder:
        generate(TASK, Limits(2), folder, workers=1)
    other = Task(Recipe(4, 4, 3, (0, 0), "opening", 6), "sat")
    with pytest.raises(DatabaseError, match="another"), PartsFolder(out) as folder:
        generate(other, Limits(2), folder, workers=1)
    assert len(_found(out)) == 2
    (out / "manifest.json").write_text(json.dumps({"run": {}, "progress": {}, "parts": [{"name": "../a.parquet"}]}))
    with pytest.raises(formats.FormatError, match="manifest"), PartsFolder(out) as folder:
        generate(TASK, Limits(2), folder, workers=1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(DatabaseError, match="empty"), PartsFolder(tmp_path / "full") as folder:
        generate(TASK, Limits(2), folder, workers=1)
