"""Measure the speeds that README and the guides quote, and write them into the pages.

A page has a figure as ``<!--=NAME-->VALUE<!--/-->``. The figures come from `bench.py`, in CPU time of one core, and are
rounded so that another run on the same machine gives the same value. Figures of several pages are written together, so
they agree, and figures that follow from others are computed from the rounded ones.
"""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.bench import benchmarks, measure

_ROOT: Final = Path(__file__).resolve().parents[2]
_FIGURE: Final = re.compile(r"<!--=([^>]+)-->(.*?)<!--/-->")
_SIZES: Final = ("16x16/40", "16x30/99", "30x50/300")
_STORED: Final = "16x30/99, rows stored"
# The CPU time of a piece of these benchmarks, in the unit of this number of microseconds.
_TIMES: Final = {f"µs {size}": (f"{size}, certified and stored: 1 worker", 1.0) for size in _SIZES} | {
    "ms_toollib ms": ("solvable puzzle 16x30/99: ms_toollib, laymine_solvable", 1e3),
    "sgt-mines ms": ("solvable puzzle 16x30/99: sgt-mines", 1e3),
    "path ms": ("16x30/99, a solution path and its measures: native", 1e3),
    "game ms": ("16x30/99, a game of champion: native", 1e3),
}
# The number of pieces a second of these.
_RATES: Final = {
    "positions": "16x30/99, a position with its probabilities, every move: native",
    "guesses": "16x30/99, a position with its probabilities, guess: native",
}
# The ratio of the times of two of these.
_RATIOS: Final = {
    "sat": ("solvable puzzle 16x30/99: sat", "solvable puzzle 16x30/99: native"),
    "workers SQLite": (_TIMES["µs 16x30/99"][0], f"{_STORED}: SQLite"),
    "workers Parquet": (_TIMES["µs 16x30/99"][0], f"{_STORED}: Parquet"),
}


def coarse(value: float) -> float:
    """Round to one digit, or to 1, 1.5, 2 or 2.5 of the power of ten: at most 13% away."""
    power: float = 10 ** math.floor(math.log10(value))
    step = power / 2 if value < 2.75 * power else power
    return round(value / step) * step


def text(value: float) -> str:
    """Return two digits of a number, without an exponent."""
    number = float(f"{value:.2g}")
    return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def measured(seconds: float, scale: float) -> dict[str, float]:
    """Run the benchmarks and return the rounded figures by name."""
    wanted = {name for name, _ in _TIMES.values()}.union(_RATES.values(), *_RATIOS.values())
    with tempfile.TemporaryDirectory() as folder:
        chosen = [benchmark for benchmark in benchmarks(Path(folder)) if benchmark.name in wanted]
        if missing := wanted - {benchmark.name for benchmark in chosen}:
            raise click.ClickException(f"not installed: {', '.join(sorted(missing))}; see docs/contributing.md")
        each: dict[str, Any] = {}
        for benchmark, row in zip(chosen, measure(chosen, seconds, scale), strict=True):
            each[benchmark.name] = row["each"]
            click.echo(f"{row['each']:12.1f} µs  {benchmark.name}")
    found = {name: coarse(each[benchmark] / unit) for name, (benchmark, unit) in _TIMES.items()}
    found |= {name: coarse(1e6 / each[benchmark]) for name, benchmark in _RATES.items()}
    return found | {name: coarse(each[first] / each[second]) for name, (first, second) in _RATIOS.items()}


def derived(found: Mapping[str, float]) -> dict[str, float]:
    """Return the figures that follow from others."""
    hours = found["µs 16x30/99"] * 1e3 / 3600
    return {
        "ms 16x30/99": found["µs 16x30/99"] / 1e3,
        **{f"million an hour {size}": 3600 / found[f"µs {size}"] for size in _SIZES},
        **{f"hours with {cores} cores": hours / cores for cores in (1, 20, 1000)},
    }


def build_minutes() -> float:
    """Return the CPU minutes in which pip compiles a wheel of the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, str(_ROOT)]
        command = [sys.executable, "-m", "pip", "wheel", *options]
        subprocess.run(command, check=True, env=os.environ | {"CCACHE_DISABLE": "1"})
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return coarse(spent / 60)


def machine() -> str:
    """Return the processor, the system and the version of Python."""
    described = Path("/proc/cpuinfo").read_text(encoding="utf-8") if sys.platform == "linux" else ""
    model = re.search(r"(?m)^model name\s*: (.+)$", described)
    processor = model[1] if model else platform.processor()
    python = ".".join(platform.python_version_tuple()[:2])
    return f"{re.sub(r'[(](?:R|TM)[)]', '', processor)}, {platform.system()}, Python {python}"


def write(folder: Path, values: Mapping[str, str]) -> list[str]:
    """Write values into README.md and docs of a folder. Return a line for each figure that changes."""
    changes = []
    for page in [folder / "README.md", *sorted((folder / "docs").rglob("*.md"))]:
        old = page.read_text(encoding="utf-8")
        new = _FIGURE.sub(lambda found: f"<!--={found[1]}-->{values.get(found[1], found[2])}<!--/-->", old)
        for (name, before), (_, after) in zip(_FIGURE.findall(old), _FIGURE.findall(new), strict=True):
            if before != after:
                changes.append(f"{page.relative_to(folder)}: {name}: {before} -> {after}")
        if new != old:
            page.write_text(new, encoding="utf-8")
    return changes


@click.command(cls=Command, epilog="Example: python scripts/dev/figures.py --seconds 30")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True), default=_ROOT)
@click.option("--seconds", default=10.0, show_default=True, help="Shortest CPU time of each benchmark.")
@click.option("--scale", default=1.0, show_default=True, help="Size of the portions of work.")
@click.option("--build/--no-build", default=True, show_default=True, help="Measure the installation, too.")
def main(folder: Path, seconds: float, scale: float, *, build: bool) -> None:
    """Measure the figures of README.md and docs in FOLDER, this checkout by default, and write them there."""
    found = measured(seconds, scale)
    found |= derived(found) | ({"build minutes": build_minutes()} if build else {})
    changes = write(folder, {name: text(value) for name, value in found.items()} | {"machine": machine()})
    click.echo("\n".join(changes) or "no figure changes")


if __name__ == "__main__":
    main()
