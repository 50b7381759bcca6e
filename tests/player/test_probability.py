"""Exact probabilities: against brute force, against ms_toollib, and the two counters against each other."""

import math
from collections import Counter
from pathlib import Path
from typing import cast

import ms_toollib
import numpy as np
import oracle
import pytest
import yaml
from hypothesis import given, settings, strategies as st
from rectangle import count_neighbours
from reference_solver import solve as reference_solve

from minesweeper import HIDDEN, Board, Cell, Grid, View
from minesweeper.player.core.errors import BoardError, InconsistentView, TooWide
from minesweeper.player.core.game import Game, Status
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import clue_probabilities, count_layouts, probabilities, sample_layouts

pytestmark = pytest.mark.kernel
POSITIONS = yaml.safe_load((Path(__file__).parent / "positions.yaml").read_text())


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: str(position["name"]))
def test_positions_have_the_layouts_worked_out_by_hand(position: dict[str, object]) -> None:
    view = View.from_text("\n".join(map(str, cast("list[object]", position["view"]))))
    assert count_layouts(view.to_text()) == position["layouts"]
    assert math.isclose(probabilities(view).log_layouts, math.log(cast("int", position["layouts"])), abs_tol=1e-12)


def test_the_sat_engine_has_the_chances_of_the_kernel_where_they_are_asked_for() -> None:
    view = played_view(1, 6, 6, 6, 3)
    found, counted = closure(view, "sat", chances=True), closure(view, "native", chances=True)
    assert closure(view, "sat").chances is None
    np.testing.assert_array_equal(found.chances, counted.chances)
    assert found.log_layouts == counted.log_layouts


def random_board(random: np.random.Generator, rows: int, cols: int, mines: int) -> Board:
    layout = np.zeros(rows * cols, dtype=np.bool_)
    layout[random.choice(rows * cols, mines, replace=False)] = True
    return Board(layout.reshape(rows, cols))


def random_view(seed: int, rows: int, cols: int, mines: int, opened: int) -> View:
    """A view of a random board with single cells open, not only such as a game reaches."""
    random = np.random.default_rng(seed)
    board = random_board(random, rows, cols, mines)
    safe = np.flatnonzero(board.safe_map)
    shown = np.zeros(rows * cols, dtype=np.bool_)
    shown[random.choice(safe, min(opened, safe.size), replace=False)] = True
    return board.view(shown.reshape(rows, cols))


def played_view(seed: int, rows: int, cols: int, mines: int, moves: int) -> View:
    """A view that a game reaches by opening safe cells at random."""
    random = np.random.default_rng(seed)
    board = random_board(random, rows, cols, mines)
    game = Game(board)
    for cell in random.permutation(np.argwhere(~board.mine_map))[:moves].tolist():
        if game.status is Status.PLAYING:
            game.open((cell[0], cell[1]))
    return game.view


@st.composite
def small_views(draw: st.DrawFn) -> View:
    rows = draw(st.integers(1, 4))
    cols = draw(st.integers(1, 4))
    mines = draw(st.integers(0, rows * cols - 1))
    opened = draw(st.integers(0, rows * cols - mines))
    return random_view(draw(st.integers(0, 2**32 - 1)), rows, cols, mines, opened)


@settings(max_examples=40)
@given(view=small_views())
def test_probabilities_equal_brute_force(view: View) -> None:
    layouts = oracle.layouts(view)
    result = probabilities(view)
    expected = np.where(view.cells == HIDDEN, np.mean(layouts, axis=0), np.nan)
    np.testing.assert_allclose(result.chances, expected, rtol=0, atol=1e-12)
    assert math.isclose(result.log_layouts, math.log(len(layouts)), abs_tol=1e-12)
    assert count_layouts(view) == reference_solve(view.lines, view.mines)[0] == len(layouts)


@settings(max_examples=30)
@given(view=small_views(), data=st.data())
def test_clue_probabilities_equal_brute_force(view: View, data: st.DataObject) -> None:
    hidden = [(int(row), int(col)) for row, col in np.argwhere(view.cells == HIDDEN)]
    if not hidden:
        return
    cell = data.draw(st.sampled_from(hidden))
    layouts = oracle.layouts(view)
    shown = Counter(int(count_neighbours(layout)[cell]) for layout in layouts if not layout[cell])
    expected = [shown[clue] / len(layouts) for clue in range(9)]
    np.testing.assert_allclose(clue_probabilities(view, cell), expected, rtol=0, atol=1e-12)


