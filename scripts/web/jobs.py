"""Jobs of the worker processes: replays and reviews of finished games, watched games, and files of strangers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, Final

from minesweeper.db.formats.positions import read_position
from minesweeper.db.formats.registry import format_recognised
from minesweeper.db.people import GameStats, HumanGame, clicks_to_json
from minesweeper.player.core.board import HIDDEN, Board, View
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.limits import memory_limit
from minesweeper.player.core.recipe import Preset
from minesweeper.player.core.results import Move
from minesweeper.player.play.games import play
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.kaboom import Kaboom, Rules
from minesweeper.player.play.recorded_games import (
    RecordedClick,
    decided_guesses,
    recording_of,
    replay_clicks,
    review_recording,
)
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.web.puzzles import read_board_token
from minesweeper.scripts.web.settings import ApiError

_MEMORY: Final = 2**29


def replay_on_board(board: Board, clicks: Sequence[RecordedClick], seconds: float) -> bool:
    """Replay a whole game and return whether it was won. Raises `BoardError`, see `replay_clicks`."""
    game = Game(board)
    replay_clicks(game, clicks, seconds)
    return game.status is Status.WON


def replay_kaboom(
    size: Preset, rules: Rules, seed: int, clicks: Sequence[RecordedClick], seconds: float
) -> tuple[Board, bool]:
    """Replay a whole game of Kaboom and return its last board and whether it was won. Raises `BoardError`."""
    game = Kaboom(size.grid, size.mines, rules=rules, seed=seed)
    replay_clicks(game, clicks, seconds)
    board = Board(game.view.cells == HIDDEN, size.grid) if game.fatal is None else game.fatal.layout
    assert board is not None
    return board, game.status is Status.WON


def stats_of(game: HumanGame) -> GameStats:
    """Review a game of the page. In Kaboom, which grants guesses, luck does not apply."""
    review = review_recording(game.recording)
    return GameStats(
        bbbv=review.measures.bbbv,
        solved_bbbv=review.solved_bbbv,
        zini=min(review.measures.greedy_zini, review.measures.human_zini),
        luck=None if game.mode == "kaboom" else review.luck,
        forced=review.count(Verdict.FORCED),
        needless=review.count(Verdict.NEEDLESS),
        stuck_seconds=round(review.stuck_seconds, 3),
    )


def moves_of(token: str, strategy: str) -> tuple[Move, ...]:
    """Play a whole game on the board of a token and return its moves."""
    with closing(load_strategy(strategy)) as player:
        return play(read_board_token(token), player, keep_moves=True).moves


def read_pasted(data: str | bytes, mines: int | None) -> View:
    """Read a position from a stranger, with limited memory. Raise `FormatError` for Parquet and SQLite files."""
    pack = format_recognised(data if isinstance(data, bytes) else data.encode(errors="replace"))
    if pack is not None and pack.in_file:
        raise FormatError(f"a file of {pack.title} is not read here; packs import reads it")
    try:
        with memory_limit(_MEMORY):
            return read_position(data, mines)
    except MemoryError as error:
        raise ApiError(f"This needs more than {_MEMORY >> 20} MiB of memory.") from error


def read_recorded(data: bytes, name: str) -> dict[str, Any]:
    """Return a recorded game of another program, for JSON."""
    game = recording_of(data, name)
    return {
        **game.board.size_to_json(),
        "mines": game.board.to_text().splitlines(),
        "recorded_clicks": clicks_to_json(game.clicks),
        "seconds": game.seconds,
        "clicks": game.click_count,
        "title": name if game.mode == "standard" else f"{name}, {game.mode}",
        **decided_guesses(game.mode),
    }
