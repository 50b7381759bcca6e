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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from minesweeper.player import kernel_api, limits
from minesweeper.player.board import HIDDEN, ViewLike, as_view
from minesweeper.player.errors import EngineError, OutOfTime, did_you_mean
from minesweeper.player.limits import check_cells
from minesweeper.player.steps import ENGINES as ENGINES, ArrayValue, Engine as Engine, Step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    from minesweeper.player import lazy_numpy as np

log = logging.getLogger(__name__)


class Reasoner(Protocol):
    """An engine's knowledge of one game, constructed with ``Engine(rows, cols, mines)``."""

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


@dataclass(frozen=True, eq=False)
class Deductions(ArrayValue):
    """The closure of a view.

    `safe_map` and `mine_map` are (rows, cols) arrays of bool that mark the hidden cells that are safe, or mines, in
    every layout that fits the view; `tiers` is a (rows, cols) array of uint8 with the easiest tier that decides each
    of them, 0 elsewhere. If not `complete`, time ran out: the marks hold, but others may be missing.
    """

    safe_map: NDArray[np.bool_]
    mine_map: NDArray[np.bool_]
    tiers: NDArray[np.uint8]
    complete: bool = True

    def __repr__(self) -> str:
        safe, mines = np.count_nonzero(self.safe_map), np.count_nonzero(self.mine_map)
        return f"<Deductions {safe} safe, {mines} mines{'' if self.complete else ', incomplete'}>"


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


def reasoner(rows: int, cols: int, mines: int, engine: str = "auto") -> Reasoner:
    """Start an engine on a game with no cell open.

    Raises `EngineError` for an engine that is not installed, and `BoardError` for a board too large for it.
    """
    from minesweeper.player.logic.kernel_engine import NativeReasoner
    from minesweeper.player.logic.sat import SatReasoner

    if choose_engine(engine) == "native":
        return NativeReasoner(rows, cols, mines)
    check_cells(rows, cols, "the sat engine")
    return SatReasoner(rows, cols, mines)


def closure(view: ViewLike, engine: str = "auto", *, time_limit: float | None = None) -> Deductions:
    """Decide every cell whose value follows from the clues and the number of mines.

    `view` may be text or a puzzle, see `as_view`. After `time_limit` seconds (None: no limit), returns the cells
    decided by then, and `complete` is False. Raises `InconsistentView` if no layout of mines fits, with clues that
    contradict each other; `EngineError` for an engine that is not installed; `OutOfTime` if a limit of the caller runs
    out, see `player.limits`.
    """
    view = as_view(view)
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells != HIDDEN)
    marks = np.zeros((3, cells.size), dtype=np.uint8)
    complete = True
    try:
        with limits.time_limit(time_limit):
            knowledge = reasoner(view.rows, view.cols, view.mines, engine)
            for step in deduce(knowledge, opened.tolist(), cells[opened].tolist()):
                for row, decided in enumerate((step.safe, step.mines)):
                    marks[row, list(decided)] = 1
                    marks[2, list(decided)] = step.tier
    except OutOfTime:
        if time_limit is None:
            raise
        complete = False
    safe, mines, tiers = marks.reshape(3, view.rows, view.cols)
    return Deductions(safe.astype(np.bool_), mines.astype(np.bool_), tiers, complete)
