"""Race this toolkit against another revision of itself, built beside it: ratios, and whether the same came of it.

See `scripts.dev.lap` for what both do.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import click

_LAP: Final = Path(__file__).with_name("lap.py")
_LESS: Final = 0.4
"""How much of a lap instructions are counted in, and then in twice as much: what there is more is the work alone."""


class Lap(NamedTuple):
    """What a work took: microseconds of CPU time or instructions for each piece; and a digest of what came of it."""

    each: float
    digest: str


def ratios(
    revision: str, rounds: int, works: Sequence[str] = (), *, instructions: bool = False, scale: float = 1.0
) -> Iterator[dict[str, object]]:
    """Let the two revisions work in turn, and say how many times as fast this one is: median, least and most.

    Of all works only those with one of `works` in their names, if it has any.
    """
    every = _names()
    names = [name for name in every if not works or any(text in name for text in works)]
    if not names:
        raise click.BadParameter(f"expected part of a name, of {', '.join(every)}: {works[0]!r}", param_hint="--work")
    if instructions and shutil.which("valgrind") is None:
        raise click.ClickException("expected valgrind on the path, which counts instructions: apt-get install valgrind")
    rounds, take = (1, _instructions) if instructions else (rounds, _times)
    with _built(revision) as other:
        pairs = [(take(other, names, scale), take("", names, scale)) for _ in range(rounds)]
    for work in names:
        quotients = [theirs[work].each / ours[work].each for theirs, ours in pairs]
        came = {side[work].digest for pair in pairs for side in pair}
        yield {
            "work": work,
            "before": statistics.median(theirs[work].each for theirs, _ in pairs),
            "now": statistics.median(ours[work].each for _, ours in pairs),
            "ratio": statistics.median(quotients),
            "least": min(quotients),
            "most": max(quotients),
            "came": came.pop() if len(came) == 1 else "NOT THE SAME",
        }


@contextmanager
def _built(revision: str) -> Iterator[str]:
    """Build a revision of this checkout in a temporary folder."""
    checkout = Path(__file__).resolve().parents[2]
    if shutil.which("git") is None:
        raise click.ClickException("expected git on the path, to get at another revision")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "built")
        source.mkdir()
        archive = subprocess.run(["git", "-C", checkout, "archive", revision], capture_output=True)
        if archive.returncode:
            raise click.BadParameter(f"expected a revision of {checkout}: {revision!r}", param_hint="--against")
        subprocess.run(["tar", "-x", "-C", source], input=archive.stdout, check=True)
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(source)]
        built = subprocess.run(install, capture_output=True, text=True)
        if built.returncode:
            raise click.ClickException(f"{revision} does not build: {built.stderr.strip().splitlines()[-1]}")
        yield str(target)


def _names() -> list[str]:
    return [name for name, *_ in _lap("", 0, [])]


def _times(other: str, names: list[str], scale: float) -> dict[str, Lap]:
    laps = _lap(other, scale, names)
    return {name: Lap(1e6 * seconds / pieces, digest) for name, pieces, seconds, digest in laps}


def _instructions(other: str, names: list[str], scale: float) -> dict[str, Lap]:
    """Count instructions, one work after the other: more of it against less, so that what is around it falls out."""
    found = {}
    for name in names:
        counted = [_count(other, name, much * scale) for much in (_LESS, 2 * _LESS)]
        (less, few, _), (more, many, digest) = counted
        found[name] = Lap((more - less) / (many - few), digest)
    return found


def _count(other: str, name: str, scale: float) -> tuple[int, int, str]:
    """Return the instructions of all processes of one work, its pieces, and its digest."""
    with tempfile.TemporaryDirectory() as logs:
        callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"]
        [(_, pieces, _, digest)] = _lap(other, scale, [name], [*callgrind, f"--log-file={logs}/%p"])
        said = [log.read_text() for log in Path(logs).iterdir()]
    return sum(int(number) for text in said for number in re.findall(r"Collected : (\d+)", text)), pieces, digest


def _lap(other: str, scale: float, names: list[str], under: Sequence[str] = ()) -> list[tuple[str, int, float, str]]:
    """Let one revision do a lap; with a `scale` of 0, only tell what works it has."""
    command = [*under, sys.executable, str(_LAP), other, str(scale), *names]
    # One thread: those of libraries would count as time spent.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode:
        raise click.ClickException(run.stderr.strip().splitlines()[-1])
    return [tuple(json.loads(line)) for line in run.stdout.splitlines()]
