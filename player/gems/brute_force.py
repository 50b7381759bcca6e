"""The algorithm ``brute-force``: every assignment of traps and gems, held against every clue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from minesweeper.player.gems.parts import Part
from minesweeper.player.gems.puzzle import GemError

MAX_CELLS: Final = 22


def brute_force_solutions(part: Part) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable. Raises `GemError` for more than 22 cells."""
    if part.size > MAX_CELLS:
        raise GemError(
            f"expected at most {MAX_CELLS} unknown cells that hang together, for brute-force to end: {part.size}"
        )
    clues = [([variable - 1 for variable in variables], need) for variables, need in part.clues]
    for traps in product((False, True), repeat=part.size):
        if all(sum(traps[cell] for cell in cells) == need for cells, need in clues):
            yield list(traps)
