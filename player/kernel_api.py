"""The C++ kernel, wrapped with checked arguments and typed results.

No other module imports `_kernel`, the compiled code of ``player/kernel``. Installation builds it only if it finds a C++
compiler: call `available` before anything else here. Long calls release the GIL, react to Ctrl-C and raise `OutOfTime`
at the end of a `player.limits.time_limit`. Cells are numbered ``row * cols + col``.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import groupby, pairwise
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from minesweeper.player.board import Board, Cell, Puzzle, View, check_size, size_name
from minesweeper.player.errors import BoardError, EngineError, TooWide
from minesweeper.player.limits import check_cells, check_time
from minesweeper.player.recipe import Recipe, StartRule
from minesweeper.player.results import GameResult
from minesweeper.player.steps import NOTHING, HardStep, Screening, Step, Tally, Tier

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from minesweeper.player import _kernel

    kernel = _kernel

    _failure: ImportError | None
else:
    from minesweeper.player import lazy_numpy as np

    try:
        from minesweeper.player import _kernel
    except ImportError as error:
        _kernel, _failure = None, error
    else:
        _failure = None
        _kernel.set_interrupt_check(check_time)
    kernel = _kernel

STRATEGIES: Final = ("safest", "progress", "lookahead", "champion")
"""The strategies implemented in the kernel."""
BASES: Final = ("quick", "safest", "progress", "lookahead", "champion")
"""The strategies that can finish the games of rollouts. ``quick`` is ``champion`` with one ply and smaller exact
endgames, and without credit for unavoidable risks."""
MOST_SECONDS: Final = 86_400.0
MOST_THREADS: Final = 256


def available() -> bool:
    """Return whether the kernel was built and can be loaded."""
    return _kernel is not None


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


class NoLayout(ValueError):
    """A view that no layout fits. `player.logic.closure` names the clues that contradict each other."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of a board.

    `bbbv` (3BV) is the least number of left clicks that open every safe cell: one for each opening and one for each
    safe cell outside openings. `islands` is the number of 8-connected groups of safe cells outside openings.
    `greedy_zini` and `human_zini` are the clicks (flags and chords included) of two plans. Both repeatedly pick the
    cell where flagging and chording saves most clicks. The human plan first opens all openings and then chords only on
    open cells.
    """

    bbbv: int
    openings: int
    islands: int
    greedy_zini: int
    human_zini: int

    @property
    def efficiency_bound(self) -> float:
        """3BV divided by the clicks of the better ZiNi plan; 0 for a board without safe cells.

        ZiNi is a heuristic, so the best possible efficiency may be slightly higher.
        """
        return self.bbbv / min(self.greedy_zini, self.human_zini) if self.bbbv else 0.0


@dataclass(frozen=True, slots=True)
class Measures(Metrics):
    """Metrics of a puzzle: those of its board and the number of cells that the first click opens."""

    first_opening: int


class PuzzleIds(NamedTuple):
    """The `id` of a puzzle, the smallest id among its 8 symmetric images, and its mines as `Board.to_bytes` packs them.

    Puzzles that are turns or mirrors of each other have the same `canonical_id`.
    """

    id: str
    canonical_id: str
    mine_bits: bytes


@dataclass(frozen=True, eq=False)
class FoundPuzzle:
    """A solvable puzzle, its index in the `Recipe`, and its solution."""

    index: int
    puzzle: Puzzle
    screening: Screening


class MineSwap(NamedTuple):
    """Mines and safe cells, by number, that can trade places without changing the clue of any cell that stays safe."""

    mines: tuple[int, ...]
    safe: tuple[int, ...]


def solve(puzzle: Puzzle) -> Screening | None:
    """Open every cell that logic can open from the first click; return None if the puzzle needs the SAT engine.

    The result has no `Screening.hard_steps`.
    """
    return next(solve_all([puzzle]))


def solve_all(puzzles: Iterable[Puzzle]) -> Iterator[Screening | None]:
    """Yield the result of `solve` for each puzzle. Consecutive puzzles of one size share a kernel call."""
    for mine_maps, clicks in _batches(puzzles):
        for solution in _kernel.solve(mine_maps, clicks):
            yield _screening(solution, (mine_maps.shape or ())[1:])


@dataclass(frozen=True, eq=False)
class PathArrays:
    """The solution paths of several puzzles of one size, or of one view.

    The steps of puzzle i are ``first_step[i]`` to ``first_step[i + 1] - 1``. `solved` is True if they open every safe
    cell, and `too_wide` if they end early at a component too wide to enumerate; `hash` is that of `SolutionPath`. Each
    step has a `tier` and is `smallest` if no smaller set of clues forces a cell. Its safe cells, mines and clues are
    three consecutive pieces of `cells`, which are numbered row by row: the pieces of step s begin at ``bounds[3 * s]``,
    ``bounds[3 * s + 1]`` and ``bounds[3 * s + 2]``, and end where the next one begins.
    """

    solved: NDArray[np.bool_]
    too_wide: NDArray[np.bool_]
    hash: NDArray[np.uint64]
    first_step: NDArray[np.int64]
    tier: NDArray[np.uint8]
    smallest: NDArray[np.bool_]
    bounds: NDArray[np.int64]
    cells: NDArray[np.int32]


class PathEnd(NamedTuple):
    """The end of a path, as `PathArrays` describes it."""

    solved: bool
    too_wide: bool
    hash: int


def solution_paths(puzzles: Iterable[Puzzle]) -> Iterator[tuple[list[Puzzle], PathArrays]]:
    """Yield consecutive puzzles of one size with their paths, which `player.why.path` defines."""
    for _, group in groupby(puzzles, lambda puzzle: (puzzle.board.rows, puzzle.board.cols)):
        alike = list(group)
        for batch in _batches(alike):
            yield alike, _path_arrays(_kernel.solution_paths(*batch, False))


def hard_path_steps(puzzles: Iterable[Puzzle]) -> Iterator[tuple[PathEnd, list[HardStep]]]:
    """Yield the steps beyond two clues of the path of each puzzle of one size, without NumPy, which starts slowly."""
    for batch in _batches(puzzles):
        *parts, unknown = _kernel.solution_paths(*batch, True)
        views: list[Any] = [memoryview(part) for part in parts]
        solved, too_wide, name, first_step, tier, smallest, bounds, cells = (
            view.cast(kind).tolist() for view, kind in zip(views, "??QqB?qi", strict=True)
        )
        pieces = iter([tuple(cells[start:stop]) for start, stop in pairwise(bounds)])
        size = len(unknown) // max(len(tier), 1)
        steps = [
            HardStep(
                Step(Tier(kind), next(pieces), next(pieces), next(pieces)),
                unknown[at * size : (at + 1) * size],
                smallest[at],
            )
            for at, kind in enumerate(tier)
        ]
        ends = map(PathEnd, solved, too_wide, name)
        yield from zip(ends, (steps[start:stop] for start, stop in pairwise(first_step)), strict=True)


def proof_clauses(board: Board, hard_step: HardStep) -> list[list[int]] | None:
    """Return clauses that contradict each other if a hard step follows, as `generator.certify` describes.

    Returns None if a clue of the step was not open, or a claimed cell was decided or touches no clue.
    """
    step = hard_step.step
    counted = step.tier is Tier.MINE_COUNT
    return _kernel.proof_clauses(
        board.rows, board.cols, board.cells, hard_step.undecided, counted, step.safe, step.mines, step.clues
    )


def view_path(view: View) -> PathArrays:
    """Return the path of a view. Raises `InconsistentView` and `TooWide`."""
    check_cells(view.rows, view.cols, "the path of a view")
    return _path_arrays(kernel.view_path(view.cells, view.mines))


def _path_arrays(parts: _kernel.Paths) -> PathArrays:
    types = (np.bool_, np.bool_, np.uint64, np.int64, np.uint8, np.bool_, np.int64, np.int32)
    arrays: list[Any] = [np.frombuffer(part, dtype=kind) for part, kind in zip(parts[:-1], types, strict=True)]
    return PathArrays(*arrays)


def screen(recipe: Recipe, indices: range, *, count_clues: bool = True) -> tuple[Iterator[FoundPuzzle], list[int]]:
    """Sample puzzles of a recipe and select the solvable ones, without their hard steps.

    :param indices: consecutive numbers, 0 or more
    :param count_clues: fill `Screening.clues_at_once`, which takes a seventh of the time
    :returns: the solvable puzzles, and the indices of puzzles that need the SAT engine
    """
    _check_indices(recipe, indices)
    found, too_wide = _kernel.screen(_recipe(recipe), indices.start, indices.stop, count_clues)
    return _found_puzzles(recipe, found), too_wide


def repair(recipe: Recipe, indices: range, most_changes: int) -> tuple[Iterator[FoundPuzzle], list[int]]:
    """Sample puzzles of a recipe, repair each with up to `most_changes` changes and select the solvable ones.

    :param indices: consecutive numbers, 0 or more
    :returns: the repaired puzzles without their hard steps, and the indices of puzzles that need the SAT engine
    """
    _check_indices(recipe, indices)
    found, too_wide = _kernel.repair(_recipe(recipe), indices.start, indices.stop, most_changes)
    return _found_puzzles(recipe, found), too_wide


def mine_maps(recipe: Recipe, indices: range) -> NDArray[np.bool_]:
    """Sample boards of a recipe as an (n, rows, cols) array, True at mines. Works without the kernel, too.

    :param indices: consecutive numbers, 0 or more; board `i` is ``recipe.puzzle(indices[i]).board``
    """
    _check_indices(recipe, indices)
    if not available():
        boards = [recipe.puzzle(index).board.mine_map for index in indices]
        return np.array(boards, dtype=np.bool_).reshape(-1, recipe.rows, recipe.cols)
    maps = np.empty((len(indices), recipe.rows, recipe.cols), dtype=np.uint8)
    _kernel.sample_mine_maps(_recipe(recipe), indices.start, maps)
    return maps.view(np.bool_)


def mine_swaps(puzzle: Puzzle) -> list[MineSwap]:
    """List the mine swaps of known small shapes. Each proves that logic cannot solve the puzzle."""
    row, col = puzzle.first_click
    found = _kernel.mine_swaps(puzzle.board.mine_map[np.newaxis], _numbers([row * puzzle.board.cols + col]))
    return [MineSwap(tuple(mines), tuple(safe)) for mines, safe in found]


def puzzle_ids(puzzles: Iterable[Puzzle]) -> Iterator[PuzzleIds]:
    """Yield the ids of each puzzle. Consecutive puzzles of one size share a kernel call."""
    for batch in _batches(puzzles):
        yield from map(PuzzleIds._make, _kernel.puzzle_ids(*batch))


def measure(boards: Iterable[Board]) -> Iterator[Metrics]:
    """Yield the metrics of each board. Consecutive boards of one size share a kernel call."""
    for size, group in groupby(boards, lambda board: (board.rows, board.cols)):
        for numbers in _kernel.measure(_mine_maps(*size, list(group)), None):
            yield Metrics(*numbers[:5])


def measure_puzzles(puzzles: Iterable[Puzzle]) -> Iterator[Measures]:
    """Yield the metrics of each puzzle. Consecutive puzzles of one size share a kernel call."""
    for batch in _batches(puzzles):
        for numbers in _kernel.measure(*batch):
            yield Measures(*numbers)


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Options of guessing by rollouts: open each candidate in the same random layouts and let `base` finish the games.

    :param layouts: layouts per move, at most
    :param seconds: seconds per move, 0 for no limit
    :param threads: 1 to `MOST_THREADS`
    :param base: one of `BASES`
    """

    layouts: int
    seconds: float = 0.0
    threads: int = 1
    base: str = BASES[0]

    def __post_init__(self) -> None:
        if not (isinstance(self.layouts, int) and 1 <= self.layouts < 2**31):
            raise ValueError(f"invalid layouts {self.layouts}; expected 1 to {2**31 - 1}")
        if not (isinstance(self.seconds, int | float) and 0 <= self.seconds <= MOST_SECONDS):
            raise ValueError(f"invalid seconds {self.seconds}; expected 0 to {MOST_SECONDS:g}")
        if not (isinstance(self.threads, int) and 1 <= self.threads <= MOST_THREADS):
            raise ValueError(f"invalid threads {self.threads}; expected 1 to {MOST_THREADS}")
        if self.base not in BASES:
            raise ValueError(f"unknown base {self.base!r}; expected {', '.join(BASES)}")


