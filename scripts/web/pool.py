"""A pool of worker processes with time limits: a process can be killed in the middle of a job, a thread cannot."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from minesweeper.scripts.web.settings import ApiError, ErrorKind, Settings
from minesweeper.scripts.web.worker import LENGTH

_P = ParamSpec("_P")
_T = TypeVar("_T")

SHORT_SECONDS: Final = 1.0
"""Jobs that exceed this move to the slow queue."""

TOO_BUSY: Final = "The server is busy: try again in a moment."

_CLIENT_SHARE: Final = 8
"""This many jobs of one client weigh as much as one job of a player: many players may share an address."""

_QUEUE_SECONDS: Final = 20.0
_NICENESS: Final = 10


class Requester(NamedTuple):
    """The owner of a job: a network client, and the key of a session if there is one."""

    client: str
    player: str | None = None


current_requester: ContextVar[Requester | None] = ContextVar("current_requester", default=None)
"""The owner of the jobs that the current task starts."""


class _SlotQueue:
    """A number of slots for running jobs, and a priority queue for the others: lower ranks run first."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._queue: list[tuple[int, asyncio.Future[None]]] = []  # in order of arrival

    def __len__(self) -> int:
        return len(self._queue)

    async def acquire(self, rank: int) -> None:
        """Wait for a slot. Raises `ApiError` after `_QUEUE_SECONDS`."""
        if self.try_acquire():
            return
        waiting = rank, asyncio.get_running_loop().create_future()
        self._queue.append(waiting)
        try:
            async with asyncio.timeout(_QUEUE_SECONDS):
                await waiting[1]
        except BaseException as error:
            if waiting in self._queue:
                self._queue.remove(waiting)
            else:
                self.release()  # The slot was assigned just before the cancellation.
            if isinstance(error, TimeoutError):
                raise ApiError(ErrorKind.TOO_BUSY, TOO_BUSY) from error
            raise

    def try_acquire(self) -> bool:
        """Take a slot if one is free."""
        if not self._free:
            return False
        self._free -= 1
        return True

    def release(self) -> None:
        """Give the slot to the next queued job."""
        waiting = [one for one in self._queue if not one[1].done()]  # A cancelled job is still in the queue.
        if not waiting:
            self._free += 1
            return
        chosen = min(waiting, key=lambda one: one[0])
        self._queue.remove(chosen)
        chosen[1].set_result(None)


@dataclass
class _Running:
    """A running job and the queue whose slot it holds; `is_stopped` if it must restart in the slow queue."""

    queue: _SlotQueue
    is_stopped: bool = False


