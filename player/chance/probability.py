"""How likely is a mine? Exact probabilities, every layout that fits the view being equally likely."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, BoardError, Cell, View, size_name
from minesweeper.player.chance.layouts import Layouts, TooWide
from minesweeper.player.logic import closure

if TYPE_CHECKING:
    from minesweeper.player import _kernel
else:
    try:
        from minesweeper.player import _kernel
    except ImportError:
        _kernel = None

__all__ = [
    "COUNTERS",
    "Probabilities",
    "TooWide",
    "clue_probabilities",
    "count_layouts",
    "probabilities",
    "sample_layouts",
]

COUNTERS: Final = ("auto", "native", "exact")

MAX_SEED: Final = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Probabilities:
    """What the layouts that fit a view have in common.

    `mine` is a (rows, cols) array of float64: each hidden cell's probability of being a mine, NaN for open cells.
    Certainty is for `player.logic.closure` to say: here, a number next to 0 or 1 may have been rounded. `log_layouts`
    is the natural logarithm of the number of layouts.
    """

    mine: NDArray[np.float64]
    log_layouts: float


def probabilities(view: View, counter: str = "auto") -> Probabilities:
    """Give every hidden cell's exact probability of being a mine.

    `counter` is ``native`` (the kernel: doubles, relative errors near 1e-13), ``exact`` (whole numbers, slow) or
    ``auto``, the fastest there is. Raises `InconsistentView` if no layout fits, naming clues that contradict each
    other; `TooWide` if a component is too wide to count.
    """
    if _use_kernel(counter):
        mine = np.empty(view.cells.shape)
        fit, log_layouts = _kernel.probabilities(view.cells, view.mines, mine)
        _check(fit, view)
        return Probabilities(mine, log_layouts)
    layouts = _layouts(view)
    mine = np.full(view.cells.shape, np.nan)
    for cell, count in layouts.mine_counts().items():
        mine[cell] = count / layouts.total
    return Probabilities(mine, math.log(layouts.total))


def count_layouts(view: View) -> int:
    """Count the layouts that fit a view, exactly; 0 if none does. Raises `TooWide`."""
    return Layouts(view).total


def clue_probabilities(view: View, cell: Cell, counter: str = "auto") -> NDArray[np.float64]:
    """Give the probability that `cell` is safe and shows each clue: an array of 9 numbers for the clues 0 to 8.

    They add up to the probability that the cell is safe. Raises `BoardError` unless `cell` is hidden;
    `InconsistentView` and `TooWide` as `probabilities` does.
    """
    row, col = cell
    if not (0 <= row < view.rows and 0 <= col < view.cols and view.cells[cell] == HIDDEN):
        raise BoardError(f"expected a hidden cell of a {size_name(view.rows, view.cols)} view: {cell}")
    log_layouts = probabilities(view, counter).log_layouts
    if _use_kernel(counter):
        fit, logs = _kernel.clue_layouts(view.cells, view.mines, row, col)
        _check(fit, view)
        return np.exp(np.array(logs) - log_layouts)
    total = count_layouts(view)
    shares = np.zeros(9)
    for clue in range(9):
        cells = view.cells.copy()
        cells[cell] = clue
        if view.mines <= np.count_nonzero(cells == HIDDEN):
            shares[clue] = count_layouts(View(cells, view.mines)) / total
    return shares


def sample_layouts(view: View, count: int, seed: int, counter: str = "auto") -> NDArray[np.bool_]:
    """Draw `count` layouts that fit a view, independently and uniformly: a (count, rows, cols) array, True at mines.

    The same `seed` (0 to 2**64 - 1) and counter draw the same layouts. Raises `ValueError` for another seed or a
    negative count; `InconsistentView` and `TooWide` as `probabilities` does.
    """
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"expected a seed of 0 to {MAX_SEED}: {seed}")
    if count < 0:
        raise ValueError(f"expected a number of layouts, 0 or more: {count}")
    use_kernel = _use_kernel(counter)
    drawn = np.zeros((count, view.rows, view.cols), dtype=np.uint8)
    if use_kernel:
        _check(_kernel.sample_layouts(view.cells, view.mines, seed, drawn), view)
        return drawn.view(np.bool_)
    layouts = _layouts(view)
    random = Random(seed)
    for number in range(count):
        for cell in layouts.draw(random):
            drawn[number][cell] = 1
    return drawn.view(np.bool_)


def _use_kernel(counter: str) -> bool:
    if counter not in COUNTERS:
        raise ValueError(f"expected a counter, {', '.join(COUNTERS)}: {counter!r}")
    if counter == "native" and _kernel is None:
        raise ValueError(f"expected a counter that is there (the kernel was not built): {counter!r}")
    return counter != "exact" and _kernel is not None


def _check(fit: _kernel.Fit, view: View) -> None:
    if fit == _kernel.Fit.NONE:
        _contradict(view)
    if fit == _kernel.Fit.TOO_WIDE:
        raise TooWide(f"expected components narrow enough to count in memory: {view.name}")


def _layouts(view: View) -> Layouts:
    layouts = Layouts(view)
    if not layouts.total:
        _contradict(view)
    return layouts


def _contradict(view: View) -> NoReturn:
    closure(view, "sat")
    raise AssertionError(f"counting finds no layout and SAT finds one:\n{view}")
