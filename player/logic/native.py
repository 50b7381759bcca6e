"""The fast engine: complete closure by exact enumeration in C++, over ``player/kernel``.

It is there only if a C++ compiler was when the package was installed; `available` tells. A component too wide to
enumerate within a memory bound goes to the SAT engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Cell, Puzzle, View
from minesweeper.player.game import StartRule
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, conflict, count_backbone
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import Step, Tally, Tier

if TYPE_CHECKING:
    from minesweeper.player import _kernel
    from minesweeper.player._kernel import HardStep as HardStep, Kept
else:
    try:
        from minesweeper.player import _kernel
    except ImportError:
        _kernel = None


SOLVED: Final = 0
STUCK: Final = 1
NEEDS_SAT: Final = 2


def available() -> bool:
    """Say whether the kernel was built."""
    return _kernel is not None


class NativeReasoner:
    """One game's knowledge, by the kernel. Follows the `Reasoner` protocol."""

    def __init__(self, rows: int, cols: int, mines: int) -> None:
        self._game = _kernel.Game(rows, cols, mines)
        self._mines = mines
        self._shape = rows, cols
        self._cells = np.full(rows * cols, HIDDEN, dtype=np.int8)

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        opened, shown = np.asarray(cells, dtype=np.int64), np.asarray(clues, dtype=np.int64)
        self._game.learn(opened, shown)
        self._cells[opened] = shown
        self._check()

    def advance(self) -> list[Step]:
        steps = [_step(step) for step in self._game.local_round()]
        self._check()
        steps += self._wide_components()
        if steps:
            return steps
        found = self._game.mine_count_round()
        self._check()
        return self._mine_count_by_sat() if found is None else [_step(step) for step in found]

    def _check(self) -> None:
        if self._game.inconsistent:
            raise conflict(self._cells.reshape(self._shape), self._mines)

    def _wide_components(self) -> list[Step]:
        """What follows in components that were found too wide just now."""
        steps = []
        for component in self._game.take_wide():
            safe, mines = self._by_sat(component)
            if safe or mines:
                steps.append(_claims(Tier.MORE_CLUES, safe, mines, (clue for clue, _, _ in component)))
        for step in steps:
            self._settle(step)
        return steps

    def _by_sat(self, component: list[_kernel.Clue]) -> tuple[list[int], list[int]]:
        try:
            safe, mines = component_backbone([([cell + 1 for cell in cells], need) for _, cells, need in component])
        except Contradiction:
            raise conflict(self._cells.reshape(self._shape), self._mines) from None
        return [cell - 1 for cell in safe], [cell - 1 for cell in mines]

    def _mine_count_by_sat(self) -> list[Step]:
        game = self._game
        clues = [([cell + 1 for cell in cells], need) for _, cells, need in game.frontier()]
        sea = game.sea()
        try:
            safe, mines, sea_is = count_backbone(clues, len(sea), game.mines_left)
        except Contradiction:
            raise conflict(self._cells.reshape(self._shape), self._mines) from None
        safe, mines = [cell - 1 for cell in safe], [cell - 1 for cell in mines]
        if sea_is is not None:
            (mines if sea_is else safe).extend(sea)
        if not (safe or mines):
            return []
        step = _claims(Tier.MINE_COUNT, safe, mines)
        self._settle(step)
        return [step]

    def _settle(self, step: Step) -> None:
        self._game.settle(np.array(step.safe, dtype=np.int64), False)
        self._game.settle(np.array(step.mines, dtype=np.int64), True)


def screen(recipe: Recipe, indices: range, most: int | None = None) -> tuple[int, list[Kept], list[int]]:
    """Sample candidates of a recipe and keep those that logic solves, at most `most` of them.

    `indices` must have step 1. Returns the index after the last candidate looked at; the kept ones, each as (index,
    click, mines as `Board.to_bytes` packs them, cells decided at each tier, clues at once, steps at tiers 3 and 4),
    where a step is (tier, safe, mines, clues, the cells undecided before its round, packed like the mines); and the
    indices of candidates that need the SAT engine. Ctrl-C is heard meanwhile.
    """
    at = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
    limit = len(indices) if most is None else most
    opening = recipe.rule is StartRule.OPENING
    board = (recipe.rows, recipe.cols, recipe.mines, at, opening, recipe.seed)
    return _kernel.screen(*board, indices.start, indices.stop, limit)


