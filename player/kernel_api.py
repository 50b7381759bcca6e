"""The C++ kernel: the handle `kernel` of its compiled module, and arguments that several callers prepare alike.

No other module imports `_kernel`, the compiled code of ``player/kernel``. Installation builds it only if it finds a C++
compiler; without it every use of `kernel` raises `EngineError`. Long calls release the GIL, react to Ctrl-C and raise
`OutOfTime` at the end of a `player.core.limits.time_limit`. The kernel checks its arguments and raises `ValueError` or
`TypeError`. Cells are numbered ``row * cols + col``; ``_kernel.pyi`` lists the functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from minesweeper.player.core.board import Puzzle, View
from minesweeper.player.core.errors import EngineError, check_kind
from minesweeper.player.core.grid import KINDS, Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import check_time
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.core.steps import NOTHING, Screening, Tally

if TYPE_CHECKING:
    from minesweeper.player import _kernel

    kernel = _kernel

    _failure: ImportError | None
else:

    class _MissingKernel:
        def __getattr__(self, name: str) -> NoReturn:
            require("this")
            raise AttributeError(name)

    try:
        from minesweeper.player import _kernel as kernel
    except ImportError as error:
        kernel, _failure = _MissingKernel(), error
    else:
        _failure = None
        kernel.set_interrupt_check(check_time)

NATIVE_STRATEGIES: Final[tuple[str, ...]] = () if _failure else tuple(kernel.strategies())
"""The strategies of the kernel, none without it. The first, ``quick``, only finishes the games of rollouts: it is
``champion`` with one ply and smaller exact endgames, and without credit for unavoidable risks."""


def available() -> bool:
    """Return whether the kernel was built and can be loaded."""
    return _failure is None


def require(use: str) -> None:
    """Raise `EngineError` if the kernel was not built, which `use` needs."""
    if not available():
        raise EngineError(f"{use} needs the native engine, which {why_missing()}")


def why_missing() -> str:
    """Return the reason why the kernel is missing, to follow "the native engine"."""
    from importlib import metadata

    here = Path(__file__)
    if any((here.parent / f"_kernel{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        return f"cannot be loaded ({_failure})"
    try:
        installed = Path(
            str(metadata.distribution("minesweeper-toolkit").locate_file("minesweeper/player/kernel_api.py"))
        )
    except metadata.PackageNotFoundError:
        installed = None
    if installed is not None and installed.exists() and installed.samefile(here):
        return "was not built at installation: no C++ compiler was found"
    return f"was not built for the source tree in {here.parents[1]}"


def mine_maps(recipe: Recipe, indices: range) -> NDArray[np.bool_]:
    """Sample boards of a recipe as an array, first axis the boards, True at mines. Works without the kernel, too.

    :param indices: consecutive numbers, 0 or more; board `i` is ``recipe.puzzle(indices[i]).board``

    >>> ms.mine_maps(ms.Recipe("2x4/2", click=(0, 0), seed=1), range(2)).astype(int).tolist()
    [[[0, 0, 1, 0], [0, 0, 0, 1]], [[0, 0, 0, 1], [0, 0, 0, 1]]]
    """
    check_kind(recipe, Recipe, "a Recipe")
    _check_indices(recipe, indices)
    if not available():
        boards = [recipe.puzzle(index).board.mine_map for index in indices]
        return np.array(boards, dtype=np.bool_).reshape(-1, *recipe.grid.shape)
    maps = np.empty((len(indices), *recipe.grid.shape), dtype=np.uint8)
    sampled(recipe, indices).fill(maps)
    return maps.view(np.bool_)


def solve_all(puzzles: Iterable[Puzzle]) -> Iterator[Screening | None]:
    """Open every cell that logic can open from the first click of each puzzle; yield None if one is too wide.

    The results have no `Screening.hard_steps`. Consecutive puzzles of one grid share a kernel call.
    """
    for grid, alike in batches(puzzles):
        for solution in native_puzzles(grid, alike).solve():
            yield screening(solution, grid)


def screening(solution: _kernel.Solution, grid: Grid) -> Screening | None:
    """Convert a solution of the kernel; None if a component is too wide."""
    verdict = solution.verdict
    if verdict == kernel.Verdict.SOLVED:
        return Screening(Tally._make(solution.tally), (), None, solution.clues_at_once)
    if verdict == kernel.Verdict.TOO_WIDE:
        return None
    return Screening(NOTHING, (), np.frombuffer(solution.unknown, dtype=np.bool_).reshape(grid.shape))


def batches(puzzles: Iterable[Puzzle]) -> Iterator[tuple[Grid, list[Puzzle]]]:
    """Group consecutive puzzles of one grid."""
    for grid, alike in groupby(puzzles, _grid_of):
        yield grid, list(alike)


def _grid_of(puzzle: Puzzle) -> Grid:
    check_kind(puzzle, Puzzle, "puzzles")
    return puzzle.board.grid


def native_puzzles(grid: Grid, puzzles: Sequence[Puzzle]) -> _kernel.Puzzles:
    """Convert puzzles of one grid."""
    clicks = [row * grid.cols + col for row, col in (puzzle.first_click for puzzle in puzzles)]
    return kernel.Puzzles(native_grid(grid), b"".join([puzzle.board.cells for puzzle in puzzles]), clicks)


def sampled(recipe: Recipe, indices: range) -> _kernel.Puzzles:
    """Return puzzles of a recipe, which the kernel samples when it needs them. Raises as `native_recipe` does."""
    return kernel.Puzzles(native_recipe(recipe, indices), indices.start, len(indices))


@lru_cache(maxsize=16)
def native_grid(grid: Grid) -> _kernel.Grid:
    """Convert a grid."""
    return kernel.Grid(grid.rows, grid.cols, KINDS[grid.kind], grid.holes)


def native_view(view: View) -> _kernel.View:
    """Convert a view."""
    most, spare, odds, _ = view.prior
    return kernel.View(view.cells, most, native_grid(view.grid), spare, odds)


def native_recipe(recipe: Recipe, indices: range = range(0)) -> _kernel.Recipe:
    """Convert a recipe. Raises `ValueError` unless `indices` are consecutive numbers, 0 or more."""
    _check_indices(recipe, indices)
    click = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
    opening = recipe.rule is StartRule.OPENING
    return kernel.Recipe(native_grid(recipe.grid), recipe.mines, click, opening, recipe.seed)


def _check_indices(recipe: Recipe, indices: range) -> None:
    check_kind(indices, range, "a range of numbers")
    if indices.step != 1 or indices.start < 0:
        raise ValueError(f"invalid indices {indices} of {recipe.name}; expected consecutive numbers, 0 or more")
