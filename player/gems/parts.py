"""A puzzle in pieces that have nothing to do with each other: unknown cells and the clues that bind them together."""

from __future__ import annotations

from dataclasses import dataclass

from minesweeper.player.board import Cell, cells_of, neighbours
from minesweeper.player.gems.puzzle import TRAP, UNKNOWN, GemPuzzle
from minesweeper.player.logic.cnf import Clue


@dataclass(frozen=True)
class Part:
    """Unknown cells and all the clues that see any of them.

    Cell ``cells[i]`` is variable i + 1, true for a trap. Cells are in the order in which a walk from clue to clue
    meets them, so neighbours are near each other. `places` are the cells of `clues`.
    """

    cells: tuple[Cell, ...]
    clues: tuple[Clue, ...]
    places: tuple[Cell, ...]

    @property
    def size(self) -> int:
        """The number of unknown cells."""
        return len(self.cells)


def split(puzzle: GemPuzzle) -> tuple[list[Part], list[Cell]]:
    """Cut a puzzle into its parts and the unknown cells that no clue sees.

    A clue without unknown neighbours is left out if it is right, and a part without cells if it is wrong.
    """
    rows, cols = puzzle.rows, puzzle.cols
    cells = puzzle.cells.tolist()
    seen_clues: set[Cell] = set()
    taken: set[Cell] = set()
    parts: list[Part] = []
    for start in cells_of(puzzle.cells >= 0):
        if start in seen_clues:
            continue
        seen_clues.add(start)
        places: list[Cell] = [start]
        number: dict[Cell, int] = {}
        clues: list[Clue] = []
        for place in places:
            variables, need = [], cells[place[0]][place[1]]
            for cell in neighbours(rows, cols, place):
                value = cells[cell[0]][cell[1]]
                need -= value == TRAP
                if value != UNKNOWN:
                    continue
                if cell not in number:
                    number[cell] = len(number) + 1
                    for near in neighbours(rows, cols, cell):
                        if cells[near[0]][near[1]] >= 0 and near not in seen_clues:
                            seen_clues.add(near)
                            places.append(near)
                variables.append(number[cell])
            clues.append((variables, need))
        taken.update(number)
        if number or clues[0][1]:
            parts.append(Part(tuple(number), tuple(clues), tuple(places)))
    return parts, [cell for cell in cells_of(puzzle.cells == UNKNOWN) if cell not in taken]
