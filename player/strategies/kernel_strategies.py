"""Strategies of the kernel, which rates cells and plays whole batches of games."""

from __future__ import annotations

from typing import ClassVar

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View
from minesweeper.player.kernel_api import Rating, Rollouts
from minesweeper.player.logic import Engine, closure
from minesweeper.player.recipe import Recipe
from minesweeper.player.results import GameResult, PuzzleSource
from minesweeper.player.strategies import Knowledge, Strategy


class NativeStrategy(Strategy):
    """A strategy of the kernel. Raises `ValueError` if the kernel was not built."""

    kernel_name: ClassVar[str]

    def __init__(self) -> None:
        if not kernel_api.available():
            raise ValueError("the kernel was not built")

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.rate(view, knowledge)[0].cell

    def rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        """List the cells considered, best first; the first is the choice.

        Raises `InconsistentView` if no layout fits the view, `ValueError` if every hidden cell is a mine.
        """
        ratings = self._rate(view, knowledge)
        if not ratings:
            closure(view, "sat")
            raise ValueError(f"every hidden cell is a mine: expected a cell that may be safe\n{view}")
        return ratings

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        if engine == "sat":
            return None
        if isinstance(puzzles, Recipe):
            return kernel_api.play_sampled(puzzles, games, self._kernel_player)
        return kernel_api.play(map(puzzles.puzzle, games), self._kernel_player)

    def _rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        return kernel_api.rate(view, knowledge.mine_map, self.kernel_name)

    @property
    def _kernel_player(self) -> str | Rollouts:
        return self.kernel_name


class Safest(NativeStrategy):
    """Opens the cell with the lowest exact mine probability, the first of equals row by row."""

    name = kernel_name = "safest"


class Progress(NativeStrategy):
    """Opens, among the cells nearly as safe as the safest, the one after which logic most likely goes on."""

    name = kernel_name = "progress"


class Lookahead(NativeStrategy):
    """Opens the cell with the best chance to survive it and the guess after it, over every clue it may show."""

    name = kernel_name = "lookahead"
