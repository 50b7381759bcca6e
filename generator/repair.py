"""Mend a board until logic solves it, where waiting for a solvable one is hopeless.

Wherever logic stops, a clue there is made to say more: all its undecided mines are moved elsewhere, so that its other
neighbours become safe, or all its undecided safe cells are filled with mines from elsewhere. A change is kept if logic,
starting again from the first click, is then left with no more undecided cells than before.

The number of mines never changes, and neither does the start zone. The puzzles that come out are *not* uniform over
the solvable ones. Whether a clue is emptied or filled depends on where mines are too dense at the time, so that they
don't pile up in what is reached last.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Puzzle, count_neighbours, neighbours
from minesweeper.player.logic import choose_engine
from minesweeper.player.recipe import Recipe, Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

MOST_CHANGES: Final = 100
"""Boards that are not mended by then rarely ever are; the next one is tried instead."""

_PURPOSE: Final = 1
_AGAINST_THE_TREND: Final = 5
"""One change in so many goes the other way than the density asks for."""
_FAR: Final = 10, 1
"""So many exchanges in so many bring in cells that were already decided."""


def repair_range(recipe: Recipe, start: int, stop: int, engine: str = "auto") -> Iterator[FoundPuzzle]:
    """Sample the puzzles numbered `start` to `stop` - 1 and yield, mended, those that can be, in order.

    Each depends on the recipe and its index alone. Its screening is one of the mended board as a whole.
    """
    indices = range(start, stop)
    mended = _repair_natively(recipe, indices) if choose_engine(engine) == "native" else {}
    for index in indices:
        kept = mended[index] if index in mended else _repair_change_by_change(recipe, index, engine)
        if kept is None:
            log.info("candidate %d: not mended by %d changes", index, MOST_CHANGES)
            continue
        log.info("candidate %d: mended", index)
        yield kept


def repair(recipe: Recipe, index: int, engine: str = "auto") -> FoundPuzzle | None:
    """Mend puzzle number `index` of a recipe, as `repair_range` does; None if that takes too many changes."""
    return next(repair_range(recipe, index, index + 1, engine), None)


def _repair_natively(recipe: Recipe, indices: range) -> dict[int, FoundPuzzle | None]:
    """Let the kernel mend all of which it finds no component too wide."""
    kept, undecided = kernel_api.repair(recipe, indices, MOST_CHANGES)
    mended: dict[int, FoundPuzzle | None] = dict.fromkeys(indices)
    mended.update((one.index, one) for one in kept)
    for index in undecided:
        del mended[index]
    return mended


def _repair_change_by_change(recipe: Recipe, index: int, engine: str) -> FoundPuzzle | None:
    """Mend one puzzle with any engine. The kernel does the same, and draws the same random numbers."""
    stream = Stream(recipe.seed, index, _PURPOSE)
    puzzle = recipe.puzzle(index)
    screening = screen(puzzle, engine)
    fixed = np.zeros((recipe.rows, recipe.cols), dtype=np.bool_)
    fixed[tuple(np.transpose(recipe.rule.zone(recipe.rows, recipe.cols, puzzle.first_click)))] = True
    for _ in range(MOST_CHANGES):
        if screening.stuck_at is None:
            break
        mine_map = _changed(puzzle.board.mine_map, screening.stuck_at, fixed, stream)
        if mine_map is None:
            continue
        changed = Puzzle(Board(mine_map), puzzle.first_click)
        again = screen(changed, engine)
        left = 0 if again.stuck_at is None else np.count_nonzero(again.stuck_at)
        if left <= np.count_nonzero(screening.stuck_at):
            puzzle, screening = changed, again
    return FoundPuzzle(index, puzzle, screening) if screening.solved else None


def _changed(
    mine_map: NDArray[np.bool_], stuck_at: NDArray[np.bool_], fixed: NDArray[np.bool_], stream: Stream
) -> NDArray[np.bool_] | None:
    """Move mines so that logic may get further; None if the drawn change cannot be made."""
    opened = ~stuck_at & ~mine_map
    clues = np.argwhere(opened & (count_neighbours(stuck_at) > 0))
    if not len(clues):
        return _breached(mine_map, stuck_at, opened, fixed, stream)
    rows, cols = mine_map.shape
    clue = clues[stream.below(len(clues))]
    around = [cell for cell in neighbours(rows, cols, tuple(clue)) if stuck_at[cell] and not fixed[cell]]
    free = stuck_at & ~fixed
    dense = np.count_nonzero(mine_map & free) * np.count_nonzero(~fixed) > np.count_nonzero(mine_map) * free.sum()
    fill = bool(dense) != (stream.below(_AGAINST_THE_TREND) == 0)
    turned = [cell for cell in around if mine_map[cell] != fill]
    if not turned:
        return None
    elsewhere = (mine_map == fill) & ~fixed
    elsewhere[tuple(np.transpose(around))] = False
    near = np.argwhere(elsewhere & stuck_at)
    if len(near) < len(turned) or stream.below(_FAR[0]) < _FAR[1]:
        near = np.argwhere(elsewhere)
        if len(near) < len(turned):
            return None
    changed = mine_map.copy()
    changed[tuple(np.transpose(turned))] = fill
    changed[tuple(near[stream.sample(len(near), len(turned))].T)] = not fill
    return changed


def _breached(
    mine_map: NDArray[np.bool_],
    stuck_at: NDArray[np.bool_],
    opened: NDArray[np.bool_],
    fixed: NDArray[np.bool_],
    stream: Stream,
) -> NDArray[np.bool_] | None:
    """Take a mine out of a wall between open cells and undecided ones that touch none of them."""
    walls = np.argwhere(
        mine_map & ~stuck_at & ~fixed & (count_neighbours(stuck_at) > 0) & (count_neighbours(opened) > 0)
    )
    targets = np.argwhere(~mine_map & stuck_at & ~fixed)
    if not len(targets) or stream.below(_FAR[0]) < _FAR[1]:
        targets = np.argwhere(~mine_map & ~fixed)
    if not len(walls) or not len(targets):
        return None
    changed = mine_map.copy()
    changed[tuple(walls[stream.below(len(walls))])] = False
    changed[tuple(targets[stream.below(len(targets))])] = True
    return changed
