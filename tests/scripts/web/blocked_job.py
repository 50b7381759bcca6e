"""A job that a test can block in the server's worker processes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from minesweeper.player.board import Puzzle
from minesweeper.player.recipe import Preset, Recipe, StartRule

LOCK: Final = "MINESWEEPER_TEST_LOCK"


def blocked_puzzle(size: Preset, *_: object) -> Puzzle:
    """Return a board; with many mines, wait until the file in the variable `MINESWEEPER_TEST_LOCK` is unlocked."""
    if size.mines > 500:
        with Path(os.environ[LOCK]).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
    return Recipe(*size, (0, 0), StartRule.SAFE, 1).puzzle(0)
