"""Random small views for property tests, and the value of their cells."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from rectangle import count_neighbours

from minesweeper import HIDDEN, Board, Cell, View
from minesweeper.player.core.errors import StrategyError
from minesweeper.player.play.strategies.optimal import best_play


def random_view(rng: np.random.Generator, max_cells: int = 16, *, consistent: bool = True) -> View:
    """Show some safe cells of a random board; if not `consistent`, also lie now and then about a clue or the mines."""
    while True:
        rows, cols = (int(side) for side in rng.integers(1, 7, 2))
        if 2 <= rows * cols <= max_cells:
            break
    board = Board(rng.random((rows, cols)) < rng.uniform(0.05, 0.6))
    shown = (rng.random((rows, cols)) < rng.uniform(0, 0.9)) & ~board.mine_map
    cells = np.where(shown, board.clues, HIDDEN).astype(np.int8)
    mines = board.mines
    if not consistent:
        opened = np.argwhere(cells >= 0)
        if len(opened) and rng.random() < 0.5:
            row, col = opened[rng.integers(len(opened))]
            cells[row, col] = rng.integers(0, 9)
        else:
            hidden = int(np.count_nonzero(cells < 0))
            mines = int(np.clip(mines + rng.integers(-1, 2), 0, hidden))
    return View(cells, mines)


def random_views(seed: int, max_cells: int = 16, *, consistent: bool = True) -> Iterator[View]:
    """Yield random views without end."""
    rng = np.random.default_rng(seed)
    while True:
        yield random_view(rng, max_cells, consistent=consistent)


def wide_view(side: int) -> View:
    """Return scattered open cells on a large hidden board: a component that no order makes narrow."""
    board = Board(np.random.default_rng(15).random((side, side)) < 0.2)
    shown = np.zeros((side, side), dtype=np.bool_)
    shown[1::3, 1::3] = shown[2::3, 2::3] = True
    return View(np.where(shown & ~board.mine_map, board.clues, HIDDEN), board.mines)


def connected(cells: NDArray[np.bool_]) -> bool:
    """Return whether the marked cells form one 8-connected group."""
    reached = np.zeros_like(cells)
    reached.flat[cells.argmax()] = cells.any()
    while (wider := cells & (reached | (count_neighbours(reached) > 0))).sum() > reached.sum():
        reached = wider
    return bool(cells.any() and (reached == cells).all())


def wins_after(view: View, cell: Cell) -> int:
    """Count the layouts that perfect play wins after this cell, by solving the view after each clue."""
    wins = 0
    for clue in range(9):
        with suppress(StrategyError):
            wins += best_play(view.showing(cell, clue)).wins
    return wins
