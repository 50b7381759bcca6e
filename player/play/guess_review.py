"""Reviews of guesses: the guessed cell compared with every other cell that could have been opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Cell, View, cells_of
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.play.replay import Replay
from minesweeper.player.strategies import kernel_strategies

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS: Final = 9
_SAME: Final = 2e-9


class EvaluationKind(StrEnum):
    """The quantity by which cells are compared: the best that can be computed for the position.

    Either the probability to win under perfect play, the estimate of ``champion`` (see
    `kernel_strategies.Evaluation`), or the probability to survive the cell.
    """

    WIN_PROBABILITY = "to win"
    ESTIMATE = "estimated"
    SURVIVAL = "to survive"


@dataclass(frozen=True)
class GuessOption:
    """Equally good cells: `safety` is the exact probability that one of them is no mine, `value` compares options."""

    cells: tuple[Cell, ...]
    safety: float
    value: float


@dataclass(frozen=True)
class Evaluation:
    """All uncertain cells of a position as options, best first; `kind` is the meaning of their values."""

    kind: EvaluationKind
    options: Sequence[GuessOption]


@dataclass(frozen=True)
class GuessReview:
    """A guessed cell and its alternatives."""

    cell: Cell
    evaluation: Evaluation

    @property
    def chosen(self) -> GuessOption:
        """The option that contains the guessed cell."""
        return next(option for option in self.evaluation.options if self.cell in option.cells)

    @property
    def best(self) -> GuessOption:
        """The option with the highest value."""
        return self.evaluation.options[0]

    @property
    def loss(self) -> float:
        """The value of the best option minus that of the chosen one: 0 for a best guess."""
        return max(0.0, self.best.value - self.chosen.value)

    @property
    def rating(self) -> str:
        """``best``, or the loss in percent: ``-1.2%``."""
        return "best" if self.loss < _SAME else f"-{100 * self.loss:.1f}%"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "cell": self.cell,
            "safety": self.chosen.safety,
            "value": self.chosen.value,
            "kind": self.evaluation.kind.name.lower(),
            "best_safety": self.best.safety,
            "best_value": self.best.value,
            "best_cells": self.best.cells,
            "rating": self.rating,
        }


@dataclass(frozen=True)
class ReplayedGuess(GuessReview):
    """A guess of a replayed game; `click` is the number of the click, from 1."""

    click: int
    survived: bool

    def to_json(self) -> dict[str, Any]:
        return {"click": self.click, **super().to_json(), "survived": self.survived}


def review(replay: Replay) -> list[ReplayedGuess]:
    """Review every guess of a game. Raises `TooWide` if the layouts of a position cannot be counted."""
    return [review_guess(replay, number) for number, click in enumerate(replay.clicks) if click.guess]


def review_guess(replay: Replay, clicks: int) -> ReplayedGuess:
    """Review the guess that follows the first `clicks` clicks of a game. Raises `TooWide`."""
    before = replay.after(clicks)
    mines = np.zeros(before.view.cells.shape, dtype=np.bool_)
    for mine in before.mines:
        mines[mine] = True
    evaluation = evaluate(before.view, mines)
    survived = not replay.after(clicks + 1).exploded
    return ReplayedGuess(replay.clicks[clicks].cell, evaluation, clicks + 1, survived)


def evaluate(view: View, known_mines: NDArray[np.bool_]) -> Evaluation:
    """Evaluate all hidden cells except known mines, in a position where logic finds no safe cell.

    `known_mines` is a (rows, cols) array. Raises `TooWide` if layouts cannot be counted.
    """
    if kernel_api.available() and (weights := kernel_strategies.evaluate(view, known_mines)) is not None:
        kind = EvaluationKind.WIN_PROBABILITY if weights.exact else EvaluationKind.ESTIMATE
        return Evaluation(kind, _group([(one.cell, one.safety, one.value) for one in weights.ratings]))
    safety = 1 - probabilities(view).chances
    rated = [(cell, float(safety[cell])) for cell in cells_of((view.cells == HIDDEN) & ~known_mines)]
    return Evaluation(EvaluationKind.SURVIVAL, _group([(cell, chance, chance) for cell, chance in rated]))


def _group(rated: list[tuple[Cell, float, float]]) -> list[GuessOption]:
    """Group cells of equal safety and value, best value first."""
    groups: dict[tuple[float, float], list[Cell]] = {}
    for cell, safety, value in rated:
        groups.setdefault((round(min(value, 1), _DIGITS), round(min(safety, 1), _DIGITS)), []).append(cell)
    return [
        GuessOption(tuple(sorted(groups[key])), safety=key[1], value=key[0]) for key in sorted(groups, reverse=True)
    ]


def luck(reviews: Sequence[GuessReview]) -> float:
    """Return the probability, in [0, 1], of surviving all these guesses: the product of their safeties."""
    return prod(guess.chosen.safety for guess in reviews)
