"""Jobs of the worker processes: clicks in Kaboom, watched games, files of strangers and reviews."""

from __future__ import annotations

from contextlib import closing
from math import isnan
from typing import Any, Final

from minesweeper.db.formats.positions import read_position
from minesweeper.db.formats.registry import format_recognised
from minesweeper.db.people import GameStats, HumanGame
from minesweeper.player.board import HIDDEN, Cell, Puzzle, View
from minesweeper.player.errors import FormatError
from minesweeper.player.game import Status
from minesweeper.player.kaboom.game import Kaboom, Outcome, Why
from minesweeper.player.limits import memory_limit
from minesweeper.player.logic import closure
from minesweeper.player.play.games import play
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.recorded_games import recording_of, review_recording
from minesweeper.player.results import Move
from minesweeper.player.strategies.loading import load_strategy
from minesweeper.scripts.web.settings import ApiError, ErrorKind

_MEMORY: Final = 2**29


def kaboom_clicks(kaboom: Kaboom, cells: list[Cell]) -> tuple[Kaboom, list[Outcome], list[float | None]]:
    """Click cells in order until the game ends, except cells that an earlier click opened.

    Return the game, the outcome of each click, and the chance of each forced guess: the probability that it survives on
    a fixed board, None if the layouts cannot be counted.
    """
    outcomes: list[Outcome] = []
    survival: list[float | None] = []
    for cell in cells:
        if kaboom.status is Status.PLAYING and kaboom.view.cells[cell] == HIDDEN:
            before = kaboom.view
            outcomes.append(kaboom.click(cell))
            if outcomes[-1].why is Why.FORCED_GUESS:
                chances = closure(before, chances=True).chances
                survived = None if chances is None else 1 - float(chances[cell])
                survival.append(None if survived is None or isnan(survived) else survived)
    return kaboom, outcomes, survival


def moves_of(puzzle: Puzzle, strategy: str) -> tuple[Move, ...]:
    """Play a whole game and return its moves."""
    with closing(load_strategy(strategy)) as player:
        return play(puzzle, player, keep_moves=True).moves


def read_pasted(data: str | bytes, mines: int | None) -> View:
    """Read a position from a stranger, with limited memory. Raise `FormatError` for Parquet and SQLite files."""
    pack = format_recognised(data if isinstance(data, bytes) else data.encode(errors="replace"))
    if pack is not None and pack.in_file:
        raise FormatError(f"a file of {pack.title} is not read here; packs import reads it")
    try:
        with memory_limit(_MEMORY):
            return read_position(data, mines)
    except MemoryError as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"This needs more than {_MEMORY >> 20} MiB of memory.") from error


def review_recorded(data: bytes, name: str) -> dict[str, Any]:
    """Review a recorded game of another program."""
    return review_recording(recording_of(data, name)).to_json() | {"title": name}


def review_game(game: HumanGame) -> tuple[GameStats, dict[str, Any]]:
    """Review a game of the page, and return its statistics too."""
    review = review_recording(game.recording)
    found = review.to_json() | {"title": game.title, "id": game.name}
    if game.mode == "kaboom":
        # An adversary grants guesses, so probabilities do not apply.
        found |= {"luck": None, "few_clicks": None}
        for judgement in found["judgements"]:
            judgement["guess"] = None
    stats = GameStats(
        **{name: found[name] for name in ("bbbv", "solved_bbbv", "zini", "luck")},
        forced=review.count(Verdict.FORCED),
        needless=review.count(Verdict.NEEDLESS),
        stuck_seconds=round(review.stuck_seconds, 3),
    )
    return stats, found