def play(puzzles: Iterable[Puzzle], strategy: str | Rollouts) -> list[GameResult]:
    """Play each puzzle with one of `STRATEGIES` or by rollouts."""
    player = _player(strategy)
    results = []
    for maps, clicks in _batches(puzzles):
        _, rows, cols = maps.shape or (0, 0, 0)
        check_cells(rows, cols, "games")
        results += _results(partial(_kernel.play, maps, clicks, player))
    return results


def play_sampled(recipe: Recipe, indices: range, strategy: str | Rollouts) -> list[GameResult]:
    """Sample puzzles of a recipe and play each with one of `STRATEGIES` or by rollouts.

    :param indices: consecutive numbers, 0 or more
    """
    _check_indices(recipe, indices)
    check_cells(recipe.rows, recipe.cols, "games")
    return _results(partial(_kernel.play_sampled, _recipe(recipe), indices.start, len(indices), _player(strategy)))


class PlayedPositions(NamedTuple):
    """The positions of games before their moves.

    `views` is int8 (n, rows, cols); `turn`, `cell` (its number) and `win` are described in `player.bulk.Positions`.
    Two arrays have an element for each game: `positions`, the number of positions up to its end, and `won`.
    """

    views: NDArray[np.int8]
    positions: NDArray[np.int64]
    turn: NDArray[np.int32]
    cell: NDArray[np.int32]
    win: NDArray[np.float64]
    won: NDArray[np.bool_]


