"""The only door to the kernel, the C++ under ``player/kernel``: checked arguments in, named results out.

Nothing else imports `_kernel`. It is there only if a C++ compiler was when the toolkit was installed: `available`
tells, and all else here needs it. Boards, puzzles, views and recipes are checked where they are made; what is checked
here is the rest. Long calls hear Ctrl-C, raise `OutOfTime` when a `player.limits.time_limit` is over, and let other
threads work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from minesweeper.player.board import Board, BoardError, Cell, Puzzle, View, check_size, size_name
from minesweeper.player.game import StartRule
from minesweeper.player.limits import check_time
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import NOTHING, HardStep, Screening, Step, Tally, Tier

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from minesweeper.player import _kernel
    from minesweeper.player.results import GameResult

    _failure: ImportError | None
else:
    try:
        from minesweeper.player import _kernel
    except ImportError as error:
        _kernel, _failure = None, error
    else:
        _failure = None
        _kernel.watch_with(check_time)

_T = TypeVar("_T")

STRATEGIES: Final = ("safest", "progress", "lookahead", "champion")
"""The strategies that the kernel plays."""
BASES: Final = ("quick", "safest", "progress", "lookahead", "champion")
"""Who plays rollouts on: ``quick`` is ``champion`` without its second ply and with smaller exact endgames."""
MOST_SECONDS: Final = 86_400.0
MOST_THREADS: Final = 256
_NEEDS_SAT: Final = 2
"""The kernel's verdict on a puzzle with a component that is too wide for it."""


def available() -> bool:
    """Say whether the kernel is there."""
    return _kernel is not None


def why_missing() -> str:
    """Say why the kernel is not there, as far as can be told: what follows "the native engine"."""
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
        return "was not built when this was installed, for want of a C++ compiler"
    return f"was not built for the source tree in {here.parents[1]}"


class NoLayout(ValueError):
    """A view that no layout fits; `player.logic.closure` tells which clues clash."""


class TooWide(ValueError):
    """A view whose hidden cells hang together so widely that counting its layouts would take too much memory."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """The measures of one board.

    `bbbv` (3BV) is the least number of left clicks that open every safe cell: one for each opening and one for each
    safe cell in no opening. `openings` counts the openings; `islands` the 8-connected groups of safe cells in none.
    `greedy_zini` and `human_zini` count the clicks, flags and chords included, of two plans: both take again and again
    the cell where flagging and chording saves most over single clicks; the human plan opens all openings first and
    then only chords on cells that are open.
    """

    bbbv: int
    openings: int
    islands: int
    greedy_zini: int
    human_zini: int

    @property
    def efficiency_bound(self) -> float:
        """The efficiency, 3BV per click, of the better ZiNi plan; 0 for a board without safe cells.

        The best possible play may be a little better: ZiNi is a good plan, not a proof.
        """
        return self.bbbv / min(self.greedy_zini, self.human_zini) if self.bbbv else 0.0


@dataclass(frozen=True, slots=True)
class Measures(Metrics):
    """The measures of one puzzle: those of its board, and `first_opening`, how many cells the first click opens."""

    first_opening: int


@dataclass(frozen=True, eq=False)
class Kept:
    """A solvable puzzle found by sampling, its place in the `Recipe`, and its measures if they are known."""

    index: int
    puzzle: Puzzle
    screening: Screening
    measured: Measures | None = None


class Exchange(NamedTuple):
    """Mines and safe cells, by number, that can trade places and change no clue of a cell that stays safe."""

    mines: tuple[int, ...]
    safe: tuple[int, ...]


def solve(puzzle: Puzzle, *, keep_hard_steps: bool = False) -> Screening | None:
    """Open by logic alone all that can be opened, the whole board in one call; None if that needs the SAT engine.

    There are no hard steps unless asked for.
    """
    return next(solve_all([puzzle], keep_hard_steps=keep_hard_steps))


def solve_all(puzzles: Iterable[Puzzle], *, keep_hard_steps: bool = False) -> Iterator[Screening | None]:
    """Do the same for many puzzles, in order, those of a size in one call."""
    for mine_maps, clicks in _batches(puzzles):
        for solution in _kernel.solve(mine_maps, clicks, keep_hard_steps):
            yield _screening(solution, mine_maps.shape[1:])


def screen(recipe: Recipe, indices: range) -> tuple[Iterator[Kept], list[int]]:
    """Sample puzzles of a recipe and keep those that logic solves, with their hard steps.

    Returns them, and the indices of puzzles that need the SAT engine. Raises `ValueError` as `play_sampled` does.
    """
    _check_indices(recipe, indices)
    found = _kernel.screen(_recipe(recipe), indices.start, indices.stop)
    return _all_kept(recipe, found), found.undecided


def repair(recipe: Recipe, indices: range, most_changes: int) -> tuple[Iterator[Kept], list[int]]:
    """Sample puzzles of a recipe and keep those that up to `most_changes` changes mend, mended, with their hard steps.

    Returns them, and the indices of puzzles that need the SAT engine. Raises `ValueError` as `play_sampled` does.
    """
    _check_indices(recipe, indices)
    found = _kernel.repair(_recipe(recipe), indices.start, indices.stop, most_changes)
    return _all_kept(recipe, found), found.undecided


def mine_maps(recipe: Recipe, indices: range) -> NDArray[np.bool_]:
    """Sample the boards of a recipe with consecutive `indices`, 0 or more; works without the kernel too.

    Returns an (n, rows, cols) array of bool, True at mines; board `i` is ``recipe.puzzle(indices[i]).board``.
    Raises `ValueError` for other indices.
    """
    _check_indices(recipe, indices)
    if not available():
        boards = [recipe.puzzle(index).board.mine_map for index in indices]
        return np.array(boards, dtype=np.bool_).reshape(-1, recipe.rows, recipe.cols)
    maps = np.empty((len(indices), recipe.rows, recipe.cols), dtype=np.uint8)
    _kernel.sample_maps(_recipe(recipe), indices.start, maps)
    return maps.view(np.bool_)


def exchanges(puzzle: Puzzle) -> list[Exchange]:
    """Find exchanges in small windows. Each proves that the puzzle is not solvable: its cells can't be told apart."""
    row, col = puzzle.first_click
    found = _kernel.exchanges(puzzle.board.mine_map[np.newaxis], _numbers([row * puzzle.board.cols + col]))
    return [Exchange(tuple(mines), tuple(safe)) for mines, safe in found]


