"""Games as the server holds them: the truth, the player's flags, the clock, and what is told and what is kept."""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.db.people import HumanGame, Unranked, clicks_from_json, clicks_to_json
from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, Puzzle, View, as_cell, cells_of, neighbours
from minesweeper.player.game import Game, StartRule, Status
from minesweeper.player.kaboom.game import Kaboom, Outcome, Rules, Why
from minesweeper.player.play.recorded_games import RecordedClick
from minesweeper.player.results import Move
from minesweeper.player.words import Preset
from minesweeper.scripts.web.boards import random_puzzle, size_title
from minesweeper.scripts.web.jobs import Clicked, kaboom_chord, kaboom_clicks
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.settings import ApiError, ErrorKind
from minesweeper.scripts.web.share_links import board_token, kaboom_token

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS: Final = {
    Why.FIRST_CLICK: "The first click is always safe.",
    Why.PROVEN_SAFE: "It was certain to be safe.",
    Why.FORCED_GUESS: "No cell was certain to be safe, so your guess was granted.",
    Why.PROVEN_MINE: "It was certain to be a mine.",
    Why.NEEDLESS_GUESS: "Another cell was certain to be safe, so this guess was not granted.",
    Why.OUTSIDE: "A guess was forced, but only next to the clues.",
}

_LONGEST_WAIT: Final = 2.0
"""So many seconds a move waits for those before it."""


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


