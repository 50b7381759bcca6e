"""Strategies of the kernel, which rates cells and plays whole batches of games."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from typing import Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import View
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.results import Candidate, Evaluation, EvaluationKind, GameResult, PuzzleSource
from minesweeper.player.core.steps import Engine
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.logic.sentences import Sentence
from minesweeper.player.play.strategies import Knowledge, Strategy

_EXACT: Final = 2  # the kind of an evaluation by the kernel


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Options of guessing by rollouts: open each candidate in the same random layouts and let `base` finish the games.

    :param layouts: layouts per move, at most
    :param seconds: seconds per move, 0 for no limit, at most a day
    :param threads: 1 to 256
    :param base: one of `NATIVE_STRATEGIES`
    :param most_unknown: cells; no rollouts while more are unknown, and 0 for no limit
    """

    layouts: int
    seconds: float = 0.0
    threads: int = 1
    base: str = "quick"
    most_unknown: int = 0

    def __post_init__(self) -> None:
        self.native()

    def native(self) -> kernel.RolloutOptions:
        """Return the options of the kernel. Raises `ValueError` for one out of range."""
        return kernel.RolloutOptions(self.layouts, self.seconds, self.threads, self.base, self.most_unknown)


class NativeStrategy(Strategy):
    """A strategy of the kernel. Raises `EngineError` if the kernel was not built."""

    kernel_player: str | Rollouts

    def __init__(self) -> None:
        kernel_api.require(f"the strategy {self.name}")

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.rate(view, knowledge)[0].cell

    def rate(self, view: View, knowledge: Knowledge) -> list[Candidate]:
        """List the cells considered, best first; the first is the choice.

        Raises `InconsistentView` if no layout fits the view, `ValueError` if every hidden cell is a mine.
        """
        candidates = rate(view, knowledge.mine_map, self.kernel_player)
        if not candidates:
            closure(view)
            raise ValueError(f"every hidden cell is a mine: expected a cell that may be safe\n{view}")
        return candidates

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        if engine == "sat":
            return None
        return play_batch(puzzles, games, self.kernel_player)


def rate(view: View, known_mines: NDArray[np.bool_], player: str | Rollouts) -> list[Candidate]:
    """Rate the cells that a strategy considers, best first, in a position where logic finds nothing more.

    With `Rollouts` the values are estimated probabilities of winning, except in small endgames, which are searched: the
    only candidate is then the best cell.

    :param known_mines: array of bool of the shape of the view
    :param player: one of `NATIVE_STRATEGIES`, or `Rollouts`
    :returns: an empty list if every hidden cell is a mine or no layout fits
    """
    native, known = kernel_api.native_view(view), mine_marks(view, known_mines)
    if isinstance(player, Rollouts):
        return _candidates(native.rate_by_rollouts(known, player.native()), view)
    return _candidates(native.rate(known, player), view)


def mine_marks(view: View, known_mines: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Mark known mines as the kernel reads them. Raises `ValueError` for another array than a bool for each cell."""
    if known_mines.shape != view.cells.shape or known_mines.dtype != np.bool_:
        given = f"{known_mines.shape} of {known_mines.dtype}"
        raise ValueError(f"invalid known mines {given}; expected a {view.rows}x{view.cols} array of bool")
    return np.ascontiguousarray(known_mines).view(np.uint8) * np.uint8(2)


def evaluate(view: View, known_mines: NDArray[np.bool_]) -> Evaluation:
    """Rate all hidden cells except known mines, in a position where logic finds no safe cell.

    Values and safeties are rounded, so that equally good cells have equal ones.

    :param known_mines: array of bool of the shape of the view
    :raises TooWide: if the layouts cannot be counted
    """
    found = kernel_api.native_view(view).evaluate(mine_marks(view, known_mines))
    if not found.ratings:
        probabilities(view)  # raises if the layouts cannot be counted
    return evaluation_of(view, found)


def compare_guesses(
    view: View, known_mines: NDArray[np.bool_], cells: Sequence[Cell]
) -> list[tuple[Candidate, Sentence]]:
    """Return the prospects of the guess of each cell, and in a sentence why it is worse than the first one, the best.

    The list is empty without the kernel, if the position cannot be counted or if its number of mines is not known.
    """
    if view.prior.spare or not kernel_api.available():
        return []
    numbers = [row * view.cols + col for row, col in cells]
    found = kernel_api.native_view(view).compare(mine_marks(view, known_mines), numbers)
    compared = []
    for cell, one in zip(cells, found, strict=False):
        number = one.why.removeprefix("guess.")  # the field that makes it worse, if a number does
        less, more = (f"{100 * getattr(which, number, 0):.1f}" for which in (one, found[0]))
        why = Sentence(one.why, cell=cell, best=cells[0], less=less, more=more)
        progress, second, win = (None if isnan(number) else number for number in (one.progress, one.second, one.win))
        compared.append((Candidate(cell, one.safety, progress or 0.0, second=second, win=win), why))
    return compared


def evaluation_of(view: View, found: kernel.Evaluation) -> Evaluation:
    """Convert an evaluation of the kernel."""
    kind = EvaluationKind.WIN_PROBABILITY if found.kind == _EXACT else EvaluationKind.ESTIMATE
    return Evaluation(kind, tuple(_candidates(found.ratings, view)))


def _candidates(rated: list[kernel.Rated], view: View) -> list[Candidate]:
    return [Candidate(divmod(one.cell, view.cols), one.safety, one.progress, one.value) for one in rated]


def play_batch(puzzles: PuzzleSource, games: range, player: str | Rollouts) -> list[GameResult]:
    """Play the puzzles with the numbers `games` with one of `NATIVE_STRATEGIES` or by rollouts."""
    chosen = player.native() if isinstance(player, Rollouts) else player
    if isinstance(puzzles, Recipe):
        check_cells(puzzles.grid.shape, "games")
        return _timed(kernel_api.sampled(puzzles, games), chosen)
    results = []
    for grid, alike in kernel_api.batches(map(puzzles.puzzle, games)):
        check_cells(grid.shape, "games")
        results += _timed(kernel_api.native_puzzles(grid, alike), chosen)
    return results


def _timed(puzzles: kernel.Puzzles, player: str | kernel.RolloutOptions) -> list[GameResult]:
    """Play games and share the CPU time among them in proportion to their wall times."""
    began = time.process_time()
    games = puzzles.play(player)
    share = (time.process_time() - began) / max(sum(seconds for *_, seconds in games), 1e-9)
    return [GameResult(won, opened, guesses, seconds * share) for won, opened, guesses, seconds in games]


@cache
def native_strategy(name: str) -> type[NativeStrategy]:
    """Return the class of one of `NATIVE_STRATEGIES`."""
    body = {"name": name, "kernel_player": name, "__module__": __name__, "__reduce__": lambda _: (_native, (name,))}
    return type(name.title(), (NativeStrategy,), body)


def _native(name: str) -> NativeStrategy:
    return native_strategy(name)()
