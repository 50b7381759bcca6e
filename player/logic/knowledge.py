"""What follows in games under way, clue by clue. What was found out is remembered, so that it need not be again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player.board import HIDDEN, View
from minesweeper.player.logic import Engine, choose_engine, reasoner

if TYPE_CHECKING:
    from numpy.typing import NDArray

GAMES_REMEMBERED: Final = 256


class _Running:
    """What an engine knows of one game. The cells known to be safe or mines include those opened since."""

    def __init__(self, rows: int, cols: int, mines: int, engine: Engine) -> None:
        self._logic = reasoner(rows, cols, mines, engine)
        self.cells = np.full((rows, cols), HIDDEN, dtype=np.int8)
        self.safe = np.zeros((rows, cols), dtype=np.bool_)
        self.mines = np.zeros((rows, cols), dtype=np.bool_)

    def learn(self, view: View) -> None:
        fresh = np.flatnonzero(view.cells != self.cells)
        self._logic.learn(fresh.tolist(), view.cells.ravel()[fresh].tolist())
        self.cells = view.cells
        while steps := self._logic.advance():
            for step in steps:
                self.safe.ravel()[list(step.safe)] = True
                self.mines.ravel()[list(step.mines)] = True


_remembered: Final[OrderedDict[tuple[object, ...], _Running]] = OrderedDict()


def cached_knowledge(view: View, game: int, engine: Engine = "auto") -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the hidden cells that are safe, and those that are mines, in every layout that fits a view.

    As `player.logic.closure`, but views of one `game`, which is any number, are answered faster one after the other.
    Raises `InconsistentView` if no layout fits, `EngineError` for an engine that is not there.
    """
    key = (game, view.rows, view.cols, view.mines, choose_engine(engine))
    # Whoever works with it has it alone meanwhile. All that it knows must follow from this view, too.
    running = _remembered.pop(key, None)
    if running is None or not ((running.cells == HIDDEN) | (running.cells == view.cells)).all():
        running = _Running(view.rows, view.cols, view.mines, engine)
    running.learn(view)
    safe, mines = running.safe & (view.cells == HIDDEN), running.mines.copy()
    _remembered[key] = running
    while len(_remembered) > GAMES_REMEMBERED:
        _remembered.popitem(last=False)
    return safe, mines