class LiveGame(ABC):
    """One game in a session. `lock` is held by whoever moves, since moves may wait for work elsewhere."""

    def __init__(self, mode: str, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.id = secrets.token_urlsafe(9)
        self.mode = mode
        self.title = title
        self.lock = asyncio.Lock()
        self.turn = 0
        self._turned = asyncio.Condition(self.lock)
        self.flags: set[Cell] = set()
        self.helped = False
        self.revealed = False
        self.undos = 0
        self.before: View | None = None
        self.recorded_clicks: list[RecordedClick] = []
        self.clicks = 0
        self.is_known = False
        """Whether the player may know the board already, from another game or by its seed."""
        self.counts = True
        """Whether the game goes into its player's record when it ends: for the first time."""
        self.ended: HumanGame | None = None
        """The game as it was when it ended first."""
        self.is_stored = False
        self._clock = clock
        self._seconds = 0.0
        self._since: float | None = None

    @property
    @abstractmethod
    def view(self) -> View:
        """What the player sees."""

    @property
    @abstractmethod
    def status(self) -> Status: ...

    @property
    @abstractmethod
    def exploded(self) -> tuple[Cell, ...]:
        """The mines that were opened."""

    @property
    @abstractmethod
    def layout(self) -> Board | None:
        """The mines, as soon as the player may know them."""

    @property
    @abstractmethod
    def share(self) -> str | None:
        """The token of a link that recreates the game; None as long as it would tell mines.

        It is told only to whoever asks: the id of a stored puzzle is a hash of its mines, which can be tried out.
        """

    @abstractmethod
    def again(self) -> LiveGame:
        """Set the same game up once more. Raises `ApiError` as long as there is none."""

    @property
    def granted(self) -> NDArray[np.bool_] | None:
        """Where an adversary grants a guess: a (rows, cols) array; None if chance decides."""
        return None

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has been opened yet."""
        return bool((self.view.cells == HIDDEN).all())

    @property
    def progress(self) -> tuple[int, ...]:
        """Numbers that change with every move, flag and end."""
        opened = int(np.count_nonzero(self.view.cells != HIDDEN))
        return opened, self.turn, len(self.flags), len(self.exploded), self.undos, self.helped, self.revealed

    @property
    def may_undo(self) -> bool:
        """Whether there is a fatal move to take back."""
        return self.status is Status.LOST and not self.revealed

    @property
    def is_over(self) -> bool:
        """Whether it can't go on, so that its player may see all of it."""
        return self.status is Status.WON or self.revealed

    @property
    def is_watched(self) -> bool:
        """Whether a program plays it."""
        return False

    @property
    def day(self) -> str | None:
        """The date, if this is its daily puzzle."""
        return None

    @abstractmethod
    async def _open(self, cells: list[Cell], pool: WorkerPool, seconds: float) -> list[Cell]: ...

    @abstractmethod
    async def _chord(self, cell: Cell, pool: WorkerPool, seconds: float) -> list[Cell]: ...

    @abstractmethod
    def _undo(self) -> None: ...

    @asynccontextmanager
    async def in_turn(self, turn: int | None) -> AsyncIterator[None]:
        """Hold `lock` for a move, after those with lower numbers; a move that is lost on its way is not waited for."""
        async with self._turned:
            if turn is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST_WAIT):
                        await self._turned.wait_for(lambda: self.turn >= turn)
                # Counted before the move is done, so that what it answers counts it.
                self.turn = max(self.turn, turn + 1)
            try:
                yield
            finally:
                self._turned.notify_all()

    async def open(self, cell: Cell, pool: WorkerPool, seconds: float) -> dict[str, Any]:
        """Open a cell, unless it is open or flagged."""
        self._check(cell)
        self.clicks += 1
        if self.view.cells[cell] != HIDDEN or cell in self.flags:
            return self.state()
        self.before = self.view
        click = RecordedClick(self.seconds, cell, (cell,))
        return self._after(await self._open([cell], pool, seconds), click)

    async def open_all(self, cells: list[Cell], pool: WorkerPool, seconds: float) -> list[Cell]:
        """Open cells known to be safe, flags or not; return all that were opened."""
        if not cells:
            return []
        self.flags.difference_update(cells)
        self.before = self.view
        click = RecordedClick(self.seconds, cells[0], tuple(cells), helped=True)
        opened = await self._open(cells, pool, seconds)
        self._after(opened, click)
        return opened

    async def chord(self, cell: Cell, pool: WorkerPool, seconds: float) -> dict[str, Any]:
        """Open what is not flagged around a clue."""
        self._check(cell)
        self.clicks += 1
        self.before = view = self.view
        around = neighbours(view.rows, view.cols, cell)
        asked = tuple(near for near in around if view.cells[near] == HIDDEN and near not in self.flags)
        click = RecordedClick(self.seconds, cell, asked)
        return self._after(await self._chord(cell, pool, seconds), click)

    def flag(self, cell: Cell) -> dict[str, Any]:
        """Set or take a flag."""
        self._check(cell)
        self.clicks += 1
        if self.view.cells[cell] == HIDDEN:
            self.flags ^= {cell}
        return self.state()

    def undo(self) -> dict[str, Any]:
        """Take the last move back, if it may be: the fatal one, or any that no hidden mine decided."""
        if not self.may_undo:
            raise ApiError(ErrorKind.NOT_NOW, "There is no move that can be taken back.")
        self._undo()
        self.undos += 1
        self.helped = True
        self._run_clock()
        return self.state()

    def reveal(self) -> dict[str, Any]:
        """Give a lost game up and see the mines."""
        if self.status is not Status.LOST:
            raise ApiError(ErrorKind.NOT_NOW, "Only a lost game can be given up.")
        self.revealed = True
        return self.state()

    def state(self, changed: Iterable[Cell] = ()) -> dict[str, Any]:
        """Everything that the page may know, as JSON; `changed` are the cells that this move opened."""
        view, layout = self.view, self.layout
        return {
            "id": self.id,
            "mode": self.mode,
            "title": self.title,
            "rows": view.rows,
            "cols": view.cols,
            "mines": view.mines,
            "cells": view.lines,
            "flags": sorted(self.flags),
            "status": "ready" if self.is_untouched and self.status is Status.PLAYING else self.status.value,
            "exploded": list(self.exploded),
            "mine_map": None if layout is None else np.argwhere(layout.mine_map).tolist(),
            "seconds": round(self.seconds, 3),
            "ticking": self._since is not None,
            "can_undo": self.may_undo,
            "undos": self.undos,
            "helped": self.helped,
            "rules": None,
            "guesses": None,
            "changed": list(changed),
            "verdict": None,
            "turn": self.turn,
        }

    @property
    def seconds(self) -> float:
        """How long the game has been played, time after a death left out."""
        return self._seconds + (0 if self._since is None else self._clock() - self._since)

    def resume_clock(self, seconds: float) -> None:
        """Go on from a time; the clock waits for the next move."""
        self._seconds, self._since = seconds, None

    def _run_clock(self) -> None:
        """Start or stop the clock as the game needs it."""
        runs = self.status is Status.PLAYING and bool((self.view.cells != HIDDEN).any())
        if runs and self._since is None:
            self._since = self._clock()
        elif not runs and self._since is not None:
            self._seconds, self._since = self.seconds, None

    def _after(self, opened: list[Cell], click: RecordedClick) -> dict[str, Any]:
        self.flags.difference_update(opened)
        self._run_clock()
        if self.counts and (opened or self.status is not Status.PLAYING):
            self.recorded_clicks.append(click)
            if self.status is not Status.PLAYING:
                self._end()
        return self.state(opened)

    def _end(self) -> None:
        """Keep the game as it is: what comes after an undo is not part of the record."""
        self.counts = False
        board = self._truth
        if board is None or self.is_watched:
            return
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
            unranked=Unranked.HELP if self.helped else Unranked.REPEAT if self.is_known else Unranked.NO,
            day=self.day,
        )

    @property
    @abstractmethod
    def _truth(self) -> Board | None:
        """The mines, whoever may know them."""

    def must_go_on(self) -> None:
        """Raise `ApiError` if the game is over."""
        if self.status is not Status.PLAYING:
            raise ApiError(ErrorKind.NOT_NOW, f"This game is {self.status.value}.")

    def must_have_ended(self) -> None:
        """Raise `ApiError` if the game has not ended yet, for the first time."""
        if self.counts or self.status is Status.PLAYING:
            raise ApiError(ErrorKind.NOT_NOW, "A game has figures when it has ended, for the first time.")

    def _check(self, cell: Cell) -> None:
        self.must_go_on()
        if not (cell[0] < self.view.rows and cell[1] < self.view.cols):
            raise ApiError(ErrorKind.BAD_INPUT, f"There is no cell {cell} on this board.")


