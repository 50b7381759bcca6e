"""Work that a test holds in the server's worker processes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from minesweeper.player.board import Puzzle
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe
from minesweeper.player.words import Preset

LOCK: Final = "MINESWEEPER_TEST_DOOR"


def held_puzzle(size: Preset, *_: object) -> Puzzle:
    """Deal a board; one with many mines only once nobody holds the file that the environment names."""
    if size.mines > 500:
        with Path(os.environ[LOCK]).open() as door:
            fcntl.flock(door, fcntl.LOCK_SH)
    return Recipe(*size, (0, 0), StartRule.SAFE, 1).puzzle(0)
