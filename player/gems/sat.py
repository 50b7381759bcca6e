"""The algorithm ``sat``: the clues as clauses for a PySAT solver."""

from __future__ import annotations

from collections.abc import Iterator

from minesweeper.player.gems.clauses import ENCODINGS
from minesweeper.player.gems.puzzle import GemError, Part
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, new_solver, solve
from minesweeper.player.words import did_you_mean


def check_solver(name: str) -> None:
    """Raise `GemError` unless PySAT has a solver of this name."""
    from pysat.solvers import SolverNames

    groups = [names for names in vars(SolverNames).values() if isinstance(names, tuple)]
    if not name.isalnum() or not any(name in names for names in groups):
        known = [one for names in groups for one in names]
        raise GemError(
            f"unknown solver {name!r}{did_you_mean(name, known)}; PySAT has cadical153, glucose4, minisat22, ..."
        )


def sat_solutions(part: Part, *, encoding: str = "binomial", solver: str = CLAUSE_SOLVER) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable; a clause excludes each solution found."""
    encode = ENCODINGS[encoding]
    clauses = [clause for variables, need in part.clues for clause in encode(variables, need)]
    if [] in clauses:
        return
    with new_solver(solver, clauses) as loaded:
        while solve(loaded):
            model = loaded.get_model()[: part.size]
            yield [literal > 0 for literal in model]
            loaded.add_clause([-literal for literal in model])
