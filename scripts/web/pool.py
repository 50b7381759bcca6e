"""A bounded pool of worker processes with time limits: a process can be killed during a job, a thread cannot."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from typing import Any, Final, ParamSpec, TypeVar

import numpy as np

from minesweeper.player.limits import block_interrupts
from minesweeper.player.processes import follow_parent
from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError

_P = ParamSpec("_P")
_T = TypeVar("_T")

_TOO_BUSY: Final = "The server is busy: try again in a moment."
_QUEUE_SECONDS: Final = 20.0


class WorkerPool:
    """`size` processes, for which at most `waiting` jobs queue: first come, first served.

    Processes start on first use. Functions, arguments and results must be picklable.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(size)
        self._most_waiting = waiting
        self._waiting = 0
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()

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
        """Kill all processes, and wait until their semaphores are free."""
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*(asyncio.to_thread(worker.shutdown) for worker in self._workers))

    async def _run(self, seconds: float, job: Callable[[], _T]) -> _T:
        worker = self._idle.pop() if self._idle else _Worker()
        self._workers.add(worker)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(worker.begin(job))
        except TimeoutError as error:
            worker.kill()
            message = f"This takes more than {seconds:g} seconds and was stopped."
            raise ApiError(message, 503) from error
        except BrokenProcessPool as error:
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


class _Worker(ProcessPoolExecutor):
    """A process that runs one job at a time. It starts with the first one."""

    def __init__(self) -> None:
        # A forked process would inherit the sockets of the server.
        super().__init__(1, get_context("spawn"), _begin)
        self.is_killed = False

    def begin(self, job: Callable[[], _T]) -> Future[_T]:
        """Send a job to the process."""
        with block_interrupts():
            return self.submit(job)

    def kill(self) -> None:
        """Kill the process and its children."""
        self.is_killed = True
        executor: Any = self
        for process in list((executor._processes or {}).values()):
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)  # The process leads a group, see `_begin`.
            process.kill()


def _begin() -> None:
    """Set up the process of a worker."""
    follow_parent()
    if hasattr(os, "setsid"):
        os.setsid()
    logging.disable(logging.WARNING)  # The server logs the same warnings.
    _ = jobs, np.ndarray  # Loads NumPy now, not during the first job.
