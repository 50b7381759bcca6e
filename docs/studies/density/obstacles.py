"""The smallest patterns that stop logic, their expected number, and the critical densities that follow.

A pattern is a mine swap: its mines could as well be on as many other cells, without changing any clue. Inside a board
the smallest has six mines (Louf, *Phase transition for Minesweeper*, 2025, proposition 3): two on a diagonal of a block
of two by two cells, and four on the cells diagonally next to its corners. The other diagonal gives the same clues,
independent of the eight cells next to the sides of the block. At an edge four mines suffice, in a corner three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Final


@dataclass(frozen=True)
class Obstacle:
    """A pattern: numbers of mines and safe cells, variants in one place, and places on a board of a given side."""

    mines: int
    safe: int
    ways: int
    places: Callable[[int], int]


OBSTACLES: Final = (
    Obstacle(6, 2, 2, lambda side: (side - 3) ** 2),  # two by two cells inside
    Obstacle(4, 2, 2, lambda side: 4 * (side - 3)),  # the same at an edge
    Obstacle(4, 1, 2, lambda side: 4 * (side - 3)),  # two cells in a column, three mines behind them
    Obstacle(3, 2, 2, lambda _: 4),  # two by two cells in a corner
    Obstacle(3, 1, 4, lambda _: 4),  # two cells along either edge, two mines beyond them
)
LIMIT: Final = (log(2) / 2) ** (1 / 6)
"""The limit of critical density * cells^(1/6), from 2 * n * p^6 = ln 2: two variants in each of n places."""


def expected(side: int, density: float, obstacles: tuple[Obstacle, ...] = OBSTACLES) -> float:
    """Return the expected number of obstacles on a square board whose cells are mines with probability `density`."""
    return sum(one.ways * one.places(side) * density**one.mines * (1 - density) ** one.safe for one in obstacles)


def critical_density(side: int) -> float:
    """Return the density at which half the boards have no obstacle, if obstacles are scattered at random."""
    low, high = 0.0, 0.5
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if expected(side, middle) < log(2) else (low, middle)
    return low
