"""What follows from a view?

A `Reasoner` holds one game's knowledge and is told clues as cells are opened. It answers in *rounds*: each round uses
the easiest tier that yields anything, and claims everything that this tier gives in the present position. So which
tiers a puzzle needs, and how many cells each decides, is a property of the puzzle and not of the engine.

* tier 1, one clue: a clue needs no more mines, or needs all its hidden cells.
* tier 2, two clues: everything that two overlapping clues decide together.
* tier 3, more clues: everything that the clues of one component decide together.
* tier 4, mine count: everything that all the clues and the number of mines decide together.

Cells are named here by number, ``row * cols + col``, as the engines do; `closure` speaks in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from player.board import HIDDEN, Cell, View


class Tier(IntEnum):
    """How much it takes to see a deduction, from easiest to hardest."""

    ONE_CLUE = 1
    TWO_CLUES = 2
    MORE_CLUES = 3
    MINE_COUNT = 4


class InconsistentView(ValueError):
    """No layout of mines fits the view.

    `clues` are (row, col) cells whose clues cannot all be true, and no smaller part of them clashes;
    `mine_count` says whether the number of mines is part of the clash.
    """

    def __init__(self, clues: Sequence[Cell], mine_count: bool) -> None:
        self.clues = tuple(clues)
        self.mine_count = mine_count
        named = [f"the clue at {cell}" for cell in self.clues] + ["the number of mines"] * mine_count
        super().__init__("no layout of mines fits " + " and ".join(named))

    def __reduce__(self) -> tuple[type[InconsistentView], tuple[tuple[Cell, ...], bool]]:
        return type(self), (self.clues, self.mine_count)


@dataclass(frozen=True, slots=True)
class Step:
    """Cells decided together, and what they follow from.

    `safe` and `mines` are the cell numbers claimed, ascending. For tier 3, `clues` are the clue cells of the component;
    at the other tiers it is empty (tier 4 rests on all clues). A round at tier 1, 2 or 4 is one step; a round
    at tier 3 has one step for each component that yields something.
    """

    tier: Tier
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    clues: tuple[int, ...] = ()


class Reasoner(Protocol):
    """An engine's knowledge of one game. Made with ``Engine(rows, cols, mines)``."""

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        """Take note that `cells` were opened and show `clues`. Raises `ValueError` for a clue outside 0 to 8,
        `InconsistentView` at once or in `advance` if that cannot be."""

    def advance(self) -> list[Step]:
        """Return the next round of deductions, taken as known from now on; empty once nothing more follows."""
