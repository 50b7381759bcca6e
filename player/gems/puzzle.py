"""A puzzle, and its independent parts: components of unknown cells and clues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from minesweeper.player.core.board import CellArray
from minesweeper.player.core.grid import Cell, Grid, grid_of
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.logic.clues import Clue, components, reduced_clues, variables_of

TRAP: Final = -1
GEM: Final = -2
UNKNOWN_CELL: Final = -3
MAX_GEM_SIDE: Final = 1000


@dataclass(frozen=True, eq=False)
class GemPuzzle(CellArray):
    """A grid of clues and unknown cells.

    `cells` is a read-only array of int8 in rows: a clue 0 to 8, `TRAP`, `GEM` or `UNKNOWN_CELL`. Given traps and gems
    count as correct. Puzzles compare and hash by value. Raises `BoardError` for other values, or a side outside 1 to
    1000.
    """

    cells: NDArray[np.int8]

    def __post_init__(self) -> None:
        self._check(UNKNOWN_CELL, f"{UNKNOWN_CELL}, {GEM}, {TRAP} or clues 0 to 8", MAX_GEM_SIDE)

    @property
    def grid(self) -> Grid:
        """The cells and their neighbours."""
        return grid_of(self.cells.shape)

    def solved(self, traps: NDArray[np.bool_]) -> GemPuzzle:
        """Fill the unknown cells from an array of bool that is True at traps."""
        return GemPuzzle(np.where(self.cells == UNKNOWN_CELL, np.where(traps, TRAP, GEM), self.cells).astype(np.int8))


@dataclass(frozen=True)
class Part:
    """Unknown cells and all clues that touch any of them.

    Cell ``cells[i]`` is variable i + 1, true for a trap. The cells are in the order of a walk from clue to clue, so
    neighbours are near each other. `places` are the cells of `clues`.
    """

    cells: tuple[Cell, ...]
    clues: tuple[Clue, ...]
    places: tuple[Cell, ...]

    @property
    def size(self) -> int:
        """The number of unknown cells."""
        return len(self.cells)


def split(puzzle: GemPuzzle) -> tuple[list[Part], list[Cell]]:
    """Split a puzzle into its parts and the unknown cells that touch no clue.

    A clue without unknown neighbours is left out if it is right; if it is wrong, it is a part without cells.
    """
    by_cell, unknown = reduced_clues(puzzle.grid, puzzle.cells, puzzle.cells == UNKNOWN_CELL, puzzle.cells == TRAP)
    places, clues = list(by_cell), list(by_cell.values())
    free = set(unknown)
    parts: list[Part] = []
    for component in components(clues):
        chosen = [clues[at] for at in component]
        number = {variable: place for place, variable in enumerate(variables_of(chosen), 1)}
        cells = tuple(unknown[variable - 1] for variable in number)
        if cells or chosen[0][1]:
            renumbered = tuple(([number[variable] for variable in variables], need) for variables, need in chosen)
            parts.append(Part(cells, renumbered, tuple(places[at] for at in component)))
        free.difference_update(cells)
    return parts, sorted(free)
