"""Board metrics, against ms_toollib."""

from operator import attrgetter

import ms_toollib
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from rectangle import neighbours

from minesweeper import Game, Grid, Recipe
from minesweeper.player.core.board import Board, Puzzle, cells_of
from minesweeper.player.logic.metrics import measure_all, measures, metrics

pytestmark = pytest.mark.kernel

SIZES = [(1, 1), (2, 2), (3, 3), (1, 9), (2, 9), (3, 9), (9, 1), (5, 8), (9, 9), (16, 16), (16, 30), (30, 16), (20, 7)]
KNOWN_TO_BOTH = attrgetter("bbbv", "openings", "islands", "greedy_zini", "human_zini", "buried")


def of_ms_toollib(board: Board) -> tuple[int, ...]:
    other = ms_toollib.Board(board.clues.astype(int).tolist())
    around = (neighbours(board.rows, board.cols, mine) for mine in cells_of(board.mine_map))
    buried = sum(all(board.mine_map[near] for near in cells) for cells in around)
    return other.bbbv, other.op, other.isl, other.zini, other.hzini, buried


def boards(size: tuple[int, int], count: int, seed: int) -> list[Board]:
    random = np.random.default_rng(seed)
    return [
        Board(random.random(size) < random.uniform(0.0, 0.6 if size[0] * size[1] < 100 else 0.3)) for _ in range(count)
    ]


@pytest.mark.parametrize("size", SIZES)
def test_kernel_equals_ms_toollib(size: tuple[int, int]) -> None:
    found = boards(size, 400, 1)
    assert [KNOWN_TO_BOTH(metrics(board)) for board in found] == [of_ms_toollib(board) for board in found]


@pytest.mark.parametrize("size", [(100, 70), (5, 1000), (1000, 5)])
def test_kernel_equals_ms_toollib_on_large_boards(size: tuple[int, int]) -> None:
    found = boards(size, 5, 3)
    assert [KNOWN_TO_BOTH(metrics(board)) for board in found] == [of_ms_toollib(board) for board in found]


def test_boards_of_several_sizes_keep_their_order() -> None:
    mixed = [Recipe(Grid(4 + index % 3, 6), 5, (1, 1), "opening", 1).puzzle(index).board for index in range(12)]
    assert [KNOWN_TO_BOTH(metrics(board)) for board in mixed] == [of_ms_toollib(board) for board in mixed]


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    rows, cols = draw(st.sampled_from([(1, 1), (1, 6), (5, 4), (7, 7)]))
    cells = draw(st.lists(st.integers(0, 4).map(lambda number: not number), min_size=rows * cols, max_size=rows * cols))
    click = draw(st.integers(0, rows * cols - 1))
    cells[click] = False
    return Puzzle(Board(np.array(cells).reshape(rows, cols)), divmod(click, cols))


@given(st.lists(puzzles(), max_size=8))
@settings(deadline=None, max_examples=40)
def test_the_first_opening_is_what_a_game_opens(found: list[Puzzle]) -> None:
    measured = list(measure_all(found))
    assert measured == [measures(puzzle) for puzzle in found]
    for puzzle, one in zip(found, measured, strict=True):
        assert one.first_opening == len(Game(puzzle.board).open(puzzle.first_click))
        assert one.first_opening == len(puzzle.board.opening(puzzle.first_click))
        assert one.bbbv == metrics(puzzle.board).bbbv == metrics(puzzle).bbbv


def test_small_board_computed_by_hand() -> None:
    # One opening with its rim on the left; the cells right of the mines are an island of three.
    board = Board.from_text("..*.\n..*.\n..*.")
    found = metrics(board)
    assert (found.bbbv, found.openings, found.islands) == (4, 1, 1)
    # The opening, and the three cells of the island one by one: three flags and a chord would cost more.
    assert (found.greedy_zini, found.human_zini) == (4, 4)
    assert found.efficiency_bound == 1.0
    assert metrics(Board.from_text("**")).efficiency_bound == 0.0


def test_flags_raise_the_efficiency_above_one() -> None:
    found = metrics(Board.from_text("...\n.*.\n..."))
    # Eight single clicks, or one click, one flag and two chords on opposite sides that open the rest.
    assert found.bbbv == 8
    assert found.greedy_zini < 8
    assert found.efficiency_bound == 8 / found.greedy_zini
