"""The neighbours of cells of a rectangle, written apart from `minesweeper.player.core.grid`."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def neighbours(rows: int, cols: int, cell: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the up to 8 cells that touch `cell`, row by row."""
    row, col = cell
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            if (r, c) != cell:
                yield r, c


def count_neighbours(marks: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Count, for every cell of a map, the marked cells among its neighbours."""
    counts = np.zeros(marks.shape, dtype=np.int8)
    for row, col in np.argwhere(marks).tolist():
        for near in neighbours(*marks.shape, (row, col)):
            counts[near] += 1
    return counts
