"""Optimal play on small boards, computed exactly by searching the tree of all views.

This needs the kernel. Boards have at most 32 cells, and memory limits the number of mines; see `best_play`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import HIDDEN, Board, View
from minesweeper.player.core.errors import StrategyError
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import StartRule

MAX_CELLS: Final = 32
MAX_LAYOUTS: Final = 5_000_000
DEFAULT_STATES: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The result of best play: `wins` of `layouts` equally likely layouts, found by a search of `states` states."""

    wins: int
    layouts: int
    states: int

    @property
    def rate(self) -> Fraction:
        """The probability of winning."""
        return Fraction(self.wins, self.layouts)


def best_start(grid: Grid, mines: int, click: Cell, rule: StartRule, *, most_states: int = DEFAULT_STATES) -> BestPlay:
    """Solve the game that opens with `click` under a start rule.

    Raises `BoardError` for a start without room for the mines, and `StrategyError` as `best_play` does.
    """
    rule.check_mines(grid, mines, click)
    _check_feasible(grid, comb(rule.room(grid, click), mines))
    return _solve(grid, start_layouts(grid, mines, click, rule), most_states)


def best_play(view: View, *, most_states: int = DEFAULT_STATES) -> BestPlay:
    """Solve the rest of the game that shows `view`.

    A state takes 40 to 80 bytes of memory. Raises `StrategyError` if the kernel was not built, for more than 32 cells,
    more than 5,000,000 layouts, more than `most_states` states, or a view that no layout fits.
    """
    hidden = np.flatnonzero(view.cells.ravel() == HIDDEN).tolist()
    _check_feasible(view.grid, comb(len(hidden), view.mines))
    clues = [
        (_bits(r * view.cols + c for r, c in view.grid.neighbours((row, col))), int(view.cells[row, col]))
        for row, col in np.argwhere(view.cells != HIDDEN).tolist()
    ]
    layouts = [
        layout
        for layout in map(_bits, combinations(hidden, view.mines))
        if all((layout & mask).bit_count() == clue for mask, clue in clues)
    ]
    if not layouts:
        raise StrategyError(f"no layout fits the view {view.to_text()!r}")
    return _solve(view.grid, layouts, most_states)


def start_layouts(grid: Grid, mines: int, click: Cell, rule: StartRule) -> list[int]:
    """List all layouts that a start rule allows, as integers: bit row * cols + col is set for a mine."""
    zone = {row * grid.cols + col for row, col in rule.zone(grid, click)}
    return [_bits(cells) for cells in combinations([cell for cell in grid.numbers if cell not in zone], mines)]


def layout_board(grid: Grid, layout: int) -> Board:
    """Make a board from a layout of `start_layouts`."""
    return Board.unchecked(grid, bytes(layout >> cell & 1 for cell in range(grid.rows * grid.cols)))


def different_cells(grid: Grid) -> list[Cell]:
    """List one cell of each class of symmetric cells, the first one row by row."""
    found: dict[int, Cell] = {}
    for number in grid.numbers:
        cell = divmod(number, grid.cols)
        first = min(int(places[number]) for image, places in grid.images(cell) if image == grid)
        found.setdefault(first, cell)
    return list(found.values())


def _bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _check_feasible(grid: Grid, layouts: int) -> None:
    if not kernel_api.available():
        raise StrategyError("solving games exactly needs the kernel, which was not built")
    if grid.rows * grid.cols > MAX_CELLS:
        raise StrategyError(f"a {grid.name} board is too large: expected at most {MAX_CELLS} cells")
    if layouts > MAX_LAYOUTS:
        raise StrategyError(f"{layouts:,} layouts of a {grid.name} board: expected at most {MAX_LAYOUTS:,}")


def _solve(grid: Grid, layouts: list[int], most_states: int) -> BestPlay:
    solved, wins, states = kernel_api.native_grid(grid).best_play(layouts, most_states)
    if not solved:
        name = layout_board(grid, layouts[0]).name
        raise StrategyError(f"{name} has too many states: expected at most {most_states:,}")
    return BestPlay(wins, len(layouts), states)
