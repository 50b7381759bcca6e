"""The database, people's records and the worker processes, which all requests share.

Functions without `await` are async too: Starlette would run others in a thread for every request.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, ParamSpec, TypeVar

from minesweeper.db.people import GameStats, HumanGame
from minesweeper.db.store import Store
from minesweeper.player.board import Puzzle
from minesweeper.player.errors import DatabaseError
from minesweeper.player.workers import available_workers
from minesweeper.scripts.web import jobs, puzzles
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.settings import ApiError, Settings

LISTED_GAMES: Final = 2000
_REVIEWS_PER_REQUEST: Final = 4

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


def digest(key: str) -> str:
    """Return the player's name in the database: a hash, so that the file holds no usable cookie."""
    return hashlib.sha256(key.encode()).hexdigest()


class Server:
    """The database and two pools of processes, so that finished games do not keep other jobs waiting."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._checks = WorkerPool(max(2, available_workers()), settings.waiting)
        self._studies = WorkerPool(max(2, available_workers() // 2), settings.waiting // 4)

    async def close(self) -> None:
        """End the processes."""
        await asyncio.gather(self._checks.close(), self._studies.close())

    @property
    def keeps(self) -> bool:
        """True if there is a database."""
        return self.settings.database is not None and self.settings.database.exists()

    async def query(self, work: Callable[[Store], _T]) -> _T:
        """Run a function of the database in a thread. Raises `ApiError` without a database."""

        def run() -> _T:
            with puzzles.open_store(self.settings.database) as store:
                return work(store)

        return await asyncio.to_thread(run)

    async def check(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a job for a finished game, see `WorkerPool.run`."""
        return await self._checks.run(self.settings.job_seconds, work, *args, **kwargs)

    async def study(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run any other job, see `WorkerPool.run`."""
        return await self._studies.run(self.settings.job_seconds, work, *args, **kwargs)

    async def puzzle(self, token: str) -> Puzzle:
        """Return the puzzle of a token: ``board-...``, ``daily-DATE-PRESET`` or ``puzzle-ID``. Raises `ApiError`."""
        match token.partition("-")[0]:
            case "daily":
                return await self.check(puzzles.daily_puzzle, *puzzles.read_daily_token(token))
            case "puzzle":
                return await self.query(lambda store: puzzles.stored_puzzle(store, token.removeprefix("puzzle-")))
        return puzzles.read_board_token(token)

    async def games(self, player: str) -> list[HumanGame]:
        """Return a player's newest games without clicks, the last one first; compute some missing statistics."""
        games = await self.query(lambda store: store.human_games(player, limit=LISTED_GAMES, whole=False))
        for place in [i for i, game in enumerate(games) if game.stats is None][:_REVIEWS_PER_REQUEST]:
            stats = await self._stats(await self.game(games[place].name, player))
            if stats is not None:
                games[place] = replace(games[place], stats=stats)
                await self.query(partial(Store.set_game_stats, name=games[place].name, stats=stats))
        return games

    async def game(self, name: str, player: str) -> HumanGame:
        """Return a player's game. Raises `ApiError` if it does not exist."""
        try:
            return await self.query(lambda store: store.human_game(name, player))
        except DatabaseError as error:
            raise ApiError("There is no such game in your record.", 404) from error

    async def add_game(self, player: str, game: HumanGame) -> tuple[HumanGame, float | None]:
        """Store a game with its statistics; return it as it is stored, and the player's best time before it.

        A game whose id is stored stays as it is. Raises `ApiError` if it is another player's.
        """
        game = replace(game, stats=await self._stats(game))

        def add(store: Store) -> float | None:
            store.add_human_games([(player, game)])
            return store.best_before(player, game)

        best = await self.query(add)
        try:
            return await self.game(game.name, player), best
        except ApiError as error:
            raise ApiError("Another player has a game with this id.", 409) from error

    async def _stats(self, game: HumanGame) -> GameStats | None:
        """Return the statistics of a game, or None if the processes are too busy or the review takes too long."""
        try:
            return await self.check(jobs.stats_of, game)
        except ApiError as error:
            _log.warning("A game has no statistics yet: %s", error)
            return None