class BoardGame(LiveGame):
    """A game on a board, which chance deals at the first click unless it is given."""

    def __init__(
        self,
        mode: str,
        title: str,
        dealt: Puzzle | tuple[Preset, StartRule],
        *,
        share: str | None = None,
        moves: tuple[Move, ...] = (),
        strategy: str | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(mode, title)
        self._seed = seed
        self.is_known = seed is not None
        self.given_share = share
        """The token by which the game was dealt, which need not hold its mines."""
        self.puzzle = dealt if isinstance(dealt, Puzzle) else None
        """The truth, as soon as there is one."""
        self._deal = None if isinstance(dealt, Puzzle) else dealt
        self._game: Game | None = None
        self.moves = list(moves)
        self.strategy = strategy
        if self.puzzle is not None:
            self._game = Game(self.puzzle.board)
            if not moves:
                self._game.open(self.puzzle.first_click)
                self.recorded_clicks = [RecordedClick(0.0, self.puzzle.first_click, (self.puzzle.first_click,))]

    def again(self) -> BoardGame:
        if self.puzzle is None:
            raise ApiError(ErrorKind.NOT_NOW, "This board is not dealt yet: the first click does.")
        mode, title = self.mode, self.title
        if self.is_watched:
            mode, title = "shared", size_title("Shared", self.view.rows, self.view.cols, self.view.mines)
        play = BoardGame(mode, title, self.puzzle, share=self.given_share)
        play.is_known = True
        return play

    def replay(self, cells: Iterable[Cell]) -> None:
        """Open cells as they were before."""
        assert self._game is not None
        for cell in cells:
            self._game.open(cell)

    @property
    def view(self) -> View:
        if self._game is None:
            assert self._deal is not None
            return View.hidden(*self._deal[0])
        return self._game.view

    @property
    def status(self) -> Status:
        return Status.PLAYING if self._game is None else self._game.status

    @property
    def exploded(self) -> tuple[Cell, ...]:
        return () if self._game is None else self._game.exploded

    @property
    def layout(self) -> Board | None:
        known = self.status is Status.WON or (self.status is Status.LOST and self.revealed)
        return self.puzzle.board if known and self.puzzle is not None else None

    @property
    def _truth(self) -> Board | None:
        return None if self.puzzle is None else self.puzzle.board

    @property
    def is_watched(self) -> bool:
        return self.strategy is not None

    @property
    def day(self) -> str | None:
        today = f"{now().date()}"
        return today if self.mode == "daily" and f"daily-{today}-" in (self.given_share or "") else None

    @property
    def share(self) -> str | None:
        if self.given_share is None and self.layout is not None and self.puzzle is not None:
            return board_token(self.puzzle)
        return self.given_share

    async def _open(self, cells: list[Cell], pool: WorkerPool, seconds: float) -> list[Cell]:
        if self._game is None:
            assert self._deal is not None
            try:
                self.puzzle = random_puzzle(self._deal[0], cells[0], self._deal[1], self._seed)
            except BoardError as error:
                raise ApiError(ErrorKind.BAD_INPUT, f"This board is too full: {error}.") from error
            self._game = Game(self.puzzle.board)
        game = self._game
        return [opened for cell in cells if game.status is Status.PLAYING for opened in game.open(cell)]

    async def _chord(self, cell: Cell, pool: WorkerPool, seconds: float) -> list[Cell]:
        if self._game is None:
            return []
        for flag in self.flags ^ self._game.flags:
            self._game.flag(flag)
        opened = self._game.chord(cell)
        for flag in self._game.flags if self.status is Status.PLAYING else ():
            self._game.flag(flag)
        return opened

    def _undo(self) -> None:
        assert self.puzzle is not None
        shown = self.view
        self._game = Game(self.puzzle.board)
        for row, col in np.argwhere(shown.cells != HIDDEN).tolist():
            self._game.open((row, col))


class KaboomGame(LiveGame):
    """A game against the adversary. No mine is hidden, so any move can be taken back. With the same seed, the same
    clicks meet the same mines.

    `guesses` are the chances by which each guess would have been survived if mines lay still, None for one that could
    not be counted.
    """

    def __init__(self, title: str, kaboom: Kaboom) -> None:
        super().__init__("kaboom", title)
        self.kaboom = kaboom
        self.guesses: list[float | None] = []
        self._last: Outcome | None = None
        self._earlier: list[tuple[View, list[float | None]]] = []

    def again(self) -> KaboomGame:
        view, kaboom = self.view, self.kaboom
        anew = Kaboom(view.rows, view.cols, view.mines, rules=kaboom.rules, seed=kaboom.seed)
        play = KaboomGame(self.title, anew)
        # Either tells what is to come in the other.
        self.is_known = play.is_known = True
        return play

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
    def granted(self) -> NDArray[np.bool_]:
        return self.kaboom.guessable

    @property
    def exploded(self) -> tuple[Cell, ...]:
        return () if self.kaboom.fatal is None else (self.kaboom.fatal.cell,)

    @property
    def layout(self) -> Board | None:
        """Once all other cells are open, the hidden ones; after a death, the layout that was drawn for it."""
        if self.status is Status.WON:
            return Board(self.view.cells == HIDDEN)
        return None if self.kaboom.fatal is None else self.kaboom.fatal.layout

    @property
    def _truth(self) -> Board | None:
        return self.layout

    def state(self, changed: Iterable[Cell] = ()) -> dict[str, Any]:
        rules, last = self.kaboom.rules, self._last
        verdict = None if last is None else {"survived": last.survived, "why": last.why, "words": WORDS[last.why]}
        self._last = None
        luck = None if None in self.guesses else prod(chance for chance in self.guesses if chance is not None)
        guesses = {"count": len(self.guesses), "luck": luck}
        return super().state(changed) | {"rules": asdict(rules), "verdict": verdict, "guesses": guesses}

    def verdicts(self) -> dict[str, tuple[Cell, ...]]:
        """What a click on each hidden cell would do: certainly safe, a certain mine, a guess granted, or refused."""
        kaboom, hidden = self.kaboom, self.view.cells == HIDDEN
        granted = hidden if self.is_untouched else kaboom.guessable
        refused = hidden & ~kaboom.safe_map & ~kaboom.mine_map & ~granted
        marks = {"safe": kaboom.safe_map, "mines": kaboom.mine_map, "granted": granted, "refused": refused}
        return {name: cells_of(mark) for name, mark in marks.items()}

    async def _open(self, cells: list[Cell], pool: WorkerPool, seconds: float) -> list[Cell]:
        return self._note(await pool.run(seconds, kaboom_clicks, self.kaboom, cells))

    async def _chord(self, cell: Cell, pool: WorkerPool, seconds: float) -> list[Cell]:
        return self._note(await pool.run(seconds, kaboom_chord, self.kaboom, cell, sorted(self.flags)))

    def _note(self, clicked: Clicked) -> list[Cell]:
        opened = [cell for outcome in clicked.outcomes for cell in outcome.opened]
        if opened:
            self._earlier.append((self.view, list(self.guesses)))
        self.kaboom = clicked.kaboom
        self.guesses += clicked.chances
        self._last = clicked.outcomes[-1] if clicked.outcomes else None
        return opened

    def _undo(self) -> None:
        if self.status is Status.LOST:
            self.kaboom.undo()
            return
        view, self.guesses = self._earlier.pop()
        self.kaboom.resume(view)
        self.counts = False


def saved(play: LiveGame) -> dict[str, Any] | None:
    """Write a game down as JSON for the database, mines included.

    None for one that there is no need to keep: watched, or without a first click.
    """
    if play.is_untouched or play.is_watched:
        return None
    told = play.state()
    kept = {name: told[name] for name in ("mode", "title", "rows", "cols", "mines", "cells", "flags", "exploded")}
    kept |= {"seconds": play.seconds, "helped": play.helped, "revealed": play.revealed, "undos": play.undos}
    kept |= {"turn": play.turn, "clicks": play.clicks, "is_known": play.is_known}
    kept["recorded_clicks"] = clicks_to_json(play.recorded_clicks) if play.counts else None
    if isinstance(play, KaboomGame):
        return kept | {"rules": asdict(play.kaboom.rules), "guesses": play.guesses, "seed": play.kaboom.seed}
    assert isinstance(play, BoardGame)
    puzzle = play.puzzle
    assert puzzle is not None
    mines = base64.b64encode(puzzle.board.to_bytes()).decode()
    return kept | {"board": mines, "first_click": list(puzzle.first_click), "share": play.given_share}


def restored(name: str, kept: dict[str, Any]) -> LiveGame:
    """Set a game up again as it stood. A lost game of Kaboom comes back before its last click, as one with help."""
    rows, cols = kept["rows"], kept["cols"]
    play: LiveGame
    if "rules" in kept:
        seed = kept.get("seed", secrets.randbits(64))  # An older file has none.
        kaboom = Kaboom(rows, cols, kept["mines"], rules=Rules(**kept["rules"]), seed=seed)
        lines = "\n".join(kept["cells"])
        kaboom.resume(View.from_text(f"{rows}x{cols}/{kept['mines']}\n{lines}\n"))
        play = KaboomGame(kept["title"], kaboom)
        play.undos = kept["undos"] + len(kept["exploded"])
        play.guesses = kept.get("guesses", [])
    else:
        board = Board.from_bytes(rows, cols, base64.b64decode(kept["board"]))
        puzzle = Puzzle(board, as_cell(kept["first_click"]))
        shown = [(row, col) for row in range(rows) for col in range(cols) if kept["cells"][row][col] != "#"]
        play = BoardGame(kept["mode"], kept["title"], puzzle, share=kept["share"])
        play.replay([*shown, *map(as_cell, kept["exploded"])])
        play.undos = kept["undos"]
    play.id = name
    play.flags = set(map(as_cell, kept["flags"]))
    play.helped = kept["helped"] or bool(play.undos)
    play.revealed = kept["revealed"]
    play.turn = kept["turn"]
    # An older file has no recorded_clicks: such a game is played to its end, and not counted.
    play.counts = kept.get("recorded_clicks") is not None
    play.recorded_clicks = list(clicks_from_json(kept.get("recorded_clicks") or []))
    play.clicks = kept.get("clicks", 0)
    play.is_known = kept.get("is_known", False)
    play.resume_clock(kept["seconds"])
    return play
