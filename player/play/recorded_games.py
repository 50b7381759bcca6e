"""Games that people played and other programs recorded: every click judged by what could be known at that moment."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, Puzzle, View, count_neighbours
from minesweeper.player.chance.probability import clue_probabilities, probabilities
from minesweeper.player.game import Game
from minesweeper.player.measure.metrics import Metrics, metrics
from minesweeper.player.play.games import play
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.efficient import Efficient
from minesweeper.player.why.analysis import Solved, hint_to_json, numbers_of, solve
from minesweeper.player.why.reasons import Hint, counterexample, explanation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES: Final = (".avf", ".evf", ".mvf", ".rmv")
_SECONDS: Final = 0.2
_DIGITS: Final = 6


class RecordingError(ValueError):
    """A recorded game that cannot be read."""


@dataclass(frozen=True)
class RecordedClick:
    """A click that opened something: `asked` are the hidden cells that it meant to open, several for a chord.

    `seconds` is the time since the game began. `helped` says that a program chose the cells.
    """

    seconds: float
    cell: Cell
    asked: tuple[Cell, ...]
    helped: bool = False


@dataclass(frozen=True)
class Act(RecordedClick):
    """A deed with what was seen before it, which follows from the deeds before."""

    before: View = field(kw_only=True)


@dataclass(frozen=True)
class Recording:
    """A recorded game: its board, what was clicked, and what was open at the end.

    `clicks` counts all clicks: left, right and both. `program` made the recording.
    """

    board: Board
    acts: tuple[Act, ...]
    opened: NDArray[np.bool_]
    seconds: float
    clicks: int
    program: str
    player: str

    @property
    def last_view(self) -> View:
        """What was seen at the end."""
        return View(np.where(self.opened & ~self.board.mine_map, self.board.clues, np.int8(HIDDEN)), self.board.mines)

    @property
    def won(self) -> bool:
        """Whether every safe cell was opened, and no mine."""
        died = any(self.board.mine_map[cell] for act in self.acts for cell in act.asked)
        return not died and bool((self.opened == ~self.board.mine_map).all())


def read_recording(path: str | Path) -> Recording:
    """Read an avf, evf, rmv or mvf file. Raises `RecordingError`, naming the file, and `OSError`."""
    path = Path(path)
    _check_readable(f"{path}")
    # What cannot be opened is said here, as ms_toollib would not.
    return recording_of(path.read_bytes(), f"{path}")


def recording_of(data: bytes, name: str) -> Recording:
    """Read the bytes of an avf, evf, rmv or mvf file; the ending of `name` tells which. Raises `RecordingError`."""
    _check_readable(name)
    kind = Path(name).suffix.lower()
    program = Path(__file__).with_name("video.py")
    # A process that a broken file ends leaves a log where it stands.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"game{kind}")
        path.write_bytes(data)
        # Not a line of `video` is imported here: a broken file ends its process.
        command = [sys.executable, "-P", str(program), str(path)]
        read = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if read.returncode:
        raise RecordingError(f"expected a whole {kind[1:]} file that ms_toollib reads: '{name}'")
    try:
        return _recording(json.loads(read.stdout))
    except BoardError as error:
        raise RecordingError(f"expected a game that fits its board: '{name}' ({error})") from error


def _check_readable(name: str) -> None:
    if Path(name).suffix.lower() not in SUFFIXES:
        raise RecordingError(f"expected a recorded game, {', '.join(SUFFIXES)}: '{name}'")
    if find_spec("ms_toollib") is None:
        raise RecordingError(f"expected ms_toollib to read it, pip install 'minesweeper-toolkit[replays]': '{name}'")


def _recording(game: dict[str, Any]) -> Recording:
    board = Board(np.array(game["mines"], dtype=np.bool_))
    acts = []
    for act in game["acts"]:
        before = View.from_text(act["before"], board.mines)
        seen = before.cells != HIDDEN
        if not np.array_equal(before.cells[seen], board.clues[seen]):
            raise BoardError("what was seen is not what is there")
        asked = tuple((row, col) for row, col in act["asked"])
        acts.append(Act(act["seconds"], tuple(act["cell"]), asked, before=before))
    opened = np.zeros_like(board.mine_map)
    if game["acts"]:
        opened = np.array([[cell != "#" for cell in row] for row in game["acts"][-1]["after"].splitlines()])
    return Recording(board, tuple(acts), opened, game["seconds"], game["clicks"], game["software"], game["player"])


def recorded(board: Board, deeds: Iterable[RecordedClick], seconds: float, clicks: int, program: str) -> Recording:
    """Record a game that was played on a board, deed by deed."""
    game = Game(board)
    acts = []
    for deed in deeds:
        acts.append(Act(deed.seconds, deed.cell, deed.asked, deed.helped, before=game.view))
        # A chord opens its safe cells even if one of the others is a mine.
        for cell in sorted(deed.asked, key=lambda cell: bool(board.mine_map[cell])):
            game.open(cell)
    return Recording(board, tuple(acts), game.view.cells != HIDDEN, seconds, clicks, program, "")


class Verdict(StrEnum):
    """What a click was."""

    FIRST = "first click"
    CERTAIN = "certain"
    FORCED = "forced guess"
    NEEDLESS = "needless guess"
    MINE = "known mine"


@dataclass(frozen=True)
class Judgement:
    """A click, and what could be known before it.

    `safety` is the exact chance that none of the asked cells is a mine, `best_safety` that of the best cell, which is
    `solved.best`; both are None where layouts cannot be counted. A needless guess has the `step` by which a safe cell
    could have been known; a forced one has two `layouts` that fit all clues, the first with the cell `doubted` safe and
    the second with a mine there. `thought` is the seconds since the click before.
    """

    number: int
    act: Act
    verdict: Verdict
    survived: bool
    thought: float
    solved: Solved
    safety: float | None
    best_safety: float | None
    doubted: Cell | None = None
    step: Hint | None = None
    layouts: tuple[Board, Board] | None = None

    @property
    def in_words(self) -> str:
        """Say why, for guesses and known mines: one sentence; empty otherwise."""
        if self.verdict is Verdict.NEEDLESS and self.step is not None:
            return f"it could be known: {self.step.in_words()}"
        if self.verdict is Verdict.FORCED and self.doubted is not None:
            return f"nothing was certain: {self.doubted} is safe in one layout that fits, a mine in another"
        return f"{self.doubted} is a mine in every layout" if self.verdict is Verdict.MINE else ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "click": self.number,
            "seconds": self.act.seconds,
            "thought": self.thought,
            "cell": self.act.cell,
            "asked": self.act.asked,
            "helped": self.act.helped,
            "view": self.act.before.to_text(),
            "verdict": self.verdict,
            "survived": self.survived,
            "safety": self.safety,
            "best": self.solved.best,
            "best_safety": self.best_safety,
            "reason": self.in_words,
            "doubted": self.doubted,
            "step": None if self.step is None else hint_to_json(self.step),
            "chances": self._doubtful_chances,
            "layouts": None if self.layouts is None else [layout.to_text() for layout in self.layouts],
        }

    @property
    def _doubtful_chances(self) -> list[list[float | None]] | None:
        """The chances of a mine, as JSON has them, where the click was not certain: else nobody looks at them."""
        if self.verdict in (Verdict.FIRST, Verdict.CERTAIN) or self.solved.chances is None:
            return None
        return numbers_of(self.solved.chances.round(_DIGITS))


def judge(act: Act, board: Board, number: int = 1, thought: float = 0.0) -> Judgement:
    """Judge one click by what `solve` finds at that moment, which is what `analyse` tells."""
    view = act.before
    found = solve(view)
    survived = not any(board.mine_map[cell] for cell in act.asked)
    best = None
    if found.chances is not None and found.best is not None:
        best = 1 - float(found.chances[found.best])
    safety = None if found.chances is None else _safety(view, found, act.asked)
    verdict, doubted, step, layouts = Verdict.CERTAIN, None, None, None
    if (view.cells == HIDDEN).all():
        verdict = Verdict.FIRST
    elif any(found.mine_map[cell] for cell in act.asked):
        verdict, doubted = Verdict.MINE, next(cell for cell in act.asked if found.mine_map[cell])
    elif not all(found.safe_map[cell] for cell in act.asked):
        doubted = next(cell for cell in act.asked if not found.safe_map[cell])
        if found.safe_map.any():
            verdict = Verdict.NEEDLESS
            step = next((hint for hint in explanation(view, seconds=_SECONDS) if hint.safe), None)
        else:
            verdict, layouts = Verdict.FORCED, counterexample(view, doubted)
    return Judgement(number, act, verdict, survived, thought, found, safety, best, doubted, step, layouts)


def _safety(view: View, found: Solved, asked: Sequence[Cell]) -> float:
    """The chance that none of these cells is a mine."""
    assert found.chances is not None
    if any(found.mine_map[cell] for cell in asked):
        return 0.0
    doubtful = [cell for cell in asked if not found.safe_map[cell]]
    return _all_safe(view, found.chances, doubtful)


def _all_safe(view: View, mine: NDArray[np.float64], cells: Sequence[Cell]) -> float:
    """Go through what each cell could show: no layout can be asked for two cells at once."""
    if not cells:
        return 1.0
    first, *others = cells
    if not others:
        return 1 - float(mine[first])
    total = 0.0
    for clue, chance in enumerate(clue_probabilities(view, first)):
        if chance > 0:
            then = view.showing(first, clue)
            total += float(chance) * _all_safe(then, probabilities(then).mine, others)
    return total


@dataclass(frozen=True)
class GameReview:
    """A whole game, judged.

    `luck` is the chance that all that was not certain would be survived, None if some position cannot be counted.
    `solved_bbbv` counts the 3BV done. `stuck_seconds` is the time from the click that opened the last certain cell to
    the guess after it, summed up: nothing was to be found out in it.
    """

    recording: Recording
    judgements: tuple[Judgement, ...]

    @cached_property
    def measures(self) -> Metrics:
        """The measures of the board."""
        return metrics(self.recording.board)

    @property
    def luck(self) -> float | None:
        chances = [one.safety for one in self.judgements if one.verdict is not Verdict.FIRST]
        return None if None in chances else prod(chance for chance in chances if chance is not None)

    @property
    def solved_bbbv(self) -> int:
        return _done(self.recording.board, self.recording.opened)

    @cached_property
    def few_clicks(self) -> int | None:
        """The clicks of `efficient` from the same first click to a win, were it lucky; None without the kernel."""
        acts = self.recording.acts
        return _few_clicks(self.recording.board, acts[0].cell) if acts else None

    @property
    def stuck_seconds(self) -> float:
        return sum(one.thought for one in self.judgements if one.verdict is Verdict.FORCED)

    def count(self, verdict: Verdict) -> int:
        """Count the clicks of a kind."""
        return sum(one.verdict is verdict for one in self.judgements)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        game, zini = self.recording, min(self.measures.greedy_zini, self.measures.human_zini)
        return {
            "board": game.board.name,
            "mines": game.board.to_text().splitlines(),
            "program": game.program,
            "player": game.player,
            "won": game.won,
            "seconds": game.seconds,
            "clicks": game.clicks,
            "bbbv": self.measures.bbbv,
            "solved_bbbv": self.solved_bbbv,
            "bbbv_per_second": self.solved_bbbv / game.seconds if game.seconds > 0 else None,
            "efficiency": self.solved_bbbv / game.clicks if game.clicks else None,
            "few_clicks": self.few_clicks,
            "zini": zini,
            "zini_efficiency": zini / game.clicks if game.clicks and game.won else None,
            "luck": self.luck,
            "stuck_seconds": self.stuck_seconds,
            "verdicts": {verdict: self.count(verdict) for verdict in Verdict},
            "end": game.last_view.to_text(),
            "judgements": [one.to_json() for one in self.judgements],
        }


def review_recording(recording: Recording) -> GameReview:
    """Judge every click of a game."""
    judged = []
    before = 0.0
    for number, act in enumerate(recording.acts, 1):
        judged.append(judge(act, recording.board, number, max(0.0, act.seconds - before)))
        before = act.seconds
    return GameReview(recording, tuple(judged))


class _Lucky(Efficient):
    """Plays with few clicks, and is lucky at its guesses."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        cells = [one.cell for one in self.rate(view, knowledge)] + knowledge.uncertain_cells
        return next(cell for cell in cells if not self._board.mine_map[cell])


def _few_clicks(board: Board, first: Cell) -> int | None:
    if board.mine_map[first] or not kernel_api.available():
        return None
    strategy = _Lucky(board)
    play(Puzzle(board, first), strategy)
    return 1 + len(strategy.clicks)


def _done(board: Board, opened: NDArray[np.bool_]) -> int:
    """Count the openings and the cells in none that are open."""
    zeros = board.clues == 0
    alone = (board.clues > 0) & (count_neighbours(zeros) == 0)
    done = int(np.count_nonzero(alone & opened))
    left = (zeros & opened).ravel()
    while left.any():
        number = int(left.argmax())
        left[board.opening(divmod(number, board.cols))] = False
        done += 1
    return done
