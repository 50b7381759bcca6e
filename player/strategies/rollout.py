"""Guess by trial: finish the game after each candidate in many random layouts, and compare."""

from __future__ import annotations

from typing import Final

from minesweeper.player import native
from minesweeper.player.board import View
from minesweeper.player.native import BASES, Rating, Rollouts
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.native import NativeStrategy

_LAYOUTS: Final = 512
_UNLIMITED: Final = 2**31 - 1


class Rollout(NativeStrategy):
    """Tries what comes near ``champion``'s choice in random layouts, the same for all candidates.

    At most `layouts` of them for a move, 512 unless `seconds` are given: then as many as fit in that time. The layouts
    follow from the view, so without `seconds` the same view gets the same answer, whatever the number of `threads`.
    Where ``champion`` searches the rest of the game, its answer stands. Raises `ValueError` for options that cannot be.
    """

    name = "rollout"
    summary = "champion's choice or what does better in random layouts; slow"
    kernel_name = "rollout"
    slow = True

    def __init__(self, layouts: int = 0, seconds: float = 0.0, base: str = BASES[0], threads: int = 1) -> None:
        super().__init__()
        self.rollouts = Rollouts(layouts or (_UNLIMITED if seconds else _LAYOUTS), seconds, threads, base)

    def _rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        return native.rate_by_rollouts(view, knowledge.mines, self.rollouts)

    @property
    def _who(self) -> Rollouts:
        return self.rollouts
