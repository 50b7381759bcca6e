"""Portions: the rows that a worker finished are those that are stored, in one file or another."""

from __future__ import annotations

import pickle
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from minesweeper.db import sql
from minesweeper.db.file import DatabaseError
from minesweeper.db.portion import Portion, checked
from minesweeper.db.records import RunKey
from minesweeper.db.store import Store
from minesweeper.generator.pipeline import Task, find_portion
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe

RECIPE = Recipe(4, 4, 3, (0, 0), StartRule.OPENING, 5)


def _portion() -> Portion:
    return find_portion(Task(RECIPE, "sat"), "sat", 1, checked, range(60))


def _without_image(portion: Portion) -> Portion:
    """The same as of a Python that makes no images."""
    return replace(portion, content=replace(portion, first=1).rows())


def test_no_puzzle_is_twice_in_a_portion_and_cutting_loses_none() -> None:
    portion = _portion()
    rows = portion.rows()
    names = [row[sql.place_of("id")] for row in rows]
    assert len(names) == len(set(names)) == len(portion)
    assert [row[sql.place_of("sample_index")] for row in rows] == list(portion.indexes)
    assert checked([*rows, *rows]).rows() == rows
    head, rest = pickle.loads(pickle.dumps(portion)).cut(5)
    middle, rest = rest.cut(2)
    assert [len(head), len(middle)] == [5, 2]
    assert head.rows() + middle.rows() + rest.rows() == rows
    assert _without_image(portion).rows() == rows
    assert _without_image(portion).cut(5)[1].rows() == rows[5:]


@pytest.mark.parametrize("image", [True, False])
def test_a_portion_is_stored_as_it_is_and_once(tmp_path: Path, image: bool) -> None:
    portion = _portion() if image else _without_image(_portion())
    with Store(tmp_path / "a.db") as store:
        run = store.begin_run(RunKey(RECIPE), {}, "sat")
        head, rest = portion.cut(4)
        told = {"next_index": 60, "candidates": 60, "seconds": 1.0}
        assert store.add_portions(run.id, [head], **told).kept == 4  # type: ignore[arg-type]
        assert store.add_portions(run.id, [portion], **told).kept == len(portion)  # type: ignore[arg-type]
        assert store.add_portions(run.id, [rest.cut(0)[0]], **told).kept == len(portion)  # type: ignore[arg-type]
        assert sql.puzzle_rows(list(store.puzzles()), run.id) == portion.rows()
        assert store.damage() == []
        with pytest.raises(DatabaseError, match="id of a run"):
            store.add_portions(7, [portion], **told)  # type: ignore[arg-type]
        # What is not of a portion is checked as ever.
        wrong = list(portion.rows()[0])
        wrong[sql.place_of("mines")] = 99
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            store._file.connection.execute(sql.INSERT_PUZZLE, wrong)


def test_portions_are_stored_together_and_what_one_repeats_counts_once(tmp_path: Path) -> None:
    portion = _portion()
    head, rest = portion.cut(4)
    middle, rest = rest.cut(3)
    with Store(tmp_path / "a.db") as store:
        run = store.begin_run(RunKey(RECIPE), {}, "sat")
        told = {"next_index": 60, "candidates": 60, "seconds": 1.0}
        portions = [head, _without_image(middle), middle, rest.cut(0)[0], rest, *[head] * 3]
        assert store.add_portions(run.id, portions, **told).kept == len(portion)  # type: ignore[arg-type]
        assert sql.puzzle_rows(list(store.puzzles()), run.id) == portion.rows()
        with pytest.raises(DatabaseError, match="id of a run"):
            store.add_portions(7, [head, rest], **told)  # type: ignore[arg-type]


def test_rows_that_can_not_be_are_refused_where_they_are_made() -> None:
    wrong = list(_portion().rows()[0])
    wrong[sql.place_of("mines")] = 99
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        checked([tuple(wrong)])
