"""Complete deduction from a view.

A `Reasoner` holds the knowledge of one game and learns the clues of newly opened cells. It deduces in *rounds*: each
round uses the easiest tier that yields anything, and claims everything that this tier yields in the present position.
So the tiers that a puzzle needs, and the number of cells that each decides, are properties of the puzzle and not of the
engine.

* tier 1, one clue: a clue needs no more mines, or needs all its hidden cells.
* tier 2, two clues: everything that two overlapping clues decide together.
* tier 3, more clues: everything that the clues of one component decide together.
* tier 4, mine count: everything that all the clues and the number of mines decide together.

Engines number cells ``row * cols + col``; `closure` uses arrays.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from minesweeper.player import kernel_api
from minesweeper.player.core import limits
from minesweeper.player.core.board import HIDDEN, View, ViewLike, as_view
from minesweeper.player.core.errors import (
    EngineError as EngineError,
    InconsistentView as InconsistentView,
    OutOfTime,
    did_you_mean,
)
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.mine_range import KNOWN_NUMBER, MinePrior, MinesLike
from minesweeper.player.core.steps import ENGINES as ENGINES, Engine as Engine, Step, Tier
from minesweeper.player.kernel_api import kernel

log = logging.getLogger(__name__)


class Reasoner(Protocol):
    """An engine's knowledge of one game, constructed with ``Engine(grid, mines)``."""

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        """Add newly opened `cells` and the `clues` that they show. Raises `ValueError` for a clue outside 0 to 8;
        `InconsistentView`, here or in `advance`, if no layout fits."""

    def advance(self) -> list[Step]:
        """Return the next round of deductions, known from now on; empty if nothing more follows."""


def deduce(knowledge: Reasoner, cells: Sequence[int], clues: Sequence[int]) -> Iterator[Step]:
    """Learn newly opened cells and yield all steps that follow, round by round. Raises as `Reasoner` does."""
    knowledge.learn(cells, clues)
    while steps := knowledge.advance():
        yield from steps


class NativeReasoner:
    """The `Reasoner` of the kernel. `advance` raises `TooWide` if only a component too wide to enumerate is left."""

    def __init__(self, grid: Grid, mines: int) -> None:
        self._closure = kernel.IncrementalClosure(kernel_api.native_grid(grid), mines)

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        self._closure.learn(cells, clues)

    def advance(self) -> list[Step]:
        limits.check_time()
        return [
            Step(Tier(step.tier), tuple(step.safe), tuple(step.mines), tuple(step.clues))
            for step in self._closure.advance()
        ]


@dataclass(frozen=True, eq=False)
class Deductions(ArrayValue):
    r"""The closure of a view, and the probabilities of mines if they were counted.

    All arrays have the shape of the view. `safe_map` and `mine_map` are of bool and mark the hidden cells that are
    safe, or mines, in every layout that fits the view; `tiers` is of uint8, with the easiest tier that decides each of
    them, 0 elsewhere. If not `complete`, time ran out: the marks hold, but others may be missing.

    `chances` is of float64: the exact probability of a mine in each hidden cell, 0 and 1 in the
    cells of both maps, NaN in open cells. `log_layouts` is the natural logarithm of the number of layouts. They are
    None and NaN if the layouts were not counted. `log_layouts` is ``inf`` if time ran out first.

    Where the number of mines is not known, chances are weighted by a density: the `assumed_density` unless the view has
    one.

    >>> ms.closure("2x5/2\n#121#\n#####").mine_map[1].tolist()
    [False, True, False, True, False]
    """

    safe_map: NDArray[np.bool_]
    mine_map: NDArray[np.bool_]
    tiers: NDArray[np.uint8]
    complete: bool = True
    chances: NDArray[np.float64] | None = None
    log_layouts: float = math.nan
    assumed_density: float | None = None

    def __repr__(self) -> str:
        safe, mines = np.count_nonzero(self.safe_map), np.count_nonzero(self.mine_map)
        return f"<Deductions {safe} safe, {mines} mines{'' if self.complete else ', incomplete'}>"


_Known = TypeVar("_Known", bound=Deductions)


@dataclass(frozen=True, eq=False)
class ManyDeductions(ArrayValue):
    """The fields of `Deductions` for n views of one size: (n, rows, cols), and (n,) for the last two."""

    safe_map: NDArray[np.bool_]
    mine_map: NDArray[np.bool_]
    tiers: NDArray[np.uint8]
    chances: NDArray[np.float64] | None
    complete: NDArray[np.bool_]
    log_layouts: NDArray[np.float64]


def choose_engine(engine: str) -> Engine:
    """Return the engine of that name; ``auto`` is the fastest one installed. Raises `EngineError`.

    Logs a warning once if ``auto`` is not the native engine.
    """
    if engine not in ENGINES:
        suggestion = did_you_mean(engine, ENGINES)
        raise EngineError(f"unknown engine {engine!r}{suggestion}; engines: {', '.join(ENGINES)}")
    if engine == "auto":
        return "native" if kernel_api.available() else _without_native()
    if engine == "native" and not kernel_api.available():
        raise EngineError(f"the native engine {kernel_api.why_missing()}; choose the engine 'sat' or 'auto'")
    return engine


@cache
def _without_native() -> Engine:
    log.warning("the native engine %s: running on the sat engine, which is much slower", kernel_api.why_missing())
    return "sat"


