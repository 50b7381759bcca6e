"""The terminal as a stage: frames drawn over each other on the alternate screen, and single key presses."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

try:
    import termios
    import tty

    _has_keys = True
except ImportError:
    _has_keys = False

ReadKey = Callable[[float], str]

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_CLEAR_LINE: Final = "\x1b[K"
_CLEAR_BELOW: Final = "\x1b[J"
_NAMED_KEYS: Final = {"\x1b[C": "right", "\x1b[D": "left", "\x1bOC": "right", "\x1bOD": "left", " ": "space"}


@contextmanager
def alternate_screen() -> Iterator[None]:
    """Hide the cursor and what the terminal showed, and bring them back however this ends."""
    sys.stdout.write(_ENTER)
    try:
        yield
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()


def show(lines: Sequence[str]) -> None:
    """Draw a frame over the last one; lines that do not fit the height are left out."""
    height = shutil.get_terminal_size().lines
    body = f"{_CLEAR_LINE}\n".join(lines[:height])
    sys.stdout.write(f"{_HOME}{body}{_CLEAR_LINE}{_CLEAR_BELOW}")
    sys.stdout.flush()


def reads_keys() -> bool:
    """Say whether `key_presses` can read any: stdin must be a terminal."""
    return _has_keys and sys.stdin.isatty()


@contextmanager
def key_presses() -> Iterator[ReadKey]:
    """Give a function that waits so many seconds for a key and names it: a character, space, left or right; or nothing.

    Keys are neither echoed nor held back until Enter; Ctrl-C still interrupts.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def read(seconds: float) -> str:
        if not select.select([descriptor], [], [], seconds)[0]:
            return ""
        pressed = os.read(descriptor, 16).decode(errors="replace")
        return _NAMED_KEYS.get(pressed, pressed[:1])

    tty.setcbreak(descriptor)
    try:
        yield read
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
