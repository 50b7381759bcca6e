"""The rules: opening, flooding, flags, chords, winning and losing.

A `Game` holds the truth. A player is only ever given its `Game.view`, a value with no way back to the mines.
"""

from __future__ import annotations

from enum import Enum, StrEnum

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, Puzzle, View, check_size, neighbours, size_name


class Status(Enum):
    """Where a game stands."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class RuleError(ValueError):
    """A move that the rules do not allow."""


class StartRule(StrEnum):
    """What the first click on a random board is sure to be."""

    OPENING = "opening"
    SAFE = "safe"

    @classmethod
    def named(cls, name: object) -> StartRule:
        """Return the rule of that name. Raises `BoardError` if there is none."""
        for rule in cls:
            if rule == name:
                return rule
        raise BoardError(f"expected a start rule, {' or '.join(cls)}: {name!r}")

    @property
    def words(self) -> str:
        """The rule as boards are described: ``opening start`` or ``safe start``."""
        return f"{self} start"

    def zone(self, rows: int, cols: int, click: Cell) -> list[Cell]:
        """List the cells that are kept free of mines: the click, and its neighbours for an opening start.

        Raises `BoardError` if the click is off the board.
        """
        check_size(rows, cols)
        row, col = click
        if not (0 <= row < rows and 0 <= col < cols):
            raise BoardError(f"expected the first click inside {size_name(rows, cols)}: {click}")
        return [click] if self is StartRule.SAFE else sorted([click, *neighbours(rows, cols, click)])

    def holds(self, puzzle: Puzzle) -> bool:
        """Say whether the first click of a puzzle is what this rule makes sure of."""
        board = puzzle.board
        return not any(board.mine_map[cell] for cell in self.zone(board.rows, board.cols, puzzle.first_click))

    def room(self, rows: int, cols: int, click: Cell | None) -> int:
        """How many mines fit outside the zone of a click, or of any click for None."""
        # An inner cell has the largest zone, so what fits around it fits around every click.
        worst = (min(1, rows - 1), min(1, cols - 1))
        return rows * cols - len(self.zone(rows, cols, worst if click is None else click))

    def check_mines(self, rows: int, cols: int, mines: int, click: Cell | None) -> None:
        """Raise `BoardError` unless `mines` is at least 0 and fits outside the zone of a click, or of any for None."""
        room = self.room(rows, cols, click)
        if not 0 <= mines <= room:
            place = "anywhere" if click is None else f"at {click}"
            size = size_name(rows, cols)
            raise BoardError(
                f"expected 0 to {room} mines, all that {size} leaves room for with {self.words} {place}: {mines}"
            )


class Game:
    """One game on one board, from the first click to its end.

    Moves off the board, or after the end, raise `RuleError`.
    """

    def __init__(self, board: Board) -> None:
        self._rows, self._cols = board.rows, board.cols
        self._mines = board.mines
        self._board = board
        self._clues = board.clues.ravel()
        self._open = np.zeros(board.mine_map.size, dtype=np.bool_)
        self._flags: set[Cell] = set()
        self._to_open = board.rows * board.cols - board.mines
        self._exploded: tuple[Cell, ...] = ()

    @property
    def status(self) -> Status:
        """Won as soon as every safe cell is open, lost as soon as a mine is."""
        if self._exploded:
            return Status.LOST
        return Status.PLAYING if self._to_open else Status.WON

    @property
    def exploded(self) -> tuple[Cell, ...]:
        """The mines that were opened: empty until the game is lost."""
        return self._exploded

    @property
    def flags(self) -> frozenset[Cell]:
        """The player's marks; they may be wrong."""
        return frozenset(self._flags)

    @property
    def view(self) -> View:
        """What the player may see. An exploded mine is shown as hidden."""
        return View(self._shown(), self._mines)

    def open(self, cell: Cell) -> list[Cell]:
        """Open a hidden cell, and its whole opening if it is a zero; return the safe cells opened by this.

        An open or flagged cell is left alone. Opening a mine loses the game.
        """
        self._check(cell)
        index = self._index(cell)
        if self._open[index] or cell in self._flags:
            return []
        clue = self._clues[index]
        if clue < 0:
            self._exploded = (*self._exploded, cell)
            return []
        if clue > 0:
            # Most cells are no zeros: they need no flood, which is ten times the work.
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

    def flag(self, cell: Cell) -> bool:
        """Set a flag on a hidden cell, or take it away; return whether the cell is flagged now."""
        self._check(cell)
        if self._open[self._index(cell)]:
            return False
        self._flags ^= {cell}
        return cell in self._flags

    def chord(self, cell: Cell) -> list[Cell]:
        """Open every unflagged neighbour of an open clue, if the flags around it equal the clue; else do nothing.

        Returns the safe cells opened. A wrong flag can lose the game.
        """
        self._check(cell)
        index = self._index(cell)
        around = list(neighbours(self._rows, self._cols, cell))
        if not self._open[index] or sum(near in self._flags for near in around) != self._clues[index]:
            return []
        hidden = [near for near in around if near not in self._flags]
        # A chord is one move: cells that it opens together are opened even when one of them is a mine.
        return [opened for near in hidden for opened in self._open_within_chord(near)]

    def _open_within_chord(self, cell: Cell) -> list[Cell]:
        exploded, self._exploded = self._exploded, ()
        opened = self.open(cell) if self._to_open else []
        self._exploded = exploded + self._exploded
        return opened

    def _check(self, cell: Cell) -> None:
        row, col = cell
        if not (0 <= row < self._rows and 0 <= col < self._cols):
            raise RuleError(f"expected a cell inside {size_name(self._rows, self._cols)}: {cell}")
        if self.status is not Status.PLAYING:
            raise RuleError(f"expected a game in play, it is {self.status.value}: {cell}")

    def _index(self, cell: Cell) -> int:
        return cell[0] * self._cols + cell[1]

    def _shown(self) -> NDArray[np.int8]:
        shown: NDArray[np.int8] = np.where(self._open, self._clues, np.int8(HIDDEN))
        return shown.reshape(self._rows, self._cols)