def reasoner(grid: Grid, mines: int, engine: str = "auto", spare: int = 0) -> Reasoner:
    """Start an engine on a game with no cell open; the engine `sat` allows up to `spare` mines less.

    Raises `EngineError` for an engine that is not installed, and `BoardError` for a board too large for it.
    """
    if choose_engine(engine) == "native":
        return NativeReasoner(grid, mines)
    from minesweeper.player.logic.sat import SatReasoner

    check_cells(grid.shape, "the sat engine")
    return SatReasoner(grid, mines, spare=spare)


def closure(
    view: ViewLike,
    engine: str = "auto",
    *,
    mines: MinesLike | None = None,
    time_limit: float | None = None,
    chances: bool = False,
) -> Deductions:
    r"""Decide every cell whose value follows from the clues and the number of mines.

    `view` and `mines` are a position in any form that `View` takes. With `chances`, the kernel also counts the layouts,
    unless it was not built or a component is too wide. After `time_limit` seconds (None: no limit), returns the cells
    decided by then, and `complete` is False. Raises `InconsistentView` if no layout of mines fits, with clues that
    contradict each other; `EngineError` for an engine that is not installed; `OutOfTime` if a limit of the caller runs
    out, see `player.core.limits`.

    >>> known = ms.closure("2x5/2\n#121#\n#####")
    >>> known
    <Deductions 5 safe, 2 mines>
    >>> known.tiers.tolist()
    [[2, 0, 0, 0, 2], [2, 2, 1, 2, 2]]
    """
    view = as_view(view, mines)
    native = choose_engine(engine) == "native"
    found = nothing_decided((1, *view.grid.shape), chances=chances)
    complete = True
    try:
        with limits.time_limit(time_limit):
            limits.check_time()
            if not native or _solve_view(found, view):
                _mark_by_sat(found, view)
    except OutOfTime:
        if time_limit is None:
            raise
        complete = bool(found.log_layouts[0] == math.inf)
    known = _of_view(found, view, complete, Deductions)
    if native or not chances or not complete or not kernel_api.available():
        return known
    counted = closure(view, "native", time_limit=time_limit, chances=True)
    return replace(known, chances=counted.chances, log_layouts=counted.log_layouts)


def count(view: View, kind: type[_Known]) -> _Known:
    """Return the closure and the chances by the kernel alone; not complete if a component is too wide to enumerate."""
    found = nothing_decided((1, *view.grid.shape), chances=True)
    wide = _solve_view(found, view)
    return _of_view(found, view, not wide, kind)


def _solve_view(found: ManyDeductions, view: View) -> list[int]:
    return solve_views(found, view.cells[None], np.array([view.prior.most], dtype=np.int32), view.grid, view.prior)


def _of_view(found: ManyDeductions, view: View, complete: bool, kind: type[_Known]) -> _Known:
    """Return the closure of the only view. Raises `InconsistentView` if no layout fits."""
    if found.log_layouts[0] == -math.inf:
        from minesweeper.player.logic.sat import conflict

        raise conflict(view.grid, view.cells, view.prior.most, view.prior.spare)
    return kind(
        safe_map=found.safe_map[0],
        mine_map=found.mine_map[0],
        tiers=found.tiers[0],
        complete=complete,
        chances=None if found.chances is None else found.chances[0],
        log_layouts=float(found.log_layouts[0]),
        assumed_density=view.prior.assumed,
    )


def nothing_decided(shape: tuple[int, ...], *, chances: bool) -> ManyDeductions:
    """Return arrays for the closures of n views of one size, before anything is decided."""
    safe_map, mine_map, tiers = np.zeros((3, *shape), dtype=np.bool_)
    shares = _filled(shape, math.nan) if chances else None
    complete, log_layouts = _filled(shape[0], True), _filled(shape[0], math.nan)
    return ManyDeductions(safe_map, mine_map, tiers.view(np.uint8), shares, complete, log_layouts)


def _filled(shape: int | tuple[int, ...], value: float) -> NDArray[Any]:
    """Return what `numpy.full` does, which takes longer than to solve a small view."""
    array = np.empty(shape, dtype=type(value))
    array.fill(value)
    return array


def solve_views(
    found: ManyDeductions,
    views: NDArray[np.int8],
    mines: NDArray[np.int32],
    grid: Grid,
    prior: MinePrior = KNOWN_NUMBER,
) -> list[int]:
    """Find the closures of views of one grid by the kernel, in the arrays of `nothing_decided`.

    Marks are written as they are found. Returns the numbers of the views with a component too wide to enumerate, whose
    closures may lack cells. `log_layouts` is ``-inf`` for a view that no layout fits. `mines` are the
    largest numbers if the `prior` allows less.
    """
    return kernel.solve_views(
        views,
        mines,
        kernel_api.native_grid(grid),
        found.safe_map,
        found.mine_map,
        found.tiers,
        found.log_layouts,
        found.chances,
        prior.spare,
        prior.odds,
    )


def _mark_by_sat(found: ManyDeductions, view: View) -> None:
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells != HIDDEN)
    tiers = found.tiers.ravel()
    knowledge = reasoner(view.grid, view.prior.most, "sat", view.prior.spare)
    for step in deduce(knowledge, opened.tolist(), cells[opened].tolist()):
        for marks, decided in ((found.safe_map, step.safe), (found.mine_map, step.mines)):
            marks.ravel()[list(decided)] = True
            tiers[list(decided)] = step.tier
    if found.chances is not None:
        found.chances[found.safe_map], found.chances[found.mine_map] = 0, 1
