"""Reviews of recorded games: every click judged by what logic could deduce before it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from math import log10, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import HIDDEN, Board, View
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.logic.fewest_clicks import ClickPlan, PlannedClick, fixed_plan
from minesweeper.player.logic.metrics import Metrics, metrics
from minesweeper.player.play.judgement import Judgement, Verdict
from minesweeper.player.play.mouse import Mouse, MouseAction, MouseEvent, RecordedMouse, replay_mouse
from minesweeper.player.play.mouse_files import read_mvf, read_rawvf, with_utf8_names, write_rawvf
from minesweeper.player.play.solving import solve

if TYPE_CHECKING:
    from minesweeper.player.play.kaboom import Kaboom

SUFFIXES: Final = (".avf", ".evf", ".mvf", ".rawvf", ".rmv")
_UNREAD: Final = {
    ".umf": "Vienna Minesweeper before version 2",
    ".fsvf": "FreeSweeper",
    ".mvr": "Minesweeper X, whose format is secret",
    ".evfs": "Metasweeper with several games",
}
EVF_MODES: Final = (
    *("standard", "UPK", "cheat", "density", "Win7", "competitive solvable", "strong solvable", "weak solvable"),
    *("to be solvable", "strong guessable", "weak guessable"),
)
"""The modes of evf files by their numbers."""
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
    made the recording. `mode` is one of `EVF_MODES`, and `mouse` is None for games of the page.
    """

    board: Board
    clicks: tuple[RecordedClick, ...]
    views: tuple[View, ...]
    last_view: View
    seconds: float
    click_count: int
    program: str
    player: str
    mode: str = "standard"
    mouse: Mouse | None = None

    @property
    def actions(self) -> tuple[MouseAction, ...]:
        """All clicks, without those that opened nothing if only the page recorded the game."""
        if self.mouse is not None:
            return self.mouse.actions
        return tuple(
            MouseAction(one.seconds, "left" if one.cells == (one.cell,) else "chord", one.cell, one.cells, True)
            for one in self.clicks
        )

    @property
    def exploded(self) -> bool:
        """True if a mine was opened."""
        return any(self.board.mine_map[cell] for click in self.clicks for cell in click.cells)

    @property
    def won(self) -> bool:
        """True if every safe cell was opened, and no mine."""
        return not self.exploded and np.array_equal(self.last_view.cells != HIDDEN, ~self.board.mine_map)


