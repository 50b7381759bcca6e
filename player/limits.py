"""How long logic may take: a limit on all that is asked within a ``with`` block.

    with time_limit(10):
        chances = probabilities(view)

Whatever may take long looks at it, the kernel and SAT solvers included, and raises `OutOfTime`. A limit holds in the
thread that sets it. Of limits within limits, the first to end counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_deadline: Final[ContextVar[float | None]] = ContextVar("deadline", default=None)


class OutOfTime(Exception):
    """Logic was given up, as it took longer than it may."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Let what is asked within the block take at most so many seconds, all in all; None for as long as it takes.

    Raises `ValueError` for a limit that is not above 0.
    """
    if seconds is None:
        yield
        return
    if not seconds > 0:
        raise ValueError(f"expected a time limit of more than 0 seconds: {seconds}")
    mine, outer = time.perf_counter() + seconds, _deadline.get()
    token = _deadline.set(mine if outer is None else min(mine, outer))
    try:
        yield
    finally:
        _deadline.reset(token)


def limited() -> bool:
    """Say whether any limit holds here."""
    return _deadline.get() is not None


def check_time() -> None:
    """Raise `OutOfTime` once the time is up."""
    deadline = _deadline.get()
    if deadline is not None and time.perf_counter() > deadline:
        raise OutOfTime("gave up, as the time limit is over")
