"""Metrics of boards and puzzles (3BV, openings, islands, ZiNi), and the ids that symmetric puzzles share.

The definitions are those of the Minesweeper community (minesweepergame.com): 3BV and ZiNi count the clicks of plans
that know all mines. The numbers equal those of ms_toollib, also where several plans are equally good. The kernel
computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Final, NamedTuple

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.kernel_api import kernel


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of a board.

    `bbbv` (3BV) counts one left click for each opening and one for each safe cell outside openings. `islands` counts
    connected groups of such cells. `greedy_zini` and `human_zini` count the clicks (flags and chords included) of two
    plans. Both repeatedly pick the cell where flagging and chording saves most clicks. The human plan first opens all
    openings and then chords only on open cells. No player needs to find `buried` mines, which touch no safe cell.
    """

    bbbv: int = field(metadata={"title": "3BV", "meaning": "3BV: fewest clicks without flags", "heading": "3BV"})
    openings: int = field(metadata={"title": "openings", "meaning": "openings of the board"})
    islands: int = field(metadata={"title": "islands", "meaning": "groups of cells in no opening"})
    greedy_zini: int = field(metadata={"title": "greedy ZiNi", "meaning": "greedy ZiNi: clicks of a plan with flags"})
    human_zini: int = field(metadata={"title": "human ZiNi", "meaning": "human ZiNi: the same, openings first"})
    buried: int = field(metadata={"title": "buried mines", "meaning": "mines that touch no safe cell"})

    @property
    def efficiency_bound(self) -> float:
        """3BV divided by the clicks of the better ZiNi plan; 0 for a board without safe cells.

        ZiNi is a heuristic, so the best possible efficiency may be slightly higher.
        """
        return efficiency_bound(self.bbbv, self.greedy_zini, self.human_zini)


@dataclass(frozen=True, slots=True)
class Measures(Metrics):
    """Metrics of a puzzle: those of its board and the number of cells that the first click opens."""

    first_opening: int


DESCRIBED: Final = tuple(one for one in fields(Measures) if one.metadata)
"""The measures that become columns by their title and meaning alone; ``db/`` lists `first_opening` itself."""
_metrics_of = attrgetter(*(field.name for field in fields(Metrics)))
_measures_of = attrgetter(*(field.name for field in fields(Measures)))


def efficiency_bound(bbbv: int, greedy_zini: int, human_zini: int) -> float:
    """Return `Metrics.efficiency_bound`."""
    return bbbv / min(greedy_zini, human_zini) if bbbv else 0.0


class PuzzleIds(NamedTuple):
    """The `id` of a puzzle, the smallest id among its images, and its mines as `Board.to_bytes` packs them.

    Puzzles that are turns or mirrors of each other have the same `canonical_id`, and on grids whose sides meet also
    those that differ by a move. `Grid.images` defines the images.
    """

    id: str
    canonical_id: str
    mine_bits: bytes


def metrics(board: Board | Puzzle) -> Metrics:
    """Return the metrics of a board, or of the board of a puzzle.

    Raises `TypeError` for anything else, and `EngineError` without the kernel.

    >>> ms.metrics(next(ms.puzzles("beginner", 1)))
    Metrics(bbbv=9, openings=2, islands=6, greedy_zini=9, human_zini=9, buried=0)
    """
    if isinstance(board, Puzzle):
        board = board.board
    if not isinstance(board, Board):
        raise TypeError(f"cannot measure {board!r}: expected a Board or a Puzzle")
    return Metrics(*_metrics_of(kernel_api.native_grid(board.grid).measure(board.cells)))


def measures(puzzle: Puzzle) -> Measures:
    """Return the metrics of a puzzle, its first opening included. Raises `EngineError` without the kernel."""
    (found,) = kernel_api.native_puzzles(puzzle.board.grid, [puzzle]).measure()
    return measures_from(found)


def measures_from(found: kernel.Metrics) -> Measures:
    """Convert measures of the kernel."""
    return Measures(*_measures_of(found))


def measure_all(puzzles: Iterable[Puzzle]) -> Iterator[Measures | None]:
    """Yield the metrics of many puzzles, in order; faster than one by one. They are None without the kernel."""
    if not kernel_api.available():
        yield from (None for _ in puzzles)
        return
    for grid, alike in kernel_api.batches(puzzles):
        yield from map(measures_from, kernel_api.native_puzzles(grid, alike).measure())


def ids_of_many(puzzles: Iterable[Puzzle]) -> Iterator[PuzzleIds]:
    """Yield the ids of many puzzles, in order; faster than one by one. Works without the kernel, too."""
    if not kernel_api.available():
        yield from map(_ids_in_python, puzzles)
        return
    for grid, alike in kernel_api.batches(puzzles):
        for ids in kernel_api.native_puzzles(grid, alike).ids():
            yield PuzzleIds(ids.id, ids.canonical_id, ids.mine_bits)


def _ids_in_python(puzzle: Puzzle) -> PuzzleIds:
    return PuzzleIds(puzzle.id, min(image.id for image in puzzle.images()), puzzle.board.to_bytes())
