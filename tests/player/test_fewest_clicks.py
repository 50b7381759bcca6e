"""Plans of the fewest clicks: a search of all plans on small boards, and a checker that plays every plan."""

from random import Random

import numpy as np
import pytest
from plain_clicks import ClickedBoard
from rectangle import neighbours as near_on_rectangle
from test_grids import NAMES, grid_named, neighbours, small_grid

import minesweeper as ms
from minesweeper.player.core.errors import BoardError

pytestmark = pytest.mark.kernel


def clicked(board: ms.Board) -> ClickedBoard:
    mines = [(row, col) for row, col in np.argwhere(board.mine_map).tolist()]
    grid = board.grid
    if grid.label:
        return ClickedBoard(neighbours(grid), mines)
    return ClickedBoard({cell: set(near_on_rectangle(*grid.shape, cell)) for cell in np.ndindex(grid.shape)}, mines)


def played(board: ms.Board, plan: ms.ClickPlan, *, count_flags: bool = True) -> dict[str, int]:
    counts = clicked(board).play(plan.clicks)
    assert plan.count == counts["left"] + counts["chord"] + counts["flag"] * count_flags
    assert plan.bound <= plan.count
    return counts


def random_boards(grid: ms.Grid, count: int, most_3bv: int, random: Random) -> list[ms.Board]:
    """Return boards that a search of all plans can clear."""
    boards: list[ms.Board] = []
    cells = [divmod(number, grid.cols) for number in grid.numbers]
    while len(boards) < count:
        mines = random.sample(cells, random.randint(1, max(len(cells) // 4, 2)))
        board = ms.Board.from_cells(grid, mines)
        if ms.metrics(board).bbbv <= most_3bv:
            boards.append(board)
    return boards


@pytest.mark.parametrize("name", NAMES)
def test_plans_have_the_fewest_clicks_of_all_plans(name: str) -> None:
    random = Random(name)
    grid = small_grid(name)
    for board in random_boards(grid, 8, 7 if len(grid.numbers) <= 20 else 5, random):
        search = clicked(board)
        first = random.choice([None, random.choice(search.safe)])
        count_flags = random.random() < 0.7
        plan = ms.fewest_clicks(board, first, None, count_flags=count_flags)
        played(board, plan, count_flags=count_flags)
        assert first in (None, plan.clicks[0].cell)
        assert plan.proved
        assert plan.count == search.fewest(first, int(count_flags))


@pytest.mark.parametrize("size", ["5x5/4", "5x5/6", "3x7/5", "1x12/3", "2x9/5"])
def test_plans_of_small_rectangles_have_the_fewest_clicks_of_all_plans(size: str) -> None:
    random = Random(size)
    rows, cols, mines = map(int, size.replace("/", "x").split("x"))
    cells = [divmod(number, cols) for number in range(rows * cols)]
    compared = 0
    while compared < 10:
        board = ms.Board.from_cells(ms.Grid(rows, cols), random.sample(cells, mines))
        if ms.metrics(board).bbbv > 8:
            continue
        compared += 1
        first = random.choice([None, random.choice(clicked(board).safe)])
        plan = ms.fewest_clicks(board, first, None)
        played(board, plan)
        assert plan.count == plan.bound == clicked(board).fewest(first)


@pytest.mark.parametrize("name", NAMES)
def test_plans_of_larger_boards_can_be_played(name: str) -> None:
    random = Random(name)
    grid = grid_named(10, 9, name)
    cells = [divmod(number, grid.cols) for number in grid.numbers]
    board = ms.Board.from_cells(grid, random.sample(cells, len(cells) // 6))
    first = random.choice([cell for cell in cells if not board.mine_map[cell]])
    for start in (None, first):
        plan = ms.fewest_clicks(board, start, None, most_work=300_000)
        played(board, plan)
        assert start in (None, plan.clicks[0].cell)
        assert plan.count <= plan.bbbv + 1
        assert plan == ms.fewest_clicks(board, start, None, most_work=300_000)


def test_proved_plans_have_no_more_clicks_than_zini() -> None:
    recipe = ms.Recipe("intermediate", seed=4)
    for index in range(3):
        board = recipe.puzzle(index).board
        plan = ms.fewest_clicks(board, None, None, most_work=2_000_000)
        counts = played(board, plan)
        metrics = ms.metrics(board)
        assert counts["chord"]
        assert counts["flag"]
        assert plan.bound <= plan.count <= min(metrics.greedy_zini, metrics.human_zini)
        assert plan.efficiency >= metrics.efficiency_bound


def test_a_better_state_was_dropped() -> None:
    """The search proved 50 clicks, because it dropped a state for one that was worse."""
    mines = "0820814000008c500821b180022221814042c000128060008800000028000020"
    board = ms.Board.from_bytes(ms.Grid(16, 16), bytes.fromhex(mines))
    plan = ms.fewest_clicks(board, time_limit=None)
    played(board, plan)
    assert (plan.count, plan.proved) == (49, True)


def test_a_plan_without_flags_has_3bv_clicks() -> None:
    for board in random_boards(ms.Grid(8, 8), 10, 60, Random(1)):
        plan = ms.fewest_clicks(board, flags=False)
        assert played(board, plan) == {"left": plan.bbbv, "flag": 0, "chord": 0}
        assert plan.proved
        assert plan.efficiency == 1


def test_a_search_that_ends_early_has_a_plan_and_a_bound() -> None:
    board = ms.Recipe("30x30/180", seed=2).puzzle(0).board
    for plan in (ms.fewest_clicks(board, time_limit=1e-9), ms.fewest_clicks(board, None, None, most_work=1)):
        played(board, plan)
        assert 0 <= plan.bound < plan.count


def test_boards_without_safe_cells_or_mines() -> None:
    full = ms.fewest_clicks(ms.Board(np.ones((2, 3), dtype=bool)))
    assert (full.clicks, full.count, full.proved, full.efficiency) == ((), 0, True, 0.0)
    empty = ms.fewest_clicks(ms.Board(np.zeros((2, 3), dtype=bool)), (1, 2))
    assert empty.clicks == (("left", (1, 2)),)
    assert empty.proved


def test_arguments_of_fewest_clicks_are_checked() -> None:
    board = ms.Board.from_cells(ms.Grid(3, 3), [(0, 0)])
    with pytest.raises(BoardError, match=r"first click \(0, 0\) is a mine; expected a safe cell"):
        ms.fewest_clicks(board, (0, 0))
    with pytest.raises(BoardError, match="limit 0 is out of range; expected more than 0 seconds, or None"):
        ms.fewest_clicks(board, time_limit=0)
    with pytest.raises(BoardError, match="limit -1 is out of range; expected more than 0 comparisons, or None"):
        ms.fewest_clicks(board, most_work=-1)
    with pytest.raises(TypeError, match="expected a Board or a Puzzle, got str"):
        ms.fewest_clicks("3x3")  # type: ignore[arg-type]
