"""Repair: move mines of a board until logic solves it, for recipes whose solvable boards are too rare to wait for.

Where logic stops, a clue there is simplified: either all its undecided mines move elsewhere, so that its other
neighbours become safe, or all its undecided safe cells receive mines from elsewhere. A change is kept if logic,
starting again from the first click, leaves no more undecided cells than before.

The number of mines and the start zone never change. Repaired puzzles are *not* uniform over the solvable ones. The
choice between emptying and filling depends on where mines are too dense, so that they do not pile up in the part of the
board that logic reaches last.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Puzzle, count_neighbours, neighbours
from minesweeper.player.logic import choose_engine
from minesweeper.player.recipe import Recipe, Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CHANGES: Final = 100
"""A board that needs more changes is rarely ever repaired; the next one is tried instead."""

_PURPOSE: Final = 1
_AGAINST_THE_TREND: Final = 5
"""One change in this number is made against the density."""
_FAR: Final = 10
"""One swap in this number involves cells that are already decided."""


def repair_range(recipe: Recipe, start: int, stop: int, engine: str = "auto") -> Iterator[FoundPuzzle]:
    """Sample the puzzles with the indices `start` to `stop` - 1, repair them, and yield those that became solvable.

    Each depends only on the recipe and its index. Its screening is that of the whole repaired board.
    """
    if choose_engine(engine) == "native":
        found, undecided = kernel_api.repair(recipe, range(start, stop), MOST_CHANGES)
    else:
        found, undecided = iter(()), list(range(start, stop))
    # The kernel leaves out boards with components that are too wide for it.
    others = (other for index in undecided if (other := _repair_with_any_engine(recipe, index, engine)) is not None)
    return merge(found, others, key=lambda one: one.index)


def repair(recipe: Recipe, index: int, engine: str = "auto") -> FoundPuzzle | None:
    """Repair puzzle number `index` of a recipe; return None if that takes too many changes."""
    return next(repair_range(recipe, index, index + 1, engine), None)


def _repair_with_any_engine(recipe: Recipe, index: int, engine: str) -> FoundPuzzle | None:
    """Repair one puzzle. The kernel makes the same changes with the same random numbers."""
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
    """Return the mine map after a random change next to an open clue, or None if that change is impossible."""
    opened = ~stuck_at & ~mine_map
    clues = np.argwhere(opened & (count_neighbours(stuck_at) > 0))
    if not len(clues):
        return _with_gap_in_wall(mine_map, stuck_at, opened, fixed, stream)
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
    if len(near) < len(turned) or stream.below(_FAR) == 0:
        near = np.argwhere(elsewhere)
        if len(near) < len(turned):
            return None
    changed = mine_map.copy()
    changed[tuple(np.transpose(turned))] = fill
    changed[tuple(near[stream.sample(len(near), len(turned))].T)] = not fill
    return changed


def _with_gap_in_wall(
    mine_map: NDArray[np.bool_],
    stuck_at: NDArray[np.bool_],
    opened: NDArray[np.bool_],
    fixed: NDArray[np.bool_],
    stream: Stream,
) -> NDArray[np.bool_] | None:
    """Move a mine out of a wall that separates open cells from undecided cells."""
    walls = np.argwhere(
        mine_map & ~stuck_at & ~fixed & (count_neighbours(stuck_at) > 0) & (count_neighbours(opened) > 0)
    )
    targets = np.argwhere(~mine_map & stuck_at & ~fixed)
    if not len(targets) or stream.below(_FAR) == 0:
        targets = np.argwhere(~mine_map & ~fixed)
    if not len(walls) or not len(targets):
        return None
    changed = mine_map.copy()
    changed[tuple(walls[stream.below(len(walls))])] = False
    changed[tuple(targets[stream.below(len(targets))])] = True
    return changed
