"""What the requests of one server share: who plays what, and the processes that work.

The functions are async although nothing waits in them: others would be sent to a thread each time.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from minesweeper.db.file import DatabaseError
from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.db.store import Store
from minesweeper.player.game import Status
from minesweeper.player.workers import available_workers
from minesweeper.scripts.web.assistance import review_game
from minesweeper.scripts.web.plays import Play, restored, saved
from minesweeper.scripts.web.pool import Pool
from minesweeper.scripts.web.settings import Kind, Refusal, Settings

COOKIE: Final = "sweep_session"

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)

SECONDS_BETWEEN_SAVES: Final = 5

_IDLE_SECONDS = 600
"""When the server is full, sessions not used for so long make room."""


@dataclass
class Session:
    """One browser's games, newest last."""

    key: str
    used: float
    client: str = ""
    came_back: bool = False
    games: OrderedDict[str, Play] = field(default_factory=OrderedDict)

    def game(self, game_id: str) -> Play:
        """Return a game. Raises `Refusal`."""
        play = self.games.get(game_id)
        if play is None:
            raise Refusal(Kind.NOT_FOUND, "This game is gone: start a new one.")
        return play


class Sessions:
    """All sessions, least recently used first."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def find(self, key: str | None) -> Session | None:
        """Return the session of a key, if it is still there."""
        self._expire(self._settings.session_seconds, all_of_them=True)
        session = self._sessions.get(key or "")
        if session is not None:
            session.used = self._clock()
            session.came_back = True
            self._sessions.move_to_end(session.key)
        return session

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def begin(self, key: str | None = None, client: str = "") -> Session:
        """Start a session, anew or with a known key. Raises `Refusal` if there are too many in use."""
        if len(self._sessions) >= self._settings.sessions:
            self._expire(_IDLE_SECONDS, all_of_them=False)
        if len(self._sessions) >= self._settings.sessions:
            self._make_room(client)
        session = Session(key or secrets.token_urlsafe(24), self._clock(), client)
        self._sessions[session.key] = session
        return session

    def _make_room(self, client: str) -> None:
        """Let whoever has most sessions lose one, best one whose player never came back. Raises `Refusal`."""
        held = Counter(session.client for session in self._sessions.values())
        biggest, most = held.most_common(1)[0]
        if most > 1:
            of_biggest = [session for session in self._sessions.values() if session.client == biggest]
            # Nobody who plays has to go for a neighbour, nor if nothing is shared more evenly then.
            last = of_biggest[0] if most > held[client] + 1 else None
            gone = next((session for session in of_biggest if not session.came_back), last)
            if gone is not None:
                del self._sessions[gone.key]
                return
        raise Refusal(Kind.TOO_BUSY, "Too many people are playing here: try again later.")

    def add(self, session: Session, play: Play) -> None:
        """Put a game into a session; the oldest may have to go, if possible one that is over or has not begun."""
        while len(session.games) >= self._settings.games_per_session:
            idle = (name for name, one in session.games.items() if one.status is not Status.PLAYING or not one.turn)
            del session.games[next(idle, next(iter(session.games)))]
        session.games[play.id] = play

    def _expire(self, seconds: float, *, all_of_them: bool) -> None:
        while self._sessions:
            oldest = next(iter(self._sessions.values()))
            if self._clock() - oldest.used <= seconds:
                return
            del self._sessions[oldest.key]
            if not all_of_them:
                return


def digest(key: str) -> str:
    """Name a player in the database: whoever reads the file cannot play as them."""
    return hashlib.sha256(key.encode()).hexdigest()


def _save(database: Path, plays: list[tuple[str, str, dict[str, Any]]], ended: list[tuple[str, HumanGame]]) -> None:
    with Store(database, create=False) as store:
        store.add_human_games(ended)
        store.save_running_games(plays)


def _load(database: Path, player: str, most: int) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
    """Return a player's games that may go on, and whether the player is known."""
    with Store(database, create=False) as store:
        kept = store.running_games(player, most)
        return kept, bool(kept) or bool(store.human_games(player, limit=1))


def _forget(database: Path, player: str, keep: list[str]) -> None:
    with Store(database, create=False) as store:
        store.delete_player(player, keep)


def _played(database: Path, player: str, whole: bool) -> list[HumanGame]:
    with Store(database, create=False) as store:
        return store.human_games(player, whole=whole)


def _played_by(database: Path, player: str, name: str) -> HumanGame:
    with Store(database, create=False) as store:
        return store.human_game(name, player)


def _played_game(database: Path, player: str, name: str) -> HumanGame | None:
    """Return a player's game, which can't be gone on with from now on."""
    with Store(database, create=False) as store:
        try:
            game = store.human_game(name, player)
        except DatabaseError:
            return None
        store.delete_running_game(name, player)
        return game


def _compared(database: Path, player: str, game: HumanGame) -> tuple[Unranked, float | None]:
    with Store(database, create=False) as store:
        return store.compare_human_game(player, game)


def _set_figures(database: Path, name: str, figures: GameStats) -> None:
    with Store(database, create=False) as store:
        store.set_game_stats(name, figures)


def _as_told(game: HumanGame, play: Play | None) -> HumanGame:
    """A game as its player may see it: as long as it could go on, not that its board is one that was met before."""
    if game.unranked is Unranked.REPEAT and play is not None and not play.is_over:
        return replace(game, unranked=Unranked.NO)
    return game


