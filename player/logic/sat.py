"""The reference engine: the closure by SAT.

What one clue or two decide is found without a solver (`rules`). The rest is proof by contradiction: a cell is safe if
"it is a mine" contradicts the clues. Every model that a solver finds on the way shows many cells one way or the
other, and a cell seen both ways needs no proof. Decided cells never enter a formula again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Board, Cell, View
from minesweeper.player.limits import OutOfTime, check_time
from minesweeper.player.logic import InconsistentView
from minesweeper.player.logic.cnf import (
    Clue,
    CountEncoding,
    Formula,
    between,
    clue_formula,
    count_formula,
    exactly,
    not_counted_yet,
    solve,
    solve_soon,
)
from minesweeper.player.logic.rules import Contradiction, Position
from minesweeper.player.steps import Step, Tier

HARD: Final = 2000
"""Conflicts that one question about the number of mines may take minicard, before a totalizer is built instead."""
MOST_COUNTED: Final = 2000
"""Cells that a totalizer is built for, of those that clues do not count: some million clauses, half a gigabyte."""


class SatReasoner:
    """One game's knowledge, by PySAT. Follows the `Reasoner` protocol. `encoding` is as in `count_backbone`."""

    def __init__(self, rows: int, cols: int, mines: int, encoding: CountEncoding | None = None) -> None:
        self._position = Position(rows, cols, mines)
        self._encoding = encoding
        self._total_mines = mines
        self._opened: dict[int, int] = {}
        self._unexamined: set[int] = set()

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        position = self._position
        for cell, clue in zip(cells, clues, strict=True):
            check_time()
            if not (0 <= clue <= 8 and 0 <= cell < position.rows * position.cols):
                raise ValueError(f"expected a clue 0 to 8 in a cell of the board: clue {clue} in cell {cell}")
            self._opened[cell] = clue
            try:
                position.learn(position.place(cell), clue)
            except Contradiction:
                raise self._conflict() from None

    def advance(self) -> list[Step]:
        try:
            return self._round()
        except Contradiction:
            raise self._conflict() from None

    def _round(self) -> list[Step]:
        position = self._position
        safe, mines = position.one_clue()
        if safe or mines:
            return [self._step(Tier.ONE_CLUE, safe, mines)]
        two_safe, two_mines = position.two_clues()
        self._unexamined |= position.take_changed()
        if two_safe or two_mines:
            return self._decide([self._step(Tier.TWO_CLUES, two_safe, two_mines)])
        return self._decide(self._more_clues()) or self._decide(self._mine_count())

    def _decide(self, steps: list[Step]) -> list[Step]:
        place = self._position.place
        for step in steps:
            self._position.decide(map(place, step.safe), False)
            self._position.decide(map(place, step.mines), True)
        return steps

    def _step(self, tier: Tier, safe: Iterable[int], mines: Iterable[int], clues: Iterable[int] = ()) -> Step:
        number = self._position.number
        return Step(tier, *(tuple(sorted(map(number, places))) for places in (safe, mines, clues)))

    def _more_clues(self) -> list[Step]:
        """Look at every component that changed since it was last looked at.

        If time is over before, returns what was found by then, if anything was; the next call gives up at once.
        """
        position, waiting = self._position, self._unexamined
        steps: list[Step] = []
        while waiting:
            clue = waiting.pop()
            if not position.mask[clue]:
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
                steps.append(self._step(Tier.MORE_CLUES, safe, mines, component))
        return steps

    def _mine_count(self) -> list[Step]:
        position = self._position
        if not position.unknown:
            if position.mines:
                raise Contradiction
            return []
        clues = self._reduced(position.open_clues())
        frontier = {cell for cells, _ in clues for cell in cells}
        sea = position.unknown - len(frontier)
        if not count_can_bind(clues, len(frontier), sea, position.mines):
            return []
        safe, mines, sea_is = count_backbone(clues, sea, position.mines, self._encoding)
        if sea_is is not None:
            every = (position.place(number) for number in range(position.rows * position.cols))
            at_sea = {place for place in every if position.state[place] == 0} - frontier
            (mines if sea_is else safe).extend(at_sea)
        return [self._step(Tier.MINE_COUNT, safe, mines)] if safe or mines else []

    def _reduced(self, clues: Iterable[int]) -> list[Clue]:
        position = self._position
        return [(position.cells(clue, position.mask[clue]), position.need[clue]) for clue in clues]

    def _conflict(self) -> InconsistentView:
        cells = np.full(self._position.rows * self._position.cols, HIDDEN, dtype=np.int8)
        for cell, clue in self._opened.items():
            cells[cell] = clue
        return conflict(cells.reshape(self._position.rows, -1), self._total_mines)


