"""Guess by trial: finish the game after each candidate in many random layouts, and compare."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View
from minesweeper.player.kernel_api import BASES, Rating, Rollouts
from minesweeper.player.stats import Interval, mean_interval
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.kernel_strategies import NativeStrategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LAYOUTS: Final = 1024
_UNLIMITED: Final = 2**31 - 1
_AT_A_TIME: Final = 64


class Rollout(NativeStrategy):
    """Tries what comes near ``champion``'s choice in random layouts, the same for all candidates.

    At most `layouts` of them for a move, 1024 unless `seconds` are given: then as many as fit in that time. The layouts
    follow from the view, so without `seconds` the same view gets the same answer, whatever the number of `threads`.
    Where ``champion`` searches the rest of the game, its answer stands. Raises `ValueError` for options that cannot be.
    """

    name = "rollout"
    revision = 2

    def __init__(self, layouts: int = 0, seconds: float = 0.0, base: str = BASES[0], threads: int = 1) -> None:
        super().__init__()
        self.rollouts = Rollouts(layouts or (_UNLIMITED if seconds else _LAYOUTS), seconds, threads, base)

    def _rate(self, view: View, knowledge: Knowledge) -> list[Rating]:
        return kernel_api.rate_by_rollouts(view, knowledge.mine_map, self.rollouts)

    @property
    def _kernel_player(self) -> Rollouts:
        return self.rollouts


@dataclass(frozen=True, slots=True)
class Thought:
    """What `layouts` layouts say of a cell: `chance` to win if it is opened next and the base plays on, with its 95%
    interval.
    """

    cell: Cell
    chance: Interval
    layouts: int


def think(
    view: View, known_mines: NDArray[np.bool_], cells: Sequence[Cell], seconds: float, base: str = BASES[0]
) -> Iterator[list[Thought]]:
    """Play cells on in random layouts, the same for all, for so many seconds; again and again yield what is thought of
    them so far, best first.

    `known_mines` is an array of bool of the shape of the view, with which logic is done. Raises `TooWide` as
    `kernel_api.Trials` does.
    """
    deadline = time.monotonic() + seconds
    seed = zlib.crc32(f"{view.mines}\n{view}".encode())
    trials = kernel_api.Trials(view, known_mines, seed, base)
    mine, _ = kernel_api.probabilities(view)
    safety = np.array([1 - mine[cell] for cell in cells])
    safe, worth = np.zeros((0, len(cells)), dtype=np.bool_), np.zeros((0, len(cells)))
    while (left := deadline - time.monotonic()) > 0:
        more_safe, more_worth = trials.run(cells, range(len(safe), len(safe) + _AT_A_TIME), left)
        safe, worth = np.concatenate([safe, more_safe]), np.concatenate([worth, more_worth])
        if len(safe) < 2:
            continue
        adjusted = without_luck(safe, worth, safety)
        means, deviations = adjusted.mean(axis=0).tolist(), adjusted.std(axis=0, ddof=1).tolist()
        thoughts = [
            Thought(cell, mean_interval(mean, deviation, len(safe)), len(safe))
            for cell, mean, deviation in zip(cells, means, deviations, strict=True)
        ]
        yield sorted(thoughts, key=lambda thought: -thought.chance.value)


def without_luck(
    safe: NDArray[np.bool_], worth: NDArray[np.float64], safety: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Remove the luck of surviving a cell of known safety from the results of `kernel_api.Trials`: two rows or more.

    The mean result given survival, times survived less safety, has mean 0. It is taken over all layouts but the one
    that it corrects, so that no bias comes in.
    """
    survivors = safe.sum(axis=0) - safe
    mean = (worth.sum(axis=0) - worth) / np.maximum(survivors, 1)
    return np.asarray(worth - mean * (safe - safety))
