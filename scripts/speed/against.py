"""Race this toolkit against another revision of itself, built beside it: ratios, and whether both keep the same."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

# Run by each revision in turn, so it asks only for what all of them have.
_WORKER = """
import hashlib, json, sys, time
other = sys.argv[1]
if other:
    # An editable installation of this revision would come first.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, other)
from minesweeper.player import native
from minesweeper.player.recipe import Recipe
from minesweeper.generator.screening import screen_range
from minesweeper.generator.certify import certify
from minesweeper.generator.repair import repair_range
if other and not native.__file__.startswith(other):
    sys.exit(f"expected the other revision in {other}: {native.__file__}")
scale = float(sys.argv[2])

def digest(kept):
    lines = [f"{k.index} {k.puzzle.id} {tuple(k.screening.tally)} {k.screening.clues_at_once}" for k in kept]
    return hashlib.sha256("\\n".join(lines).encode()).hexdigest()[:12]

def row(name, work, pieces):
    began = time.process_time()
    kept = list(work())
    spent = time.process_time() - began
    print(json.dumps([name, spent / (pieces or max(1, len(kept))), digest(kept)]), flush=True)
    return kept

def certified(kept):
    for one in kept:
        certify(one)
    return kept

for size, unit in [((16, 30, 99), 4000), ((30, 50, 300), 1500), ((16, 16, 40), 4000), ((9, 9, 10), 6000)]:
    recipe, count = Recipe(*size, (size[0] // 2, size[1] // 2), "opening", 1), max(1, int(unit * scale))
    kept = row(f"candidate {recipe.name}", lambda: screen_range(recipe, 0, count, "native"), count)
    if size[2] == 99:
        steps = sum(len(one.screening.hard_steps) for one in kept)
        certified(kept[:50])  # loads the solver
        row("certifying, a hard step", lambda: certified(kept), max(1, steps))
recipe, count = Recipe(16, 30, 170, (8, 15), "opening", 1), max(1, int(20 * scale))
row(f"repair, a board of {recipe.name}", lambda: repair_range(recipe, 0, count, "native"), count)
"""


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


def _times(other: str, scale: float) -> dict[str, tuple[float, str]]:
    """The seconds of CPU time that each work takes, and a digest of what came out."""
    command = [sys.executable, "-c", _WORKER, other, str(scale)]
    # One thread: those of libraries would count as time spent.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode:
        raise click.ClickException(run.stderr.strip().splitlines()[-1])
    return {name: (seconds, digest) for name, seconds, digest in map(json.loads, run.stdout.splitlines())}


def ratios(revision: str, rounds: int, scale: float = 1.0) -> Iterator[dict[str, object]]:
    """Let the two revisions work in turn, and say how many times as fast this one is: median, least and most."""
    with _built(revision) as other:
        pairs = [(_times(other, scale), _times("", scale)) for _ in range(rounds)]
    for work in pairs[0][0]:
        quotients = [theirs[work][0] / ours[work][0] for theirs, ours in pairs]
        kept = {side[work][1] for pair in pairs for side in pair}
        yield {
            "work": work,
            "before": 1e6 * statistics.median(theirs[work][0] for theirs, _ in pairs),
            "now": 1e6 * statistics.median(ours[work][0] for _, ours in pairs),
            "ratio": statistics.median(quotients),
            "least": min(quotients),
            "most": max(quotients),
            "kept": kept.pop() if len(kept) == 1 else "NOT THE SAME",
        }
