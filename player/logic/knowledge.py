"""Deductions in games that go on: the knowledge of each game is cached and extended clue by clue."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player.board import HIDDEN, View
from minesweeper.player.logic import choose_engine, deduce, reasoner
from minesweeper.player.steps import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

GAMES_REMEMBERED: Final = 256


class _Running:
    """An engine's knowledge of one game. The known cells include those opened since."""

    def __init__(self, rows: int, cols: int, mines: int, engine: Engine) -> None:
        self._logic = reasoner(rows, cols, mines, engine)
        self.cells = np.full((rows, cols), HIDDEN, dtype=np.int8)
        self.safe_map = np.zeros((rows, cols), dtype=np.bool_)
        self.mine_map = np.zeros((rows, cols), dtype=np.bool_)

    def learn(self, view: View) -> None:
        fresh = np.flatnonzero(view.cells != self.cells)
        self.cells = view.cells
        for step in deduce(self._logic, fresh.tolist(), view.cells.ravel()[fresh].tolist()):
            self.safe_map.ravel()[list(step.safe)] = True
            self.mine_map.ravel()[list(step.mines)] = True


_remembered: Final[OrderedDict[tuple[object, ...], _Running]] = OrderedDict()


def cached_knowledge(view: View, game: int, engine: Engine = "auto") -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return maps of the hidden cells that are safe, and of those that are mines, in every layout that fits a view.

    The same as `player.logic.closure`, but faster for consecutive views of one `game`, which is any number. Raises
    `InconsistentView` if no layout fits, `EngineError` for an engine that is not installed.
    """
    key = (game, view.rows, view.cols, view.mines, choose_engine(engine))
    # Popped so that no other thread uses it. Reused only if the view extends the last one.
    running = _remembered.pop(key, None)
    if running is None or not view.extends(running.cells):
        running = _Running(view.rows, view.cols, view.mines, engine)
    running.learn(view)
    safe_map, mine_map = running.safe_map & (view.cells == HIDDEN), running.mine_map.copy()
    _remembered[key] = running
    while len(_remembered) > GAMES_REMEMBERED:
        _remembered.popitem(last=False)
    return safe_map, mine_map
