"""Games in the window of another program: read the board, click, read what opened."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final, TypeVar

from minesweeper.player.core.board import HIDDEN, Board, View, cells_of
from minesweeper.player.core.errors import BoardError, MinesweeperError, NoBoardFound
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.results import GameResult
from minesweeper.player.logic import closure
from minesweeper.player.play.strategies import Knowledge, Strategy, call_strategy, choose_cell, choose_cells
from minesweeper.player.see.reading import Reading, read_again, read_image
from minesweeper.player.see.screen import Box, Pixel, Screen, ScreenError, Trigger

_T = TypeVar("_T", bound="np.generic")

_CLUES: Final = 9
_CERTAIN: Final = 0.9999
_FRAME_SECONDS: Final = 0.05
_STILL_FRAMES: Final = 4
"""A picture that stays the same for this number of frames is that of a finished move."""
_MOST_FRAMES: Final = 60
_SECONDS_OF_AN_ACTION: Final = 0.3
_MOST_IDLE_ROUNDS: Final = 20
_SECONDS_TO_START: Final = 15.0
_SECONDS_TO_OPEN: Final = 1.0
"""A click that opened nothing for so long is repeated: a program can take two quick clicks for a double click."""
_SECONDS_TO_SETTLE: Final = 5.0
"""A picture that cannot be read for so long is not that of a move that is being drawn."""
_MARGIN: Final = 4
"""Pixels around the board: in more, lines of the window can look like cells that are cut off."""
_FEW: Final = 1
"""Hidden cells that may look different after a click although the game goes on, such as the one under the mouse."""


@dataclass(frozen=True)
class Choice:
    """The cells to click next, all of them proved safe, or one guess; `mines` are proved too."""

    cells: Sequence[Cell]
    proved: bool
    mines: Sequence[Cell] = ()


class ScreenGame:
    """The largest board on the screen.

    `view` is its position, with doubtful cells as hidden ones, and `mines` its number of mines: the given one, or the
    only one that fits. Raises `BoardError` without either, and the errors of `read_image`.
    """

    def __init__(self, screen: Screen, mines: int | None = None) -> None:
        self._screen = screen
        self.picture = screen.picture()
        self.disturbed = False
        self.reading: Reading = read_image(self.picture)
        known = self.reading.mines if mines is None else mines
        if not isinstance(known, int):
            raise BoardError("the number of mines cannot be read on the screen; add --mines N")
        self.mines = known
        self._boxes = self.reading.boxes
        height, width = self.picture.shape[:2]
        left, top, right, bottom = (*self._boxes[0, 0, :2], *self._boxes[-1, -1, 2:])
        self._area: Box = (
            *(max(0, int(value) - _MARGIN) for value in (left, top)),
            *(min(most, int(value) + _MARGIN) for value, most in ((right, width), (bottom, height))),
        )
        self._read(self._cut(self.picture, self._area))

    def _has_certain_clue(self, cell: Cell) -> bool:
        """Return whether a cell that is probably open can only show one clue if it is open."""
        clue, chances = int(self.reading.cells[cell]), self.reading.chances[cell][:_CLUES]
        return clue != HIDDEN and bool(chances[clue] >= _CERTAIN * chances.sum())

    @staticmethod
    def _cut(picture: NDArray[_T], box: Box) -> NDArray[_T]:
        left, top, right, bottom = box
        return picture[top:bottom, left:right]

    def _box(self, cell: Cell) -> Box:
        """Return the box of a cell in the picture of the board."""
        left, top, right, bottom = (int(value) for value in self._boxes[cell])
        return left - self._area[0], top - self._area[1], right - self._area[0], bottom - self._area[1]

    def centre(self, cell: Cell) -> Pixel:
        """Return the middle of a cell on the screen."""
        left, top, right, bottom = (int(value) for value in self._boxes[cell])
        return (left + right) // 2, (top + bottom) // 2

    def _read(self, picture: NDArray[np.uint8]) -> None:
        """Read a picture of the board.

        Raises `NoBoardFound` if it is not where it was, and `BoardError` for fewer hidden cells than mines.
        """
        left, top = self._area[:2]
        self.reading = reading = read_again(picture, self.reading.moved(-left, -top)).moved(left, top)
        # Without a clue, another window could look like closed cells.
        if (reading.cells == HIDDEN).all() and read_image(picture).cells.shape != reading.cells.shape:
            raise NoBoardFound("no board found")
        self._shown, self.doubtful = picture, set(reading.doubtful)
        self._fixed = np.ones(picture.shape[:2], dtype=np.bool_)
        for cell in cells_of(reading.cells == HIDDEN):
            self._cut(self._fixed, self._box(cell))[:] = False
        self.view  # noqa: B018  Checks the number of mines.

    @property
    def view(self) -> View:
        """The position, with doubtful cells as hidden ones."""
        cells = self.reading.cells.copy()
        for cell in self.doubtful:
            cells[cell] = HIDDEN
        return View(cells, self.mines)

    def opened_by(self, clicked: Sequence[Cell], doubted: Set[Cell]) -> set[Cell]:
        """Return the cells that clicks can have opened: those clicked, and zeros that touch these, with their border.

        The rules leave less doubt than a picture: one of these that is probably open is open, and only its clue can be
        doubtful; every other cell is as it was before, and was `doubted` or not.
        """
        reached, waiting = set(clicked), list(clicked)
        while waiting:
            cell = waiting.pop()
            if self.reading.cells[cell] == 0:
                fresh = set(self.view.grid.neighbours(cell)) - reached
                reached |= fresh
                waiting += fresh
        self.doubtful &= (doubted - reached) | {cell for cell in reached if not self._has_certain_clue(cell)}
        return reached

    def look(self, check: Callable[[], None] = lambda: None) -> None:
        """Wait until the board stands still, and read it; `check` raises an error for a reading that cannot be true.

        A window that appears at the end of a game may cover it, so earlier frames are read if the last one cannot be.
        Raises the error of the last frame if no frame can.
        """
        frames = [self._screen.picture(self._area)]
        while len(frames) < _MOST_FRAMES:
            time.sleep(_FRAME_SECONDS)
            frames.append(self._screen.picture(self._area))
            last = frames[-_STILL_FRAMES:]
            if len(last) == _STILL_FRAMES and all(np.array_equal(last[0], frame) for frame in last):
                break
        different = [frame for frame, old in zip(frames[1:], frames, strict=False) if not np.array_equal(frame, old)]
        errors: list[MinesweeperError] = []
        for frame in [*reversed(different), frames[0]]:
            try:
                self._read(frame)
                check()
                return
            except MinesweeperError as error:
                errors.append(error)
        raise ScreenError(
            "stopped, because the board moved or is covered" if isinstance(errors[0], NoBoardFound) else str(errors[0])
        ) from errors[0]

    def pictures(self) -> dict[Cell, NDArray[np.uint8]]:
        """Return the pictures of the middles of the hidden cells as they were read."""
        found = {}
        for cell in cells_of(self.reading.cells == HIDDEN):
            left, top, right, bottom = self._box(cell)
            across, down = (right - left) // 4, (bottom - top) // 4
            found[cell] = self._cut(self._shown, (left + across, top + down, right - across, bottom - down))
        return found

    def changed(self, pictures: Mapping[Cell, NDArray[np.uint8]]) -> set[Cell]:
        """Return the cells that are hidden and look different than in `pictures`."""
        now = self.pictures()
        return {cell for cell in now.keys() & pictures.keys() if not np.array_equal(now[cell], pictures[cell])}

    @property
    def won(self) -> bool:
        """True if every hidden cell is a mine."""
        return int(np.count_nonzero(self.reading.cells == HIDDEN)) == self.mines

    def click(self, cell: Cell, *, right: bool = False) -> bool:
        """Click on a cell, unless it, an open cell or the edge of the board changed since `look`; return if clicked.

        `disturbed` is True if an open cell or the edge had changed.
        """
        different = (self._screen.picture(self._area) != self._shown).any(axis=2)
        self.disturbed = bool(different[self._fixed].any())
        if self.disturbed or self._cut(different, self._box(cell)).any():
            return False
        self._screen.click(self.centre(cell), right=right)
        return True

    def leave(self) -> None:
        """Move the mouse beside the board, because programs draw the cell under it in another way."""
        self._screen.move((self._area[0], self._area[1]))

    def act(self, actions: Sequence[Trigger]) -> None:
        """Press keys and click outside the board."""
        for action in actions:
            self._screen.act(action)
            time.sleep(_SECONDS_OF_AN_ACTION)

    def restart(self, actions: Sequence[Trigger]) -> None:
        """Start the next game by keys and clicks, and read its board. Raises `ScreenError` if none begins."""
        finished = self.view
        self.act(actions)
        ends = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < ends:
            with suppress(ScreenError):
                self.look()
                if self.view != finished and not self.won:
                    return
        raise ScreenError(f"no new game began within {_SECONDS_TO_START:g} s; check --next")


def decide(game: ScreenGame, strategy: Strategy, first_click: Cell | None = None) -> Choice:
    """Choose the next clicks of a strategy: the cells that logic proves safe, or a guess.

    Proofs use no doubtful cell. A guess takes the most probable value of each, and a cell that is safe only with these
    values is a guess. Raises the errors of `choose_cell`, `InconsistentView`, and `ScreenError` for a cell that cannot
    be read.
    """
    view = game.view
    if not view.opened.any() and first_click is not None:
        return Choice([first_click], False)
    known = closure(view)
    mines = [cell for cell in cells_of(known.mine_map) if not game.reading.flags[cell]]
    safe = [cell for cell in cells_of(known.safe_map) if cell not in game.doubtful]
    if safe and not strategy.plays_alone:
        return Choice(safe, True, mines)
    likely = View(game.reading.cells, game.mines)
    guessed = closure(likely)
    if strategy.plays_alone:
        cell = choose_cells(strategy, likely)[0]
    elif guessed.safe_map.any():
        cell = cells_of(guessed.safe_map)[0]
    else:
        cell = choose_cell(strategy, likely, Knowledge(likely, guessed.safe_map, guessed.mine_map))
    if cell in game.doubtful:
        raise ScreenError(f"stopped, because the cell {cell} cannot be read")
    return Choice([cell], cell in safe, mines)


def play_on_screen(
    game: ScreenGame,
    strategy: Strategy,
    *,
    first_click: Cell | None = None,
    seed: int = 0,
    flags: bool = False,
    uncover: Sequence[Trigger] = (),
) -> GameResult:
    """Play the game in the window to its end, or from the position that it shows.

    `flags` marks proved mines with the right button. `uncover` closes a window that covers the board after a move, such
    as one for a high score. Raises `ScreenError` before the next click if the mouse was moved,
    the board moved or is covered, a clue changed, or a cell opened that no click of this program can have opened; and
    the errors of `decide`.
    """
    began = time.perf_counter()
    call_strategy(strategy, lambda: strategy.begin(Random(f"{seed}/screen")))
    guesses = 0
    lost, idle = False, 0
    tried: list[Cell] = []
    while not lost and not game.won:
        before, doubted = game.view, game.doubtful
        choice = decide(game, strategy, first_click)
        for mine in choice.mines if flags else ():
            game.click(mine, right=True)
        if flags and choice.mines:
            game.look()
        pictures = game.pictures()
        clicked = [cell for cell in choice.cells if game.click(cell)]
        tried += clicked
        idle = 0 if clicked else idle + 1
        if idle > _MOST_IDLE_ROUNDS:
            raise ScreenError("stopped, because the edge of the board keeps changing")
        guessed = bool(clicked) and not choice.proved and bool(before.opened.any())
        guesses += guessed
        game.leave()
        closed, looked, repeats = clicked, time.monotonic(), True
        check = partial(_check_opened, game, clicked, before, doubted)
        # A program may need time to open a cell, for example to make a board after the first click.
        while True:
            try:
                game.look(check)
                closed = [cell for cell in clicked if game.reading.cells[cell] == HIDDEN]
                different = game.changed(pictures)
                # The mines of a lost game are drawn on other cells, too, and the exploded one may look like a clue.
                lost = guessed and len(different) > _FEW and not game.won
                # A program may flash a won board: a proved cell is only taken for a mine if it stays closed.
                is_over = lost or (game.reading.mines_shown.any() and not choice.proved)
                if not closed or is_over or time.monotonic() > looked + _SECONDS_TO_START:
                    break
                if repeats and time.monotonic() > looked + _SECONDS_TO_OPEN:
                    repeats = False
                    for cell in closed:
                        game.click(cell)
                    game.leave()
            except ScreenError:
                # The window for a high score covers a won game. A click may have opened cells that were to be clicked.
                if choice.proved and _win(before, choice.cells, tried):
                    return GameResult(True, before.grid.cells - before.mines, guesses, time.perf_counter() - began)
                if time.monotonic() > looked + _SECONDS_TO_SETTLE:
                    if not uncover:
                        raise
                    game.act(uncover)
                    uncover, looked = (), time.monotonic()
        lost = lost or not different.isdisjoint(closed)
        if lost and choice.proved:
            raise ScreenError(f"the board was misread: {closed[0]}, proved to be safe, was a mine")
        if closed and not lost:
            raise ScreenError(f"stopped, because the click on {closed[0]} opened nothing")
    return GameResult(not lost, int(game.view.opened.sum()), guesses, time.perf_counter() - began)


def _win(before: View, safe: Sequence[Cell], clicked: Sequence[Cell]) -> bool:
    """Return whether every other hidden cell than the `safe` ones is a mine, and the clicks open all of these."""
    mine_map = before.cells == HIDDEN
    for cell in safe:
        mine_map[cell] = False
    if np.count_nonzero(mine_map) != before.mines:
        return False
    game = Game(Board(mine_map))
    for cell in [*cells_of(before.opened), *clicked]:
        if game.status is Status.PLAYING:
            game.open(cell)
    return game.status is Status.WON


def _check_opened(game: ScreenGame, clicked: Sequence[Cell], before: View, doubted: Set[Cell]) -> None:
    """Raise `ScreenError` if a clue changed, or a cell opened that the clicks cannot have opened."""
    # Also the rest of what an earlier click opens, if a program draws slowly.
    zeros = cells_of(before.cells == 0)
    late = [near for zero in zeros for near in before.grid.neighbours(zero) if not before.opened[near]]
    allowed, after = game.opened_by([*clicked, *late], doubted) | doubted, game.view
    if game.reading.mines_shown.any():
        return
    for cell in cells_of(before.opened & (after.cells != before.cells)):
        raise ScreenError(f"stopped, because the clue at {cell} changed")
    for cell in cells_of(after.opened & ~before.opened):
        if cell not in allowed:
            raise ScreenError(f"stopped, because {cell} opened without a click")
