"""Limits of computations: their time, memory and cells, and the moments when Ctrl-C may end them.

Long computations, the kernel and SAT solvers included, check the deadline of `time_limit` and raise `OutOfTime`. A
limit applies to the thread that sets it. Of nested limits, the earliest deadline applies.
"""

from __future__ import annotations

import faulthandler
import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Real
from pathlib import Path
from types import FrameType
from typing import Final

from minesweeper.player.core.errors import BoardError, OutOfTime, check_kind

MOST_CELLS: Final = 1_000_000
"""Limit of everything that takes much time or memory for each cell: see `check_cells`."""

_GRACE_SECONDS: Final = 2.0

_deadline: Final[ContextVar[float | None]] = ContextVar("deadline", default=None)


@contextmanager
def time_limit(seconds: float | None, *, enforced: bool = False) -> Iterator[None]:
    """Limit the block to `seconds` in total; None sets no limit.

    With `enforced`, code that does not check the limit is interrupted in the main thread of a process: `OutOfTime` is
    raised anywhere in it, and if that does not end it within 2 seconds, the process ends. Raises `ValueError` for a
    limit that is not above 0.

    >>> with ms.time_limit(60):
    ...     ms.solve(ms.Recipe("expert", seed=3).puzzle(0))
    <Solved 16x30/99: 12 safe, 7 mines, best (6, 12)>
    """
    if seconds is None:
        yield
        return
    check_kind(seconds, Real, "a number of seconds")
    if not seconds > 0:
        raise ValueError(f"time limit {seconds} is out of range; expected more than 0 seconds")
    mine, outer = time.perf_counter() + seconds, _deadline.get()
    token = _deadline.set(mine if outer is None else min(mine, outer))
    try:
        with _enforced(seconds) if enforced else nullcontext():
            yield
    finally:
        _deadline.reset(token)


@contextmanager
def _enforced(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(number: int, frame: FrameType | None) -> None:
        raise OutOfTime("the time limit is over")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # Python code may catch the exception, and C code may never return; this prints where they are.
    faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True, file=2)  # not a replaced `sys.stderr`
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def seconds_left() -> float | None:
    """Return the time to the deadline, None without a limit."""
    deadline = _deadline.get()
    return None if deadline is None else deadline - time.perf_counter()


def limited() -> bool:
    """Return True if any limit applies."""
    return _deadline.get() is not None


def check_time() -> None:
    """Raise `OutOfTime` after the deadline."""
    left = seconds_left()
    if left is not None and left < 0:
        raise OutOfTime("the time limit is over")


def check_cells(shape: tuple[int, ...], use: str) -> None:
    """Raise `BoardError` for an array of more than a million cells, which is too large for a `use` such as games."""
    if math.prod(shape) > MOST_CELLS:
        size = "x".join(map(str, shape))
        raise BoardError(f"{size} is too large for {use}; expected at most {MOST_CELLS:,} cells")


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
