"""What deductions are told in: the tiers, steps, how many cells each tier decides, and what that makes of a puzzle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_TITLES: Final = ("first click", "1 clue", "2 clues", "more clues", "mine count")


class Tier(IntEnum):
    """How much it takes to see a deduction, from easiest to hardest."""

    FIRST_CLICK = 0
    ONE_CLUE = 1
    TWO_CLUES = 2
    MORE_CLUES = 3
    MINE_COUNT = 4

    @property
    def title(self) -> str:
        """The tier in words: ``first click``, ``1 clue``, ``2 clues``, ``more clues`` or ``mine count``."""
        return _TITLES[self]

    @classmethod
    def titled(cls, title: str) -> Tier:
        """Return the tier with that title. Raises `ValueError` if there is none."""
        for tier in cls:
            if tier.title == title:
                return tier
        raise ValueError(f"expected a tier, {', '.join(tier.title for tier in cls)}: {title!r}")


class Tally(NamedTuple):
    """How many cells each tier decides on the way to the solution of a puzzle."""

    one_clue: int
    two_clues: int
    more_clues: int
    mine_count: int

    @property
    def hardest(self) -> Tier:
        """The hardest tier that decides a cell; `Tier.FIRST_CLICK` if the first click solves the puzzle."""
        # Asked of every puzzle that is stored, so no loop.
        if self.mine_count:
            return Tier.MINE_COUNT
        if self.more_clues:
            return Tier.MORE_CLUES
        if self.two_clues:
            return Tier.TWO_CLUES
        return Tier.ONE_CLUE if self.one_clue else Tier.FIRST_CLICK


NOTHING: Final = Tally(0, 0, 0, 0)


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


@dataclass(frozen=True, eq=False)
class HardStep:
    """A step that took more than two clues or the mine count, with what it rests on.

    `undecided` has a byte for each cell, row by row: 1 if it was not yet known to be safe or a mine when the step was
    taken, else 0. Every known safe cell was open at the time.
    """

    step: Step
    undecided: bytes


@dataclass(frozen=True, eq=False)
class Screening:
    """What complete logic makes of a puzzle.

    `stuck_at` is None if logic opens every safe cell; else a (rows, cols) array of bool, the cells that stay undecided.
    `tally` counts the cells that each tier decided, from one clue to the mine count, if the puzzle is solved; it is
    a property of the puzzle, whatever the engine. Otherwise it is all zeros. `hard_steps` are in the order taken.
    `clues_at_once` is how many clues a solved puzzle takes at once, see `player.measure.effort`; None if not known.
    """

    tally: Tally
    hard_steps: tuple[HardStep, ...]
    stuck_at: NDArray[np.bool_] | None = None
    clues_at_once: int | None = None

    @property
    def solved(self) -> bool:
        """Whether logic opens every safe cell."""
        return self.stuck_at is None
