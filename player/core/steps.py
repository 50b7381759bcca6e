"""Tiers, deduction steps, the results of logic as values, and the names of the engines that find them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal, NamedTuple, get_args

from minesweeper.player.core.errors import counted, did_you_mean
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np

Engine = Literal["auto", "native", "sat"]
ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)


_TITLES: Final = ("first click", "1 clue", "2 clues", "more clues", "mine count")


class Tier(IntEnum):
    """The requirements of a deduction, from easiest to hardest."""

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
        """Return the tier with that title. Raises `ValueError` for an unknown title."""
        if title in _TITLES:
            return cls(_TITLES.index(title))
        raise ValueError(f"unknown tier {title!r}{did_you_mean(title, _TITLES)}; tiers: {', '.join(_TITLES)}")


class Tally(NamedTuple):
    """The number of cells that each tier decides in the solution of a puzzle."""

    one_clue: int
    two_clues: int
    more_clues: int
    mine_count: int

    @property
    def hardest(self) -> Tier:
        """The hardest tier that decides a cell; `Tier.FIRST_CLICK` if the first click solves the puzzle."""
        if self.mine_count:
            return Tier.MINE_COUNT
        if self.more_clues:
            return Tier.MORE_CLUES
        if self.two_clues:
            return Tier.TWO_CLUES
        return Tier.ONE_CLUE if self.one_clue else Tier.FIRST_CLICK

    @property
    def easy_clues(self) -> int:
        """The largest number of clues that a step of tier 1 or 2 needs at once; 0 without such steps."""
        return 2 if self.two_clues else min(self.one_clue, 1)


NOTHING: Final = Tally(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Step:
    """Cells decided together, with the clues that decide them.

    `safe` and `mines` are the claimed cell numbers, ascending. At tier 3, `clues` are the clue cells of the component;
    at the other tiers it is empty (tier 4 rests on all clues). A round at tier 1, 2 or 4 is one step; a round at tier 3
    has one step for each component that yields something.
    """

    tier: Tier
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    clues: tuple[int, ...] = ()


@dataclass(frozen=True)
class HardStep:
    """A step that needs more than two clues or the mine count, with the position before it.

    `undecided` has a byte for each cell, row by row: 1 if the cell was undecided before the step, else 0. Every known
    safe cell was open at that time.
    """

    step: Step
    undecided: bytes


@dataclass(frozen=True, eq=False)
class Screening(ArrayValue):
    """The result of solving a puzzle by complete logic.

    `stuck_at` is None if logic opens every safe cell; else an array of bool that marks the cells left
    undecided. `tally` counts the cells that each tier decides in a solved puzzle, the same for every engine; otherwise
    it is all zeros. `hard_steps` are in order; results of the kernel have none. `clues_at_once` is the largest
    number of clues that a step of a solved puzzle needs at once, see `player.logic.effort`; None if unknown.
    """

    tally: Tally
    hard_steps: tuple[HardStep, ...]
    stuck_at: NDArray[np.bool_] | None = None
    clues_at_once: int | None = None

    @property
    def solved(self) -> bool:
        """True if logic opens every safe cell."""
        return self.stuck_at is None


@dataclass(frozen=True, slots=True)
class PathEffort:
    """Measures of the order of a solution path.

    A step is open from the moment when its clues are open and the cells around them that it takes as known are known,
    until it is made. A step with the mine count takes everything before it as known. `steps` counts all steps and
    `hard_steps` those of more than two clues or with the mine count. `open_steps` is the mean number of steps open at a
    time, to 3 decimal places and 0 without steps. `longest_wait` is the largest number of other steps made while a step
    is open.
    """

    steps: int
    hard_steps: int
    open_steps: float
    longest_wait: int

    def __str__(self) -> str:
        return (
            f"{counted(self.steps, 'step')}, {self.hard_steps} hard; {self.open_steps:g} open at a time, "
            f"longest wait {counted(self.longest_wait, 'step')}"
        )
