"""Who plays what: sessions in memory, bounded in number and size, forgotten when nobody uses them."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from minesweeper.player.game import Status
from minesweeper.scripts.web.errors import Kind, Refusal
from minesweeper.scripts.web.plays import Play
from minesweeper.scripts.web.settings import Settings

_IDLE_SECONDS = 600
"""When the server is full, sessions not used for so long make room."""


@dataclass
class Session:
    """One browser's games, newest last."""

    key: str
    used: float
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
            self._sessions.move_to_end(session.key)
        return session

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def begin(self, key: str | None = None) -> Session:
        """Start a session, anew or with a known key. Raises `Refusal` if there are too many in use."""
        if len(self._sessions) >= self._settings.sessions:
            self._expire(_IDLE_SECONDS, all_of_them=False)
        if len(self._sessions) >= self._settings.sessions:
            raise Refusal(Kind.TOO_BUSY, "Too many people are playing here: try again later.")
        session = Session(key or secrets.token_urlsafe(24), self._clock())
        self._sessions[session.key] = session
        return session

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
