"""Boards that ms_toollib generates as solvable are solvable; test_transfer imports those of sgt-mines."""

import ms_toollib
import numpy as np
import pytest

from minesweeper.generator.screening import screen
from minesweeper.player.core.board import Board, Puzzle


@pytest.mark.parametrize(("rows", "cols", "mines"), [(16, 30, 99), (16, 16, 40), (9, 9, 10)])
def test_solvable_boards_of_ms_toollib_are_solvable(rows: int, cols: int, mines: int) -> None:
    for _ in range(15):
        clues, solvable = ms_toollib.laymine_solvable(rows, cols, mines, rows // 2, cols // 2, 100_000)
        assert solvable
        puzzle = Puzzle(Board(np.array(clues) == -1), (rows // 2, cols // 2))
        assert puzzle.board.mines == mines
        assert screen(puzzle).solved, puzzle.board.to_text()
