"""Work on numbered things with many processes or a cluster: results in order, and a stop on Ctrl-C.

Work is a pure function of a range of numbers. Threads, processes and a cluster are executors for the same way through
it, which is `map_ranges`.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from functools import partial
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


Workers = int | Cluster
"""Who works: so many processes, or a cluster."""


def available_workers() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def worker_pool(workers: int | None, cluster: str | None) -> Iterator[Workers]:
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


def parallelism(workers: Workers) -> int:
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
        with _pool(partial(_timed, work), workers) as (begin, check):
            while True:
                while numbers and len(pending) < _PIECES_PER_WORKER * parallelism(workers) and not stop():
                    share = max(0.0, wanted() - under_way) / parallelism(workers)
                    piece = numbers[: size if share >= size else max(1, int(share))]
                    numbers = numbers[len(piece) :]
                    with interruptions_held():
                        pending.append((piece, begin(piece)))
                    under_way += len(piece)
                # Pieces that no worker has taken are given back, from the last, so that the results have no gap.
                while stop() and pending and pending[-1][1].cancel():
                    pending.pop()
                if not pending:
                    log.info("the workers are done")
                    return
                if not wait([pending[0][1]], timeout=_PATIENCE).done:
                    check()
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
    except BrokenExecutor:
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
def _pool(
    work: Callable[[range], _T], workers: Workers
) -> Iterator[tuple[Callable[[range], Future[_T]], Callable[[], None]]]:
    """Give what has a piece of the work begun, and what raises the reason if nothing will come of it any more."""
    if not isinstance(workers, int):
        yield lambda piece: workers.submit(work, piece), lambda: None
    elif workers == 1:
        # Not the main thread: there, solvers would catch Ctrl-C for themselves while they work.
        thread = ThreadPoolExecutor(1)
        try:
            yield lambda piece: thread.submit(work, piece), lambda: None
        finally:
            thread.shutdown(cancel_futures=True)
    else:
        from minesweeper.player.processes import processes

        with processes(work, workers) as pool:
            yield pool.begin, pool.check


def _timed(work: Callable[[range], _T], piece: range) -> tuple[_T, float]:
    began = time.perf_counter()
    result = work(piece)
    return result, time.perf_counter() - began
