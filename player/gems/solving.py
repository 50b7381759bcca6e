"""Solutions of whole puzzles, combined from those of their parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.errors import InconsistentView, TooWide
from minesweeper.player.core.grid import grid_of
from minesweeper.player.gems.algorithms import backtracking_solutions, brute_force_solutions, sat_solutions
from minesweeper.player.gems.dpll import dpll_solutions
from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN_CELL, GemPuzzle, Part, split
from minesweeper.player.logic import closure
from minesweeper.player.logic.clues import clues_of_variables
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, minimal_conflict

Algorithm = Callable[[Part], Iterator[list[bool]]]
ALGORITHMS: Final[dict[str, Algorithm]] = {
    "sat": sat_solutions,
    "dpll": dpll_solutions,
    "backtracking": backtracking_solutions,
    "brute-force": brute_force_solutions,
}
MAX_STATES: Final = 1_000_000


def solutions(puzzle: GemPuzzle, algorithm: Algorithm = sat_solutions) -> Iterator[NDArray[np.bool_]]:
    """Yield all solutions, each an array of bool, True at traps.

    The solutions of the parts combine freely, like the wheels of a counter. Cells that no clue sees are gems in the
    first one.
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

    Raises `InconsistentView` if there is no solution.
    """
    cells = _by_single_clues(puzzle.cells)
    for part in split(GemPuzzle(cells))[0]:
        try:
            safe, traps = component_backbone(part.clues)
        except Contradiction:
            conflicts = ((whole, minimal_conflict(whole.clues, whole.size)) for whole in split(puzzle)[0])
            whole, places = next((whole, places) for whole, places in conflicts if places is not None)
            raise InconsistentView(sorted(whole.places[place] for place in places), layout="solution") from None
        for numbers, value in ((safe, GEM), (traps, TRAP)):
            for number in numbers:
                cells[part.cells[number - 1]] = value
    return cells


def _by_single_clues(given: NDArray[np.int8]) -> NDArray[np.int8]:
    """Fill in the cells that single clues decide, until nothing follows or a contradiction appears."""
    cells = given.copy()
    while True:
        unknown = cells == UNKNOWN_CELL
        # As if each cell were a clue.
        count = grid_of(cells.shape).count
        left, need = count(unknown), cells - count(cells == TRAP)
        clue = cells >= 0
        gems = unknown & (count(clue & (need == 0)) > 0)
        traps = unknown & (count(clue & (need == left)) > 0)
        if (clue & ((need < 0) | (need > left))).any() or (gems & traps).any() or not (gems | traps).any():
            return cells
        cells[gems], cells[traps] = GEM, TRAP


def puzzle_of(view: View) -> GemPuzzle:
    """Return the puzzle of a view, with the cells that are known only by the number of mines as given traps and gems.

    Raises `InconsistentView`.
    """
    known = closure(view)
    puzzle = GemPuzzle(np.where(view.cells == HIDDEN, np.int8(UNKNOWN_CELL), view.cells))
    by_count = certain_cells(puzzle) == UNKNOWN_CELL
    cells = np.where(by_count & known.mine_map, np.int8(TRAP), puzzle.cells)
    return GemPuzzle(np.where(by_count & known.safe_map, np.int8(GEM), cells))


def count_solutions(puzzle: GemPuzzle) -> int:
    """Count the solutions exactly. Raises `TooWide` if that needs too much memory."""
    try:
        left = GemPuzzle(certain_cells(puzzle))
    except InconsistentView:
        return 0
    parts, free = split(left)
    total = 1 << len(free)
    for part in parts:
        total *= count_part(part)
    return total


def count_part(part: Part) -> int:
    """Count the solutions of a part exactly. Raises `TooWide`.

    The cells are filled in the part's order. Partial solutions with the same remaining needs of the unfinished clues
    have the same continuations, so they are counted together.
    """
    left = [len(variables) for variables, _ in part.clues]
    if any(not 0 <= need <= cells for (_, need), cells in zip(part.clues, left, strict=True)):
        return 0
    active: list[int] = []
    ways: dict[tuple[int, ...], int] = {(): 1}
    for clues in clues_of_variables(part.clues).values():
        new = [clue for clue in clues if clue not in active]
        active += new
        needs = tuple(part.clues[clue][1] for clue in new)
        spots = [(active.index(clue), left[clue] - 1) for clue in clues]
        for clue in clues:
            left[clue] -= 1
        stay = [spot for spot, clue in enumerate(active) if left[clue]]
        after: dict[tuple[int, ...], int] = defaultdict(int)
        for state, number in ways.items():
            for trap in (0, 1):
                filled = [*state, *needs]
                for spot, room in spots:
                    filled[spot] -= trap
                    if not 0 <= filled[spot] <= room:
                        break
                else:
                    after[tuple(filled[spot] for spot in stay)] += number
        ways = after
        if len(ways) > MAX_STATES:
            raise TooWide(f"a part of {part.size} cells is too wide to count its solutions")
        active = [active[spot] for spot in stay]
    return ways.get((), 0)