def record(puzzles: list[Puzzle], size: tuple[int, int], strategy: str, *, guesses_only: bool) -> PlayedPositions:
    """Play puzzles of one size with one of `STRATEGIES` and return the positions before all moves, or the guesses."""
    check_cells(*size, "games")
    _check_strategy(strategy)
    clicks = [row * size[1] + col for row, col in (puzzle.first_click for puzzle in puzzles)]
    maps = _mine_maps(*size, [puzzle.board for puzzle in puzzles])
    return _played(size, _kernel.record(maps, array("q", clicks), strategy, guesses_only))


def record_sampled(recipe: Recipe, indices: range, strategy: str, *, guesses_only: bool) -> PlayedPositions:
    """Sample puzzles of a recipe and play them as `record` does.

    :param indices: consecutive numbers, 0 or more
    """
    _check_indices(recipe, indices)
    check_cells(recipe.rows, recipe.cols, "games")
    _check_strategy(strategy)
    played = _kernel.record_sampled(_recipe(recipe), indices.start, len(indices), strategy, guesses_only)
    return _played((recipe.rows, recipe.cols), played)


def _played(size: tuple[int, int], parts: tuple[bytearray, ...]) -> PlayedPositions:
    types = (np.int8, np.int64, np.int32, np.int32, np.float64, np.bool_)
    arrays: list[Any] = [np.frombuffer(part, dtype=kind) for part, kind in zip(parts, types, strict=True)]
    return PlayedPositions(arrays[0].reshape(-1, *size), *arrays[1:])


