"""Limits and settings of the server, and the errors that it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Preset, standard_presets

MAX_PAGE_SIDE: Final = 100
MAX_PAGE_CELLS: Final = MAX_PAGE_SIDE**2
MAX_TOKEN: Final = 4000
"""The token of a board has two bits for each cell: its mines and its holes."""
MAX_PAGE_SEED: Final = 2**53 - 1
"""The largest integer that JavaScript represents exactly."""
MAX_BODY: Final = 16 * 1024
MAX_RECORDING: Final = 384 * 1024
"""Bytes of a recorded game of another program; recordings of people have up to 100,000."""
_BODIES: Final = {"/api/record": 512 * 1024, "/api/recording": MAX_RECORDING * 4 // 3 + MAX_BODY}


def max_body(path: str) -> int:
    """Return the largest request body, in bytes, that a path accepts."""
    return _BODIES.get(path, MAX_BODY)


def fits(grid: Grid) -> bool:
    """Return whether the page accepts boards of a grid."""
    return max(grid.shape) <= MAX_PAGE_SIDE


def sizes_among(presets: Mapping[str, Preset]) -> dict[str, Preset]:
    """Return the presets that fit the page."""
    return {name: size for name, size in presets.items() if fits(size.grid)}


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    :param database: file with puzzles, results and people's games.
    :param hosts: names by which a browser may reach the server; empty for any name.
    :param job_seconds: time limit of a job of the worker processes.
    :param waiting: most queued jobs.
    :param players: strategies to watch besides the built-in ones: files and programs, which the server runs.
    :param sizes: the sizes that the page offers by name; the first one is the default.
    :param begins_with: the name of the size that the command line asked for.
    """

    database: Path | None = None
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    job_seconds: float = 20
    waiting: int = 400
    players: tuple[str, ...] = ()
    sizes: Mapping[str, Preset] = field(default_factory=lambda: sizes_among(standard_presets()))
    begins_with: str | None = None


CODES: Final = {
    404: "not_found",
    409: "conflict",
    429: "too_busy",
    500: "broken",
    501: "no_database",
    503: "too_slow",
}
"""The codes of errors in JSON, by HTTP status; other errors are `bad_input`, too."""


class ApiError(Exception):
    """An error response: one sentence for the player, and its HTTP status."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status
