"""The reference for a running game: one SAT solver that lives as long as the game.

`player.logic.sat` answers for a position as quickly as SAT can, by tiers and components. This is the plain way, and so
an oracle for everything faster: a variable for every cell, the clues as they come, the number of mines as one
totalizer (Bailleux and Boufkhad, *Efficient CNF encoding of Boolean cardinality constraints*, CP 2003). What is once
decided is never asked again, and models serve for as long as new clues allow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Cell, View, count_neighbours, neighbours
from minesweeper.player.logic.cnf import Formula, exactly, solve
from minesweeper.player.logic.sat import conflict

_MOST_MODELS: Final = 40


class RunningSat:
    """All that follows in one game, kept up to date clue by clue.

    `safe` and `mines` are (rows, cols) arrays of bool: the hidden cells decided so far.
    """

    def __init__(self, view: View) -> None:
        self._total = view.mines
        self._cells = np.full_like(view.cells, HIDDEN)
        self.safe = np.zeros(view.cells.shape, dtype=np.bool_)
        self.mines = np.zeros_like(self.safe)
        self._numbers = np.arange(1, view.cells.size + 1).reshape(view.cells.shape)
        self._models: list[NDArray[np.bool_]] = []
        self._solver: Any = None
        self.learn(view)

    def learn(self, view: View) -> None:
        """Take note of the clues that are new in `view`. Raises `InconsistentView` if no layout of mines fits."""
        fresh: list[Cell] = list(zip(*(at.tolist() for at in np.nonzero(view.cells != self._cells)), strict=True))
        self._cells = view.cells.copy()
        self.safe[self._cells != HIDDEN] = False
        if self._solver is None:
            self._solver = self._started()
        for cell in fresh:
            self._solver.add_clause([-int(self._numbers[cell])])
        for cell in fresh:
            near = list(neighbours(view.rows, view.cols, cell))
            undecided = [int(self._numbers[other]) for other in near if self._is_undecided(other)]
            need = int(self._cells[cell]) - sum(bool(self.mines[other]) for other in near)
            for clause in exactly(undecided, need):
                self._solver.add_clause(clause)
        self._models = [model for model in self._models if self._fits(model)]
        self._decide()

    def _is_undecided(self, cell: Cell) -> bool:
        return bool(self._cells[cell] == HIDDEN and not self.safe[cell] and not self.mines[cell])

    def _started(self) -> Any:
        """Return a solver with only the number of mines among the hidden cells."""
        from pysat.card import CardEnc, EncType

        hidden = self._numbers[self._cells == HIDDEN].tolist()
        counted = CardEnc.equals(hidden, self._total, top_id=self._numbers.size, encoding=EncType.totalizer)
        return Formula([*counted.clauses, *([-n] for n in self._numbers[self._cells != HIDDEN].tolist())]).solver()

    def _decide(self) -> None:
        undecided = (self._cells == HIDDEN) & ~self.safe & ~self.mines
        touched = count_neighbours(self._cells != HIDDEN) > 0
        frontier = undecided & touched
        sea = undecided & ~touched
        if not self._models and self._model(()) is None:
            raise conflict(self._cells, self._total)
        for mine in (True, False):
            for row, col in np.argwhere(frontier).tolist():
                if not any(model[row, col] == mine for model in self._models):
                    self._prove(np.array([self._numbers[row, col]]), not mine)
            # Cells that touch no clue are all alike, so what one of them can be, they all can be.
            if sea.any() and not any((model[sea] == mine).any() for model in self._models):
                self._prove(self._numbers[sea], not mine)

    def _prove(self, numbers: NDArray[np.int_], mine: bool) -> None:
        """Decide these interchangeable cells unless some layout gives them the other value."""
        if self._model([int(numbers[0]) if not mine else -int(numbers[0])]) is not None:
            return
        (self.mines if mine else self.safe).ravel()[numbers - 1] = True
        for number in numbers.tolist():
            self._solver.add_clause([number if mine else -number])

    def _model(self, wanted: Sequence[int]) -> NDArray[np.bool_] | None:
        if not solve(self._solver, wanted):
            return None
        model = np.array(self._solver.get_model()[: self._numbers.size]).reshape(self._numbers.shape) > 0
        self._keep(model)
        return model

    def _keep(self, model: NDArray[np.bool_]) -> None:
        # Dropping the oldest only costs time: a cell may have to be asked about once more.
        self._models = [*self._models[-_MOST_MODELS:], model]

    def _fits(self, model: NDArray[np.bool_]) -> bool:
        shown = self._cells != HIDDEN
        return not model[shown].any() and bool((count_neighbours(model)[shown] == self._cells[shown]).all())
