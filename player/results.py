"""What comes of games: the moves that were made, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from minesweeper.player.board import Cell, Puzzle
from minesweeper.player.steps import Tier


@dataclass(frozen=True, slots=True)
class Move:
    """The cells clicked for one reason, in order, and the mines recognised with them; `tier` is None for a guess."""

    tier: Tier | None
    cells: tuple[Cell, ...]
    mines: tuple[Cell, ...] = ()

    @property
    def is_guess(self) -> bool:
        """Whether the cell was not certain to be safe."""
        return self.tier is None

    @property
    def reason(self) -> str:
        """Why in words: the title of the tier, or ``guess``."""
        return "guess" if self.tier is None else self.tier.title


class Fault(StrEnum):
    """How a game is lost without opening a mine: by a program that plays, or as logic took too long."""

    BROKE_OFF = "broke off"
    TOO_SLOW = "too slow"
    NONSENSE = "nonsense"
    OUT_OF_TIME = "out of time"


def forfeits_in_words(faults: Mapping[Fault, int]) -> str:
    """Say how many games were lost by which faults: ``3 games forfeited (2 too slow, 1 nonsense)``."""
    games = sum(faults.values())
    each = ", ".join(f"{faults[fault]} {fault}" for fault in Fault if faults.get(fault))
    return f"{games} game{'s' * (games != 1)} forfeited ({each})"


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game went: `opened` counts the safe cells open at its end, `guesses` the cells opened without certainty.

    The first click is no guess. `seconds` is the time it took, which equality ignores; `moves` is empty unless asked
    for. `fault` says how a program forfeited the game, or that it was given up, out of time; it then is lost.
    """

    won: bool
    opened: int
    guesses: int
    seconds: float = field(compare=False)
    moves: tuple[Move, ...] = ()
    fault: Fault | None = None


class PuzzleSource(Protocol):
    """Puzzles by number, such as `player.recipe.Recipe`."""

    def puzzle(self, index: int) -> Puzzle:
        """Return puzzle number `index`, the same each time."""


@dataclass(frozen=True)
class PuzzleList:
    """PuzzleSource from a list of puzzles."""

    puzzles: Sequence[Puzzle]

    def puzzle(self, index: int) -> Puzzle:
        return self.puzzles[index]


@dataclass(frozen=True)
class FromPosition(PuzzleList):
    """PuzzleSource of one position: puzzles that fit it, with the cells that are open there besides the first click."""

    opened: tuple[Cell, ...]
