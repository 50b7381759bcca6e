"""An oracle that shares no code with the engines: every layout of a small view, by trying them all."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import View


@lru_cache(64)
def _choices(of: int, number: int) -> NDArray[np.bool_]:
    """List all choices of `number` of `of` things, each as a row of marks."""
    marks = np.zeros((comb(of, number), of), dtype=bool)
    chosen = np.array(list(combinations(range(of), number)), dtype=np.intp).reshape(len(marks), number)
    np.put_along_axis(marks, chosen, True, axis=1)
    return marks


def layouts(view: View) -> NDArray[np.bool_]:
    """List all (rows, cols) mine maps that fit the view, stacked; none gives shape (0, rows, cols)."""
    hidden = view.cells < 0
    choices = _choices(int(hidden.sum()), view.mines)
    maps = np.zeros((len(choices), *hidden.shape), dtype=bool)
    maps[:, hidden] = choices
    for row, col in np.argwhere(~hidden).tolist():
        around = maps[:, max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2].sum(axis=(1, 2))
        maps = maps[around == view.cells[row, col]]
    return maps
