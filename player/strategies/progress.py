"""Guess a safe cell that is likely to help."""

from __future__ import annotations

from minesweeper.player.strategies.kernel_strategies import NativeStrategy


class Progress(NativeStrategy):
    """Among the cells nearly as safe as the safest, opens the one after which logic most likely goes on."""

    name = "progress"
    summary = "nearly the safest, and the most likely to let logic go on"
    kernel_name = "progress"