def _results(play: Callable[[], list[tuple[bool, int, int, float]]]) -> list[GameResult]:
    """Play games and share the CPU time among them in proportion to their wall times."""
    began = time.process_time()
    games = play()
    share = (time.process_time() - began) / max(sum(seconds for *_, seconds in games), 1e-9)
    return [GameResult(won, opened, guesses, seconds * share) for won, opened, guesses, seconds in games]


@dataclass(frozen=True, slots=True)
class Rating:
    """A cell that a strategy considers.

    `safety` is the probability that the cell is safe. `progress` is the probability that it is safe and logic finds a
    safe cell afterwards; 0 if not computed. The strategy picks the cell with the highest `value`.
    """

    cell: Cell
    safety: float
    progress: float
    value: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Ratings of all cells of a position, best first.

    If `exact`, `value` is the probability of winning when this cell is opened next and all later play is perfect.
    Otherwise the position has too many layouts for that, and `value` is the estimate of ``champion``, at most 1: the
    probability of surviving this guess and the next ones, as far as it looks ahead, with credit for a risk that an
    unavoidable guess would take later in any case.
    """

    exact: bool
    ratings: tuple[Rating, ...]


def rate(view: View, known_mines: NDArray[np.bool_], strategy: str) -> list[Rating]:
    """Rate the cells that a strategy considers, best first, in a position where logic finds nothing more.

    :param known_mines: (rows, cols) array
    :returns: an empty list if every hidden cell is a mine or no layout fits
    """
    _check_strategy(strategy)
    return _ratings(_kernel.rate(view.cells, view.mines, _marks(view, known_mines), strategy), view)


def rate_by_rollouts(view: View, known_mines: NDArray[np.bool_], rollouts: Rollouts) -> list[Rating]:
    """Rate the cells that rollouts compare, as `rate` does; `value` is the estimated probability of winning.

    Small endgames are searched instead: the only rating is then the best cell with its probability of winning.
    """
    rated = _kernel.rate_by_rollouts(view.cells, view.mines, _marks(view, known_mines), _options(rollouts))
    return [Rating(divmod(cell, view.cols), safety, 0.0, value) for cell, safety, value, _ in rated]


class Trials:
    """Rollouts of chosen cells of one position, all in the same layouts.

    :param known_mines: (rows, cols) array; logic must find nothing more
    :param seed: 0 to 2**64 - 1; determines the layouts
    :param base: one of `BASES`; finishes the games
    :raises TooWide: if no layout fits or the layouts cannot be counted
    """

    def __init__(self, view: View, known_mines: NDArray[np.bool_], seed: int, base: str, threads: int = 1) -> None:
        Rollouts(1, 0.0, threads, base)  # checks them
        self._cols = view.cols
        self._trials = _kernel.Trials(view.cells, view.mines, _marks(view, known_mines), base, threads, seed)
        if not self._trials.ready:
            raise TooWide(f"{view.name} has unopened safe cells or too many layouts to count")

    def run(
        self, cells: Sequence[Cell], layouts: range, seconds: float = 0.0
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Play each cell in each of these layouts.

        :param layouts: consecutive numbers, 0 or more
        :param seconds: time limit, 0 for none
        :returns: two (layouts played, cells) arrays. The first is True where the cell is safe. The second is an
            unbiased estimate, possibly outside [0, 1], of the probability of winning if the cell is opened first and
            the base plays on; average it over the layouts.
        """
        numbers = _numbers([row * self._cols + col for row, col in cells])
        safe = np.zeros((len(layouts), len(cells)), dtype=np.bool_)
        value = np.zeros((len(layouts), len(cells)))
        played = self._trials.run(numbers, layouts.start, seconds, safe, value)
        return safe[:played], value[:played]


