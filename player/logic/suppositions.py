"""The consequences of a cell showing some clue: questions about one position, asked many times before a guess.

One solver holds the position. Each supposition adds its clue behind a selector variable, so that it can be dropped
again, and looks for a cell that is safe in every model; one model can clear many suspects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, neighbours
from minesweeper.player.logic.clues import components, reduced_clues, variables_of
from minesweeper.player.logic.cnf import clue_formula, count_formula, exactly, solve
from minesweeper.player.logic.sat import count_can_bind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCOPE: Final = 9


class Suppositions:
    """The consequences of opening a cell of one position.

    `safe_map` and `mine_map` mark the known cells, as (rows, cols) arrays of bool; the view must be consistent.
    """

    def __init__(self, view: View, safe_map: NDArray[np.bool_], mine_map: NDArray[np.bool_]) -> None:
        self._view = view
        self._mine_map = mine_map
        by_cell, cells = reduced_clues(view.cells, (view.cells == HIDDEN) & ~safe_map & ~mine_map, mine_map)
        clues = list(by_cell.values())
        variables = range(1, len(cells) + 1)
        self._variables = dict(zip(cells, variables, strict=True))
        mines = view.mines - int(np.count_nonzero(mine_map))
        frontier = variables_of(clues)
        self._linked: dict[int, list[int]] = {}
        self._counted: list[int] = []
        self._unconstrained: list[int] = []
        # A supposition concerns a cell and its 8 neighbours, so it can move either bound by that much.
        if count_can_bind(clues, len(frontier), len(cells) - len(frontier) - 2 * _SCOPE, mines - _SCOPE):
            formula, _, _ = count_formula(clues, variables, 0, mines)
            self._counted, self._unconstrained = frontier, sorted(set(variables).difference(frontier))
        else:
            formula = clue_formula(clues)
            linked = (variables_of(clues[place] for place in component) for component in components(clues))
            self._linked = {cell: component for component in linked for cell in component}
        self._solver: Any = formula.solver()
        # Models with many mines clear many suspects of being safe.
        self._solver.set_phases(list(variables))
        self._top = len(cells)

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """Return True if a further cell is certainly safe once `cell` is opened and shows `clue`.

        Returns None if no layout of mines lets it show that clue. Raises `ValueError` for an open cell.
        """
        if self._view.cells[cell] != HIDDEN:
            raise ValueError(f"the cell {cell} is open; expected a hidden cell")
        if self._mine_map[cell]:
            return None
        around = list(neighbours(self._view.rows, self._view.cols, cell))
        need = clue - sum(bool(self._mine_map[other]) for other in around)
        near = [self._variables[other] for other in around if other in self._variables]
        self._top += 1
        selector = self._top
        for clause in exactly(near, need):
            self._solver.add_clause([-selector, *clause])
        opened = self._variables.get(cell)
        assumed = [selector] if opened is None else [selector, -opened]
        outcome = self._finds_safe(assumed, opened, near) if solve(self._solver, assumed) else None
        self._solver.add_clause([-selector])
        return outcome

    def _finds_safe(self, assumed: list[int], opened: int | None, near: list[int]) -> bool:
        """Return True if some cell is safe in every model; the solver has found the first one."""
        # All unconstrained cells that are not near are alike.
        far = [cell for cell in self._unconstrained if cell != opened and cell not in near][:1]
        suspects = dict.fromkeys([*near, *self._counted, *far])
        for cell in near if opened is None else [opened, *near]:
            suspects |= dict.fromkeys(self._linked.get(cell, ()))
        suspects.pop(opened or 0, None)
        while suspects:
            model = self._solver.get_model()
            suspects = {suspect: None for suspect in suspects if model[suspect - 1] < 0}
            if suspects and not solve(self._solver, [*assumed, next(iter(suspects))]):
                return True
        return False
