"""Smallest reasons for known cells, and proofs that a cell is not known.

A reason rests on the clues of the view, not on earlier deductions; cells that count as known are `given`. The reason
with the fewest clues wins, but a reason without the number of mines always beats one with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Final

from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Cell, CellLike, ViewLike, as_cell, as_view
from minesweeper.player.errors import BoardError, InconsistentView, TooWide
from minesweeper.player.logic import closure
from minesweeper.player.logic.clues import variables_of
from minesweeper.player.logic.cnf import solve
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, count_backbone, layout_formula
from minesweeper.player.steps import Tier
from minesweeper.player.why.clue_map import ClueMap, Given
from minesweeper.player.why.path import PathStep, first_step, solution_path
from minesweeper.player.why.subsets import Forced, with_count, without_count
from minesweeper.player.why.wording import decided, explain_more, explain_one, explain_two

SECONDS: Final = 0.3
NOTHING_GIVEN: Final[Given] = MappingProxyType({})


@dataclass(frozen=True)
class Reason:
    """Clues from which the value of a cell follows.

    `mine` is the value of `cell`. None of the `clues`, open cells in reading order, can be left out; `mine_count` is
    True if the number of mines on the board is needed too. `smallest` is True if no smaller set of clues suffices (none
    at all without the number of mines, if that is used). `given` are the cells taken as known around these clues.
    """

    cell: Cell
    mine: bool
    clues: tuple[Cell, ...]
    mine_count: bool
    smallest: bool
    given: tuple[Cell, ...] = ()
    because: str = field(default="", repr=False)

    @property
    def tier(self) -> Tier:
        """The tier of this reason."""
        if self.mine_count:
            return Tier.MINE_COUNT
        return Tier(min(len(self.clues), Tier.MORE_CLUES))

    def in_words(self) -> str:
        """Return a sentence that names every clue."""
        return f"{self.cell} is {'a mine' if self.mine else 'safe'}: {self.because}"


@dataclass(frozen=True)
class Hint:
    """The easiest next deduction: all cells that follow in the same way. `safe` and `mines` are in reading order.

    `reason` is for one of these cells, and its clues decide the others too.
    """

    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    reason: Reason
    because: str = field(default="", repr=False)

    @property
    def tier(self) -> Tier:
        """The tier of this step."""
        return self.reason.tier

    def in_words(self) -> str:
        """Return a sentence with the safe cells, the mines and the reason."""
        return f"{decided(self.safe, self.mines)}: {self.because}"


def reason(view: ViewLike, cell: CellLike, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Reason:
    """Find a smallest set of clues from which the value of a hidden cell follows.

    `given` maps hidden cells that count as known to their value, True for a mine. After about `seconds`, the search
    returns a set that is minimal by inclusion (without the kernel, a reason with the mine count may then hold
    unnecessary clues). Raises `BoardError` for a cell that could be either, `InconsistentView` if no layout fits,
    `BoardError` for a cell that is not a hidden one of the view.
    """
    deadline = time.perf_counter() + seconds
    cell = as_cell(cell)
    clues = ClueMap(as_view(view), given)
    clues.check_hidden(cell)
    if cell in given:
        raise BoardError(f"{cell} is given; expected a cell that is not given")
    try:
        found = (
            _by_few(clues, cell)
            or _by_search(clues, cell, deadline, mine_count=False)
            or _by_search(clues, cell, deadline, mine_count=True)
        )
    except Contradiction:
        raise _conflict(clues) from None
    if found is None:
        raise BoardError(f"{cell} could be a mine or safe; expected a known cell")
    return found


def counterexample(view: ViewLike, cell: CellLike) -> tuple[Board, Board]:
    """Find two layouts that fit the view, the first with `cell` safe, the second with a mine there.

    Apart from the changes that this requires, they are alike. Raises `BoardError` for a cell that is the same in all
    layouts, `InconsistentView` if no layout fits, `BoardError` for a cell that is not a hidden one of the view.
    """
    view, cell = as_view(view), as_cell(cell)
    ClueMap(view, NOTHING_GIVEN).check_hidden(cell)
    formula, hidden = layout_formula(view)
    asked = hidden.index(cell) + 1
    with formula.solver() as solver:
        if not solve(solver, [-asked]):
            # Raises if no layout fits at all.
            closure(view)
            raise BoardError(f"{cell} is a mine in every layout; expected a cell that could be safe")
        safe = set(solver.get_model())
        if not solve(solver, [asked]):
            raise BoardError(f"{cell} is safe in every layout; expected a cell that could be a mine")
        alike = [literal for literal in safe if 0 < abs(literal) <= len(hidden) and abs(literal) != asked]
        while not solve(solver, [asked, *alike]):
            clash = set(solver.get_core())
            alike = [literal for literal in alike if literal not in clash]
        mine = set(solver.get_model())
    first, second = (
        Board.from_cells(view.rows, view.cols, (cell for number, cell in enumerate(hidden, 1) if number in model))
        for model in (safe, mine)
    )
    return first, second


def easiest_step(view: ViewLike, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Hint | None:
    """Find the easiest next deduction: of the lowest tier, then with the fewest clues; None if nothing follows.

    `given` cells count as known and are not deduced again. The view should be consistent: a contradiction raises
    `InconsistentView`, or `BoardError` for wrong given cells, only if no deduction is found first.
    """
    deadline = time.perf_counter() + seconds
    clues = ClueMap(as_view(view), given)
    around_given = {at for cell in given for at in clues.touching(cell)}
    if any(not 0 <= clues.need(at) <= len(clues.unknown(at)) for at in around_given):
        raise _conflict(clues)
    # Safe cells come first because they continue the game.
    satisfied = next((at for at in clues.all if clues.need(at) == 0), None)
    decided = satisfied or next((at for at in clues.all if clues.need(at) == len(clues.unknown(at))), None)
    if decided is not None:
        return _hint(clues, _by_few(clues, min(clues.unknown(decided))))
    for at in clues.all:
        for other in clues.linked([at]):
            if (mine := _pair(clues, other, at)) is not None:
                return _hint(clues, _two(clues, other, at, min(clues.unknown(at) - clues.unknown(other)), mine))
    return _harder_step(clues, deadline)


def explanation(view: ViewLike, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Iterator[Hint]:
    """Yield steps, each based on the previous ones, until the whole closure is known.

    They are the steps of `player.why.path.solution_path`. Without the kernel, with `given` cells, or if a component is
    too wide to enumerate, they are easiest steps, and `seconds` apply to each. Raises as `easiest_step` does.
    """
    if not given and kernel_api.available():
        view, known = as_view(view), dict(given)
        with suppress(TooWide):
            for step in solution_path(view).steps:
                yield from _hints(ClueMap(view, known), step)
                known.update(dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True))
            return
    yield from easiest_steps(view, given=given, seconds=seconds)


def easiest_steps(view: ViewLike, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Iterator[Hint]:
    """Yield easiest steps, each based on the previous ones, as `easiest_step` finds them: safe cells come first."""
    view, known = as_view(view), dict(given)
    while (step := easiest_step(view, given=known, seconds=seconds)) is not None:
        yield step
        known.update(dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True))


def _hints(clues: ClueMap, step: PathStep) -> Iterator[Hint]:
    """Yield a step of a path as hints: one, or for a pair of clues one for the cells that only one of them touches."""
    if step.tier > Tier.TWO_CLUES:
        cell, mine = (step.safe[0], False) if step.safe else (step.mines[0], True)
        alone = cell if len(step.safe) + len(step.mines) == 1 else None
        words = explain_more(clues, step.clues, alone, mine, step.count)
        found = _reason(clues, cell, Forced(mine, step.clues, step.smallest), words, mine_count=step.count)
        yield Hint(step.safe, step.mines, found, words)
        return
    for cells, mine in ((step.safe, False), (step.mines, True)):
        for at in step.clues:
            others = [other for other in step.clues if other != at]
            own = tuple(cell for cell in cells if cell in clues.unknown(at).difference(*map(clues.unknown, others)))
            if own:
                words = explain_two(clues, others[0], at, mine) if others else explain_one(clues, at)
                found = _reason(clues, own[0], Forced(mine, step.clues, True), words)
                yield Hint((), own, found, words) if mine else Hint(own, (), found, words)


def _by_few(clues: ClueMap, cell: Cell) -> Reason | None:
    """Find a reason of one or two clues, without a solver."""
    touching = list(clues.touching(cell))
    for at in touching:
        need = clues.need(at)
        if need in (0, len(clues.unknown(at))):
            return _reason(clues, cell, Forced(need > 0, (at,), True), explain_one(clues, at))
    for at in touching:
        for other in clues.linked([at]):
            if cell not in clues.unknown(other) and (mine := _pair(clues, other, at)) is not None:
                return _two(clues, other, at, cell, mine)
    return None


def _pair(clues: ClueMap, other: Cell, at: Cell) -> bool | None:
    """Return the value that two clues give to the cells of `at` that `other` does not touch, True for mines, or None.

    Both needs, and the cells outside the overlap, bound the number of mines in the overlap.
    """
    first, second = clues.unknown(other), clues.unknown(at)
    rest = len(second - first)
    if not rest:
        return None
    shared = len(second) - rest
    a, b = clues.need(other), clues.need(at)
    if max(0, a - (len(first) - shared)) >= b:
        return False
    return True if b - min(shared, a) >= rest else None


def _two(clues: ClueMap, other: Cell, at: Cell, cell: Cell, mine: bool) -> Reason:
    forced = Forced(mine, tuple(sorted((other, at))), True)
    return _reason(clues, cell, forced, explain_two(clues, other, at, mine))


def _by_search(clues: ClueMap, cell: Cell, deadline: float, *, mine_count: bool) -> Reason | None:
    """Find a reason of more than two clues, or one with the mine count."""
    forced = with_count(clues, cell, deadline) if mine_count else without_count(clues, cell, 3, deadline)
    if forced is None:
        return None
    words = explain_more(clues, forced.clues, cell, forced.mine, mine_count)
    return _reason(clues, cell, forced, words, mine_count=mine_count)


def _reason(clues: ClueMap, cell: Cell, forced: Forced, because: str, *, mine_count: bool = False) -> Reason:
    around = (near for at in forced.clues for mine in (False, True) for near in clues.given_around(at, mine=mine))
    given = tuple(sorted(set(around)))
    return Reason(cell, forced.mine, forced.clues, mine_count, forced.smallest, given, because)


def _harder_step(clues: ClueMap, deadline: float) -> Hint | None:
    """Find the step with the fewest clues among those that need more than two clues, or else the mine count.

    The kernel finds the first step of the solution path, which the definition of paths determines.
    """
    if kernel_api.available():
        with suppress(kernel_api.NoLayout, TooWide):
            step = first_step(clues.view, clues.given)
            return None if step is None else next(_hints(clues, step))
    best: Reason | None = None
    for cell in sorted(chain(*_backbone(clues, clues.all, mine_count=False))):
        found = _by_search(clues, cell, deadline, mine_count=False)
        if found is not None and (best is None or len(found.clues) < len(best.clues)):
            best = found
        if best is not None and (len(best.clues) == 3 or time.perf_counter() > deadline):
            break
    if best is None and clues.all_unknown:
        cells = sorted(chain(*_backbone(clues, clues.all, mine_count=True)))
        best = next((_by_search(clues, cell, deadline, mine_count=True) for cell in cells), None)
    return None if best is None else _hint(clues, best)


def _hint(clues: ClueMap, found: Reason | None) -> Hint:
    """Extend a reason to all cells that the same words explain."""
    if found is None:
        raise AssertionError("a cell that was known has no reason")
    if found.tier <= Tier.TWO_CLUES:
        alike = _alike(clues, found)
        safe, mines = ((), alike) if found.mine else (alike, ())
        return Hint(safe, mines, found, found.because)
    safe, mines = map(tuple, _backbone(clues, found.clues, mine_count=found.mine_count))
    because = found.because
    if len(safe) + len(mines) > 1:
        because = explain_more(clues, found.clues, None, found.mine, found.mine_count)
    return Hint(safe, mines, found, because)


def _alike(clues: ClueMap, found: Reason) -> tuple[Cell, ...]:
    """Return the cells that touch the same clues of the reason as its cell does."""
    touched = [found.cell in clues.unknown(at) for at in found.clues]
    every = {cell for at in found.clues for cell in clues.unknown(at)}
    return tuple(sorted(cell for cell in every if [cell in clues.unknown(at) for at in found.clues] == touched))


def _backbone(clues: ClueMap, chosen: Iterable[Cell], *, mine_count: bool) -> tuple[list[Cell], list[Cell]]:
    """Return the safe cells and the mines that clues decide, alone or with the number of mines."""
    reduced, cells = clues.reduced(chosen), clues.all_unknown
    try:
        if mine_count:
            unconstrained = sorted(set(range(1, len(cells) + 1)).difference(variables_of(reduced)))
            safe, mines, others_are = count_backbone(reduced, len(unconstrained), clues.mines_left)
            if others_are is not None:
                (mines if others_are else safe).extend(unconstrained)
        else:
            safe, mines = component_backbone(reduced) if reduced else ([], [])
    except Contradiction:
        raise _conflict(clues) from None
    return sorted(cells[variable - 1] for variable in safe), sorted(cells[variable - 1] for variable in mines)


def _conflict(clues: ClueMap) -> InconsistentView | BoardError:
    """Return the error for a contradiction: the view itself or the given cells are wrong."""
    try:
        closure(clues.view)
    except InconsistentView as error:
        return error
    return BoardError("some given cells do not fit the view; expected known cells")