def evaluate(view: View, known_mines: NDArray[np.bool_]) -> Evaluation | None:
    """Rate all hidden cells of a position where logic finds nothing more.

    :param known_mines: (rows, cols) array
    :returns: None if no layout fits or the layouts cannot be counted
    """
    exact, rated = _kernel.evaluate(view.cells, view.mines, _marks(view, known_mines))
    return Evaluation(exact, tuple(_ratings(rated, view))) if rated else None


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The result of best play: `wins` of `layouts` equally likely layouts, found by a search of `states` states."""

    wins: int
    layouts: int
    states: int

    @property
    def rate(self) -> Fraction:
        """The probability of winning."""
        from fractions import Fraction

        return Fraction(self.wins, self.layouts)


def best_play(rows: int, cols: int, layouts: list[int], most_states: int) -> BestPlay | None:
    """Solve the game in which the layouts are equally likely; return None if that takes more than `most_states` states.

    :param rows: with `cols` at most 32 cells
    :param layouts: distinct bit masks with equally many mines; bit ``row * cols + col`` is a mine
    """
    solved, wins, states = _kernel.best_play(rows, cols, layouts, most_states)
    return BestPlay(wins, len(layouts), states) if solved else None


def probabilities(view: View) -> tuple[NDArray[np.float64], float]:
    """Return the mine probability of every hidden cell and the natural logarithm of the number of layouts.

    :returns: a (rows, cols) array with NaN at open cells, and the logarithm
    :raises NoLayout: if no layout fits the view
    :raises TooWide: if the layouts cannot be counted
    """
    mine = np.empty(view.cells.shape)
    fit, log_layouts = _kernel.probabilities(view.cells, view.mines, mine)
    _check_fit(fit, view)
    return mine, log_layouts


class ViewArrays(NamedTuple):
    """The closures and probabilities of many views, as `player.bulk.SolvedViews` describes them.

    The closures of the views with the numbers `incomplete` may lack cells: a component is too wide to enumerate.
    """

    safe_map: NDArray[np.bool_]
    mine_map: NDArray[np.bool_]
    tiers: NDArray[np.uint8]
    log_layouts: NDArray[np.float64]
    chances: NDArray[np.float64] | None
    incomplete: list[int]


def solve_views(views: NDArray[np.int8], mines: NDArray[np.int32], *, chances: bool) -> ViewArrays:
    """Find the closure of each view and, with `chances`, the mine probabilities.

    :param views: C-contiguous (n, rows, cols) array
    :param mines: (n,) array
    """
    safe, mine = np.empty(views.shape, dtype=np.bool_), np.empty(views.shape, dtype=np.bool_)
    tiers, log_layouts = np.empty(views.shape, dtype=np.uint8), np.empty(len(views))
    shares = np.empty(views.shape) if chances else None
    incomplete = _kernel.solve_views(views, mines, safe, mine, tiers, log_layouts, shares)
    return ViewArrays(safe, mine, tiers, log_layouts, shares, incomplete)


def count_layouts(view: View) -> int | None:
    """Return the exact number of layouts.

    None if a component is too wide to count, or has 2**53 layouts or more with the same number of mines.
    """
    fit, counts = _kernel.exact_counts(view.cells, view.mines)
    if fit == _kernel.Fit.INCONSISTENT:
        return 0
    if counts is None:
        return None
    mines, unconstrained, components = counts
    ways = np.ones(1, dtype=object)
    for least, numbers in components:
        mines -= least
        ways = np.convolve(ways, np.array(list(map(int, numbers)), dtype=object))
    return sum(int(number) * comb(unconstrained, mines - more) for more, number in enumerate(ways[: mines + 1]))


def clue_layouts(view: View, cell: Cell) -> NDArray[np.float64]:
    """Return, for each clue 0 to 8, the natural logarithm of the number of layouts in which a hidden cell shows it.

    Raises as `probabilities` does.
    """
    fit, logs = _kernel.clue_layouts(view.cells, view.mines, *cell)
    _check_fit(fit, view)
    return np.array(logs)


def sample_layouts(view: View, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw `count` layouts uniformly as a (count, rows, cols) array. Raises as `probabilities` does.

    :param seed: 0 to 2**64 - 1
    """
    drawn = np.zeros((count, view.rows, view.cols), dtype=np.uint8)
    _check_fit(_kernel.sample_layouts(view.cells, view.mines, seed, drawn), view)
    return drawn.view(np.bool_)


