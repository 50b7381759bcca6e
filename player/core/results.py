"""Values of games: moves, results, rated cells, and sources of puzzles to play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Final, Protocol

from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import BoardError, Fault, check_kind, counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.steps import Tier

_MOST_DRAWN: Final = 12


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
    opening a mine, and `error` says it in words; equality ignores it.

    >>> ms.play(ms.Recipe("expert", seed=3).puzzle(1), "champion").opened
    381
    """

    won: bool
    opened: int
    guesses: int
    seconds: float = field(compare=False)
    moves: tuple[Move, ...] = ()
    fault: Fault | None = None
    error: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cell that may be opened next.

    `safety` is the probability that the cell is safe. `progress` is the probability that it is safe and logic finds a
    safe cell afterwards. Strategies pick the cell with the highest `value`. If it is an estimate from samples, its 95%
    interval ends `margin` below and above it. `second` is the probability to survive this guess and the next one, and
    `win` that to win with perfect play; both are None if not computed. Other such numbers are 0, or NaN for the safety.
    """

    cell: Cell
    safety: float
    progress: float = 0.0
    value: float = 0.0
    margin: float = 0.0
    second: float | None = None
    win: float | None = None


class EvaluationKind(StrEnum):
    """The quantity by which the cells of a position are compared.

    Either the probability to win if a cell is opened next and all later play is perfect; or, if the position has too
    many layouts for that, the estimate of ``champion``, at most 1: the probability of surviving this guess and the next
    ones, as far as it looks ahead, with credit for a risk that an unavoidable guess would take later in any case.
    """

    WIN_PROBABILITY = "to win"
    ESTIMATE = "estimated"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Ratings of all uncertain cells of a position, best first; `kind` is the meaning of their values."""

    kind: EvaluationKind
    candidates: tuple[Candidate, ...]

    @property
    def groups(self) -> list[list[Candidate]]:
        """The candidates, those of equally good cells together."""
        return [list(alike) for _, alike in groupby(self.candidates, lambda one: (one.value, one.safety))]


class PuzzleSource(Protocol):
    """A numbered family of puzzles, such as `player.core.recipe.Recipe`."""

    def puzzle(self, index: int) -> Puzzle:
        """Return puzzle number `index`, always the same one."""


@dataclass(frozen=True, repr=False)
class PuzzleList:
    """The puzzles of a list, which a notebook draws.

    >>> ms.PuzzleList([*ms.puzzles("beginner", 2)])
    <PuzzleList of 2 puzzles>
    """

    puzzles: Sequence[Puzzle]

    def _repr_html_(self) -> str:
        drawn = "".join(f"<div>{one._repr_svg_()}</div>" for one in self.puzzles[:_MOST_DRAWN])
        more = len(self.puzzles) - _MOST_DRAWN
        rest = f"<div>and {more} more</div>" if more > 0 else ""
        return f'<div style="display:flex;flex-wrap:wrap;gap:12px">{drawn}{rest}</div>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {counted(len(self.puzzles), 'puzzle')}>"

    def puzzle(self, index: int) -> Puzzle:
        if not index < len(self.puzzles):
            raise BoardError(f"no puzzle {index} in a list of {len(self.puzzles)}; expected at most as many games")
        check_kind(self.puzzles[index], Puzzle, "puzzles")
        return self.puzzles[index]


@dataclass(frozen=True, repr=False)
class FromPosition(PuzzleList):
    """Puzzles that fit one position; `opened` are the cells that are open there besides the first click."""

    opened: tuple[Cell, ...]
