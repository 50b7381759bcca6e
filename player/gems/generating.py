"""New puzzles: random traps, and a choice of the other cells whose clues are not shown."""

from __future__ import annotations

from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pysat.solvers import Solver

from player.board import check_size, count_neighbours, neighbours, size_name
from player.gems.puzzle import UNKNOWN, GemError, GemPuzzle
from player.logic.cnf import CLAUSE_SOLVER, exactly, solve

_ATTEMPTS: Final = 200


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

    One solver serves all questions. It knows every clue, each switched on by assuming its selector, and one clause says
    that the solution is another one than `traps`. Several cells are tried at once, half as many where that fails: with
    fewer clues there never are fewer solutions, so a cell that could not be hidden before can't be later.
    """
    rows, cols = traps.shape
    truth = traps.ravel().tolist()
    clues = count_neighbours(traps).ravel().tolist()
    size = rows * cols
    with Solver(name=CLAUSE_SOLVER) as solver:
        solver.add_clause([-cell if trap else cell for cell, trap in enumerate(truth, 1)])
        for cell in order:
            near = [r * cols + c + 1 for r, c in neighbours(rows, cols, divmod(cell, cols))]
            for clause in [[-cell - 1], *exactly(near, clues[cell])]:
                solver.add_clause([-(size + 1 + cell), *clause])
        selectors = {cell: size + 1 + cell for cell in order}
        hidden: list[int] = []
        waiting = [order]
        while waiting and len(hidden) < wanted:
            block = waiting.pop()
            block, rest = block[: wanted - len(hidden)], block[wanted - len(hidden) :]
            if rest:
                waiting.append(rest)
            without = set(block)
            if not solve(solver, [selector for cell, selector in selectors.items() if cell not in without]):
                hidden += block
                for cell in block:
                    del selectors[cell]
            elif len(block) > 1:
                half = len(block) // 2
                waiting += [block[half:], block[:half]]
        return hidden
