"""The smallest patterns that stop logic, how many of them to expect, and what follows for critical densities.

A pattern here is an *exchange*: mines that could as well be on as many other cells, without any clue telling. In the
middle of a board the smallest has six mines (Louf, *Phase transition for Minesweeper*, 2025, proposition 3): two by two
cells with mines on one diagonal, and on the four cells beyond its corners. The other diagonal would show the same
clues, whatever is on the eight cells along its sides. At the rim four mines are enough, and in a corner three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Final


@dataclass(frozen=True)
class Obstacle:
    """A pattern: the mines and the safe cells that make it, the ways to lie in a place, and the places on a board."""

    mines: int
    safe: int
    ways: int
    places: Callable[[int], int]


OBSTACLES: Final = (
    Obstacle(6, 2, 2, lambda side: (side - 3) ** 2),  # two by two cells in the middle
    Obstacle(4, 2, 2, lambda side: 4 * (side - 3)),  # the same on the rim
    Obstacle(4, 1, 2, lambda side: 4 * (side - 3)),  # two cells, one behind the other, and mines on the three behind
    Obstacle(3, 2, 2, lambda _: 4),  # two by two cells in a corner
    Obstacle(3, 1, 4, lambda _: 4),  # there two cells along either rim, and mines on the two beyond them
)
MIDDLE: Final = OBSTACLES[:1]

LIMIT: Final = (log(2) / 2) ** (1 / 6)
"""Where density * cells^(1/6) of half the boards tends: two ways for each of n squares, 2 * n * p^6 = ln 2."""


def expected(side: int, density: float, obstacles: tuple[Obstacle, ...] = OBSTACLES) -> float:
    """How many of these obstacles a square board is expected to have, each cell being a mine with chance `density`."""
    return sum(one.ways * one.places(side) * density**one.mines * (1 - density) ** one.safe for one in obstacles)


def critical_density(side: int) -> float:
    """The density at which half the boards would have none of these obstacles, were they scattered at random."""
    low, high = 0.0, 0.5
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if expected(side, middle) < log(2) else (low, middle)
    return low
