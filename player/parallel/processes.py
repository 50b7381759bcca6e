"""Worker processes, imported only where they are used because the import is slow."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.queues import Queue
from pickle import PicklingError
from queue import SimpleQueue
from typing import Any, Final, TypeAlias

from minesweeper.player.core.errors import ConfigError, WorkerDied
from minesweeper.player.core.limits import block_interrupts

log = logging.getLogger(__name__)

_GRACE_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.5

START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that sets the start method of worker processes: fork, spawn or forkserver."""

_Pipe: TypeAlias = "Connection[Any, Any]"
_Logs: TypeAlias = "tuple[_Records, int] | None"
"""The queue for log records of workers, and the level from which they are sent. None: workers keep their handlers."""


class Worker:
    """A process that applies `work` to one value after the other.

    Only the worker has its end of the pipe. If it ends at any moment, even within a result, the pipe closes and `ask`
    raises `WorkerDied`. The worker first calls `prepare`.
    """

    def __init__(
        self,
        context: BaseContext,
        work: Callable[[Any], Any],
        *,
        prepare: Callable[[], None] | None = None,
        logs: _Logs = None,
    ) -> None:
        self._pipe, theirs = context.Pipe()
        # Nothing is ever sent through it: it closes when this process ends, see `_follow_parent`.
        end, self._life = context.Pipe(duplex=False)
        arguments = theirs, (end, self._life), work, prepare, logs
        self.process = context.Process(target=_serve, args=arguments)  # type: ignore[attr-defined]
        self._lock = threading.Lock()
        try:
            with block_interrupts():
                self.process.start()
        except (AttributeError, PicklingError) as error:
            expected = "expected functions and classes at the top of a module"
            raise ConfigError(f"the work cannot be sent to another process: {error}; {expected}") from error
        theirs.close()
        end.close()

    def ask(self, value: Any) -> Any:
        """Return the result of the work, or raise its exception, or `WorkerDied`."""
        try:
            self._pipe.send(value)
            # A process that the work forked keeps the pipe open.
            while not self._pipe.poll(_POLL_SECONDS):
                self.check()
            result, error = self._pipe.recv()
        except (EOFError, OSError):
            self.check(_GRACE_SECONDS)
            raise WorkerDied("a worker process has closed its pipe") from None
        if error is not None:
            raise error
        return result

    def check(self, seconds: float = 0.0) -> None:
        """Raise `WorkerDied` if the process has ended, or ends within a time."""
        with self._lock:
            self.process.join(seconds)
            code = self.process.exitcode
        if code is not None:
            how = f"was killed (signal {-code})" if code < 0 else f"ended by itself (status {code})"
            raise WorkerDied(f"a worker process {how}")

    def resume(self) -> None:
        """Continue the process and its children after a SIGSTOP."""
        if hasattr(os, "killpg"):
            for send in (os.killpg, os.kill):  # a process that has just begun leads no group
                with suppress(ProcessLookupError):
                    send(self.process.pid, signal.SIGCONT)

    def end(self) -> None:
        """Let the process end after its last log records."""
        self.resume()
        with suppress(WorkerDied):
            self.ask(None)

    def kill(self) -> None:
        """Kill the process if it has not ended, and its children, and wait for its end."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # The process leads a group, see `_follow_parent`.
        self.process.kill()
        with self._lock:
            self.process.join()


@contextmanager
def processes(
    work: Callable[[range], Any], count: int
) -> Iterator[tuple[Callable[[range], Future[Any]], Callable[[bool], None]]]:
    """Provide a function that starts the work on a range in one of `count` processes, and one that checks them all.

    The check raises `WorkerDied` if a process has ended; if they are to finish, it resumes stopped ones. If the block
    raises, they are killed; after an error in the work, they finish their current pieces first. Raises `ConfigError` if
    the system refuses to start them.
    """
    context = multiprocessing.get_context(start_method())
    root = logging.getLogger()
    logs = (_Records(ctx=context), root.level) if root.handlers and log.isEnabledFor(logging.INFO) else None
    workers: list[Worker] = []
    idle: SimpleQueue[Worker] = SimpleQueue()
    threads = ThreadPoolExecutor(count)
    handler = None

    def ask(piece: range) -> Any:
        worker = idle.get()
        try:
            return worker.ask(piece)
        finally:
            idle.put(worker)

    def check(finish: bool) -> None:
        for worker in workers:
            if finish:
                worker.resume()
            worker.check()

    try:
        try:
            for _ in range(count):
                with block_interrupts():  # or nothing would end a worker that has just begun
                    workers.append(Worker(context, work, logs=logs))
                idle.put(workers[-1])
        except OSError as error:
            message = f"{error.strerror}: cannot start the worker processes; try fewer with --workers"
            raise ConfigError(message) from error
        # The threads of this process start here, after the last fork.
        handler = logs and _handler_of(logs[0])
        try:
            yield lambda piece: threads.submit(ask, piece), check
        except WorkerDied:
            raise
        except Exception:
            # The others may be writing files: let them finish their pieces.
            threads.shutdown(cancel_futures=True)
            raise
        for worker in workers:
            worker.end()
    finally:
        for worker in workers:
            worker.kill()
        threads.shutdown(cancel_futures=True)
        if handler:
            handler.close()  # after the last record has been handled


class _Records(Queue):  # type: ignore[type-arg]
    """A queue that workers fill with log records."""

    def qsize(self) -> int:
        """Return 0 if no record waits, also on macOS, where queues have no size."""
        return 0 if self.empty() else 1


class _ToLoggers(logging.Handler):
    """A log handler that passes records on to the loggers of this process."""

    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger(record.name).handle(record)


def _handler_of(records: _Records) -> logging.Handler:
    """Return a handler with a thread that handles the records of workers."""
    from multiprocessing_logging import MultiProcessingHandler

    handler: logging.Handler = MultiProcessingHandler("records of workers", _ToLoggers())
    # Only forked processes can fill the handler's own queue, and its thread would run before they are forked.
    handler.queue = records  # type: ignore[attr-defined]
    return handler


def start_method() -> str:
    """Return the start method that the environment sets, by default the quickest safe one.

    In a copy of a process with threads, a lock that another thread held stays locked. So processes are forked only
    before this process starts threads, and only on Linux: the libraries of macOS start threads themselves.
    """
    method, known = os.environ.get(START_METHOD), multiprocessing.get_all_start_methods()
    if method and method not in known:
        raise ConfigError(f"unknown start method {method!r} in {START_METHOD}; expected {' or '.join(known)}")
    if method or sys.platform != "linux":
        return method or "spawn"
    # `threading` does not count the threads of `_thread`.
    return "fork" if len(sys._current_frames()) == 1 else "forkserver"


def _serve(
    pipe: _Pipe,
    life: tuple[_Pipe, _Pipe],
    work: Callable[[Any], Any],
    prepare: Callable[[], None] | None,
    logs: _Logs,
) -> None:
    """Answer the parent until it sends None; ignore Ctrl-C, and end with the parent."""
    if logs is not None:
        root = logging.getLogger()
        root.handlers[:] = [QueueHandler(logs[0])]
        root.setLevel(logs[1])
    _follow_parent(*life)
    if prepare is not None:
        prepare()
    log.info("ready")
    own = os.getpid()
    while (value := pipe.recv()) is not None:
        answer: tuple[Any, Exception | None]
        try:
            answer = work(value), None
        except Exception as error:  # Raised again in the parent.
            error.add_note(traceback.format_exc())
            answer = None, error
        if os.getpid() != own:
            os._exit(0)  # The work has forked this process.
        pipe.send(answer)


def _follow_parent(end: _Pipe, begin: _Pipe) -> None:
    """Let this worker process ignore Ctrl-C, lead a group, and end with its parent, which keeps a pipe open."""
    if hasattr(signal, "pthread_sigmask"):
        # Solvers replace the handler while they work, so the signal is blocked instead of ignored.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()
    begin.close()
    if sys.platform == "linux":
        import fcntl

        # When the parent ends, its end of the pipe closes, and the system ends the group by SIGIO. A thread that waits
        # for the parent would forbid the work to fork. Data in a pipe would send SIGIO, too, even after it was read.
        fcntl.fcntl(end, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)
        if end.poll():
            os._exit(1)
    else:
        threading.Thread(target=lambda: (end.poll(None), os._exit(1)), daemon=True).start()
