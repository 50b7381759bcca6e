"""Games in progress on the server: the board, the player's flags, the clock, and the JSON for the page."""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from math import prod
from typing import Any, Final

import numpy as np

from minesweeper.db.people import HumanGame, Unranked, clicks_from_json, clicks_to_json
from minesweeper.player.board import HIDDEN, Board, Cell, Puzzle, View, as_cell, cells_of, neighbours
from minesweeper.player.errors import BoardError
from minesweeper.player.game import Game, Status
from minesweeper.player.kaboom.game import Kaboom, Outcome, Rules
from minesweeper.player.play.recorded_games import RecordedClick
from minesweeper.player.recipe import Preset, StartRule
from minesweeper.scripts.web.boards import random_puzzle, size_title
from minesweeper.scripts.web.jobs import kaboom_clicks
from minesweeper.scripts.web.settings import ApiError, ErrorKind
from minesweeper.scripts.web.share_links import board_token, kaboom_token

Run = Callable[..., Awaitable[Any]]
"""Runs a function in a worker process with a time limit: `Server.click`."""

_TURN_SECONDS: Final = 2.0
"""A move waits at most this long for the moves before it."""


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class LiveGame(ABC):
    """One game of a session. Every move holds `lock`, because moves may wait for a worker process.

    `turn` is the number of the next move. `view_before` is the view before the last click. `clicks` counts all clicks,
    flags included; `flagged` is true once the player has set a flag. `is_repeat` is true if the player may know the
    board from another game or by its seed. `counts` is true until the game ends for the first time: then it goes into
    the player's record as `ended`.
    """

    def __init__(self, mode: str, name: str = "") -> None:
        """Create a game. Its title starts with `name`, by default the mode."""
        self.id = secrets.token_urlsafe(9)
        self.mode = mode
        self.title = size_title(name or mode.capitalize(), self.view.rows, self.view.cols, self.view.mines)
        self.given_share: str | None = None
        self.lock = asyncio.Lock()
        self.turn = 0
        self._turned = asyncio.Condition(self.lock)
        self.flags: set[Cell] = set()
        self.flagged = False
        self.helped = False
        self.revealed = False
        self.undos = 0
        self.view_before: View | None = None
        self.recorded_clicks: list[RecordedClick] = []
        self.clicks = 0
        self.is_repeat = False
        self.counts = True
        self.ended: HumanGame | None = None
        self.is_stored = False
        self._seconds = 0.0
        self._since: float | None = None

    @property
    @abstractmethod
    def view(self) -> View:
        """The position as the player sees it."""

    @property
    @abstractmethod
    def status(self) -> Status: ...

    @property
    @abstractmethod
    def exploded(self) -> tuple[Cell, ...]:
        """The opened mines."""

    @property
    @abstractmethod
    def board(self) -> Board | None:
        """The board, None before it is fixed; never sent to the player."""

    @property
    def revealed_board(self) -> Board | None:
        """The board, None as long as the player must not see the mines."""
        return self.board if self.is_over else None

    @property
    @abstractmethod
    def share(self) -> str | None:
        """The token of a share link, None as long as it would reveal mines.

        The id of a stored puzzle is a hash of its mines, so guesses could be checked against it: the page receives the
        token only on request.
        """

    @abstractmethod
    def again(self) -> LiveGame:
        """Return a new game on the same board. Raises `ApiError` if there is no board yet."""

    @property
    def is_untouched(self) -> bool:
        """True if no cell is open."""
        return bool((self.view.cells == HIDDEN).all())

    @property
    def progress(self) -> tuple[int, ...]:
        """Numbers that change with every move, flag and end."""
        opened = int(np.count_nonzero(self.view.cells != HIDDEN))
        return opened, self.turn, len(self.flags), len(self.exploded), self.undos, self.helped, self.revealed

    @property
    def may_undo(self) -> bool:
        """True if the last move can be undone: a fatal one; in Kaboom any."""
        return self.status is Status.LOST

    @property
    def is_over(self) -> bool:
        """True if the player may see the mines: the game is won, or lost and given up. An undo goes on from there."""
        return self.status is Status.WON or (self.status is Status.LOST and self.revealed)

    @abstractmethod
    async def _open(self, cells: list[Cell], run: Run) -> list[Cell]: ...

    @abstractmethod
    async def _chord(self, cell: Cell, run: Run) -> list[Cell]: ...

    @abstractmethod
    def _undo(self) -> None: ...

    @asynccontextmanager
    async def in_turn(self, turn: int | None) -> AsyncIterator[None]:
        """Hold `lock` for a move, after the moves with lower numbers; wait for a lost one only `_TURN_SECONDS`."""
        async with self._turned:
            if turn is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_TURN_SECONDS):
                        await self._turned.wait_for(lambda: self.turn >= turn)
                # Counted before the move, so that the move's response includes it.
                self.turn = max(self.turn, turn + 1)
            try:
                yield
            finally:
                self._turned.notify_all()

    async def open(self, cell: Cell, run: Run) -> dict[str, Any]:
        """Open a cell, unless it is open or flagged, and return the state."""
        self._check(cell)
        self.clicks += 1
        if self.view.cells[cell] != HIDDEN or cell in self.flags:
            return self.state()
        return self.state(await self._click(cell, [cell], self._open([cell], run)))

    async def help(self, safe: list[int], mines: list[int], run: Run) -> dict[str, Any]:
        """Note that the player has help, open and flag the cells that a program chose, and return the state.

        :param safe: cells to open, flagged or not, as ``row * cols + col``; `mines` are cells to flag.
        """
        opening, flagging = ([divmod(cell, self.view.cols) for cell in cells] for cells in (safe, mines))
        for cell in (*opening, *flagging):
            self._check(cell)
        self.must_go_on()
        self.helped = True
        self.flags.difference_update(opening)
        opened = await self._click(opening[0], opening, self._open(opening, run), helped=True) if opening else []
        self.flags.update(cell for cell in flagging if self.view.cells[cell] == HIDDEN)
        return self.state(opened)

    async def chord(self, cell: Cell, run: Run) -> dict[str, Any]:
        """Open the unflagged cells around a clue, and return the state."""
        self._check(cell)
        self.clicks += 1
        view = self.view
        around = neighbours(view.rows, view.cols, cell)
        cells = [near for near in around if view.cells[near] == HIDDEN and near not in self.flags]
        return self.state(await self._click(cell, cells, self._chord(cell, run)))

    def flag(self, cell: Cell) -> dict[str, Any]:
        """Set or remove a flag, and return the state."""
        self._check(cell)
        self.clicks += 1
        if self.view.cells[cell] == HIDDEN:
            self.flags ^= {cell}
            self.flagged = True
        return self.state()

    def undo(self) -> dict[str, Any]:
        """Undo the last move, and return the state. Raises `ApiError` if that is not possible."""
        if not self.may_undo:
            raise ApiError(ErrorKind.NOT_NOW, "There is no move to undo.")
        self._undo()
        self.undos += 1
        self.helped = True
        self._update_clock()
        return self.state()

    def reveal(self) -> dict[str, Any]:
        """Give a lost game up, and return the state with the mines."""
        if self.status is not Status.LOST:
            raise ApiError(ErrorKind.NOT_NOW, "Only a lost game can be given up.")
        self.revealed = True
        return self.state()

    def state(self, changed: Iterable[Cell] = ()) -> dict[str, Any]:
        """Return everything that the player may see, as JSON; `changed` are the cells that the last move opened."""
        view, board = self.view, self.revealed_board
        return {
            "id": self.id,
            "mode": self.mode,
            "title": self.title,
            "rows": view.rows,
            "cols": view.cols,
            "mines": view.mines,
            "cells": view.lines,
            "before": None if self.status is not Status.LOST or self.view_before is None else self.view_before.lines,
            "flags": sorted(self.flags),
            "status": "ready" if self.is_untouched and self.status is Status.PLAYING else self.status.value,
            "exploded": list(self.exploded),
            "mine_map": None if board is None else np.argwhere(board.mine_map).tolist(),
            "seconds": round(self.seconds, 3),
            "ticking": self._since is not None,
            "can_undo": self.may_undo,
            "undos": self.undos,
            "helped": self.helped,
            "flagged": self.flagged,
            "clicks": self.clicks,
            "rules": None,
            "guesses": None,
            "changed": list(changed),
            "verdict": None,
            "turn": self.turn,
        }

    @property
    def seconds(self) -> float:
        """The playing time, without the time between a loss and its undo."""
        return self._seconds + (0 if self._since is None else time.monotonic() - self._since)

    def set_clock(self, seconds: float) -> None:
        """Set the playing time; the clock starts again with the next move."""
        self._seconds, self._since = seconds, None

    def _update_clock(self) -> None:
        """Run the clock while the game is being played."""
        runs = self.status is Status.PLAYING and not self.is_untouched
        if runs and self._since is None:
            self._since = time.monotonic()
        elif not runs and self._since is not None:
            self.set_clock(self.seconds)

    async def _click(
        self, cell: Cell, cells: list[Cell], opening: Awaitable[list[Cell]], *, helped: bool = False
    ) -> list[Cell]:
        """Make a click, record it, and return all cells that opened."""
        self.view_before = self.view
        click = RecordedClick(self.seconds, cell, tuple(cells), helped)
        opened = await opening
        self.flags.difference_update(opened)
        self._update_clock()
        if self.counts and (opened or self.status is not Status.PLAYING):
            self.recorded_clicks.append(click)
            if self.status is not Status.PLAYING:
                self._end()
        return opened

    def _end(self) -> None:
        """Record the game. Moves after an undo do not change the record."""
        self.counts = False
        board = self.board
        if board is None:
            return
        today = f"{now().date()}"
        is_daily = self.mode == "daily" and f"daily-{today}-" in (self.given_share or "")
        self.ended = HumanGame(
            self.id,
            self.mode,
            self.title,
            board,
            tuple(self.recorded_clicks),
            won=self.status is Status.WON,
            seconds=self.seconds,
            clicks=self.clicks,
            ended=f"{now():%Y-%m-%d %H:%M:%S}",
            unranked=Unranked.HELP if self.helped else Unranked.REPEAT if self.is_repeat else Unranked.NO,
            day=today if is_daily else None,
        )

    def must_go_on(self) -> None:
        """Raise `ApiError` if the game has ended."""
        if self.status is not Status.PLAYING:
            raise ApiError(ErrorKind.NOT_NOW, f"This game is {self.status.value}.")

    def _check(self, cell: Cell) -> None:
        self.must_go_on()
        if not (cell[0] < self.view.rows and cell[1] < self.view.cols):
            raise ApiError(ErrorKind.BAD_INPUT, f"There is no cell {cell} on this board.")


