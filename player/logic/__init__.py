"""What follows from a view?

A `Reasoner` holds one game's knowledge and is told clues as cells are opened. It answers in *rounds*: each round uses
the easiest tier that yields anything, and claims everything that this tier gives in the present position. So which
tiers a puzzle needs, and how many cells each decides, is a property of the puzzle and not of the engine.

* tier 1, one clue: a clue needs no more mines, or needs all its hidden cells.
* tier 2, two clues: everything that two overlapping clues decide together.
* tier 3, more clues: everything that the clues of one component decide together.
* tier 4, mine count: everything that all the clues and the number of mines decide together.

Cells are named here by number, ``row * cols + col``, as the engines do; `closure` speaks in arrays.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

# Not as `native`: that is a module of this package.
from minesweeper.player import kernel_api as kernel, limits
from minesweeper.player.board import HIDDEN, Cell, View
from minesweeper.player.steps import Step
from minesweeper.player.words import ENGINES as ENGINES, Engine as Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)


class InconsistentView(ValueError):
    """No layout of mines fits the view.

    `clues` are (row, col) cells whose clues cannot all be true, and no smaller part of them clashes;
    `mine_count` says whether the number of mines is part of the clash. Both are empty if time ran out before that
    was known.
    """

    def __init__(self, clues: Sequence[Cell], mine_count: bool) -> None:
        self.clues = tuple(clues)
        self.mine_count = mine_count
        named = [f"the clue at {cell}" for cell in self.clues] + ["the number of mines"] * mine_count
        super().__init__(f"no layout of mines fits {' and '.join(named) or '(time ran out before it was known why)'}")

    def __reduce__(self) -> tuple[type[InconsistentView], tuple[tuple[Cell, ...], bool]]:
        return type(self), (self.clues, self.mine_count)


class Reasoner(Protocol):
    """An engine's knowledge of one game. Made with ``Engine(rows, cols, mines)``."""

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        """Take note that `cells` were opened and show `clues`. Raises `ValueError` for a clue outside 0 to 8,
        `InconsistentView` at once or in `advance` if that cannot be."""

    def advance(self) -> list[Step]:
        """Return the next round of deductions, taken as known from now on; empty once nothing more follows."""


@dataclass(frozen=True, eq=False)
class Deductions:
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
        return f"<Deductions {safe} safe, {mines} mines{'' if self.complete else ', given up'}>"


class EngineError(ValueError):
    """An engine that does not exist, or is not there."""


def choose_engine(engine: str) -> Engine:
    """Return the engine that a name means: ``auto`` is the fastest there is. Raises `EngineError`.

    If that is not the native one, a warning says so once.
    """
    if engine not in ENGINES:
        raise EngineError(f"expected an engine, {', '.join(ENGINES)}: {engine!r}")
    if engine == "auto":
        return "native" if kernel.available() else _without_native()
    if engine == "native" and not kernel.available():
        raise EngineError(f"expected an engine that is there, the native one {kernel.why_missing()}: 'native'")
    return engine


@cache
def _without_native() -> Engine:
    log.warning("the native engine %s: running on the sat engine, which is much slower", kernel.why_missing())
    return "sat"


def reasoner(rows: int, cols: int, mines: int, engine: str = "auto") -> Reasoner:
    """Start an engine on a game of which nothing is known. Raises `EngineError` for an engine that is not there."""
    from minesweeper.player.logic.kernel_engine import NativeReasoner
    from minesweeper.player.logic.sat import SatReasoner

    return (NativeReasoner if choose_engine(engine) == "native" else SatReasoner)(rows, cols, mines)


def closure(view: View, engine: str = "auto", *, time_limit: float | None = None) -> Deductions:
    """Decide every cell whose value follows from the clues and the number of mines.

    If that takes more than `time_limit` seconds, returns what was decided by then, said not to be `complete`; None
    means as long as it takes. Raises `InconsistentView` if no layout of mines fits, naming clues that contradict each
    other; `EngineError` for an engine that is not there; `OutOfTime` if a limit of the caller's is over, see
    `player.limits`.
    """
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells != HIDDEN)
    marks = np.zeros((3, cells.size), dtype=np.uint8)
    complete = True
    try:
        with limits.time_limit(time_limit):
            knowledge = reasoner(view.rows, view.cols, view.mines, engine)
            knowledge.learn(opened.tolist(), cells[opened].tolist())
            while steps := knowledge.advance():
                for step in steps:
                    for row, decided in enumerate((step.safe, step.mines)):
                        marks[row, list(decided)] = 1
                        marks[2, list(decided)] = step.tier
    except limits.OutOfTime:
        if time_limit is None:
            raise
        complete = False
    safe, mines, tiers = marks.reshape(3, view.rows, view.cols)
    return Deductions(safe.astype(np.bool_), mines.astype(np.bool_), tiers, complete)
