"""Filters on the solvable puzzles that a run keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from math import inf
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.core.difficulty import WORDS, rate_solution
from minesweeper.player.core.errors import did_you_mean
from minesweeper.player.core.steps import Tally, Tier

if TYPE_CHECKING:
    from minesweeper.generator.screening import FoundPuzzle
    from minesweeper.player.core.board import Board
    from minesweeper.player.kernel_api import kernel
    from minesweeper.player.logic.metrics import Metrics

_ROUNDING: Final = 1e-9
_ON_MEASURES: Final = ("min_bbbv", "max_bbbv", "max_buried", "min_efficiency", "max_efficiency", "where")
_MOST_GAIN: Final = 1.25
"""Plans of the fewest clicks of 3,800 random boards are at most 1.2 times as efficient as the better ZiNi plan."""


def _range_of_difficulty(word: str) -> str:
    # The range is part of the run key, so that a run with other thresholds is another run.
    low = WORDS[word]
    high = next((threshold for threshold in WORDS.values() if threshold > low), None)
    return f"{word} for its size, {f'from {low:g}' if high is None else f'{low:g} to {high:g}'}"


def _filter(
    kind: type | tuple[str, ...], text: Callable[[Any], str], help: str, metavar: str | None = None, flag: str = ""
) -> Any:
    """Define a filter: the type or the choices of its value, its words in messages, and its command line option."""
    return field(default=None, metadata={"kind": kind, "text": text, "help": help, "metavar": metavar, "flag": flag})


@dataclass(frozen=True)
class PuzzleFilter:
    """Conditions on a solvable puzzle; a field that is None accepts every puzzle.

    The fields are the one list of filters. The options of ``generate``, the keys of its config file, the keyword
    arguments of `puzzles` and the text of messages and run keys are derived from them. Raises `ValueError` for a value
    that is not one of the choices of its field.
    """

    difficulty: str | None = _filter(
        tuple(WORDS), _range_of_difficulty, "Keep only puzzles of this difficulty for their size."
    )
    tier: str | None = _filter(
        tuple(tier.title for tier in Tier),
        "hardest tier {}".format,
        "Keep only puzzles whose hardest step is of this tier.",
    )
    needs_mine_count: bool | None = _filter(
        bool,
        lambda needed: "with mine count" if needed else "without mine count",
        "Keep only puzzles that need the mine count, or only those that do not.",
        metavar="yes|no",
    )
    min_bbbv: int | None = _filter(
        int, "3BV {} or more".format, "Keep only puzzles with at least this 3BV.", metavar="N", flag="--min-3bv"
    )
    min_score: int | None = _filter(
        int, "score {} or more".format, "Keep only puzzles with at least this difficulty score.", metavar="N"
    )
    max_bbbv: int | None = _filter(
        int, "3BV {} or less".format, "Keep only puzzles with at most this 3BV.", metavar="N", flag="--max-3bv"
    )
    max_score: int | None = _filter(
        int, "score {} or less".format, "Keep only puzzles with at most this difficulty score.", metavar="N"
    )
    max_buried: float | None = _filter(
        float,
        "{:g} of the mines buried or less".format,
        "Keep only puzzles with at most this share of mines that touch no safe cell.",
        metavar="SHARE",
    )
    min_efficiency: float | None = _filter(
        float,
        "efficiency {:g} or more".format,
        "Keep only puzzles that a plan clears with at least this 3BV per click.",
        metavar="N",
    )
    max_efficiency: float | None = _filter(
        float,
        "efficiency {:g} or less".format,
        "Keep only puzzles that no plan found clears with more 3BV per click.",
        metavar="N",
    )
    where: str | None = _filter(
        str,
        "where {}".format,
        'Keep only puzzles for which this SQL condition is true, e.g. "openings < 5".',
        metavar="SQL",
    )

    def __post_init__(self) -> None:
        for condition, value in self._given():
            choices = condition.metadata["kind"]
            if isinstance(choices, tuple) and value not in choices:
                raise ValueError(
                    f"unknown {condition.name} {value!r}{did_you_mean(value, choices)}; expected {', '.join(choices)}"
                )

    def _given(self) -> list[tuple[Field[Any], Any]]:
        return [
            (condition, value) for condition in fields(self) if (value := getattr(self, condition.name)) is not None
        ]

    @property
    def name(self) -> str:
        """The conditions as text, empty without conditions. Equal texts mean equal conditions."""
        return ", ".join(condition.metadata["text"](value) for condition, value in self._given())

    @property
    def options(self) -> dict[str, str]:
        """The options of ``generate`` for this filter, each with its value."""
        return {
            flag_of(condition): ("yes" if value else "no") if isinstance(value, bool) else str(value)
            for condition, value in self._given()
        }

    @property
    def needs_difficulty(self) -> bool:
        """True if a condition depends on the difficulty."""
        return (self.difficulty, self.min_score, self.max_score) != (None, None, None)

    @property
    def needs_plan(self) -> bool:
        """True if a condition depends on the efficiency."""
        return (self.min_efficiency, self.max_efficiency) != (None, None)

    @property
    def depends_on_solution(self) -> bool:
        """True if a condition depends on more than the measures of the board."""
        return any(condition.name not in _ON_MEASURES for condition, _ in self._given())

    def most_buried(self, mines: int) -> int:
        """Return the largest number of buried mines that `max_buried` allows on a board with this number of mines."""
        return mines if self.max_buried is None else int(self.max_buried * mines + _ROUNDING)

    def accepts(self, kept: FoundPuzzle) -> bool:
        """Return whether a solvable puzzle meets all conditions except `where`, for which it needs its columns."""
        from minesweeper.player.logic.metrics import measures

        found = kept.screening
        if not self.accepts_solution(kept.puzzle.board.safe_cells, found.tally, found.clues_at_once):
            return False
        if (self.min_bbbv, self.max_bbbv, self.max_buried) == (None, None, None) and not self.needs_plan:
            return True
        measured, board = measures(kept.puzzle), kept.puzzle.board
        return measured.buried <= self.most_buried(board.mines) and self.accepts_metrics(measured, lambda: board)

    def accepts_metrics(self, metrics: Metrics | kernel.Metrics, board: Callable[[], Board]) -> bool:
        """Return whether the 3BV of a board, and the efficiency of a plan of its clicks, meet the conditions."""
        if not (self.min_bbbv or 0) <= metrics.bbbv <= (inf if self.max_bbbv is None else self.max_bbbv):
            return False
        if not self.needs_plan:
            return True
        from minesweeper.player.logic.fewest_clicks import fixed_plan

        least, most = self.min_efficiency or 0, inf if self.max_efficiency is None else self.max_efficiency
        if metrics.bbbv * _MOST_GAIN < least * min(metrics.greedy_zini, metrics.human_zini):
            return False
        return least <= fixed_plan(board()).efficiency <= most

    def accepts_solution(self, safe_cells: int, tally: Tally, clues_at_once: int | None) -> bool:
        """Return whether the solution of a puzzle meets the conditions, all except those on its measures."""
        if self.tier not in (None, tally.hardest.title):
            return False
        if self.needs_mine_count not in (None, tally.mine_count > 0):
            return False
        if not self.needs_difficulty:
            return True
        rating = rate_solution(tally, clues_at_once, safe_cells)
        most = rating.score if self.max_score is None else self.max_score
        return self.difficulty in (None, rating.word) and (self.min_score or 0) <= rating.score <= most


NO_FILTER: Final = PuzzleFilter()


def flag_of(condition: Field[Any]) -> str:
    """Return the command line option of a field of `PuzzleFilter`."""
    return condition.metadata["flag"] or f"--{condition.name.replace('_', '-')}"
