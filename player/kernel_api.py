"""Arguments of the kernel that several callers prepare alike; the handle `kernel` is that of `player.native`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from minesweeper.player.board import Board, Puzzle
from minesweeper.player.errors import EngineError
from minesweeper.player.grid import Grid, grid_of
from minesweeper.player.lazy_numpy import NDArray, np
from minesweeper.player.native import failure, kernel as kernel, why_missing as why_missing
from minesweeper.player.recipe import Recipe, StartRule
from minesweeper.player.steps import NOTHING, Screening, Tally

STRATEGIES: Final = ("safest", "progress", "lookahead", "champion")
"""The strategies implemented in the kernel."""
BASES: Final = ("quick", "safest", "progress", "lookahead", "champion")
"""The strategies that can finish the games of rollouts. ``quick`` is ``champion`` with one ply and smaller exact
endgames, and without credit for unavoidable risks."""


def available() -> bool:
    """Return whether the kernel was built and can be loaded."""
    return failure is None


def require(use: str) -> None:
    """Raise `EngineError` if the kernel was not built, which `use` needs."""
    if not available():
        raise EngineError(f"{use} needs the native engine, which {why_missing()}")


def mine_maps(recipe: Recipe, indices: range) -> NDArray[np.bool_]:
    """Sample boards of a recipe as an (n, rows, cols) array, True at mines. Works without the kernel, too.

    :param indices: consecutive numbers, 0 or more; board `i` is ``recipe.puzzle(indices[i]).board``

    >>> ms.mine_maps(ms.Recipe("2x4/2", click=(0, 0), seed=1), range(2)).astype(int).tolist()
    [[[0, 0, 1, 0], [0, 0, 0, 1]], [[0, 0, 0, 1], [0, 0, 0, 1]]]
    """
    _check_indices(recipe, indices)
    if not available():
        boards = [recipe.puzzle(index).board.mine_map for index in indices]
        return np.array(boards, dtype=np.bool_).reshape(-1, recipe.rows, recipe.cols)
    maps = np.empty((len(indices), recipe.rows, recipe.cols), dtype=np.uint8)
    kernel.sample_mine_maps(native_recipe(recipe, indices), indices.start, maps)
    return maps.view(np.bool_)


def solve_all(puzzles: Iterable[Puzzle]) -> Iterator[Screening | None]:
    """Open every cell that logic can open from the first click of each puzzle; yield None if one is too wide.

    The results have no `Screening.hard_steps`. Consecutive puzzles of one grid share a kernel call.
    """
    for mine_maps, clicks, grid in batches(puzzles):
        for solution in kernel.solve(mine_maps, clicks, grid):
            yield screening(solution, (mine_maps.shape or ())[1:])


def screening(solution: kernel.Solution, shape: tuple[int, ...]) -> Screening | None:
    """Convert a solution of the kernel; None if a component is too wide."""
    verdict, tally, clues_at_once, undecided = solution
    if verdict == kernel.Verdict.TOO_WIDE:
        return None
    if undecided:
        return Screening(NOTHING, (), np.frombuffer(undecided, dtype=np.bool_).reshape(shape))
    return Screening(Tally._make(tally), (), None, clues_at_once)


def batches(puzzles: Iterable[Puzzle]) -> Iterator[tuple[memoryview[bool], array[int], kernel.Grid]]:
    """Group consecutive puzzles of one grid; yield their boards, the numbers of their first clicks and the grid."""
    for size, group in groupby(puzzles, lambda one: (one.board.rows, one.board.cols, one.board.shape)):
        yield batch(grid_of(*size), list(group))


def batch(grid: Grid, puzzles: Sequence[Puzzle]) -> tuple[memoryview[bool], array[int], kernel.Grid]:
    """Return the boards of puzzles of one grid, the numbers of their first clicks and the grid."""
    clicks = [row * grid.cols + col for row, col in (puzzle.first_click for puzzle in puzzles)]
    return joined(grid, [puzzle.board for puzzle in puzzles]), array("q", clicks), grid.native


def joined(grid: Grid, boards: Sequence[Board]) -> memoryview[bool]:
    """Return boards of one grid as an (n, rows, cols) array, True at mines."""
    cells = b"".join([board.cells for board in boards])
    return memoryview(cells).cast("?", (len(boards), grid.rows, grid.cols))


def native_recipe(recipe: Recipe, indices: range = range(0)) -> kernel.Recipe:
    """Convert a recipe. Raises `ValueError` unless `indices` are consecutive numbers, 0 or more."""
    _check_indices(recipe, indices)
    click = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
    opening = recipe.rule is StartRule.OPENING
    return kernel.Recipe(recipe.grid.native, recipe.mines, click, opening, recipe.seed)


def _check_indices(recipe: Recipe, indices: range) -> None:
    if indices.step != 1 or indices.start < 0:
        raise ValueError(f"invalid indices {indices} of {recipe.name}; expected consecutive numbers, 0 or more")
