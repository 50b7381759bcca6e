"""How good was each guess? Every guess of a game against the cells that could have been opened instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from player.autoplay import Reason
from player.board import Cell, View
from player.logic.probability import probabilities
from player.replay import Replay

_SAME: Final = 1e-9


@dataclass(frozen=True)
class Choice:
    """Cells that are equally safe; `safety` is the exact probability, in [0, 1], that such a cell is no mine."""

    cells: tuple[Cell, ...]
    safety: float


@dataclass(frozen=True)
class GuessReview:
    """A guess and its alternatives.

    `click` is the number of the click, from 1; `safety` was the exact probability that the guessed cell was no mine;
    `choices` are all cells that were not certain, safest first.
    """

    click: int
    cell: Cell
    safety: float
    choices: Sequence[Choice]
    survived: bool

    @property
    def best(self) -> Choice:
        """The safest cells."""
        return self.choices[0]

    @property
    def loss(self) -> float:
        """How much safer the safest cells were: 0 for a best guess."""
        return max(0.0, self.best.safety - self.safety)

    @property
    def rating(self) -> str:
        """``best``, or the loss in percent: ``-1.2%``."""
        return "best" if self.loss < _SAME else f"-{100 * self.loss:.1f}%"


def review(replay: Replay) -> list[GuessReview]:
    """Review every guess of a game. Raises `TooWide` if a position cannot be counted."""
    return [review_guess(replay, number) for number, click in enumerate(replay.clicks) if click.reason is Reason.GUESS]


def review_guess(replay: Replay, clicks: int) -> GuessReview:
    """Review the guess that follows the first `clicks` clicks of a game. Raises `TooWide`."""
    before = replay.after(clicks)
    cell = replay.clicks[clicks].cell
    choices = weigh(before.view, before.mines)
    safety = next(choice.safety for choice in choices if cell in choice.cells)
    return GuessReview(clicks + 1, cell, safety, choices, not replay.after(clicks + 1).exploded)


def weigh(view: View, known_mines: frozenset[Cell]) -> list[Choice]:
    """Group the hidden cells that are no known mines by their safety, safest first. Raises `TooWide`."""
    safety = 1 - probabilities(view).mine
    cells = [(row, col) for row, col in np.argwhere(view.cells < 0).tolist() if (row, col) not in known_mines]
    cells.sort(key=lambda cell: -safety[cell])
    groups: list[list[Cell]] = []
    for cell in cells:
        if groups and safety[groups[-1][0]] - safety[cell] < _SAME:
            groups[-1].append(cell)
        else:
            groups.append([cell])
    return [Choice(tuple(sorted(group)), float(np.clip(safety[group[0]], 0.0, 1.0))) for group in groups]


def luck(reviews: Sequence[GuessReview]) -> float:
    """The chance, in [0, 1], that all these guesses would be survived: the product of their safeties."""
    return prod(guess.safety for guess in reviews)
