"""Reviews of recorded games: every click judged by what logic could deduce before it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, Puzzle, View, count_neighbours
from minesweeper.player.chance.probability import TooWide, clue_probabilities, probabilities
from minesweeper.player.game import Game
from minesweeper.player.measure.metrics import Metrics, metrics
from minesweeper.player.play.games import play
from minesweeper.player.play.guess_review import GuessReview, evaluate
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.efficient import Efficient
from minesweeper.player.why.analysis import Solved, hint_to_json, numbers_of, solve
from minesweeper.player.why.reasons import Hint, counterexample, easiest_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES: Final = (".avf", ".evf", ".mvf", ".rmv")
_READ_SECONDS: Final = 60.0
"""Limit for the program `video`, which limits its own CPU time where the system can."""
_SECONDS: Final = 0.2
_DIGITS: Final = 6


class RecordingError(ValueError):
    """The error of a recorded game that cannot be read."""


@dataclass(frozen=True)
class RecordedClick:
    """A click that opened something; `cells` are the hidden cells that it was to open, several for a chord.

    `seconds` is the time since the game began. `helped` is true if a program chose the cells.
    """

    seconds: float
    cell: Cell
    cells: tuple[Cell, ...]
    helped: bool = False


@dataclass(frozen=True)
class Recording:
    """A recorded game: its board, the clicks that opened something, and the view before each of them.

    `last_view` is the view at the end of the game, and `click_count` counts all clicks: left, right and both. `program`
    made the recording.
    """

    board: Board
    clicks: tuple[RecordedClick, ...]
    views: tuple[View, ...]
    last_view: View
    seconds: float
    click_count: int
    program: str
    player: str

    @property
    def won(self) -> bool:
        """True if every safe cell was opened, and no mine."""
        exploded = any(self.board.mine_map[cell] for click in self.clicks for cell in click.cells)
        return not exploded and np.array_equal(self.last_view.cells != HIDDEN, ~self.board.mine_map)


def read_recording(path: str | Path) -> Recording:
    """Read an avf, evf, rmv or mvf file. Raises `RecordingError`, naming the file, and `OSError`."""
    return recording_of(Path(path).read_bytes(), f"{path}")


def recording_of(data: bytes, name: str) -> Recording:
    """Read the bytes of an avf, evf, rmv or mvf file; the suffix of `name` is the format. Raises `RecordingError`."""
    kind = Path(name).suffix.lower()
    if kind not in SUFFIXES:
        raise RecordingError(f"'{name}' is no recorded game: expected a {', '.join(SUFFIXES)} file")
    if find_spec("ms_toollib") is None:
        raise RecordingError(f"reading '{name}' needs ms_toollib: pip install 'minesweeper-toolkit[replays]'")
    program = Path(__file__).with_name("video.py")
    # ms_toollib can crash on a broken file, so it runs in a process of its own, in a folder that takes its crash log.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"game{kind}")
        path.write_bytes(data)
        command = [sys.executable, "-P", str(program), str(path)]
        try:
            read = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=True, timeout=_READ_SECONDS
            )
        except subprocess.SubprocessError as error:
            raise RecordingError(f"'{name}' is broken: expected a complete {kind[1:]} file") from error
    try:
        return _recording(json.loads(read.stdout))
    except BoardError as error:
        raise RecordingError(f"'{name}' is broken: {error}") from error


def _recording(game: dict[str, Any]) -> Recording:
    board = Board(np.array(game["mines"], dtype=np.bool_))
    clicks, views = [], []
    for click in game["clicks"]:
        view = View.from_text(click["before"], board.mines)
        seen = view.cells != HIDDEN
        if not np.array_equal(view.cells[seen], board.clues[seen]):
            raise BoardError("the recorded clues contradict its mines")
        cells = tuple((row, col) for row, col in click["cells"])
        clicks.append(RecordedClick(click["seconds"], tuple(click["cell"]), cells))
        views.append(view)
    last = (
        View.from_text(game["clicks"][-1]["after"], board.mines)
        if clicks
        else View.hidden(board.rows, board.cols, board.mines)
    )
    about = (game["seconds"], game["click_count"], game["software"], game["player"])
    return Recording(board, tuple(clicks), tuple(views), last, *about)


def record_game(
    board: Board, clicks: Sequence[RecordedClick], seconds: float, click_count: int, program: str
) -> Recording:
    """Record a game from its board and its clicks."""
    game = Game(board)
    views = []
    for click in clicks:
        views.append(game.view)
        # A chord opens its safe cells even if one of the others is a mine.
        for cell in sorted(click.cells, key=lambda cell: bool(board.mine_map[cell])):
            game.open(cell)
    return Recording(board, tuple(clicks), tuple(views), game.view, seconds, click_count, program, "")


class Verdict(StrEnum):
    """The kinds of clicks."""

    FIRST = "first click"
    CERTAIN = "certain"
    FORCED = "forced guess"
    NEEDLESS = "needless guess"
    MINE = "known mine"


@dataclass(frozen=True)
class Judgement:
    """A click, judged by the `view` before it.

    `safety` is the exact probability that none of the clicked cells is a mine, `best_safety` that of `solved.best`;
    both are None where layouts cannot be counted. A needless guess has the `step` that would have given a safe cell.
    A forced guess has two `layouts` that fit all clues: `uncertain_cell` is safe in the first and a mine in the second.
    If it opened a single cell, `guess` compares it with all other cells. `thinking_seconds` is the time since the click
    before.
    """

    number: int
    click: RecordedClick
    view: View
    verdict: Verdict
    survived: bool
    thinking_seconds: float
    solved: Solved
    safety: float | None
    best_safety: float | None
    uncertain_cell: Cell | None = None
    step: Hint | None = None
    layouts: tuple[Board, Board] | None = None
    guess: GuessReview | None = None

    def in_words(self) -> str:
        """Explain a guess or a known mine in one sentence; return an empty text for other clicks."""
        if self.verdict is Verdict.NEEDLESS and self.step is not None:
            return f"a safe cell could be deduced: {self.step.in_words()}"
        if self.verdict is Verdict.FORCED and self.uncertain_cell is not None:
            return f"nothing was certain: {self.uncertain_cell} is safe in one layout that fits, a mine in another"
        return f"{self.uncertain_cell} is a mine in every layout" if self.verdict is Verdict.MINE else ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; `chances`, of a mine in each cell, only for clicks that were not certain."""
        chances = None if self.verdict in (Verdict.FIRST, Verdict.CERTAIN) else self.solved.chances
        return {
            "click": self.number,
            "seconds": self.click.seconds,
            "thinking_seconds": self.thinking_seconds,
            "cell": self.click.cell,
            "cells": self.click.cells,
            "helped": self.click.helped,
            "view": self.view.lines,
            "verdict": self.verdict,
            "survived": self.survived,
            "safety": self.safety,
            "best_cell": self.solved.best,
            "best_safety": self.best_safety,
            "words": self.in_words(),
            "uncertain_cell": self.uncertain_cell,
            "step": None if self.step is None else hint_to_json(self.step),
            "probabilities": None if chances is None else numbers_of(chances.round(_DIGITS)),
            "layouts": None if self.layouts is None else [one.to_text().splitlines() for one in self.layouts],
            "guess": None if self.guess is None else self.guess.to_json(),
        }


