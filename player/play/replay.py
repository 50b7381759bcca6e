"""Replays of games, click by click, forwards and backwards, and reviews of their guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from minesweeper.player.core.board import Puzzle, View
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.results import Candidate, Evaluation, Move
from minesweeper.player.play.strategies.kernel_strategies import evaluate

_SAME: Final = 2e-9


@dataclass(frozen=True, slots=True)
class ReplayClick:
    """An opened cell and the reason; `guess` is the number of the guess, from 1, or 0 for no guess."""

    cell: Cell
    reason: str
    guess: int


@dataclass(frozen=True)
class Moment:
    """A game after some of its clicks: the view, the mines known to logic, and the effect of the last click."""

    clicks: int
    view: View
    mines: frozenset[Cell]
    opened: Sequence[Cell]
    exploded: Sequence[Cell]
    status: Status


class Replay:
    """The clicks of a game, and its position after any number of them."""

    def __init__(self, puzzle: Puzzle, moves: Sequence[Move]) -> None:
        self._puzzle = puzzle
        self.clicks: list[ReplayClick] = []
        self._mines: list[frozenset[Cell]] = []
        guesses = 0
        known: frozenset[Cell] = frozenset()
        for move in moves:
            guesses += move.is_guess
            known |= frozenset(move.mines)
            for cell in move.cells:
                self.clicks.append(ReplayClick(cell, move.reason, guesses if move.is_guess else 0))
                self._mines.append(known)

    def after(self, clicks: int) -> Moment:
        """Return the game after its first `clicks` clicks, 0 to all of them."""
        game = Game(self._puzzle.board)
        opened: list[Cell] = []
        for made in self.clicks[:clicks]:
            opened = game.open(made.cell)
        # The mines of a move are known before its first click.
        known = self._mines[min(clicks, len(self._mines) - 1)]
        return Moment(clicks, game.view, known, opened, game.exploded, game.status)


@dataclass(frozen=True)
class GuessReview:
    """A guessed cell and its alternatives."""

    cell: Cell
    evaluation: Evaluation

    @property
    def chosen(self) -> Candidate:
        """The candidate of the guessed cell."""
        return next(one for one in self.evaluation.candidates if one.cell == self.cell)

    @property
    def best(self) -> Candidate:
        """The candidate with the highest value, the first of equals row by row."""
        return self.evaluation.candidates[0]

    @property
    def best_cells(self) -> tuple[Cell, ...]:
        """The cells that are as good as the best one."""
        return tuple(one.cell for one in self.evaluation.groups[0])

    @property
    def loss(self) -> float:
        """The value of the best cell minus that of the chosen one: 0 for a best guess."""
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
            "best_cells": self.best_cells,
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


def luck(reviews: Sequence[GuessReview]) -> float:
    """Return the probability, in [0, 1], of surviving all these guesses: the product of their safeties."""
    return prod(guess.chosen.safety for guess in reviews)