def solve(
    puzzle: Puzzle, *, keep_hard_steps: bool = False
) -> tuple[int, int, tuple[int, int, int, int], int | None, list[HardStep], bytes]:
    """Open by logic alone all that can be opened, the whole board in one call.

    Returns `SOLVED`, `STUCK` (nothing more follows) or `NEEDS_SAT` (to tell which of the two); the
    number of cells opened; the cells decided at each tier, of which the first counts only if the puzzle is solved; how
    many clues a solved puzzle takes at once, see `player.measure.effort` (None if that is too hard to tell); if asked
    for, the steps at tiers 3 and 4 as in `screen`; and the cells undecided at the end, packed like the mines.
    """
    row, col = puzzle.first_click
    return _kernel.solve(puzzle.board.mine_map, row * puzzle.board.cols + col, keep_hard_steps)


class Solved(NamedTuple):
    """What `solve` says of a puzzle, in short; `clues_at_once` is None if it is not solved, or too hard to tell."""

    verdict: int
    opened: int
    tally: Tally
    clues_at_once: int | None


def solve_all(puzzles: Sequence[Puzzle]) -> Iterator[Solved]:
    """Do the same for many puzzles, in order, those of a size in one call, in which Ctrl-C is heard."""
    for (_, cols), group in groupby(puzzles, lambda puzzle: puzzle.board.mine_map.shape):
        alike = list(group)
        clicks = np.array([row * cols + col for row, col in (puzzle.first_click for puzzle in alike)], dtype=np.int64)
        for numbers in _kernel.solve_all(np.array([puzzle.board.mine_map for puzzle in alike]), clicks):
            verdict, opened, one, two, more, count, at_once = numbers
            yield Solved(verdict, opened, Tally(one, two, more, count), None if at_once < 0 else at_once)


def exchanges(puzzle: Puzzle) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Find mines and safe cells, by cell number, that can trade places in a small window without changing any clue of a
    cell that stays safe.

    Each proves that the puzzle is not solvable: its cells can never be told apart.
    """
    row, col = puzzle.first_click
    return _kernel.exchanges(puzzle.board.mine_map, row * puzzle.board.cols + col)


class Corrections:
    """Correction sets of a cell that the clues of a view and the number of mines decide.

    A correction set is clues that have to go before the cell can be otherwise. `layout` is one that fits, a
    (rows, cols) array of bool; `given` are the hidden cells that count as known.
    """

    def __init__(self, view: View, layout: NDArray[np.bool_], given: Iterable[Cell], cell: Cell) -> None:
        self._cols = view.cols
        known = np.zeros(layout.shape, dtype=np.bool_)
        for one in given:
            known[one] = True
        self._reasons = _kernel.CountReasons(view.cells, layout, known, self._number(cell))

    def find(self, kept: Iterable[Cell], effort: int) -> list[Cell] | None:
        """Find one, as small as can be, without any of the clues that are `kept`; empty if these force the cell.

        None if that takes more than `effort` steps, of some ten nanoseconds each.
        """
        numbers = np.array([self._number(clue) for clue in kept], dtype=np.int64)
        found = self._reasons.correction(numbers, effort)
        return None if found is None else [divmod(number, self._cols) for number in found]

    def _number(self, cell: Cell) -> int:
        return cell[0] * self._cols + cell[1]


def fits(
    size: tuple[int, int], mines: int, safe: Sequence[int], mined: Sequence[int], clues: Mapping[int, int]
) -> bool | None:
    """Say whether any layout has no mine in the cells `safe`, mines in those `mined`, and makes `clues` true.

    `clues` maps cell numbers to what they show. None if some component is too wide to tell.
    """
    game = _kernel.Game(*size, mines)
    game.settle(np.array(safe, dtype=np.int64), False)
    game.settle(np.array(mined, dtype=np.int64), True)
    game.learn(np.array(list(clues), dtype=np.int64), np.array(list(clues.values()), dtype=np.int64))
    while not game.inconsistent:
        if game.local_round():
            continue
        if game.take_wide():
            return None
        found = game.mine_count_round()
        if not found:
            return None if found is None else not game.inconsistent
    return False


def _claims(tier: Tier, safe: Iterable[int], mines: Iterable[int], clues: Iterable[int] = ()) -> Step:
    return Step(tier, tuple(sorted(safe)), tuple(sorted(mines)), tuple(sorted(clues)))


def _step(step: _kernel.Step) -> Step:
    tier, safe, mines, clues = step
    return Step(Tier(tier), safe, mines, clues)