def _judge(recording: Recording, number: int) -> Judgement:
    """Judge the click with this number, from 0, by the result of `solve` for the view before it."""
    click, view, board = recording.clicks[number], recording.views[number], recording.board
    found = solve(view)
    survived = not any(board.mine_map[cell] for cell in click.cells)
    best_safety = None if found.chances is None or found.best is None else 1 - float(found.chances[found.best])
    before = recording.clicks[number - 1].seconds if number else 0.0
    judged = Judgement(
        number=number + 1,
        click=click,
        view=view,
        verdict=Verdict.CERTAIN,
        survived=survived,
        thinking_seconds=max(0.0, click.seconds - before),
        solved=found,
        safety=None if found.chances is None else _safety(view, found.chances, click.cells),
        best_safety=best_safety,
    )
    if (view.cells == HIDDEN).all():
        return replace(judged, verdict=Verdict.FIRST)
    if mines := [cell for cell in click.cells if found.mine_map[cell]]:
        return replace(judged, verdict=Verdict.MINE, uncertain_cell=mines[0])
    uncertain = next((cell for cell in click.cells if not found.safe_map[cell]), None)
    if uncertain is None:
        return judged
    if found.safe_map.any():
        step = next((hint for hint in easiest_steps(view, seconds=_SECONDS) if hint.safe), None)
        return replace(judged, verdict=Verdict.NEEDLESS, uncertain_cell=uncertain, step=step)
    guess = None
    if len(click.cells) == 1:
        with suppress(TooWide):
            guess = GuessReview(judged.number, uncertain, evaluate(view, found.mine_map), survived)
    layouts = counterexample(view, uncertain)
    return replace(judged, verdict=Verdict.FORCED, uncertain_cell=uncertain, layouts=layouts, guess=guess)


