"""What if a cell showed this clue? Questions about one position, asked many times before a guess.

One solver holds the position. Each supposition adds its clue behind a selector variable, so that it can be dropped
again, and looks for a cell that is safe in every model; models found on the way clear many suspects each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, cells_of, count_neighbours, neighbours
from minesweeper.player.logic.cnf import Clue, clue_formula, count_formula, exactly, solve
from minesweeper.player.logic.sat import count_can_bind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCOPE: Final = 9


class Suppositions:
    """What would follow in a position if some cell were opened.

    `safe` and `mines` mark the cells known already, as (rows, cols) arrays of bool; the view must be consistent.
    """

    def __init__(self, view: View, safe: NDArray[np.bool_], mines: NDArray[np.bool_]) -> None:
        self._view = view
        self._mines = mines
        self._undecided = (view.cells == HIDDEN) & ~safe & ~mines
        asking = (view.cells != HIDDEN) & (count_neighbours(self._undecided) > 0)
        self._asking = cells_of(asking)
        self._position: _Position | None = None

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """Say whether some further cell would be safe for certain if `cell` were opened and showed `clue`.

        None if it cannot show that clue: if no layout of mines fits. Raises `ValueError` for an open cell.
        """
        if self._view.cells[cell] != HIDDEN:
            raise ValueError(f"expected a hidden cell: {cell}")
        if self._mines[cell]:
            return None
        near = list(neighbours(self._view.rows, self._view.cols, cell))
        need = clue - sum(bool(self._mines[other]) for other in near)
        around = [other for other in near if self._undecided[other]]
        if not 0 <= need <= len(around):
            return None
        return self._position_with([cell, *around]).goes_on(cell, around, need)

    def _position_with(self, cells: list[Cell]) -> _Position:
        """The position, with variables for all these cells."""
        if self._position is None:
            self._position = self._position_of(self._frontier_and_rim())
        if all(cell in self._position.variables or not self._undecided[cell] for cell in cells):
            return self._position
        return self._position_of(dict.fromkeys([*self._position.variables, *cells]))

    def _position_of(self, cells: Iterable[Cell]) -> _Position:
        variables = {cell: number for number, cell in enumerate((c for c in cells if self._undecided[c]), 1)}
        sea = int(np.count_nonzero(self._undecided)) - len(variables)
        remaining = self._view.mines - int(np.count_nonzero(self._mines))
        return _Position(variables, self._clues(variables), sea, remaining)

    def _frontier_and_rim(self) -> dict[Cell, None]:
        """The undecided cells at most two steps from a clue, whose clues could join components."""
        cells: dict[Cell, None] = {}
        size = self._view.rows, self._view.cols
        for clue in self._asking:
            cells.update((near, None) for near in neighbours(*size, clue) if self._undecided[near])
        for cell in list(cells):
            cells.update((near, None) for near in neighbours(*size, cell) if self._undecided[near])
        return cells

    def _clues(self, variables: dict[Cell, int]) -> list[Clue]:
        clues: list[Clue] = []
        for clue in self._asking:
            near = list(neighbours(self._view.rows, self._view.cols, clue))
            known = sum(bool(self._mines[cell]) for cell in near)
            around = [variables[cell] for cell in near if self._undecided[cell]]
            clues.append((around, int(self._view.cells[clue]) - known))
        return clues


class _Position:
    """The clues of a position in a solver, with the number of mines where that could matter to a supposition."""

    def __init__(self, variables: dict[Cell, int], clues: list[Clue], sea: int, mines: int) -> None:
        self.variables = variables
        cells = list(variables.values())
        self._mine_at_sea = None
        frontier = len({cell for around, _ in clues for cell in around})
        untouched = sea + len(cells) - frontier
        # A supposition is about a cell and its 8 neighbours, so it can move either bound by that much.
        self._counted = count_can_bind(clues, frontier, untouched - 2 * _SCOPE, mines - _SCOPE)
        if self._counted:
            formula, self._mine_at_sea, _ = count_formula(clues, cells, sea, mines)
        else:
            formula = clue_formula(clues)
            self._linked = _linked_cells(clues)
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
        return self._mine_at_sea is not None and not solve(solver, [*assumed, self._mine_at_sea])


def _linked_cells(clues: list[Clue]) -> dict[int, list[int]]:
    """For each cell of a clue, all the cells that chains of clues link it to."""
    linked: dict[int, list[int]] = {}
    for cells, _ in clues:
        groups = {id(group): group for cell in cells if (group := linked.get(cell)) is not None}
        merged = list(dict.fromkeys([*cells, *(cell for group in groups.values() for cell in group)]))
        linked.update(dict.fromkeys(merged, merged))
    return linked
