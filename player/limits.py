"""Limits of computations: their time, memory and cells, and the moments when Ctrl-C may end them.

Long computations, the kernel and SAT solvers included, check the deadline of `time_limit` and raise `OutOfTime`. A
limit applies to the thread that sets it. Of nested limits, the earliest deadline applies.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from minesweeper.player.errors import BoardError, OutOfTime

MOST_CELLS: Final = 1_000_000
"""Limit of everything that takes much time or memory for each cell: see `check_cells`."""

_deadline: Final[ContextVar[float | None]] = ContextVar("deadline", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Limit the block to `seconds` in total; None sets no limit.

    Raises `ValueError` for a limit that is not above 0.

    >>> with ms.time_limit(60):
    ...     ms.solve(ms.Recipe("expert", seed=3).puzzle(0))
    <Solved 16x30/99: 12 safe, 7 mines, best (6, 12)>
    """
    if seconds is None:
        yield
        return
    if not seconds > 0:
        raise ValueError(f"time limit {seconds} is out of range; expected more than 0 seconds")
    mine, outer = time.perf_counter() + seconds, _deadline.get()
    token = _deadline.set(mine if outer is None else min(mine, outer))
    try:
        yield
    finally:
        _deadline.reset(token)


def limited() -> bool:
    """Return True if any limit applies."""
    return _deadline.get() is not None


def check_time() -> None:
    """Raise `OutOfTime` after the deadline."""
    deadline = _deadline.get()
    if deadline is not None and time.perf_counter() > deadline:
        raise OutOfTime("the time limit is over")


def check_cells(rows: int, cols: int, use: str) -> None:
    """Raise `BoardError` for a board of more than a million cells, which is too large for a `use` such as games."""
    if rows * cols > MOST_CELLS:
        raise BoardError(f"{rows}x{cols} is too large for {use}; expected at most {MOST_CELLS:,} cells")


@contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Let allocations of more than `size` bytes in this process raise `MemoryError` within the block, on Linux."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    import resource

    limits = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(statm.read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Defer Ctrl-C. Processes that start meanwhile inherit the blocked signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