def images(board: Board) -> bytes:
    """Pack the mines of the symmetric images of a board, `Board.transformed`, each as `Board.to_bytes` does."""
    return _kernel.images(board.rows, board.cols, board.cells)


def measure(boards: Iterable[Board]) -> Iterator[Metrics]:
    """Measure many boards, in order, those of a size in one call."""
    for size, alike in groupby(boards, lambda board: (board.rows, board.cols)):
        for numbers in _kernel.measure(_mine_maps(*size, list(alike))):
            yield Metrics(*numbers)


def measure_puzzles(puzzles: Iterable[Puzzle]) -> Iterator[Measures]:
    """Measure many puzzles likewise."""
    for batch in _batches(puzzles):
        for numbers in _kernel.measure_puzzles(*batch):
            yield Measures(*numbers)


@dataclass(frozen=True, slots=True)
class Rollouts:
    """How to guess by rollouts: candidates are opened in common random layouts, and `base` plays on.

    At most `layouts` layouts and `seconds` for a move, 0 for as long as it takes. `base` is one of `BASES`. Raises
    `ValueError` for what cannot be.
    """

    layouts: int
    seconds: float = 0.0
    threads: int = 1
    base: str = BASES[0]

    def __post_init__(self) -> None:
        if not (isinstance(self.layouts, int) and 1 <= self.layouts < 2**31):
            raise ValueError(f"expected layouts from 1 to {2**31 - 1}: {self.layouts}")
        if not (isinstance(self.seconds, int | float) and 0 <= self.seconds <= MOST_SECONDS):
            raise ValueError(f"expected seconds from 0 to {MOST_SECONDS}: {self.seconds}")
        if not (isinstance(self.threads, int) and 1 <= self.threads <= MOST_THREADS):
            raise ValueError(f"expected 1 to {MOST_THREADS} threads: {self.threads}")
        if self.base not in BASES:
            raise ValueError(f"expected a base, {', '.join(BASES)}: {self.base!r}")


def play(puzzles: Iterable[Puzzle], strategy: str | Rollouts) -> list[GameResult]:
    """Play puzzles with one of `STRATEGIES` or by rollouts. Raises `ValueError` for another."""
    from minesweeper.player.results import GameResult

    who = _who(strategy)
    return [GameResult(*played) for batch in _batches(puzzles) for played in _kernel.play(*batch, who)]


def play_sampled(recipe: Recipe, indices: range, strategy: str | Rollouts) -> list[GameResult]:
    """Play puzzles of a recipe, sampling them too.

    Raises `ValueError` for another strategy, or for indices that are not from 0 on, one after the other.
    """
    from minesweeper.player.results import GameResult

    _check_indices(recipe, indices)
    played = _kernel.play_sampled(_recipe(recipe), indices.start, len(indices), _who(strategy))
    return [GameResult(*game) for game in played]


