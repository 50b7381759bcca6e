"""Unusual environments: jumping clocks, no terminal, old encodings, odd names, one core, little memory, a pause."""

import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from processes import ids, run, shell, words

pytestmark = [pytest.mark.faults, pytest.mark.usefixtures("folder")]

COUNT = 40
_GENERATE = ("generate", "--preset", "beginner", "--seed", "3", "--count", str(COUNT))
_NAMES = {"spaces": "two  words", "a newline": "one\ntwo", "no ASCII": "schön ♥", "no UTF-8": os.fsdecode(b"f\xfcr")}
_OLD = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the puzzles of the run in a normal environment."""
    path = tmp_path_factory.mktemp("usual") / "usual.db"
    assert run(*_GENERATE, "--workers", 1, "--db", path).returncode == 0
    return ids(path)


@pytest.fixture(scope="module")
def jumping(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return environment variables under which each reading of the time of day is off by random hours."""
    library = tmp_path_factory.mktemp("clock") / "jumping.so"
    compiler = shutil.which("g++")
    if compiler is None or sys.platform != "linux":
        pytest.skip("expected g++, on Linux, for a clock that jumps")
    source = Path(__file__).parent / "jumping_clock.cpp"
    subprocess.run([compiler, "-std=c++17", "-shared", "-fPIC", "-o", library, source], check=True)
    jumping = os.environ | {"LD_PRELOAD": str(library)}
    look = "import time; print(len({time.time() // 600 for _ in range(50)}) > 10)"
    assert subprocess.check_output([sys.executable, "-c", look], env=jumping, text=True) == "True\n"
    return jumping


def test_puzzles_do_not_depend_on_the_clock(jumping: dict[str, str], expected: list[str]) -> None:
    made = run(*_GENERATE, "--workers", 2, "--db", "run.db", "--time-limit", 600, "--json", env=jumping)
    assert (made.returncode, made.stderr) == (0, "")
    assert 0 < json.loads(made.stdout)["seconds_now"] < 600
    assert ids("run.db") == expected
    with closing(sqlite3.connect("run.db")) as connection:
        assert 0 < connection.execute("SELECT seconds FROM runs").fetchone()[0] < 600
    played = run("autoplay", "--db", "run.db", "--strategy", "local", "--json", env=jumping)
    assert json.loads(played.stdout)["forfeits"] == {}


def test_time_limits_do_not_depend_on_the_clock(jumping: dict[str, str]) -> None:
    endless = (
        "generate",
        "--size",
        "16x30",
        "--mines",
        250,
        "--method",
        "rejection",
        "--seed",
        3,
        "--workers",
        1,
        "--db",
        "run.db",
    )
    made = run(*endless, "--count", 9, "--time-limit", 1, "--json", env=jumping)
    assert made.returncode == 1
    told = json.loads(made.stdout)
    assert told["ending"] == "time"
    assert told["seconds_now"] > 0


def _with_names(script: str, name: str, old: dict[str, str]) -> list[str]:
    """Run a script with a name in ``$NAME`` and return the lines of stderr."""
    result = shell(f"set -e\n{script}", Path.cwd(), env=os.environ | old | {"NAME": name})
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()


def test_a_file_may_have_any_name_in_an_old_locale(expected: list[str]) -> None:
    name = "two  words,\ntwo lines, schön ♥"
    said = _with_names(
        f"""{" ".join(_GENERATE)} --workers 1 --out "$NAME" >said
        packs merge "$NAME" --into "$NAME.db" >said; ! packs export "$NAME.csv" --db "$NAME, not there" || exit 9""",
        name,
        _OLD,
    )
    assert len(said) == 1
    assert said[0].startswith("Error: no such database")
    assert ids(f"{name}.db") == expected


@pytest.mark.long
@pytest.mark.parametrize("name", _NAMES.values(), ids=_NAMES)
@pytest.mark.parametrize("old", [{}, _OLD], ids=["UTF-8", "C"])
def test_files_have_any_name_in_any_locale(name: str, old: dict[str, str], expected: list[str]) -> None:
    script = f"""{" ".join(_GENERATE)} --workers 2 --db "$NAME.db" >said
        packs list --db "$NAME.db" >said; packs stats --db "$NAME.db" >said
        for end in jsonl csv parquet html; do packs export "$NAME.$end" --db "$NAME.db"; done
        packs import "$NAME.jsonl" --db "$NAME-1.db" >said; packs verify "$NAME.parquet" >said
        packs merge "$NAME.db" "$NAME-1.db" --into "$NAME-2.db" >said
        packs merge "$NAME.db" --into "$NAME/" >said; packs list --db "$NAME" >said"""
    _with_names(script, name, old)
    assert ids(f"{name}-2.db") == ids(f"{name}.db") == expected


