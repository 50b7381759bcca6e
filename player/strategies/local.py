"""Guess by what can be told at a glance: how safe a cell looks, and whether its clue is likely to help.

The safety and progress heuristic of *On the Critical Density of Minesweeper Boards*, corrected: with complete logic,
true chances at sea, and progress among possible clues alone. As it was published, it is `published`. Its safeties at
the frontier are estimates, not probabilities: the exact ones need every layout of a component.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, count_neighbours, neighbours
from minesweeper.player.strategies import Knowledge, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Local(Strategy):
    """Opens the cell with the highest weighted sum of safety and progress, the first of equals row by row."""

    name = "local"

    def __init__(self, *, safety: float = 1.0, progress: float = 0.2) -> None:
        for option, weight in (("safety", safety), ("progress", progress)):
            if not (isinstance(weight, int | float) and 0 <= weight < float("inf")):
                raise ValueError(f"{option} is {weight!r}: expected a number from 0")
        self._safety_weight = safety
        self._progress_weight = progress

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        safety = cell_safety(view, knowledge)
        touching = touches_clue(view)
        best, best_score = self._best_at_sea(safety, sea_progress(knowledge), knowledge.uncertain & ~touching)
        frontier = zip(*(axis.tolist() for axis in np.nonzero(knowledge.uncertain & touching)), strict=True)
        for cell in sorted(frontier, key=lambda cell: -safety[cell]):
            base = self._safety_weight * float(safety[cell])
            # From here on, not even the certainty of going on could win.
            if base + self._progress_weight < best_score:
                break
            needed = (best_score - base) / self._progress_weight if self._progress_weight else 0.0
            score = base + self._progress_weight * frontier_progress(view, knowledge, cell, needed)
            if score > best_score or (score == best_score and cell < best):
                best, best_score = cell, score
        return best

    def _best_at_sea(
        self, safety: NDArray[np.float64], progress: NDArray[np.float64], at_sea: NDArray[np.bool_]
    ) -> tuple[Cell, float]:
        score = np.where(at_sea, self._safety_weight * safety + self._progress_weight * progress, -1.0)
        row, col = divmod(int(np.argmax(score)), score.shape[1])
        return (row, col), float(score[row, col])


def cell_safety(view: View, knowledge: Knowledge) -> NDArray[np.float64]:
    """Estimate how safe each uncertain cell is: a (rows, cols) array of values in [0, 1], 0 at all other cells.

    At the frontier, the mean over the clues that a cell touches of the share of their uncertain neighbours that are
    safe; at sea, the share of all uncertain cells that are safe.
    """
    uncertain = knowledge.uncertain
    around = count_neighbours(uncertain)
    remaining = view.cells - count_neighbours(knowledge.mine_map)
    asking = (view.cells != HIDDEN) & (around > 0)
    share = np.where(asking, 1 - remaining / np.maximum(around, 1), 0.0)
    clues = count_neighbours(asking)
    cells = int(np.count_nonzero(uncertain))
    at_sea = 1 - knowledge.remaining_mines / cells if cells else 0.0
    safety = np.where(clues > 0, _sum_neighbours(share) / np.maximum(clues, 1), at_sea)
    return np.where(uncertain, np.clip(safety, 0.0, 1.0), 0.0)


def touches_clue(view: View) -> NDArray[np.bool_]:
    """Mark the cells with an open neighbour: a (rows, cols) array of bool."""
    touched: NDArray[np.bool_] = count_neighbours(view.cells != HIDDEN) > 0
    return touched


def sea_progress(knowledge: Knowledge) -> NDArray[np.float64]:
    """Return for each cell the chance that none of its uncertain neighbours is a mine: a (rows, cols) array in [0, 1].

    It takes the cell as safe and the other uncertain cells as equally likely to hold the remaining mines, as is fair
    for sea cells. A cell without uncertain neighbours has nothing to tell: 0.
    """
    around = count_neighbours(knowledge.uncertain)
    others = int(np.count_nonzero(knowledge.uncertain)) - 1
    safe = others - knowledge.remaining_mines
    most = min(8, max(others, 0))
    chances = [0.0] + [prod(max(safe - i, 0) / (others - i) for i in range(near)) for near in range(1, most + 1)]
    return np.array(chances)[np.minimum(around, most)]


def frontier_progress(view: View, knowledge: Knowledge, cell: Cell, least: float = 0.0) -> float:
    """Return the share, in [0, 1], of the clues that a frontier cell could show after which logic finds a safe cell.

    The search may stop early with a value below `least`, if the share is sure to be below it too.
    """
    near = list(neighbours(view.rows, view.cols, cell))
    mines = sum(bool(knowledge.mine_map[other]) for other in near)
    clues = range(mines, mines + sum(bool(knowledge.uncertain[other]) for other in near) + 1)
    possible = going_on = 0
    for seen, clue in enumerate(clues, 1):
        outcome = knowledge.goes_on(cell, clue)
        possible += outcome is not None
        going_on += outcome is True
        left = len(clues) - seen
        if possible + left and (going_on + left) / (possible + left) < least:
            return (going_on + left) / (possible + left)
    return going_on / possible if possible else 0.0


def _sum_neighbours(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up, for every cell of a (rows, cols) map, the values of its neighbours."""
    rows, cols = values.shape
    padded = np.pad(values, 1)
    blocks = [padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    total: NDArray[np.float64] = np.add.reduce(blocks)
    return total
