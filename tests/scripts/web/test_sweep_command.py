"""The command `sweep`."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner
from processes import error_line

from minesweeper.scripts.commands.sweep import main
from minesweeper.scripts.web.settings import Settings

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("database", [[], ["--db", "new.db"]])
def test_it_serves_on_loopback_and_prints_the_address_in_a_sentence(database: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "minesweeper", "sweep", "--port", "0", *database]
    # The source tree may have no kernel.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            said = re.fullmatch(r"Play at (http://127\.0\.0\.1:\d+/) in your browser; Ctrl-C stops .*\.\n", line)
            assert said is not None, line
            assert httpx2.get(said[1], timeout=60).status_code == 200
            assert httpx2.get(f"{said[1]}api/options", timeout=60).json()["keeps"] is bool(database)
        finally:
            server.terminate()
    assert server.returncode is not None
    assert (tmp_path / "new.db").exists() is bool(database)


def test_ctrl_c_ends_it_quietly_even_while_it_starts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "minesweeper", "sweep", "--port", "0"]
    # A terminal sends the signal to the whole process group.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=tmp_path
    ) as server:
        assert server.stdout is not None
        assert "http://" in server.stdout.readline()
        os.killpg(server.pid, signal.SIGINT)
        _, complaints = server.communicate(timeout=60)
    assert server.returncode == 130
    assert complaints == ""


def test_a_port_in_use_and_an_impossible_database_are_one_line(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert str(port) in error_line(CliRunner().invoke(main, ["--port", str(port), "--db", "new.db"]))
    assert not Path("new.db").exists()
    for name in ("nothing/new.db", __file__):
        assert name in error_line(CliRunner().invoke(main, ["--db", name, "--port", "0"]))


def test_the_page_begins_with_the_board_that_is_named_and_knows_presets_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[tuple[int, Settings]] = []

    def serve(host: str, port: int, settings: Settings, *, open_page: bool) -> int:
        served.append((port, settings))
        return 0

    monkeypatch.setattr("minesweeper.scripts.web.serving.serve", serve)
    config = tmp_path / "mine.yaml"
    config.write_text(
        "port: 0\nplayer: exec:node solver.js\npresets:\n  small:\n    size: 6x6\n    mines: 4\n"
        "  huge:\n    size: 200x200\n    mines: 4000\n"
    )
    for words in ("", "--board 7x8/9", f"--config {config} --preset small", "--size 9x9 --mines 10"):
        assert CliRunner().invoke(main, words.split()).exit_code == 0
    names = ["beginner", "intermediate", "expert", "super-expert"]
    assert [list(settings.sizes) for _, settings in served] == [names, ["7x8/9", *names], ["small", *names], names]
    assert [settings.begins_with for _, settings in served] == [None, "7x8/9", "small", "beginner"]
    assert (served[2][0], served[2][1].players) == (0, ("exec:node solver.js",))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--board 200x200/4000", "'200x200/4000' is too large: expected sides of 1 to 100"),
        ("--board 9x9/100", "expected 0 to 81"),
        ("--board mine", "unknown preset 'mine'"),
        ("--mines 3", "expected --board or --size and --mines"),
    ],
)
def test_a_board_that_can_not_be_offered_is_one_line(words: str, message: str) -> None:
    assert message in error_line(CliRunner().invoke(main, words.split()))
