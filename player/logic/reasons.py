"""Reasons for known cells, the easiest next deduction, and proofs that a cell is not known.

A reason rests on the clues of the view, not on earlier deductions; cells that count as known are `given`. The reason
with the fewest clues wins, but a reason without the number of mines always beats one with it. The kernel finds the
first smallest set of up to 12 clues in reading order; a MaxSAT solver finds larger ones. Without the kernel, and for
views too wide to count, SAT finds a minimal set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import groupby, product
from typing import Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import HIDDEN, Board, View, ViewLike, as_view, hidden_cell
from minesweeper.player.core.errors import BoardError, InconsistentView, OutOfTime, TooWide, check_kind
from minesweeper.player.core.grid import Cell, CellLike
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.limits import check_cells, check_time, time_limit
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.core.steps import Tier
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import closure, deduce, reasoner
from minesweeper.player.logic.deduction import Deduction, Given, Premises
from minesweeper.player.logic.probability import explained

SECONDS: Final = 0.3
_MOST_CLUES: Final = 12
"""Largest set that the kernel searches for by itself."""
NOTHING_GIVEN: Final[Given] = {}


def reason(
    view: ViewLike,
    cell: CellLike,
    *,
    mines: MinesLike | None = None,
    given: Given = NOTHING_GIVEN,
    seconds: float = SECONDS,
) -> Deduction:
    r"""Find a smallest set of clues from which the value of a hidden cell follows.

    `given` maps hidden cells that count as known to their value, True for a mine. If the search takes longer than
    `seconds`, the set is only minimal: none of its clues can be left out. Raises `InconsistentView` if no layout fits,
    `BoardError` for a cell that could be either, or that is not a hidden one of the view.

    >>> why = ms.reason("2x5/2\n#121#\n#####", (1, 2))
    >>> why.clues
    ((0, 1), (0, 2), (0, 3))
    >>> why.in_words()
    '(1, 2) is safe: if (1, 2) were a mine, the clues 1 at (0, 1), 2 at (0, 2) and 1 at (0, 3) could not all be true'
    """
    view = as_view(view, mines)
    check_kind(seconds, (int, float), "a number of seconds")
    premises, cell = Premises(view, given), hidden_cell(view, cell)
    if cell in given:
        raise BoardError(f"{cell} is given; expected a cell that is not given")
    if not kernel_api.available():
        return _reason_by_sat(premises, cell)
    view = premises.view
    native, asked, clues = kernel_api.native_view(view), (premises.marks, cell[0] * view.cols + cell[1]), None
    try:
        try:
            with time_limit(max(seconds, 1e-9)):
                found = native.reason(*asked, _MOST_CLUES)
                if found.hint.tier and not found.hint.smallest:
                    clues = _smallest_hitting_set(partial(native.corrections, *asked))
        except OutOfTime:
            check_time()
            found = native.reason(*asked, 0)
    except TooWide:
        return _reason_by_sat(premises, cell)
    except InconsistentView:
        raise _conflict(premises) from None
    if not found.hint.tier:
        raise _not_known(cell)
    return _deduction(premises, found, clues)


def counterexample(view: ViewLike, cell: CellLike) -> tuple[Board, Board]:
    """Find two layouts that fit the view, the first with `cell` safe, the second with a mine there.

    Apart from the changes that this requires, they are alike; equal views give equal layouts. Raises
    `InconsistentView` if no layout fits, `BoardError` for a cell that is the same in all layouts, or that is not a
    hidden one of the view, `TooWide` if the layouts cannot be counted, and `EngineError` without the kernel.
    """
    view = as_view(view)
    check_cells(view.grid.shape, "reasons")
    cell = hidden_cell(view, cell)
    kernel_api.require("a counterexample")
    try:
        layouts = kernel_api.native_view(view).counterexample(cell[0] * view.cols + cell[1])
    except InconsistentView:
        # Raises if no layout fits at all.
        mine = bool(closure(view).mine_map[cell])
        known, other = ("a mine", "safe") if mine else ("safe", "a mine")
        raise BoardError(f"{cell} is {known} in every layout; expected a cell that could be {other}") from None
    first, second = (Board.unchecked(view.grid, cells) for cells in layouts)
    return first, second


def easiest_step(view: ViewLike, *, given: Given = NOTHING_GIVEN) -> Deduction | None:
    """Find the easiest next deduction: of the lowest tier, then with the fewest clues; None if nothing follows.

    At the same tier, safe cells of one or two clues come first, because they continue the game. `given` cells count as
    known and are not deduced again. The view should be consistent: a contradiction raises `InconsistentView`, or
    `BoardError` for wrong given cells, only if no deduction is found first.
    """
    premises = Premises(as_view(view), given)
    if kernel_api.available():
        try:
            found = kernel_api.native_view(premises.view).hint(premises.marks)
            return _deduction(premises, found) if found.hint.tier else None
        except InconsistentView:
            raise _conflict(premises) from None
        except TooWide:
            pass
    return next(_steps_by_sat(premises), None)


def explanation(view: ViewLike, *, given: Given = NOTHING_GIVEN) -> Iterator[Deduction]:
    """Yield steps, each based on the previous ones, until the whole closure is known.

    They are the steps of `solution_path`. Without the kernel, with `given` cells, or if a component is
    too wide to enumerate, they are easiest steps. Raises as `easiest_step` does.
    """
    premises, path = Premises(as_view(view), given), None
    if kernel_api.available() and not given:
        with explained(premises.view), suppress(TooWide):
            path = kernel_api.native_view(premises.view).hints()
    if path is None:
        yield from easiest_steps(view, given=given)
        return
    # A pair of clues may give two hints, which rest on the same known cells.
    for _, alike in groupby(path, lambda found: found.hint.clues):
        steps = [_deduction(premises, found) for found in alike]
        yield from steps
        for step in steps:
            premises.given |= step.decided


def chain_to_safe(view: ViewLike) -> tuple[Deduction, ...]:
    r"""Find the shortest chain of deductions to a safe cell: the mines that it rests on, then the safe cell.

    Each step has only the cells that the chain needs. The chain is empty if no cell is safe. Without the kernel, and if
    a component is too wide to enumerate, it is all easiest steps up to the first safe cell. Raises as `easiest_step`
    does.

    >>> [step.cell for step in chain_to_safe("2x5/2\n#121#\n#####")]
    [(0, 0)]
    """
    premises, steps = Premises(as_view(view), NOTHING_GIVEN), list[Deduction]()
    if kernel_api.available():
        with explained(premises.view), suppress(TooWide):
            found = kernel_api.native_view(premises.view).chain(premises.marks)
            return tuple(step for one in found if (step := step_of_chain(premises.view, one)))
    for step in easiest_steps(view):
        steps.append(step)
        if step.safe:
            return tuple(steps)
    return ()


def step_of_chain(view: View, found: kernel.HintStep) -> Deduction | None:
    """Convert a step of a chain of the kernel; None if nothing follows."""
    given = {divmod(cell, view.cols): mark == 2 for cell, mark in enumerate(found.given) if mark}
    return _deduction(Premises(view, given), found) if found.hint.tier else None


def easiest_steps(view: ViewLike, *, given: Given = NOTHING_GIVEN) -> Iterator[Deduction]:
    """Yield easiest steps, each based on the previous ones, as `easiest_step` finds them: safe cells come first."""
    view, known = as_view(view), dict(given)
    if not kernel_api.available():
        yield from _steps_by_sat(Premises(view, known))
        return
    while (step := easiest_step(view, given=known)) is not None:
        yield step
        known |= step.decided


def _smallest_hitting_set(corrections: Callable[[list[int]], list[list[int]]]) -> list[int]:
    """Find a smallest set with a clue of every correction, which are found when needed.

    Source: Ignatiev, Previti, Liffiton and Marques-Silva, *Smallest MUS extraction with minimal hitting set
    dualization*, CP 2015.
    """
    from pysat.examples.hitman import Hitman

    chosen: list[int] = []
    with Hitman() as hitman:
        while missed := corrections(chosen):
            for clues in missed:
                hitman.hit(clues)
            chosen = hitman.get()
    return sorted(chosen)


def _deduction(premises: Premises, found: kernel.HintStep, smallest: list[int] | None = None) -> Deduction:
    """Convert a result of the kernel, with a `smallest` set of clues instead of its own."""
    hint = found.hint
    parts = hint.safe, hint.mines, hint.clues if smallest is None else smallest
    safe, mines, clues = (tuple(divmod(cell, premises.view.cols) for cell in part) for part in parts)
    step = Deduction(Tier(hint.tier), safe, mines, clues, hint.smallest or smallest is not None)
    return premises.explained(step, found.sentence)


def _reason_by_sat(premises: Premises, cell: Cell) -> Deduction:
    """Find one or two clues, or a minimal set without the number of mines, or one with it; far clues are dropped first.

    One of one or two clues touches the cell, and a second one shares a cell with it.
    """
    from minesweeper.player.logic.clues import reduced_clues
    from minesweeper.player.logic.sat import minimal_conflict

    view, marks = premises.view, premises.marks
    reduced, hidden = reduced_clues(view.grid, view.cells, (view.cells == HIDDEN) & (marks == 0), marks == 2)
    near = sorted(reduced, key=lambda at: _distance(at, cell))
    touching = [at for at in near if _distance(at, cell) == 1]
    few = [[at] for at in touching]
    few += [[at, other] for at in touching for other in near if 0 < _distance(at, other) <= 2]
    variable, mines_left = hidden.index(cell) + 1, view.prior.most - sum(premises.given.values())
    sets = [*((one, False) for one in few), (near, False), (near, True)]
    for (tried, mine_count), mine in product(sets, (False, True)):
        # With the other value of the cell, these clues contradict each other.
        parts = [*(reduced[at] for at in tried), ([variable], int(not mine))]
        conflict = minimal_conflict(parts, len(hidden), mines_left if mine_count else None, view.prior.spare)
        if conflict is None:
            continue
        if len(tried) not in conflict:
            raise _conflict(premises)
        chosen = tuple(sorted(tried[place] for place in conflict if place < len(tried)))
        tier = Tier.MINE_COUNT if mine_count else Tier(min(len(chosen), Tier.MORE_CLUES))
        safe, mines = ((), (cell,)) if mine else ((cell,), ())
        return premises.explained(Deduction(tier, safe, mines, chosen, smallest=tried is not near or not chosen))
    raise _not_known(cell)


def _distance(one: Cell, other: Cell) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _steps_by_sat(premises: Premises) -> Iterator[Deduction]:
    """Yield a step for each cell of the closure, in the order of the rounds of logic."""
    view, opened = premises.view, np.flatnonzero(premises.view.cells != HIDDEN)
    knowledge = reasoner(view.grid, view.prior.most, "sat", view.prior.spare)
    for found in deduce(knowledge, opened.tolist(), view.cells.ravel()[opened].tolist()):
        cells = [divmod(number, view.cols) for number in found.safe + found.mines]
        left = [cell for cell in cells if cell not in premises.given]
        while left:
            # A cell may follow only from others of its round.
            steps = (_reason_by_sat(premises, cell) for cell in left)
            step = next(step for step in steps if step.tier <= found.tier)
            yield step
            premises.given |= step.decided
            left.remove(step.cell)


def _not_known(cell: Cell) -> BoardError:
    return BoardError(f"{cell} could be a mine or safe; expected a known cell")


def _conflict(premises: Premises) -> InconsistentView | BoardError:
    """Return the error for a contradiction: the view itself or the given cells are wrong."""
    try:
        closure(premises.view)
    except InconsistentView as error:
        return error
    return BoardError("some given cells do not fit the view; expected known cells")
