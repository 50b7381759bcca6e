"""A pool of worker processes, imported only where it is used because the import is slow."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from logging.handlers import QueueHandler
from multiprocessing.context import BaseContext
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any, Final

from minesweeper.player.errors import ConfigError

log = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 0.5

START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that sets the start method of worker processes: fork, spawn or forkserver."""


@contextmanager
def processes(work: Callable[[range], Any], count: int) -> Iterator[Processes]:
    """Provide `count` processes that apply `work` to ranges."""
    context = multiprocessing.get_context(start_method())
    with _worker_log(context) as (records, level):
        pool = Processes(count, context, _start_worker, (work, records, level))
        try:
            yield pool
        finally:
            pool.end()


class Processes(ProcessPoolExecutor):
    """Worker processes that all do the same work."""

    def begin(self, piece: range) -> Future[Any]:
        """Start the work on a piece. Raises `ConfigError` if the system refuses to start the processes."""
        try:
            return self.submit(_work, piece)
        except OSError as error:
            raise ConfigError(
                f"{error.strerror}: cannot start the worker processes; try fewer with --workers"
            ) from error

    def check(self) -> None:
        """Raise `BrokenProcessPool` if the thread that manages the pool has ended: no more results will arrive."""
        manager: Any = self._executor_manager_thread
        if manager is not None and not manager.is_alive():
            raise BrokenProcessPool("the thread that manages the worker processes has ended")

    def end(self) -> None:
        """Drop the work that has not begun, and wait for the processes to end.

        A process that was killed may hold the lock of the queue through which the others receive the order to end, and
        without the managing thread no order is sent. The processes that are left are killed in both cases.
        """
        begun = list((self._processes or {}).values())
        manager: Any = self._executor_manager_thread
        self.shutdown(wait=False, cancel_futures=True)
        while alive := [process for process in begun if process.is_alive()]:
            if manager is None or not manager.is_alive() or any(process.exitcode for process in begun):
                for process in alive:
                    process.kill()
            multiprocessing.connection.wait([process.sentinel for process in alive], _WAIT_SECONDS)


def start_method() -> str | None:
    """Return the start method that the environment sets, None for the platform's default."""
    method = os.environ.get(START_METHOD) or None
    known = multiprocessing.get_all_start_methods()
    if method is not None and method not in known:
        raise ConfigError(f"unknown start method {method!r} in {START_METHOD}; expected {' or '.join(known)}")
    return method


@contextmanager
def _worker_log(context: BaseContext) -> Iterator[tuple[Queue[logging.LogRecord] | None, int]]:
    """Handle the log records of workers in this process: provide a queue for them, None if nothing is logged."""
    root = logging.getLogger()
    if not root.handlers or not log.isEnabledFor(logging.INFO):
        yield None, logging.WARNING
        return
    if context.get_start_method() == multiprocessing.get_start_method() == "fork":
        with _inherited_handlers():
            yield None, root.level
        return
    # multiprocessing-logging supports only forked workers; this queue serves the others.
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
        # A worker that was killed may have written half a record, for whose rest the listener waits.
        listener.join(5)


@contextmanager
def _inherited_handlers() -> Iterator[None]:
    """Wrap the log handlers, so that forked workers inherit handlers that send their records to this process."""
    from multiprocessing_logging import MultiProcessingHandler, install_mp_handler, uninstall_mp_handler

    install_mp_handler()
    wrapped = [handler for handler in logging.getLogger().handlers if isinstance(handler, MultiProcessingHandler)]
    try:
        yield
    finally:
        uninstall_mp_handler()
        for handler in wrapped:
            handler.close()  # after the last record has been handled


_work_here: Callable[[range], Any]


def _start_worker(work: Callable[[range], Any], records: Queue[logging.LogRecord] | None, level: int) -> None:
    """Set up a worker: keep its work, send its log records to the parent, ignore Ctrl-C, and end with the parent."""
    global _work_here
    _work_here = work
    if records is not None:
        root = logging.getLogger()
        root.handlers[:] = [QueueHandler(records)]
        root.setLevel(level)
    follow_parent()
    log.info("ready")


def follow_parent() -> None:
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


def _work(piece: range) -> Any:
    return _work_here(piece)
