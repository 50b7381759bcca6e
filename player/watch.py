"""Watch a game in the terminal, click by click."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click

from player.autoplay import Move, Reason, play
from player.board import Cell, Puzzle
from player.drawing import Glyph, Window, draw
from player.game import Game, Status
from player.logic import Engine
from player.screen import alternate_screen, show
from player.strategies import Strategy
from player.terminal import wants_colour

_FOUND: Final = Glyph("*", {"fg": "red"})
_EXPLODED: Final = Glyph("X", {"fg": "black", "bg": "red"})
_LINES_AROUND: Final = 4


@dataclass(frozen=True)
class Moment:
    """A game after one of its clicks: what made it, the cells that it opened, and all the mines found by then."""

    game: Game
    click: Cell
    reason: Reason
    opened: Sequence[Cell]
    found: frozenset[Cell]
    guesses: int
    number: int


def moments(puzzle: Puzzle, moves: Sequence[Move]) -> Iterator[Moment]:
    """Replay a game and yield it after every click. The moments share one `Game`, so use each before the next."""
    game = Game(puzzle.board)
    found: frozenset[Cell] = frozenset()
    guesses = number = 0
    for move in moves:
        found |= frozenset(move.mines)
        guesses += move.reason is Reason.GUESS
        for cell in move.cells:
            number += 1
            yield Moment(game, cell, move.reason, game.open(cell), found, guesses, number)


def watch(puzzle: Puzzle, strategy: Strategy, *, seed: int, engine: Engine, speed: float) -> None:
    """Play a game and show it, at `speed` clicks a second; where there is no terminal, print just how it ends."""
    moves = play(puzzle, strategy, seed=seed, engine=engine, keep_moves=True).moves
    clicks = sum(len(move.cells) for move in moves)
    if sys.stdout.isatty():
        with alternate_screen():
            for moment in moments(puzzle, moves):
                show(frame(moment, strategy.name, clicks))
                time.sleep(1 / speed)
    *_, end = moments(puzzle, moves)
    click.echo("\n".join(frame(end, strategy.name, clicks)), color=wants_colour())


def frame(moment: Moment, name: str, clicks: int) -> list[str]:
    """Draw a moment as lines for the terminal's size: a title, the board, why the last cell was opened, the score."""
    view, game = moment.game.view, moment.game
    size = shutil.get_terminal_size()
    colour = wants_colour()
    window = Window.around(view, moment.click, size.lines - _LINES_AROUND, size.columns)
    glyphs = dict.fromkeys(moment.found, _FOUND) | dict.fromkeys(game.exploded, _EXPLODED)
    drawing = draw(view, colour=colour, width=size.columns, marked=moment.opened, glyphs=glyphs, window=window)
    endings = {Status.PLAYING: "", Status.WON: "won", Status.LOST: "lost"}
    row, col = moment.click
    reason = f"{row},{col}: {moment.reason}"
    if colour and moment.reason is Reason.GUESS:
        reason = click.style(reason, fg="yellow", bold=True)
    to_open = view.rows * view.cols - view.mines
    opened = int((view.cells >= 0).sum())
    return [
        f"{name} on {view.name}, click {moment.number} of {clicks}",
        *drawing.split("\n"),
        f"{reason}  {endings[game.status]}".rstrip(),
        f"{opened} of {to_open} opened, {len(moment.found)} of {view.mines} mines found, {moment.guesses} guesses",
    ]