class BoardGame(LiveGame):
    """A game on a board: on a given puzzle, or on a random board that the first click determines.

    :param source: a puzzle, or the size and the start rule of a random board.
    :param deal: returns the puzzle of a first click, by default a uniform random one.
    :param name: the beginning of the title, by default the mode.
    :param share: the token from which the game was made, if there was one.
    """

    def __init__(
        self,
        mode: str,
        source: Puzzle | tuple[Preset, StartRule],
        *,
        name: str = "",
        share: str | None = None,
        seed: int | None = None,
        deal: Callable[[Cell], Awaitable[Puzzle]] | None = None,
    ) -> None:
        self._source = source
        self._deal = deal
        self.puzzle = source if isinstance(source, Puzzle) else None
        self._game = None if self.puzzle is None else Game(self.puzzle)
        super().__init__(mode, name)
        self._seed = seed
        self.is_repeat = seed is not None
        self.given_share = share
        if self.puzzle is not None:
            self.recorded_clicks = [RecordedClick(0.0, self.puzzle.first_click, (self.puzzle.first_click,))]

    def again(self) -> BoardGame:
        if self.puzzle is None:
            raise ApiError(ErrorKind.NOT_NOW, "There is no board yet: it comes with the first click.")
        game = BoardGame(self.mode, self.puzzle, share=self.given_share)
        game.title = self.title
        game.is_repeat = True
        return game

    def replay(self, cells: Iterable[Cell]) -> None:
        """Start again and open the cells of an earlier game."""
        assert self.puzzle is not None
        self._game = Game(self.puzzle.board)
        for cell in cells:
            self._game.open(cell)

    @property
    def view(self) -> View:
        if self._game is not None:
            return self._game.view
        assert not isinstance(self._source, Puzzle)
        return View.hidden(*self._source[0])

    @property
    def status(self) -> Status:
        return Status.PLAYING if self._game is None else self._game.status

    @property
    def exploded(self) -> tuple[Cell, ...]:
        return () if self._game is None else self._game.exploded

    @property
    def board(self) -> Board | None:
        return None if self.puzzle is None else self.puzzle.board

    @property
    def share(self) -> str | None:
        if self.given_share is None and self.is_over and self.puzzle is not None:
            return board_token(self.puzzle)
        return self.given_share

    async def _open(self, cells: list[Cell], run: Run) -> list[Cell]:
        if self._game is None:
            assert not isinstance(self._source, Puzzle)
            size, rule = self._source
            try:
                if self._deal is None:
                    self.puzzle = random_puzzle(size, cells[0], rule, self._seed)
                else:
                    self.puzzle = await self._deal(cells[0])
            except BoardError as error:
                raise ApiError(ErrorKind.BAD_INPUT, f"This board is too full: {error}.") from error
            self._game = Game(self.puzzle.board)
        game = self._game
        return [opened for cell in cells if game.status is Status.PLAYING for opened in game.open(cell)]

    async def _chord(self, cell: Cell, run: Run) -> list[Cell]:
        if self._game is None:
            return []
        for flag in self.flags ^ self._game.flags:
            self._game.flag(flag)
        opened = self._game.chord(cell)
        for flag in self._game.flags if self.status is Status.PLAYING else ():
            self._game.flag(flag)
        return opened

    def _undo(self) -> None:
        self.replay(cells_of(self.view.cells != HIDDEN))


