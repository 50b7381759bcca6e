"""Repair: move mines of a board until logic solves it, for recipes whose solvable boards are too rare to wait for.

Where logic stops, a clue there is simplified: either all its undecided mines move elsewhere, so that its other
neighbours become safe, or all its undecided safe cells receive mines from elsewhere. A change is kept if logic,
starting again from the first click, leaves no more undecided cells than before.

Boards with a larger share of mines are repaired with fewer mines. Then the missing ones are added one at a time, each
in a random cell where logic still solves the board. That works up to about 55% of the cells.

The number of mines and the start zone never change. Repaired puzzles are *not* uniform over the solvable ones. The
choice between emptying and filling depends on where mines are too dense, so that they do not pile up in the part of the
board that logic reaches last. The kernel does the work, in ``player/kernel/make/repair.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from minesweeper.generator.screening import FoundPuzzle, found_puzzles
from minesweeper.player import kernel_api
from minesweeper.player.core.errors import OutOfTime
from minesweeper.player.core.limits import check_time, time_limit
from minesweeper.player.core.recipe import Recipe

MOST_CHANGES: Final = 100
"""A board that needs more changes is rarely ever repaired; the next one is tried instead."""
_TRIED: Final = 50
TRIAL_SECONDS: Final = 10.0
_SHORT_TRIAL_SECONDS: Final = 2.0
_MOST_SHARE: Final = 0.55


def repair_range(recipe: Recipe, start: int, stop: int) -> Iterator[FoundPuzzle]:
    """Sample the puzzles with the indices `start` to `stop` - 1, repair them, and yield those that became solvable.

    Each depends only on the recipe and its index. Its screening is that of the whole repaired board. Raises
    `EngineError` without the kernel.
    """
    kernel_api.require("repair")
    native = kernel_api.native_recipe(recipe, range(start, stop))
    yield from found_puzzles(recipe, native.screen(start, stop, MOST_CHANGES, True))


def repair(recipe: Recipe, index: int) -> FoundPuzzle | None:
    """Repair puzzle number `index` of a recipe; return None if that takes too many changes."""
    return next(repair_range(recipe, index, index + 1), None)


def is_repairable(recipe: Recipe, seconds: float = TRIAL_SECONDS) -> bool | None:
    """Return True once one of the first 50 puzzles becomes solvable, False if none does within `seconds`.

    Return None if the first of a board that is not too dense takes longer. Raises `OutOfTime` at the end of an earlier
    `time_limit`.
    """
    tried = 0
    try:
        with time_limit(seconds):
            while tried < _TRIED:
                check_time()  # short trials do not look at the clock
                if repair(recipe, tried) is not None:
                    return True
                tried += 1
    except OutOfTime:
        check_time()
        return False if tried or recipe.mines > recipe.grid.cells * _MOST_SHARE else None
    return False


def repairable_mines(recipe: Recipe) -> int:
    """Return a number of mines with which boards of a recipe that is not repairable become solvable."""
    fewer = replace(recipe, mines=min(recipe.mines * 19 // 20, int(recipe.grid.cells * _MOST_SHARE)))
    while is_repairable(fewer, _SHORT_TRIAL_SECONDS) is False:
        fewer = replace(fewer, mines=fewer.mines * 19 // 20)
    return fewer.mines
