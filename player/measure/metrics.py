"""Metrics of boards and puzzles (3BV, openings, islands, ZiNi), and the ids that symmetric puzzles share.

The definitions are those of the Minesweeper community (minesweepergame.com): 3BV and ZiNi count the clicks of plans
that know all mines. The numbers equal those of ms_toollib, also where several plans are equally good.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minesweeper.player import kernel_api
from minesweeper.player.board import SYMMETRIES, Board, Puzzle
from minesweeper.player.kernel_api import Measures as Measures, Metrics as Metrics, PuzzleIds as PuzzleIds

_NEVER: Final = 10_000


def metrics(board: Board | Puzzle) -> Metrics:
    """Return the metrics of a board, or of the board of a puzzle. Raises `TypeError` for anything else."""
    if isinstance(board, Puzzle):
        board = board.board
    if not isinstance(board, Board):
        raise TypeError(f"cannot measure {board!r}: expected a Board or a Puzzle")
    return next(kernel_api.measure([board])) if kernel_api.available() else measure_in_python(board)


def measures(puzzle: Puzzle) -> Measures:
    """Return the metrics of a puzzle, its first opening included."""
    return next(measure_all([puzzle]))


def measure_all(puzzles: Sequence[Puzzle]) -> Iterator[Measures]:
    """Yield the metrics of many puzzles, in order; faster than one by one."""
    return kernel_api.measure_puzzles(puzzles) if kernel_api.available() else map(_measures_in_python, puzzles)


def _measures_in_python(puzzle: Puzzle) -> Measures:
    found = measure_in_python(puzzle.board)
    counts = (found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini)
    return Measures(*counts, first_opening=len(puzzle.board.opening(puzzle.first_click)))


def puzzle_ids(puzzle: Puzzle) -> PuzzleIds:
    """Compute the ids of a puzzle."""
    return next(ids_of_many([puzzle]))


def ids_of_many(puzzles: Iterable[Puzzle]) -> Iterator[PuzzleIds]:
    """Yield the ids of many puzzles, in order; faster than one by one."""
    return kernel_api.puzzle_ids(puzzles) if kernel_api.available() else map(ids_in_python, puzzles)


def ids_in_python(puzzle: Puzzle) -> PuzzleIds:
    """Compute the ids of a puzzle without the kernel, from the definition."""
    ids = [puzzle.transformed(symmetry).id for symmetry in range(SYMMETRIES)]
    return PuzzleIds(ids[0], min(ids), puzzle.board.to_bytes())


def measure_in_python(board: Board) -> Metrics:
    """Return the metrics of a board without the kernel, from the definitions."""
    layout = _Layout(board)
    alone = {cell for cell in layout.safe if not layout.openings_of[cell]}
    openings = len(layout.openings)
    return Metrics(
        bbbv=openings + len(alone),
        openings=openings,
        islands=sum(1 for _ in _groups(alone, layout.squares)),
        greedy_zini=_Plan(layout, human=False).clicks,
        human_zini=_Plan(layout, human=True).clicks,
    )


class _Layout:
    """A board as lists over its cells, numbered column by column, which is the order that breaks ties."""

    def __init__(self, board: Board) -> None:
        rows, cols = board.rows, board.cols
        self.mine: list[bool] = board.mine_map.T.ravel().tolist()
        self.squares = [
            [
                c * rows + r
                for c in range(max(col - 1, 0), min(col + 2, cols))
                for r in range(max(row - 1, 0), min(row + 2, rows))
            ]
            for col in range(cols)
            for row in range(rows)
        ]
        self.safe = [cell for cell, mine in enumerate(self.mine) if not mine]
        self.clues = [sum(self.mine[near] for near in square) for square in self.squares]
        # A cell at the border of more than two openings counts for the first two, as in the community's programs.
        self.openings_of: list[list[int]] = [[] for _ in self.mine]
        self.openings: list[list[int]] = []
        zeros = {cell for cell in self.safe if self.clues[cell] == 0}
        for name, group in enumerate(_groups(zeros, self.squares)):
            border = sorted({near for cell in group for near in self.squares[cell]} - group)
            cells = [*group, *(cell for cell in border if len(self.openings_of[cell]) < 2)]
            for cell in cells:
                self.openings_of[cell].append(name)
            self.openings.append(cells)


def _groups(cells: set[int], squares: list[list[int]]) -> Iterator[set[int]]:
    """Yield the groups of cells that touch, in the order of their first cells."""
    left = set(cells)
    for start in sorted(cells):
        if start not in left:
            continue
        group, queue = {start}, [start]
        left.discard(start)
        while queue:
            found = left.intersection(squares[queue.pop()])
            left -= found
            group |= found
            queue += found
        yield group


class _Plan:
    """A ZiNi plan.

    The premium of a cell is the number of clicks saved by flagging its mines and opening the rest of its square with a
    chord: the 3BV left in its square, less the flags, less the chord, less the click that opens the cell.
    """

    def __init__(self, layout: _Layout, *, human: bool) -> None:
        self._layout = layout
        self._wait = _NEVER if human else 0  # prevents the choice of closed cells
        self._open = [False] * len(layout.mine)
        self._flagged = [False] * len(layout.mine)
        self._premium = [-2 * _NEVER] * len(layout.mine)
        self.clicks = 0
        for cell in layout.safe:
            square, clue = layout.squares[cell], layout.clues[cell]
            alone = sum(not layout.mine[near] and not layout.openings_of[near] for near in square)
            gain = 1 if clue == 0 else alone + len(layout.openings_of[cell])
            self._premium[cell] = gain - clue - 2 - self._wait
        if human:
            for cells in layout.openings:
                self._click(cells[0])
        for cell in self._choices():
            if self._premium[cell] < 0:
                self._click(cell)
                continue
            if not self._open[cell]:
                self._click(cell)
            self._chord(cell)

    def _choices(self) -> Iterator[int]:
        """Yield the next cell until all are open: the highest premium, or if it is negative one that 3BV counts."""
        layout = self._layout
        needed = [cell for cell in layout.safe if layout.clues[cell] == 0 or not layout.openings_of[cell]]
        while not all(self._open[cell] for cell in layout.safe):
            best = max(self._premium)
            yield self._premium.index(best) if best >= 0 else next(cell for cell in needed if not self._open[cell])

    def _click(self, cell: int) -> None:
        self._reveal(cell)
        self.clicks += 1

    def _chord(self, cell: int) -> None:
        squares = self._layout.squares
        for mine in squares[cell]:
            if self._layout.mine[mine] and not self._flagged[mine]:
                self._flagged[mine] = True
                self.clicks += 1
                for near in squares[mine]:
                    self._premium[near] += 1
        self.clicks += 1
        for near in squares[cell]:
            self._reveal(near)

    def _reveal(self, cell: int) -> None:
        layout = self._layout
        if self._open[cell] or layout.mine[cell]:
            return
        if layout.clues[cell] != 0:
            self._open_one(cell)
            return
        for near in layout.openings[layout.openings_of[cell][0]]:
            if not self._open[near]:
                self._open_one(near)
            self._premium[near] -= 1

    def _open_one(self, cell: int) -> None:
        self._open[cell] = True
        self._premium[cell] += 1 + self._wait
        if not self._layout.openings_of[cell]:
            for near in self._layout.squares[cell]:
                self._premium[near] -= 1
