"""Exact probabilities of mines, by the kernel; every layout that fits the view is equally likely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import comb
from typing import Final

from minesweeper.player.core.board import View, ViewLike, as_view, hidden_cell
from minesweeper.player.core.errors import InconsistentView, TooWide as TooWide
from minesweeper.player.core.grid import CellLike
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import MOST_CELLS
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.kernel_api import native_view
from minesweeper.player.logic import Deductions, count

MAX_LAYOUT_SEED: Final = 2**64 - 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Probabilities(Deductions):
    r"""The closure of a view with counted layouts.

    >>> round(ms.probabilities("2x4/2\n1###\n####").log_layouts, 3)
    2.485
    """

    chances: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Probabilities of {np.count_nonzero(~np.isnan(self.chances))} cells, e^{self.log_layouts:.1f} layouts>"


def probabilities(view: ViewLike, *, mines: MinesLike | None = None) -> Probabilities:
    r"""Return the exact probability that each hidden cell is a mine, with the closure.

    `view` and `mines` are a position in any form that `View` takes. The chances are doubles with relative errors near
    1e-13, and exactly 0 and 1 in the cells of the closure. Raises `InconsistentView` if no layout fits, with clues that
    contradict each other; `TooWide` if a component is too wide to count or the view has more than a million cells;
    `EngineError` without the kernel.

    >>> ms.probabilities("2x4/2\n1###\n####").chances.round(2).tolist()
    [[nan, 0.33, 0.25, 0.25], [0.33, 0.33, 0.25, 0.25]]
    """
    view = _countable(as_view(view, mines))
    found = count(view, Probabilities)
    if math.isnan(found.log_layouts):
        raise TooWide(f"{view.name} has a component too wide to count its layouts in memory")
    return found


def count_layouts(view: ViewLike) -> int:
    """Count the layouts that fit a view, exactly.

    Raises `TooWide` as `probabilities` does, or if a component has 2**53 layouts or more with one number of mines.
    """
    view = _countable(view)
    try:
        counts = native_view(view).exact_counts()
    except InconsistentView:
        return 0
    if counts is None:
        raise TooWide(f"{view.name} has a component with too many layouts to count them exactly")
    mines, unconstrained, components = counts
    ways = np.ones(1, dtype=object)
    for component in components:
        mines -= component.low
        ways = np.convolve(ways, np.array(list(map(int, component.numbers)), dtype=object))
    return sum(
        int(number) * comb(unconstrained, left - more)
        for left in range(max(mines - view.prior.spare, 0), mines + 1)
        for more, number in enumerate(ways[: left + 1])
    )


def clue_probabilities(view: ViewLike, cell: CellLike) -> NDArray[np.float64]:
    """Return the probability that `cell` is safe and shows each clue: an array of 9 numbers for the clues 0 to 8.

    Their sum is the probability that the cell is safe. Raises `BoardError` unless `cell` is hidden;
    `InconsistentView`, `TooWide` and `EngineError` as `probabilities` does.
    """
    view = _countable(view)
    row, col = hidden_cell(view, cell)
    logs = np.array(native_view(view).clue_layouts(row * view.cols + col))
    safe = 1 - probabilities(view).chances[row, col]
    weights: NDArray[np.float64] = np.exp(logs - logs.max()) if safe > 0 else np.zeros(len(logs))
    weights *= safe / max(weights.sum(), 1)
    return weights


def sample_layouts(view: ViewLike, count: int, seed: int) -> NDArray[np.bool_]:
    """Sample `count` layouts that fit a view, independently and uniformly.

    The result is an array of bool with a first axis for the layout, True at mines.

    The same `seed` (0 to 2**64 - 1) gives the same layouts. Raises `ValueError` for another seed or a negative count;
    `InconsistentView`, `TooWide` and `EngineError` as `probabilities` does.
    """
    view = _countable(view)
    if not 0 <= seed <= MAX_LAYOUT_SEED:
        raise ValueError(f"seed {seed} is out of range; expected 0 to {MAX_LAYOUT_SEED}")
    if count < 0:
        raise ValueError(f"number of layouts {count} is negative")
    drawn = np.zeros((count, *view.grid.shape), dtype=np.uint8)
    with explained(view):
        native_view(view).sample_layouts(seed, drawn)
    return drawn.view(np.bool_)


def _countable(view: ViewLike) -> View:
    view = as_view(view)
    if view.cells.size > MOST_CELLS:
        raise TooWide(f"{view.name} is too large to count its layouts; expected at most {MOST_CELLS:,} cells")
    return view


@contextmanager
def explained(view: View) -> Iterator[None]:
    """Raise `InconsistentView` of the kernel with the clues that contradict each other."""
    try:
        yield
    except InconsistentView:
        from minesweeper.player.logic.sat import conflict

        raise conflict(view.grid, view.cells, view.prior.most, view.prior.spare) from None