@dataclass(frozen=True, slots=True)
class Rating:
    """A cell that a strategy considered.

    `safety` is the probability that the cell is no mine; `progress` the probability that it is none and that logic goes
    on after it, 0 if that was not worked out; `value` is what the strategy ranks by, higher being better.
    """

    cell: Cell
    safety: float
    progress: float
    value: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What the cells of a position are worth, best first: `value` of each rating is a chance.

    If `exact`, that of winning if the cell is opened next and all is played perfectly from there; otherwise too many
    layouts are left to know that, and it is the chance to survive the cell and, as long as logic does not go
    on, the next two guesses.
    """

    exact: bool
    ratings: tuple[Rating, ...]


def rate(view: View, known_mines: NDArray[np.bool_], strategy: str) -> list[Rating]:
    """List the cells that a strategy considers where logic is at its end, best first: the first is its choice.

    `known_mines` is an array of bool of the shape of the view. Empty if no hidden cell may be safe, or if no layout
    fits. Raises `ValueError` for arrays or strategies that cannot be.
    """
    _check_strategy(strategy)
    return _ratings(_kernel.rate(view.cells, view.mines, _marks(view, known_mines), strategy), view)


def rate_by_rollouts(view: View, known_mines: NDArray[np.bool_], rollouts: Rollouts) -> list[Rating]:
    """List the cells that rollouts compare, as `rate` does; `value` is the chance to win if the base plays on.

    Where the rest of the game is searched instead, that is its one choice and its chance to win.
    """
    rated = _kernel.rate_by_rollouts(view.cells, view.mines, _marks(view, known_mines), _rollouts(rollouts))
    return [Rating(divmod(cell, view.cols), safety, 0.0, value) for cell, safety, value, _ in rated]


class Trials:
    """Cells of one position, opened in layouts drawn from `seed`, the same for all; `base`, of `BASES`, plays on.

    `known_mines` is an array of bool of the shape of the view, with which logic is done. Raises `TooWide` if its
    layouts cannot be counted or none fits, and `ValueError` for what cannot be.
    """

    def __init__(self, view: View, known_mines: NDArray[np.bool_], seed: int, base: str, threads: int = 1) -> None:
        Rollouts(1, 0.0, threads, base)
        self._cols = view.cols
        self._trials = _kernel.Trials(view.cells, view.mines, _marks(view, known_mines), base, threads, seed)
        if not self._trials.ready:
            raise TooWide(f"expected a position that logic is done with, and whose layouts can be counted: {view.name}")

    def run(
        self, cells: Sequence[Cell], layouts: range, seconds: float = 0.0
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Play the cells in the layouts with these numbers, one after the other, for at most so many seconds.

        Returns two arrays of a row for each layout that was played, and a column for each cell: whether it is safe,
        and an unbiased estimate of the chance to win in this layout if it is opened first, which may lie outside
        [0, 1]. Its mean over layouts is the chance to win if the base plays on. No seconds mean no cap.
        """
        numbers = _numbers([row * self._cols + col for row, col in cells])
        safe = np.zeros((len(layouts), len(cells)), dtype=np.bool_)
        worth = np.zeros((len(layouts), len(cells)))
        played = self._trials.run(numbers, layouts.start, seconds, safe, worth)
        return safe[:played], worth[:played]


