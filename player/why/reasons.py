"""Why is a cell known? Smallest reasons, and proofs that a cell is not known.

A reason rests on the clues as the view shows them, not on what was deduced before; cells that are to count as known are
said to be `given`. Fewest clues win; but a reason without the number of mines is always preferred to one with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from minesweeper.player.board import Board, Cell, CellLike, View, as_cell, cells_of
from minesweeper.player.logic import InconsistentView, closure
from minesweeper.player.logic.clues import Clue
from minesweeper.player.logic.cnf import Formula, between, clue_formula, solve
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, count_backbone
from minesweeper.player.steps import Tier
from minesweeper.player.why.clue_map import ClueMap, Given
from minesweeper.player.why.subsets import Forced, with_count, without_count
from minesweeper.player.why.wording import explain_more, explain_one, explain_two

SECONDS: Final = 0.3
NOTHING_GIVEN: Final[Given] = MappingProxyType({})


class NotKnown(ValueError):
    """A question for the reason of a cell that is not known, or for a proof that a known cell is not."""


@dataclass(frozen=True)
class Reason:
    """Clues from which a cell's value follows.

    `mine` is the value of `cell`. None of the `clues`, open cells in reading order, can be left out; `mine_count` tells
    whether the number of mines on the board is needed too. `smallest` tells that no smaller set of clues would do (none
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
        """How much this reason takes."""
        if self.mine_count:
            return Tier.MINE_COUNT
        return Tier(min(len(self.clues), Tier.MORE_CLUES))

    def in_words(self) -> str:
        """Say it in a sentence that names every clue."""
        return f"{self.cell} is {'a mine' if self.mine else 'safe'}: {self.because}"


@dataclass(frozen=True)
class Hint:
    """The easiest next deduction: the cells that follow in the same way. `safe` and `mines` are in reading order.

    `reason` is for one of these cells, and its clues decide the others too.
    """

    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    reason: Reason
    because: str = field(default="", repr=False)

    @property
    def tier(self) -> Tier:
        """How much this step takes."""
        return self.reason.tier

    def in_words(self) -> str:
        """Say what is safe, what is a mine, and why."""
        parts = [
            f"{', '.join(map(str, cells))} {verb}"
            for cells, verb in (
                (self.safe, "is safe" if len(self.safe) == 1 else "are safe"),
                (self.mines, "is a mine" if len(self.mines) == 1 else "are mines"),
            )
            if cells
        ]
        return f"{' and '.join(parts)}: {self.because}"


def reason(view: View, cell: CellLike, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Reason:
    """Find a smallest set of clues from which the value of a hidden cell follows.

    `given` maps hidden cells that count as known to their value, True for a mine. After about `seconds` the search
    settles for a set that is minimal by inclusion (where the kernel was not built, a reason with the mine count may
    then hold clues that could be left out). Raises `NotKnown` for a cell that could be either, `InconsistentView` where
    nothing fits, `BoardError` for a cell that is not a hidden one of the view.
    """
    deadline = time.perf_counter() + seconds
    cell = as_cell(cell)
    clues = ClueMap(view, given)
    clues.check_hidden(cell)
    if cell in given:
        raise NotKnown(f"expected a cell that is not given: {cell}")
    try:
        found = _by_few(clues, cell) or _by_many(clues, cell, deadline) or _by_count(clues, cell, deadline)
    except Contradiction:
        raise _conflict(clues) from None
    if found is None:
        raise NotKnown(f"expected a known cell, this one could be a mine or safe: {cell}")
    return found


def counterexample(view: View, cell: CellLike) -> tuple[Board, Board]:
    """Find two layouts that fit the view, the first with `cell` safe, the second with a mine there.

    Away from what that changes, they are alike. Raises `NotKnown` for a cell that is the same in all layouts,
    `InconsistentView` if there is none, `BoardError` for a cell that is not a hidden one of the view.
    """
    cell = as_cell(cell)
    clues = ClueMap(view, NOTHING_GIVEN)
    clues.check_hidden(cell)
    variables = {hidden: number for number, hidden in enumerate(clues.all_unknown, 1)}
    shown = cells_of(view.cells >= 0)
    says = clue_formula(([variables[near] for near in clues.unknown(at)], clues.need(at)) for at in shown)
    count, _ = between(list(variables.values()), view.mines, view.mines, len(variables))
    formula = Formula(says.clauses + count.clauses, count.at_most)
    asked = variables[cell]
    with formula.solver() as solver:
        if not solve(solver, [-asked]):
            # Raises if no layout fits at all.
            closure(view)
            raise NotKnown(f"expected a cell that could be safe: {cell} is a mine in every layout")
        safe = set(solver.get_model())
        if not solve(solver, [asked]):
            raise NotKnown(f"expected a cell that could be a mine: {cell} is safe in every layout")
        alike = [literal for literal in safe if 0 < abs(literal) <= len(variables) and abs(literal) != asked]
        while not solve(solver, [asked, *alike]):
            clash = set(solver.get_core())
            alike = [literal for literal in alike if literal not in clash]
        mine = set(solver.get_model())
    first, second = (
        Board.from_cells(view.rows, view.cols, (hidden for hidden, number in variables.items() if number in model))
        for model in (safe, mine)
    )
    return first, second


def easiest_step(view: View, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Hint | None:
    """Find the easiest next deduction: of the lowest tier, then with the fewest clues; None if nothing follows.

    `given` cells count as known and are not deduced again. The view should be consistent: `InconsistentView` is raised
    only if nothing can be deduced before the contradiction is met; `NotKnown` likewise for wrong given cells.
    """
    deadline = time.perf_counter() + seconds
    clues = ClueMap(view, given)
    around_given = {at for cell in given for at in clues.touching(cell)}
    if any(not 0 <= clues.need(at) <= len(clues.unknown(at)) for at in around_given):
        raise _conflict(clues)
    # Safe cells first: they let the game go on.
    satisfied = next((at for at in clues.all if clues.need(at) == 0), None)
    decided = satisfied or next((at for at in clues.all if clues.need(at) == len(clues.unknown(at))), None)
    if decided is not None:
        return _hint(clues, _by_few(clues, min(clues.unknown(decided))))
    for at in clues.all:
        for other in clues.linked([at]):
            if (mine := _pair(clues, other, at)) is not None:
                return _hint(clues, _two(clues, other, at, min(clues.unknown(at) - clues.unknown(other)), mine))
    return _harder_step(clues, deadline)


def explanation(view: View, *, given: Given = NOTHING_GIVEN, seconds: float = SECONDS) -> Iterator[Hint]:
    """Yield easiest steps, each on top of those before, until everything that the view tells is known.

    `seconds` are for each step. Raises as `easiest_step` does.
    """
    known = dict(given)
    while (step := easiest_step(view, given=known, seconds=seconds)) is not None:
        yield step
        known.update(dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True))


def _by_few(clues: ClueMap, cell: Cell) -> Reason | None:
    """What one clue or two decide, found without a solver."""
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
    """What the cells are that `at` touches and `other` does not, where the two clues decide that.

    The shared cells hold some number of mines; both clues and the room beside them bound it.
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


def _by_many(clues: ClueMap, cell: Cell, deadline: float) -> Reason | None:
    forced = without_count(clues, cell, 3, deadline)
    return None if forced is None else _more(clues, cell, forced, mine_count=False)


def _by_count(clues: ClueMap, cell: Cell, deadline: float) -> Reason | None:
    forced = with_count(clues, cell, deadline)
    return None if forced is None else _more(clues, cell, forced, mine_count=True)


def _more(clues: ClueMap, cell: Cell, forced: Forced, *, mine_count: bool) -> Reason:
    words = explain_more(clues, forced.clues, cell, forced.mine, mine_count)
    return _reason(clues, cell, forced, words, mine_count=mine_count)


def _reason(clues: ClueMap, cell: Cell, forced: Forced, because: str, *, mine_count: bool = False) -> Reason:
    around = (near for at in forced.clues for mine in (False, True) for near in clues.given_around(at, mine=mine))
    given = tuple(sorted(set(around)))
    return Reason(cell, forced.mine, forced.clues, mine_count, forced.smallest, given, because)


def _harder_step(clues: ClueMap, deadline: float) -> Hint | None:
    """The step with the fewest clues among those that more than two clues decide, or the mine count too."""
    safe, mines = _backbone(clues, clues.all)
    best: Reason | None = None
    for cell in sorted([*safe, *mines]):
        found = _by_many(clues, cell, deadline)
        if found is not None and (best is None or len(found.clues) < len(best.clues)):
            best = found
        if best is not None and (len(best.clues) == 3 or time.perf_counter() > deadline):
            break
    if best is None and clues.all_unknown:
        safe, mines = _count_backbone(clues, clues.all)
        best = next((_by_count(clues, cell, deadline) for cell in sorted([*safe, *mines])), None)
    return None if best is None else _hint(clues, best)


def _hint(clues: ClueMap, found: Reason | None) -> Hint:
    """The cells that a reason decides along with its own, in so far as the same words explain them."""
    if found is None:
        raise AssertionError("a cell that was known has no reason")
    if found.tier <= Tier.TWO_CLUES:
        alike = _alike(clues, found)
        safe, mines = ((), alike) if found.mine else (alike, ())
        return Hint(safe, mines, found, found.because)
    decided = (_count_backbone if found.mine_count else _backbone)(clues, found.clues)
    safe, mines = map(tuple, decided)
    because = found.because
    if len(safe) + len(mines) > 1:
        because = explain_more(clues, found.clues, None, found.mine, found.mine_count)
    return Hint(safe, mines, found, because)


def _alike(clues: ClueMap, found: Reason) -> tuple[Cell, ...]:
    """The cells that touch the same ones of the reason's clues as its cell does."""
    touched = [found.cell in clues.unknown(at) for at in found.clues]
    every = {cell for at in found.clues for cell in clues.unknown(at)}
    return tuple(sorted(cell for cell in every if [cell in clues.unknown(at) for at in found.clues] == touched))


def _backbone(clues: ClueMap, chosen: Iterable[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The safe cells and the mines that clues decide without the number of mines."""
    reduced, at = _reduced(clues, chosen)
    try:
        safe, mines = component_backbone(reduced) if reduced else ([], [])
    except Contradiction:
        raise _conflict(clues) from None
    return sorted(at[cell] for cell in safe), sorted(at[cell] for cell in mines)


def _count_backbone(clues: ClueMap, chosen: Iterable[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The safe cells and the mines that clues and the number of mines decide."""
    reduced, at = _reduced(clues, chosen)
    frontier = {cell for cells, _ in reduced for cell in cells}
    sea = [cell for cell in at if cell not in frontier]
    try:
        safe, mines, sea_is = count_backbone(reduced, len(sea), clues.mines_left)
    except Contradiction:
        raise _conflict(clues) from None
    if sea_is is not None:
        (mines if sea_is else safe).extend(sea)
    return sorted(at[cell] for cell in safe), sorted(at[cell] for cell in mines)


def _reduced(clues: ClueMap, chosen: Iterable[Cell]) -> tuple[list[Clue], dict[int, Cell]]:
    """Clues over numbers from 1 on, and the unknown cells that these stand for."""
    number = {cell: place for place, cell in enumerate(clues.all_unknown, 1)}
    reduced: list[Clue] = [
        ([number[cell] for cell in sorted(clues.unknown(clue))], clues.need(clue)) for clue in chosen
    ]
    return reduced, {place: cell for cell, place in number.items()}


def _conflict(clues: ClueMap) -> InconsistentView | ValueError:
    """What to raise when nothing fits: it may be the view itself, or what was given."""
    try:
        closure(clues.view)
    except InconsistentView as error:
        return error
    return NotKnown("expected given cells that fit the view, some are wrong")
