"""Strategies, which guess where logic finds no safe cell: one file each, behind one interface.

A strategy receives the view and the deductions of logic, and returns the cell to open:

    from minesweeper.player.core.board import View
    from minesweeper.player.core.grid import Cell
    from minesweeper.player.play.strategies import Knowledge, Strategy

    class ReadingOrder(Strategy):
        \"\"\"The first uncertain cell, row by row.\"\"\"

        def choose(self, view: View, knowledge: Knowledge) -> Cell:
            return knowledge.uncertain_cells[0]

Saved as ``mine.py``, it plays with ``autoplay --strategy ./mine.py``, or, if it is on the module search path, with
``--strategy mine:ReadingOrder``. Loading a file runs its code. Programs in any language can play too: see
docs/reference/protocol.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from math import inf
from operator import index
from random import Random
from reprlib import repr as short_repr
from typing import Any, ClassVar, Final, TypeVar

from minesweeper.player import kernel_api
from minesweeper.player.core.board import HIDDEN, View, cells_of, frozen, hidden_cell
from minesweeper.player.core.errors import Fault, InconsistentView, OutOfTime, StrategyError
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.core.results import GameResult, PuzzleSource
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import Deductions, ManyDeductions, closure, nothing_decided, solve_views
from minesweeper.player.logic.probability import probabilities

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_CLUES: Final = 9
_LARGE_BOARD: Final = 400


class Knowledge:
    r"""The deductions of logic in a position where it finds no safe cell.

    `safe_map` and `mine_map` are read-only arrays of bool of the shape of the view: the hidden cells known to be safe,
    and those known to be mines. In a game no safe cell is hidden, as logic has opened them all.

    >>> view = ms.View.from_text("2x4/2\n1###\n####")
    >>> known = ms.closure(view)
    >>> knowledge = ms.Knowledge(view, known.safe_map, known.mine_map)
    >>> len(knowledge.uncertain_cells)
    7
    >>> knowledge.chances.round(2).tolist()
    [[nan, 0.33, 0.25, 0.25], [0.33, 0.33, 0.25, 0.25]]
    >>> knowledge.goes_on((0, 2), 1)
    True
    """

    def __init__(self, view: View, safe_map: NDArray[np.bool_], mine_map: NDArray[np.bool_]) -> None:
        self._view = view
        self.safe_map = frozen(safe_map)
        self.mine_map = frozen(mine_map)
        self._suppositions: dict[Cell, ManyDeductions | None] = {}

    @cached_property
    def uncertain(self) -> NDArray[np.bool_]:
        """The hidden cells that may be safe or mines: a read-only array of bool."""
        return frozen((self._view.cells == HIDDEN) & ~self.safe_map & ~self.mine_map)

    @cached_property
    def uncertain_cells(self) -> list[Cell]:
        """The cells of `uncertain`, row by row."""
        return list(cells_of(self.uncertain))

    @cached_property
    def remaining_mines(self) -> int:
        """The number of mines among the uncertain cells."""
        return self._view.mines - int(np.count_nonzero(self.mine_map))

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The exact probability of a mine in each hidden cell, NaN in open cells: read-only float64.

        It is 0 and 1 in the cells of the two maps. Raises `TooWide` if a component is too wide to count.
        """
        return frozen(probabilities(self._view).chances)

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """True if logic would find a safe cell after `cell` is opened and shows `clue`; None if it cannot show it."""
        found = self.after(cell, clue)
        return None if found is None else bool(found.safe_map.any())

    def after(self, cell: Cell, clue: int) -> Deductions | None:
        """Return the closure after `cell` is opened and shows `clue`; None if it cannot show it."""
        cell = hidden_cell(self._view, cell)
        if cell not in self._suppositions:
            self._suppositions[cell] = self._suppose(cell)
        found = self._suppositions[cell]
        if found is None:
            # Without the kernel, or with a component too wide for it.
            with suppress(InconsistentView):
                return closure(self._view.showing(cell, clue))
            return None
        if found.log_layouts[clue] == -inf:
            return None
        return Deductions(found.safe_map[clue], found.mine_map[clue], found.tiers[clue])

    def _suppose(self, cell: Cell) -> ManyDeductions | None:
        """Return the closures after a cell is opened and shows each clue from 0 to 8, in one kernel call."""
        if not kernel_api.available():
            return None
        views = np.repeat(self._view.cells[np.newaxis], _CLUES, axis=0)
        views[:, cell[0], cell[1]] = range(_CLUES)
        found = nothing_decided(views.shape, chances=False)
        wide = solve_views(found, views, np.full(_CLUES, self._view.mines, dtype=np.int32), self._view.grid)
        return None if wide else found