def weigh(view: View, known_mines: NDArray[np.bool_]) -> Weights | None:
    """Weigh all cells of such a position as ``champion`` would; None if layouts cannot be counted, or none fits."""
    exact, rated = _kernel.weigh(view.cells, view.mines, _marks(view, known_mines))
    return Weights(exact, tuple(_ratings(rated, view))) if rated else None


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The best play wins in `wins` of `layouts` equally likely layouts; `states` were remembered to find that out."""

    wins: int
    layouts: int
    states: int

    @property
    def rate(self) -> Fraction:
        """The chance of winning."""
        from fractions import Fraction

        return Fraction(self.wins, self.layouts)


def best_play(rows: int, cols: int, layouts: list[int], most_states: int) -> BestPlay | None:
    """Solve the game in which the layouts are equally likely; None if that takes more than `most_states` states.

    Bit ``row * cols + col`` of a layout is set where there is a mine. They have equally many, and differ. Raises
    `ValueError` for more than 32 cells.
    """
    solved, wins, states = _kernel.optimal(rows, cols, layouts, most_states)
    return BestPlay(wins, len(layouts), states) if solved else None


def probabilities(view: View) -> tuple[NDArray[np.float64], float]:
    """Give every hidden cell's probability of being a mine, NaN for open cells, and the logarithm of the number of
    layouts that fit. Raises `NoLayout` and `TooWide`, as `clue_layouts` and `sample_layouts` do.
    """
    mine = np.empty(view.cells.shape)
    fit, log_layouts = _kernel.probabilities(view.cells, view.mines, mine)
    _check_fit(fit, view)
    return mine, log_layouts


def clue_layouts(view: View, cell: Cell) -> NDArray[np.float64]:
    """Give the logarithm of the number of layouts in which a hidden cell is safe and shows each clue, 0 to 8."""
    fit, logs = _kernel.clue_layouts(view.cells, view.mines, *cell)
    _check_fit(fit, view)
    return np.array(logs)


def sample_layouts(view: View, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw `count` layouts uniformly: a (count, rows, cols) array. `seed` is 0 to 2**64 - 1."""
    drawn = np.zeros((count, view.rows, view.cols), dtype=np.uint8)
    _check_fit(_kernel.sample_layouts(view.cells, view.mines, seed, drawn), view)
    return drawn.view(np.bool_)


class Corrections:
    """Correction sets of a cell that the clues of a view and the number of mines decide.

    A correction set is clues that have to go before the cell can be otherwise. `layout` is one that fits, a
    (rows, cols) array of bool; `given` are the hidden cells that count as known. Raises `ValueError` unless the cell is
    hidden and not given.
    """

    def __init__(self, view: View, layout: NDArray[np.bool_], given: Iterable[Cell], cell: Cell) -> None:
        self._cols = view.cols
        known = np.zeros(view.cells.shape, dtype=np.bool_)
        for one in given:
            known[one] = True
        self._reasons = _kernel.CountReasons(view.cells, _marks(view, layout), known, self._number(cell))

    def find(self, kept: Iterable[Cell], effort: int) -> list[Cell] | None:
        """Find one, as small as can be, without any of the clues that are `kept`; empty if these force the cell.

        None if that takes more than `effort` steps, of some ten nanoseconds each.
        """
        found = self._reasons.correction(_numbers([self._number(clue) for clue in kept]), effort)
        return None if found is None else [divmod(number, self._cols) for number in found]

    def _number(self, cell: Cell) -> int:
        return cell[0] * self._cols + cell[1]


class Clue(NamedTuple):
    """An open cell and its neighbours that are not known, by number; `need` of these are mines."""

    cell: int
    unknown: tuple[int, ...]
    need: int


class Game:
    """What is known of one game. Cells are numbers, ``row * cols + col``. Raises `BoardError` for impossible boards."""

    def __init__(self, rows: int, cols: int, mines: int) -> None:
        check_size(rows, cols)
        if not 0 <= mines <= rows * cols:
            raise BoardError(f"expected 0 to {rows * cols} mines on a {size_name(rows, cols)} board: {mines}")
        self._game = _kernel.Game(rows, cols, mines)

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        """Take note that `cells` were opened and show `clues`.

        Raises `ValueError` for what is off the board, is no clue 0 to 8, or changes a clue.
        """
        self._game.learn(_numbers(cells), _numbers(clues))

    def settle(self, cells: Sequence[int], *, mine: bool) -> None:
        """Take note that `cells` are mines, or safe."""
        self._game.settle(_numbers(cells), mine)

    def local_round(self) -> list[Step]:
        """Deduce what the easiest of tiers 1 to 3 gives that gives anything. Wide components are left alone."""
        return [_step(step) for step in self._game.local_round()]

    def mine_count_round(self) -> list[Step] | None:
        """Deduce what tier 4 gives once nothing else does; None if that hangs on a component that is too wide."""
        found = self._game.mine_count_round()
        return None if found is None else [_step(step) for step in found]

    def take_wide(self) -> list[list[Clue]]:
        """List the components found to be too wide to enumerate since this was last asked."""
        return [[Clue(*clue) for clue in component] for component in self._game.take_wide()]

    @property
    def sea(self) -> tuple[int, ...]:
        """The cells not known that touch no open cell."""
        return self._game.sea()

    @property
    def frontier(self) -> list[Clue]:
        """The open cells that touch cells not known."""
        return [Clue(*clue) for clue in self._game.frontier()]

    @property
    def mines_left(self) -> int:
        """The mines not known."""
        return self._game.mines_left

    @property
    def inconsistent(self) -> bool:
        """Whether it turned out that no layout fits. Nothing else holds from then on."""
        return self._game.inconsistent