class WorkerPool:
    """`size` processes for short jobs and as many for slow ones; at most `waiting` jobs queue.

    Every job starts as a short one. A job that exceeds `short_seconds` continues in a slow slot at low priority. If no
    slow slot is free, it is stopped and restarts when one is. Short jobs therefore never wait for slow ones. Jobs of
    players with fewer unfinished jobs run first. Processes start on first use. Functions, arguments and results must be
    picklable, and a job must be safe to run twice.
    """

    def __init__(self, size: int, waiting: int, short_seconds: float = SHORT_SECONDS) -> None:
        self._size = size
        self._max_waiting = waiting
        self._short_seconds = short_seconds
        self._short, self._slow = _SlotQueue(size), _SlotQueue(size)
        self._jobs: Counter[str] = Counter()
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()

    async def start(self) -> None:
        """Start all processes before the first request needs them."""
        await asyncio.gather(*(self.run(1, abs, 0) for _ in range(self._size)))

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a function in a process for at most `seconds`. Raises `ApiError`, and the exceptions of the function."""
        owners = [name for name in current_requester.get() or () if name is not None]
        rank = self._rank(*owners)
        job = pickle.dumps((work, args, kwargs))
        self._jobs.update(owners)
        try:
            succeeded, result = await self._run(job, rank, seconds)
        finally:
            self._jobs -= Counter(owners)
        if not succeeded:
            raise result
        return result  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Kill all processes."""
        await asyncio.gather(*(self._end(worker) for worker in list(self._workers)))

    def _rank(self, client: str = "", player: str = "") -> int:
        """Return the rank of the next job of a player. Raises `ApiError` if there are too many already."""
        if len(self._short) + len(self._slow) >= self._max_waiting:
            raise ApiError(ErrorKind.TOO_BUSY, TOO_BUSY)
        of_client, of_player = self._jobs[client], self._jobs[player]
        if of_player >= Settings.jobs_per_player or of_client >= self._size + max(self._max_waiting // 2, 1):
            raise ApiError(ErrorKind.TOO_BUSY, "Too many requests at once: wait for an answer, then try again.")
        return of_player + of_client // _CLIENT_SHARE

    async def _run(self, job: bytes, rank: int, seconds: float) -> tuple[bool, Any]:
        """Run a job in a short slot and, if it was stopped there, in a slow one."""
        queue = self._short
        while True:
            await queue.acquire(rank)
            running = _Running(queue)
            try:
                result = await self._run_in_worker(job, seconds, running)
            finally:
                running.queue.release()
            if not running.is_stopped:
                return result
            queue = self._slow

    async def _run_in_worker(self, job: bytes, seconds: float, running: _Running) -> tuple[bool, Any]:
        worker = self._idle.pop() if self._idle else await self._new_worker()
        finished, timer = False, None
        try:
            await worker.wait_until_ready()
            if running.queue is self._short:
                timer = asyncio.get_running_loop().call_later(self._short_seconds, self._move_to_slow, running, worker)
            else:
                worker.lower_priority()
            async with asyncio.timeout(seconds):
                result = await worker.run(job)
            finished = True
        except TimeoutError:
            return False, ApiError(ErrorKind.TOO_SLOW, f"This takes more than {seconds:g} seconds and was stopped.")
        except (EOFError, OSError):
            return False, ApiError(ErrorKind.BROKEN, "The worker process ended before the job was done.")
        finally:
            if timer is not None:
                timer.cancel()
            # Reuse only a process at normal priority whose result was read: an unread one would answer the next job.
            if finished and running.queue is self._short and not running.is_stopped:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return pickle.loads(result)  # type: ignore[no-any-return]

    def _move_to_slow(self, running: _Running, worker: _Worker) -> None:
        """Free the short slot of a job."""
        if self._slow.try_acquire():
            running.queue.release()
            running.queue = self._slow
            worker.lower_priority()
        else:
            running.is_stopped = True
            worker.kill()

    async def _new_worker(self) -> _Worker:
        # Import the same modules as this process, and none from the working directory.
        command = [sys.executable, "-P", "-m", "minesweeper.scripts.web.worker"]
        # Arrow's own allocator reserves more memory than files of strangers may take.
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "ARROW_DEFAULT_MEMORY_POOL": "system",
        }
        # In a session of its own the worker receives no Ctrl-C from the terminal.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        worker = _Worker(process)
        self._workers.add(worker)
        return worker

    async def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        worker.kill()
        await worker.process.wait()


class _Worker:
    """A process that runs `scripts.web.worker`."""

    def __init__(self, process: Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self._is_ready = False
        self._is_killed = False

    async def wait_until_ready(self) -> None:
        """Wait until the process has started. Raises `EOFError` if it fails."""
        if not self._is_ready:
            await self._receive()
            self._is_ready = True

    async def run(self, job: bytes) -> bytes:
        """Send a job and wait for its result. Raises `EOFError` or `OSError` if the process ends."""
        self._stdin.write(LENGTH.pack(len(job)) + job)
        await self._stdin.drain()
        return await self._receive()

    async def _receive(self) -> bytes:
        (length,) = LENGTH.unpack(await self._stdout.readexactly(LENGTH.size))
        return await self._stdout.readexactly(length)

    def lower_priority(self) -> None:
        """Raise the niceness of the process, where the system has one."""
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, _NICENESS)

    def kill(self) -> None:
        """Kill the process and its children."""
        # Kill once: a second signal can reap the process before asyncio does, which logs a warning.
        if not self._is_killed:
            self._is_killed = True
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self.process.pid, signal.SIGKILL)  # The worker leads a process group.
                else:
                    self.process.kill()
