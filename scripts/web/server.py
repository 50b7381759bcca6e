"""State that all requests share: sessions, the database and the worker processes.

Functions without `await` are async too: Starlette would run others in a thread for every request.
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
from typing import Any, Final, ParamSpec, TypeVar

from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.db.store import Store
from minesweeper.player.errors import DatabaseError
from minesweeper.player.game import Status
from minesweeper.player.workers import available_workers
from minesweeper.scripts.web.boards import open_store
from minesweeper.scripts.web.jobs import review_game
from minesweeper.scripts.web.live_games import LiveGame, restored, saved
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.settings import ApiError, ErrorKind, Settings

COOKIE: Final = "sweep_session"

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)

SECONDS_BETWEEN_SAVES: Final = 5

_IDLE_SECONDS: Final = 600
"""A full server drops sessions that are unused for this long."""


@dataclass
class Session:
    """The games of one browser, newest last."""

    key: str
    used: float
    client: str = ""
    came_back: bool = False
    games: OrderedDict[str, LiveGame] = field(default_factory=OrderedDict)

    @property
    def player(self) -> str:
        """The player's name in the database."""
        return digest(self.key)


class Sessions:
    """All sessions, least recently used first."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def find(self, key: str | None) -> Session | None:
        """Return the session of a key, None if it has expired."""
        while self._drop_oldest(self._settings.session_seconds):
            pass
        session = self._sessions.get(key or "")
        if session is not None:
            session.used = self._clock()
            session.came_back = True
            self._sessions.move_to_end(session.key)
        return session

    def begin(self, key: str | None = None, client: str = "") -> Session:
        """Start a session, with a new key unless one is given. Raises `ApiError` if the server is full."""
        if len(self._sessions) >= self._settings.sessions and not self._drop_oldest(_IDLE_SECONDS):
            self._evict(client)
        session = Session(key or secrets.token_urlsafe(24), self._clock(), client)
        self._sessions[session.key] = session
        return session

    def _evict(self, client: str) -> None:
        """Drop a session of the client that has most, if possible one without a second request. Raises `ApiError`."""
        counts = Counter(session.client for session in self)
        largest, most = counts.most_common(1)[0]
        if most > 1:
            candidates = [session for session in self if session.client == largest]
            # Evict only if it makes the distribution fairer; never evict an active player for an equal client.
            last = candidates[0] if most > counts[client] + 1 else None
            evicted = next((session for session in candidates if not session.came_back), last)
            if evicted is not None:
                del self._sessions[evicted.key]
                return
        raise ApiError(ErrorKind.TOO_BUSY, "Too many people are playing here: try again later.")

    def add(self, session: Session, game: LiveGame) -> None:
        """Add a game to a session. A full session drops its oldest finished or untouched game, else its oldest one."""
        while len(session.games) >= self._settings.games_per_session:
            idle = (name for name, one in session.games.items() if one.status is not Status.PLAYING or not one.turn)
            del session.games[next(idle, next(iter(session.games)))]
        session.games[game.id] = game

    def _drop_oldest(self, seconds: float) -> bool:
        """Drop the least recently used session if it has been unused for longer than `seconds`."""
        oldest = next(iter(self._sessions.values()), None)
        if oldest is None or self._clock() - oldest.used <= seconds:
            return False
        del self._sessions[oldest.key]
        return True


def digest(key: str) -> str:
    """Return the player's name in the database: a hash, so that the file holds no usable session key."""
    return hashlib.sha256(key.encode()).hexdigest()


def _public(game: HumanGame, live: LiveGame | None) -> HumanGame:
    """Return a game as its player may see it: while it can continue, hide that its board was met before."""
    if game.unranked is Unranked.REPEAT and live is not None and not live.is_over:
        return replace(game, unranked=Unranked.NO)
    return game


