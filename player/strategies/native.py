"""What the strategies of the kernel have in common: they rate cells there, and play whole batches of games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import Cell, Puzzle, View
from minesweeper.player.game import StartRule
from minesweeper.player.logic import Engine
from minesweeper.player.recipe import Recipe
from minesweeper.player.results import Deals, GameResult
from minesweeper.player.strategies import Knowledge, Strategy

if TYPE_CHECKING:
    from minesweeper.player import _kernel
else:
    try:
        from minesweeper.player import _kernel
    except ImportError:
        _kernel = None


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
class BatchResult:
    """One game of `play_sampled`; `luck` is the product of the safeties of the cells that were guessed."""

    won: bool
    opened: int
    guesses: int
    seconds: float
    luck: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What the cells of a position are worth, best first: `value` of each rating is a chance.

    If `exact`, that of winning if the cell is opened next and all is played perfectly from there; otherwise too many
    layouts are left to know that, and it is the chance to survive the cell and, as long as logic does not go
    on, the next two guesses.
    """

    exact: bool
    ratings: tuple[Rating, ...]


def weigh(view: View, known_mines: NDArray[np.bool_]) -> Weights | None:
    """Weigh all cells of a position in which logic is at its end, as `champion` would; None if that can't be done here.

    `known_mines` has the shape of the view. It can't be done without the kernel, or where layouts cannot be counted.
    """
    if _kernel is None:
        return None
    exact, rated = _kernel.weigh(view.cells, view.mines, known_mines)
    return Weights(exact, tuple(_ratings(rated, view.cols))) if rated else None


def _ratings(rated: list[tuple[int, float, float, float]], cols: int) -> list[Rating]:
    return [Rating(divmod(cell, cols), *numbers) for cell, *numbers in rated]


class NativeStrategy(Strategy):
    """A strategy that the kernel plays. Raises `ValueError` if the kernel was not built."""

    kernel_name: ClassVar[str]

    def __init__(self) -> None:
        if _kernel is None:
            raise ValueError("it needs the kernel, which was not built")

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.rate(view, knowledge)[0].cell

    def rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        """List the cells considered, best first: the first is the choice, cells not worth a look are left out."""
        return _ratings(_kernel.rate(view.cells, view.mines, knowledge.mines, self.kernel_name), view.cols)

    def play_batch(self, deals: Deals, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        if engine == "sat":
            return None
        if isinstance(deals, Recipe):
            sampled = self.play_sampled(deals, games)
            return [GameResult(game.won, game.opened, game.guesses, game.seconds) for game in sampled]
        return [
            GameResult(won, opened, guesses, seconds)
            for batch in _same_size(map(deals.puzzle, games))
            for won, opened, guesses, seconds, _ in _kernel.play_boards(
                np.array([puzzle.board.mine_map for puzzle in batch]),
                np.array([row * puzzle.board.cols + col for puzzle in batch for row, col in [puzzle.first_click]]),
                self.kernel_name,
            )
        ]

    def play_sampled(self, recipe: Recipe, games: range) -> list[BatchResult]:
        """Play puzzles of a recipe, sampling them in the kernel too.

        `games` is the range of their indices, with step 1. Raises `ValueError` for any other.
        """
        if games.step != 1 or games.start < 0:
            raise ValueError(f"expected games from 0 on, one after the other, of {recipe.name}: {games}")
        number = -1 if recipe.click is None else recipe.click[0] * recipe.cols + recipe.click[1]
        results = _kernel.play_sampled(
            recipe.rows,
            recipe.cols,
            recipe.mines,
            number,
            recipe.rule is StartRule.OPENING,
            recipe.seed,
            games.start,
            len(games),
            self.kernel_name,
        )
        return [BatchResult(*result) for result in results]


def _same_size(puzzles: Iterable[Puzzle]) -> Iterator[list[Puzzle]]:
    for _, batch in groupby(puzzles, lambda puzzle: puzzle.board.mine_map.shape):
        yield list(batch)
