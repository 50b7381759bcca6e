"""The rules of the game."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from rectangle import neighbours

from minesweeper import HIDDEN, Board, Grid
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.recipe import StartRule

BOARD = Board.from_text("....\n....\n...*\n*...")


def _flood(board: Board, start: tuple[int, int]) -> set[tuple[int, int]]:
    """The opening of a cell, one cell at a time."""
    found, waiting = {start}, [start]
    while waiting:
        cell = waiting.pop()
        if board.clues[cell] == 0:
            new = set(neighbours(board.rows, board.cols, cell)) - found
            found |= new
            waiting += new
    return found


@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(1, 8))
def test_opening_floods_zeros_and_their_rim(seed: int, rows: int, cols: int) -> None:
    rng = np.random.default_rng(seed)
    board = Board(rng.random((rows, cols)) < 0.15)
    game = Game(board)
    opened: set[tuple[int, int]] = set()
    for row, col in np.argwhere(~board.mine_map).tolist():
        if game.status is not Status.PLAYING:
            break
        new = set(game.open((row, col)))
        assert new == _flood(board, (row, col)) - opened
        opened |= new
        shown = game.view.cells
        assert {tuple(cell) for cell in np.argwhere(shown != HIDDEN).tolist()} == opened
        assert all(shown[cell] == board.clues[cell] for cell in opened)
    assert game.status is Status.WON or board.mines == rows * cols


def test_a_mine_loses_and_ends_the_game() -> None:
    game = Game(BOARD)
    assert game.open((2, 3)) == []
    assert game.status is Status.LOST
    assert game.exploded == ((2, 3),)
    assert game.view.cells[2, 3] == HIDDEN
    assert game.open((0, 0)) == []


def test_a_flagged_cell_is_not_opened() -> None:
    game = Game(BOARD)
    assert game.flag((2, 3)) is True
    assert game.open((2, 3)) == []
    assert game.status is Status.PLAYING
    assert game.flag((2, 3)) is False
    game.flag((0, 0))
    # A flood removes flags.
    game.open((0, 2))
    assert game.flags == frozenset()


def test_a_chord_needs_flags_that_equal_the_clue() -> None:
    game = Game(BOARD)
    game.open((3, 2))
    assert game.chord((3, 2)) == []
    game.flag((2, 3))
    assert {(2, 2), (3, 3), (2, 1), (3, 1)} <= set(game.chord((3, 2)))
    assert game.chord((0, 0)) == []


def test_a_chord_with_a_wrong_flag_opens_the_rest_and_loses() -> None:
    game = Game(BOARD)
    game.open((3, 2))
    game.flag((3, 3))
    opened = game.chord((3, 2))
    assert game.status is Status.LOST
    assert game.exploded == ((2, 3),)
    assert (3, 1) in opened


def test_moves_off_the_board_are_refused() -> None:
    for cell in ((4, 0), (0, 4), (-1, 0)):
        with pytest.raises(BoardError, match="cell of 4x4"):
            Game(BOARD).open(cell)


def test_start_zones() -> None:
    assert StartRule.SAFE.zone(Grid(3, 3), (0, 0)) == [(0, 0)]
    assert StartRule.OPENING.zone(Grid(3, 3), (0, 0)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    StartRule.OPENING.check_mines(Grid(3, 3), 5, (0, 0))
    with pytest.raises(BoardError, match="expected 0 to 5"):
        StartRule.OPENING.check_mines(Grid(3, 3), 6, (0, 0))
    with pytest.raises(BoardError, match="'lucky'"):
        StartRule.named("lucky")
    with pytest.raises(BoardError, match="cell of 3x3"):
        StartRule.SAFE.zone(Grid(3, 3), (3, 0))


def test_boards_without_mines_or_without_safe_cells_are_won() -> None:
    assert Game(Board(np.ones((2, 2), dtype=bool))).status is Status.WON
    game = Game(Board(np.zeros((300, 300), dtype=bool)))
    assert len(game.open((0, 0))) == 300**2
    assert game.status is Status.WON


def test_a_view_leads_nowhere_near_the_mines() -> None:
    game = Game(BOARD)
    game.open((0, 0))
    view = game.view
    assert set(vars(view)) == {"cells", "mine_count", "grid"}
    assert view.cells.base is None
