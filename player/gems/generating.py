"""Random puzzles: random traps, and a selection of the other cells with hidden clues."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player.board import Cell, check_size, count_neighbours, neighbours, size_name
from minesweeper.player.errors import BoardError
from minesweeper.player.gems.puzzle import UNKNOWN, GemPuzzle
from minesweeper.player.logic.cnf import COUNT_SOLVER, new_solver, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ATTEMPTS: Final = 200
AtMost = tuple[list[int], int]


def generate(
    rows: int, cols: int, traps: int, seed: int, *, gems: int | None = None, unique: bool = False
) -> tuple[GemPuzzle, NDArray[np.bool_]]:
    """Generate the puzzle of a `seed`, and return it with its traps, a (rows, cols) array of bool.

    The traps and `gems` other cells (default: half of them) are unknown; all others show their clues. With `unique`,
    the puzzle has one solution, and gems are hidden in random order only as long as it stays the only one, up to
    `gems`. Raises `BoardError` for a bad size or impossible numbers, or without a unique puzzle.
    """
    check_size(rows, cols)
    cells = rows * cols
    if not 0 <= traps <= cells:
        raise BoardError(f"{traps} traps do not fit {size_name(rows, cols)}; expected 0 to {cells}")
    most = (cells - traps) // 2 if gems is None else gems
    if not 0 <= most <= cells - traps:
        raise BoardError(f"{most} gems do not fit beside {traps} traps; expected 0 to {cells - traps}")
    random = Random(seed)
    for _ in range(_ATTEMPTS if unique else 1):
        trap_map = np.zeros((rows, cols), dtype=np.bool_)
        trap_map.reshape(-1)[random.sample(range(cells), traps)] = True
        # A trap that touches only traps touches no clue, so it could be a gem.
        if not unique or (count_neighbours(~trap_map)[trap_map] > 0).all():
            break
    else:
        raise BoardError(
            f"{traps} traps are too many for a unique puzzle: some clue must touch each; expected fewer traps"
        )
    order = np.flatnonzero(~trap_map).tolist()
    random.shuffle(order)
    hidden = _hidden_gems(trap_map, order, most) if unique else order[:most]
    shown = np.where(trap_map, np.int8(UNKNOWN), count_neighbours(trap_map)).astype(np.int8)
    shown.reshape(-1)[hidden] = UNKNOWN
    return GemPuzzle(shown), trap_map


def _hidden_gems(traps: NDArray[np.bool_], order: list[int], most: int) -> list[int]:
    """Hide up to `most` clues of cells, in this order, whenever the rest still has one solution.

    Hiding more clues never removes a solution, so a cell that cannot be hidden now cannot be hidden later.
    """
    cols = traps.shape[1]
    puzzle = _Puzzle(traps)
    hidden: list[int] = []
    for number in order:
        if len(hidden) == most:
            break
        cell = divmod(number, cols)
        puzzle.unknown.add(cell)
        if puzzle.still_unique(cell):
            hidden.append(number)
        else:
            puzzle.unknown.remove(cell)
    return hidden


class _Puzzle:
    """A puzzle under construction: its traps and more and more gems are unknown; all other cells show clues."""

    def __init__(self, traps: NDArray[np.bool_]) -> None:
        self._rows, self._cols = traps.shape
        self._traps: list[list[bool]] = traps.tolist()
        self._neighbours = cache(lambda cell: tuple(neighbours(self._rows, self._cols, cell)))
        self._clues: list[list[int]] = count_neighbours(traps).tolist()
        self.unknown: set[Cell] = {(int(row), int(col)) for row, col in np.argwhere(traps)}

    def still_unique(self, cell: Cell) -> bool:
        """Return True if there is one solution, given that there was one before `cell` became unknown.

        A second solution must differ in the cell or next to it, otherwise the hidden clue would still hold. So a small
        window around the cell is searched. If no such solution fits the clues that touch nothing outside the window,
        the puzzle is unique; if one fits all clues with the outside unchanged, it is not; otherwise the window grows.
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
        """Return the unknown cells at most `radius` rows and columns away."""
        (row, col), unknown = cell, self.unknown
        rows = range(max(0, row - radius), min(self._rows, row + radius + 1))
        cols = range(max(0, col - radius), min(self._cols, col + radius + 1))
        return [(r, c) for r in rows for c in cols if (r, c) in unknown]

    def _bounds(self, variables: Mapping[Cell, int]) -> tuple[list[AtMost], list[AtMost]]:
        """Return the bounds of clues that touch no unknown cell outside the window, and those of the other clues."""
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