class Clue(NamedTuple):
    """An open cell, its undecided neighbours, and the number of mines among these."""

    cell: int
    unknown: tuple[int, ...]
    need: int


class IncrementalClosure:
    """Everything that follows from the clues of one game, updated as cells are opened."""

    def __init__(self, rows: int, cols: int, mines: int) -> None:
        check_size(rows, cols)
        if not 0 <= mines <= rows * cols:
            raise BoardError(f"invalid mines {mines}; expected 0 to {rows * cols} on a {size_name(rows, cols)} board")
        self._closure = _kernel.IncrementalClosure(rows, cols, mines)

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        """Open `cells`, which show `clues`.

        :raises ValueError: for a cell off the board, a clue outside 0 to 8 or a changed clue
        """
        self._closure.learn(_numbers(cells), _numbers(clues))

    def mark(self, cells: Sequence[int], *, mine: bool) -> None:
        """Mark cells as known mines or as known to be safe."""
        self._closure.mark(_numbers(cells), mine)

    def local_round(self) -> list[Step]:
        """Deduce by the easiest of tiers 1 to 3 that decides any cell. Components too wide to enumerate are skipped."""
        return [_step(step) for step in self._closure.local_round()]

    def mine_count_round(self) -> list[Step] | None:
        """Deduce by tier 4, when the easier tiers decide nothing; None if a component is too wide to enumerate."""
        found = self._closure.mine_count_round()
        return None if found is None else [_step(step) for step in found]

    def pop_wide_components(self) -> list[list[Clue]]:
        """Return the components found too wide to enumerate since the last call."""
        return [[Clue(*clue) for clue in component] for component in self._closure.pop_wide_components()]

    @property
    def unconstrained(self) -> tuple[int, ...]:
        """The undecided cells that touch no open cell."""
        return self._closure.unconstrained()

    @property
    def frontier(self) -> list[Clue]:
        """The open cells that touch undecided cells."""
        return [Clue(*clue) for clue in self._closure.frontier()]

    @property
    def mines_left(self) -> int:
        """The number of mines not known yet."""
        return self._closure.mines_left

    @property
    def inconsistent(self) -> bool:
        """True once no layout fits. Other results are then meaningless."""
        return self._closure.inconsistent


