"""Worker processes for all that may take long: they can be ended in the middle of their work, threads cannot."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from player.web.errors import Broken, Refusal, TooBusy, TooSlow

_P = ParamSpec("_P")
_T = TypeVar("_T")

_START: Final = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


class Pool:
    """`size` processes that work one piece at a time; at most `waiting` pieces queue. They start when first needed.

    The functions handed over, their arguments and results must be picklable.
    """

    def __init__(self, size: int, waiting: int) -> None:
        self._context: Any = multiprocessing.get_context(_START)
        if _START == "forkserver":
            # A preloaded module would be looked for in the working directory first, not where this process found it.
            self._context.set_forkserver_preload([])
        self._most_waiting = waiting
        self._waiting = 0
        self._idle: asyncio.LifoQueue[_Worker | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._idle.put_nowait(None)
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="pool")
        self._workers: set[_Worker] = set()

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do some work in a process, for at most `seconds`; raises `TooSlow`, `TooBusy`, and what the work raises."""
        if self._waiting >= self._most_waiting:
            raise TooBusy("The server has too much to do: try again in a moment.")
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
        # The thread must end before the worker is given to the next, whether or not anybody still waits for it.
        job = asyncio.get_running_loop().run_in_executor(self._threads, self._do, worker, seconds, (work, args, kwargs))
        job.add_done_callback(lambda done: self._idle.put_nowait(None if done.cancelled() else done.result()[0]))
        _, succeeded, result = await asyncio.shield(job)
        if not succeeded:
            raise result
        return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """End all processes at once."""
        for worker in list(self._workers):
            worker.end()
        self._threads.shutdown(wait=True)

    def _do(self, worker: _Worker | None, seconds: float, piece: Any) -> tuple[_Worker | None, bool, Any]:
        if worker is None:
            worker = _Worker(self._context)
            self._workers.add(worker)
        try:
            worker.pipe.send(piece)
            if worker.pipe.poll(seconds):
                succeeded, result = worker.pipe.recv()
                return worker, succeeded, result
            failure: Refusal = TooSlow(f"This was cut off: it takes more than {seconds:g} seconds.")
        except (EOFError, OSError):
            failure = Broken("The work on this ended before it was done.")
        worker.end()
        self._workers.discard(worker)
        return None, False, failure


class _Worker:
    def __init__(self, context: Any) -> None:
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    """Work until the other end is closed. Ctrl-C is for the server to hear, which then closes it.

    What the toolkit raises goes back; anything else is a defect, and ends the process with its traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            work, args, kwargs = pipe.recv()
            try:
                answer = (True, work(*args, **kwargs))
            except (ValueError, Refusal) as error:
                answer = (False, error)
            pipe.send(answer)
