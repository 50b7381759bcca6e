"""Ctrl-C as a question that can be asked between two pieces of work."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


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
