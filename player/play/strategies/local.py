"""The strategy `local`: guess by simple estimates of safety and progress.

The heuristic of *On the Critical Density of Minesweeper Boards*, corrected: complete logic, exact probabilities at
unconstrained cells, and progress among possible clues only. The strategy `published` is the original. The safeties of
frontier cells are estimates: exact ones need every layout of a component.
"""

from __future__ import annotations

from math import prod

from minesweeper.player.core.board import HIDDEN, View, cells_of
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.play.strategies import Knowledge, Strategy


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
        unconstrained = knowledge.uncertain & ~touching
        scores = self._safety_weight * safety + self._progress_weight * unconstrained_progress(view.grid, knowledge)
        scores[~unconstrained] = -1.0
        best = divmod(int(scores.argmax()), view.cols)
        best_score = float(scores[best])
        for cell in sorted(cells_of(knowledge.uncertain & touching), key=lambda cell: -safety[cell]):
            base = self._safety_weight * float(safety[cell])
            # Cells from here on are too unsafe even with full progress.
            if base + self._progress_weight < best_score:
                break
            needed = (best_score - base) / self._progress_weight if self._progress_weight else 0.0
            score = base + self._progress_weight * frontier_progress(view, knowledge, cell, needed)
            if score > best_score or (score == best_score and cell < best):
                best, best_score = cell, score
        return best


def cell_safety(view: View, knowledge: Knowledge) -> NDArray[np.float64]:
    """Estimate how safe each uncertain cell is: an array of values in [0, 1], 0 at all other cells.

    At the frontier it is the share of safe cells among the uncertain neighbours of a clue, averaged over the clues next
    to the cell; elsewhere it is the share of safe cells among all uncertain cells.
    """
    uncertain = knowledge.uncertain
    count = view.grid.count
    around = count(uncertain)
    remaining = view.cells - count(knowledge.mine_map)
    active = (view.cells != HIDDEN) & (around > 0)
    share = np.where(active, 1 - remaining / np.maximum(around, 1), 0.0)
    clues = count(active)
    cells = int(np.count_nonzero(uncertain))
    unconstrained = 1 - knowledge.remaining_mines / cells if cells else 0.0
    safety = np.where(clues > 0, view.grid.sum(share) / np.maximum(clues, 1), unconstrained)
    return np.where(uncertain, np.clip(safety, 0.0, 1.0), 0.0)


def touches_clue(view: View) -> NDArray[np.bool_]:
    """Mark the cells with an open neighbour: an array of bool."""
    touched: NDArray[np.bool_] = view.grid.count(view.cells != HIDDEN) > 0
    return touched


def unconstrained_progress(grid: Grid, knowledge: Knowledge) -> NDArray[np.float64]:
    """Return for each cell the probability that no uncertain neighbour is a mine: an array in [0, 1].

    The cell counts as safe, and the remaining mines are equally likely in all other uncertain cells, as is exact for
    unconstrained cells. The result is 0 for a cell without uncertain neighbours.
    """
    around = grid.count(knowledge.uncertain)
    others = int(np.count_nonzero(knowledge.uncertain)) - 1
    safe = others - knowledge.remaining_mines
    most = min(8, max(others, 0))
    chances = [0.0] + [prod(max(safe - i, 0) / (others - i) for i in range(near)) for near in range(1, most + 1)]
    return np.array(chances)[np.minimum(around, most)]


def frontier_progress(view: View, knowledge: Knowledge, cell: Cell, least: float = 0.0) -> float:
    """Return the share, in [0, 1], of the possible clues of a frontier cell after which logic finds a safe cell.

    The search stops early if the share is certain to be below `least`; the result is then below `least` too.
    """
    near = list(view.grid.neighbours(cell))
    mines = sum(bool(knowledge.mine_map[other]) for other in near)
    clues = range(mines, mines + sum(bool(knowledge.uncertain[other]) for other in near) + 1)
    possible = helpful = 0
    for seen, clue in enumerate(clues, 1):
        outcome = knowledge.goes_on(cell, clue)
        possible += outcome is not None
        helpful += outcome is True
        left = len(clues) - seen
        if possible + left and (helpful + left) / (possible + left) < least:
            return (helpful + left) / (possible + left)
    return helpful / possible if possible else 0.0