class Games:
    """Many games of one size, played at once by single clicks.

    `views` is an (n, rows, cols) array of int8, each as `View.cells`; the other arrays have n elements. `statuses` are
    0 (playing), 1 (won) or 2 (lost), `indices` the indices of the puzzles in the recipe, and `opened` the numbers of
    cells that the last `open` opened. The methods change the arrays.
    """

    def __init__(self, recipe: Recipe, count: int) -> None:
        check_cells(recipe.rows, recipe.cols, "games")
        self.views: NDArray[np.int8] = np.full((count, recipe.rows, recipe.cols), -1, dtype=np.int8)
        self.statuses = np.zeros(count, dtype=np.uint8)
        self.indices = np.zeros(count, dtype=np.int64)
        self.opened = np.zeros(count, dtype=np.int32)
        self._games = _kernel.Games(_recipe(recipe), count)

    def start(self, recipe: Recipe, which: NDArray[np.bool_], *, no_guess: bool = False) -> bool:
        """Start the games marked in `which`, an array of n elements, with puzzles of a recipe of the same size.

        The first click is made. Game i gets the puzzle ``indices[i]``, or the first one of ``indices[i] + n``,
        ``indices[i] + 2 * n``, ... if its first click wins or, with `no_guess`, logic does not solve it.

        :returns: False if 1,000,000 puzzles in a row are such
        """
        return self._games.start(_recipe(recipe), no_guess, which, self.indices, self.views, self.statuses)

    def open(self, actions: NDArray[np.int64]) -> None:
        """Open cell ``actions[i]``, a number from 0 to ``rows * cols - 1``, in each game i that is not over.

        Does nothing for an open cell. Opening a mine loses the game. Raises `ValueError` for another number.
        """
        self._games.open(actions, self.views, self.statuses, self.opened)


