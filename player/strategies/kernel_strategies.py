"""What the strategies of the kernel have in common: they rate cells there, and play whole batches of games."""

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
    """A strategy that the kernel plays. Raises `ValueError` if the kernel is not there."""

    kernel_name: ClassVar[str]

    def __init__(self) -> None:
        if not kernel_api.available():
            raise ValueError("it needs the kernel, which was not built")

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.rate(view, knowledge)[0].cell

    def rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        """List the cells considered, best first: the first is the choice, cells not worth a look are left out.

        Raises `InconsistentView` if no layout fits the view, `ValueError` if every hidden cell is a mine.
        """
        ratings = self._rate(view, knowledge)
        if not ratings:
            closure(view, "sat")
            raise ValueError(f"expected a view and known mines that leave a cell that may be safe:\n{view}")
        return ratings

    def play_batch(self, deals: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        if engine == "sat":
            return None
        if isinstance(deals, Recipe):
            return kernel_api.play_sampled(deals, games, self._who)
        return kernel_api.play(map(deals.puzzle, games), self._who)

    def _rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        return kernel_api.rate(view, knowledge.mine_map, self.kernel_name)

    @property
    def _who(self) -> str | Rollouts:
        return self.kernel_name
