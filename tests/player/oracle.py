"""An oracle that shares no code with the engines: every layout of a small view, by trying them all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import View


def layouts(view: View) -> NDArray[np.bool_]:
    """List all (rows, cols) mine maps that fit the view, stacked; none gives shape (0, rows, cols)."""
    shape = view.cells.shape
    hidden = np.argwhere(view.cells < 0)
    clues = [((row, col), int(view.cells[row, col])) for row, col in np.argwhere(view.cells >= 0).tolist()]
    found = []
    for chosen in combinations(range(len(hidden)), view.mines):
        mines = np.zeros(shape, dtype=bool)
        mines[tuple(hidden[list(chosen)].T)] = True
        if all(mines[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2].sum() == clue for (r, c), clue in clues):
            found.append(mines)
    return np.array(found).reshape(-1, *shape)
