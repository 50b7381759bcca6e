"""Replay a game in the terminal click by click, with the alternatives at every guess."""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import click

from minesweeper.player.core.errors import TooWide, counted
from minesweeper.player.core.game import Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.replay import GuessReview, Moment, Replay, ReplayClick, review_guess
from minesweeper.player.render.text import Glyph, Window, draw
from minesweeper.scripts.console.terminal import wants_colour

try:
    import termios
    import tty

    _has_keys = True
except ImportError:
    _has_keys = False

ReadKey = Callable[[float], str]

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_CLEAR_LINE: Final = "\x1b[K"
_CLEAR_BELOW: Final = "\x1b[J"
_NAMED_KEYS: Final = {"\x1b[C": "right", "\x1b[D": "left", "\x1bOC": "right", "\x1bOD": "left", " ": "space"}
_FOUND: Final = Glyph("*", {"fg": "red"})
_EXPLODED: Final = Glyph("X", {"fg": "black", "bg": "red"})
_LETTERS: Final = "abcdef"
_FEW_CELLS: Final = 8
_LINES_AROUND: Final = 5
_KEYS: Final = "space: pause  left, right: step  g: next guess  + -: speed  q: quit"
_PAUSE_AT_GUESS: Final = 4
_FASTER: Final = 1.5
_UNTIL_KEY: Final = 3600.0


@contextmanager
def _alternate_screen() -> Iterator[None]:
    """Switch to the alternate screen without a cursor, and restore the terminal on exit."""
    sys.stdout.write(_ENTER)
    try:
        yield
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()


def _show(lines: Sequence[str]) -> None:
    """Draw a frame over the last one; cut it at the terminal's height."""
    height = shutil.get_terminal_size().lines
    body = f"{_CLEAR_LINE}\n".join(lines[:height])
    sys.stdout.write(f"{_HOME}{body}{_CLEAR_LINE}{_CLEAR_BELOW}")
    sys.stdout.flush()


