"""The database, people's records and the worker processes, which all requests share.

Functions without `await` are async too: Starlette would run others in a thread for every request.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Final, ParamSpec, TypeVar

import numpy as np

from minesweeper.db.people import GameStats, HumanGame
from minesweeper.db.store import Store
from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import DatabaseError, WorkerDied
from minesweeper.player.parallel.processes import Worker
from minesweeper.player.parallel.workers import available_workers
from minesweeper.scripts.web import jobs, puzzles
from minesweeper.scripts.web.settings import ApiError, Settings

LISTED_GAMES: Final = 2000
_REVIEWS_PER_REQUEST: Final = 4
_TOO_BUSY: Final = "The server is busy: try again in a moment."
_QUEUE_SECONDS: Final = 20.0
_SAFE_PATH: Final = "PYTHONSAFEPATH"

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


def digest(key: str) -> str:
    """Return the player's name in the database: a hash, so that the file holds no usable cookie."""
    return hashlib.sha256(key.encode()).hexdigest()


class WorkerPool:
    """A bounded pool of `size` processes with time limits: a process can be killed during a job, a thread cannot.

    At most `waiting` jobs queue: first come, first served. Processes start on first use. Functions, arguments and
    results must be picklable.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(size)
        self._most_waiting = waiting
        self._waiting = 0
        self._idle: list[_Process] = []
        self._workers: set[_Process] = set()
        self._threads = ThreadPoolExecutor(size)

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a function in a process for at most `seconds`. Raises `ApiError`, and the exceptions of the function."""
        if self._waiting >= self._most_waiting:
            raise ApiError(_TOO_BUSY, 429)
        self._waiting += 1
        try:
            async with asyncio.timeout(_QUEUE_SECONDS):
                await self._free.acquire()
        except TimeoutError as error:
            raise ApiError(_TOO_BUSY, 429) from error
        finally:
            self._waiting -= 1
        try:
            return await self._run(seconds, partial(work, *args, **kwargs))
        finally:
            self._free.release()

    async def close(self) -> None:
        """Kill all processes, and wait for the threads that serve them."""
        for worker in self._workers:
            worker.kill()
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, seconds: float, job: Callable[[], _T]) -> _T:
        worker = self._idle_worker() or _Process()
        self._workers.add(worker)
        answer: Future[_T] = self._threads.submit(worker.ask, job)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(answer)
        except TimeoutError as error:
            worker.kill()
            message = f"This takes more than {seconds:g} seconds and was stopped."
            raise ApiError(message, 503) from error
        except WorkerDied as error:
            _log.warning("A job was lost: %s.", error)
            worker.kill()
            raise ApiError("The worker process ended before the job was done.", 500) from error
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            if worker.is_killed:
                self._workers.discard(worker)
            else:
                self._idle.append(worker)

    def _idle_worker(self) -> _Process | None:
        """Take an idle process that still lives: the system can end one when memory runs out."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.is_alive():
                return worker
            self._workers.discard(worker)
        return None


class _Process(Worker):
    """A process that runs one job at a time."""

    def __init__(self) -> None:
        os.environ[_SAFE_PATH] = "1"  # The process imports no module from the working directory.
        try:
            # A forked process would inherit the sockets of the server.
            super().__init__(get_context("spawn"), _call, prepare=_prepare)
        finally:
            del os.environ[_SAFE_PATH]
        self.is_killed = False

    def kill(self) -> None:
        self.is_killed = True
        super().kill()


def _call(job: Callable[[], Any]) -> Any:
    return job()


def _prepare() -> None:
    """Set up the process of a worker."""
    del os.environ[_SAFE_PATH]  # Strategies that are programs may need their folder.
    logging.disable(logging.WARNING)  # The server logs the same warnings.
    _ = jobs, np.ndarray  # Loads NumPy now, not during the first job.


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
        return await self.check(puzzles.read_board_token, token)

    async def games(self, player: str) -> list[HumanGame]:
        """Return a player's newest games without clicks, the last one first; compute some missing statistics."""
        games = await self.query(lambda store: store.people.games(player, limit=LISTED_GAMES, whole=False))
        for place in [i for i, game in enumerate(games) if game.stats is None][:_REVIEWS_PER_REQUEST]:
            stats = await self._stats(await self.game(games[place].name, player))
            if stats is not None:
                games[place] = replace(games[place], stats=stats)
                await self.query(partial(_set_stats, games[place].name, stats))
        return games

    async def game(self, name: str, player: str) -> HumanGame:
        """Return a player's game. Raises `ApiError` if it does not exist."""
        try:
            return await self.query(lambda store: store.people.game(name, player))
        except DatabaseError as error:
            raise ApiError("There is no such game in your record.", 404) from error

    async def add_game(self, player: str, game: HumanGame) -> tuple[HumanGame, float | None]:
        """Store a game with its statistics; return it as it is stored, and the player's best time before it.

        A game whose id is stored stays as it is. Raises `ApiError` if it is another player's.
        """
        game = replace(game, stats=await self._stats(game))

        def add(store: Store) -> float | None:
            store.people.add([(player, game)])
            return store.people.best_before(player, game)

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


def _set_stats(name: str, stats: GameStats, store: Store) -> None:
    store.people.set_stats(name, stats)
