"""What the server allows, sizes, numbers and how long anything may take, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from minesweeper.player.words import Preset, standard_presets

MAX_SIDE: Final = 100
MAX_CELLS: Final = 3000
MOST_SEED: Final = 2**53 - 1
"""JavaScript knows no greater whole number exactly."""
MAX_HEAD: Final = 16 * 1024
MAX_BODY: Final = 16 * 1024
MAX_RECORDING: Final = 384 * 1024
"""Bytes of a game that another program recorded: those of people have up to 100,000."""


def most_of_body(path: str) -> int:
    """The bytes that a request's body may have."""
    return MAX_RECORDING * 4 // 3 + MAX_BODY if path == "/api/recording" else MAX_BODY


def fits(size: Preset) -> bool:
    """Whether the page takes boards of a size."""
    return 1 <= size.rows <= MAX_SIDE and 1 <= size.cols <= MAX_SIDE and size.rows * size.cols <= MAX_CELLS


def sizes_among(presets: Mapping[str, Preset]) -> dict[str, Preset]:
    """The presets that fit the page."""
    return {name: size for name, size in presets.items() if fits(size)}


@dataclass(frozen=True)
class Settings:
    """How a server runs.

    `hosts` are the names by which a browser may reach it, none meaning any. A session is forgotten after
    `session_seconds` without use; each keeps its newest `games_per_session` games. `click_seconds`, `help_seconds` and
    `study_seconds` bound the work on a click, on a hint or the like, and on a new board or an analysis. At most
    `waiting` pieces of work may queue, half of them from one client and `pieces_per_player` from one player. At most
    `connections` are open at once; a request has `receive_seconds` to come in, its answer `send_seconds` to be taken.
    `players` are strategies to watch besides those that have a name: files and programs, which are
    run. `sizes` are the boards that the page offers by name, the first one chosen; `begins_with` is the name of the one
    that somebody has asked for.
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
    pieces_per_player: int = 8
    connections: int = 2000
    receive_seconds: float = 15
    send_seconds: float = 60
    players: tuple[str, ...] = ()
    sizes: Mapping[str, Preset] = field(default_factory=lambda: sizes_among(standard_presets()))
    begins_with: str | None = None


class Kind(Enum):
    """Why a request is refused: a word that the page can tell it by, and its HTTP status."""

    BAD_INPUT = "bad_input", 422
    NOT_FOUND = "not_found", 404
    NO_DATABASE = "no_database", 404
    NOT_NOW = "conflict", 409
    TOO_BUSY = "too_busy", 429
    BROKEN = "broken", 500
    TOO_SLOW = "too_slow", 503

    def __init__(self, code: str, status: int) -> None:
        self.code = code
        self.status = status


class Refusal(Exception):
    """A request that is answered by one sentence for people instead of what it asked for."""

    def __init__(self, kind: Kind, words: str) -> None:
        super().__init__(kind, words)
        self.kind = kind
        self.words = words

    def __str__(self) -> str:
        return self.words
