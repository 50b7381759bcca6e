"""Two encodings of clues as clauses, with the same result.

``binomial`` generates the clauses directly (`player.logic.clauses.exactly`). ``distributed`` first lists the
combinations of traps that a clue permits, a disjunction of conjunctions, and expands it into a conjunction of
disjunctions without implied clauses. Both give the prime implicates of the clue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Final

from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN_CELL, GemPuzzle
from minesweeper.player.logic.clauses import Clause, exactly

ClauseEncoding = Callable[[Sequence[int], int], list[Clause]]


def distributed(variables: Sequence[int], count: int) -> list[Clause]:
    """Encode that exactly `count` of up to 8 variables are true; an impossible count gives the empty clause."""
    return [
        [variables[abs(literal) - 1] * (1 if literal > 0 else -1) for literal in clause]
        for clause in _distributed(len(variables), count)
    ]


@cache
def _distributed(size: int, count: int) -> tuple[tuple[int, ...], ...]:
    """Expand the disjunction of all choices of `count` of the variables 1 to `size`."""
    clauses: set[frozenset[int]] = {frozenset()}
    for chosen in combinations(range(1, size + 1), count) if count >= 0 else ():
        term = [place if place in chosen else -place for place in range(1, size + 1)]
        # A clause with a literal and its negation always holds.
        longer = {clause | {literal} for clause in clauses for literal in term if -literal not in clause}
        clauses = _without_implied(longer)
    return tuple(sorted((tuple(sorted(clause, key=abs)) for clause in clauses), key=lambda c: (len(c), c)))


def _without_implied(clauses: Iterable[frozenset[int]]) -> set[frozenset[int]]:
    """Drop every clause that contains another one."""
    kept: set[frozenset[int]] = set()
    for clause in sorted(clauses, key=len):
        if not any(clause - {literal} in kept for literal in clause) and not any(other < clause for other in kept):
            kept.add(clause)
    return kept


CLAUSE_ENCODINGS: Final[dict[str, ClauseEncoding]] = {"binomial": exactly, "distributed": distributed}


def dimacs(puzzle: GemPuzzle, encoding: str = "binomial") -> str:
    """Return a puzzle in DIMACS CNF.

    Variable n is cell n, counted from 1 row by row, and true for a gem, so a model is the signed list of a
    solution. `encoding` is one of `CLAUSE_ENCODINGS`.
    """
    grid, cols = puzzle.grid, puzzle.grid.cols
    clauses: list[Clause] = []
    for row, col in np.ndindex(puzzle.cells.shape):
        value = puzzle.cells[row, col]
        if value in (TRAP, GEM) or value >= 0:
            clauses.append([(row * cols + col + 1) * (-1 if value == TRAP else 1)])
    for row, col in np.argwhere(puzzle.cells >= 0).tolist():
        near = list(grid.neighbours((row, col)))
        unknown = [r * cols + c + 1 for r, c in near if puzzle.cells[r, c] == UNKNOWN_CELL]
        need = int(puzzle.cells[row, col]) - sum(puzzle.cells[cell] == TRAP for cell in near)
        clauses += [[-literal for literal in clause] for clause in CLAUSE_ENCODINGS[encoding](unknown, need)]
    lines = [
        f"c Gem Hunter, {grid.rows} rows of {cols} cells; variable n is cell n, row by row, true for a gem",
        f"p cnf {puzzle.cells.size} {len(clauses)}",
        *(" ".join(map(str, [*clause, 0])) for clause in clauses),
    ]
    return "\n".join(lines)
