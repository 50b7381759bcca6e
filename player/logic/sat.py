"""The reference engine: closure by SAT.

Deductions from one clue or two need no solver (`rules`). The others are proofs by contradiction: a cell is safe if
"it is a mine" contradicts the clues. Each model found on the way shows many cells as safe or as mines, and a cell seen
both ways needs no proof. Decided cells never enter a formula again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.errors import InconsistentView, OutOfTime
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import MOST_CELLS, check_time
from minesweeper.player.core.mine_range import MineRange
from minesweeper.player.core.steps import Step, Tier
from minesweeper.player.logic.clauses import (
    Constraints,
    CountEncoding,
    between,
    clue_formula,
    count_formula,
    exactly,
    not_counted_yet,
    solve,
    solve_soon,
)
from minesweeper.player.logic.clues import Clue, groups_of, reduced_clues, variables_of
from minesweeper.player.logic.rules import Contradiction, Position

HARD: Final = 2000
"""Conflicts that minicard may spend on one question about the number of mines before a totalizer takes over."""
MOST_COUNTED: Final = 2000
"""Largest number of counted cells for a totalizer: some million clauses, half a gigabyte."""


class SatReasoner:
    """The `Reasoner` of the SAT engine. `encoding` is as in `count_backbone`.

    The board may have up to `spare` mines less than `mines`: they are in as many cells that touch no clue.
    """

    def __init__(self, grid: Grid, mines: int, encoding: CountEncoding | None = None, *, spare: int = 0) -> None:
        self._position = Position(grid, mines)
        self._encoding = encoding
        self._grid = grid
        self._cells = np.where(grid.hole_map, np.int8(0), np.int8(HIDDEN))
        self._mines, self._spare = mines, spare

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        for cell, clue in zip(cells, clues, strict=True):
            check_time()
            if not (0 <= clue <= 8 and 0 <= cell < self._cells.size):
                raise ValueError(f"expected a clue 0 to 8 in a cell of the board: clue {clue} in cell {cell}")
            self._cells.flat[cell] = clue
            try:
                self._position.learn(cell, clue)
            except Contradiction:
                raise conflict(self._grid, self._cells, self._mines, self._spare) from None

    def advance(self) -> list[Step]:
        try:
            return self._round()
        except Contradiction:
            raise conflict(self._grid, self._cells, self._mines, self._spare) from None

    def _round(self) -> list[Step]:
        position = self._position
        safe, mines = position.one_clue()
        if safe or mines:
            return [_step(Tier.ONE_CLUE, safe, mines)]
        two_safe, two_mines = position.two_clues()
        if two_safe or two_mines:
            return self._decide([_step(Tier.TWO_CLUES, two_safe, two_mines)])
        return self._decide(self._more_clues()) or self._decide(self._mine_count())

    def _decide(self, steps: list[Step]) -> list[Step]:
        for step in steps:
            self._position.decide(step.safe, False)
            self._position.decide(step.mines, True)
        return steps

    def _more_clues(self) -> list[Step]:
        """Deduce from each component that changed since its last examination.

        Out of time, return the steps found so far, if any; the next call raises `OutOfTime` at once.
        """
        position, waiting = self._position, self._position.unexamined
        steps: list[Step] = []
        while waiting:
            clue = waiting.pop()
            if not position.unknown[clue]:
                continue
            component = position.component(clue)
            waiting.difference_update(component)
            try:
                check_time()
                safe, mines = component_backbone(self._reduced(component))
            except OutOfTime:
                waiting.update(component)
                if steps:
                    break
                raise
            if safe or mines:
                steps.append(_step(Tier.MORE_CLUES, _cells(safe), _cells(mines), component))
        return steps

    def _mine_count(self) -> list[Step]:
        position = self._position
        if not position.undecided:
            if not 0 <= position.mines <= self._spare:
                raise Contradiction
            return []
        clues = self._reduced(clue for clue, unknown in position.unknown.items() if unknown)
        frontier = set(_cells(variables_of(clues)))
        elsewhere = position.undecided - len(frontier) + self._spare
        if not count_can_bind(clues, len(frontier), elsewhere, position.mines):
            return []
        found_safe, found_mines, others_are = count_backbone(clues, elsewhere, position.mines, self._encoding)
        safe, mines = _cells(found_safe), _cells(found_mines)
        if others_are is not None:
            others = set(range(self._cells.size)).difference(position.known, frontier)
            (mines if others_are else safe).extend(others)
        return [_step(Tier.MINE_COUNT, safe, mines)] if safe or mines else []

    def _reduced(self, clues: Iterable[int]) -> list[Clue]:
        """Number cells from 1, as SAT needs."""
        position = self._position
        return [([cell + 1 for cell in sorted(position.unknown[clue])], position.needs[clue]) for clue in clues]


def _cells(variables: Iterable[int]) -> list[int]:
    return [variable - 1 for variable in variables]


def _step(tier: Tier, safe: Iterable[int], mines: Iterable[int], clues: Iterable[int] = ()) -> Step:
    return Step(tier, *(tuple(sorted(cells)) for cells in (safe, mines, clues)))


def component_backbone(clues: Sequence[Clue]) -> tuple[list[int], list[int]]:
    """Return the safe cells and the mines that reduced clues force together, without the number of mines.

    Cells are any positive integers. Raises `Contradiction` if the clues cannot all be true.
    """
    with clue_formula(clues).solver() as solver:
        return _backbone(solver, list(groups_of(clues).values()), ())[:2]


def count_backbone(
    clues: Sequence[Clue], elsewhere: int, mines: int, encoding: CountEncoding | None = None
) -> tuple[list[int], list[int], bool | None]:
    """Return the safe cells and the mines that reduced clues and the number of undecided mines force together.

    `mines` are spread over the clues' cells and `elsewhere` unconstrained cells; the last value returned is True if
    these are all mines, False if all safe, None if not decided. Raises `Contradiction` if no layout fits.

    Without an `encoding`, minicard is tried first: it was as fast or faster in nearly all of 130 positions measured. If
    a question takes more than `HARD` conflicts, a totalizer takes over, which is slower to build but better at sums,
    unless it would need too much memory (`MOST_COUNTED`). The answers are the same.
    """
    if encoding is None:
        if len(not_counted_yet(clues, variables_of(clues), mines)[0]) > MOST_COUNTED:
            return _count_backbone(clues, elsewhere, mines, "minicard", None)
        try:
            return _count_backbone(clues, elsewhere, mines, "minicard", HARD)
        except _TooHard:
            encoding = "totalizer"
    return _count_backbone(clues, elsewhere, mines, encoding, None)


class _TooHard(Exception):
    """A question that exceeded its budget of conflicts."""


def _count_backbone(
    clues: Sequence[Clue], elsewhere: int, mines: int, encoding: CountEncoding, conflicts: int | None
) -> tuple[list[int], list[int], bool | None]:
    groups = list(groups_of(clues).values())
    frontier = [cell for group in groups for cell in group]
    formula, *questions = count_formula(clues, frontier, elsewhere, mines, encoding)
    with formula.solver() as solver:
        return _backbone(solver, groups, [one for one in questions if one is not None], conflicts)


def conflict(grid: Grid, cells: NDArray[np.int8], mines: int, spare: int = 0) -> InconsistentView:
    """Find a minimal set of clues, with the number of mines if necessary, that no layout fits; see `SatReasoner`.

    `cells` are those of a `View`; they must be inconsistent. On large boards no clues are named.
    """
    if cells.size > MOST_CELLS:
        return InconsistentView((), False)
    clues, hidden = reduced_clues(grid, cells, cells == HIDDEN)
    try:
        for with_count in (False, True):
            found = minimal_conflict(list(clues.values()), len(hidden), mines if with_count else None, spare)
            if found is not None:
                at = list(clues)
                return InconsistentView([at[which] for which in found if which < len(at)], len(at) in found)
    except OutOfTime:
        return InconsistentView((), False)
    view = View(cells, MineRange(mines - spare, mines), grid)
    raise AssertionError(f"an engine reported a contradiction in a consistent view:\n{view}")


def minimal_conflict(clues: Sequence[Clue], hidden: int, mines: int | None = None, spare: int = 0) -> list[int] | None:
    """Return the places in `clues` of a minimal contradictory set, ``len(clues)`` for the number of mines, or None.

    Each clue has a selector. The solver's core of an unsatisfiable question is reduced: one selector after another is
    dropped for good if the rest is still unsatisfiable.
    """
    parts = [exactly(cells, need) for cells, need in clues]
    top = hidden
    if mines is not None:
        # Cells of one clue stand side by side, so a low node of the totalizer holds their sum.
        every = list(dict.fromkeys([*variables_of(clues), *range(1, hidden + 1)]))
        counted, top = between(every, mines - spare, mines, hidden, "totalizer")
        parts.append(counted.clauses)
    clauses = [[-selector, *clause] for selector, part in enumerate(parts, top + 1) for clause in part]
    with Constraints(clauses).solver() as solver:
        waiting = list(range(top + 1, top + 1 + len(parts)))
        if solve(solver, waiting):
            return None
        waiting = sorted(solver.get_core() or ())
        needed: list[int] = []
        while waiting:
            selector = waiting.pop()
            if solve(solver, [*needed, *waiting]):
                needed.append(selector)
            else:
                core = set(solver.get_core() or ())
                waiting = [other for other in waiting if other in core]
    return sorted(selector - top - 1 for selector in needed)


def _backbone(
    solver: Any, groups: Sequence[Sequence[int]], questions: Sequence[int], conflicts: int | None = None
) -> tuple[list[int], list[int], bool | None]:
    """Find the cells with the same value in all models; for unconstrained cells, from their two `questions`.

    The cells of a group are interchangeable: if one model has both mines and safe cells in a group, none of them is
    decided; otherwise one cell answers for all. Raises `_TooHard` if a question takes more than `conflicts` conflicts.
    """

    def ask(assumptions: Sequence[int] = ()) -> bool:
        if conflicts is None:
            return solve(solver, assumptions)
        check_time()
        answer = solve_soon(solver, conflicts, assumptions)
        if answer is None:
            raise _TooHard
        return answer

    if not ask():
        raise Contradiction
    suspects: dict[int, tuple[int, Sequence[int]]] = {}
    model = solver.get_model()
    for group in groups:
        literal = model[group[0] - 1]
        if all((model[cell - 1] > 0) == (literal > 0) for cell in group):
            suspects[group[0]] = (literal, group)
    possible = set(questions).intersection(model)
    safe: list[int] = []
    mines: list[int] = []
    while suspects:
        literal, group = suspects.popitem()[1]
        if ask([-literal]):
            model = solver.get_model()
            possible.update(set(questions).intersection(model))
            suspects = {
                first: suspect
                for first, suspect in suspects.items()
                if all(model[cell - 1] == (cell if suspect[0] > 0 else -cell) for cell in suspect[1])
            }
        else:
            (mines if literal > 0 else safe).extend(group)
            for cell in group:
                solver.add_clause([cell if literal > 0 else -cell])
    can_be = [question in possible or ask([question]) for question in questions]
    return safe, mines, can_be[0] if can_be in ([True, False], [False, True]) else None


def count_can_bind(clues: Sequence[Clue], frontier: int, elsewhere: int, mines: int) -> bool:
    """Return False if cheap bounds show that the number of mines decides nothing.

    Every frontier cell touches a clue, so the frontier holds at most the sum of what the clues need, and at least what
    clues without a common cell need. If the unconstrained cells can take the rest in either case, with room to spare,
    every layout of the frontier is possible.
    """
    if not elsewhere:
        return True
    counted: set[int] = set()
    least = 0
    for cells, need in sorted(clues, key=lambda clue: len(clue[0]) - 2 * clue[1]):
        if counted.isdisjoint(cells):
            counted.update(cells)
            least += need
    covered: set[int] = set()
    most = 0
    for cells, need in sorted(clues, key=lambda clue: clue[1] - len(clue[0])):
        new = len(covered.union(cells)) - len(covered)
        if new:
            covered.update(cells)
            most += min(need, new)
    return not (most < mines and least > mines - elsewhere)
