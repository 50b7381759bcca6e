"""Repair in Python, as `minesweeper.generator.repair` describes it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.generator.repair import MOST_CHANGES
from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player.board import Board, Puzzle, count_neighbours, neighbours
from minesweeper.player.recipe import Recipe, Stream

_PURPOSE: Final = 1
_AGAINST_THE_TREND: Final = 5
"""One change in this number is made against the density."""
_FAR: Final = 10
"""One swap in this number involves cells that are already decided."""


def plain_repair(recipe: Recipe, index: int, engine: str) -> FoundPuzzle | None:
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
