"""The strategy `rollout`: play the rest of the game after each candidate in many random layouts, and compare."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View
from minesweeper.player.kernel_api import BASES, Rollouts
from minesweeper.player.stats import Interval, mean_interval
from minesweeper.player.strategies.kernel_strategies import NativeStrategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LAYOUTS: Final = 1024
_UNLIMITED: Final = 2**31 - 1
_AT_A_TIME: Final = 64


class Rollout(NativeStrategy):
    """Compares the cells that ``champion`` rates almost as high as its choice, in the same random layouts.

    A move takes up to `layouts` layouts, 1024 by default, or with `seconds` as many as fit in that time. The view
    determines the layouts, so without `seconds` the choice is reproducible with any number of `threads`. Where
    ``champion`` searches the rest of the game, its choice is final. Raises `ValueError` for invalid options.
    """

    name = "rollout"
    revision = 3

    def __init__(self, layouts: int = 0, seconds: float = 0.0, base: str = BASES[0], threads: int = 1) -> None:
        super().__init__()
        self.kernel_player = Rollouts(layouts or (_UNLIMITED if seconds else _LAYOUTS), seconds, threads, base)


@dataclass(frozen=True, slots=True)
class RolloutEstimate:
    """The estimated `chance` to win if `cell` is opened next and the base strategy plays on, from `layouts` layouts."""

    cell: Cell
    chance: Interval
    layouts: int


def estimate_by_rollouts(
    view: View, known_mines: NDArray[np.bool_], cells: Sequence[Cell], seconds: float, base: str = BASES[0]
) -> Iterator[list[RolloutEstimate]]:
    """Play on from each of `cells` in the same random layouts for `seconds`, and repeatedly yield the estimates so far,
    best first.

    `known_mines` is a (rows, cols) array of bool in a position where logic finds no safe cell. Raises `TooWide` as
    `kernel_api.Trials` does.
    """
    deadline = time.monotonic() + seconds
    seed = zlib.crc32(f"{view.mines}\n{view}".encode())
    trials = kernel_api.Trials(view, known_mines, seed, base)
    mine, _ = kernel_api.probabilities(view)
    safety = np.array([1 - mine[cell] for cell in cells])
    safe, values = np.zeros((0, len(cells)), dtype=np.bool_), np.zeros((0, len(cells)))
    while (left := deadline - time.monotonic()) > 0:
        more_safe, more_values = trials.run(cells, range(len(safe), len(safe) + _AT_A_TIME), left)
        safe, values = np.concatenate([safe, more_safe]), np.concatenate([values, more_values])
        if len(safe) < 2:
            continue
        adjusted = reduce_variance(safe, values, safety)
        means, deviations = adjusted.mean(axis=0).tolist(), adjusted.std(axis=0, ddof=1).tolist()
        estimates = [
            RolloutEstimate(cell, mean_interval(mean, deviation, len(safe)), len(safe))
            for cell, mean, deviation in zip(cells, means, deviations, strict=True)
        ]
        yield sorted(estimates, key=lambda estimate: -estimate.chance.value)


def reduce_variance(
    safe: NDArray[np.bool_], values: NDArray[np.float64], safety: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Remove the luck of surviving the first cell from the values of `kernel_api.Trials`: a control variate.

    The mean value given survival, times (survived - safety), has mean 0 and is subtracted. That mean is taken over all
    other layouts, so that the correction is unbiased. Rows are layouts, at least two; columns are cells.
    """
    survivors = safe.sum(axis=0) - safe
    mean = (values.sum(axis=0) - values) / np.maximum(survivors, 1)
    return np.asarray(values - mean * (safe - safety))
