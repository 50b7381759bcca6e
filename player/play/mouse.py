"""Recorded games of a mouse: its presses, moves and releases, the actions they make, and what players measure.

Buttons act as in Windows: a left click opens when the button is released, a right click flags when it is pressed, and
the middle button, both others, or shift and the left one open the rest around a clue. The measures have the
definitions of minesweepergame.com/statistics.php.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist
from typing import Final, NamedTuple

from minesweeper.player.core.board import Board, View
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.logic.fewest_clicks import ClickKind

PRESSES: Final = {"lc": "left", "rc": "right", "mc": "middle", "sc": "shift", "cc": "both"}
RELEASES: Final = {"lr": "left", "rr": "right", "mr": "middle"}
SIDE: Final = 16
"""The side of a cell in pixels, in most programs."""


MOST_SEEN: Final = 2**25
"""The longest recordings of people have 2 million."""


class MouseEvent(NamedTuple):
    """A press or a release of a button, or ``mv``, at a place.

    `x` and `y` count from the upper left corner of the board. ``pf`` is a flag that stood before the game.
    """

    seconds: float
    kind: str
    x: float
    y: float


@dataclass(frozen=True)
class RecordedMouse:
    """A file: the board, the events, the side of a cell in the unit of their places, and what the file says."""

    board: Board
    events: Sequence[MouseEvent]
    side: float = SIDE
    marks: bool = False
    seconds: float | None = None
    program: str = ""
    player: str = ""
    mode: str = "standard"


class MouseAction(NamedTuple):
    """A click, and the cells to open: its own, the rest around a clue, or none.

    `effective` is true if the board looked different after it.
    """

    seconds: float
    kind: ClickKind
    cell: Cell
    opened: tuple[Cell, ...]
    effective: bool


@dataclass(frozen=True)
class Mouse:
    """A game of a mouse: its actions, the view before each that opened something, and its path in cells."""

    recorded: RecordedMouse
    actions: tuple[MouseAction, ...]
    views: tuple[View, ...]
    last_view: View
    path: float

    def count(self, kind: ClickKind) -> int:
        """Count the actions of a kind."""
        return sum(one.kind == kind for one in self.actions)

    @property
    def effective(self) -> int:
        """The actions that changed the board."""
        return sum(one.effective for one in self.actions)

    @property
    def cells_per_chord(self) -> float | None:
        """The cells that a chord was to open on average; None without chords."""
        opened = [len(one.opened) for one in self.actions if one.kind == "chord"]
        return sum(opened) / len(opened) if opened else None

    @property
    def wasted_flags(self) -> int:
        """Count the flags, also those taken away again, beside which no later chord opened a cell."""
        wasted, used = 0, set[Cell]()
        for one in reversed(self.actions):
            if one.kind == "chord" and one.opened:
                used.update(self.recorded.board.grid.neighbours(one.cell))
            elif one.kind == "flag" and one.effective:
                wasted += one.cell not in used
        return wasted


class MouseGame:
    """The board as the mouse changes it: unlike in `Game`, a flag keeps its cell closed when an opening opens."""

    def __init__(self, board: Board, marks: bool) -> None:
        self._board = board
        self._marks = marks
        self._open = np.zeros(board.grid.shape, dtype=np.bool_)
        self._flags, self._questions = set[Cell](), set[Cell]()
        self._left = board.safe_cells
        self._exploded = False

    @property
    def view(self) -> View:
        """The player's view."""
        return self._board.view(self._open)

    def is_over(self) -> bool:
        """Return True after a mine or the last safe cell."""
        return self._exploded or not self._left

    def has(self, cell: Cell) -> bool:
        """Return True if the board has this cell."""
        grid = self._board.grid
        return 0 <= cell[0] < grid.rows and 0 <= cell[1] < grid.cols

    def flag(self, cell: Cell) -> bool:
        """Set a flag, or change or take away a mark; return True if the cell is closed."""
        if self._open[cell]:
            return False
        if cell in self._flags and self._marks:
            self._questions.add(cell)
        elif cell not in self._flags | self._questions:
            self._flags.add(cell)
            return True
        else:
            self._questions.discard(cell)
        self._flags.discard(cell)
        return True

    def to_open(self, kind: ClickKind, cell: Cell) -> tuple[Cell, ...]:
        """Return what a left click or a chord opens: closed cells without a flag."""
        if kind == "left":
            return () if self._open[cell] or cell in self._flags else (cell,)
        near = [one for one in self._board.grid.neighbours(cell) if not self._open[one]]
        rest = tuple(one for one in near if one not in self._flags)
        return rest if self._open[cell] and len(near) - len(rest) == self._board.clues[cell] else ()

    def open(self, cells: Sequence[Cell]) -> None:
        """Open cells, and the openings of zeros."""
        left = list(cells)
        while left:
            cell = left.pop()
            if self._open[cell] or cell in self._flags:
                continue
            if self._board.mine_map[cell]:
                self._exploded = True
                continue
            self._open[cell] = True
            self._left -= 1
            if self._board.clues[cell] == 0:
                left += self._board.grid.neighbours(cell)


def replay_mouse(recorded: RecordedMouse) -> Mouse:
    """Play the events on the board until the game ends. Raises `BoardError` for a crafted game of too many views."""
    game = MouseGame(recorded.board, recorded.marks)
    views: list[View] = []
    actions = tuple(_actions(game, recorded, views))
    path = sum(dist(a[2:], b[2:]) for a, b in pairwise(recorded.events)) / recorded.side
    return Mouse(recorded, actions, tuple(views), game.view, path)


def _actions(game: MouseGame, recorded: RecordedMouse, views: list[View]) -> Iterator[MouseAction]:
    down = set[str]()
    chorded, idle = False, None
    for seconds, kind, x, y in recorded.events:
        if game.is_over():
            return
        # Outside the board, buttons are pressed and released, but act on no cell.
        cell = (int(y // recorded.side), int(x // recorded.side))
        inside = game.has(cell)
        if kind == "pf" and inside:
            game.flag(cell)
        elif kind in PRESSES:
            pressed = PRESSES[kind]
            if pressed == "right" and "left" not in down and inside:
                action = MouseAction(seconds, "flag", cell, (), game.flag(cell))
                # On an open cell, a right click may begin a chord.
                idle = None if action.effective else action
                if action.effective:
                    yield action
            down |= {"left", "right"} if pressed == "both" else {pressed}
            chorded = chorded and len(down) == 1
        elif kind in RELEASES:
            released = RELEASES[kind]
            click: ClickKind | None = None
            if not chorded and (down & {"middle", "shift"} or len(down) == 2):
                chorded, idle, click = True, None, "chord"
            elif down == {"left"} == {released} and not chorded:
                click = "left"
            elif released == "right" and idle is not None:
                yield idle
                idle = None
            if click and inside:
                cells = game.to_open(click, cell)
                if cells:
                    views.append(game.view)
                    if len(views) * recorded.board.grid.cells > MOST_SEEN:
                        raise BoardError(f"expected at most {MOST_SEEN:,} cells in the views of all clicks")
                    game.open(cells)
                yield MouseAction(seconds, click, cell, cells, bool(cells))
            down -= {released, "shift"} if released == "left" else {released}
            chorded = chorded and bool(down)
