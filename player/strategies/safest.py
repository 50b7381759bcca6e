"""Guess the cell that is least likely a mine."""

from __future__ import annotations

from minesweeper.player.strategies.kernel_strategies import NativeStrategy


class Safest(NativeStrategy):
    """Opens the cell with the lowest exact mine probability, the first of equals row by row."""

    name = "safest"
    summary = "lowest exact probability of a mine"
    kernel_name = "safest"