@contextmanager
def _key_presses() -> Iterator[ReadKey]:
    """Yield a function that waits for a key, with a time limit, and returns a character, space, left, right or "".

    Keys are read without echo and without Enter; Ctrl-C still interrupts.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def read(seconds: float) -> str:
        if not select.select([descriptor], [], [], seconds)[0]:
            return ""
        pressed = os.read(descriptor, 16).decode(errors="replace")
        return _NAMED_KEYS.get(pressed, pressed[:1])

    tty.setcbreak(descriptor)
    try:
        yield read
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


@dataclass(frozen=True)
class Scene:
    """The game after `clicks` clicks; with `thinking`, the choices of the guess that comes next."""

    clicks: int
    thinking: bool


class Show:
    """The scenes of a game and their drawings. `title` names player and board."""

    def __init__(self, replay: Replay, title: str) -> None:
        self._replay = replay
        self._title = title
        self.scenes = [Scene(0, False)] if not replay.clicks else []
        for number, made in enumerate(replay.clicks):
            if made.guess:
                self.scenes.append(Scene(number, True))
            self.scenes.append(Scene(number + 1, False))
        self._review = lru_cache(maxsize=None)(self._review_guess)

    def frame(self, scene: Scene, last_line: str = "") -> list[str]:
        """Return a scene as lines that fit the terminal: title, board, reason, choices, score and `last_line`."""
        moment = self._replay.after(scene.clicks)
        size = shutil.get_terminal_size()
        colour = wants_colour()
        number = scene.clicks if scene.thinking else scene.clicks - 1
        made = self._replay.clicks[number]
        glyphs = dict.fromkeys(moment.mines, _FOUND) | dict.fromkeys(moment.exploded, _EXPLODED)
        guess = self._review(number) if made.guess else None
        if scene.thinking and guess is not None:
            for letter, alike in zip(_LETTERS, guess.evaluation.groups, strict=False):
                style = "cyan" if len(alike) <= _FEW_CELLS else "bright_black"
                glyphs |= {one.cell: Glyph(letter, {"fg": style}) for one in alike}
        if scene.thinking:
            glyphs[made.cell] = Glyph("?", {"fg": "black", "bg": "yellow"})
        drawing = draw(
            moment.view,
            colour=colour,
            width=size.columns,
            marked=() if scene.thinking else moment.opened,
            glyphs=glyphs,
            window=self._window(moment, made.cell),
        )
        choices = _choices(guess, size.columns) if guess is not None and scene.thinking else ""
        lines = [
            f"{self._title}, click {scene.clicks} of {len(self._replay.clicks)}",
            *drawing.split("\n"),
            self._reason(made, guess, moment),
            click.style(choices, fg="cyan") if choices and colour else choices,
            self._score(moment),
        ]
        return [*lines, click.style(last_line[: size.columns], dim=colour)] if last_line else lines

    def _window(self, moment: Moment, cell: Cell) -> Window | None:
        """Return the part of the board that fits the terminal; None, the whole board, for a file or pipe."""
        if not sys.stdout.isatty():
            return None
        size = shutil.get_terminal_size()
        return Window.around(moment.view, cell, size.lines - _LINES_AROUND, size.columns)

    def _reason(self, made: ReplayClick, guess: GuessReview | None, moment: Moment) -> str:
        text = f"{made.cell[0]},{made.cell[1]}: {made.reason}"
        if made.guess:
            text += f" {made.guess}"
        if guess is not None:
            text += f", safe {100 * guess.chosen.safety:.1f}%, {guess.rating}"
        if moment.status is not Status.PLAYING:
            text += f"; {moment.status.value}"
        return click.style(text, fg="yellow", bold=True) if made.guess and wants_colour() else text

    def _score(self, moment: Moment) -> str:
        view = moment.view
        opened, to_open = int(view.opened.sum()), view.grid.cells - view.mines
        guesses = sum(bool(made.guess) for made in self._replay.clicks[: moment.clicks])
        found = f"{opened} of {to_open} opened, {len(moment.mines)} of {view.mines} mines found"
        return f"{found}, {counted(guesses, 'guess')}"

    def _review_guess(self, clicks: int) -> GuessReview | None:
        try:
            return review_guess(self._replay, clicks)
        except TooWide:
            return None


def _choices(guess: GuessReview, width: int) -> str:
    """Return the best choices that fit a line, with letter and value: ``a 3,4 82.4%  b 12 cells 81.0%  to win``."""
    named = []
    groups = guess.evaluation.groups
    for letter, alike in zip(_LETTERS, groups, strict=False):
        row, col = alike[0].cell
        cells = f"{row},{col}" if len(alike) == 1 else f"{len(alike)} cells"
        named.append(f"{letter} {cells} {100 * alike[0].value:.1f}%")
    while True:
        left = len(groups) - len(named)
        more = [f"and {left} more"] if left else []
        line = "  ".join([*named, *more, guess.evaluation.kind])
        if len(line) <= width or not named:
            return line[:width]
        named.pop()


def watch(replay: Replay, title: str, speed: float) -> None:
    """Show a game at `speed` clicks per second, with a pause at each guess; without a terminal, print its end.

    Keys pause, step forwards and back, skip to the next guess, change the speed and quit.
    """
    stage = Show(replay, title)
    if sys.stdout.isatty():
        with _alternate_screen():
            if _has_keys and sys.stdin.isatty():
                _play_with_keys(stage, speed)
            else:
                for scene in stage.scenes:
                    _show(stage.frame(scene))
                    time.sleep((_PAUSE_AT_GUESS if scene.thinking else 1) / speed)
    click.echo("\n".join(line for line in stage.frame(stage.scenes[-1]) if line), color=wants_colour())


def _play_with_keys(stage: Show, speed: float) -> None:
    """Show the scenes and react to keys; after the first key, stay at the last scene until ``q``."""
    scenes, place, paused, touched = stage.scenes, 0, False, False
    with _key_presses() as read:
        while True:
            scene, last = scenes[place], len(scenes) - 1
            _show(stage.frame(scene, f"{'paused  ' if paused else ''}{_KEYS}"))
            waits = paused or (touched and place == last)
            key = read(_UNTIL_KEY if waits else (_PAUSE_AT_GUESS if scene.thinking else 1) / speed)
            touched = touched or bool(key)
            if key == "q" or (not touched and place == last):
                return
            if key == "space":
                paused = not paused
            elif key in ("left", "right"):
                paused = True
                place = max(0, min(place + (1 if key == "right" else -1), last))
            elif key == "g":
                paused = True
                place = next((later for later in range(place + 1, last) if scenes[later].thinking), last)
            elif key in ("+", "-"):
                speed = max(0.1, min(speed * (_FASTER if key == "+" else 1 / _FASTER), 1000))
            elif not key and not paused:
                place = min(place + 1, last)
