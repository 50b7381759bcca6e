"""What the server allows: sizes, numbers of sessions and games, and how long anything may take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAX_SIDE: Final = 100
MAX_CELLS: Final = 3000
MAX_BODY: Final = 16 * 1024


@dataclass(frozen=True)
class Settings:
    """How a server runs.

    `hosts` are the names by which a browser may reach it, none meaning any. A session is forgotten after
    `session_seconds` without use; each keeps its newest `games_per_session` games. `click_seconds`, `help_seconds` and
    `study_seconds` bound the work on a click, on a hint or the like, and on a new board or an analysis. At most
    `waiting` pieces of work may queue. `players` are strategies to watch besides those that have a name: files and
    programs, which are run.
    """

    database: Path | None = None
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    sessions: int = 1000
    session_seconds: float = 2 * 3600
    games_per_session: int = 32
    click_seconds: float = 5
    help_seconds: float = 10
    study_seconds: float = 20
    waiting: int = 400
    players: tuple[str, ...] = ()
