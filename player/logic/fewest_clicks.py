"""The fewest clicks that clear a known board, with a proof or a bound.

Players rank games by their efficiency, the 3BV per click. Flags and chords are clicks, too. The two ZiNi plans of
`metrics` are greedy; this search compares all plans. The comments of ``player/kernel/make/chord_problem.hpp`` and
``fewest_clicks.cpp`` explain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import BoardError, check_kind
from minesweeper.player.core.grid import Cell, CellLike, cell_of

ClickKind = Literal["left", "flag", "chord"]
_USUAL_WORK: Final = -1
_KINDS: Final[tuple[ClickKind, ...]] = ("left", "flag", "chord")


class PlannedClick(NamedTuple):
    """A click of a plan: its kind, ``left``, ``flag`` or ``chord``, and its cell."""

    kind: ClickKind
    cell: Cell


@dataclass(frozen=True, slots=True)
class ClickPlan:
    """Clicks that clear a board, in an order that can be played.

    `count` is the number of clicks that count, and no plan has fewer than `bound`. `bbbv` is the 3BV of the board.

    >>> plan = ms.fewest_clicks(ms.Board.from_cells(ms.Grid(3, 3), [(0, 0)]))
    >>> plan.proved, plan.efficiency, plan.clicks
    (True, 1.0, (PlannedClick(kind='left', cell=(0, 2)),))
    """

    clicks: tuple[PlannedClick, ...]
    count: int
    bound: int
    bbbv: int

    @property
    def proved(self) -> bool:
        """True if no plan has fewer clicks."""
        return self.count == self.bound

    @property
    def efficiency(self) -> float:
        """The 3BV per click; 0 for a board without safe cells."""
        return self.bbbv / self.count if self.count else 0.0


def fewest_clicks(
    board: Board | Puzzle,
    first_click: CellLike | None = None,
    time_limit: float | None = 10.0,
    *,
    flags: bool = True,
    count_flags: bool = True,
    most_work: int | None = None,
) -> ClickPlan:
    """Return a plan that clears a known board with few clicks, the fewest if it is `proved`.

    :param board: a board, or a puzzle, whose first click is not used unless it is also `first_click`
    :param first_click: the cell of the first left click; None for the best one
    :param time_limit: seconds for the search, after which the best plan so far is returned; None: until it is proved
    :param flags: False for a plan without flags, and so without chords; it has 3BV clicks from the best first click
    :param count_flags: False if flags do not count as clicks
    :param most_work: comparisons of states after which the search ends; with `time_limit` None the plan is the same
        on every machine
    :raises BoardError: for a first click on a mine, or a limit that is not above 0
    :raises EngineError: without the kernel

    >>> board = ms.Recipe("intermediate", seed=7).puzzle(0).board
    >>> plan = ms.fewest_clicks(board, time_limit=None)
    >>> plan.count, plan.proved, ms.metrics(board).greedy_zini
    (44, True, 46)
    >>> plan.clicks[0]
    PlannedClick(kind='left', cell=(0, 5))
    """
    board = board.board if isinstance(board, Puzzle) else board
    check_kind(board, Board, "a Board or a Puzzle")
    for limit, unit in ((time_limit, "seconds"), (most_work, "comparisons")):
        if limit is not None and not limit > 0:
            raise BoardError(f"limit {limit} is out of range; expected more than 0 {unit}, or None")
    return _plan(board, first_click, flags, count_flags, time_limit or 0.0, most_work or 0)


def fixed_plan(board: Board, first_click: Cell | None = None) -> ClickPlan:
    """Return the plan of columns, filters and reviews, the same on every machine: the work of its search is fixed.

    An expert board takes about 20 ms.
    """
    return _plan(board, first_click, True, True, 0.0, _USUAL_WORK)


def _plan(
    board: Board, first_click: CellLike | None, flags: bool, count_flags: bool, seconds: float, most_work: int
) -> ClickPlan:
    click = -1
    if first_click is not None:
        cell = cell_of(board.grid, first_click)
        if board.mine_map[cell]:
            raise BoardError(f"first click {cell} is a mine; expected a safe cell")
        click = cell[0] * board.cols + cell[1]
    grid = kernel_api.native_grid(board.grid)
    found = grid.fewest_clicks(board.cells, click, flags, count_flags, seconds, most_work)
    clicks = tuple(PlannedClick(_KINDS[kind], divmod(cell, board.cols)) for kind, cell in found.clicks)
    return ClickPlan(clicks, found.count, found.bound, grid.measure(board.cells).bbbv)