class Server:
    """Sessions and two pools of processes, so that no click waits for the search for a board or a review."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self._clicks = WorkerPool(max(2, available_workers()), settings.waiting)
        self._studies = WorkerPool(max(2, available_workers() // 2), settings.waiting // 4)
        self._tasks: list[asyncio.Task[None]] = []
        self._saved: dict[str, tuple[int, ...]] = {}

    def start(self) -> None:
        """Start the processes for clicks in the background."""
        self._tasks.append(asyncio.create_task(self._clicks.start()))

    def save_regularly(self) -> None:
        """Start saving the games in the background."""

        async def save_forever() -> None:
            while True:
                await asyncio.sleep(SECONDS_BETWEEN_SAVES)
                await self.save()

        self._tasks.append(asyncio.create_task(save_forever()))

    async def query(self, work: Callable[[Store], _T]) -> _T:
        """Run a function of the database in a thread. Raises `ApiError` without a database."""

        def run() -> _T:
            with open_store(self.settings.database) as store:
                return work(store)

        return await asyncio.to_thread(run)

    async def save(self) -> None:
        """Write the games that changed since the last call, if there is a database."""
        if self.settings.database is None:
            return
        before, self._saved = self._saved, {}
        changed, ended, written = [], [], []
        for session in self.sessions:
            for game in session.games.values():
                self._saved[game.id] = game.progress
                if before.get(game.id) != game.progress and (state := saved(game)) is not None:
                    changed.append((game.id, session.player, state))
                if game.ended is not None and not game.is_stored:
                    ended.append((session.player, game.ended))
                    written.append(game)
        if not changed and not ended:
            return

        def write(store: Store) -> None:
            store.add_human_games(ended)
            store.save_running_games(changed)

        try:
            await self.query(write)
        except (DatabaseError, ApiError) as error:
            _log.warning("Games are not saved: %s.", error)
            return
        for game in written:
            game.is_stored = True

    async def session(self, key: str | None, client: str = "") -> Session | None:
        """Return the session of a key, from memory or with the games in the database; None for an unknown key."""
        session = self.sessions.find(key)
        if session is not None or key is None or self.settings.database is None:
            return session
        player = digest(key)

        def load(store: Store) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
            games = store.running_games(player, self.settings.games_per_session)
            return games, bool(games) or bool(store.human_games(player, limit=1))

        games, is_known = await self.query(load)
        if not is_known:
            return None
        # A concurrent request of this player may have restored the session.
        session = self.sessions.find(key) or self.sessions.begin(key, client)
        for name, state in games:
            if name not in session.games:
                self.sessions.add(session, restored(name, state))
        return session

    async def record(self, session: Session, *, whole: bool = False) -> list[HumanGame]:
        """Return a player's finished games, newest first; without clicks unless `whole`. Raises `ApiError`."""
        await self.save()
        games = await self.query(lambda store: store.human_games(session.player, whole=whole))
        return [_public(game, session.games.get(game.name)) for game in games]

    async def compare(self, session: Session, game: HumanGame) -> tuple[Unranked, float | None]:
        """Return the kind of help in a game, and the player's best time before it, None for a first win.

        The cost does not grow with the record.
        """
        if self.settings.database is None:
            return game.unranked, None
        await self.save()
        unranked, best = await self.query(lambda store: store.compare_human_game(session.player, game))
        return _public(replace(game, unranked=unranked), session.games.get(game.name)).unranked, best

    async def with_stats(self, session: Session, name: str) -> HumanGame:
        """Return a game of the record with its statistics."""
        game = await self.query(lambda store: store.human_game(name, session.player))
        stats, _ = await self.review(game)
        return replace(game, stats=stats)

    async def forget(self, session: Session) -> None:
        """Delete a player's record. Unfinished games continue, but no longer count."""
        await self.save()
        session.games = OrderedDict((name, game) for name, game in session.games.items() if not game.is_over)
        for game in session.games.values():
            game.counts, game.ended, game.is_stored = False, None, False
        unfinished = list(session.games)
        await self.query(lambda store: store.delete_player(session.player, unfinished))

    async def ended_game(self, session: Session, name: str) -> HumanGame:
        """Return a player's game whose mines may be shown. Raises `ApiError`.

        A lost game must be given up first, because it can continue after an undo. A stored game that is not in memory
        can no longer continue.
        """
        live = session.games.get(name)
        if live is not None and not live.is_over:
            raise ApiError(ErrorKind.NOT_NOW, "This game can still go on: finish it or give it up to review it.")
        if live is not None and live.ended is not None:
            return live.ended

        def take(store: Store) -> HumanGame:
            game = store.human_game(name, session.player)
            store.delete_running_game(name, session.player)
            return game

        try:
            return await self.query(take)
        except (DatabaseError, ApiError) as error:
            raise ApiError(ErrorKind.NOT_FOUND, "There is no such game in your record.") from error

    async def review(self, game: HumanGame) -> tuple[GameStats, dict[str, Any]]:
        """Review every click of a game, and store its statistics."""
        stats, review = await self.study(review_game, game)
        if self.settings.database is not None and game.stats is None:
            await self.save()
            try:
                await self.query(lambda store: store.set_game_stats(game.name, stats))
            except DatabaseError as error:
                _log.warning("GameStats are not saved: %s.", error)
        return stats, review

    async def click(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a click, or a search that takes milliseconds, see `WorkerPool.run`."""
        return await self._clicks.run(self.settings.click_seconds, work, *args, **kwargs)

    async def study(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run the search for a board, a review or a reader of files, see `WorkerPool.run`."""
        return await self._studies.run(self.settings.study_seconds, work, *args, **kwargs)

    async def close(self) -> None:
        """Save the games and end the processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.save()
        await asyncio.gather(self._clicks.close(), self._studies.close())
