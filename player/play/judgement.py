"""Judgements of actions: the cells that a player opens, compared with the deductions and probabilities of the view."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from minesweeper.player.core.board import Board, View, ViewLike, as_view, hidden_cell
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Cell, CellLike
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.results import Evaluation, EvaluationKind
from minesweeper.player.kernel_api import kernel, native_view
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.reasons import chain_to_safe, step_of_chain
from minesweeper.player.logic.sentences import ENGLISH, Sentence
from minesweeper.player.play.analysis import hint_to_json, numbers_of
from minesweeper.player.play.replay import GuessReview
from minesweeper.player.play.solving import Solved, solve
from minesweeper.player.play.strategies.kernel_strategies import evaluation_of

_DIGITS: Final = 6


class Verdict(StrEnum):
    """The kinds of actions."""

    FIRST = "first click"
    CERTAIN = "certain"
    FORCED = "forced guess"
    NEEDLESS = "needless guess"
    MINE = "known mine"


@dataclass(frozen=True)
class Judgement:
    r"""An action, which opens the hidden `cells` of a view, judged by the result of `solve` for this view.

    The other attributes are computed on first use.

    >>> ms.judge("2x5/2\n#121#\n#####", (1, 1)).safety
    0.0
    """

    solved: Solved
    cells: tuple[Cell, ...]

    @property
    def view(self) -> View:
        """The view before the action."""
        return self.solved.view

    @cached_property
    def _found(self) -> kernel.Judgement:
        known = (self.solved.safe_map + 2 * self.solved.mine_map).astype(np.uint8)
        numbers = [row * self.view.cols + col for row, col in self.cells]
        return native_view(self.view).judge(known, numbers)

    @property
    def verdict(self) -> Verdict:
        """The kind of the action. Opening several cells is certain only if all of them are."""
        return tuple(Verdict)[self._found.verdict]

    @property
    def safety(self) -> float | None:
        """The exact probability that none of the cells is a mine; None if the layouts cannot be counted."""
        return self._found.safety

    @property
    def best_safety(self) -> float | None:
        """The safety of `solved.best`; None if the layouts cannot be counted or every hidden cell is a mine."""
        return self._found.best_safety

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """All uncertain cells with their values; None if a cell is safe, or the layouts cannot be counted."""
        found = self._found.guesses
        return evaluation_of(self.view, found) if found.kind else None

    @property
    def guess(self) -> GuessReview | None:
        """A forced guess of a single cell, compared with all other cells; None for other actions."""
        if self.verdict is Verdict.FORCED and len(self.cells) == 1 and self.evaluation is not None:
            return GuessReview(self.cells[0], self.evaluation)
        return None

    @property
    def loss(self) -> float | None:
        """The probability to win that the action loses, from 0 to 1, in the quantity `loss_kind`.

        It is 0 for certain cells, and for a known mine the value of the best guess. None for the first click, needless
        guesses, a known mine where another cell is safe, and guesses of several cells.
        """
        return self._found.loss

    @property
    def loss_kind(self) -> EvaluationKind | None:
        """The quantity of `loss`: exact under perfect play, or an estimate."""
        if self.loss is None:
            return None
        return EvaluationKind.WIN_PROBABILITY if self.evaluation is None else self.evaluation.kind

    @property
    def uncertain_cell(self) -> Cell | None:
        """The first cell that is a known mine, otherwise the first that is not known to be safe."""
        found = self._found.uncertain_cell
        return None if found is None else divmod(found, self.view.cols)

    @cached_property
    def step(self) -> Deduction | None:
        """For a needless guess, the deduction that would have given a safe cell: the last of `chain_to_safe`."""
        if self.verdict is not Verdict.NEEDLESS:
            return None
        # The kernel finds no chain through a component that is too wide.
        return step_of_chain(self.view, self._found.step) or chain_to_safe(self.view)[-1]

    @cached_property
    def layouts(self) -> tuple[Board, Board] | None:
        """For a forced guess, two layouts that fit all clues: `uncertain_cell` is safe in the first, then a mine."""
        found, grid = self._found, self.view.grid
        if not found.safe_layout:
            return None
        return Board.unchecked(grid, found.safe_layout), Board.unchecked(grid, found.mined_layout)

    def in_words(self, language: str = ENGLISH) -> str:
        """Explain a guess or a known mine in one sentence; return an empty text for other actions."""
        if self.step is not None:
            return Sentence("judgement.needless", step=self.step.in_words(language)).in_words(language)
        names = {Verdict.FORCED: "judgement.forced", Verdict.MINE: "judgement.mine"}
        if self.verdict not in names:
            return ""
        return Sentence(names[self.verdict], cell=self.uncertain_cell).in_words(language)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; `chances`, of a mine in each cell, only for actions that were not certain."""
        chances = None if self.verdict in (Verdict.FIRST, Verdict.CERTAIN) else self.solved.chances
        return {
            "cells": self.cells,
            "view": self.view.lines,
            "verdict": self.verdict,
            "safety": self.safety,
            "best_cell": self.solved.best,
            "best_safety": self.best_safety,
            "loss": self.loss,
            "loss_kind": None if self.loss_kind is None else self.loss_kind.name.lower(),
            "words": self.in_words(),
            "uncertain_cell": self.uncertain_cell,
            "step": None if self.step is None else hint_to_json(self.step),
            "probabilities": None if chances is None else numbers_of(chances.round(_DIGITS)),
            "layouts": None if self.layouts is None else [one.to_text().splitlines() for one in self.layouts],
            "guess": None if self.guess is None else self.guess.to_json(),
        }


def judge(view: ViewLike, *cells: CellLike, mines: int | None = None) -> Judgement:
    r"""Judge the action that opens hidden cells of a view: one, or several for a chord.

    `view` and `mines` are a position in any form that `View` takes. Raises `BoardError` for no cell or one that is not
    hidden, and `InconsistentView` if no layout fits. The attributes need the native engine.

    >>> found = ms.judge("2x5/2\n#121#\n#####", (1, 1))
    >>> found.verdict
    <Verdict.MINE: 'known mine'>
    >>> found.in_words()
    '(1, 1) is a mine in every layout'
    """
    view = as_view(view, mines)
    opened = tuple(hidden_cell(view, cell) for cell in cells)
    if not opened:
        raise BoardError("no cell; expected one or more hidden cells of the view")
    return Judgement(solve(view), opened)
