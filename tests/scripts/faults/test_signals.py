"""Signals at random moments: no stored puzzle is lost or duplicated, and running the command again completes the job.

A strike is a job, a signal, its receiver (the command, one of its workers, or all of them) and a moment between the
first import and the end of the job, drawn from a seed.
"""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import pytest

from minesweeper.db import formats
from minesweeper.db.formats import parquet
from minesweeper.db.store import Import, Store
from minesweeper.generator import Limits, Task, generate
from minesweeper.player.core.recipe import Recipe

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds worker processes in /proc"),
]

PUZZLES = 500
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
WHO = ("command", "worker", "all")
# Write Parquet parts and games more often than normal, because these jobs are small.
_OFTEN = "from minesweeper.db import parts, store; parts.SECONDS_PER_PART = store.MAX_WAIT_SECONDS = 0.02"


@dataclass(frozen=True)
class Job:
    """A command, a function that reads its stored items, and a pattern for the number of items in its output.

    Stored items are appended in a fixed order, or appear all at once if `whole`.
    """

    words: str
    stored: Callable[[Path], list[object]]
    claims: str
    whole: bool = False

    def begin(self, folder: Path) -> subprocess.Popen[str]:
        """Run the command in its own session. SIGINT is blocked until Python has started."""
        command, *arguments = self.words.split()
        program = f"""import signal, sys
try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    {_OFTEN}
    sys.argv[0] = {command!r}
    from minesweeper_toolkit import run
    run({command!r})
except KeyboardInterrupt:
    sys.exit(130)"""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return subprocess.Popen(
                [sys.executable, "-c", program, *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _rows(file: str, query: str) -> Callable[[Path], list[object]]:
    """Return a function that reads a database, possibly in use, and checks its integrity."""

    def read(folder: Path) -> list[object]:
        if not (folder / file).exists():
            return []
        with closing(sqlite3.connect(folder / file, timeout=300)) as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'games'").fetchone()[0]:
                return []
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            for kept, puzzles in connection.execute(
                "SELECT kept, (SELECT count(*) FROM puzzles WHERE run = runs.id) FROM runs"
            ):
                assert kept == puzzles
            return list(connection.execute(query))

    return read


def _parts(folder: Path) -> list[object]:
    return list(parquet.ids(folder / "out")) if (folder / "out" / parquet.MANIFEST).exists() else []


def _lines(folder: Path) -> list[object]:
    return [*(folder / "new.jsonl").read_text().splitlines()]


_IDS = "SELECT id FROM puzzles ORDER BY rowid"
_GAMES = "SELECT puzzle_id, won, opened, guesses FROM games ORDER BY id"
_RUN = f"generate --preset intermediate --seed 7 --workers 2 --count {PUZZLES}"
JOBS = {
    "generate": Job(f"{_RUN} --db new.db", _rows("new.db", _IDS), r"(\d+) puzzles? kept"),
    "generate --out": Job(f"{_RUN} --out out", _parts, r"(\d+) puzzles? kept"),
    "import": Job("packs import all.jsonl --db new.db", _rows("new.db", _IDS), r"(\d+) puzzles? imported", True),
    "import --sat": Job(
        "packs import all.jsonl --sat --workers 2 --db new.db", _rows("new.db", _IDS), r"(\d+) puzzles? imported", True
    ),
    "merge": Job("packs merge a.db b.db --into new.db", _rows("new.db", _IDS), r"(\d+) puzzles? merged", True),
    "export": Job("packs export new.jsonl --db both.db", _lines, r"(\d+) puzzles? written", True),
    "autoplay": Job(
        "autoplay --db a.db --workers 2", _rows("a.db", _GAMES), r"(\d+) games (?:won|before it are stored)"
    ),
}


# Python prints and drops an interrupt in a callback of a weak reference, such as those of its import system.
_DROPPED = re.compile(r"Exception ignored .*\nTraceback \(most recent call last\):\n(?:  .*\n)*KeyboardInterrupt: *\n")


def _strike(job: Job, folder: Path, number: int, who: str, delay: float) -> None:
    """Start a job, send a signal after `delay` seconds, and check the stored items."""
    untouched = job.stored(folder)
    hit = 0
    with job.begin(folder) as process:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            before = job.stored(folder)
            hit = _send(process.pid, number, who)
        else:
            before = job.stored(folder)
        # Workers inherit stdout and stderr, so this waits for all of them.
        printed, said = process.communicate(timeout=300)
    said = _DROPPED.sub("", said)
    assert "Traceback" not in said + printed, said
    assert process.returncode in _endings(number, hit == process.pid), (process.returncode, said)
    after = job.stored(folder)
    assert after[: len(before)] == before or (job.whole and before == untouched)
    claims = re.findall(job.claims, printed + said)
    assert claims or process.returncode, printed + said
    assert all(int(claim) <= len(after) for claim in claims), (claims, len(after))


def _endings(number: int, command: bool) -> set[int]:
    """Return the allowed exit codes of a command that received a signal, or whose worker did."""
    if number == signal.SIGINT:
        return {0, 130, -signal.SIGINT}
    # An export first removes its temporary file.
    return {0, -number, 128 + number} if command else {0, 1, 2}


def _send(pid: int, number: int, who: str) -> int:
    """Send a signal and return the process that received it: the command itself if it has no worker."""
    if who == "all":
        os.killpg(pid, number)
        return pid
    workers = [int(name) for file in Path(f"/proc/{pid}/task").glob("*/children") for name in file.read_text().split()]
    hit = workers[0] if who == "worker" and workers else pid
    with suppress(ProcessLookupError):  # The worker may have ended.
        os.kill(hit, number)
    return hit


Strike = tuple[str, signal.Signals, str, float]


def _strikes(seed: int, count: int) -> list[Strike]:
    """Return strikes with jobs and signals in turn, and random receivers and moments."""
    random = Random(seed)
    names, numbers = list(JOBS), list(SIGNALS)
    return [
        (names[place % len(names)], numbers[place % len(numbers)], random.choice(WHO), random.random())
        for place in range(count)
    ]


def _named(strike: Strike) -> str:
    name, number, who, moment = strike
    return f"{name}, {number.name} to {who} at {moment:.0%}"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two databases, their union, all puzzles as JSON lines, and an older pack."""
    folder = tmp_path_factory.mktemp("ready")
    with Store(folder / "both.db") as both:
        for name, seed in (("a.db", 1), ("b.db", 2)):
            task = Task(Recipe("9x9/10", seed=seed))
            with Store(folder / name) as store, Import(both) as copy:
                generate(task, Limits(PUZZLES // 2), store, workers=1)
                copy.add(store.puzzles())
        formats.save(both.puzzles(), folder / "all.jsonl")
    (folder / "new.jsonl").write_text("{}\n")
    return folder


@pytest.fixture(scope="module")
def undisturbed(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[object], float]]:
    """Return a function that gives the items that a job stores without signals, and its seconds."""

    @cache
    def done(name: str) -> tuple[list[object], float]:
        folder = tmp_path_factory.mktemp("undisturbed") / "job"
        shutil.copytree(ready, folder)
        began = time.perf_counter()
        _finish(JOBS[name], folder)
        seconds = time.perf_counter() - began
        return JOBS[name].stored(folder), seconds

    return done


def _finish(job: Job, folder: Path) -> None:
    with job.begin(folder) as process:
        printed, said = process.communicate(timeout=120)
    assert process.returncode == 0, printed + said


@pytest.fixture
def folder(ready: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ready, tmp_path / "job")


LONG = [pytest.param(strike, marks=pytest.mark.long) for strike in _strikes(2, 50)]


@pytest.mark.parametrize("strike", [*_strikes(1, 7), *LONG], ids=_named)
def test_a_signal_loses_no_stored_items(
    strike: Strike, folder: Path, undisturbed: Callable[[str], tuple[list[object], float]]
) -> None:
    name, number, who, moment = strike
    expected, seconds = undisturbed(name)
    _strike(JOBS[name], folder, number, who, moment * seconds)
    _finish(JOBS[name], folder)
    assert JOBS[name].stored(folder) == expected
    assert [path.name for path in folder.rglob(".*") if path.name != ".lock"] == []