def fits(
    size: tuple[int, int], mines: int, safe: Sequence[int], mined: Sequence[int], clues: Mapping[int, int]
) -> bool | None:
    """Say whether any layout has no mine in the cells `safe`, mines in those `mined`, and makes `clues` true.

    `clues` maps cell numbers to what they show. None if some component is too wide to tell.
    """
    game = Game(*size, mines)
    game.settle(safe, mine=False)
    game.settle(mined, mine=True)
    game.learn(list(clues), list(clues.values()))
    while not game.inconsistent:
        if game.local_round():
            continue
        if game.take_wide():
            return None
        found = game.mine_count_round()
        if not found:
            return None if found is None else not game.inconsistent
    return False


def _recipe(recipe: Recipe) -> _kernel.Recipe:
    click = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
    opening = recipe.rule is StartRule.OPENING
    return _kernel.Recipe(recipe.rows, recipe.cols, recipe.mines, click, opening, recipe.seed)


def _check_indices(recipe: Recipe, indices: range) -> None:
    if indices.step != 1 or indices.start < 0:
        raise ValueError(f"expected indices from 0 on, one after the other, of {recipe.name}: {indices}")


def _check_strategy(strategy: str) -> None:
    if strategy not in STRATEGIES:
        raise ValueError(f"expected a strategy, {', '.join(STRATEGIES)}: {strategy!r}")


def _batches(puzzles: Iterable[Puzzle]) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Yield the boards and the first clicks, by number, of puzzles of one size that follow one another."""
    for (rows, cols), group in groupby(puzzles, lambda puzzle: (puzzle.board.rows, puzzle.board.cols)):
        alike = list(group)
        clicks = [row * cols + col for row, col in (puzzle.first_click for puzzle in alike)]
        yield _mine_maps(rows, cols, [puzzle.board for puzzle in alike]), _numbers(clicks)


def _mine_maps(rows: int, cols: int, boards: list[Board]) -> NDArray[np.bool_]:
    """Stack the boards of a size."""
    cells = b"".join([board.cells for board in boards])
    return np.frombuffer(cells, dtype=np.bool_).reshape(len(boards), rows, cols)


def _marks(view: View, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if marks.shape != view.cells.shape or marks.dtype != np.bool_:
        raise ValueError(f"expected a {size_name(view.rows, view.cols)} array of bool: {marks.shape} of {marks.dtype}")
    return np.ascontiguousarray(marks)


def _numbers(numbers: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(numbers, dtype=np.int64)


def _ratings(rated: list[tuple[int, float, float, float]], view: View) -> list[Rating]:
    return [Rating(divmod(cell, view.cols), *chances) for cell, *chances in rated]


def _check_fit(fit: _kernel.Fit, view: View) -> None:
    if fit == _kernel.Fit.NONE:
        raise NoLayout(f"expected a view that some layout fits: {view.name}")
    if fit == _kernel.Fit.TOO_WIDE:
        raise TooWide(f"expected components narrow enough to count in memory: {view.name}")


def _who(strategy: str | Rollouts) -> str | _kernel.Rollouts:
    if isinstance(strategy, Rollouts):
        return _rollouts(strategy)
    _check_strategy(strategy)
    return strategy


def _rollouts(rollouts: Rollouts) -> _kernel.Rollouts:
    return _kernel.Rollouts(rollouts.layouts, rollouts.seconds, rollouts.threads, rollouts.base)


def _screening(solution: _kernel.Solution, shape: tuple[int, ...]) -> Screening | None:
    verdict, _, tally, at_once, steps, undecided = solution
    if verdict == _NEEDS_SAT:
        return None
    hard_steps = tuple([HardStep(_step(step), unknown) for step, unknown in steps]) if steps else ()
    if undecided:
        return Screening(NOTHING, hard_steps, np.frombuffer(undecided, dtype=np.bool_).reshape(shape))
    return Screening(Tally._make(tally), hard_steps, None, at_once)


def _all_kept(recipe: Recipe, found: _kernel.Found) -> Iterator[Kept]:
    size = recipe.rows, recipe.cols
    for place, index in enumerate(found.indices):
        click, cells = found.puzzle(place)
        puzzle = Puzzle(Board(np.frombuffer(cells, dtype=np.bool_).reshape(size)), divmod(click, recipe.cols))
        screening = _screening(found.solution(place), size)
        assert screening is not None
        yield Kept(index, puzzle, screening, Measures(*found.measures(place)))


def _step(step: _kernel.Step) -> Step:
    tier, safe, mines, clues = step
    return Step(Tier(tier), safe, mines, clues)
