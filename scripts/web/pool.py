"""A bounded pool of worker processes with time limits: a process can be killed in the middle of a job, a thread cannot.

Run as a program, this module is such a process: it reads pickled jobs from stdin and writes pickled results to stdout.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Final, ParamSpec, TypeVar

import numpy as np

from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError, ErrorKind

_P = ParamSpec("_P")
_T = TypeVar("_T")

_TOO_BUSY: Final = "The server is busy: try again in a moment."
_QUEUE_SECONDS: Final = 20.0
_LENGTH: Final = struct.Struct("!Q")
"""The header of each message: its length in bytes."""


class WorkerPool:
    """`size` processes, for which at most `waiting` jobs queue: first come, first served.

    Processes start on first use. Functions, arguments and results must be picklable.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._size = size
        self._free = asyncio.Semaphore(size)
        self._most_waiting = waiting
        self._waiting = 0
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()

    async def start(self) -> None:
        """Start all processes before the first request needs them."""
        await asyncio.gather(*(self.run(1, abs, 0) for _ in range(self._size)))

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a function in a process for at most `seconds`. Raises `ApiError`, and the exceptions of the function."""
        if self._waiting >= self._most_waiting:
            raise ApiError(ErrorKind.TOO_BUSY, _TOO_BUSY)
        self._waiting += 1
        try:
            async with asyncio.timeout(_QUEUE_SECONDS):
                await self._free.acquire()
        except TimeoutError as error:
            raise ApiError(ErrorKind.TOO_BUSY, _TOO_BUSY) from error
        finally:
            self._waiting -= 1
        try:
            succeeded, result = pickle.loads(await self._run(pickle.dumps((work, args, kwargs)), seconds))
        finally:
            self._free.release()
        if not succeeded:
            raise result
        return result  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Kill all processes."""
        await asyncio.gather(*(self._end(worker) for worker in list(self._workers)))

    async def _run(self, job: bytes, seconds: float) -> bytes:
        worker = self._idle.pop() if self._idle else await self._new_worker()
        finished = False
        try:
            await worker.wait_until_ready()
            async with asyncio.timeout(seconds):
                result = await worker.run(job)
            finished = True
            return result
        except TimeoutError as error:
            message = f"This takes more than {seconds:g} seconds and was stopped."
            raise ApiError(ErrorKind.TOO_SLOW, message) from error
        except (EOFError, OSError) as error:
            raise ApiError(ErrorKind.BROKEN, "The worker process ended before the job was done.") from error
        finally:
            # Reuse only a process whose result was read: an unread one would answer the next job.
            if finished:
                self._idle.append(worker)
            else:
                await self._end(worker)

    async def _new_worker(self) -> _Worker:
        # Import the same modules as this process, and none from the working directory.
        command = [sys.executable, "-P", "-m", "minesweeper.scripts.web.pool"]
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
    """A process that runs this module."""

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
        self._stdin.write(_LENGTH.pack(len(job)) + job)
        await self._stdin.drain()
        return await self._receive()

    async def _receive(self) -> bytes:
        (length,) = _LENGTH.unpack(await self._stdout.readexactly(_LENGTH.size))
        return await self._stdout.readexactly(length)

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


def main() -> None:
    """Report that this process is ready, then run jobs until stdin closes.

    A `ValueError` or `ApiError` is sent back. Any other exception is a defect and ends the process with a traceback.
    """
    logging.disable(logging.WARNING)  # The server logs the same warnings.
    _ = np.ndarray  # Loads NumPy now, not during the first job.
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(result: object) -> None:
        message = pickle.dumps(result)
        results.write(_LENGTH.pack(len(message)) + message)
        results.flush()

    send(jobs.__name__)
    while head := sys.stdin.buffer.read(_LENGTH.size):
        work, args, kwargs = pickle.loads(sys.stdin.buffer.read(*_LENGTH.unpack(head)))
        try:
            result = (True, work(*args, **kwargs))
        except (ValueError, ApiError) as error:
            result = (False, error)
        send(result)


if __name__ == "__main__":
    main()