class Server:
    """Sessions and two pools of processes: `quick` for clicks and help, `slow` for all that need not be instant."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self.quick = Pool(max(2, available_workers()), settings.waiting)
        self.slow = Pool(max(1, available_workers() // 2), settings.waiting // 4)

        self._starting: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._saved: dict[str, tuple[int, ...]] = {}

    def start(self) -> None:
        """Begin to start the quick processes, so that whoever plays first need not wait for them."""
        self._starting = asyncio.create_task(self.quick.start())

    def keep(self) -> None:
        """Begin to save the games now and then."""
        self._saving = asyncio.create_task(self._save_for_ever())

    async def _save_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_SAVES)
            await self.save()

    async def save(self) -> None:
        """Write the games that have gone on since the last time into the database, if there is one."""
        database = self.settings.database
        if database is None:
            return
        before, self._saved = self._saved, {}
        changed, ended, written = [], [], []
        for session in self.sessions:
            for play in session.games.values():
                self._saved[play.id] = play.progress
                if before.get(play.id) != play.progress and (state := saved(play)) is not None:
                    changed.append((play.id, digest(session.key), state))
                if play.ended is not None and not play.is_stored:
                    ended.append((digest(session.key), play.ended))
                    written.append(play)
        if not changed and not ended:
            return
        try:
            await asyncio.to_thread(_save, database, changed, ended)
        except DatabaseError as error:
            _log.warning("Games are not kept: %s.", error)
            return
        for play in written:
            play.is_stored = True

    async def session(self, key: str | None, client: str = "") -> Session | None:
        """Return a key's session; one that this server has forgotten, or never met, with the games that are kept."""
        known = self.sessions.find(key)
        if known is not None or key is None or self.settings.database is None:
            return known
        most = self.settings.games_per_session
        kept, is_known = await asyncio.to_thread(_load, self.settings.database, digest(key), most)
        if not is_known:
            return None
        # Another request of this player may have brought it back meanwhile.
        session = self.sessions.find(key) or self.sessions.begin(key, client)
        for name, state in kept:
            if name not in session.games:
                self.sessions.add(session, restored(name, state))
        return session

    async def record(self, session: Session, *, whole: bool = False) -> list[HumanGame]:
        """Return all games of a player that have ended, the last one first; without their clicks unless `whole`.

        Raises `Refusal` without a database.
        """
        database = self._database()
        await self.save()
        games = await asyncio.to_thread(_played, database, digest(session.key), whole)
        return [_as_told(game, session.games.get(game.name)) for game in games]

    async def compare(self, session: Session, game: HumanGame) -> tuple[Unranked, float | None]:
        """Tell what a player's game counts as, and their best time of its kind before, if there is one.

        Not by way of the whole record: what a finished game costs must not grow with it.
        """
        if self.settings.database is None:
            return game.unranked, None
        await self.save()
        unranked, best = await asyncio.to_thread(_compared, self.settings.database, digest(session.key), game)
        return _as_told(replace(game, unranked=unranked), session.games.get(game.name)).unranked, best

    async def judged(self, session: Session, name: str) -> HumanGame:
        """Work out the figures of a game of the record."""
        game = await asyncio.to_thread(_played_by, self._database(), digest(session.key), name)
        found, _ = await self.judge(game)
        return replace(game, stats=found)

    async def forget(self, session: Session) -> None:
        """Forget what a player has played; a game that goes on goes on, outside of the record."""
        database = self._database()
        await self.save()
        session.games = OrderedDict((name, play) for name, play in session.games.items() if not play.is_over)
        for play in session.games.values():
            play.counts, play.ended, play.is_stored = False, None, False
        await asyncio.to_thread(_forget, database, digest(session.key), list(session.games))

    def _database(self) -> Path:
        if self.settings.database is None:
            raise Refusal(Kind.NO_DATABASE, "This server keeps no records: start it with --db FILE.")
        return self.settings.database

    async def ended_game(self, session: Session, name: str) -> HumanGame:
        """Return a player's game of which all may be told, mines included. Raises `Refusal`.

        A lost game has to be given up first: it could be gone on with. One that the server has forgotten can't be gone
        on with from now on.
        """
        play = session.games.get(name)
        if play is not None and not play.is_over:
            raise Refusal(Kind.NOT_NOW, "This game can still go on: finish it or give it up to see all of it.")
        if play is not None and play.ended is not None:
            return play.ended
        database = self.settings.database
        game = None if database is None else await asyncio.to_thread(_played_game, database, digest(session.key), name)
        if game is None:
            raise Refusal(Kind.NOT_FOUND, "There is no such game in your record.")
        return game

    async def judge(self, game: HumanGame) -> tuple[GameStats, dict[str, Any]]:
        """Judge every click of a game, and keep what it comes to."""
        figures, review = await self.study(review_game, game)
        if self.settings.database is not None and game.stats is None:
            await self.save()
            try:
                await asyncio.to_thread(_set_figures, self.settings.database, game.name, figures)
            except DatabaseError as error:
                _log.warning("Figures are not kept: %s.", error)
        return figures, review

    async def help(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do the work of a hint or the like, as `Pool.run` does."""
        return await self.quick.run(self.settings.help_seconds, work, *args, **kwargs)

    async def study(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Find a board or analyse a position, as `Pool.run` does."""
        return await self.slow.run(self.settings.study_seconds, work, *args, **kwargs)

    async def close(self) -> None:
        """Save the games, and end the processes."""
        if self._saving is not None:
            self._saving.cancel()
            await asyncio.wait([self._saving])
        await self.save()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        await asyncio.gather(self.quick.close(), self.slow.close())