def recordings_in(folder: Path) -> list[Path]:
    """Return the recorded games in a folder and its folders, sorted. Raises `FormatError` if it has none."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if not found:
        raise FormatError(f"no recorded game in '{folder}'; expected {', '.join(SUFFIXES)} files")
    return found


def read_recording(path: str | Path) -> Recording:
    """Read a file with one of the `SUFFIXES`. Raises `FormatError`, naming the file, and `OSError`."""
    return recording_of(Path(path).read_bytes(), f"{path}")


def recording_of(data: bytes, name: str) -> Recording:
    """Read the bytes of a recorded game; the suffix of `name` is the format. Raises `FormatError`."""
    kind = Path(name).suffix.lower()
    if kind in _UNREAD:
        raise FormatError(f"'{name}' is a game of {_UNREAD[kind]}; convert it to rawvf")
    if kind not in SUFFIXES:
        raise FormatError(f"'{name}' is no recorded game: expected a {', '.join(SUFFIXES)} file")
    try:
        if kind == ".mvf":
            return recording_of_mouse(read_mvf(data))
        if kind == ".rawvf":
            return recording_of_mouse(read_rawvf(data.decode(errors="replace")))
        return recording_of_mouse(_read_by_program(data, kind, name))
    except (BoardError, ValueError) as error:
        raise FormatError(f"'{name}' is broken: {error}") from error


def _read_by_program(data: bytes, kind: str, name: str) -> RecordedMouse:
    if find_spec("ms_toollib") is None:
        raise FormatError(f"reading '{name}' needs ms_toollib: pip install 'minesweeper-toolkit[replays]'")
    # ms_toollib knows names in two encodings, and crashes on others.
    for one in dict.fromkeys((data, with_utf8_names(data) if kind == ".rmv" else data)):
        with suppress(subprocess.SubprocessError):
            game = json.loads(_printed(one, kind))
            break
    else:
        raise BoardError(f"expected a complete {kind[1:]} file")
    return _of_json(game, name)


def _of_json(game: dict[str, Any], name: str) -> RecordedMouse:
    """Return the game that the program printed."""
    if game["mode"] >= len(EVF_MODES):
        raise FormatError(f"'{name}' has mode {game['mode']}, which opens cells by rules that are not known here")
    return RecordedMouse(
        Board(np.array(game["mines"], dtype=np.bool_)),
        [MouseEvent(*event) for event in game["events"]],
        game["side"],
        seconds=game["seconds"],
        program=game["program"],
        player=game["player"],
        mode=EVF_MODES[game["mode"]],
    )


def _printed(data: bytes, kind: str) -> str:
    """Return what the program prints. Raises `SubprocessError`."""
    program = Path(__file__).with_name("video.py")
    # ms_toollib can crash on a broken file, so it runs in a process of its own, in a folder that takes its crash log.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"game{kind}")
        path.write_bytes(data)
        command = [sys.executable, "-P", str(program), str(path)]
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=_READ_SECONDS
        ).stdout


def recording_of_mouse(game: RecordedMouse) -> Recording:
    """Return the recorded game that the events of a mouse made."""
    mouse = replay_mouse(game)
    clicks = tuple(RecordedClick(one.seconds, one.cell, one.opened) for one in mouse.actions if one.opened)
    seconds = clicks[-1].seconds if game.seconds is None and clicks else game.seconds or 0.0
    about = (seconds, len(mouse.actions), game.program, game.player, game.mode)
    return Recording(game.board, clicks, mouse.views, mouse.last_view, *about, mouse)


def to_rawvf(recording: Recording) -> str:
    """Return a recorded game in the text format rawvf, which other programs read.

    Of a game that only the page recorded, it has a press and a release for each click, and the flags that chords need.
    Raises `BoardError` for other grids than rectangles.
    """
    if recording.board.grid != Grid(*recording.board.grid.shape):
        raise BoardError(f"rawvf has rectangles only; {recording.board.name} is another grid")
    if recording.mouse is not None:
        return write_rawvf(recording.mouse.recorded)
    events, flags = [], set[Cell]()
    for click, view in zip(recording.clicks, recording.views, strict=True):
        near = [one for one in view.grid.neighbours(click.cell) if view.cells[one] == HIDDEN]
        chord = view.cells[click.cell] != HIDDEN and set(near) >= set(click.cells)
        for cell in set(near).difference(click.cells, flags) if chord else ():
            events += [MouseEvent(click.seconds, kind, cell[1], cell[0]) for kind in ("rc", "rr")]
            flags.add(cell)
        for cell in [click.cell] if chord else click.cells:
            kinds = ("mc", "mr") if chord else ("lc", "lr")
            events += [MouseEvent(click.seconds, kind, cell[1], cell[0]) for kind in kinds]
    about = (False, recording.seconds, recording.program, recording.player, recording.mode)
    return write_rawvf(RecordedMouse(recording.board, events, 1, *about))


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


_GUESSES: Final = (Verdict.FORCED, Verdict.NEEDLESS)
_SAFE_GUESSES: Final = {
    "weak solvable": (Verdict.FORCED,),
    "to be solvable": (Verdict.FORCED,),
    "strong guessable": _GUESSES,
    "weak guessable": _GUESSES,
}
"""The guesses that a mode always lets survive: it moves mines to other cells."""
_LOST_GUESSES: Final = {"strong solvable": _GUESSES, "weak solvable": (Verdict.NEEDLESS,)}
"""The guesses that a mode never lets survive."""


def decided_guesses(mode: str) -> dict[str, tuple[Verdict, ...]]:
    """Return the guesses that the rule of a mode always lets survive, and those that it never does, for JSON."""
    return {"safe_guesses": _SAFE_GUESSES.get(mode, ()), "lost_guesses": _LOST_GUESSES.get(mode, ())}


@dataclass(frozen=True)
class JudgedClick(Judgement):
    """A judged click of a game, with its number from 1; `thinking_seconds` is the time since the click before.

    In some `EVF_MODES`, a rule decides about guesses: those that it makes certain are `by_rule`.
    """

    number: int
    click: RecordedClick
    survived: bool
    thinking_seconds: float
    mode: str = "standard"

    @property
    def by_rule(self) -> bool:
        return super().verdict in _SAFE_GUESSES.get(self.mode, ()) and super().safety != 0

    @property
    def verdict(self) -> Verdict:
        return Verdict.CERTAIN if self.by_rule else super().verdict

    @property
    def safety(self) -> float | None:
        if self.by_rule:
            return 1.0
        return 0.0 if self.verdict in _LOST_GUESSES.get(self.mode, ()) else super().safety

    @property
    def loss(self) -> float | None:
        return 0.0 if self.by_rule else super().loss

    @property
    def layouts(self) -> tuple[Board, Board] | None:
        return None if self.by_rule else super().layouts

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

    @property
    def pluck(self) -> float | None:
        """The sum of -log10 of the chances of all uncertain clicks; None if `luck` is unknown or 0."""
        return -log10(self.luck) if self.luck else None

    @cached_property
    def plan(self) -> ClickPlan | None:
        """The plan of the fewest clicks from the same first click; None without the kernel, or if that is a mine."""
        board, clicks = self.recording.board, self.recording.clicks
        if not clicks or board.mine_map[clicks[0].cell] or not kernel_api.available():
            return None
        return fixed_plan(board, clicks[0].cell)

    @property
    def parted(self) -> MouseAction | None:
        """The first click of the player that `plan` does not have."""
        planned = set() if self.plan is None else set(self.plan.clicks)
        return next((one for one in self.recording.actions if PlannedClick(one.kind, one.cell) not in planned), None)

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
            "mode": game.mode,
            **({} if game.mouse is None else self._mouse_to_json(game.mouse)),
            "fewest_clicks": None if self.plan is None else self.plan.count,
            "fewest_clicks_bound": None if self.plan is None else self.plan.bound,
            "zini": zini,
            "zini_efficiency": zini / game.click_count if game.click_count and game.won else None,
            "luck": self.luck,
            "pluck": self.pluck,
            "stuck_seconds": self.stuck_seconds,
            "verdicts": {verdict: self.count(verdict) for verdict in Verdict},
            "last_view": game.last_view.lines,
            "judgements": [one.to_json() for one in self.judgements],
        }

    def _mouse_to_json(self, mouse: Mouse) -> dict[str, Any]:
        clicks, effective = len(mouse.actions), mouse.effective
        return {
            "correctness": effective / clicks if clicks else None,
            "throughput": self.solved_bbbv / effective if effective else None,
            "wasted_clicks": clicks - effective,
            "wasted_flags": mouse.wasted_flags,
            "cells_per_chord": mouse.cells_per_chord,
            "path": mouse.path,
        }


def judged_clicks(recording: Recording) -> Iterator[JudgedClick]:
    """Judge the clicks of a game one after the other."""
    before = 0.0
    for number, (click, view) in enumerate(zip(recording.clicks, recording.views, strict=True), 1):
        survived = not any(recording.board.mine_map[cell] for cell in click.cells)
        thinking = max(0.0, click.seconds - before)
        yield JudgedClick(solve(view), click.cells, number, click, survived, thinking, recording.mode)
        before = click.seconds


def review_recording(recording: Recording, report: Callable[[], object] = lambda: None) -> GameReview:
    """Judge every click of a game; call `report` after each."""
    judged = []
    for one in judged_clicks(recording):
        judged.append(one)
        report()
    return GameReview(recording, tuple(judged))