def component_backbone(clues: Sequence[Clue]) -> tuple[list[int], list[int]]:
    """Return the safe cells and the mines that reduced clues force together, without the number of mines.

    Cells are any positive integers. Raises `Contradiction` if the clues cannot all be true.
    """
    groups = _groups(clues)
    with clue_formula(clues).solver() as solver:
        return _backbone(solver, groups, ())[:2]


def count_backbone(
    clues: Sequence[Clue], sea: int, mines: int, encoding: CountEncoding | None = None
) -> tuple[list[int], list[int], bool | None]:
    """Return the safe cells and the mines that reduced clues and the number of undecided mines force together.

    `mines` are spread over the clues' cells and `sea` cells more; the last value tells whether these are all mines
    (True), all safe (False) or not decided (None). Raises `Contradiction` if no layout fits.

    Unless an encoding is asked for, the position chooses: minicard, which was as fast or faster in nearly all of some
    130 positions measured, until a question takes it more than `HARD` conflicts; then a totalizer, which takes longer
    to build, but does not lose its way in sums. Of more than `MOST_COUNTED` cells it would take too much memory. The
    answers are the same.
    """
    if encoding is None:
        frontier = {cell for cells, _ in clues for cell in cells}
        if len(not_counted_yet(clues, sorted(frontier), mines)[0]) > MOST_COUNTED:
            return _count_backbone(clues, sea, mines, "minicard", None)
        try:
            return _count_backbone(clues, sea, mines, "minicard", HARD)
        except _TooHard:
            encoding = "totalizer"
    return _count_backbone(clues, sea, mines, encoding, None)


class _TooHard(Exception):
    """A question that took a solver more conflicts than it may."""


def _count_backbone(
    clues: Sequence[Clue], sea: int, mines: int, encoding: CountEncoding, conflicts: int | None
) -> tuple[list[int], list[int], bool | None]:
    groups = _groups(clues)
    frontier = [cell for group in groups for cell in group]
    formula, mine_at_sea, safe_at_sea = count_formula(clues, frontier, sea, mines, encoding)
    with formula.solver() as solver:
        possible = () if mine_at_sea is None or safe_at_sea is None else (mine_at_sea, safe_at_sea)
        return _backbone(solver, groups, possible, conflicts)


def fits(view: View) -> bool:
    """Say whether any layout of mines fits a view."""
    clues, hidden = _clues_of(view.cells)
    frontier = sorted({cell for cells, _ in clues.values() for cell in cells})
    formula, _, _ = count_formula(list(clues.values()), frontier, len(hidden) - len(frontier), view.mines)
    with formula.solver() as solver:
        return solve(solver)


def some_layout(view: View, random: Random, *, mines_at: Iterable[Cell] = (), safe_at: Iterable[Cell] = ()) -> Board:
    """Find some layout that fits a view, with mines in the hidden cells `mines_at` and none in the cells `safe_at`.

    The solver tries a random placing of the mines first and mends it where it must, so the layout is not always the
    same one, but it is not drawn uniformly either. Raises `Contradiction` if there is none.
    """
    clues, hidden = _clues_of(view.cells)
    every = range(1, len(hidden) + 1)
    counted, _ = between(every, view.mines, view.mines, len(hidden))
    formula = Formula(clue_formula(clues.values()).clauses + counted.clauses, counted.at_most)
    drawn = set(random.sample(every, view.mines))
    with formula.solver() as solver:
        solver.set_phases([number if number in drawn else -number for number in every])
        safe = [-hidden[cell] for cell in safe_at if cell in hidden]
        if not solve(solver, [*safe, *(hidden[cell] for cell in mines_at)]):
            raise Contradiction
        model = solver.get_model()
    mine_map = np.zeros(view.cells.shape, dtype=np.bool_)
    for cell, number in hidden.items():
        mine_map[cell] = model[number - 1] > 0
    return Board(mine_map)


