"""The algorithm ``brute-force``: check every assignment of traps and gems against every clue."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import product
from typing import Final

from minesweeper.player.gems.puzzle import GemError, Part

_CLOCK_INTERVAL: Final = 4096


def brute_force_solutions(part: Part, seconds: float = math.inf) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable. Raises `GemError` after `seconds`."""
    clues = [([variable - 1 for variable in variables], need) for variables, need in part.clues]
    deadline = time.monotonic() + seconds
    for number, traps in enumerate(product((False, True), repeat=part.size)):
        if number % _CLOCK_INTERVAL == 0 and time.monotonic() > deadline:
            raise GemError(
                f"brute-force needs more than {seconds:g} s for a part with {part.size} unknown cells; "
                "choose another algorithm"
            )
        if all(sum(traps[cell] for cell in cells) == need for cells, need in clues):
            yield list(traps)
