"""The symmetric images of a puzzle on a rectangle, apart from `minesweeper.player.core.grid`."""

import numpy as np

from minesweeper.player.core.board import Board, Puzzle

SYMMETRIES = range(8)


def turned(puzzle: Puzzle, symmetry: int) -> Puzzle:
    """Rotate or mirror a puzzle: 0 is the identity, 1 to 3 are quarter turns to the left, 4 to 7 their mirrors."""
    click = np.zeros_like(puzzle.board.mine_map)
    click[puzzle.first_click] = True
    mines, click = (np.rot90(marks, symmetry % 4) for marks in (puzzle.board.mine_map, click))
    if symmetry >= 4:
        mines, click = np.fliplr(mines), np.fliplr(click)
    return Puzzle(Board(mines), np.argwhere(click)[0])
