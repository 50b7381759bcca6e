"""Many positions in arrays: against brute force, and against the functions for one view and one game."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from views import wide_view

from minesweeper import (
    HIDDEN,
    Board,
    Grid,
    OutOfTime,
    Puzzle,
    Recipe,
    View,
    closure,
    play,
    play_many,
    probabilities,
    time_limit,
)
from minesweeper.player.logic.bulk import Positions, SolvedViews, positions, solve_many
from minesweeper.player.play.replay import Replay
from minesweeper.player.play.strategies.optimal import best_play

pytestmark = pytest.mark.kernel

EXPERT = Recipe("expert", seed=3)


def check_against_single_views(found: SolvedViews) -> None:
    """Compare every view with `closure`, one in five by the definition, and with `probabilities`."""
    assert found.chances is not None
    for number, cells in enumerate(found.views):
        view = View(cells, int(found.mines[number]))
        known, counted = closure(view, "sat" if number % 5 == 0 else "native"), probabilities(view)
        assert (found.safe_map[number] == known.safe_map).all()
        assert (found.mine_map[number] == known.mine_map).all()
        assert (found.tiers[number] == known.tiers).all()
        np.testing.assert_allclose(found.chances[number], counted.chances, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.log_layouts[number], counted.log_layouts, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_small_views_equal_brute_force(seed: int) -> None:
    # Half of the views have a wrong clue or number of mines, so that often no layout fits.
    rng = np.random.default_rng(seed)
    boards = [Board(rng.random((3, 4)) < rng.uniform(0.1, 0.6)) for _ in range(200)]
    views = np.stack([np.where((rng.random((3, 4)) < 0.5) & ~one.mine_map, one.clues, HIDDEN) for one in boards])
    mines = np.array([board.mines for board in boards])
    views[::4, 1, 1] = rng.integers(0, 9, len(views[::4]))
    mines[2::4] = np.clip(mines[2::4] + rng.integers(-1, 2, len(mines[2::4])), 0, 12)
    found = solve_many(views, mines)
    assert found.chances is not None
    fitting = 0
    for number, cells in enumerate(views):
        hidden = cells == HIDDEN
        too_many = mines[number] > hidden.sum()
        layouts = np.empty((0, 3, 4)) if too_many else oracle.layouts(View(cells.astype(np.int8), int(mines[number])))
        if not len(layouts):
            assert found.log_layouts[number] == -np.inf
            assert not (found.safe_map[number] | found.mine_map[number] | found.tiers[number]).any()
            assert np.isnan(found.chances[number]).all()
            continue
        fitting += 1
        np.testing.assert_allclose(
            found.chances[number], np.where(hidden, layouts.mean(axis=0), np.nan), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(np.exp(found.log_layouts[number]), len(layouts), rtol=1e-12)
        assert (found.safe_map[number] == (hidden & ~layouts.any(axis=0))).all()
        assert (found.mine_map[number] == (hidden & layouts.all(axis=0))).all()
    assert 100 < fitting < 190


def test_every_move_is_a_click_of_play() -> None:
    recipe = Recipe("16x16/45", seed=4)
    found = positions(recipe, range(2, 5), when="every move")
    for index in (2, 3, 4):
        puzzle = recipe.puzzle(index)
        result = play(puzzle, "safest", keep_moves=True)
        replay = Replay(puzzle, result.moves)
        rows = np.flatnonzero(found.game == index)
        assert found.turn[rows].tolist() == list(range(len(replay.clicks) - 1))
        for number, click in zip(rows, replay.clicks[1:], strict=True):
            assert (found.views[number] == replay.after(int(found.turn[number]) + 1).view.cells).all()
            assert tuple(found.cell[number]) == click.cell
        assert (found.won[rows] == result.won).all()
        assert int((found.tier[rows] == 0).sum()) == result.guesses
    check_against_single_views(found)


@pytest.mark.parametrize("recipe", [EXPERT, Recipe("9x9/10", click=None, rule="safe", seed=5)])
@pytest.mark.parametrize("strategy", ["safest", "champion"])
def test_guesses_are_the_positions_without_safe_cells(recipe: Recipe, strategy: str) -> None:
    every = positions(recipe, 12, when="every move", strategy=strategy)
    guesses = positions(recipe, 12, strategy=strategy)
    chosen = every.tier == 0
    for name in Positions.__dataclass_fields__:
        if name not in ("grid", "mine_range"):
            np.testing.assert_array_equal(getattr(guesses, name), getattr(every, name)[chosen])
    assert not guesses.safe_map.any()
    results = list(play_many(recipe, 12, strategy))
    assert np.bincount(guesses.game, minlength=12).tolist() == [result.guesses for result in results]
    assert all(results[game].won == won for game, won in zip(guesses.game, guesses.won, strict=True))
    assert every.safety is not None
    assert (every.safety[~chosen] == 1).all()
    assert (every.safety[chosen] < 1).all()


def test_win_is_the_share_of_layouts_that_perfect_play_wins() -> None:
    found = positions(Recipe("4x4/4", seed=1, click="corner", rule="safe"), 60, strategy="champion")
    solved = np.flatnonzero(~np.isnan(found.win))
    assert len(solved) > 30
    for number in solved[:30]:
        best = best_play(View(found.views[number], 4))
        np.testing.assert_allclose(found.win[number], best.wins / best.layouts, rtol=1e-9)


def test_the_result_does_not_depend_on_workers_batches_or_chances() -> None:
    found = positions(EXPERT, 30)
    assert positions(EXPERT, 30, workers=2) == found
    parts = [positions(EXPERT, range(start, start + 10)) for start in (0, 10, 20)]
    assert (np.concatenate([part.views for part in parts]) == found.views).all()
    assert (np.concatenate([part.chances for part in parts if part.chances is not None])[0] == found.chances[0]).any()
    puzzles = [EXPERT.puzzle(index) for index in range(30)]
    assert positions(puzzles, 30) == found
    chosen = positions(puzzles, range(1, 30, 7))
    assert (chosen.views == found.views[np.isin(found.game, chosen.game)]).all()
    assert set(chosen.game) == set(found.game) & {1, 8, 15, 22, 29}
    without = positions(EXPERT, 30, chances=False)
    assert without.chances is without.safety is None
    assert (without.mine_map == found.mine_map).all()
    assert np.isnan(without.log_layouts).all()
    assert len(positions(EXPERT, 0)) == 0


def test_views_in_any_integer_type_and_from_several_threads() -> None:
    found = positions(EXPERT, 20)
    one = solve_many(found.views, 99)
    for other in (found.views.astype(np.int64), np.asfortranarray(found.views), found.views.tolist()):
        assert solve_many(other, found.mines) == one
    with ThreadPoolExecutor(4) as pool:
        assert all(again == one for again in pool.map(lambda _: solve_many(found.views, 99), range(8)))
    assert len(solve_many(np.empty((0, 16, 30), dtype=np.int8), 99)) == 0


def test_views_too_wide_for_the_kernel_are_incomplete() -> None:
    view = wide_view(48)
    found = solve_many(view.cells[np.newaxis], view.mines)
    known = closure(view, chances=True)
    assert not found.complete[0]
    assert not (found.safe_map[0] & ~known.safe_map).any()
    assert not (found.mine_map[0] & ~known.mine_map).any()
    assert known.complete
    assert known.chances is not None
    assert (known.chances[known.mine_map] == 1).all()
    assert np.isnan(known.chances[(view.cells == HIDDEN) & (known.tiers == 0)]).all()
    assert np.isnan(known.log_layouts)
    assert np.isnan(found.log_layouts[0])


@pytest.mark.long
def test_a_wide_view_without_layouts_is_a_result() -> None:
    found = solve_many(wide_view(48).cells[np.newaxis], 1)
    assert found.log_layouts[0] == -np.inf
    assert found.chances is not None
    assert np.isnan(found.chances).all()
    assert not (found.safe_map | found.mine_map).any()
    full = wide_view(48).cells.size
    assert solve_many(wide_view(48).cells[np.newaxis], full, chances=False).log_layouts[0] == -np.inf


@pytest.mark.parametrize(
    ("views", "mines", "message"),
    [
        (np.zeros((3, 3), dtype=np.int8), 1, r"invalid views \(3, 3\) of int8; expected three dimensions of integers"),
        (np.zeros((1, 3, 3), dtype=np.bool_), 1, "of bool; expected three dimensions of integers"),
        (["#1", "1#"], [1, 1, 1], "expected a number, or one for each of 2 views"),
        (np.full((1, 3, 3), 9), 1, r"invalid cell 9; expected -1 \(hidden\) or a clue 0 to 8"),
        (np.full((1, 3, 3), -2), 1, "invalid cell -2"),
        (np.full((1, 3, 3), 255), 1, "invalid cell 255"),
        (np.zeros((2, 3, 3), dtype=np.int8), [1, 1, 1], "expected a number, or one for each of 2 views"),
        (np.zeros((2, 3, 3), dtype=np.int8), 10, "invalid 10; expected mines from 0 to 9"),
        (np.zeros((2, 3, 3), dtype=np.int8), [0, -1], "invalid -1; expected mines"),
        (np.zeros((2, 0, 3), dtype=np.int8), 0, "sides of 1 to 4000 cells"),
    ],
)
def test_rejects_other_arrays(views: NDArray[Any], mines: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solve_many(views, mines)


def test_rejects_other_arguments() -> None:
    with pytest.raises(ValueError, match=r"unknown moment 'guesses'.*expected 'guess' or 'every move'"):
        positions(EXPERT, 1, when="guesses")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected quick, safest"):
        positions(EXPERT, 1, strategy="best")
    with pytest.raises(ValueError, match="consecutive"):
        positions(EXPERT, range(0, 10, 2))
    with pytest.raises(TypeError, match="cannot play 'expert': expected a Recipe or a list of puzzles"):
        positions("expert", 1)  # type: ignore[arg-type]
    several = [Puzzle(Board.from_cells(Grid(1, cols), []), (0, 0)) for cols in (2, 3)]
    with pytest.raises(ValueError, match="several sizes"):
        positions(several, 2)
    with pytest.raises(ValueError, match="no puzzles"):
        positions([], 0)


def test_time_limits_apply() -> None:
    with pytest.raises(OutOfTime), time_limit(1e-9):
        solve_many(np.full((10**4, 16, 30), HIDDEN, dtype=np.int8), 99)


@pytest.mark.long
def test_a_hundred_thousand_positions_equal_single_views() -> None:
    total = 0
    for start in range(0, 10**6, 50):
        found = positions(EXPERT, range(start, start + 50), when="every move")
        check_against_single_views(found)
        total += len(found)
        if total >= 10**5:
            return