@settings(max_examples=50)
@given(view=small_views(), data=st.data())
def test_contradictions_raise_exactly_when_brute_force_finds_no_layout(view: View, data: st.DataObject) -> None:
    opened = [(int(row), int(col)) for row, col in np.argwhere(view.cells != HIDDEN)]
    if not opened:
        return
    cells = view.cells.copy()
    cells[data.draw(st.sampled_from(opened))] = data.draw(st.integers(0, 8))
    altered = View(cells, view.mines)
    possible = len(oracle.layouts(altered)) > 0
    assert (count_layouts(altered) > 0) is possible
    if possible:
        probabilities(altered)
        return
    with pytest.raises(InconsistentView):
        probabilities(altered)
    with pytest.raises(InconsistentView):
        sample_layouts(altered, 1, 0)


@pytest.mark.parametrize(("rows", "cols", "mines"), [(8, 8, 10), (9, 9, 10), (16, 16, 40), (16, 30, 99), (5, 40, 50)])
def test_the_kernel_counts_as_the_reference_solver_and_ms_toollib_in_games(rows: int, cols: int, mines: int) -> None:
    for seed in range(0, 10, 2):
        view = played_view(seed, rows, cols, mines, 3 + 3 * seed)
        native = probabilities(view)
        total, chances = reference_solve(view.lines, mines)
        for cell, chance in chances.items():
            assert math.isclose(native.chances[cell], chance, rel_tol=0, abs_tol=1e-11)
        assert math.isclose(native.log_layouts, math.log(total), rel_tol=1e-12, abs_tol=1e-12)
        hidden = view.cells == HIDDEN
        theirs, _ = ms_toollib.cal_probability_onboard(np.where(hidden, 10, view.cells).tolist(), mines)
        np.testing.assert_allclose(native.chances[hidden], np.array(theirs)[hidden], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("mines", "opened"), [(1000, 500), (2000, 1500), (3000, 1000), (9000, 500)])
def test_large_boards_do_not_overflow(mines: int, opened: int) -> None:
    view = random_view(3, 100, 100, mines, opened)
    result = probabilities(view)
    hidden = view.cells == HIDDEN
    assert np.all((result.chances[hidden] >= 0) & (result.chances[hidden] <= 1))
    assert math.isclose(result.chances[hidden].sum(), mines, rel_tol=1e-10)
    everything = math.lgamma(10001) - math.lgamma(mines + 1) - math.lgamma(10001 - mines)
    assert 0 < result.log_layouts < everything


def test_long_components_and_rare_layouts_are_counted_exactly() -> None:
    # A 4 in every other cell of the middle row: one component of 2498 cells. The fewest and the most mines that fit are
    # so rare among its layouts that their share is far below what a double can hold.
    cells = np.full((3, 999), HIDDEN, dtype=np.int8)
    cells[1, 1::2] = 4
    counts = count_strip(499)
    for mines in (min(counts), 1100, max(counts)):
        view = View(cells, mines)
        result = probabilities(view)
        assert math.isclose(np.nansum(result.chances), mines, rel_tol=1e-12)
        assert math.isclose(result.log_layouts, math.log(counts[mines]), rel_tol=1e-11, abs_tol=1e-9)


def test_rare_layouts_of_many_components_are_counted_exactly() -> None:
    # Rows of blocks of six cells, with holes between them. The first five cells of a block have a mine in the middle
    # or one at each end, and the sixth is unconstrained. So a layout has a mine for each block, and one for each sixth
    # cell and each pair of ends that it chooses. Layouts with few of these are rare.
    cells, holes = np.zeros((31, 3996), dtype=np.int8), np.zeros((31, 3996), dtype=np.bool_)
    cells[::2] = np.tile(np.array([HIDDEN, 1, HIDDEN, 1, HIDDEN, HIDDEN]), 666)
    holes[1::2] = True
    grid, blocks, more = Grid(*cells.shape).with_holes(holes), 16 * 666, 873
    result = probabilities(View(cells, blocks + more, grid))
    assert math.isclose(result.log_layouts, math.log(math.comb(2 * blocks, more)), rel_tol=1e-8)
    share = more / (2 * blocks)
    expected = np.tile([share, np.nan, 1 - share, np.nan, share, share], (16, 666))
    np.testing.assert_allclose(result.chances[::2], expected, rtol=0, atol=1e-12)


