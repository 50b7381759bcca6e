"""Screen candidates with many processes, and hand the results back in order of index."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from generator.certify import Certificate, certify
from generator.sampling import Recipe
from generator.screening import Kept, screen_range

log = logging.getLogger(__name__)

_SECONDS_PER_CHUNK: Final = 0.2
_FIRST_CHUNK_CELLS: Final = 20_000
_CHUNKS_PER_WORKER: Final = 2


class WorkerDied(RuntimeError):
    """A worker process was killed. What was stored before is kept."""


@dataclass(frozen=True)
class Task:
    """How candidates are screened: which ones, by which engine, and whether SAT must prove the solutions."""

    recipe: Recipe
    engine: str = "auto"
    certified: bool = True


@dataclass(frozen=True)
class Chunk:
    """The solvable puzzles among the candidates `start` to `stop` - 1, and the seconds it took to find them."""

    start: int
    stop: int
    puzzles: list[tuple[Kept, Certificate | None]]
    seconds: float


def screen_chunk(task: Task, start: int, stop: int) -> Chunk:
    """Screen the candidates `start` to `stop` - 1, and certify what is kept. Raises `ProofFailed`."""
    began = time.perf_counter()
    kept = screen_range(task.recipe, start, stop, task.engine)
    puzzles = [(puzzle, certify(puzzle) if task.certified else None) for puzzle in kept]
    chunk = Chunk(start, stop, puzzles, time.perf_counter() - began)
    log.info("candidates %d to %d: %d solvable, %.2f s", start, stop - 1, len(puzzles), chunk.seconds)
    return chunk


@contextmanager
def worker_pool(workers: int) -> Iterator[Executor]:
    """Give a pool of processes, or of one thread for a single worker, so that interruptions stay with the caller."""
    pool: Executor
    if workers == 1:
        pool = ThreadPoolExecutor(1)
    else:
        # Forked workers start at once and inherit the log handlers; elsewhere they start anew.
        fork = "fork" in multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("fork" if fork else "spawn")
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_depend_on_parent)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


class Screening:
    """Chunks of candidates in order of index, from `start` up to `stop` if given, screened ahead of their use.

    Chunks grow until one takes about a fifth of a second, so that an interruption is served soon, and shrink again
    when few candidates are still needed.
    """

    def __init__(self, task: Task, pool: Executor, workers: int, start: int, stop: int | None) -> None:
        self._task, self._pool, self._workers = task, pool, workers
        self._next, self._stop = start, stop
        self._size = max(1, _FIRST_CHUNK_CELLS // (task.recipe.rows * task.recipe.cols))
        self._taken = start
        self._pending: deque[Future[Chunk]] = deque()

    def stop(self) -> None:
        """Begin no further chunk; those begun still come."""
        self._stop = self._next
        # Chunks that no worker has taken are given back, from the last, so that what remains has no gap.
        while self._pending and self._pending[-1].cancel():
            self._pending.pop()

    def next_chunk(self, candidates_needed: float) -> Chunk | None:
        """Return the next chunk, None after the last. Raises `WorkerDied` if a worker was killed, and `ProofFailed`.

        `candidates_needed` is an estimate of how many more will be asked for, infinite if there is none.
        """
        try:
            while len(self._pending) < _CHUNKS_PER_WORKER * self._workers:
                bounds = self._bounds(candidates_needed)
                if bounds is None:
                    break
                self._pending.append(self._pool.submit(screen_chunk, self._task, *bounds))
            if not self._pending:
                return None
            chunk = self._pending.popleft().result()
        except BrokenProcessPool:
            raise WorkerDied("a worker process was killed; all that was stored is kept") from None
        self._taken = chunk.stop
        grown = (chunk.stop - chunk.start) * _SECONDS_PER_CHUNK / max(chunk.seconds, 1e-6)
        self._size = max(1, min(4 * self._size, int(grown)))
        return chunk

    def _bounds(self, candidates_needed: float) -> tuple[int, int] | None:
        start = self._next
        if self._stop is not None and start >= self._stop:
            return None
        share = max(0.0, candidates_needed - (start - self._taken)) / self._workers
        size = self._size if share >= self._size else max(1, int(share))
        self._next = start + size if self._stop is None else min(start + size, self._stop)
        return start, self._next


def _depend_on_parent() -> None:
    """Leave interruptions to the parent, which alone decides what becomes of the work, and end when it is gone."""
    if hasattr(signal, "pthread_sigmask"):
        # Ignoring the signal would not do: solvers set a handler of their own while they work.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
