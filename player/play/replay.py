"""Replays of games, click by click, forwards and backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minesweeper.player.board import Cell, Puzzle, View
from minesweeper.player.game import Game, Status
from minesweeper.player.results import Move


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
