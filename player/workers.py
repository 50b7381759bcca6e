"""Work on numbered things with many processes: results in order, and a stop between two pieces of work on Ctrl-C."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from logging.handlers import QueueHandler
from multiprocessing.context import BaseContext
from multiprocessing.queues import Queue
from queue import Empty
from types import FrameType
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

log = logging.getLogger(__name__)

_SECONDS_PER_PIECE: Final = 0.2
_PIECES_PER_WORKER: Final = 3
_GROWTH: Final = 4
# Results wait in memory for those before them.
_MOST_PER_PIECE: Final = 2000


START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that may say how worker processes begin: fork, spawn or forkserver."""


class WorkerDied(RuntimeError):
    """A worker process was killed."""


class WorkersRefused(ValueError):
    """The system does not let so many processes begin."""


class StartMethodError(ValueError):
    """A way to begin processes that is not there."""


def available_workers() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ranges(
    work: Callable[[range], _T],
    numbers: range,
    workers: int,
    *,
    stop: Callable[[], bool] = lambda: False,
    wanted: Callable[[], float] = lambda: math.inf,
) -> Generator[tuple[range, _T], None, None]:
    """Cut `numbers` into ranges, let `workers` processes work on them, and yield each range with its result, in order.

    Ranges grow until one takes about a fifth of a second, so that a stop is served soon, or has 2000 numbers, so that
    what waits for its turn is bounded. Once `stop` says so, no new
    range is begun; those under way are finished and yielded. `wanted` estimates how many more numbers will be asked
    for, so that little is begun in vain. A single worker is a thread, not a process. Raises `WorkerDied`, and what
    `work` raises.
    """
    log.info("numbers %d to %d: %d workers begin", numbers.start, numbers.stop - 1, workers)
    size = 1
    pending: deque[tuple[range, Future[tuple[_T, float]]]] = deque()
    under_way = 0
    try:
        with _pool(work, workers) as pool:
            while True:
                while numbers and len(pending) < _PIECES_PER_WORKER * workers and not stop():
                    share = max(0.0, wanted() - under_way) / workers
                    piece = numbers[: size if share >= size else max(1, int(share))]
                    numbers = numbers[len(piece) :]
                    with _interruptions_held(), _all_or_none(workers):
                        future = pool.submit(_work, piece) if workers > 1 else pool.submit(_timed, work, piece)
                    pending.append((piece, future))
                    under_way += len(piece)
                # Pieces that no worker has taken are given back, from the last, so that the results have no gap.
                while stop() and pending and pending[-1][1].cancel():
                    pending.pop()
                if not pending:
                    log.info("the workers are done")
                    return
                piece, future = pending.popleft()
                result, seconds = future.result()
                under_way -= len(piece)
                fitting = int(len(piece) * _SECONDS_PER_PIECE / max(seconds, 1e-9))
                size = max(1, min(fitting, _GROWTH * size, _MOST_PER_PIECE))
                yield piece, result
    except BrokenProcessPool:
        log.info("a worker process was killed")
        raise WorkerDied("a worker process was killed") from None


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within this, the first Ctrl-C only makes the function given return True; a second one interrupts as usual.

    For the main thread of a program.
    """
    caught = False

    def note(signal_number: int, frame: FrameType | None) -> None:
        nonlocal caught
        caught = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: caught
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _pool(work: Callable[[range], Any], workers: int) -> Iterator[Executor]:
    pool: Executor
    if workers == 1:
        # Not the main thread: there, solvers would catch Ctrl-C for themselves while they work.
        pool = ThreadPoolExecutor(1)
    else:
        context = multiprocessing.get_context(_start_method())
        with _records_from_workers(context) as (queue, level):
            pool = ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(work, queue, level))
            try:
                yield pool
            finally:
                pool.shutdown(cancel_futures=True)
        return
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


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
def _all_or_none(workers: int) -> Iterator[None]:
    """End the processes that have begun if the system lets no more begin; else they would be waited for in vain."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except OSError as error:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        raise WorkersRefused(f"{error.strerror}; expected to begin with --workers {workers}, fewer may do") from error


@contextmanager
def _interruptions_held() -> Iterator[None]:
    """Let Ctrl-C wait; processes that begin meanwhile begin deaf to it, and stay so."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(piece: range) -> tuple[Any, float]:
    return _timed(_work_here, piece)


def _timed(work: Callable[[range], _T], piece: range) -> tuple[_T, float]:
    began = time.perf_counter()
    result = work(piece)
    return result, time.perf_counter() - began
