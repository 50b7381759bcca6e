"""How good was each guess? Every guess of a game against the cells that could have been opened instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Cell, View, cells_of
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.play.replay import Replay

_DIGITS: Final = 9
_SAME: Final = 2e-9


class Measure(StrEnum):
    """What the worth of a cell is, as good as can be known: the chance to win if all is played perfectly from there, to
    survive the cell and, as long as logic does not go on, the next two guesses, or to survive the cell.
    """

    WIN = "to win"
    SURVIVE_NEXT = "to survive next"
    SURVIVE = "to survive"


@dataclass(frozen=True)
class GuessOption:
    """Cells that are as good as each other.

    `safety` is the exact probability, in [0, 1], that such a cell is no mine; `worth` is the chance by which cells are
    compared.
    """

    cells: tuple[Cell, ...]
    safety: float
    worth: float


@dataclass(frozen=True)
class Evaluation:
    """All cells that are not certain, as choices, best first, and what their worth is."""

    measure: Measure
    choices: Sequence[GuessOption]


@dataclass(frozen=True)
class GuessReview:
    """A guess and its alternatives; `click` is the number of the click, from 1."""

    click: int
    cell: Cell
    weighing: Evaluation
    survived: bool

    @property
    def choice(self) -> GuessOption:
        """The guessed cell, and those that were as good."""
        return next(choice for choice in self.weighing.choices if self.cell in choice.cells)

    @property
    def best(self) -> GuessOption:
        """The cells worth most."""
        return self.weighing.choices[0]

    @property
    def loss(self) -> float:
        """How much more the best cells were worth: 0 for a best guess."""
        return max(0.0, self.best.worth - self.choice.worth)

    @property
    def rating(self) -> str:
        """``best``, or the loss in percent: ``-1.2%``."""
        return "best" if self.loss < _SAME else f"-{100 * self.loss:.1f}%"


def review(replay: Replay) -> list[GuessReview]:
    """Review every guess of a game. Raises `TooWide` if a position cannot be counted."""
    return [review_guess(replay, number) for number, click in enumerate(replay.clicks) if click.guess]


def review_guess(replay: Replay, clicks: int) -> GuessReview:
    """Review the guess that follows the first `clicks` clicks of a game. Raises `TooWide`."""
    before = replay.after(clicks)
    weighing = weigh(before.view, before.mines)
    return GuessReview(clicks + 1, replay.clicks[clicks].cell, weighing, not replay.after(clicks + 1).exploded)


def weigh(view: View, known_mines: frozenset[Cell]) -> Evaluation:
    """Weigh the hidden cells that are no known mines, where logic is at its end: as well as is possible here.

    Raises `TooWide` if layouts cannot be counted.
    """
    mines = np.zeros(view.cells.shape, dtype=np.bool_)
    for cell in known_mines:
        mines[cell] = True
    if kernel_api.available() and (weights := kernel_api.weigh(view, mines)) is not None:
        measure = Measure.WIN if weights.exact else Measure.SURVIVE_NEXT
        return Evaluation(measure, _group([(one.cell, one.safety, one.value) for one in weights.ratings]))
    safety = 1 - probabilities(view).mine
    cells = cells_of((view.cells == HIDDEN) & ~mines)
    return Evaluation(Measure.SURVIVE, _group([(cell, float(safety[cell]), float(safety[cell])) for cell in cells]))


def _group(weighed: list[tuple[Cell, float, float]]) -> list[GuessOption]:
    """Put cells of the same safety and worth together."""
    groups: dict[tuple[float, float], list[Cell]] = {}
    for cell, safety, worth in weighed:
        groups.setdefault((round(min(worth, 1), _DIGITS), round(min(safety, 1), _DIGITS)), []).append(cell)
    return [
        GuessOption(tuple(sorted(groups[key])), safety=key[1], worth=key[0]) for key in sorted(groups, reverse=True)
    ]


def luck(reviews: Sequence[GuessReview]) -> float:
    """The chance, in [0, 1], that all these guesses would be survived: the product of their safeties."""
    return prod(guess.choice.safety for guess in reviews)