def _recipe(recipe: Recipe) -> _kernel.Recipe:
    click = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
    opening = recipe.rule is StartRule.OPENING
    return _kernel.Recipe(recipe.rows, recipe.cols, recipe.mines, click, opening, recipe.seed)


def _check_indices(recipe: Recipe, indices: range) -> None:
    if indices.step != 1 or indices.start < 0:
        raise ValueError(f"invalid indices {indices} of {recipe.name}; expected consecutive numbers, 0 or more")


def _check_strategy(strategy: str) -> None:
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown strategy {strategy!r}; the kernel has {', '.join(STRATEGIES)}")


def _batches(puzzles: Iterable[Puzzle]) -> Iterator[tuple[memoryview[bool], array[int]]]:
    """Group consecutive puzzles of one size; yield their boards and the numbers of their first clicks."""
    for (rows, cols), group in groupby(puzzles, lambda puzzle: (puzzle.board.rows, puzzle.board.cols)):
        alike = list(group)
        clicks = [row * cols + col for row, col in (puzzle.first_click for puzzle in alike)]
        yield _mine_maps(rows, cols, [puzzle.board for puzzle in alike]), array("q", clicks)


def _mine_maps(rows: int, cols: int, boards: list[Board]) -> memoryview[bool]:
    cells = b"".join([board.cells for board in boards])
    return memoryview(cells).cast("?", (len(boards), rows, cols))


def _marks(view: View, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if marks.shape != view.cells.shape or marks.dtype != np.bool_:
        raise ValueError(
            f"invalid array {marks.shape} of {marks.dtype}; expected a {size_name(view.rows, view.cols)} array of bool"
        )
    return np.ascontiguousarray(marks)


def _numbers(numbers: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(numbers, dtype=np.int64)


def _ratings(rated: list[_kernel.Rated], view: View) -> list[Rating]:
    return [Rating(divmod(cell, view.cols), *chances) for cell, *chances in rated]


def _check_fit(fit: _kernel.Fit, view: View) -> None:
    if fit == _kernel.Fit.INCONSISTENT:
        raise NoLayout(f"no layout fits {view.name}")
    if fit == _kernel.Fit.TOO_WIDE:
        raise TooWide(f"{view.name} has a component too wide to count its layouts in memory")


def _player(strategy: str | Rollouts) -> str | _kernel.RolloutOptions:
    if isinstance(strategy, Rollouts):
        return _options(strategy)
    _check_strategy(strategy)
    return strategy


def _options(rollouts: Rollouts) -> _kernel.RolloutOptions:
    return _kernel.RolloutOptions(rollouts.layouts, rollouts.seconds, rollouts.threads, rollouts.base)


def _screening(solution: _kernel.Solution, shape: tuple[int, ...]) -> Screening | None:
    verdict, tally, clues_at_once, undecided = solution
    if verdict == _kernel.Verdict.TOO_WIDE:
        return None
    if undecided:
        return Screening(NOTHING, (), np.frombuffer(undecided, dtype=np.bool_).reshape(shape))
    return Screening(Tally._make(tally), (), None, clues_at_once)


def _found_puzzles(recipe: Recipe, found: list[_kernel.Found]) -> Iterator[FoundPuzzle]:
    size = recipe.rows, recipe.cols
    for index, click, cells, solution in found:
        puzzle = Puzzle.unchecked(Board.unchecked(*size, cells), divmod(click, recipe.cols))
        screening = _screening(solution, size)
        assert screening is not None
        yield FoundPuzzle(index, puzzle, screening)


def _step(step: _kernel.Step) -> Step:
    tier, safe, mines, clues = step
    return Step(Tier(tier), safe, mines, clues)
