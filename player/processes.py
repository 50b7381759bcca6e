"""A pool of processes that do one work: how they begin, log, and end, whatever becomes of one of them or of memory.

Loaded where more than one process is to work, as that takes longer than the first puzzles take to be found.
"""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from logging.handlers import QueueHandler
from multiprocessing.context import BaseContext
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any, Final

import numpy as np

log = logging.getLogger(__name__)

_PATIENCE: Final = 0.5

START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that may say how worker processes begin: fork, spawn or forkserver."""


class WorkersRefused(ValueError):
    """The system does not let so many processes begin."""


class StartMethodError(ValueError):
    """A way to begin processes that is not there."""


@contextmanager
def processes(work: Callable[[range], Any], count: int) -> Iterator[Processes]:
    """Have so many processes do a work that they inherit, within this.

    Raises `WorkersRefused` if the system lets fewer begin.
    """
    context = multiprocessing.get_context(_start_method())
    if context.get_start_method() == "fork":
        _ = np.ndarray  # Where a program has left NumPy for later, now: once, and not in each process.
    with ExitStack() as stack:
        records = stack.enter_context(_records_from_workers(context))
        pool = Processes(count, context, work, *records)
        stack.enter_context(pool.failure_noted())
        stack.callback(_see_out, pool)
        yield pool


class Processes(ProcessPoolExecutor):
    """A pool that says so if the thread that manages it fails, for want of memory: else it is waited for in vain."""

    failure: BaseException | None = None

    def __init__(self, count: int, context: BaseContext, *of_work: Any) -> None:
        super().__init__(count, context, _start_worker, of_work)
        self._count = count

    def begin(self, piece: range) -> Future[Any]:
        """Have some process do the work on a piece."""
        with self._all_or_none():
            return self.submit(_work, piece)

    def check(self) -> None:
        """Raise what has ended the thread, if anything has."""
        if self.failure is not None:
            raise self.failure

    @contextmanager
    def failure_noted(self) -> Iterator[None]:
        """Within this, note what ends that thread, which Python would print and forget."""
        before = threading.excepthook

        def note(ending: threading.ExceptHookArgs) -> None:
            if ending.thread is getattr(self, "_executor_manager_thread", self):
                self.failure = ending.exc_value
            else:
                before(ending)

        threading.excepthook = note
        try:
            yield
        finally:
            threading.excepthook = before

    @contextmanager
    def _all_or_none(self) -> Iterator[None]:
        """End the processes that have begun if the system lets no more begin; else they would be waited for in vain."""
        before = set(multiprocessing.active_children())
        try:
            yield
        except (OSError, RuntimeError) as error:
            for child in set(multiprocessing.active_children()) - before:
                child.kill()
            if isinstance(error, OSError):
                refusal = f"{error.strerror}; expected to begin with --workers {self._count}, fewer may do"
                raise WorkersRefused(refusal) from error
            if "start new thread" in str(error):
                raise MemoryError(str(error)) from error
            raise


def _see_out(pool: Processes) -> None:
    """End a pool, also when one of its processes is killed while it takes its leave.

    Such a process can hold the lock of the queue from which the others are told to end. They would wait for it for
    ever, and the pool for them. If the pool has failed, nobody tells them to end.
    """
    begun = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    while alive := [process for process in begun if process.is_alive()]:
        if pool.failure is not None or any(process.exitcode for process in begun):
            for process in alive:
                process.kill()
        multiprocessing.connection.wait([process.sentinel for process in alive], _PATIENCE)
    pool.shutdown()


def _start_method() -> str | None:
    """How processes begin: as the environment says, or else by the platform's default."""
    method = os.environ.get(START_METHOD) or None
    known = multiprocessing.get_all_start_methods()
    if method is not None and method not in known:
        raise StartMethodError(f"expected {START_METHOD} to be {' or '.join(known)}: {method!r}")
    return method


@contextmanager
def _records_from_workers(context: BaseContext) -> Iterator[tuple[Queue[logging.LogRecord] | None, int]]:
    """Let this process handle what workers log: give the queue for them, None if nobody listens, and the level."""
    root = logging.getLogger()
    if not root.handlers or not log.isEnabledFor(logging.INFO):
        yield None, logging.WARNING
        return
    if context.get_start_method() == multiprocessing.get_start_method() == "fork":
        with _handlers_inherited():
            yield None, root.level
        return
    # What multiprocessing-logging does for forked workers, for those that inherit nothing.
    records: Queue[logging.LogRecord] = context.Queue()
    done = threading.Event()

    def handle() -> None:
        while True:
            try:
                record = records.get(timeout=0.1)
                logging.getLogger(record.name).handle(record)
            except Empty:
                if done.is_set():
                    return

    listener = threading.Thread(target=handle, daemon=True)
    listener.start()
    try:
        yield records, root.level
    finally:
        done.set()
        # A worker that was killed may have left half a record, which is waited for in vain.
        listener.join(5)


@contextmanager
def _handlers_inherited() -> Iterator[None]:
    """Let forked workers inherit handlers that send what they log to this process."""
    from multiprocessing_logging import MultiProcessingHandler, install_mp_handler, uninstall_mp_handler

    install_mp_handler()
    wrapped = [handler for handler in logging.getLogger().handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield
    finally:
        uninstall_mp_handler()
        for handler in wrapped:
            handler.close()  # once all that was sent has been handled


_work_here: Callable[[range], Any]


def _start_worker(work: Callable[[range], Any], records: Queue[logging.LogRecord] | None, level: int) -> None:
    """Take over what to do, leave interruptions and the log to the parent, and end when it is gone."""
    global _work_here
    _work_here = work
    if records is not None:
        # Not by `basicConfig`, which would have the text of records laid out here and in the parent.
        root = logging.getLogger()
        root.handlers[:] = [QueueHandler(records)]
        root.setLevel(level)
    if hasattr(signal, "pthread_sigmask"):
        # Ignoring the signal would not do, as solvers set a handler of their own while they work.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    log.info("ready")
    try:
        threading.Thread(target=_leave_with_parent, daemon=True).start()
    except RuntimeError:
        os._exit(1)  # Else nothing would end this process with its parent, which hears of it at once.


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(piece: range) -> Any:
    return _work_here(piece)
