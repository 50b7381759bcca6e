"""Guess with the next guess in mind."""

from __future__ import annotations

from minesweeper.player.strategies.kernel_strategies import NativeStrategy


class Lookahead(NativeStrategy):
    """Opens the cell with the best chance to survive it and the guess after it, over every clue it may show."""

    name = "lookahead"
    summary = "best chance to survive this guess and the next"
    kernel_name = "lookahead"