def test_escapes_characters_that_stdout_cannot_encode() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    result = run(*_GENERATE, "--workers", 1, "--db", "♥.db", env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert r"in \u2665.db" in result.stdout


def test_nothing_needs_a_terminal(expected: list[str]) -> None:
    bare = {name: value for name, value in os.environ.items() if name not in ("TERM", "COLUMNS", "LINES", "HOME")}
    settings = {"env": bare, "stdin": subprocess.DEVNULL, "start_new_session": True}
    result = run(*_GENERATE, "--workers", 2, "--db", "run.db", **settings)
    assert (result.returncode, result.stderr) == (0, "")
    assert ids("run.db") == expected
    watched = run("autoplay", "--watch", "--preset", "beginner", "--seed", 1, "--speed", 1000, **settings)
    assert (watched.returncode, watched.stderr) == (0, "")


def test_the_progress_bar_survives_a_jumping_clock_and_one_column(jumping: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    try:
        settings = {"env": jumping | {"TERM": "dumb", "COLUMNS": "1"}, "stderr": theirs, "stdout": subprocess.PIPE}
        result = run(*_GENERATE, "--workers", 1, "--db", "run.db", capture_output=False, **settings)
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # The terminal is closed.
            while piece := os.read(ours, 4096):
                shown += piece
    finally:
        os.close(ours)
    assert result.returncode == 0
    assert b"Traceback" not in shown


@pytest.mark.skipif(shutil.which("taskset") is None, reason="expected taskset, of util-linux")
def test_one_core_is_enough(folder: Path, expected: list[str]) -> None:
    line = " ".join(_GENERATE)
    result = shell(f"{line} --db alone.db >said; {line} --workers 3 --db three.db >said", folder, "taskset -c 0")
    assert (result.returncode, result.stderr) == (0, "")
    assert ids("alone.db") == ids("three.db") == expected


@pytest.mark.parametrize("workers", [1, 2])
def test_refused_memory_loses_no_puzzles(workers: int, folder: Path, expected: list[str]) -> None:
    # The memory to start with depends on the machine; candidates of this size need far more.
    needed = _address_space("from minesweeper.generator import pipeline; from minesweeper.db import store; import tqdm")
    large = "--size 1000x1000 --mines 60000 --count 1 --seed 3"
    script = f"""{" ".join(_GENERATE)} --db run.db >said || exit 9
        ulimit -v {needed // 1024 + 20_000}; generate {large} --workers {workers} --db run.db >said"""
    assert shell(script, folder).returncode not in (0, 9)
    assert ids("run.db") == expected


def _address_space(imports: str) -> int:
    """Return the peak address space, in bytes, of a program that runs these imports."""
    program = f"{imports}; print(open('/proc/self/status').read().partition('VmPeak:')[2].split()[0])"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return 1024 * int(subprocess.check_output([sys.executable, "-c", program], env=environment, text=True))


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _family(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(int(child) for file in tasks for child in file.read_text().split())]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the states of processes in /proc")
def test_a_stopped_run_continues(expected: list[str]) -> None:
    command = words(*_GENERATE, "--workers", 2, "--db", "run.db")
    # A process group but no session, because the system does not stop orphaned groups.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0) as one:
        while len(_family(one.pid)) < 3 and one.poll() is None:
            time.sleep(0.005)
        os.killpg(one.pid, signal.SIGTSTP)
        # The workers are in groups of their own: they finish their pieces and wait.
        while one.poll() is None and _state(one.pid) != "T":
            time.sleep(0.005)
        stopped = one.poll() is None
        os.killpg(one.pid, signal.SIGCONT)
        said = one.communicate(timeout=300)[1]
    assert stopped
    assert (one.returncode, said) == (0, "")
    assert ids("run.db") == expected
