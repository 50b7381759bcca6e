"""Everything that is measured of a puzzle, in one place: what the database keeps and fills in where it is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minesweeper.player.board import Puzzle
from minesweeper.player.measure.metrics import Metrics, measure

Measures = Metrics
"""The measures of one puzzle: so far, they are all measures of its board."""


def measures(puzzle: Puzzle) -> Measures:
    """Measure a puzzle."""
    return next(measure_all([puzzle]))


def measure_all(puzzles: Sequence[Puzzle]) -> Iterator[Measures]:
    """Measure many puzzles, in order, which is faster together."""
    return measure([puzzle.board for puzzle in puzzles])
