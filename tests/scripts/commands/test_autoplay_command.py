"""The command `autoplay`."""

import fcntl
import json
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from processes import ended

from minesweeper import Recipe, Store
from minesweeper.generator import Limits, Task, generate
from minesweeper.player.core.results import EvaluationKind
from minesweeper.scripts.commands.autoplay import main

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from minesweeper.scripts.commands.autoplay import main; main()"]
RECIPE = Recipe("8x8/8", click=(3, 3), seed=1)


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def puzzles(folder: Path) -> list[str]:
    """Store puzzles that logic solves in the default database, and return their ids."""
    with Store("minesweeper.db") as store:
        generate(Task(RECIPE, "sat", certified=False), Limits(12), store, workers=1)
        return store.ids()


def autoplay(*arguments: str) -> Result:
    return ended(CliRunner().invoke(main, arguments))


def test_wins_and_records_stored_puzzles_without_a_guess(puzzles: list[str]) -> None:
    summary = json.loads(autoplay("--json").stdout)
    assert (summary["games"], summary["wins"], summary["guesses_per_game"]) == (len(puzzles), len(puzzles), 0)
    with Store("minesweeper.db", create=False) as store:
        games = store.db.execute("SELECT puzzle_id, won, guesses FROM games ORDER BY puzzle_id").fetchall()
    assert games == [(name, 1, 0) for name in sorted(puzzles)]
    one = json.loads(autoplay("--puzzle", puzzles[3][:10], "--json", "--no-record").stdout)
    assert (one["games"], one["wins"]) == (1, 1)


def test_random_boards_are_played_and_recorded(folder: Path) -> None:
    arguments = ("--size", "8x8", "--mines", "12", "--games", "30", "--seed", "4", "--strategy", "random")
    result = autoplay(*arguments, "--workers", "2", "--db", "own.db")
    assert "random on 8x8/12, opening start at 2,2, seed 4" in result.stdout
    with Store("own.db", create=False) as store:
        (row,) = store.leaderboard()
    assert (row["strategy"], row["boards"], row["games"]) == ("random", "8x8/12, opening start at 2,2", 30)
    assert f"{row['wins']} of 30 games won" in result.stdout


def test_strategies_are_listed() -> None:
    listed = autoplay("--list").stdout
    assert re.search(r"^random +any cell", listed, re.MULTILINE)
    assert re.search(r"^local +looks safe", listed, re.MULTILINE)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_the_finished_games(folder: Path, workers: int) -> None:
    words = "--preset expert --games 1000000 --seed 1 --strategy random --log-file log --workers"
    playing = subprocess.Popen([*COMMAND, *words.split(), str(workers)], stdout=subprocess.PIPE, text=True)
    log = folder / "log"
    while playing.poll() is None and not (log.exists() and "random, games" in log.read_text()):
        time.sleep(0.02)
    playing.send_signal(signal.SIGINT)
    output, _ = playing.communicate(timeout=60)
    assert playing.returncode == 130
    counted = re.search(r"interrupted: (\d+) of 1000000 games", output)
    assert counted is not None, output
    with Store(folder / "minesweeper.db", create=False) as store:
        assert store.db.execute("SELECT count(*) FROM games").fetchone()[0] == int(counted[1]) >= 1
    if workers == 2:
        lines = log.read_text().splitlines()
        assert any("2 workers" in line for line in lines)
        assert all("Process-" in line for line in lines if "random, games" in line)


def test_without_a_terminal_watch_prints_the_end() -> None:
    result = autoplay("--preset", "expert", "--seed", "1", "--watch", "--strategy", "local")
    assert "\x1b" not in result.stdout
    lines = result.stdout.splitlines()
    assert lines[0].startswith("local on 16x30/99, click ")
    assert len(lines) == 1 + 2 + 16 + 2
    assert re.match(r"\d+ of 381 opened, \d+ of 99 mines found, \d+ guess", lines[-1])


