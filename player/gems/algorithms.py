"""The algorithms ``sat``, ``backtracking`` and ``brute-force``. Solutions of a part are lists of bool by variable."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import product
from typing import Final

from minesweeper.player.core.errors import BoardError, did_you_mean
from minesweeper.player.gems.clauses import CLAUSE_ENCODINGS
from minesweeper.player.gems.puzzle import Part
from minesweeper.player.logic.clauses import CLAUSE_SOLVER, new_solver, solve
from minesweeper.player.logic.clues import clues_of_variables

_CLOCK_INTERVAL: Final = 4096


def check_solver(name: str) -> None:
    """Raise `BoardError` unless PySAT has a solver of this name."""
    from pysat.solvers import SolverNames

    groups = [names for names in vars(SolverNames).values() if isinstance(names, tuple)]
    if not name.isalnum() or not any(name in names for names in groups):
        known = [one for names in groups for one in names]
        raise BoardError(
            f"unknown solver {name!r}{did_you_mean(name, known)}; PySAT has cadical153, glucose4, minisat22, ..."
        )


def sat_solutions(part: Part, *, encoding: str = "binomial", solver: str = CLAUSE_SOLVER) -> Iterator[list[bool]]:
    """Yield all solutions of a part by a PySAT solver; a clause excludes each solution found."""
    encode = CLAUSE_ENCODINGS[encoding]
    clauses = [clause for variables, need in part.clues for clause in encode(variables, need)]
    if [] in clauses:
        return
    with new_solver(solver, clauses) as loaded:
        while solve(loaded):
            model = loaded.get_model()[: part.size]
            yield [literal > 0 for literal in model]
            loaded.add_clause([-literal for literal in model])


def backtracking_solutions(part: Part) -> Iterator[list[bool]]:
    """Yield all solutions of a part: fill cell by cell, gem first; go back as soon as a clue cannot be satisfied."""
    size = part.size
    seen_by = list(clues_of_variables(part.clues).values())
    need = [count for _, count in part.clues]
    left = [len(variables) for variables, _ in part.clues]
    if any(not 0 <= count <= cells for count, cells in zip(need, left, strict=True)):
        return
    traps = [False] * size
    tried = [0] * (size + 1)  # number of values tried in each cell
    cell = 0
    while cell >= 0:
        if cell == size:
            yield traps.copy()
        elif tried[cell] < 2:
            trap = tried[cell] == 1
            tried[cell] += 1
            traps[cell] = trap
            possible = True
            for clue in seen_by[cell]:
                left[clue] -= 1
                need[clue] -= trap
                possible &= 0 <= need[clue] <= left[clue]
            cell += 1
            if possible:
                tried[cell] = 0
                continue
        # Both values tried: undo the previous cell.
        cell -= 1
        if cell >= 0:
            for clue in seen_by[cell]:
                left[clue] += 1
                need[clue] += traps[cell]


def brute_force_solutions(part: Part, seconds: float = math.inf) -> Iterator[list[bool]]:
    """Yield all solutions of a part: check every assignment against every clue. Raises `BoardError` after `seconds`."""
    clues = [([variable - 1 for variable in variables], need) for variables, need in part.clues]
    deadline = time.monotonic() + seconds
    for number, traps in enumerate(product((False, True), repeat=part.size)):
        if number % _CLOCK_INTERVAL == 0 and time.monotonic() > deadline:
            raise BoardError(
                f"brute-force needs more than {seconds:g} s for a part with {part.size} unknown cells; "
                "choose another algorithm"
            )
        if all(sum(traps[cell] for cell in cells) == need for cells, need in clues):
            yield list(traps)
