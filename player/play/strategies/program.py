"""Strategies that are external programs, over lines of JSON; the protocol is docs/reference/protocol.md."""

from __future__ import annotations

import io
import json
import logging
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.util import Finalize
from queue import Empty, SimpleQueue
from random import Random
from reprlib import repr as short_repr
from typing import Any, Final

from minesweeper.player.core.board import View, cells_of
from minesweeper.player.core.errors import Fault, OutOfTime, StrategyError
from minesweeper.player.core.grid import Cell, is_cell
from minesweeper.player.core.limits import check_time, seconds_left
from minesweeper.player.play.strategies import Knowledge, Strategy

log = logging.getLogger(__name__)

PROTOCOL: Final = 1
_LONGEST_ANSWER: Final = 1 << 20
_MOST_SECONDS: Final = 86400.0
_LONGEST_NAME: Final = 40
_GRACE: Final = 0.5


class Program(Strategy):
    """Plays through a program, which is started on first use, and again after a failure.

    `command` runs without a shell. It has `start` seconds to answer hello and `move` seconds for each other answer. If
    it ends, is too slow or sends an invalid answer, it loses the game. Raises `StrategyError` if the program does not
    answer its first hello.
    """

    name = "exec"
    forfeits = True

    def __init__(self, command: str, *, start: float = 10.0, move: float = 10.0) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"cannot split the command {command!r}: {error}") from None
        if not self._words:
            raise ValueError("no command: expected exec:COMMAND")
        for option, seconds in (("start", start), ("move", move)):
            if not (isinstance(seconds, int | float) and 0 < seconds <= _MOST_SECONDS):
                raise ValueError(f"{option} is {seconds!r}: expected a number of seconds above 0")
        self._limits = start, move
        self._process: _Process | None = None
        self._said_hello = False
        self.declared_name = ""
        self._new_game = True
        self._seed = 0

    def begin(self, random: Random) -> None:
        super().begin(random)
        self._seed = random.getrandbits(32)
        self._new_game = True
        if not self._said_hello:
            self._running()

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        cells = self._ask("guess", view, knowledge)
        if len(cells) != 1:
            raise StrategyError(f"{len(cells)} cells for a guess: expected one")
        return cells[0]

    def moves(self, view: View) -> list[Cell]:
        return self._ask("move", view, None)

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self) -> _Process:
        """Return the running program, or start it. A forked worker starts its own."""
        if self._process is not None and self._process.owner == os.getpid():
            return self._process
        self._new_game = True
        try:
            self._process = _Process(self._words)
            answer = self._process.ask([{"type": "hello", "protocol": PROTOCOL}], self._limits[0])
            plays, declared = answer.get("plays"), answer.get("name")
            if isinstance(declared, str) and declared.isprintable():
                self.declared_name = declared[:_LONGEST_NAME]
            if plays not in ("guesses", "moves"):
                raise StrategyError(f'"plays" is {plays!r}: expected "guesses" or "moves"')
        except StrategyError as error:
            self.close()
            if self._said_hello:
                raise
            raise StrategyError(f"program {shlex.join(self._words)!r} did not answer hello: {error}") from None
        self._said_hello = True
        self.plays_alone = plays == "moves"
        return self._process

    def _ask(self, kind: str, view: View, knowledge: Knowledge | None) -> list[Cell]:
        process = self._running()
        lines: list[dict[str, Any]] = []
        if self._new_game:
            lines.append({"type": "game", **view.size_to_json(), "seed": self._seed})
            self._new_game = False
        lines.append({"type": kind, "view": draw(view, knowledge)})
        try:
            return _read_cells(process.ask(lines, self._limits[1]))
        except OutOfTime:
            self.close()
            raise


def draw(view: View, knowledge: Knowledge | None) -> list[str]:
    """Write a view as rows for a program: clues, ``#`` for hidden cells, ``*`` for known mines."""
    rows = list(map(list, view.lines))
    for row, col in () if knowledge is None else cells_of(knowledge.mine_map):
        rows[row][col] = "*"
    return ["".join(row) for row in rows]


def _read_cells(answer: dict[str, Any]) -> list[Cell]:
    cells = answer.get("open")
    if not (isinstance(cells, list) and cells and all(is_cell(cell) for cell in cells)):
        raise StrategyError(f'"open" is {short_repr(cells)}: expected a list of [row, column]')
    return [(row, col) for row, col in cells]


class _Process:
    """A running program, which is killed when an answer is overdue."""

    def __init__(self, words: list[str]) -> None:
        self.owner = os.getpid()
        try:
            process = subprocess.Popen(
                words,
                bufsize=0,  # A thread that is stuck in writing would hold the lock of a buffer.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if log.isEnabledFor(logging.INFO) else subprocess.DEVNULL,
                # In its own session the program ignores our Ctrl-C and can be killed with its children.
                start_new_session=True,
            )
        except OSError as error:
            raise StrategyError(f"cannot start: {error.strerror}", Fault.BROKE_OFF) from None
        assert process.stdout is not None
        self._process = process
        self._from = open(process.stdout.fileno(), "rb", closefd=False)  # noqa: SIM115  It closes nothing.
        # Worker processes run multiprocessing finalizers but no atexit functions.
        self.end = Finalize(self, _end, (process,), exitpriority=1)

    def ask(self, messages: Sequence[Mapping[str, object]], seconds: float) -> dict[str, Any]:
        """Send messages, of which the last one needs an answer, and return it. Raises `StrategyError`."""
        data = "".join(f"{json.dumps(message)}\n" for message in messages).encode("ascii")
        answers: SimpleQueue[bytes] = SimpleQueue()
        # The thread stays if a child that left the session of the program holds its output open.
        threading.Thread(target=_exchange, args=(self._process, self._from, data, answers), daemon=True).start()
        left = seconds_left()
        try:
            line = answers.get(timeout=seconds if left is None else max(0.0, min(seconds, left)))
        except Empty:
            _kill(self._process)
            check_time()
            raise StrategyError(f"no answer in {seconds:g} s", Fault.TOO_SLOW) from None
        if not line.endswith(b"\n") and len(line) < _LONGEST_ANSWER:
            raise StrategyError("the program ended without an answer", Fault.BROKE_OFF)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            shown = short_repr(line.decode(errors="replace").strip())
            raise StrategyError(f"answered {shown}: expected a JSON object in one line")
        return answer


def _exchange(
    process: subprocess.Popen[bytes], output: io.BufferedReader, data: bytes, answers: SimpleQueue[bytes]
) -> None:
    """Write messages to a program, and put its answer into a queue, or nothing if it has ended."""
    assert process.stdin is not None
    try:
        while data:
            data = data[process.stdin.write(data) :]
        line = output.readline(_LONGEST_ANSWER)
        if not line and process.stdout is not None:
            process.stdout.close()
        answers.put(line)
    except (OSError, ValueError):  # The pipe is broken, or closed here.
        answers.put(b"")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the input of a program, so that it ends; kill it after half a second. Then close its output."""
    try:
        process.communicate(timeout=_GRACE)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        log.info("killing a program that did not end when its input closed")
    _kill(process)
    process.wait()
    # A child that left the session of the program may hold the output open.
    with suppress(OSError, ValueError, subprocess.TimeoutExpired):
        process.communicate(timeout=_GRACE)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
