"""The rules: opening, flooding, flags, chords, winning and losing.

A `Game` contains the board. Players receive only its `Game.view`, which does not reveal the mines.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from minesweeper.player.board import HIDDEN, Board, Cell, CellLike, Puzzle, View, as_cell, neighbours, size_name
from minesweeper.player.errors import BoardError
from minesweeper.player.recipe import StartRule as StartRule

if TYPE_CHECKING:
    import numpy as np
else:
    from minesweeper.player import lazy_numpy as np


class Status(Enum):
    """The status of a game."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class Game:
    """One game on one board. The first click of a `Puzzle` is made at the start, that of a `Board` is not.

    After the end, moves do nothing. Moves off the board raise `BoardError`.
    """

    def __init__(self, start: Board | Puzzle) -> None:
        if not isinstance(start, Board | Puzzle):
            raise TypeError(f"expected a Board or a Puzzle, got {type(start).__name__}")
        board = start if isinstance(start, Board) else start.board
        self._rows, self._cols = board.rows, board.cols
        self._board = board
        self._clues = board.clues.ravel()
        self._open = np.zeros(board.mine_map.size, dtype=np.bool_)
        self._flags: set[Cell] = set()
        self._to_open = board.safe_cells
        self._exploded: tuple[Cell, ...] = ()
        if isinstance(start, Puzzle):
            self.open(start.first_click)

    @property
    def status(self) -> Status:
        """Won as soon as every safe cell is open, lost as soon as a mine is."""
        if self._exploded:
            return Status.LOST
        return Status.PLAYING if self._to_open else Status.WON

    @property
    def exploded(self) -> tuple[Cell, ...]:
        """The mines that were opened; empty until the game is lost."""
        return self._exploded

    @property
    def flags(self) -> frozenset[Cell]:
        """The player's marks; they may be wrong."""
        return frozenset(self._flags)

    @property
    def view(self) -> View:
        """The player's view. An exploded mine is hidden in it."""
        shown = np.where(self._open, self._clues, np.int8(HIDDEN))
        return View(shown.reshape(self._rows, self._cols), self._board.mines)

    def open(self, cell: CellLike) -> list[Cell]:
        """Open a hidden cell, and its whole opening if it is a zero; return the safe cells that this opened.

        Does nothing for an open or flagged cell. Opening a mine loses the game.
        """
        cell = self._checked(cell)
        index = self._index(cell)
        if self.status is not Status.PLAYING or self._open[index] or cell in self._flags:
            return []
        clue = self._clues[index]
        if clue < 0:
            self._exploded = (*self._exploded, cell)
            return []
        if clue > 0:
            # Most cells are not zeros; a flood takes ten times as long.
            self._open[index] = True
            self._to_open -= 1
            return [cell]
        found = self._board.opening(cell)
        found = found[~self._open[found]]
        self._open[found] = True
        self._to_open -= len(found)
        opened = list(zip(*(place.tolist() for place in np.divmod(found, self._cols)), strict=True))
        self._flags.difference_update(opened)
        return opened

    def flag(self, cell: CellLike) -> bool:
        """Set or remove a flag on a hidden cell; return True if the cell is flagged now."""
        cell = self._checked(cell)
        if self.status is not Status.PLAYING or self._open[self._index(cell)]:
            return cell in self._flags
        self._flags ^= {cell}
        return cell in self._flags

    def chord(self, cell: CellLike) -> list[Cell]:
        """Open every unflagged neighbour of an open clue if it touches as many flags as it shows.

        Returns the safe cells opened. A wrong flag can lose the game.
        """
        cell = self._checked(cell)
        index = self._index(cell)
        around = list(neighbours(self._rows, self._cols, cell))
        if self.status is not Status.PLAYING or not self._open[index]:
            return []
        if sum(near in self._flags for near in around) != self._clues[index]:
            return []
        hidden = [near for near in around if near not in self._flags]
        # A chord is one move: it opens all its cells even if one of them is a mine.
        return [opened for near in hidden for opened in self._open_within_chord(near)]

    def _open_within_chord(self, cell: Cell) -> list[Cell]:
        exploded, self._exploded = self._exploded, ()
        opened = self.open(cell) if self._to_open else []
        self._exploded = exploded + self._exploded
        return opened

    def _checked(self, cell: CellLike) -> Cell:
        row, col = cell = as_cell(cell)
        if not (0 <= row < self._rows and 0 <= col < self._cols):
            raise BoardError(f"cell {cell} is off the board; expected a cell of {size_name(self._rows, self._cols)}")
        return cell

    def _index(self, cell: Cell) -> int:
        return cell[0] * self._cols + cell[1]
