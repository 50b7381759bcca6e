"""The rules: opening, flooding, flags, chords, winning and losing.

A `Game` contains the board. Players receive only its `Game.view`, which does not reveal the mines.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from minesweeper.player.core.board import MINE_DRAWN, Board, Puzzle, View
from minesweeper.player.core.errors import check_kind
from minesweeper.player.core.grid import Cell, CellLike, cell_of
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import StartRule as StartRule


class Status(Enum):
    """The status of a game.

    >>> ms.Game(ms.Board.from_text(".*")).status
    <Status.PLAYING: 'playing'>
    """

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


class Game:
    r"""One game on one board. The first click of a `Puzzle` is made at the start, that of a `Board` is not.

    After the end, moves do nothing. Moves off the board raise `BoardError`.

    >>> game = ms.Game(ms.Board.from_text("..*\n..."))
    >>> game.open((1, 0))
    [(1, 0), (0, 0), (0, 1), (1, 1)]
    >>> game.flag((0, 2))
    True
    >>> game.chord((1, 1))
    [(1, 2)]
    >>> game.status
    <Status.WON: 'won'>
    """

    def __init__(self, start: Board | Puzzle) -> None:
        check_kind(start, (Board, Puzzle), "a Board or a Puzzle")
        board = start if isinstance(start, Board) else start.board
        self._cols = board.cols
        self._board = board
        self._open = bytearray(len(board.cells))
        self._flags: set[int] = set()
        self._to_open = board.safe_cells
        self._exploded: list[int] = []
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
        return self._cells(self._exploded)

    @property
    def flags(self) -> frozenset[Cell]:
        """The player's marks; they may be wrong."""
        return frozenset(self._cells(self._flags))

    @property
    def view(self) -> View:
        """The player's view. An exploded mine is hidden in it."""
        return self._board.view(np.frombuffer(self._open, dtype=np.bool_).reshape(self._board.grid.shape))

    def open(self, cell: CellLike) -> list[Cell]:
        """Open a hidden cell, and its whole opening if it is a zero; return the safe cells that this opened.

        Does nothing for an open or flagged cell. Opening a mine loses the game.
        """
        _, opened = self.open_in_turn([self._number(cell)])
        return list(self._cells(opened))

    def open_in_turn(self, numbers: Iterable[int]) -> tuple[list[int], list[int]]:
        """Open cells as `open` does, one after the other until the game ends. Cells are numbered ``row * cols + col``.

        Returns the cells that were hidden when their turn came, and all safe cells that were opened.
        """
        mines, clues = self._board.cells, self._board.clue_bytes
        clicked: list[int] = []
        opened: list[int] = []
        for number in numbers:
            # Of the property, the call alone would take longer.
            if self._exploded or not self._to_open:
                break
            if self._open[number] or number in self._flags:
                continue
            clicked.append(number)
            if mines[number]:
                self._exploded.append(number)
                continue
            found = [number]
            if not clues[number]:
                flooded = self._board.opening(divmod(number, self._cols)).tolist()
                found = [cell for cell in flooded if not self._open[cell]]
                self._flags.difference_update(found)
            for cell in found:
                self._open[cell] = True
            self._to_open -= len(found)
            opened += found
        return clicked, opened

    def flag(self, cell: CellLike) -> bool:
        """Set or remove a flag on a hidden cell; return True if the cell is flagged now."""
        number = self._number(cell)
        if self.status is Status.PLAYING and not self._open[number]:
            self._flags ^= {number}
        return number in self._flags

    def chord(self, cell: CellLike) -> list[Cell]:
        """Open every unflagged neighbour of an open clue if it touches as many flags as it shows.

        Returns the safe cells opened. A wrong flag can lose the game.
        """
        number = self._number(cell)
        near_cells = self._board.grid.neighbours(divmod(number, self._cols))
        around = {row * self._cols + col for row, col in near_cells}
        if self.status is not Status.PLAYING or not self._open[number]:
            return []
        if len(around & self._flags) != self._board.clue_bytes[number]:
            return []
        exploded, opened = [], []
        for near in sorted(around - self._flags):
            # A chord is one move: it opens all its cells even if one of them is a mine.
            opened += self.open_in_turn([near])[1]
            exploded += self._exploded
            self._exploded = []
        self._exploded = exploded
        return list(self._cells(opened))

    def _repr_svg_(self) -> str:
        from minesweeper.player.render.svg import draw_svg

        cells = self.view.cells.copy()
        cells.ravel()[self._exploded] = MINE_DRAWN
        flags = dict.fromkeys(self.flags, ("var(--h)", "F"))
        return draw_svg(cells, self._board.title, self._board.grid, fills=flags)

    def __repr__(self) -> str:
        return f"<Game {self._board.title}, {self.status.value}>"

    def _number(self, cell: CellLike) -> int:
        row, col = cell_of(self._board.grid, cell)
        return row * self._cols + col

    def _cells(self, numbers: Iterable[int]) -> tuple[Cell, ...]:
        return tuple(divmod(number, self._cols) for number in numbers)
