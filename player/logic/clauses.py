"""Encodings of clues and of the number of mines as clauses.

Variables are positive integers, true for a mine. A clue is encoded *binomially*: of every k + 1 neighbours one is safe,
of every n - k + 1 one is a mine. The number of mines is a pair of cardinality constraints: encoded as a *totalizer*
(Bailleux and Boufkhad, *Efficient CNF encoding of Boolean cardinality constraints*, CP 2003) or passed unchanged to
*minicard*, a solver with native cardinality constraints (Liffiton and Maglalang, *A cardinality solver*, SAT 2012).
Cells of clues that share no cell are left out of the count: their clues already fix it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, repeat
from operator import neg
from threading import current_thread, main_thread
from typing import Any, Final, Literal

from minesweeper.player.core.limits import check_time, limited
from minesweeper.player.logic.clues import Clue

Clause = list[int]

CountEncoding = Literal["totalizer", "minicard"]
CardinalityEncoding = Literal["binomial", "sequential", "totalizer", "network"]

CLAUSE_SOLVER: Final = "minisat22"
COUNT_SOLVER: Final = "minicard"

_CONFLICTS: Final = 500
"""Conflicts before the first look at the clock: nearly all questions need fewer, in a few milliseconds."""
_PROPAGATIONS: Final = 1000


@dataclass
class Constraints:
    """Clauses, and cardinality constraints: at most `bound` of `literals` hold."""

    clauses: list[Clause] = field(default_factory=list)
    at_most: list[tuple[list[int], int]] = field(default_factory=list)

    def solver(self) -> Any:
        """Load the formula into a PySAT solver that supports it; use it in a ``with`` statement."""
        solver = new_solver(COUNT_SOLVER if self.at_most else CLAUSE_SOLVER, self.clauses)
        for literals, bound in self.at_most:
            solver.add_atmost(literals, bound)
        return solver


def new_solver(name: str, clauses: Iterable[Clause] = ()) -> Any:
    """Start a PySAT solver; use it in a ``with`` statement."""
    from pysat.solvers import Solver

    return Solver(name=name, bootstrap_with=clauses)


def contradictory(clauses: Iterable[Clause]) -> bool:
    """Return True if no model satisfies the clauses. Raises as `solve` does."""
    if limited():
        with new_solver(CLAUSE_SOLVER, clauses) as solver:
            return not solve(solver)
    import pysolvers

    # The calls of pysat.solvers.Minisat22: the import of that module takes longer than a thousand proofs.
    handle = pysolvers.minisat22_new()
    try:
        deque(map(pysolvers.minisat22_add_cl, repeat(handle), clauses), maxlen=0)  # faster than a loop
        return not pysolvers.minisat22_solve(handle, [], int(current_thread() is main_thread()))
    except pysolvers.error as error:
        raise KeyboardInterrupt from error
    finally:
        pysolvers.minisat22_del(handle)


def solve(solver: Any, assumptions: Sequence[int] = ()) -> bool:
    """Return True if the solver finds a model. Raises `OutOfTime`.

    Under a time limit, it runs with one budget after another and keeps its learned clauses. PySAT swallows a Ctrl-C
    during its work; it is raised again as `KeyboardInterrupt`.
    """
    import pysolvers

    conflicts = _CONFLICTS
    answer: bool | None = None
    try:
        while answer is None:
            check_time()
            answer = solve_soon(solver, conflicts, assumptions) if limited() else solver.solve(assumptions=assumptions)
            # Equal budgets may never suffice; these are small beside the time already spent.
            conflicts += _CONFLICTS
        return answer
    except pysolvers.error as error:
        raise KeyboardInterrupt from error


def solve_soon(solver: Any, conflicts: int, assumptions: Sequence[int] = ()) -> bool | None:
    """Solve within a budget of conflicts, and a thousand propagations for each; return None beyond it."""
    solver.conf_budget(conflicts)
    solver.prop_budget(conflicts * _PROPAGATIONS)
    answer: bool | None = solver.solve_limited(assumptions=assumptions)
    solver.conf_budget(-1)
    solver.prop_budget(-1)
    return answer


def exactly(variables: Sequence[int], count: int) -> list[Clause]:
    """Encode binomially that `count` of up to 8 variables are true; an impossible count gives the empty clause."""
    if not 0 <= count <= len(variables):
        return [[]]
    literal = [*variables, *map(neg, variables)].__getitem__
    return [list(map(literal, places)) for places in _subsets(len(variables), count)]


def between(
    literals: Sequence[int], least: int, most: int, top: int, encoding: CountEncoding | CardinalityEncoding = "minicard"
) -> tuple[Constraints, int]:
    """Encode that `least` to `most` of the literals hold; return the formula and the highest variable.

    `top` is the highest variable in use; new ones follow it. A bound that always holds adds nothing, an impossible one
    adds the empty clause.
    """
    formula = Constraints()
    opposite = [-literal for literal in literals]
    for side, bound in ((list(literals), most), (opposite, len(literals) - least)):
        if bound >= len(side):
            continue
        if bound < 0:
            formula.clauses.append([])
        elif bound == 0:
            formula.clauses.extend([-literal] for literal in side)
        elif encoding == "minicard":
            formula.at_most.append((side, bound))
        elif encoding == "binomial":
            formula.clauses.extend([-literal for literal in some] for some in combinations(side, bound + 1))
        elif encoding == "totalizer":
            clauses, top = _totalizer(side, bound, top)
            formula.clauses += clauses
        else:
            from pysat.card import CardEnc, EncType

            kind = EncType.seqcounter if encoding == "sequential" else EncType.cardnetwrk
            found = CardEnc.atmost(side, bound, top_id=top, encoding=kind)
            formula.clauses += found.clauses
            top = found.nv
    return formula, top


def _totalizer(literals: Sequence[int], bound: int, top: int) -> tuple[list[Clause], int]:
    """Encode that at most `bound` of more literals hold; return the clauses and the highest variable.

    PySAT's own encoding leaks 128 bytes a literal.
    """
    clauses: list[Clause] = []
    # Each node of the tree lists variables: the first holds if one literal below it holds, the next if two do.
    nodes = deque([literal] for literal in literals)
    while len(nodes) > 1:
        check_time()
        left, right = nodes.popleft(), nodes.popleft()
        both = list(range(top + 1, top + 1 + min(len(left) + len(right), bound + 1)))
        top += len(both)
        nodes.append(both)
        clauses += ([-some, both[place]] for one in (left, right) for place, some in enumerate(one))
        clauses += (
            [-some, -other, both[ours + theirs + 1]]
            for ours, some in enumerate(left)
            for theirs, other in enumerate(right[: max(0, bound - ours)])
        )
    clauses.append([-nodes[0][bound]])
    return clauses, top


def clue_formula(clues: Iterable[Clue]) -> Constraints:
    """Encode reduced clues."""
    return Constraints([clause for variables, need in clues for clause in exactly(variables, need)])


def count_formula(
    clues: Sequence[Clue], frontier: Sequence[int], elsewhere: int, mines: int, encoding: CountEncoding = "minicard"
) -> tuple[Constraints, int | None, int | None]:
    """Encode reduced clues and the number of undecided mines, over the frontier and `elsewhere` unconstrained cells.

    Unconstrained cells have no variables of their own: they hold the mines that the frontier leaves over, so the
    frontier must hold ``mines - elsewhere`` to ``mines`` mines. They are all alike, and two further variables stand for
    them: assuming the first asserts that one of them is a mine, assuming the second that one is safe. Returns the
    formula and these two variables, which are None if there are no unconstrained cells.
    """
    formula = clue_formula(clues)
    uncounted, mines = not_counted_yet(clues, frontier, mines)
    top = max(frontier, default=0)
    if not elsewhere:
        counted, _ = between(uncounted, mines, mines, top, encoding)
        return Constraints(formula.clauses + counted.clauses, counted.at_most), None, None
    some_mine, some_safe = top + 1, top + 2
    most, top = between([*uncounted, some_mine], 0, mines, top + 2, encoding)
    # A safe unconstrained cell leaves at most elsewhere - 1 mines to the others, so the frontier holds one more.
    least, _ = between([*uncounted, -some_safe], mines - elsewhere + 1, len(uncounted) + 1, top, encoding)
    clauses = formula.clauses + most.clauses + least.clauses
    return Constraints(clauses, most.at_most + least.at_most), some_mine, some_safe


def not_counted_yet(clues: Sequence[Clue], frontier: Sequence[int], mines: int) -> tuple[list[int], int]:
    """Drop the cells of clues that share no cell with each other; return the other cells and the mines left for them.

    The dropped clues already fix the number of mines among their cells.
    """
    counted: set[int] = set()
    for cells, need in sorted(clues, key=lambda clue: -len(clue[0])):
        if counted.isdisjoint(cells):
            counted.update(cells)
            mines -= need
    return [cell for cell in frontier if cell not in counted], mines


@cache
def _subsets(size: int, count: int) -> tuple[tuple[int, ...], ...]:
    """List the clauses of `exactly` as places in the list of variables followed by their negations."""
    some_safe = combinations(range(size, 2 * size), count + 1)
    some_mine = combinations(range(size), size - count + 1)
    return (*some_safe, *some_mine)
