"""Values that the database stores: runs, puzzles and games."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.difficulty import Difficulty, rate_solution
from minesweeper.player.core.errors import Fault
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.steps import PathEffort, Tally
from minesweeper.player.logic.metrics import Measures, measure_all

if TYPE_CHECKING:
    from minesweeper.player.logic.paper import Generosity

ON_SCREEN: Final = "@screen"
"""End of the name of a strategy for its games in windows of other programs; their samples stand for unknown boards."""
SOLVABLE: Final = "solvable"
UNSOLVABLE: Final = "unsolvable"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class RunKey:
    """Key of a run; a run with the same key finds the same puzzles and resumes the earlier run.

    `method` names the method of the generator and the filter, if any: ``rejection, hard for its size, 7 to 10``.
    """

    recipe: Recipe
    method: str = "rejection"


@dataclass(frozen=True, slots=True)
class Run:
    """Progress of a run.

    Every index below `next_index` is done. `candidates` boards were tried, `kept` puzzles were added to the file, and
    `seconds` were spent.
    """

    id: int
    next_index: int
    candidates: int
    kept: int
    seconds: float


@dataclass(frozen=True)
class PuzzleRecord:
    """A puzzle with its solution steps, difficulty and origin.

    `tally` counts the cells that each tier decided. It is None for a puzzle without a proof; `refuted` is then true if
    logic provably does not solve it. `clues_at_once` is the number of clues that the hardest step needs at once, see
    `player.logic.effort`, or None if unknown. `effort` measures the solution path; None if not measured. `seed` and
    `sample_index` are None for a puzzle that was not sampled. The database sets `run`, `created` (UTC), `measured`
    and `canonical_id`, which only proofs check; comparisons ignore them. `clues` are those of its paper form.
    """

    puzzle: Puzzle
    start: str
    sample_index: int | None
    seed: int | None
    engine: str
    method: str
    tally: Tally | None
    certificate: str | None = None
    clues_at_once: int | None = None
    effort: PathEffort | None = None
    run: int | None = field(default=None, compare=False)
    created: str | None = field(default=None, compare=False)
    refuted: bool = False
    measured: Measures | None = field(default=None, compare=False)
    path: bytes | None = field(default=None, compare=False)
    canonical_id: str | None = field(default=None, compare=False)
    clues: Generosity = field(default="minimal", compare=False)

    @classmethod
    def unchecked(cls, **fields: Any) -> PuzzleRecord:
        """Construct without checking the names of the fields, in a third of the time."""
        record = object.__new__(cls)
        vars(record).update(fields)
        return record

    @property
    def id(self) -> str:
        """The puzzle's id: 20 hexadecimal digits."""
        return self.puzzle.id

    @property
    def verdict(self) -> str:
        """``solvable``, ``unsolvable`` by logic, or ``unknown`` without a proof."""
        return SOLVABLE if self.tally is not None else UNSOLVABLE if self.refuted else UNKNOWN

    @property
    def hardest_tier(self) -> str | None:
        """The title of the hardest tier that solving needs; None without a proof."""
        return None if self.tally is None else self.tally.hardest.title

    @property
    def needs_mine_count(self) -> bool | None:
        """True if solving needs the number of mines; None without a proof."""
        return None if self.tally is None else self.tally.mine_count > 0

    def without_proof(self, *, refuted: bool = False) -> PuzzleRecord:
        """Return the record without its proof; `refuted` means that logic does not solve the puzzle."""
        return replace(self, tally=None, clues_at_once=None, effort=None, certificate=None, path=None, refuted=refuted)

    def proved(
        self, tally: Tally, clues_at_once: int | None, engine: str, certificate: str | None, measured: Measures | None
    ) -> PuzzleRecord:
        """Return the record with a proof and measures."""
        fields = vars(self) | {"tally": tally, "clues_at_once": clues_at_once, "engine": engine, "refuted": False}
        fields.pop("difficulty", None)
        return self.unchecked(**fields | {"certificate": certificate, "measured": measured})

    def with_measures(self) -> PuzzleRecord:
        """Return the record with measures, computed unless stored; without the kernel they stay unknown."""
        return self if self.measured is not None else replace(self, measured=next(measure_all([self.puzzle])))

    @cached_property
    def difficulty(self) -> Difficulty | None:
        """The difficulty; None without a proof."""
        if self.tally is None:
            return None
        return rate_solution(self.tally, self.clues_at_once, self.puzzle.board.safe_cells)


@dataclass(frozen=True, slots=True)
class Sample:
    """A random board, determined by its recipe and its index there."""

    recipe: Recipe
    index: int


@dataclass(frozen=True, slots=True)
class GameRecord:
    """Result of a strategy's game on one board: a stored puzzle, by its id, or a `Sample`.

    `opened` counts safe cells opened, including those of the first click; `guesses` counts uncertain cells opened after
    the first click. `fault` is the reason of a forfeit, which loses the game.
    """

    strategy: str
    board: str | Sample
    won: bool
    opened: int
    guesses: int
    seconds: float
    fault: Fault | None = None
