"""Solutions of whole puzzles, combined from those of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player.board import Cell, count_neighbours
from minesweeper.player.gems.backtracking import backtracking_solutions
from minesweeper.player.gems.brute_force import brute_force_solutions
from minesweeper.player.gems.counting import count_part
from minesweeper.player.gems.dpll import dpll_solutions
from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN, GemPuzzle, Part, split
from minesweeper.player.gems.sat import sat_solutions
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, minimal_conflict

if TYPE_CHECKING:
    from numpy.typing import NDArray

Algorithm = Callable[[Part], Iterator[list[bool]]]
ALGORITHMS: Final[dict[str, Algorithm]] = {
    "sat": sat_solutions,
    "dpll": dpll_solutions,
    "backtracking": backtracking_solutions,
    "brute-force": brute_force_solutions,
}
FIRST: Final[dict[str, Algorithm]] = ALGORITHMS | {"dpll": partial(dpll_solutions, pure_literals=True)}
"""The algorithms for finding a single solution."""


class Clash(ValueError):
    """No solution exists: the clues at `cells` (row, col) contradict each other, and no proper subset of them does."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = tuple(cells)
        named = " and ".join(f"({row}, {col})" for row, col in self.cells)
        super().__init__(
            f"no solution fits the clues at {named}" if len(cells) > 1 else f"no solution fits the clue at {named}"
        )


def first_solution(puzzle: GemPuzzle, algorithm: Algorithm = sat_solutions) -> NDArray[np.bool_] | None:
    """Return one solution, a (rows, cols) array of bool, True at traps, or None.

    Cells that no clue sees are gems in it.
    """
    parts, _ = split(puzzle)
    traps: NDArray[np.bool_] = puzzle.cells == TRAP
    for part in parts:
        found = next(algorithm(part), None)
        if found is None:
            return None
        for cell, trap in zip(part.cells, found, strict=True):
            traps[cell] = trap
    return traps


def solutions(puzzle: GemPuzzle, algorithm: Algorithm = sat_solutions) -> Iterator[NDArray[np.bool_]]:
    """Yield all solutions, each a (rows, cols) array of bool, True at traps.

    The solutions of the parts combine freely, like the wheels of a counter.
    """
    parts, free = split(puzzle)
    parts += [Part((cell,), (), ()) for cell in free]
    traps = puzzle.cells == TRAP

    def fill(wheel: int) -> bool:
        found = next(wheels[wheel], None)
        if found is None:
            return False
        for cell, trap in zip(parts[wheel].cells, found, strict=True):
            traps[cell] = trap
        return True

    wheels = [_ways(part, algorithm) for part in parts]
    if not all(map(fill, range(len(parts)))):
        return
    while True:
        yield traps.copy()
        for wheel in reversed(range(len(parts))):
            if fill(wheel):
                break
            wheels[wheel] = _ways(parts[wheel], algorithm)
            fill(wheel)
        else:
            return


def _ways(part: Part, algorithm: Algorithm) -> Iterator[list[bool]]:
    return algorithm(part) if part.clues else iter([[False], [True]])


def certain_cells(puzzle: GemPuzzle) -> NDArray[np.int8]:
    """Return the puzzle's cells with each unknown cell that is the same in all solutions as `TRAP` or `GEM`.

    Raises `Clash` if there is no solution.
    """
    cells = _by_single_clues(puzzle.cells)
    for part in split(GemPuzzle(cells))[0]:
        try:
            safe, traps = component_backbone(part.clues)
        except Contradiction:
            conflicts = ((whole, minimal_conflict(whole.clues, whole.size)) for whole in split(puzzle)[0])
            whole, places = next((whole, places) for whole, places in conflicts if places is not None)
            raise Clash(sorted(whole.places[place] for place in places)) from None
        for numbers, value in ((safe, GEM), (traps, TRAP)):
            for number in numbers:
                cells[part.cells[number - 1]] = value
    return cells


def _open(cells: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return, for each cell as if it were a clue, the number of unknown neighbours and of traps among them."""
    return count_neighbours(cells == UNKNOWN), cells - count_neighbours(cells == TRAP)


def _by_single_clues(given: NDArray[np.int8]) -> NDArray[np.int8]:
    """Fill in the cells that single clues decide, until nothing follows or a contradiction appears."""
    cells = given.copy()
    while True:
        unknown = cells == UNKNOWN
        left, need = _open(cells)
        clue = cells >= 0
        gems = unknown & (count_neighbours(clue & (need == 0)) > 0)
        traps = unknown & (count_neighbours(clue & (need == left)) > 0)
        if (clue & ((need < 0) | (need > left))).any() or (gems & traps).any() or not (gems | traps).any():
            return cells
        cells[gems], cells[traps] = GEM, TRAP


def count_solutions(puzzle: GemPuzzle) -> int:
    """Count the solutions exactly. Raises `TooWide` if that needs too much memory."""
    try:
        left = GemPuzzle(certain_cells(puzzle))
    except Clash:
        return 0
    parts, free = split(left)
    total = 1 << len(free)
    for part in parts:
        total *= count_part(part)
    return total
