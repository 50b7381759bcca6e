"""`autoplay --screen` with programs of Debian on a virtual screen.

The games of other programs are the oracle: the command stops with an error if a cell explodes that logic proved safe.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import one_line

from minesweeper.db.records import ON_SCREEN
from minesweeper.db.store import Store
from minesweeper.player.core.errors import DatabaseError

PATH = f"{os.environ['PATH']}:/usr/games"
PROGRAMS = {
    "sgt-mines": (["sgt-mines", "9x9n10"], "9x9/10", ["key:n"]),
    "xbomb": (["xbomb", "-square", "-1"], "8x8/10", ["key:s"]),
    "gnome-mines": (["gnome-mines", "--small"], "8x8/10", []),
}
NEEDED = ("Xvfb", "openbox", "dbus-run-session", *PROGRAMS)
SECONDS_TO_APPEAR = 60
MOST_STOPS = 4


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of programs on a virtual screen with a window manager, apart from the user's."""
    if missing := [program for program in NEEDED if not shutil.which(program, path=PATH)]:
        pytest.skip(f"needs {', '.join(missing)}")
    home = tmp_path_factory.mktemp("home")
    ends, starts = os.pipe()
    command = ["Xvfb", "-displayfd", str(starts), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(command, pass_fds=[starts], stderr=subprocess.DEVNULL) as server:
        os.close(starts)
        with os.fdopen(ends) as number:
            display = f":{number.readline().strip()}"
        hidden = ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS")
        own = {"DISPLAY": display, "PATH": PATH, "HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
        own |= {"NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"}
        environment = {name: value for name, value in os.environ.items() if name not in hidden} | own
        with subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL) as manager:
            yield environment
            manager.terminate()
        server.terminate()


def autoplay(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "minesweeper", "autoplay", "--screen", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)


def played(program: str, screen: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Start a program, wait until its board is read, and let `autoplay` play it."""
    command, board, keys = PROGRAMS[program]
    mines, quiet = board.partition("/")[2], {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(["dbus-run-session", "--", *command], env=screen, start_new_session=True, **quiet) as player:
        try:
            ends = time.monotonic() + SECONDS_TO_APPEAR
            while (seen := autoplay(screen, "--mines", mines, "--dry-run", str(folder / "screen.png"))).returncode:
                assert "no board found" in one_line(seen.stderr)
                assert time.monotonic() < ends, f"{program} shows no board"
            assert seen.stdout.startswith(board)
            options = ["--games", str(1 + len(keys)), *(word for key in keys for word in ("--next", key))]
            return autoplay(screen, "--mines", mines, "--db", str(folder / "games.db"), "--json", *options)
        finally:
            os.killpg(player.pid, signal.SIGKILL)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_played_and_no_proved_cell_explodes(program: str, screen: dict[str, str], tmp_path: Path) -> None:
    for _ in range(MOST_STOPS):
        ended = played(program, screen, tmp_path)
        if not ended.returncode:
            break
        # A reading may be doubtful, and then the command stops; but it must never be wrong.
        assert "stopped, because" in one_line(ended.stderr)
    assert (ended.returncode, ended.stderr) == (0, "")
    games = json.loads(ended.stdout)["games"]
    assert games == 1 + len(PROGRAMS[program][2])
    with Store(tmp_path / "games.db") as store:
        records = [record for _, _, record in store.games(games)]
        assert all(record.strategy.endswith(ON_SCREEN) for record in records)
        with pytest.raises(DatabaseError, match="played on the screen"):
            store.puzzle_of(records[0])


def test_without_a_screen_one_line_says_so(tmp_path: Path) -> None:
    pytest.importorskip("mss")
    for changes, text in (({"DISPLAY": ""}, "DISPLAY is not set"), ({"WAYLAND_DISPLAY": "wayland-0"}, "Wayland")):
        environment = os.environ | {"XDG_SESSION_TYPE": ""} | changes
        ended = autoplay(environment, "--mines", "10", "--db", str(tmp_path / "games.db"))
        assert ended.returncode == 2
        assert text in one_line(ended.stderr)