def conflict(cells: np.ndarray[tuple[int, ...], np.dtype[np.int8]], mines: int) -> InconsistentView:
    """Find a set of clues, with the number of mines if need be, that no layout fits, and none if one of it is left out.

    `cells` is a (rows, cols) array as in `View`; it must be inconsistent.
    """
    clues, hidden = _clues_of(cells)
    try:
        for with_count in (False, True):
            found = _minimal_conflict(list(clues.values()), len(hidden), mines if with_count else None)
            if found is not None:
                at = list(clues)
                return InconsistentView([at[which] for which in found if which < len(at)], len(at) in found)
    except OutOfTime:
        return InconsistentView((), False)
    raise AssertionError(f"a consistent view was said to be inconsistent:\n{View(cells, mines)}")


def _clues_of(cells: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> tuple[dict[Cell, Clue], dict[Cell, int]]:
    """Number the hidden cells of a view from 1; return what each clue says of them, and their numbers."""
    hidden = {(row, col): number for number, (row, col) in enumerate(np.argwhere(cells == HIDDEN).tolist(), 1)}
    clues: dict[Cell, Clue] = {}
    for row, col in np.argwhere(cells != HIDDEN).tolist():
        block = [(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2)]
        clues[row, col] = ([hidden[cell] for cell in block if cell in hidden], int(cells[row, col]))
    return clues, hidden


def _minimal_conflict(clues: Sequence[Clue], hidden: int, mines: int | None) -> list[int] | None:
    """The places in `clues` of clues that clash, ``len(clues)`` meaning the number of mines; None if none do.

    Each part has a selector. A solver says which were needed to find no model; of these, one after the other is left
    out, and stays so if there is still none.
    """
    parts = [exactly(cells, need) for cells, need in clues]
    top = hidden
    if mines is not None:
        # Cells of one clue side by side: so their sum is known low down in the totalizer.
        near = dict.fromkeys(cell for cells, _ in clues for cell in cells)
        every = [*near, *(cell for cell in range(1, hidden + 1) if cell not in near)]
        counted, top = between(every, mines, mines, hidden, "totalizer")
        parts.append(counted.clauses)
    clauses = [[-selector, *clause] for selector, part in enumerate(parts, top + 1) for clause in part]
    with Formula(clauses).solver() as solver:
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


def _groups(clues: Sequence[Clue]) -> list[list[int]]:
    """Split the cells of clues into groups of cells that touch the same clues."""
    touched: dict[int, list[int]] = {}
    for number, (cells, _) in enumerate(clues):
        for cell in cells:
            touched.setdefault(cell, []).append(number)
    groups: dict[tuple[int, ...], list[int]] = {}
    for cell, numbers in touched.items():
        groups.setdefault(tuple(numbers), []).append(cell)
    return list(groups.values())


def _backbone(
    solver: Any, groups: Sequence[Sequence[int]], sea: Sequence[int], conflicts: int | None = None
) -> tuple[list[int], list[int], bool | None]:
    """Find what is the same in all models: among the groups, and at sea through its two questions (mine? safe?).

    The cells of a group are interchangeable, so a group that one model shows mixed is open in every cell, and one cell
    answers for all of them. Raises `_TooHard` if a question takes more than so many conflicts.
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
    possible = set(sea).intersection(model)
    safe: list[int] = []
    mines: list[int] = []
    while suspects:
        literal, group = suspects.popitem()[1]
        if ask([-literal]):
            model = solver.get_model()
            possible.update(set(sea).intersection(model))
            suspects = {
                first: suspect
                for first, suspect in suspects.items()
                if all(model[cell - 1] == (cell if suspect[0] > 0 else -cell) for cell in suspect[1])
            }
        else:
            (mines if literal > 0 else safe).extend(group)
            for cell in group:
                solver.add_clause([cell if literal > 0 else -cell])
    can_be = [question in possible or ask([question]) for question in sea]
    return safe, mines, can_be[0] if can_be in ([True, False], [False, True]) else None


def count_can_bind(clues: Sequence[Clue], frontier: int, sea: int, mines: int) -> bool:
    """Say whether the number of mines could decide anything, by bounds on the mines at the frontier that cost little.

    Every frontier cell touches a clue, so there are at most as many mines as the clues need; clues that share no cell
    need at least theirs. With more than that for the sea to take, and room in it, every frontier layout is possible.
    """
    if not sea:
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
    return not (most < mines and least > mines - sea)
