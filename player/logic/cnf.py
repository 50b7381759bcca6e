"""How a view becomes clauses: every encoding of clues and of the number of mines.

Variables are positive integers, true where there is a mine. A clue is encoded *binomially*: of every k + 1 neighbours
one is safe, of every n - k + 1 one is a mine. The number of mines is a pair of cardinality constraints, encoded as a
*totalizer* (Bailleux and Boufkhad, *Efficient CNF encoding of Boolean cardinality constraints*, CP 2003) or handed as
it is to a solver that knows such constraints, *minicard* (Liffiton and Maglalang, *A cardinality solver*, SAT 2012).
Cells of clues that share no cell need not be counted: their clues do that already.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from mmap import mmap
from operator import neg
from threading import Thread
from typing import Any, Final, Literal

from minesweeper.player.limits import check_time, limited

Clause = list[int]
Clue = tuple[Sequence[int], int]
"""A reduced clue: the variables of its undecided neighbours, and how many of them are mines."""

CountEncoding = Literal["totalizer", "minicard"]

CLAUSE_SOLVER: Final = "minisat22"
COUNT_SOLVER: Final = "minicard"

_AT_ONCE: Final = 500
"""Conflicts within which nearly all questions are answered, in a few milliseconds: no thread is started for them."""
_PROPAGATIONS: Final = 1000
_PAUSE: Final = 0.02

_ROOM: Final = 2**23
_BYTES_OF_A_CLAUSE: Final = 512
"""More memory than a solver takes to begin with, and for a clause while its tables grow."""
_MOST_AT_ONCE: Final = 8000
"""Conflicts that a solver may take at a time where memory is limited, a second's work or so."""

_WORTH_REMEMBERING: Final = 16
"""Cells in the largest frontier of which the clauses that count its mines are kept, some hundred at most."""
_FEW_VARIABLES: Final = 64
"""Clauses of clues about variables up to this one are kept: a step that is numbered from 1 on has few others."""


@dataclass
class Formula:
    """Clauses, and cardinality constraints: at most `bound` of `literals` hold."""

    clauses: list[Clause] = field(default_factory=list)
    at_most: list[tuple[list[int], int]] = field(default_factory=list)

    def solver(self) -> Any:
        """Load the formula into a PySAT solver that understands it; use it in a ``with`` statement."""
        solver = new_solver(COUNT_SOLVER if self.at_most else CLAUSE_SOLVER, self.clauses)
        for literals, bound in self.at_most:
            solver.add_atmost(literals, bound)
        return solver


def new_solver(name: str, clauses: Iterable[Clause] = ()) -> Any:
    """Start a PySAT solver; use it in a ``with`` statement. PySAT is imported here, by what does solve something.

    Raises `MemoryError`.
    """
    from pysat.solvers import Solver

    clauses = list(clauses)
    _check_memory(len(clauses))
    return Solver(name=name, bootstrap_with=clauses)


def contradictory(clauses: Iterable[Clause]) -> bool:
    """Say whether no model fits the clauses."""
    with new_solver(CLAUSE_SOLVER, clauses) as solver:
        return not solve(solver)


def _check_memory(clauses: int) -> None:
    """Raise `MemoryError` if a limit leaves too little for so many clauses: where it is met, a new solver aborts."""
    if not _memory_is_limited():
        return
    try:
        mmap(-1, _ROOM + _BYTES_OF_A_CLAUSE * clauses).close()
    except OSError as error:
        raise MemoryError("no room for a solver") from error


def _memory_is_limited() -> bool:
    try:
        import resource
    except ImportError:
        return False  # A system without such limits.
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def solve(solver: Any, assumptions: Sequence[int] = ()) -> bool:
    """Ask a solver for a model. A Ctrl-C that PySAT catches while it works becomes a `KeyboardInterrupt` again.

    Raises `OutOfTime`, and `MemoryError`.
    """
    import pysolvers

    # Room for the model, too, which PySAT lays out without a look.
    _check_memory(solver.nof_vars())
    try:
        if not limited():
            return bool(solver.solve(assumptions=assumptions))
        conflicts = _AT_ONCE
        while True:
            check_time()
            answer = solve_soon(solver, conflicts, assumptions)
            if answer is not None:
                return answer
            # In a thread, a solver that finds no memory takes the process with it.
            if not _memory_is_limited():
                return _solve_watched(solver, assumptions)
            conflicts = min(2 * conflicts, _MOST_AT_ONCE)
    except pysolvers.error as error:
        raise KeyboardInterrupt from error


def solve_soon(solver: Any, conflicts: int, assumptions: Sequence[int] = ()) -> bool | None:
    """Ask for a model, as long as that takes no more than so many conflicts and a thousand times as many propagations.

    None if it does.
    """
    solver.conf_budget(conflicts)
    solver.prop_budget(conflicts * _PROPAGATIONS)
    answer: bool | None = solver.solve_limited(assumptions=assumptions)
    solver.conf_budget(-1)
    solver.prop_budget(-1)
    return answer


