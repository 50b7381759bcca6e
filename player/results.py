"""Results of games, and sources of puzzles to play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from minesweeper.player.board import Cell, Puzzle
from minesweeper.player.errors import Fault
from minesweeper.player.steps import Tier


@dataclass(frozen=True, slots=True)
class Move:
    """The cells clicked for one reason, in order, and the mines found with them; `tier` is None for a guess."""

    tier: Tier | None
    cells: tuple[Cell, ...]
    mines: tuple[Cell, ...] = ()

    @property
    def is_guess(self) -> bool:
        """True if the cell was not certain to be safe."""
        return self.tier is None

    @property
    def reason(self) -> str:
        """The title of the tier, or ``guess``."""
        return "guess" if self.tier is None else self.tier.title


def forfeits_in_words(faults: Mapping[Fault, int]) -> str:
    """Write the number of forfeited games by fault: ``3 games forfeited (2 too slow, 1 nonsense)``."""
    games = sum(faults.values())
    each = ", ".join(f"{faults[fault]} {fault}" for fault in Fault if faults.get(fault))
    return f"{games} game{'s' * (games != 1)} forfeited ({each})"


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game: `opened` counts the safe cells opened, `guesses` the uncertain cells opened.

    The first click is no guess. `seconds` is the CPU time of this process, or the wall time if another program played;
    equality ignores it. `moves` is empty unless they were kept. `fault` is the reason if the game was lost without
    opening a mine.
    """

    won: bool
    opened: int
    guesses: int
    seconds: float = field(compare=False)
    moves: tuple[Move, ...] = ()
    fault: Fault | None = None


class PuzzleSource(Protocol):
    """A numbered family of puzzles, such as `player.recipe.Recipe`."""

    def puzzle(self, index: int) -> Puzzle:
        """Return puzzle number `index`, always the same one."""


@dataclass(frozen=True)
class PuzzleList:
    """The puzzles of a list."""

    puzzles: Sequence[Puzzle]

    def puzzle(self, index: int) -> Puzzle:
        return self.puzzles[index]


@dataclass(frozen=True)
class FromPosition(PuzzleList):
    """Puzzles that fit one position; `opened` are the cells that are open there besides the first click."""

    opened: tuple[Cell, ...]