def _watch_in_terminal(*arguments: str, keys: Sequence[tuple[str, bytes]] = ()) -> tuple[int, list[str], str]:
    """Run the command in a terminal of 80x24 and send each key after its text was printed.

    Return the exit code, the frames without colours, and the whole output.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    playing = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=kept | {"TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    settings = termios.tcgetattr(follower)
    written, waiting, shown_before = b"", list(keys), 0
    while True:
        # This process also holds the terminal open, so the end of the player marks the end of the data.
        ended = playing.poll() is not None
        if not select.select([leader], [], [], 0.2)[0]:
            if ended:
                break
            continue
        written += os.read(leader, 65536)
        if waiting and waiting[0][0].encode() in written[shown_before:]:
            shown_before = len(written)
            os.write(leader, waiting.pop(0)[1])
    assert not waiting, waiting
    assert termios.tcgetattr(follower) == settings
    os.close(follower)
    os.close(leader)
    text = written.decode()
    frames = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame.partition("\x1b[?25h")[0]) for frame in text.split("\x1b[H")]
    return playing.wait(timeout=60), frames[1:], text


WATCHED = ("--preset", "expert", "--seed", "1", "--strategy", "local", "--watch")


@pytest.mark.parametrize("interrupt", [False, True])
def test_watching_leaves_the_terminal_as_it_was(interrupt: bool) -> None:
    keys = [("click 3 of", b"\x03")] if interrupt else []
    code, frames, written = _watch_in_terminal(*WATCHED, "--speed", "5" if interrupt else "1000", keys=keys)
    assert code == (130 if interrupt else 0)
    assert written.count("\x1b[?1049h") == written.count("\x1b[?1049l") == 1
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")
    assert len(frames) >= 3
    for frame in frames:
        assert len(frame.splitlines()) <= 24
        assert max(map(len, frame.splitlines())) <= 80
        # Choices that do not fit are counted; none is cut.
        for choices in re.findall(r"(?m)^a .*%.*", frame):
            assert choices.rstrip().endswith(tuple(EvaluationKind))
    assert "\x1b[94m1" in written


def test_keys_pause_step_skip_and_quit() -> None:
    keys = [
        ("click 1 of", b" "),
        ("paused", b"\x1b[C"),
        ("click 2 of", b"\x1b[C"),
        ("click 3 of", b"\x1b[D"),
        ("click 2 of", b"g"),
        ("guess 1", b"+"),
        ("paused", b"q"),
    ]
    code, frames, _ = _watch_in_terminal(*WATCHED, "--speed", "0.5", keys=keys)
    assert code == 0
    clicks = [int(found[1]) for frame in frames if (found := re.search(r"click (\d+) of", frame))]
    assert clicks[:5] == [1, 1, 2, 3, 2]
    assert re.search(r"guess 1, safe \d+\.\d%, (best|-\d+\.\d%)\s+a .*%", frames[5])


def test_review_lists_every_guess() -> None:
    arguments = ("--preset", "expert", "--seed", "1", "--strategy", "random", "--index", "2")
    found = json.loads(autoplay(*arguments, "--review", "--json").stdout)
    guesses = found["reviewed_guesses"]
    assert guesses
    assert found["luck"] == pytest.approx(math.prod(guess["safety"] for guess in guesses))
    for guess in guesses:
        assert 0 < guess["safety"] <= 1
        limit = 1 if guess["kind"] == "estimate" else guess["safety"]
        assert 0 < guess["value"] <= min(limit, guess["best_value"])
        assert (guess["rating"] == "best") == (guess["cell"] in guess["best_cells"])
    assert [guess["survived"] for guess in guesses][:-1] == [True] * (len(guesses) - 1)
    text = autoplay(*arguments, "--review").stdout
    assert text.startswith(f"random on 16x30/99: {'won' if found['won'] else 'lost'}, {len(guesses)} guess")
    assert f"luck: {found['luck']:.2%}" in text


def test_recorded_games_are_replayed(puzzles: list[str]) -> None:
    boards = ("--size", "8x8", "--mines", "12", "--games", "9", "--seed", "4", "--strategy", "random")
    autoplay(*boards)
    direct = autoplay(*boards, "--index", "6", "--watch").stdout
    assert autoplay("--replay", "7").stdout == direct
    assert autoplay("--replay", "last").stdout == autoplay(*boards, "--index", "8", "--watch").stdout
    autoplay("--puzzle", puzzles[2], "--strategy", "local")
    assert "local on 8x8/8: won, 0 guesses" in autoplay("--replay", "last", "--review").stdout


HOSTILE = {
    "sleeps": ("time.sleep(10**6)", 0, "1 game forfeited (1 out of time)"),
    "spins": ("\n        while True: pass", 0, "1 game forfeited (1 out of time)"),
    "exits": ("sys.exit(0)", 2, "Error: strategy hostile failed: SystemExit: 0"),
    "ends its process": ("os._exit(0)", 2, "ended by itself (status 0) while it played hostile; 0 games before it"),
    "cannot be interrupted": (
        "\n        while True:\n            try: time.sleep(600)\n            except BaseException: pass",
        2,
        "ended by itself (status 1) while it played hostile; 0 games before it",
    ),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="code is not interrupted on this platform")
@pytest.mark.parametrize("place", ["choose(self, view, knowledge)", "begin(self, random)"])
@pytest.mark.parametrize("fault", HOSTILE)
def test_a_strategy_that_does_not_return_is_stopped_and_named(fault: str, place: str) -> None:
    code, status, words = HOSTILE[fault]
    other = "" if "choose" in place else "    def choose(self, view, knowledge): ..."
    text = (
        f"from minesweeper.player.play.strategies import Strategy\nimport os, sys, time\nclass H(Strategy):\n{other}\n"
    )
    Path("hostile.py").write_text(f"{text}    name = 'hostile'\n    def {place}: {code}\n")
    options = ["--board", "expert", "--games", "1", "--seed", "1", "--no-record", "--workers", "1", "--time-limit", "1"]
    done = subprocess.run(
        [*COMMAND, "--strategy", "hostile.py", *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    assert words in done.stdout + done.stderr
