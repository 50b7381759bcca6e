"""Everything that is measured of a puzzle, in one place: what the database keeps and fills in where it is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minesweeper.player import kernel_api
from minesweeper.player.board import Puzzle
from minesweeper.player.kernel_api import Measures as Measures
from minesweeper.player.measure.metrics import measure_slowly


def measures(puzzle: Puzzle) -> Measures:
    """Measure a puzzle."""
    return next(measure_all([puzzle]))


def measure_all(puzzles: Sequence[Puzzle]) -> Iterator[Measures]:
    """Measure many puzzles, in order, which is faster together."""
    return kernel_api.measure_puzzles(puzzles) if kernel_api.available() else map(_measure_slowly, puzzles)


def _measure_slowly(puzzle: Puzzle) -> Measures:
    found = measure_slowly(puzzle.board)
    return Measures(
        found.bbbv,
        found.openings,
        found.islands,
        found.greedy_zini,
        found.human_zini,
        first_opening=len(puzzle.board.opening(puzzle.first_click)),
    )
