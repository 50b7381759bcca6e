"""Everything that is measured of a puzzle, in one place: what the database keeps and fills in where it is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import Puzzle
from minesweeper.player.limits import check_time
from minesweeper.player.measure.metrics import Metrics, measure


@dataclass(frozen=True, slots=True)
class Measures(Metrics):
    """The measures of one puzzle: those of its board, and `first_opening`, how many cells the first click opens."""

    first_opening: int


def measures(puzzle: Puzzle) -> Measures:
    """Measure a puzzle."""
    return next(measure_all([puzzle]))


def measure_all(puzzles: Sequence[Puzzle]) -> Iterator[Measures]:
    """Measure many puzzles, in order, which is faster together."""
    boards = measure([puzzle.board for puzzle in puzzles])
    for found, opened in zip(boards, first_openings(puzzles), strict=True):
        yield Measures(
            found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini, first_opening=opened
        )


def first_openings(puzzles: Sequence[Puzzle]) -> Iterator[int]:
    """Count the cells that the first click of each puzzle opens: 1 for a clue, a whole opening for a zero."""
    for _, group in groupby(puzzles, lambda puzzle: (puzzle.board.rows, puzzle.board.cols)):
        yield from _first_openings(list(group))


def _first_openings(puzzles: list[Puzzle]) -> list[int]:
    """Flood puzzles of one size together, a ring of cells at a time; those that are complete leave."""
    zeros = np.stack([puzzle.board.clues == 0 for puzzle in puzzles])
    opened = np.zeros_like(zeros)
    rows, cols = zip(*(puzzle.first_click for puzzle in puzzles), strict=True)
    opened[np.arange(len(puzzles)), rows, cols] = True
    counts = np.ones(len(puzzles), dtype=np.intp)
    growing = np.arange(len(puzzles))
    while growing.size:
        check_time()
        opened |= _grown(opened & zeros)
        found = np.count_nonzero(opened, axis=(1, 2))
        more = found > counts[growing]
        counts[growing] = found
        growing, opened, zeros = growing[more], opened[more], zeros[more]
    return counts.tolist()


def _grown(marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark all cells that touch a marked one, too, on each of many maps."""
    wide = marks.copy()
    wide[:, :, 1:] |= marks[:, :, :-1]
    wide[:, :, :-1] |= marks[:, :, 1:]
    grown = wide.copy()
    grown[:, 1:] |= wide[:, :-1]
    grown[:, :-1] |= wide[:, 1:]
    return grown
