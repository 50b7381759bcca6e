"""Strategies of the kernel, which rates cells and plays whole batches of games."""

from __future__ import annotations

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View
from minesweeper.player.kernel_api import Rating, Rollouts
from minesweeper.player.logic import closure
from minesweeper.player.recipe import Recipe
from minesweeper.player.results import GameResult, PuzzleSource
from minesweeper.player.steps import Engine
from minesweeper.player.strategies import Knowledge, Strategy


class NativeStrategy(Strategy):
    """A strategy of the kernel. Raises `ValueError` if the kernel was not built."""

    kernel_player: str | Rollouts

    def __init__(self) -> None:
        if not kernel_api.available():
            raise ValueError("the kernel was not built")

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.rate(view, knowledge)[0].cell

    def rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        """List the cells considered, best first; the first is the choice.

        Raises `InconsistentView` if no layout fits the view, `ValueError` if every hidden cell is a mine.
        """
        if isinstance(self.kernel_player, Rollouts):
            ratings = kernel_api.rate_by_rollouts(view, knowledge.mine_map, self.kernel_player)
        else:
            ratings = kernel_api.rate(view, knowledge.mine_map, self.kernel_player)
        if not ratings:
            closure(view, "sat")
            raise ValueError(f"every hidden cell is a mine: expected a cell that may be safe\n{view}")
        return ratings

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        if engine == "sat":
            return None
        if isinstance(puzzles, Recipe):
            return kernel_api.play_sampled(puzzles, games, self.kernel_player)
        return kernel_api.play(map(puzzles.puzzle, games), self.kernel_player)


class Safest(NativeStrategy):
    """Opens the cell with the lowest exact mine probability, the first of equals row by row."""

    name = kernel_player = "safest"


class Progress(NativeStrategy):
    """Opens, among the cells nearly as safe as the safest, the one after which logic most likely goes on."""

    name = kernel_player = "progress"


class Lookahead(NativeStrategy):
    """Opens the cell with the best chance to survive it and the guess after it, over every clue it may show."""

    name = kernel_player = "lookahead"