def count_strip(clues: int) -> Counter[int]:
    """Count the layouts around a row of 4s by mines: they share columns of 3 cells and have 2 of their own."""
    ways = {column: Counter({column: math.comb(3, column)}) for column in range(4)}
    for _ in range(clues):
        after = {column: Counter[int]() for column in range(4)}
        for left, counts in ways.items():
            for right in range(4):
                own = 4 - left - right
                if 0 <= own <= 2:
                    for mines, count in counts.items():
                        after[right][mines + own + right] += count * math.comb(2, own) * math.comb(3, right)
        ways = after
    return sum(ways.values(), Counter())


def test_the_kernel_counts_layouts_exactly() -> None:
    for seed in range(20):
        view = played_view(seed, 16, 30, 99, 1 + seed // 2)
        assert count_layouts(view) == reference_solve(view.lines, 99)[0]


def test_counts_too_large_for_doubles_are_refused() -> None:
    # Clues two columns apart share cells: they are one component.
    mines = np.random.default_rng(1).random((3, 60)) < 0.4
    mines[1, ::2] = False
    cells = np.full((3, 60), HIDDEN, dtype=np.int8)
    cells[1, ::2] = count_neighbours(mines)[1, ::2]
    view = View(cells, int(np.count_nonzero(mines)))
    with pytest.raises(TooWide, match="too many layouts to count them exactly"):
        count_layouts(view)
    total, _ = reference_solve(view.lines, view.mines)
    assert total > 2**53
    assert math.isclose(math.log(total), probabilities(view).log_layouts, rel_tol=1e-12)


def test_samples_are_uniform() -> None:
    view = View.from_text("#####\n#12##\n##3##\n#####", mines=5)
    total = count_layouts(view)
    drawn = sample_layouts(view, 20 * total, 1)
    seen = Counter(layout.tobytes() for layout in drawn)
    for layout in drawn[:50]:
        assert np.all((view.cells == HIDDEN) | (view.cells == count_neighbours(layout)))
        assert np.count_nonzero(layout) == view.mines
    chi_square = sum((seen[key] - 20) ** 2 / 20 for key in seen) + 20 * (total - len(seen))
    # The statistic has mean `total - 1` and variance twice that; 4.5 deviations happen by chance once in 300,000.
    assert abs(chi_square - (total - 1)) < 4.5 * math.sqrt(2 * (total - 1))


def test_samples_depend_on_the_seed_only() -> None:
    view = played_view(5, 9, 9, 10, 2)
    once = sample_layouts(view, 5, 7)
    assert np.array_equal(once, sample_layouts(view, 5, 7))
    assert not np.array_equal(once, sample_layouts(view, 5, 8))
    assert once.shape == (5, 9, 9)
    assert once.dtype == np.bool_
    assert sample_layouts(view, 0, 7).shape == (0, 9, 9)


@pytest.mark.parametrize("cell", [(0, 0), (-1, 2), (2, 3)])
def test_clues_are_asked_of_hidden_cells_only(cell: Cell) -> None:
    view = View.from_text("1##\n###", mines=1)
    with pytest.raises(BoardError, match=r"expected a (hidden )?cell"):
        clue_probabilities(view, cell)


def test_bad_arguments_raise() -> None:
    view = View.from_text("1##\n###", mines=1)
    with pytest.raises(ValueError, match="is out of range"):
        sample_layouts(view, 1, -1)
    with pytest.raises(ValueError, match="is out of range"):
        sample_layouts(view, 1, 2**64)
    with pytest.raises(ValueError, match="is negative"):
        sample_layouts(view, -1, 0)


def test_views_too_wide_for_memory_say_so() -> None:
    # Every other cell is open, so all clues are in one component, in both directions.
    random = np.random.default_rng(1)
    layout = random.random((99, 99)) < 0.5
    layout[::2, ::2] = False
    cells = np.full((99, 99), HIDDEN, dtype=np.int8)
    cells[::2, ::2] = count_neighbours(layout)[::2, ::2]
    view = View(cells, int(np.count_nonzero(layout)))
    with pytest.raises(TooWide):
        probabilities(view)
    with pytest.raises(TooWide):
        count_layouts(view)
