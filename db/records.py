"""What the database keeps, as values: runs, puzzles and games."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from minesweeper.player.board import Puzzle
from minesweeper.player.measure.difficulty import Difficulty, difficulty
from minesweeper.player.measure.metrics import Measures, measures
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import Tally

if TYPE_CHECKING:
    from minesweeper.player.results import Fault

SOLVABLE: Final = "solvable"
UNSOLVABLE: Final = "unsolvable"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class RunKey:
    """Everything that fixes which puzzles a run keeps; a run with the same key is the same run, to be resumed.

    `method` is how puzzles are found, and which of them are kept if that is not all:
    ``rejection, hard for its size, 7 to 10``.
    """

    recipe: Recipe
    method: str = "rejection"


@dataclass(frozen=True, slots=True)
class Run:
    """How far a run has come.

    Every index below `next_index` is done. `candidates` were tried, `kept` of them are puzzles that the run added to
    the file, and `seconds` were spent.
    """

    id: int
    next_index: int
    candidates: int
    kept: int
    seconds: float


@dataclass(frozen=True)
class PuzzleRecord:
    """A puzzle, how hard it is, and how it was made.

    `tally` counts the cells that each tier decided; it is None for a
    puzzle that is not known to be solvable, and then `refuted` says whether it is known not to be. `clues_at_once` is
    how many clues the hardest step needs at once, see `player.measure.effort`; None if not known. `seed` and `index`
    are None for a puzzle that was not sampled. `run`, `created` (UTC) and `measured` are filled in by the database
    and do not count when records are compared.
    """

    puzzle: Puzzle
    rule: str
    index: int | None
    seed: int | None
    engine: str
    method: str
    tally: Tally | None
    certificate: str | None = None
    clues_at_once: int | None = None
    run: int | None = field(default=None, compare=False)
    created: str | None = field(default=None, compare=False)
    refuted: bool = False
    measured: Measures | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """The puzzle's id: 20 hexadecimal digits."""
        return self.puzzle.id

    @property
    def verdict(self) -> str:
        """What is known of it: ``solvable``, ``unsolvable`` by logic, or ``unknown``, if nobody has looked."""
        return SOLVABLE if self.tally is not None else UNSOLVABLE if self.refuted else UNKNOWN

    @property
    def hardest_tier(self) -> str | None:
        """The title of the hardest tier that solving needs; None if the puzzle is not known to be solvable."""
        return None if self.tally is None else self.tally.hardest.title

    @property
    def needs_mine_count(self) -> bool | None:
        """Whether the puzzle can't be solved without the number of mines; None if it is not known to be solvable."""
        return None if self.tally is None else self.tally.mine_count > 0

    def without_proof(self, *, refuted: bool = False) -> PuzzleRecord:
        """The same puzzle without what was known of its solution; `refuted` says that logic does not solve it."""
        return replace(self, tally=None, clues_at_once=None, certificate=None, refuted=refuted)

    def proved(
        self,
        tally: Tally,
        clues_at_once: int | None,
        engine: str,
        certificate: str | None,
        measured: Measures | None,
    ) -> PuzzleRecord:
        """The same puzzle with what a proof has found, and its measures."""
        # Not by `replace`, which takes longer than all else that Python does for a proof.
        record = object.__new__(PuzzleRecord)
        vars(record).update(vars(self))
        vars(record).update(
            tally=tally,
            clues_at_once=clues_at_once,
            engine=engine,
            certificate=certificate,
            measured=measured,
            refuted=False,
        )
        vars(record).pop("difficulty", None)
        return record

    def with_measures(self) -> PuzzleRecord:
        """The same puzzle with its measures: those that are stored, or else worked out."""
        return self if self.measured is not None else replace(self, measured=measures(self.puzzle))

    @cached_property
    def difficulty(self) -> Difficulty | None:
        """How hard it is; None if it is not known to be solvable."""
        if self.tally is None:
            return None
        return difficulty(self.tally, self.clues_at_once, self.puzzle.board.safe_cells)


@dataclass(frozen=True, slots=True)
class Sample:
    """A random board that need not be stored, because its recipe and its number there fix it."""

    recipe: Recipe
    index: int


@dataclass(frozen=True, slots=True)
class GameRecord:
    """The result of one strategy's game on one board: a stored puzzle, by its id, or a `Sample`.

    `opened` counts safe cells opened, the first click's included; `guesses` counts cells opened that were not certain,
    the first click not included. `fault` says how a program forfeited the game, which then is lost.
    """

    strategy: str
    board: str | Sample
    won: bool
    opened: int
    guesses: int
    seconds: float
    fault: Fault | None = None