def _solve_watched(solver: Any, assumptions: Sequence[int]) -> bool:
    """Let a thread solve, and end it when the time is up or at Ctrl-C."""
    answers: list[bool | None] = []

    def work() -> None:
        answers.append(solver.solve_limited(assumptions=assumptions, expect_interrupt=True))

    thread = Thread(target=work)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_PAUSE)
            if thread.is_alive():
                check_time()
    finally:
        if thread.is_alive():
            solver.interrupt()
            thread.join()
            solver.clear_interrupt()
    (answer,) = answers
    assert answer is not None, "a solver that is not interrupted answers"
    return answer


def exactly(variables: Sequence[int], count: int) -> list[Clause]:
    """Say binomially that exactly `count` of up to 8 variables are true; an impossible count gives the empty clause."""
    if not 0 <= count <= len(variables):
        return [[]]
    literal = [*variables, *map(neg, variables)].__getitem__
    return [list(map(literal, places)) for places in _subsets(len(variables), count)]


def between(
    literals: Sequence[int], least: int, most: int, top: int, encoding: CountEncoding = "minicard"
) -> tuple[Formula, int]:
    """Say that at least `least` and at most `most` of the literals hold; return the formula and the highest variable.

    `top` is the highest variable in use so far; a totalizer takes new ones above it. A bound that cannot bind adds
    nothing, an impossible one the empty clause.
    """
    formula = Formula()
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
        else:
            clauses, top = _totalizer(side, bound, top)
            formula.clauses += clauses
    return formula, top


def _totalizer(literals: Sequence[int], bound: int, top: int) -> tuple[list[Clause], int]:
    """Say that at most `bound` of more literals hold; return the clauses and the highest variable.

    PySAT's own leaves 128 bytes a literal in memory each time, which a million puzzles would notice.
    """
    clauses: list[Clause] = []
    # Every node of the tree is a list of variables: the first holds if one of the literals below does, the next if two.
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


def clue_formula(clues: Iterable[Clue]) -> Formula:
    """Encode reduced clues. Clauses may be those of other formulas, so they are not to be changed."""
    formula = Formula()
    for variables, need in clues:
        formula.clauses += exactly(variables, need)
    return formula


def count_formula(
    clues: Sequence[Clue], frontier: Sequence[int], sea: int, mines: int, encoding: CountEncoding = "minicard"
) -> tuple[Formula, int | None, int | None]:
    """Encode reduced clues and the number of undecided mines over the frontier and `sea` cells that touch no clue.

    The sea needs no variables of its own: its cells hold whatever the frontier leaves over, which is possible
    exactly if the frontier holds ``mines - sea`` to ``mines`` mines. Two further variables ask about its cells, which
    are all alike: assuming the first returned says that some sea cell is a mine, the second that some sea cell is
    safe; both are None without a sea.
    """
    formula = clue_formula(clues)
    uncounted, elsewhere = not_counted_yet(clues, frontier, mines)
    # Small ones come again and again, late in a game, if cells are numbered from 1 on.
    counted, mine_at_sea, safe_at_sea = _count(uncounted, max(frontier, default=0), sea, elsewhere, encoding)
    return Formula(formula.clauses + counted.clauses, counted.at_most), mine_at_sea, safe_at_sea


def not_counted_yet(clues: Sequence[Clue], frontier: Sequence[int], mines: int) -> tuple[tuple[int, ...], int]:
    """Leave out cells whose mines clues that share no cell count; return the others, and the mines left for them."""
    counted: set[int] = set()
    for cells, need in sorted(clues, key=lambda clue: -len(clue[0])):
        if counted.isdisjoint(cells):
            counted.update(cells)
            mines -= need
    return tuple(cell for cell in frontier if cell not in counted), mines


def _count(
    frontier: tuple[int, ...], top: int, sea: int, mines: int, encoding: CountEncoding
) -> tuple[Formula, int | None, int | None]:
    """The part of `count_formula` that is about the number of mines. `top` is the highest variable in use so far."""
    if not sea:
        counted, _ = between(frontier, mines, mines, top, encoding)
        mine_at_sea = safe_at_sea = None
    else:
        mine_at_sea, safe_at_sea = top + 1, top + 2
        most, top = between([*frontier, mine_at_sea], 0, mines, top + 2, encoding)
        # A safe sea cell leaves at most sea - 1 mines out there, so the frontier holds one more.
        least, _ = between([*frontier, -safe_at_sea], mines - sea + 1, len(frontier) + 1, top, encoding)
        counted = Formula(most.clauses + least.clauses, most.at_most + least.at_most)
    return counted, mine_at_sea, safe_at_sea


_remembered_count = lru_cache(maxsize=200)(_count)
_remembered_clue = lru_cache(maxsize=4_000)(exactly)


@cache
def _subsets(size: int, count: int) -> tuple[tuple[int, ...], ...]:
    """The clauses of `exactly` as places in a list of the variables, followed by their opposites."""
    some_safe = combinations(range(size, 2 * size), count + 1)
    some_mine = combinations(range(size), size - count + 1)
    return (*some_safe, *some_mine)
