"""Work on numbered things with many processes or a cluster: results in order, and a stop on Ctrl-C.

Work is a pure function of a range of numbers. Threads, processes and a cluster are executors for the same way through
it, which is `map_ranges`.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from logging.handlers import QueueHandler
from multiprocessing.context import BaseContext
from multiprocessing.queues import Queue
from queue import Empty
from types import FrameType
from typing import Any, Final, TypeVar

from minesweeper.player.cluster import Cluster, ClusterError, WorkerDied as WorkerDied, interruptions_held, open_cluster

_T = TypeVar("_T")

log = logging.getLogger(__name__)

_SECONDS_PER_PIECE: Final = 0.2
_PIECES_PER_WORKER: Final = 3
_GROWTH: Final = 4
# Results wait in memory for those before them.
_MOST_PER_PIECE: Final = 2000
# A stop is served also while the next piece keeps everybody waiting.
_PATIENCE: Final = 0.5


START_METHOD: Final = "MINESWEEPER_START_METHOD"
"""The environment variable that may say how worker processes begin: fork, spawn or forkserver."""

Workers = int | Cluster
"""Who works: so many processes, or a cluster."""


class WorkersRefused(ValueError):
    """The system does not let so many processes begin."""


class StartMethodError(ValueError):
    """A way to begin processes that is not there."""


def available_workers() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def hired(workers: int | None, cluster: str | None) -> Iterator[Workers]:
    """Find who is to work: so many processes, the cluster at an address, or else as many processes as there are cores.

    Raises `ClusterError` for a cluster that can't be used, or if both are given.
    """
    if cluster is None:
        yield workers or available_workers()
        return
    if workers is not None:
        raise ClusterError(f"expected a number of workers or a cluster, not both: {workers} and {cluster!r}")
    with open_cluster(cluster) as found:
        yield found


def width(workers: Workers) -> int:
    """How many pieces of work are done at the same time."""
    return workers if isinstance(workers, int) else workers.width


def at_most(workers: Workers, pieces: int) -> Workers:
    """Leave out the processes that would have nothing to do for so few pieces of work."""
    return max(1, min(workers, pieces)) if isinstance(workers, int) else workers


def map_ranges(
    work: Callable[[range], _T],
    numbers: range,
    workers: Workers,
    *,
    stop: Callable[[], bool] = lambda: False,
    wanted: Callable[[], float] = lambda: math.inf,
) -> Generator[tuple[range, _T], None, None]:
    """Cut `numbers` into ranges, let `workers` processes work on them, and yield each range with its result, in order.

    See `map_together`.
    """
    with closing(map_together(work, numbers, workers, 1, stop=stop, wanted=wanted)) as groups:
        for (one,) in groups:
            yield one


def map_together(
    work: Callable[[range], _T],
    numbers: range,
    workers: Workers,
    most: int,
    *,
    stop: Callable[[], bool] = lambda: False,
    wanted: Callable[[], float] = lambda: math.inf,
) -> Generator[list[tuple[range, _T]], None, None]:
    """Do the same, and yield the results that are there together, as many as `most`: one where they come slowly.

    Ranges grow until one takes about a fifth of a second, so that a stop is served soon, or has 2000 numbers, so that
    what waits for its turn is bounded. Once `stop` says so, no new
    range is begun; those under way are finished and yielded. `wanted` estimates how many more numbers will be asked
    for, so that little is begun in vain. A single worker is a thread, not a process. What a lost worker of a cluster
    had is done again, and what it has not finished by a stop is dropped. Raises `WorkerDied`, and what `work` raises.
    """
    who = f"{workers} workers begin" if isinstance(workers, int) else f"{workers} begins"
    log.info("numbers %d to %d: %s", numbers.start, numbers.stop - 1, who)
    size = 1
    pending: deque[tuple[range, Future[tuple[_T, float]]]] = deque()
    under_way = 0
    try:
        with _pool(work, workers) as pool:
            while True:
                while numbers and len(pending) < _PIECES_PER_WORKER * width(workers) and not stop():
                    share = max(0.0, wanted() - under_way) / width(workers)
                    piece = numbers[: size if share >= size else max(1, int(share))]
                    numbers = numbers[len(piece) :]
                    inherited = isinstance(workers, int) and workers > 1
                    with interruptions_held(), _all_or_none(workers):
                        future = pool.submit(_work, piece) if inherited else pool.submit(_timed, work, piece)
                    pending.append((piece, future))
                    under_way += len(piece)
                # Pieces that no worker has taken are given back, from the last, so that the results have no gap.
                while stop() and pending and pending[-1][1].cancel():
                    pending.pop()
                if not pending:
                    log.info("the workers are done")
                    return
                if not wait([pending[0][1]], timeout=_PATIENCE).done:
                    if isinstance(pool, _Processes):
                        pool.check()
                    continue
                together: list[tuple[range, _T]] = []
                while not together or (len(together) < most and pending and _succeeded(pending[0][1])):
                    piece, future = pending.popleft()
                    result, seconds = future.result()
                    together.append((piece, result))
                    under_way -= len(piece)
                    fitting = int(len(piece) * _SECONDS_PER_PIECE / max(seconds, 1e-9))
                    size = max(1, min(fitting, _GROWTH * size, _MOST_PER_PIECE))
                yield together
    except BrokenProcessPool:
        log.info("a worker process was killed")
        raise WorkerDied("a worker process was killed") from None
    finally:
        for _, future in pending:
            future.cancel()


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


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
def _pool(work: Callable[[range], Any], workers: Workers) -> Iterator[Executor]:
    if not isinstance(workers, int):
        yield workers
        return
    with ExitStack() as stack:
        if workers == 1:
            # Not the main thread: there, solvers would catch Ctrl-C for themselves while they work.
            thread = ThreadPoolExecutor(1)
            stack.callback(thread.shutdown, cancel_futures=True)
            yield thread
        else:
            context = multiprocessing.get_context(_start_method())
            records = stack.enter_context(_records_from_workers(context))
            processes = _Processes(workers, context, initializer=_start_worker, initargs=(work, *records))
            stack.enter_context(processes.failure_noted())
            stack.callback(_see_out, processes)
            yield processes


class _Processes(ProcessPoolExecutor):
    """A pool that says so if the thread that manages it fails, for want of memory: else it is waited for in vain."""

    failure: BaseException | None = None

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

    def check(self) -> None:
        """Raise what has ended the thread, if anything has."""
        if self.failure is not None:
            raise self.failure


def _see_out(pool: _Processes) -> None:
    """End a pool, also when one of its processes is killed while it takes its leave.

    Such a process can hold the lock of the queue from which the others are told to end. They would wait for it for
    ever, and the pool for them. If the pool has failed, nobody tells them to end.
    """
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    while alive := [process for process in processes if process.is_alive()]:
        if pool.failure is not None or any(process.exitcode for process in processes):
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


@contextmanager
def _all_or_none(workers: Workers) -> Iterator[None]:
    """End the processes that have begun if the system lets no more begin; else they would be waited for in vain."""
    before = set(multiprocessing.active_children())
    try:
        yield
    except (OSError, RuntimeError) as error:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        if isinstance(error, OSError):
            refusal = f"{error.strerror}; expected to begin with --workers {workers}, fewer may do"
            raise WorkersRefused(refusal) from error
        if "start new thread" in str(error):
            raise MemoryError(str(error)) from error
        raise


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


def _work(piece: range) -> tuple[Any, float]:
    return _timed(_work_here, piece)


def _timed(work: Callable[[range], _T], piece: range) -> tuple[_T, float]:
    began = time.perf_counter()
    result = work(piece)
    return result, time.perf_counter() - began
