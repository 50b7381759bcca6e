"""A job that a test can block in the server's worker processes."""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from minesweeper.player.core.board import Board

LOCK: Final = "MINESWEEPER_TEST_LOCK"


def blocked_replay(_: Board, __: Sequence[object], ___: float) -> bool:
    """Wait until the file in the variable `MINESWEEPER_TEST_LOCK` is unlocked."""
    with Path(os.environ[LOCK]).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
    return True