def _safety(view: View, chances: NDArray[np.float64], cells: Sequence[Cell]) -> float:
    """Return the probability that none of these cells is a mine, by the law of total probability over their clues."""
    unsafe = [cell for cell in cells if chances[cell] > 0]
    if len(unsafe) < 2:
        return 1 - sum(float(chances[cell]) for cell in unsafe)
    first, *others = unsafe
    total = 0.0
    for clue, chance in enumerate(clue_probabilities(view, first)):
        if chance > 0:
            then = view.showing(first, clue)
            total += float(chance) * _safety(then, probabilities(then).chances, others)
    return total


@dataclass(frozen=True)
class GameReview:
    """A judged game.

    `luck` is the probability of surviving every uncertain click, None if the layouts of some position cannot be
    counted. `solved_bbbv` is the part of the 3BV that was solved. `stuck_seconds` sums the time before forced guesses,
    from the click before.
    """

    recording: Recording
    judgements: tuple[Judgement, ...]

    @cached_property
    def measures(self) -> Metrics:
        """The metrics of the board."""
        return metrics(self.recording.board)

    @property
    def luck(self) -> float | None:
        chances = [one.safety for one in self.judgements if one.verdict is not Verdict.FIRST]
        return None if None in chances else prod(chance for chance in chances if chance is not None)

    @property
    def solved_bbbv(self) -> int:
        board, opened = self.recording.board, self.recording.last_view.cells != HIDDEN
        zeros = board.clues == 0
        # Each opened clue that borders no opening counts 1, and each opened opening.
        solved = int(np.count_nonzero((board.clues > 0) & (count_neighbours(zeros) == 0) & opened))
        left = (zeros & opened).ravel()
        while left.any():
            left[board.opening(divmod(int(left.argmax()), board.cols))] = False
            solved += 1
        return solved

    @cached_property
    def few_clicks(self) -> int | None:
        """The clicks in which `efficient` wins from the same first click if all its guesses are safe.

        None without the kernel, or if the first click is a mine.
        """
        board, clicks = self.recording.board, self.recording.clicks
        if not clicks or board.mine_map[clicks[0].cell] or not kernel_api.available():
            return None
        strategy = _Lucky(board)
        play(Puzzle(board, clicks[0].cell), strategy)
        return 1 + len(strategy.clicks)

    @property
    def stuck_seconds(self) -> float:
        return sum(one.thinking_seconds for one in self.judgements if one.verdict is Verdict.FORCED)

    def count(self, verdict: Verdict) -> int:
        """Count the clicks with this verdict."""
        return sum(one.verdict is verdict for one in self.judgements)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        game, zini = self.recording, min(self.measures.greedy_zini, self.measures.human_zini)
        return {
            **game.board.size_to_json(),
            "board": game.board.to_text().splitlines(),
            "program": game.program,
            "player": game.player,
            "won": game.won,
            "seconds": game.seconds,
            "clicks": game.click_count,
            "bbbv": self.measures.bbbv,
            "solved_bbbv": self.solved_bbbv,
            "bbbv_per_second": self.solved_bbbv / game.seconds if game.seconds > 0 else None,
            "efficiency": self.solved_bbbv / game.click_count if game.click_count else None,
            "few_clicks": self.few_clicks,
            "zini": zini,
            "zini_efficiency": zini / game.click_count if game.click_count and game.won else None,
            "luck": self.luck,
            "stuck_seconds": self.stuck_seconds,
            "verdicts": {verdict: self.count(verdict) for verdict in Verdict},
            "last_view": game.last_view.lines,
            "judgements": [one.to_json() for one in self.judgements],
        }


def review_recording(recording: Recording) -> GameReview:
    """Judge every click of a game."""
    return GameReview(recording, tuple(_judge(recording, number) for number in range(len(recording.clicks))))


class _Lucky(Efficient):
    """The strategy `efficient` with guesses that are always safe."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        cells = [one.cell for one in self.rate(view, knowledge)] + knowledge.uncertain_cells
        return next(cell for cell in cells if not self._board.mine_map[cell])
