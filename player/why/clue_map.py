"""The clues of a view, reduced by the cells known already, and the clues that touch each cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from minesweeper.player.board import HIDDEN, BoardError, Cell, View, neighbours, size_name
from minesweeper.player.logic.clues import reduced_clues

Given = Mapping[Cell, bool]
"""Hidden cells that are known already: True for a mine, False for a safe cell."""


class ClueMap:
    """A view with the cells `given` as known. Raises `BoardError` for a given cell that is not hidden.

    `reduced` are the clues by cell, `all` those with unknown cells and `all_unknown` the hidden cells that are not
    given, in reading order. Variable n of the reduced clues belongs to place n - 1 of `all_unknown`.
    """

    def __init__(self, view: View, given: Given) -> None:
        self.view = view
        self.given = given
        unknown = view.cells == HIDDEN
        mine_map = np.zeros_like(unknown)
        for cell, mine in given.items():
            self.check_hidden(cell)
            unknown[cell], mine_map[cell] = False, mine
        self.reduced, self.all_unknown = reduced_clues(view.cells, unknown, mine_map)
        self.all = [at for at, (variables, _) in self.reduced.items() if variables]
        self._unknown: dict[Cell, frozenset[Cell]] = {}

    def check_hidden(self, cell: Cell) -> None:
        """Raise `BoardError` unless the cell is a hidden cell of this view."""
        row, col = cell
        if not (0 <= row < self.view.rows and 0 <= col < self.view.cols):
            raise BoardError(f"{cell} is off the board; expected a cell of {size_name(self.view.rows, self.view.cols)}")
        if self.view.cells[cell] != HIDDEN:
            raise BoardError(f"{cell} is open; expected a hidden cell")

    def clue(self, at: Cell) -> int:
        """Return the clue of the open cell `at`."""
        return int(self.view.cells[at])

    def unknown(self, at: Cell) -> frozenset[Cell]:
        """Return the hidden cells around `at` that are not given."""
        if at not in self._unknown:
            self._unknown[at] = frozenset(self.all_unknown[variable - 1] for variable in self.reduced[at][0])
        return self._unknown[at]

    def need(self, at: Cell) -> int:
        """Return the number of mines among the unknown cells of the clue at `at`."""
        return self.reduced[at][1]

    def given_around(self, at: Cell, *, mine: bool) -> list[Cell]:
        """List the given mines, or safe cells, around `at`."""
        if not self.given:
            return []
        return [near for near in neighbours(self.view.rows, self.view.cols, at) if self.given.get(near) is mine]

    def touching(self, cell: Cell) -> Iterator[Cell]:
        """Yield the open cells around `cell`."""
        return (near for near in neighbours(self.view.rows, self.view.cols, cell) if near in self.reduced)

    def linked(self, clues: Collection[Cell]) -> list[Cell]:
        """List the other clues that share an unknown cell with one of `clues`."""
        cells = {cell for at in clues for cell in self.unknown(at)}
        known = set(clues)
        return sorted({at for cell in cells for at in self.touching(cell)} - known)

    @property
    def mines_left(self) -> int:
        """The number of mines among the unknown cells."""
        return self.view.mines - sum(self.given.values())
