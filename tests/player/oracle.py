"""Oracles that share no code with the kernel: all layouts of a small view by trial, and forced cells by SAT."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from minesweeper import Cell, View
from minesweeper.player.logic.clues import Clue, reduced_clues, variables_of
from minesweeper.player.logic.sat import component_backbone, count_backbone


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


class Assignments:
    """Every way to put mines in the hidden cells of a small view, in any number, and which clues each makes true."""

    def __init__(self, view: View, given: Mapping[Cell, bool] | None = None) -> None:
        hidden = np.argwhere(view.cells < 0)
        bits = np.arange(2 ** len(hidden))[:, None] >> np.arange(len(hidden)) & 1
        maps = np.zeros((len(bits), view.rows, view.cols), dtype=bool)
        maps[:, hidden[:, 0], hidden[:, 1]] = bits
        for cell, mine in (given or {}).items():
            maps = maps[maps[:, *cell] == mine]
        self.maps: NDArray[np.bool_] = maps
        self.counted = maps.sum(axis=(1, 2)) == view.mines
        self.true = {}
        for row, col in np.argwhere(view.cells >= 0).tolist():
            around = maps[:, max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2].sum(axis=(1, 2))
            self.true[row, col] = around == view.cells[row, col]

    def fitting(self, clues: Iterable[Cell], mine_count: bool) -> NDArray[np.bool_]:
        """Return the maps that fit these clues, and the mine count if it is given."""
        fits = self.counted.copy() if mine_count else np.ones(len(self.maps), dtype=bool)
        for clue in clues:
            fits &= self.true[clue]
        return self.maps[fits]

    def forced(self, cell: Cell, clues: Iterable[Cell], mine_count: bool) -> bool:
        values = self.fitting(clues, mine_count)[:, *cell]
        return bool(values.all() or not values.any())

    def smallest(self, cell: Cell) -> tuple[bool, int]:
        """Return True if the cell needs the mine count, and the number of clues."""
        for mine_count in (False, True):
            for size in range(len(self.true) + 1):
                if any(self.forced(cell, chosen, mine_count) for chosen in combinations(self.true, size)):
                    return mine_count, size
        raise AssertionError(f"nothing forces {cell}")


def reduced(view: View, given: Mapping[Cell, bool]) -> tuple[dict[Cell, Clue], list[Cell]]:
    """Return the clues with unknown cells, over numbers from 1, and the unknown cells; `given` cells are known."""
    unknown, mines = view.cells < 0, np.zeros(view.cells.shape, dtype=np.bool_)
    for cell, mine in given.items():
        unknown[cell], mines[cell] = False, mine
    clues, cells = reduced_clues(view.grid, view.cells, unknown, mines)
    return {at: clue for at, clue in clues.items() if clue[0]}, cells


def forced(
    view: View, given: Mapping[Cell, bool], chosen: Iterable[Cell], *, count: bool
) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the safe cells and the mines that clues force, by SAT."""
    every, cells = reduced(view, given)
    clues = [every[at] for at in chosen]
    if not count:
        safe, mines = component_backbone(clues) if clues else ([], [])
    else:
        others = sorted(set(range(1, len(cells) + 1)).difference(variables_of(clues)))
        safe, mines, others_are = count_backbone(clues, len(others), view.mines - sum(given.values()))
        if others_are is not None:
            (mines if others_are else safe).extend(others)
    return tuple(cells[one - 1] for one in sorted(safe)), tuple(cells[one - 1] for one in sorted(mines))
