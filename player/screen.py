"""The terminal as a stage: frames drawn over each other on the alternate screen, which goes away afterwards."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_CLEAR_LINE: Final = "\x1b[K"
_CLEAR_BELOW: Final = "\x1b[J"


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