class Strategy:
    """A way of guessing, by `choose`, or a whole solver, by `moves`.

    Options are keyword arguments of the class: numbers, words or booleans with defaults.

    Increase `revision` whenever the strategy changes its choices, so that results of both revisions are kept apart.
    `random` is the source of chance of the current game: games that draw only from it are reproducible.

    A class with `moves` and without `choose` `plays_alone`: it makes every move, and logic opens nothing. An error of a
    strategy that `forfeits` loses the game; an error of any other strategy ends the run. The default of `name` is that
    of the class.

    >>> class ReadingOrder(ms.Strategy):
    ...     def choose(self, view, knowledge):
    ...         return knowledge.uncertain_cells[0]
    >>> game = ms.play(ms.Recipe("expert", seed=3).puzzle(1), ReadingOrder())
    >>> game.won, game.guesses
    (False, 7)
    """

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    plays_alone: bool = False
    forfeits: bool = False
    random: Random

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = getattr(cls, "name", cls.__name__)
        if "moves" in vars(cls) and cls.choose is Strategy.choose and "plays_alone" not in vars(cls):
            cls.plays_alone = True

    def begin(self, random: Random) -> None:
        """Prepare for a new game, with `random` as its source of chance."""
        self.random = random

    def first_click(self, grid: Grid, mines: int, rule: StartRule) -> Cell:
        """Choose the first click where the rules leave it open, by default `usual_first_click`."""
        return usual_first_click(grid, rule)

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        """Choose the hidden cell to open, which must not be a known mine."""
        raise StrategyError(f"strategy {self.name} has no method choose(view, knowledge)")

    def moves(self, view: View) -> Sequence[Cell] | Cell:
        """Choose one or more hidden cells to open next, in order. Called only for strategies that play alone."""
        raise StrategyError(f"strategy {self.name} plays alone but has no method moves")

    def close(self) -> None:
        """Release resources such as a process. The next call of another method acquires them again."""

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        """Play the puzzles with the numbers `games` at once, if that is faster; return None otherwise.

        The results must equal those of `player.play.games.play` for each puzzle, chance included.
        """
        return None


def usual_first_click(grid: Grid, rule: StartRule) -> Cell:
    """Return a good first click: a corner for a safe start; (2, 2) for an opening start, (3, 3) on large boards.

    A corner is most often a zero. A certain zero opens most cells when it is near a corner but not at an edge.
    """
    if rule is StartRule.SAFE:
        return 0, 0
    inset = 3 if grid.rows * grid.cols >= _LARGE_BOARD else 2
    return min(inset, grid.rows // 2), min(inset, grid.cols // 2)


def choose_cell(strategy: Strategy, view: View, knowledge: Knowledge) -> Cell:
    """Return the guess of a strategy, the first cell of its move if it plays alone.

    Raises `StrategyError` if it fails or its answer breaks the rules.
    """
    if strategy.plays_alone:
        cell = choose_cells(strategy, view)[0]
    else:
        cell = _read_cell(call_strategy(strategy, lambda: strategy.choose(view, knowledge)), view, strategy)
    if knowledge.mine_map[cell]:
        raise StrategyError(f"strategy {strategy.name} chose {cell}, which is known to be a mine")
    return cell


def choose_cells(strategy: Strategy, view: View) -> list[Cell]:
    """Return the next move of a strategy that plays alone. Raises `StrategyError` as `choose_cell` does."""
    answer: list[Any] = call_strategy(strategy, lambda: list(strategy.moves(view)))
    if not answer:
        raise StrategyError(f"strategy {strategy.name} chose no cell: expected at least one")
    cells = [answer] if np.ndim(answer[0]) == 0 else answer
    return [_read_cell(cell, view, strategy) for cell in cells]


def call_strategy(strategy: Strategy, call: Callable[[], _T]) -> _T:
    """Call a method of a strategy; log an exception of a third-party strategy and raise it as a `StrategyError`."""
    try:
        return call()
    except (StrategyError, OutOfTime, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit, too
        if is_bundled(strategy):
            raise
        raise failure(f"strategy {strategy.name}", error) from error


def is_bundled(strategy: Strategy) -> bool:
    """Return whether a strategy is part of the toolkit."""
    return type(strategy).__module__.startswith("minesweeper.")


def _read_cell(answer: object, view: View, strategy: Strategy) -> Cell:
    try:
        row, col = map(index, answer)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise StrategyError(
            f"strategy {strategy.name} chose {short_repr(answer)}: expected a cell (row, column)"
        ) from None
    if not (0 <= row < view.rows and 0 <= col < view.cols):
        raise StrategyError(f"strategy {strategy.name} chose {short_repr((row, col))}, which is off the board")
    if view.cells[row, col] != HIDDEN:
        raise StrategyError(f"strategy {strategy.name} chose {(row, col)}, which is already open")
    return row, col


def failure(what: str, error: BaseException) -> StrategyError:
    """Log an error in third-party code with its traceback, and return it as a `StrategyError` of one line."""
    log.info("%s failed:", what, exc_info=error)
    return StrategyError(f"{what} failed: {type(error).__name__}: {error}", Fault.BROKE_OFF)
