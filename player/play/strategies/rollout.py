"""The strategy `rollout`: play the rest of the game after each candidate in many random layouts, and compare."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from minesweeper.player.core.board import View
from minesweeper.player.core.errors import TooWide
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.results import Candidate
from minesweeper.player.kernel_api import kernel, native_view
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.play.stats import mean_interval
from minesweeper.player.play.strategies.kernel_strategies import NativeStrategy, Rollouts, mine_marks

_LAYOUTS: Final = 1024
_UNLIMITED: Final = 2**31 - 1
_AT_A_TIME: Final = 64


class Rollout(NativeStrategy):
    """Compares the cells that ``champion`` rates almost as high as its choice, in the same random layouts.

    A move takes up to `layouts` layouts, 1024 by default, or with `seconds` as many as fit in that time. The view
    determines the layouts, so without `seconds` the choice is reproducible with any number of `threads`. The choice of
    ``champion`` is final where it searches the rest of the game, and where more than `most_unknown` cells are unknown
    (0 for no limit). Raises `ValueError` for invalid options.
    """

    name = "rollout"
    revision = 3

    def __init__(
        self, layouts: int = 0, seconds: float = 0.0, base: str = "quick", threads: int = 1, most_unknown: int = 0
    ) -> None:
        super().__init__()
        layouts = layouts or (_UNLIMITED if seconds else _LAYOUTS)
        self.kernel_player = Rollouts(layouts, seconds, threads, base, most_unknown)


class Trials:
    """Rollouts of chosen cells of one position, all in the same layouts.

    :param known_mines: array of bool of the shape of the view; logic must find nothing more
    :param seed: 0 to 2**64 - 1; determines the layouts
    :param base: one of `NATIVE_STRATEGIES`; finishes the games
    :raises TooWide: if no layout fits or the layouts cannot be counted
    """

    def __init__(self, view: View, known_mines: NDArray[np.bool_], seed: int, base: str, threads: int = 1) -> None:
        self._cols = view.cols
        options = Rollouts(1, threads=threads, base=base).native()
        self._trials = kernel.Trials(native_view(view), mine_marks(view, known_mines), options, seed)
        if not self._trials.ready:
            raise TooWide(f"{view.name} has unopened safe cells or too many layouts to count")

    def run(
        self, cells: Sequence[Cell], layouts: range, seconds: float = 0.0
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Play each cell in each of these layouts.

        :param layouts: consecutive numbers, 0 or more
        :param seconds: time limit, 0 for none
        :returns: two (layouts played, cells) arrays. The first is True where the cell is safe. The second is an
            unbiased estimate, possibly outside [0, 1], of the probability of winning if the cell is opened first and
            the base plays on; average it over the layouts.
        """
        numbers = [row * self._cols + col for row, col in cells]
        safe = np.zeros((len(layouts), len(cells)), dtype=np.bool_)
        value = np.zeros((len(layouts), len(cells)))
        played = self._trials.run(numbers, layouts.start, seconds, safe, value)
        return safe[:played], value[:played]


def estimate_by_rollouts(
    view: View, known_mines: NDArray[np.bool_], cells: Sequence[Cell], seconds: float, base: str = "quick"
) -> Iterator[tuple[int, list[Candidate]]]:
    """Play on from each of `cells` in the same random layouts for `seconds`.

    Repeatedly yields the number of layouts so far, and the candidates by them, best first.

    `known_mines` marks mines in a position where logic finds no safe cell. Raises `TooWide` as
    `Trials` does.
    """
    deadline = time.monotonic() + seconds
    seed = zlib.crc32(f"{view.mines}\n{view}".encode())
    trials = Trials(view, known_mines, seed, base)
    chances = probabilities(view).chances
    safety = np.array([1 - chances[cell] for cell in cells])
    safe, values = np.zeros((0, len(cells)), dtype=np.bool_), np.zeros((0, len(cells)))
    while (left := deadline - time.monotonic()) > 0:
        more_safe, more_values = trials.run(cells, range(len(safe), len(safe) + _AT_A_TIME), left)
        safe, values = np.concatenate([safe, more_safe]), np.concatenate([values, more_values])
        if len(safe) < 2:
            continue
        adjusted = reduce_variance(safe, values, safety)
        means, deviations = adjusted.mean(axis=0).tolist(), adjusted.std(axis=0, ddof=1).tolist()
        margins = [mean_interval(*found, len(safe)).margin for found in zip(means, deviations, strict=True)]
        candidates = [
            Candidate(cell, float(safety[place]), value=means[place], margin=margins[place])
            for place, cell in enumerate(cells)
        ]
        yield len(safe), sorted(candidates, key=lambda one: -one.value)


def reduce_variance(
    safe: NDArray[np.bool_], values: NDArray[np.float64], safety: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Remove the luck of surviving the first cell from the values of `Trials`: a control variate.

    The mean value given survival, times (survived - safety), has mean 0 and is subtracted. That mean is taken over all
    other layouts, so that the correction is unbiased. Rows are layouts, at least two; columns are cells.
    """
    survivors = safe.sum(axis=0) - safe
    mean = (values.sum(axis=0) - values) / np.maximum(survivors, 1)
    return np.asarray(values - mean * (safe - safety))