class KaboomGame(LiveGame):
    """A game against the adversary. No mine is placed before the game ends, so every move can be undone.

    With equal seeds, equal clicks have equal results. `guesses` are the probabilities with which each guess would have
    survived on a fixed board; None for a guess whose layouts cannot be counted.
    """

    def __init__(self, kaboom: Kaboom) -> None:
        self.kaboom = kaboom
        super().__init__("kaboom")
        self.guesses: list[float | None] = []
        self._last: Outcome | None = None
        self._earlier: list[tuple[View, list[float | None]]] = []

    def again(self) -> KaboomGame:
        view, kaboom = self.view, self.kaboom
        game = KaboomGame(Kaboom(view.rows, view.cols, view.mines, rules=kaboom.rules, seed=kaboom.seed))
        # Each of the two games reveals the other's future.
        self.is_repeat = game.is_repeat = True
        return game

    @property
    def may_undo(self) -> bool:
        return super().may_undo or (self.status is Status.PLAYING and bool(self._earlier))

    @property
    def share(self) -> str | None:
        return kaboom_token(self.view.rows, self.view.cols, self.view.mines, self.kaboom.rules)

    @property
    def view(self) -> View:
        return self.kaboom.view

    @property
    def status(self) -> Status:
        return self.kaboom.status

    @property
    def exploded(self) -> tuple[Cell, ...]:
        return () if self.kaboom.fatal is None else (self.kaboom.fatal.cell,)

    @property
    def board(self) -> Board | None:
        """The hidden cells of a won game, or the layout that was drawn for the fatal click."""
        if self.status is Status.WON:
            return Board(self.view.cells == HIDDEN)
        return None if self.kaboom.fatal is None else self.kaboom.fatal.layout

    @property
    def revealed_board(self) -> Board | None:
        return self.board

    def state(self, changed: Iterable[Cell] = ()) -> dict[str, Any]:
        rules, last = self.kaboom.rules, self._last or self.kaboom.fatal
        verdict = None if last is None else {"survived": last.survived, "why": last.why}
        self._last = None
        luck = None if None in self.guesses else prod(chance for chance in self.guesses if chance is not None)
        guesses = {"count": len(self.guesses), "luck": luck}
        return super().state(changed) | {"rules": asdict(rules), "verdict": verdict, "guesses": guesses}

    async def _open(self, cells: list[Cell], run: Run) -> list[Cell]:
        before = self.view, list(self.guesses)
        self.kaboom, outcomes, chances = await run(kaboom_clicks, self.kaboom, cells)
        opened = [cell for outcome in outcomes for cell in outcome.opened]
        if opened:
            self._earlier.append(before)
        self.guesses += chances
        self._last = outcomes[-1] if outcomes else None
        return opened

    async def _chord(self, cell: Cell, run: Run) -> list[Cell]:
        return await self._open(self.kaboom.chorded(cell, self.flags), run)

    def _undo(self) -> None:
        if self.status is Status.LOST:
            self.kaboom.undo()
            return
        view, self.guesses = self._earlier.pop()
        self.kaboom.resume(view)
        self.counts = False


