"""Games in the window of another program, on a screen without a monitor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from minesweeper.db.store import Store

PATH = f"{os.environ['PATH']}:/usr/games"
SECONDS_TO_START = 120
"""The most that a program may take to show its window, on a busy machine."""

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb (Debian: xvfb)"),
    pytest.mark.skipif(shutil.which("sgt-mines", path=PATH) is None, reason="needs sgt-mines (Debian: sgt-puzzles)"),
]


@contextmanager
def running(*command: str, display: str = "", keep: tuple[int, ...] = ()) -> Iterator[None]:
    environment = os.environ | {"DISPLAY": display, "PATH": PATH}
    program = subprocess.Popen(command, env=environment, pass_fds=keep, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        program.terminate()
        program.wait()


@pytest.fixture
def display() -> Iterator[str]:
    """A screen: the server chooses its number, and writes it when programs can connect."""
    read, write = os.pipe()
    size = ("-screen", "0", "800x700x24", "-nolisten", "tcp", "-noreset")
    with running("Xvfb", "-displayfd", str(write), *size, keep=(write,)), open(read) as numbers:
        os.close(write)
        yield f":{numbers.readline().strip()}"


def autoplay(display: str, *options: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"DISPLAY": display, "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": ""}
    command = [sys.executable, "-m", "minesweeper", "autoplay", "--screen", "--mines", "10", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_no_cell_that_is_proved_safe_explodes_in_the_window_of_another_program(display: str, tmp_path: Path) -> None:
    """The program deals the boards and decides what explodes. A misread clue ends the command with an error."""
    pytest.importorskip("mss")
    database = tmp_path / "games.db"
    for seed in range(3):
        with running("sgt-mines", f"9x9n10#{seed}", display=display):
            ends = time.monotonic() + SECONDS_TO_START
            while (seen := autoplay(display, "--dry-run", str(tmp_path / "next.png"))).returncode:
                assert "no board found" in seen.stderr
                assert time.monotonic() < ends, "the program shows no board"
            played = autoplay(display, "--strategy", "local", "--db", str(database))
            assert played.returncode == 0, played.stderr
    with Store(database) as store:
        games = [record for _, _, record in store.games()]
    assert len(games) == 3
    assert any(game.won for game in games)
    assert all(game.won == (game.opened == 71) for game in games)
