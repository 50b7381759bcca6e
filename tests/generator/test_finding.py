"""Solvable puzzles without a database."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from minesweeper.db import Store
from minesweeper.generator import Limits, PuzzleFilter, Task, generate, puzzles, screen
from minesweeper.player import Recipe
from minesweeper.player.measure.difficulty import difficulty

RECIPE = Recipe(8, 8, 12, (3, 3), "opening", seed=5)


def test_puzzles_are_those_that_generate_stores(tmp_path: Path) -> None:
    with Store(tmp_path / "some.db") as store:
        generate(Task(RECIPE, wanted=PuzzleFilter("hard")), Limits(6), store, workers=1)
        stored = [record.puzzle for record in store.puzzles()]
    found = list(puzzles(RECIPE, 6, difficulty="hard"))
    assert found == stored
    for puzzle in found:
        screening = screen(puzzle)
        assert difficulty(screening.tally, screening.clues_at_once, puzzle.board.safe_cells).word == "hard"


def test_workers_find_the_same_puzzles() -> None:
    alone = list(puzzles(RECIPE, 30, needs_mine_count=False, min_bbbv=20))
    assert len(alone) == 30
    assert list(puzzles(RECIPE, 30, needs_mine_count=False, min_bbbv=20, workers=2)) == alone


def test_a_loop_may_be_left_early_and_small_recipes_run_out() -> None:
    assert len(list(islice(puzzles(RECIPE, 10**6), 3))) == 3
    # One mine in a row of three whose end is opened: two layouts, both solvable.
    assert len(list(puzzles(Recipe(1, 3, 1, (0, 0), "safe", seed=1), 99))) == 2
    assert list(puzzles(RECIPE, 0)) == []


def test_wrong_arguments_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="easy, medium"):
        puzzles(RECIPE, 3, difficulty="simple")
    with pytest.raises(ValueError, match="0 or more: -1"):
        puzzles(RECIPE, -1)
