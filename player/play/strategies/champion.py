"""The strategy `champion`, which guesses for the best chance to win."""

from __future__ import annotations

from functools import cache
from typing import Final

from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.play.strategies import usual_first_click
from minesweeper.player.play.strategies.kernel_strategies import NativeStrategy
from minesweeper.player.play.strategies.optimal import best_start, different_cells

_SOLVED_CELLS: Final = 16


class Champion(NativeStrategy):
    """Solves the rest of the game exactly when few layouts are left, and looks ahead before that.

    Play is perfect on boards of up to 16 cells, and on boards of up to 20 (25) cells once at most 15,000 (4,000)
    layouts are left.
    """

    name = kernel_player = "champion"
    revision = 4

    def first_click(self, grid: Grid, mines: int, rule: StartRule) -> Cell:
        if grid.rows * grid.cols > _SOLVED_CELLS:
            return super().first_click(grid, mines, rule)
        return _best_click(Grid(*grid.shape), mines, rule)


@cache
def _best_click(grid: Grid, mines: int, rule: StartRule) -> Cell:
    fits = [cell for cell in different_cells(grid) if rule.room(grid, cell) >= mines]
    usual = usual_first_click(grid, rule)
    return max(fits, key=lambda cell: best_start(grid, mines, cell, rule).rate, default=usual)
