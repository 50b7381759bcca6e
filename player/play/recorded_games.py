"""Reviews of recorded games: every click judged by what logic could deduce before it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import HIDDEN, Board, Puzzle, View
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.logic.metrics import Metrics, metrics
from minesweeper.player.play.games import play
from minesweeper.player.play.judgement import Judgement, Verdict
from minesweeper.player.play.solving import solve
from minesweeper.player.play.strategies import Knowledge
from minesweeper.player.play.strategies.efficient import Efficient

if TYPE_CHECKING:
    from minesweeper.player.play.kaboom import Kaboom

SUFFIXES: Final = (".avf", ".evf", ".mvf", ".rmv")
_READ_SECONDS: Final = 60.0
"""Limit for the program `video`, which limits its own CPU time where the system can."""


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


def recordings_in(folder: Path) -> list[Path]:
    """Return the recorded games in a folder and its folders, sorted. Raises `FormatError` if it has none."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if not found:
        raise FormatError(f"no recorded game in '{folder}'; expected {', '.join(SUFFIXES)} files")
    return found


def read_recording(path: str | Path) -> Recording:
    """Read an avf, evf, rmv or mvf file. Raises `FormatError`, naming the file, and `OSError`."""
    return recording_of(Path(path).read_bytes(), f"{path}")


def recording_of(data: bytes, name: str) -> Recording:
    """Read the bytes of an avf, evf, rmv or mvf file; the suffix of `name` is the format. Raises `FormatError`."""
    kind = Path(name).suffix.lower()
    if kind not in SUFFIXES:
        raise FormatError(f"'{name}' is no recorded game: expected a {', '.join(SUFFIXES)} file")
    if find_spec("ms_toollib") is None:
        raise FormatError(f"reading '{name}' needs ms_toollib: pip install 'minesweeper-toolkit[replays]'")
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
            raise FormatError(f"'{name}' is broken: expected a complete {kind[1:]} file") from error
    try:
        return _recording(json.loads(read.stdout))
    except BoardError as error:
        raise FormatError(f"'{name}' is broken: {error}") from error


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
    after = game["clicks"][-1]["after"] if clicks else None
    last = View.hidden(board.grid, board.mines) if after is None else View.from_text(after, board.mines)
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


def replay_clicks(game: Game | Kaboom, clicks: Sequence[RecordedClick], seconds: float) -> None:
    """Make the recorded clicks in a new game, and check that they are a whole game of at most `seconds`.

    Raises `BoardError`, with the number of the click, for a click that the rules do not allow.
    """
    before = 0.0
    for number, click in enumerate(clicks, 1):
        problem = None
        if game.status is not Status.PLAYING:
            problem = "follows the end of the game"
        elif not before <= click.seconds <= seconds:
            problem = f"was made after {click.seconds:g} s; expected {before:g} to {seconds:g} s"
        elif not _is_allowed(game.view, click):
            problem = "does not open a hidden cell, the rest of a chord, or hidden cells that a program chose"
        if problem is not None:
            raise BoardError(f"click {number} {problem}")
        for cell in click.cells:
            if game.status is Status.PLAYING and game.view.cells[cell] == HIDDEN:
                game.open(cell) if isinstance(game, Game) else game.click(cell)
        before = click.seconds
    if game.status is Status.PLAYING:
        raise BoardError("the clicks do not end the game")


def _is_allowed(view: View, click: RecordedClick) -> bool:
    """Return True if a player or, for a helped click, a program can open these cells at once."""
    inside = all(0 <= row < view.rows and 0 <= col < view.cols for row, col in (click.cell, *click.cells))
    if not inside or not click.cells or len(set(click.cells)) < len(click.cells):
        return False
    hidden = view.cells == HIDDEN
    if not all(hidden[cell] for cell in click.cells):
        return False
    if click.helped or click.cells == (click.cell,):
        return True
    around = {near for near in view.grid.neighbours(click.cell) if hidden[near]}
    flags = around.difference(click.cells)
    return around.issuperset(click.cells) and len(flags) == view.cells[click.cell]


@dataclass(frozen=True)
class JudgedClick(Judgement):
    """A judged click of a game, with its number from 1; `thinking_seconds` is the time since the click before."""

    number: int
    click: RecordedClick
    survived: bool
    thinking_seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "click": self.number,
            "seconds": self.click.seconds,
            "thinking_seconds": self.thinking_seconds,
            "cell": self.click.cell,
            "helped": self.click.helped,
            "survived": self.survived,
            **super().to_json(),
        }


@dataclass(frozen=True)
class GameReview:
    """A judged game.

    `luck` is the probability of surviving every uncertain click, None if the layouts of some position cannot be
    counted. `solved_bbbv` is the part of the 3BV that was solved. `stuck_seconds` sums the time before forced guesses,
    from the click before.
    """

    recording: Recording
    judgements: tuple[JudgedClick, ...]

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
        zeros = board.safe_map & (board.clues == 0)
        # Each opened clue that borders no opening counts 1, and each opened opening.
        solved = int(np.count_nonzero((board.clues > 0) & (board.grid.count(zeros) == 0) & opened))
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


def judged_clicks(recording: Recording) -> Iterator[JudgedClick]:
    """Judge the clicks of a game one after the other."""
    before = 0.0
    for number, (click, view) in enumerate(zip(recording.clicks, recording.views, strict=True), 1):
        survived = not any(recording.board.mine_map[cell] for cell in click.cells)
        thinking = max(0.0, click.seconds - before)
        yield JudgedClick(solve(view), click.cells, number, click, survived, thinking)
        before = click.seconds


def review_recording(recording: Recording, report: Callable[[], object] = lambda: None) -> GameReview:
    """Judge every click of a game; call `report` after each."""
    judged = []
    for one in judged_clicks(recording):
        judged.append(one)
        report()
    return GameReview(recording, tuple(judged))


class _Lucky(Efficient):
    """The strategy `efficient` with guesses that are always safe."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        cells = [one.cell for one in self.rate(view, knowledge)] + knowledge.uncertain_cells
        return next(cell for cell in cells if not self._board.mine_map[cell])
