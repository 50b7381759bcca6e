"""Repaired boards are solvable and reproducible, and their mines are spread evenly."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from minesweeper import Grid, certify
from minesweeper.generator.repair import is_repairable, repair, repair_range, repairable_mines
from minesweeper.generator.screening import screen
from minesweeper.player.core.errors import OutOfTime
from minesweeper.player.core.limits import time_limit
from minesweeper.player.core.recipe import Recipe, StartRule

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "click", "rule"),
    [(9, 9, 25, (0, 0), "opening"), (8, 12, 30, None, "opening"), (8, 8, 18, (4, 4), "safe")],
)
def test_repaired_boards_keep_their_mines_and_are_solvable(
    rows: int, cols: int, mines: int, click: tuple[int, int] | None, rule: StartRule
) -> None:
    recipe = Recipe(Grid(rows, cols), mines, click, rule, 3)
    repaired = list(repair_range(recipe, 0, 25))
    assert len(repaired) > 10
    for kept in repaired:
        board = kept.puzzle.board
        assert board.mines == mines
        assert kept.puzzle.first_click == recipe.puzzle(kept.index).first_click
        assert not any(board.mine_map[cell] for cell in StartRule(rule).zone(Grid(rows, cols), kept.puzzle.first_click))
        assert screen(kept.puzzle, "sat").solved
        certify(kept)


def test_a_solvable_board_is_unchanged() -> None:
    recipe = Recipe("9x9/10", seed=3)
    for index in range(20):
        puzzle = recipe.puzzle(index)
        if screen(puzzle).solved:
            kept = repair(recipe, index)
            assert kept is not None
            assert kept.puzzle == puzzle


@pytest.mark.parametrize(
    ("recipe", "count", "expected"),
    [
        (Recipe("9x9/30", seed=7), 12, "f4a4e498e10e0707"),
        (Recipe("16x30/170", seed=5), 4, "30b49f2ef429ee31"),
        (Recipe("16x30/150", click=None, rule="safe", seed=5), 5, "33ea06d984f34dc4"),
        (Recipe("9x9/36", click=(0, 8), rule="safe", seed=5), 20, "28cedca427b078de"),
        (Recipe("12x40/140", click=(11, 20), seed=5), 4, "12e6ae9965fd39dd"),
        (Recipe("5x70/90", click=None, rule="safe", seed=5), 6, "6f93176d923386de"),
        (Recipe("1x12/5", click=None, rule="safe", seed=5), 20, "e37f47bdafb988e0"),
        (Recipe("3x3/0", click=(0, 0), seed=5), 1, "fd1e0ffbdfd09169"),
    ],
    ids=lambda value: value.name if isinstance(value, Recipe) else None,
)
def test_repaired_puzzles_never_change(recipe: Recipe, count: int, expected: str) -> None:
    digest = hashlib.sha256()
    alone = [repair(recipe, index) for index in range(count)]
    for kept in repair_range(recipe, 0, count):
        digest.update(f"{kept.index} {kept.puzzle.id} {tuple(kept.screening.tally)}\n".encode())
        one = alone[kept.index]
        assert one is not None
        assert (one.puzzle, one.screening.tally) == (kept.puzzle, kept.screening.tally)
    assert digest.hexdigest()[:16] == expected


@settings(max_examples=20)
@given(
    size=st.tuples(st.integers(1, 8), st.integers(1, 8)),
    share=st.floats(0.1, 0.6),
    click=st.tuples(st.integers(0, 7), st.integers(0, 7)) | st.none(),
    rule=st.sampled_from(StartRule),
    seed=st.integers(0, 2**63 - 1),
    index=st.integers(0, 2**40),
)
def test_sat_proves_repaired_boards_of_all_sizes(
    size: tuple[int, int], share: float, click: tuple[int, int] | None, rule: StartRule, seed: int, index: int
) -> None:
    rows, cols = size
    first = None if click is None else (click[0] % rows, click[1] % cols)
    mines = int(rule.room(Grid(rows, cols), first or (rows // 2, cols // 2)) * share)
    recipe = Recipe(Grid(rows, cols), mines, first, rule, seed)
    if kept := repair(recipe, index):
        assert (kept.puzzle.board.mines, kept.puzzle.first_click) == (mines, recipe.puzzle(index).first_click)
        assert screen(kept.puzzle, "sat").tally == kept.screening.tally


def test_mines_do_not_pile_up_far_from_the_first_click() -> None:
    recipe = Recipe("10x16/48", click=(0, 0), seed=3)
    repaired = list(repair_range(recipe, 0, 400))
    assert len(repaired) > 200
    where = sum(kept.puzzle.board.mine_map.astype(float) for kept in repaired) / len(repaired)
    free = np.ones(where.shape, dtype=bool)
    free[tuple(np.transpose(StartRule.OPENING.zone(Grid(10, 16), (0, 0))))] = False
    uniform = 48 / free.sum()
    for axis in (0, 1):
        # Solvable boards of this density have a few more mines at the edges, also when drawn by rejection.
        density = np.where(free, where, 0).sum(axis=axis) / free.sum(axis=axis) / uniform
        assert density.min() > 0.85
        assert density.max() < 1.15


def test_yields_no_board_that_needs_a_guess() -> None:
    # The one mine among the three neighbours of the first click always leaves a guess.
    assert list(repair_range(Recipe("2x2/1", click=(0, 0), rule="safe", seed=0), 0, 20)) == []


def test_a_trial_of_repair_ends_in_time() -> None:
    assert is_repairable(Recipe("16x30/170", seed=1))
    assert is_repairable(Recipe("2x2/1", click=(0, 0), rule="safe", seed=0)) is False
    too_dense, large = Recipe("50x50/2000", seed=1), Recipe("2000x2000/760000", seed=1)
    assert is_repairable(too_dense, 1e-6) is False
    assert is_repairable(large, 1e-6) is None
    assert repairable_mines(too_dense) <= 1375
    with time_limit(1e-6), pytest.raises(OutOfTime):
        is_repairable(large)


def test_short_trials_ran_past_the_time_limit() -> None:
    with pytest.raises(OutOfTime), time_limit(1e-9):
        is_repairable(Recipe("1x400/10", rule="safe", seed=21))
