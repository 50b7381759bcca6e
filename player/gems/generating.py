"""New puzzles: random traps, and a choice of the other cells whose clues are not shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player.board import Cell, check_size, count_neighbours, neighbours, size_name
from minesweeper.player.gems.puzzle import UNKNOWN, GemError, GemPuzzle
from minesweeper.player.logic.cnf import COUNT_SOLVER, new_solver, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ATTEMPTS: Final = 200
AtMost = tuple[list[int], int]


def generate(
    rows: int, cols: int, traps: int, seed: int, *, gems: int | None = None, unique: bool = False
) -> tuple[GemPuzzle, NDArray[np.bool_]]:
    """Make a puzzle that `seed` fixes, and return it with its traps, a (rows, cols) array of bool.

    `gems` cells without a trap are unknown like the traps (default: half of them); all others show their clues. With
    `unique` there is just one solution, and as many gems of those wished for are unknown as that allows (in the order
    drawn: no other of the rest could be). Raises `BoardError` for a size, `GemError` for numbers that do not fit or if
    no unique puzzle is found.
    """
    check_size(rows, cols)
    cells = rows * cols
    if not 0 <= traps <= cells:
        raise GemError(f"expected 0 to {cells} traps on {size_name(rows, cols)}: {traps}")
    wanted = (cells - traps) // 2 if gems is None else gems
    if not 0 <= wanted <= cells - traps:
        raise GemError(f"expected 0 to {cells - traps} gems beside {traps} traps: {wanted}")
    random = Random(seed)
    for _ in range(_ATTEMPTS if unique else 1):
        trap_map = np.zeros((rows, cols), dtype=np.bool_)
        trap_map.reshape(-1)[random.sample(range(cells), traps)] = True
        # A trap among traps alone is seen by no clue, so it cannot be told from a gem.
        if not unique or (count_neighbours(~trap_map)[trap_map] > 0).all():
            break
    else:
        raise GemError(f"expected fewer traps, so that some clue sees each of them: {traps}")
    order = np.flatnonzero(~trap_map).tolist()
    random.shuffle(order)
    hidden = _hidden_gems(trap_map, order, wanted) if unique else order[:wanted]
    shown = np.where(trap_map, np.int8(UNKNOWN), count_neighbours(trap_map)).astype(np.int8)
    shown.reshape(-1)[hidden] = UNKNOWN
    return GemPuzzle(shown), trap_map


def _hidden_gems(traps: NDArray[np.bool_], order: list[int], wanted: int) -> list[int]:
    """Hide the clues of cells, in this order, where the rest still has one solution, until enough are hidden.

    With fewer clues there never are fewer solutions, so a cell that cannot be hidden now can't be later.
    """
    cols = traps.shape[1]
    puzzle = _Puzzle(traps)
    hidden: list[int] = []
    for number in order:
        if len(hidden) == wanted:
            break
        cell = divmod(number, cols)
        puzzle.unknown.add(cell)
        if puzzle.still_unique(cell):
            hidden.append(number)
        else:
            puzzle.unknown.remove(cell)
    return hidden


class _Puzzle:
    """A puzzle in the making: its traps are unknown, and so are more and more gems; all other cells show clues."""

    def __init__(self, traps: NDArray[np.bool_]) -> None:
        self._rows, self._cols = traps.shape
        self._traps: list[list[bool]] = traps.tolist()
        self._neighbours = cache(lambda cell: tuple(neighbours(self._rows, self._cols, cell)))
        self._clues: list[list[int]] = count_neighbours(traps).tolist()
        self.unknown: set[Cell] = {(int(row), int(col)) for row, col in np.argwhere(traps)}

    def still_unique(self, cell: Cell) -> bool:
        """Say whether there is one solution, if there was one before `cell` became unknown.

        A second solution would differ in the cell or next to it, or the clue that was there would still hold. So the
        question is asked of a small window around it: if no such solution fits the clues that see nothing outside,
        there is none; if one fits all clues with everything outside as it is, there is one; else a larger window
        decides.
        """
        radius = 2
        while True:
            variables = {near: number for number, near in enumerate(self._window(cell, radius), 1)}
            differs = [
                -variables[near] if self._traps[near[0]][near[1]] else variables[near]
                for near in (cell, *self._neighbours(cell))
                if near in variables
            ]
            within, across = self._bounds(variables)
            with new_solver(COUNT_SOLVER) as solver:
                solver.add_clause(differs)
                for bound in within:
                    solver.add_atmost(*bound)
                if not solve(solver):
                    return True
                for bound in across:
                    solver.add_atmost(*bound)
                if solve(solver):
                    return False
            radius *= 2

    def _window(self, cell: Cell, radius: int) -> list[Cell]:
        """The unknown cells at most `radius` rows and columns away."""
        (row, col), unknown = cell, self.unknown
        rows = range(max(0, row - radius), min(self._rows, row + radius + 1))
        cols = range(max(0, col - radius), min(self._cols, col + radius + 1))
        return [(r, c) for r in rows for c in cols if (r, c) in unknown]

    def _bounds(self, variables: Mapping[Cell, int]) -> tuple[list[AtMost], list[AtMost]]:
        """Write down the clues that see any variable: those that see no other unknown cell, and the rest."""
        within: list[AtMost] = []
        across: list[AtMost] = []
        for row, col in {near for cell in variables for near in self._neighbours(cell)} - self.unknown:
            need = self._clues[row][col]
            seen = within
            literals = []
            for near in self._neighbours((row, col)):
                if near in variables:
                    literals.append(variables[near])
                elif near in self.unknown:
                    seen = across
                    need -= self._traps[near[0]][near[1]]
            seen.append((literals, need))
            seen.append(([-literal for literal in literals], len(literals) - need))
        return within, across
