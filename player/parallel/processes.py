"""Worker processes, imported only where they are used because the import is slow."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from typing import Any, Final, TypeAlias

from minesweeper.player.core.errors import ConfigError, WorkerDied
from minesweeper.player.core.limits import block_interrupts

log = logging.getLogger(__name__)

_GRACE_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.5

START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that sets the start method of worker processes: fork, spawn or forkserver."""

_Pipe: TypeAlias = "Connection[Any, Any]"


class Worker:
    """A process that applies `work` to one value after the other.

    Only the worker has its end of the pipe. If it ends at any moment, even within a result, the pipe closes and `ask`
    raises `WorkerDied`. The worker first calls `prepare`, and sends its log records from `level` on, if given.
    """

    def __init__(
        self,
        context: BaseContext,
        work: Callable[[Any], Any],
        *,
        prepare: Callable[[], None] | None = None,
        level: int | None = None,
    ) -> None:
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, prepare, level))  # type: ignore[attr-defined]
        self._lock = threading.Lock()
        with block_interrupts():
            self.process.start()
        theirs.close()

    def ask(self, value: Any) -> Any:
        """Return the result of the work, or raise its exception, or `WorkerDied`."""
        try:
            self._pipe.send(value)
            while isinstance(answer := self._received(), logging.LogRecord):
                logging.getLogger(answer.name).handle(answer)
        except (EOFError, OSError):
            self.check(_GRACE_SECONDS)
            raise WorkerDied("a worker process has closed its pipe") from None
        result, error = answer
        if error is not None:
            raise error
        return result

    def _received(self) -> Any:
        # A process that the work forked keeps the pipe open.
        while not self._pipe.poll(_POLL_SECONDS):
            self.check()
        return self._pipe.recv()

    def check(self, seconds: float = 0.0) -> None:
        """Raise `WorkerDied` if the process has ended, or ends within a time."""
        with self._lock:
            self.process.join(seconds)
            code = self.process.exitcode
        if code is not None:
            how = f"was killed (signal {-code})" if code < 0 else f"ended by itself (status {code})"
            raise WorkerDied(f"a worker process {how}")

    def end(self) -> None:
        """Let the process end after its last log records."""
        with suppress(WorkerDied):
            self.ask(None)

    def kill(self) -> None:
        """Kill the process if it has not ended, and its children, and wait for its end."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # The process leads a group, see `_serve`.
        self.process.kill()
        with self._lock:
            self.process.join()


class Processes:
    """Worker processes that all do the same work, each served by a thread of this process."""

    def __init__(self, workers: list[Worker]) -> None:
        self._workers = workers
        self._free = list(workers)
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(len(workers), initializer=self._take_worker)

    def begin(self, piece: range) -> Future[Any]:
        """Start the work on a piece."""
        return self._threads.submit(lambda: self._own.worker.ask(piece))

    def check(self) -> None:
        """Raise `WorkerDied` if a process has ended."""
        for worker in self._workers:
            worker.check()

    def end(self) -> None:
        """End the threads after the processes have ended."""
        self._threads.shutdown(cancel_futures=True)

    def _take_worker(self) -> None:
        self._own.worker = self._free.pop()


@contextmanager
def processes(work: Callable[[range], Any], count: int) -> Iterator[Processes]:
    """Provide `count` processes that apply `work` to ranges.

    If the block raises, they are killed; after an error in the work, they finish their current pieces first. Raises
    `ConfigError` if the system refuses to start them.
    """
    context = multiprocessing.get_context(start_method())
    workers: list[Worker] = []
    pool = None
    with _log_level(context) as level:
        try:
            try:
                workers.extend(Worker(context, work, level=level) for _ in range(count))
            except OSError as error:
                message = f"{error.strerror}: cannot start the worker processes; try fewer with --workers"
                raise ConfigError(message) from error
            pool = Processes(workers)
            try:
                yield pool
            except Exception as error:
                if not isinstance(error, WorkerDied):
                    # The others may be writing files: let them finish their pieces.
                    pool.end()
                raise
            for worker in workers:
                worker.end()
        finally:
            for worker in workers:
                worker.kill()
            if pool is not None:
                pool.end()


@contextmanager
def _log_level(context: BaseContext) -> Iterator[int | None]:
    """Return the level from which workers send log records through their pipes, None if they need not.

    Forked workers inherit handlers that send the records.
    """
    root = logging.getLogger()
    if not root.handlers or not log.isEnabledFor(logging.INFO):
        yield None
        return
    if not context.get_start_method() == multiprocessing.get_start_method() == "fork":
        yield root.level
        return
    from multiprocessing_logging import MultiProcessingHandler, install_mp_handler, uninstall_mp_handler

    install_mp_handler()
    wrapped = [handler for handler in root.handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield None
    finally:
        uninstall_mp_handler()
        for handler in wrapped:
            handler.close()  # after the last record has been handled


def start_method() -> str | None:
    """Return the start method that the environment sets, None for the platform's default."""
    method = os.environ.get(START_METHOD) or None
    known = multiprocessing.get_all_start_methods()
    if method is not None and method not in known:
        raise ConfigError(f"unknown start method {method!r} in {START_METHOD}; expected {' or '.join(known)}")
    return method


class _ToParent(QueueHandler):
    """A log handler that sends records through the pipe of a worker."""

    def enqueue(self, record: logging.LogRecord) -> None:
        self.queue.send(record)  # type: ignore[attr-defined]


def _serve(pipe: _Pipe, work: Callable[[Any], Any], prepare: Callable[[], None] | None, level: int | None) -> None:
    """Answer the parent until it sends None; ignore Ctrl-C, and end with the parent."""
    handler = _ToParent(pipe)  # type: ignore[arg-type]
    if level is not None:
        root = logging.getLogger()
        root.handlers[:] = [handler]
        root.setLevel(level)
    _follow_parent()
    if hasattr(os, "setsid"):
        os.setsid()
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
        # Another thread may write a log record.
        handler.acquire()
        try:
            pipe.send(answer)
        finally:
            handler.release()


def _follow_parent() -> None:
    """Let this worker process ignore Ctrl-C and end with its parent."""
    if hasattr(signal, "pthread_sigmask"):
        # Solvers replace the handler while they work, so the signal is blocked instead of ignored.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
