"""Parallel work on ranges of numbers by a thread, processes or a cluster: ordered results, and a stop on Ctrl-C.

The work is a pure function of a range; see `map_ranges`.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.limits import block_interrupts

if TYPE_CHECKING:
    from minesweeper.player.parallel.cluster import Cluster

_T = TypeVar("_T")

log = logging.getLogger(__name__)

_SECONDS_PER_PIECE: Final = 0.5
_PIECES_PER_WORKER: Final = 3
_GROWTH: Final = 4
_MAX_PIECE: Final = 4_000  # bounds the memory of results that wait for earlier ones
_POLL_SECONDS: Final = 0.1

Workers: TypeAlias = "int | Cluster"
"""A number of worker processes, or a cluster."""


def available_workers() -> int:
    """Return the number of processor cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def worker_pool(workers: int | None, cluster: str | None) -> Iterator[Workers]:
    """Provide workers: a number of processes, the cluster at an address, or by default one process per core.

    Raises `ConfigError` for an unusable cluster, or if both are given.
    """
    if cluster is None:
        yield workers or available_workers()
        return
    if workers is not None:
        raise ConfigError(f"both {workers} workers and the cluster {cluster!r} given: expected one of them")
    from minesweeper.player.parallel.cluster import open_cluster

    with open_cluster(cluster) as found:
        yield found


def parallelism(workers: Workers) -> int:
    """Return the number of pieces of work that run at the same time."""
    return workers if isinstance(workers, int) else workers.width


def at_most(workers: Workers, pieces: int) -> Workers:
    """Limit the number of processes to the number of pieces of work."""
    return max(1, min(workers, pieces)) if isinstance(workers, int) else workers


def map_ranges(
    work: Callable[[range], _T],
    numbers: range,
    workers: Workers,
    *,
    stop: Callable[[], bool] = lambda: False,
    wanted: Callable[[], float] = lambda: math.inf,
    isolated: bool = False,
) -> Generator[tuple[range, _T], None, None]:
    """Split `numbers` into ranges and yield each with the result of `work`, in order.

    The size of ranges grows to about half a second of work or 4,000 numbers. Once `stop` returns True no new
    range starts, and the running ones are finished and yielded. `wanted` estimates how many more numbers the caller
    needs, to limit surplus work. A single worker is a thread unless `isolated`. Work of lost workers of a cluster is
    repeated; its unfinished work is dropped at a stop. Raises `WorkerDied`, and the errors of `work`.
    """
    if isinstance(workers, int) and workers < 1:
        raise ValueError(f"{workers} workers; expected 1 or more")
    if not isinstance(workers, int) and not hasattr(workers, "submit"):
        raise TypeError(f"expected a number of workers or a cluster, got {type(workers).__name__}")
    who = f"{workers} workers begin" if isinstance(workers, int) else f"{workers} begins"
    log.info("numbers %d to %d: %s", numbers.start, numbers.stop - 1, who)
    size = 1
    pending: deque[tuple[range, Future[tuple[_T, float]]]] = deque()
    running = 0
    try:
        with _pool(partial(_timed, work), workers, isolated) as (begin, check):
            while True:
                while numbers and len(pending) < _PIECES_PER_WORKER * parallelism(workers) and not stop():
                    share = max(0.0, wanted() - running) / parallelism(workers)
                    if pending and share == 0:
                        break
                    piece = numbers[: size if share >= size else max(1, int(share))]
                    numbers = numbers[len(piece) :]
                    with block_interrupts():
                        pending.append((piece, begin(piece)))
                    running += len(piece)
                # Cancel pieces that have not started, last first, so that the results have no gap.
                while stop() and pending and pending[-1][1].cancel():
                    pending.pop()
                if not pending:
                    log.info("the workers are done")
                    return
                # An interrupt within `wait` can leave a lock locked, for which a thread would then wait forever.
                with interruptible() as interrupted:
                    # The set of futures itself would keep their exceptions alive.
                    is_done = len(wait([pending[0][1]], timeout=_POLL_SECONDS).done) == 1
                if interrupted():
                    signal.raise_signal(signal.SIGINT)
                if not is_done:
                    check(stop())
                    continue
                piece, future = pending.popleft()
                result, seconds = future.result()
                running -= len(piece)
                fitting = int(len(piece) * _SECONDS_PER_PIECE / max(seconds, 1e-9))
                size = max(1, min(fitting, _GROWTH * size, _MAX_PIECE))
                yield piece, result
    except Exception as error:
        if not isinstance(workers, int):
            workers.check_loss(error)
        raise
    finally:
        for _, future in pending:
            future.cancel()


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Provide a function that returns True after the first Ctrl-C; a second Ctrl-C interrupts as usual.

    Threads other than the main one never receive Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
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
    work: Callable[[range], _T], workers: Workers, isolated: bool
) -> Iterator[tuple[Callable[[range], Future[_T]], Callable[[bool], None]]]:
    """Provide a function that starts the work on a piece, and one that raises if the pool has failed.

    The argument of the second is True once the running pieces are the last ones.
    """
    if not isinstance(workers, int):
        yield lambda piece: workers.submit(work, piece), lambda _: workers.check()
    elif workers == 1 and not isolated:
        # In the main thread solvers would handle Ctrl-C themselves.
        thread = ThreadPoolExecutor(1)
        try:
            yield lambda piece: thread.submit(work, piece), lambda _: None
        finally:
            thread.shutdown(cancel_futures=True)
    else:
        from minesweeper.player.parallel.processes import processes

        with processes(work, workers) as pool:
            yield pool


def _timed(work: Callable[[range], _T], piece: range) -> tuple[_T, float]:
    began = time.perf_counter()
    result = work(piece)
    return result, time.perf_counter() - began
