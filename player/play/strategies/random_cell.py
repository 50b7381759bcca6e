"""Guess at random: the baseline for every other strategy."""

from __future__ import annotations

from minesweeper.player.core.board import View
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.strategies import Knowledge, Strategy


class RandomCell(Strategy):
    """Opens any cell that is not known to be a mine, all equally likely."""

    name = "random"

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        cells = knowledge.uncertain_cells
        return cells[int(self.random.random() * len(cells))]
