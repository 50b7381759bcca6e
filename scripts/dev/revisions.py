"""Benchmarks of this revision against another one, which is built in a temporary folder.

Each revision runs its own ``scripts/dev/bench.py`` in another process. Only benchmarks that both have are compared. The
interpreter and the libraries are the same.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click

_CHECKOUT: Final = Path(__file__).resolve().parents[2]
_SCALES: Final = (0.4, 0.8)
"""Instructions are counted at both scales; the difference leaves out the cost of starting and preparing."""
_IGNORE_EDITABLE: Final = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
"""
"""An editable installation would hide the package on PYTHONPATH, also from processes that a benchmark starts."""


class Result(NamedTuple):
    """Pieces of work done, CPU microseconds or instructions for each, and the digest of the results."""

    pieces: int
    each: float
    digest: str


class Revision:
    """A revision with its sources in `source`, installed in `built` or, for None, where this process imports it."""

    def __init__(self, source: Path, built: Path | None = None) -> None:
        # One thread, as the CPU time of libraries would count, and one order of sets.
        self._environment = (
            os.environ
            | {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
            | ({"PYTHONPATH": str(built)} if built else {})
        )
        self._bench = [sys.executable, "-P", str(source / "scripts" / "dev" / "bench.py")]
        self.names = set(self._output([*self._bench, "--list"]).splitlines())

    def run(self, names: Sequence[str], scale: float, under: Sequence[str] = ()) -> dict[str, Result]:
        """Run one portion of each of these benchmarks, in a child process of the command `under`."""
        works = [part for name in names for part in ("--work", name)]
        text = self._output([*under, *self._bench, "--seconds", "0", "--scale", str(scale), "--json", *works])
        return {
            f"{row['work']}: {row['program']}": Result(row["pieces"], row["each"], row["digest"])
            for row in json.loads(text)
        }

    def count_instructions(self, names: Sequence[str], scale: float) -> dict[str, Result]:
        """Count the instructions of one portion of each benchmark, in all its processes."""
        found = {}
        for name in names:
            (few, least, _), (many, most, digest) = (self._count(name, scale * part) for part in _SCALES)
            found[name] = Result(many, (most - least) / (many - few), digest)
        return found

    def _count(self, name: str, scale: float) -> tuple[int, int, str]:
        with tempfile.TemporaryDirectory() as logs:
            callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"]
            result = self.run([name], scale, [*callgrind, f"--log-file={logs}/%p"])[name]
            texts = [log.read_text() for log in Path(logs).iterdir()]
        counts = [int(count) for text in texts for count in re.findall(r"Collected : (\d+)", text)]
        return result.pieces, sum(counts), result.digest

    def _output(self, command: Sequence[str]) -> str:
        result = subprocess.run(command, capture_output=True, text=True, env=self._environment)
        if result.returncode:
            raise click.ClickException(f"a benchmark failed: {result.stderr.strip().splitlines()[-1]}")
        return result.stdout


def compare(
    revision: str, names: Sequence[str], rounds: int, scale: float = 1.0, *, instructions: bool = False
) -> Iterator[dict[str, object]]:
    """Let both revisions take turns, and yield a row for each benchmark that both have."""
    if instructions and shutil.which("valgrind") is None:
        raise click.ClickException("valgrind is not on the path; it counts instructions: apt-get install valgrind")
    take, rounds = (Revision.count_instructions, 1) if instructions else (Revision.run, rounds)
    with _built(revision) as before:
        names = [name for name in names if name in before.names]
        if not names:
            raise click.ClickException(f"{revision} has none of these benchmarks")
        now = Revision(_CHECKOUT)
        pairs = [(take(before, names, scale), take(now, names, scale)) for _ in range(rounds)]
    for name in names:
        ratios = [old[name].each / new[name].each for old, new in pairs]
        digests = {side[name].digest for pair in pairs for side in pair}
        yield {
            "name": name,
            "before": statistics.median(old[name].each for old, _ in pairs),
            "now": statistics.median(new[name].each for _, new in pairs),
            "ratio": statistics.median(ratios),
            "least": min(ratios),
            "most": max(ratios),
            "results": "same" if len(digests) == 1 else "DIFFERENT",
        }


def unexplained(rows: Iterable[Mapping[str, object]], percent: float, messages: str) -> list[str]:
    """Return the names of benchmarks that cost over `percent` more than before, without those that `messages` explain.

    :param rows: rows of `compare`
    :param messages: a line ``Slower: NAME: REASON`` explains a benchmark
    """
    explained = tuple(line for line in messages.splitlines() if line.startswith("Slower: "))
    slower = [str(row["name"]) for row in rows if float(str(row["ratio"])) < 1 / (1 + percent / 100)]
    return [name for name in slower if not any(line.startswith(f"Slower: {name}: ") for line in explained)]


def messages_since(revision: str) -> str:
    """Return the messages of the commits after a revision."""
    command = ["git", "-C", str(_CHECKOUT), "log", "--format=%B", f"{revision}..HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def _built(revision: str) -> Iterator[Revision]:
    """Build a revision of this checkout in a temporary folder."""
    if shutil.which("git") is None:
        raise click.ClickException("git is not on the path; it extracts the other revision")
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        source.mkdir()
        archive = subprocess.run(["git", "-C", _CHECKOUT, "archive", revision], capture_output=True)
        if archive.returncode:
            raise click.BadParameter(f"{_CHECKOUT} has no revision {revision!r}", param_hint="--against")
        subprocess.run(["tar", "-x", "-C", source], input=archive.stdout, check=True)
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(built), str(source)]
        result = subprocess.run(install, capture_output=True, text=True)
        if result.returncode:
            raise click.ClickException(f"{revision} does not build: {result.stderr.strip().splitlines()[-1]}")
        (built / "sitecustomize.py").write_text(_IGNORE_EDITABLE)
        # Wheels leave out the development tools, which the benchmarks import.
        tools = Path("scripts", "dev")
        if (source / tools).exists():
            shutil.copytree(source / tools, built / "minesweeper" / tools, dirs_exist_ok=True)
        yield Revision(source, built)
