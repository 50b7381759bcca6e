"""The consequences of a cell showing some clue: questions about one position, asked many times before a guess.

One solver holds the position. Each supposition adds its clue behind a selector variable, so that it can be dropped
again, and looks for a cell that is safe in every model; one model can clear many suspects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, neighbours
from minesweeper.player.logic.clues import Clue, components, reduced_clues, variables_of
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
        self._undecided = (view.cells == HIDDEN) & ~safe_map & ~mine_map
        self._position: _Position | None = None

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """Return True if a further cell is certainly safe once `cell` is opened and shows `clue`.

        Returns None if no layout of mines lets it show that clue. Raises `ValueError` for an open cell.
        """
        if self._view.cells[cell] != HIDDEN:
            raise ValueError(f"the cell {cell} is open; expected a hidden cell")
        if self._mine_map[cell]:
            return None
        near = list(neighbours(self._view.rows, self._view.cols, cell))
        need = clue - sum(bool(self._mine_map[other]) for other in near)
        around = [other for other in near if self._undecided[other]]
        if not 0 <= need <= len(around):
            return None
        return self._position_with([cell, *around]).goes_on(cell, around, need)

    def _position_with(self, cells: list[Cell]) -> _Position:
        """Return the position, with variables for all these cells."""
        if self._position is None:
            self._position = self._position_of(())
        if all(cell in self._position.variables or not self._undecided[cell] for cell in cells):
            return self._position
        return self._position_of([*self._position.variables, *cells])

    def _position_of(self, more: Iterable[Cell]) -> _Position:
        """Build the position with variables for the frontier, the cells next to it and `more`.

        The clues of cells next to the frontier could join components.
        """
        clues, places = reduced_clues(self._view.cells, self._undecided, self._mine_map)
        frontier = [places[variable - 1] for variable in variables_of(clues.values())]
        rim = (near for cell in frontier for near in neighbours(self._view.rows, self._view.cols, cell))
        cells = dict.fromkeys(cell for cell in [*frontier, *rim, *more] if self._undecided[cell])
        variables = {cell: number for number, cell in enumerate(cells, 1)}
        renumbered = [([variables[places[one - 1]] for one in around], need) for around, need in clues.values()]
        remaining = self._view.mines - int(np.count_nonzero(self._mine_map))
        return _Position(variables, renumbered, len(places) - len(variables), remaining)


class _Position:
    """The clues of a position in a solver, with the number of mines if it could matter to a supposition."""

    def __init__(self, variables: dict[Cell, int], clues: Sequence[Clue], elsewhere: int, mines: int) -> None:
        self.variables = variables
        cells = list(variables.values())
        self._mine_elsewhere = None
        frontier = len(variables_of(clues))
        untouched = elsewhere + len(cells) - frontier
        # A supposition concerns a cell and its 8 neighbours, so it can move either bound by that much.
        self._counted = count_can_bind(clues, frontier, untouched - 2 * _SCOPE, mines - _SCOPE)
        if self._counted:
            formula, self._mine_elsewhere, _ = count_formula(clues, cells, elsewhere, mines)
        else:
            formula = clue_formula(clues)
            linked = (variables_of(clues[place] for place in component) for component in components(clues))
            self._linked = {cell: component for component in linked for cell in component}
        self._solver: Any = formula.solver()
        # Models with many mines clear many suspects of being safe.
        self._solver.set_phases(cells)
        self._top = len(cells) + 2

    def goes_on(self, cell: Cell, around: list[Cell], need: int) -> bool | None:
        solver = self._solver
        self._top += 1
        selector = self._top
        near = [self.variables[other] for other in around]
        opened = self.variables.get(cell)
        for clause in exactly(near, need):
            solver.add_clause([-selector, *clause])
        assumed = [selector] if opened is None else [selector, -opened]
        outcome = self._search(assumed, opened, near) if solve(solver, assumed) else None
        solver.add_clause([-selector])
        return outcome

    def _search(self, assumed: list[int], opened: int | None, near: list[int]) -> bool:
        solver = self._solver
        suspects = dict.fromkeys(near)
        if self._counted:
            suspects |= dict.fromkeys(self.variables.values())
        else:
            for cell in near if opened is None else [opened, *near]:
                suspects |= dict.fromkeys(self._linked.get(cell, ()))
        suspects.pop(opened or 0, None)
        while suspects:
            model = solver.get_model()
            suspects = {suspect: None for suspect in suspects if model[suspect - 1] < 0}
            if suspects and not solve(solver, [*assumed, next(iter(suspects))]):
                return True
        return self._mine_elsewhere is not None and not solve(solver, [*assumed, self._mine_elsewhere])
