"""The rules: opening, flooding, flags, chords, winning and losing.

A `Game` holds the truth. A player is only ever given its `Game.view`, a value with no way back to the mines.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, View, check_size, neighbours, size_name

StartRule = Literal["opening", "safe"]
START_RULES: Final[tuple[StartRule, ...]] = get_args(StartRule)


class Status(Enum):
    """Where a game stands."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class RuleError(ValueError):
    """A move that the rules do not allow."""


def start_zone(rows: int, cols: int, click: Cell, rule: StartRule) -> list[Cell]:
    """List the cells that a start rule keeps free of mines: the click, and its neighbours for an opening start.

    Raises `BoardError` if the click is off the board or the rule is not known.
    """
    check_size(rows, cols)
    row, col = click
    if not (0 <= row < rows and 0 <= col < cols):
        raise BoardError(f"expected the first click inside {size_name(rows, cols)}: {click}")
    if rule == "safe":
        return [click]
    if rule == "opening":
        return sorted([click, *neighbours(rows, cols, click)])
    raise BoardError(f"expected a start rule, {' or '.join(START_RULES)}: {rule!r}")


def check_mines(rows: int, cols: int, mines: int, click: Cell, rule: StartRule) -> None:
    """Raise `BoardError` unless `mines` is at least 0 and fits outside the start zone."""
    room = rows * cols - len(start_zone(rows, cols, click, rule))
    if not 0 <= mines <= room:
        size = size_name(rows, cols)
        raise BoardError(
            f"expected 0 to {room} mines, all that {size} leaves room for with {rule} start at {click}: {mines}"
        )


class Game:
    """One game on one board, from the first click to its end.

    Moves off the board, or after the end, raise `RuleError`.
    """

    def __init__(self, board: Board) -> None:
        self._rows, self._cols = board.rows, board.cols
        self._mines = board.mines
        self._stride = self._cols + 2
        self._clues = np.pad(board.clues, 1, constant_values=-1).ravel()
        self._open = np.pad(np.zeros_like(board.mine_map), 1, constant_values=True).ravel()
        self._flags: set[Cell] = set()
        self._to_open = board.rows * board.cols - board.mines
        self._exploded: tuple[Cell, ...] = ()
        step = self._stride
        self._around = np.array([-step - 1, -step, -step + 1, -1, 1, step - 1, step, step + 1])

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
        found = self._flood(index)
        self._to_open -= len(found)
        rows, cols = np.divmod(found, self._stride)
        opened = list(zip((rows - 1).tolist(), (cols - 1).tolist(), strict=True))
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
        return (cell[0] + 1) * self._stride + cell[1] + 1

    def _shown(self) -> NDArray[np.int8]:
        shown = np.where(self._open, self._clues, HIDDEN).reshape(self._rows + 2, self._stride)
        return shown[1:-1, 1:-1]

    def _flood(self, index: int) -> NDArray[np.intp]:
        """Open a safe cell and, wave by wave, whatever touches a zero; return the padded indices opened."""
        wave = np.array([index])
        self._open[wave] = True
        waves = [wave]
        while wave.size:
            zeros = wave[self._clues[wave] == 0]
            reached = np.unique(zeros[:, None] + self._around)
            wave = reached[~self._open[reached]]
            self._open[wave] = True
            waves.append(wave)
        return np.concatenate(waves)
