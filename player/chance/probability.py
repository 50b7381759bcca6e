"""Exact probabilities of mines; every layout that fits the view is equally likely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, CellLike, View, ViewLike, as_cell, as_view, size_name
from minesweeper.player.chance.layouts import MAX_BYTES, Layouts
from minesweeper.player.errors import BoardError, InconsistentView, TooWide, did_you_mean
from minesweeper.player.limits import MOST_CELLS
from minesweeper.player.steps import ArrayValue

if TYPE_CHECKING:
    from numpy.typing import NDArray

COUNTERS: Final = ("auto", "native", "exact")

MAX_SEED: Final = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Probabilities(ArrayValue):
    """The statistics of the layouts that fit a view.

    `chances` is a (rows, cols) array of float64: the probability that each hidden cell is a mine, NaN for open cells.
    A value near 0 or 1 may be rounded; use `player.logic.closure` for certainty. `log_layouts` is the natural logarithm
    of the number of layouts.
    """

    chances: NDArray[np.float64]
    log_layouts: float

    def __repr__(self) -> str:
        return f"<Probabilities of {np.count_nonzero(~np.isnan(self.chances))} cells, e^{self.log_layouts:.1f} layouts>"


def probabilities(view: ViewLike, counter: str = "auto") -> Probabilities:
    """Return the exact probability that each hidden cell is a mine.

    `view` may be text or a puzzle, see `as_view`. `counter` is ``native`` (the kernel: doubles, relative errors near
    1e-13), ``exact`` (Python integers, slow) or ``auto``, the fastest one installed. Raises `InconsistentView` if no
    layout fits, with clues that contradict each other; `TooWide` if a component is too wide to count or the
    view has more than a million cells.
    """
    view = as_view(view)
    if _use_kernel(view, counter):
        with explained(view):
            return Probabilities(*kernel_api.probabilities(view))
    layouts = _layouts(view)
    mine = np.full(view.cells.shape, np.nan)
    for cell, count in layouts.mine_counts().items():
        mine[cell] = count / layouts.total
    return Probabilities(mine, math.log(layouts.total))


def count_layouts(view: ViewLike, counter: str = "auto", *, max_bytes: int = MAX_BYTES) -> int:
    """Count the layouts that fit a view, exactly.

    `counter` is as in `probabilities`. Python integers also count components that have too many layouts for the kernel,
    and then raise `TooWide` beyond `max_bytes` of memory.
    """
    view = as_view(view)
    found = kernel_api.count_layouts(view) if _use_kernel(view, counter) else None
    return Layouts(view, max_bytes).total if found is None else found


def clue_probabilities(view: ViewLike, cell: CellLike, counter: str = "auto") -> NDArray[np.float64]:
    """Return the probability that `cell` is safe and shows each clue: an array of 9 numbers for the clues 0 to 8.

    Their sum is the probability that the cell is safe. Raises `BoardError` unless `cell` is hidden;
    `InconsistentView` and `TooWide` as `probabilities` does.
    """
    view = as_view(view)
    row, col = cell = as_cell(cell)
    if not (0 <= row < view.rows and 0 <= col < view.cols and view.cells[cell] == HIDDEN):
        raise BoardError(f"{cell} is not a hidden cell of the {size_name(view.rows, view.cols)} view")
    log_layouts = probabilities(view, counter).log_layouts
    if _use_kernel(view, counter):
        return np.exp(kernel_api.clue_layouts(view, cell) - log_layouts)
    total = count_layouts(view, counter)
    shares = np.zeros(9)
    for clue in range(9):
        cells = view.cells.copy()
        cells[cell] = clue
        if view.mines <= np.count_nonzero(cells == HIDDEN):
            shares[clue] = count_layouts(View(cells, view.mines), counter) / total
    return shares


def sample_layouts(view: ViewLike, count: int, seed: int, counter: str = "auto") -> NDArray[np.bool_]:
    """Sample `count` layouts that fit a view, independently and uniformly: a (count, rows, cols) array, True at mines.

    The same `seed` (0 to 2**64 - 1) and counter give the same layouts. Raises `ValueError` for another seed or a
    negative count; `InconsistentView` and `TooWide` as `probabilities` does.
    """
    view = as_view(view)
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed {seed} is out of range; expected 0 to {MAX_SEED}")
    if count < 0:
        raise ValueError(f"number of layouts {count} is negative")
    if _use_kernel(view, counter):
        with explained(view):
            return kernel_api.sample_layouts(view, count, seed)
    layouts = _layouts(view)
    drawn = np.zeros((count, view.rows, view.cols), dtype=np.bool_)
    random = Random(seed)
    for number in range(count):
        for cell in layouts.draw(random):
            drawn[number][cell] = True
    return drawn


def _use_kernel(view: View, counter: str) -> bool:
    """Return whether the kernel counts the layouts. Raises `ValueError`, and `TooWide` for a view that is too large."""
    if counter not in COUNTERS:
        raise ValueError(
            f"unknown counter {counter!r}{did_you_mean(counter, COUNTERS)}; counters: {', '.join(COUNTERS)}"
        )
    if counter == "native" and not kernel_api.available():
        raise ValueError("the kernel of the counter 'native' is not built; choose the counter 'exact' or 'auto'")
    if view.cells.size > MOST_CELLS:
        raise TooWide(f"{view.name} is too large to count its layouts; expected at most {MOST_CELLS:,} cells")
    return counter != "exact" and kernel_api.available()


def _layouts(view: View) -> Layouts:
    layouts = Layouts(view)
    with explained(view):
        if not layouts.total:
            raise kernel_api.NoLayout(view.name)
    return layouts


@contextmanager
def explained(view: View) -> Iterator[None]:
    """Raise `InconsistentView` of the kernel with the clues that contradict each other."""
    try:
        yield
    except (InconsistentView, kernel_api.NoLayout):
        from minesweeper.player.logic.sat import conflict

        raise conflict(view.cells, view.mines) from None
