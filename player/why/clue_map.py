"""The clues of a view, reduced by the cells known already, and the clues that touch each cell.

Everything is computed on demand, so a question about one cell does not depend on the size of the board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from minesweeper.player.board import HIDDEN, Cell, View, cells_of, count_neighbours, neighbours, size_name
from minesweeper.player.errors import BoardError
from minesweeper.player.limits import check_cells
from minesweeper.player.logic.clues import Clue

Given = Mapping[Cell, bool]
"""Hidden cells that are known already: True for a mine, False for a safe cell."""


class ClueMap:
    """A view with the cells `given` as known. Raises `BoardError` for a large view or an open given cell."""

    def __init__(self, view: View, given: Given) -> None:
        check_cells(view.rows, view.cols, "reasons")
        self.view = view
        self.given = given
        self._cells: list[list[int]] = view.cells.tolist()
        self._unknown: dict[Cell, frozenset[Cell]] = {}
        for cell in given:
            self.check_hidden(cell)

    def check_hidden(self, cell: Cell) -> None:
        """Raise `BoardError` unless the cell is a hidden cell of this view."""
        row, col = cell
        if not (0 <= row < self.view.rows and 0 <= col < self.view.cols):
            raise BoardError(f"{cell} is off the board; expected a cell of {size_name(self.view.rows, self.view.cols)}")
        if self._cells[row][col] != HIDDEN:
            raise BoardError(f"{cell} is open; expected a hidden cell")

    def clue(self, at: Cell) -> int:
        """Return the clue of the open cell `at`."""
        return self._cells[at[0]][at[1]]

    def unknown(self, at: Cell) -> frozenset[Cell]:
        """Return the hidden cells around `at` that are not given."""
        if at not in self._unknown:
            cells, given = self._cells, self.given
            around = neighbours(self.view.rows, self.view.cols, at)
            self._unknown[at] = frozenset(near for near in around if cells[near[0]][near[1]] < 0 and near not in given)
        return self._unknown[at]

    def need(self, at: Cell) -> int:
        """Return the number of mines among the unknown cells of the clue at `at`."""
        return self.clue(at) - len(self.given_around(at, mine=True))

    def given_around(self, at: Cell, *, mine: bool) -> list[Cell]:
        """List the given mines, or safe cells, around `at`."""
        if not self.given:
            return []
        return [near for near in neighbours(self.view.rows, self.view.cols, at) if self.given.get(near) is mine]

    def touching(self, cell: Cell) -> Iterator[Cell]:
        """Yield the open cells around `cell`."""
        for row, col in neighbours(self.view.rows, self.view.cols, cell):
            if self._cells[row][col] >= 0:
                yield row, col

    def linked(self, clues: Collection[Cell]) -> list[Cell]:
        """List the other clues that share an unknown cell with one of `clues`."""
        cells = {cell for at in clues for cell in self.unknown(at)}
        known = set(clues)
        return sorted({at for cell in cells for at in self.touching(cell)} - known)

    def reduced(self, chosen: Iterable[Cell]) -> list[Clue]:
        """Reduce clues: variable n is place n - 1 of `all_unknown`."""
        number = {cell: variable for variable, cell in enumerate(self.all_unknown, 1)}
        return [([number[cell] for cell in sorted(self.unknown(at))], self.need(at)) for at in chosen]

    @cached_property
    def all(self) -> list[Cell]:
        """All clues with unknown cells, row by row."""
        cells = self.view.cells
        return [at for at in cells_of((cells >= 0) & (count_neighbours(cells < 0) > 0)) if self.unknown(at)]

    @cached_property
    def all_unknown(self) -> list[Cell]:
        """All hidden cells that are not given, row by row."""
        hidden = ((row, col) for row, line in enumerate(self._cells) for col, clue in enumerate(line) if clue < 0)
        return [cell for cell in hidden if cell not in self.given]

    @property
    def mines_left(self) -> int:
        """The number of mines among the unknown cells."""
        return self.view.mines - sum(self.given.values())