_STATE: Final = ("mode", "rows", "cols", "mines", "cells", "flags", "exploded")
_ATTRIBUTES: Final = ("title", "flagged", "helped", "undos", "turn", "revealed", "clicks", "is_repeat")


def saved(game: LiveGame) -> dict[str, Any] | None:
    """Return a game as JSON for the database, mines included; None for a game without a click."""
    if game.is_untouched:
        return None
    state = game.state()
    entry = {name: state[name] for name in _STATE} | {name: getattr(game, name) for name in _ATTRIBUTES}
    entry["seconds"] = game.seconds
    entry["recorded_clicks"] = clicks_to_json(game.recorded_clicks) if game.counts else None
    if isinstance(game, KaboomGame):
        return entry | {"rules": asdict(game.kaboom.rules), "guesses": game.guesses, "seed": game.kaboom.seed}
    assert isinstance(game, BoardGame)
    assert game.puzzle is not None
    board = base64.b64encode(game.puzzle.board.to_bytes()).decode()
    return entry | {"board": board, "first_click": list(game.puzzle.first_click), "share": game.given_share}


def restored(name: str, entry: dict[str, Any]) -> LiveGame:
    """Return a game from the JSON of `saved`. A lost game of Kaboom returns before its last click, with one undo."""
    rows, cols, exploded = entry["rows"], entry["cols"], entry["exploded"]
    game: LiveGame
    if "rules" in entry:
        kaboom = Kaboom(rows, cols, entry["mines"], rules=Rules(**entry["rules"]), seed=entry["seed"])
        kaboom.resume(View.from_text("\n".join(entry["cells"]), entry["mines"]))
        game = KaboomGame(kaboom)
        game.guesses = entry["guesses"]
    else:
        puzzle = Puzzle(Board.from_bytes(rows, cols, base64.b64decode(entry["board"])), as_cell(entry["first_click"]))
        opened = [(row, col) for row in range(rows) for col in range(cols) if entry["cells"][row][col] != "#"]
        game = BoardGame(entry["mode"], puzzle, share=entry["share"])
        game.replay([*opened, *map(as_cell, exploded)])
    for attribute in _ATTRIBUTES:
        setattr(game, attribute, entry.get(attribute, getattr(game, attribute)))
    if isinstance(game, KaboomGame):
        game.undos += len(exploded)
    game.id = name
    game.flags = set(map(as_cell, entry["flags"]))
    game.helped = game.helped or game.undos > 0
    game.counts = entry["recorded_clicks"] is not None
    game.recorded_clicks = list(clicks_from_json(entry["recorded_clicks"] or []))
    game.set_clock(entry["seconds"])
    return game
