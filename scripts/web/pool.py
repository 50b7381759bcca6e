"""Worker processes for all that may take long: they can be ended in the middle of their work, threads cannot."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from minesweeper.scripts.web.settings import Kind, Refusal
from minesweeper.scripts.web.worker import LENGTH

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Pool:
    """`size` processes that work one piece at a time; at most `waiting` pieces queue. They start when first needed.

    The functions handed over, their arguments and results must be picklable.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._size = size
        self._most_waiting = waiting
        self._waiting = 0
        # Whoever came first is served first: taking from a queue of idle workers is not fair in asyncio.
        self._free = asyncio.Semaphore(size)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()

    async def start(self) -> None:
        """Start all processes, so that nobody has to wait for them."""
        await asyncio.gather(*(self.run(1, abs, 0) for _ in range(self._size)))

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do some work in a process, for at most `seconds`; raises `Refusal`, and what the work raises."""
        if self._waiting >= self._most_waiting:
            raise Refusal(Kind.TOO_BUSY, "The server has too much to do: try again in a moment.")
        piece = pickle.dumps((work, args, kwargs))
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            succeeded, result = await self._ask(piece, seconds)
        finally:
            self._free.release()
        if not succeeded:
            raise result
        return result  # type: ignore[no-any-return]

    async def close(self) -> None:
        """End all processes at once."""
        await asyncio.gather(*(self._end(worker) for worker in list(self._workers)))

    async def _ask(self, piece: bytes, seconds: float) -> tuple[bool, Any]:
        worker = self._idle.pop() if self._idle else await self._new_worker()
        answered = False
        try:
            await worker.ready()
            async with asyncio.timeout(seconds):
                answer = await worker.ask(piece)
            answered = True
        except TimeoutError:
            return False, Refusal(Kind.TOO_SLOW, f"This was cut off: it takes more than {seconds:g} seconds.")
        except (EOFError, OSError):
            return False, Refusal(Kind.BROKEN, "The work on this ended before it was done.")
        finally:
            # Whoever asks next must not get this answer, also if nobody waits for it any more.
            if answered:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return pickle.loads(answer)  # type: ignore[no-any-return]

    async def _new_worker(self) -> _Worker:
        # The same modules as here, wherever they were found, and none from the working directory.
        command = [sys.executable, "-P", "-m", "minesweeper.scripts.web.worker"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        # A Ctrl-C in the terminal is for the server alone.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        worker = _Worker(process)
        self._workers.add(worker)
        return worker

    async def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        await worker.end()


class _Worker:
    """A process that runs `scripts.web.worker`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._pieces, self._answers = process.stdin, process.stdout
        self._is_ready = False

    async def ready(self) -> None:
        """Wait until it has started. Raises `EOFError` if it does not."""
        if not self._is_ready:
            await self._receive()
            self._is_ready = True

    async def ask(self, piece: bytes) -> bytes:
        """Hand work over and wait for its answer. Raises `EOFError` or `OSError` if the process ends."""
        self._pieces.write(LENGTH.pack(len(piece)) + piece)
        await self._pieces.drain()
        return await self._receive()

    async def _receive(self) -> bytes:
        (length,) = LENGTH.unpack(await self._answers.readexactly(LENGTH.size))
        return await self._answers.readexactly(length)

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
