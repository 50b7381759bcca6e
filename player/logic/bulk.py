"""Many positions in arrays: played from a recipe, and solved in one call. This needs the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from reprlib import repr as short_repr
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper.player.core.board import HIDDEN, Puzzle, View, ViewLike, cell_array
from minesweeper.player.core.errors import did_you_mean
from minesweeper.player.core.grid import Grid, as_number, grid_of
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.mine_range import KNOWN_NUMBER, MineRange, MinesLike, as_mines
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.kernel_api import native_puzzles, native_view, sampled
from minesweeper.player.logic import ManyDeductions, nothing_decided, solve_views
from minesweeper.player.parallel.workers import Workers, map_ranges

When = Literal["guess", "every move"]
_WHEN: Final = ("guess", "every move")
_DIGITS: Final = 9
_NO_TIER: Final = 255


@dataclass(frozen=True, eq=False, kw_only=True)
class SolvedViews(ManyDeductions):
    r"""The closures and the probabilities of n views of one size.

    `complete` is False for a view with a component too wide to enumerate, so that marks may be missing. `log_layouts`
    is ``-inf`` for a view that no layout fits, and NaN if its layouts were not counted or a component is too wide to
    count.

    :ivar views: int8, -1 (`HIDDEN`) for hidden cells, else the clue
    :ivar mines: int32 (n,), the number of mines, or the largest one of the range
    :ivar grid: the grid of all views
    :ivar mine_range: the range of the number of mines if that is not known, otherwise None

    >>> ms.solve_many(["2x4/2\n1###\n####"]).best.tolist()
    [[0, 2]]
    """

    views: NDArray[np.int8]
    mines: NDArray[np.int32]
    grid: Grid
    mine_range: MineRange | None = None

    def __len__(self) -> int:
        return len(self.views)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {len(self)} views of {self.grid.name}>"

    @property
    def assumed_density(self) -> float | None:
        """The density that `chances` assume, as in `Deductions`."""
        return None if self.mine_range is None else self.mine_range.prior(self.grid.cells, self.grid.cells).assumed

    @cached_property
    def tier(self) -> NDArray[np.uint8]:
        """The easiest tier (1 to 4) that finds a safe cell in each view, 0 where none is certain: uint8 (n,)."""
        tiers = np.where(self.safe_map, self.tiers, np.uint8(_NO_TIER)).min(axis=(1, 2), initial=_NO_TIER)
        return np.where(tiers == _NO_TIER, np.uint8(0), tiers)

    @cached_property
    def best(self) -> NDArray[np.int16]:
        """The cell to open in each view as `solve` chooses it, (-1, -1) where none can be safe: int16 (n, 2).

        Where no cell is certainly safe, it is the guess of ``champion``, which takes longer than the solution; or the
        safest cell, by `chances`, if the number of mines is not known.
        """
        found = np.full((len(self), 2), -1, dtype=np.int16)
        for number, (cells, safe, mine) in enumerate(zip(self.views, self.safe_map, self.mine_map, strict=True)):
            if safe.any():
                found[number] = np.unravel_index(safe.argmax(), safe.shape)
            elif self.log_layouts[number] != -np.inf and ((cells == HIDDEN) & ~mine).any():
                if self.mine_range is not None:
                    if self.chances is None:
                        raise ValueError("the number of mines is not known; expected chances=True")
                    found[number] = np.unravel_index(np.nanargmin(self.chances[number]), cells.shape)
                    continue
                view = View(cells, int(self.mines[number]), self.grid)
                rated = native_view(view).rate(mine.view(np.uint8) * np.uint8(2), "champion")
                found[number] = divmod(rated[0].cell, view.cols)
        return found


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Positions(SolvedViews):
    """The positions of games before their moves, in the order of the games, with the arrays of `SolvedViews`.

    :ivar game: int64 (n,), the index of the puzzle
    :ivar turn: int32 (n,), the number of the move in its game, from 0 for the move after the first click
    :ivar cell: int16 (n, 2), the row and column that the player opens next
    :ivar win: float64 (n,), the exact probability of winning with perfect play from here, where the strategy solved
        the whole rest of the game; NaN elsewhere. Only ``champion`` solves endgames.
    :ivar won: bool (n,), whether the player won the game

    >>> ms.positions(ms.Recipe("expert", seed=3), 10).cell.shape
    (26, 2)
    """

    game: NDArray[np.int64]
    turn: NDArray[np.int32]
    cell: NDArray[np.int16]
    win: NDArray[np.float64]
    won: NDArray[np.bool_]

    @cached_property
    def safety(self) -> NDArray[np.float64] | None:
        """The probability that the cell opened next is safe: float64 (n,); None without `chances`."""
        if self.chances is None:
            return None
        safety: NDArray[np.float64] = 1 - self.chances[np.arange(len(self)), self.cell[:, 0], self.cell[:, 1]]
        return safety


def solve_many(
    views: Iterable[ViewLike],
    mines: ArrayLike | MinesLike | None = None,
    *,
    chances: bool = True,
    grid: Grid | str = "",
) -> SolvedViews:
    """Find the closure and the mine probabilities of many views of one size in one call, which releases the GIL.

    :param views: integers, one view after the other (n, height, width), -1 for hidden cells, else the clue 0 to 8; or a
        list of positions in any form that `View` takes
    :param mines: the number of mines, for all views or one for each (n,), unless each position has its own; or its
        range or density for all views, as in `View`
    :param chances: count the layouts; without it the call takes about half the time
    :param grid: the grid of the views or its label, e.g. ``torus``
    :returns: the values of `closure` and `probabilities` for each view. A view that no layout fits is a result, too.
    :raises ValueError: for arrays of other shapes, types or values
    :raises EngineError: if the kernel was not built
    :raises OutOfTime: if a limit of the caller runs out

    >>> found = ms.solve_many([[[-1, 1, -1]], [[-1, 0, -1]]], [1, 0])
    >>> found.safe_map.astype(int).tolist()
    [[[0, 0, 0]], [[1, 0, 1]]]
    >>> found.log_layouts.round(3).tolist()
    [0.693, 0.0]
    """
    known = as_mines(mines) if isinstance(mines, MineRange | range | float | str) else None
    if mines is None or not _is_of_numbers(views):
        read = _read(views, mines if known is None else known, grid)
        views, grid, counts = np.stack([view.cells for view in read]), read[0].grid, [view.mine_count for view in read]
        known = counts[0] if len(set(counts)) == 1 else None
        mines = [view.mines for view in read] if known is None else known  # Raises for several ranges.
    cells = cell_array(views)
    assert not isinstance(cells, str)
    if cells.ndim != 3 or cells.dtype.kind not in "iu":
        raise ValueError(f"invalid views {cells.shape} of {cells.dtype}; expected three dimensions of integers")
    if cells.size and not (cells.min() >= -1 and cells.max() < _DIGITS):
        wrong = cells[(cells < -1) | (cells >= _DIGITS)][0]
        raise ValueError(f"invalid cell {wrong}; expected -1 (hidden) or a clue 0 to 8")
    grid = grid_of(cells.shape[1:], grid)
    spread = known if isinstance(known, MineRange) else None
    numbers = np.asarray(mines if spread is None else spread.prior(grid.cells, grid.cells).most)
    if numbers.shape not in ((), (len(cells),)) or numbers.dtype.kind not in "iu":
        raise ValueError(f"invalid mines {mines!r}; expected a number, or one for each of {len(cells)} views")
    numbers = np.full(len(cells), numbers.clip(-1, 2**31 - 1), dtype=np.int32)
    return _solve(np.ascontiguousarray(cells, dtype=np.int8), numbers, chances, grid, spread)


def _read(views: object, mines: ArrayLike | int | MineRange | None, grid: Grid | str) -> list[View]:
    """Read a list of positions one by one. Raises `ValueError` if they are not of one grid."""
    if isinstance(views, str) or not isinstance(views, Sequence):
        raise ValueError("expected mines=NUMBER and an array of three dimensions, or a list of positions")
    numbers = mines if isinstance(mines, MineRange) else np.asarray(mines).tolist()
    each = numbers if isinstance(numbers, list) else [numbers] * len(views)
    if len(each) != len(views):
        raise ValueError(f"invalid mines {mines!r}; expected a number, or one for each of {len(views)} views")
    read = [View(view, number, grid) for view, number in zip(views, each, strict=True)]
    if len({view.grid for view in read}) != 1:
        names = ", ".join(sorted({view.grid.name for view in read})) or "none"
        raise ValueError(f"views of several sizes ({names}); expected views of one size")
    return read


def _is_of_numbers(views: object) -> bool:
    """Return False for positions in other forms, and for rows of unequal lengths."""
    if isinstance(views, Sequence) and any(type(view) not in (list, tuple, np.ndarray) for view in views):
        return False
    try:
        return np.asarray(views).dtype.kind not in "OU"
    except ValueError:
        return False


def positions(
    puzzles: Recipe | list[Puzzle] | tuple[Puzzle, ...],
    games: int | range,
    *,
    when: When = "guess",
    strategy: str = "safest",
    chances: bool = True,
    workers: Workers = 1,
) -> Positions:
    """Play games and return the positions before their moves, with everything that follows from each.

    The player opens one cell after the other. While logic finds safe cells, it opens them round by round, easiest tier
    first, as `play` does; otherwise the strategy guesses. So every position has at least one open cell, and the same
    arguments give the same positions on every machine.

    :param puzzles: a recipe, or puzzles of one size
    :param games: the number of puzzles, or their consecutive indexes
    :param when: ``guess`` for the positions in which no cell is certainly safe, ``every move`` for all
    :param strategy: one of ``safest``, ``progress``, ``lookahead`` and ``champion``
    :param chances: count the layouts of each position
    :param workers: a number of processes (1 for a thread), or a cluster; the result does not depend on it
    :returns: arrays of 12 bytes per cell of each position. To limit the memory, call it for one range of games after
        the other.
    :raises TypeError: for `puzzles` of another type
    :raises ValueError: for another `when` or strategy, or puzzles of several sizes
    :raises EngineError: if the kernel was not built

    >>> found = ms.positions(ms.Recipe("expert", seed=3), 10)
    >>> found
    <Positions 26 views of 16x30>
    >>> found.cell[0].tolist()
    [7, 25]
    >>> float(found.safety[0].round(3))
    0.866
    """
    if when not in _WHEN:
        raise ValueError(f"unknown moment {when!r}{did_you_mean(when, _WHEN)}; expected 'guess' or 'every move'")
    if not isinstance(puzzles, Recipe | list | tuple):
        raise TypeError(f"cannot play {short_repr(puzzles)}: expected a Recipe or a list of puzzles")
    indices = games if isinstance(games, range) else range(as_number(games, "number of games"))
    work = partial(_positions, puzzles, when, strategy, chances)
    parts = [found for _, found in map_ranges(work, indices, workers)] or [work(range(0))]
    return parts[0] if len(parts) == 1 else _joined(parts)


def _positions(
    puzzles: Recipe | list[Puzzle] | tuple[Puzzle, ...], when: When, strategy: str, chances: bool, games: range
) -> Positions:
    if isinstance(puzzles, Recipe):
        grid, mines = puzzles.grid, np.full(len(games), puzzles.mines)
        check_cells(grid.shape, "games")
        played = sampled(puzzles, games)
    else:
        chosen = [puzzles[index] for index in games]
        grids = {puzzle.board.grid for puzzle in puzzles}
        if len(grids) != 1:
            names = ", ".join(sorted(grid.name for grid in grids)) or "no puzzles"
            raise ValueError(f"puzzles of several sizes ({names}); expected puzzles of one size")
        (grid,), mines = grids, np.array([puzzle.board.mines for puzzle in chosen], dtype=np.int64)
        check_cells(grid.shape, "games")
        played = native_puzzles(grid, chosen)
    found = played.record(strategy, when == "guess")
    ends: NDArray[np.int64] = np.frombuffer(found.ends, dtype=np.int64)
    per_game = np.diff(ends, prepend=0)
    views = np.frombuffer(found.views, dtype=np.int8).reshape(-1, *grid.shape)
    solved = _solve(views, np.repeat(mines, per_game).astype(np.int32), chances, grid)
    rows, cols = np.divmod(np.frombuffer(found.cell, dtype=np.int32), grid.cols)
    return Positions(
        **vars(solved),
        game=np.repeat(np.array(games, dtype=np.int64), per_game),
        turn=np.frombuffer(found.turn, dtype=np.int32),
        cell=np.stack((rows, cols), axis=1).astype(np.int16),
        win=np.frombuffer(found.win),
        won=np.repeat(np.frombuffer(found.won, dtype=np.bool_), per_game),
    )


def _solve(
    views: NDArray[np.int8], mines: NDArray[np.int32], chances: bool, grid: Grid, known: MineRange | None = None
) -> SolvedViews:
    found = nothing_decided(views.shape, chances=chances)
    prior = KNOWN_NUMBER if known is None else known.prior(grid.cells, grid.cells)
    found.complete[solve_views(found, views, mines, grid, prior)] = False
    return SolvedViews(**vars(found), views=views, mines=mines, grid=grid, mine_range=known)


def _joined(parts: list[Positions]) -> Positions:
    columns: dict[str, Any] = {}
    for field in fields(Positions):
        arrays = [getattr(part, field.name) for part in parts]
        columns[field.name] = np.concatenate(arrays) if isinstance(arrays[0], np.ndarray) else arrays[0]
    return Positions(**columns)
