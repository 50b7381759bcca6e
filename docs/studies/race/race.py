"""CPU times of the Gem Hunter algorithms on the same boards, with their answers checked."""

from __future__ import annotations

import math
import multiprocessing
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np
from tqdm import tqdm

from minesweeper.player.core.grid import Grid, grid_of
from minesweeper.player.core.recipe import MAX_SEED
from minesweeper.player.gems.algorithms import sat_solutions
from minesweeper.player.gems.generating import generate
from minesweeper.player.gems.puzzle import TRAP, UNKNOWN_CELL, GemPuzzle
from minesweeper.player.gems.solving import ALGORITHMS as SOLVERS, Algorithm, solutions as all_solutions
from minesweeper.player.parallel.processes import start_method
from minesweeper.scripts.console.charts import (
    COLOURS,
    THEMES,
    Theme,
    check_chart,
    drawing,
    name_ends,
    shades,
    style_axes,
)
from minesweeper.scripts.console.options import PATH, from_decorator, option, theme_option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALGORITHMS: Final[dict[str, Algorithm]] = {
    "sat": SOLVERS["sat"],
    "sat, distributed": partial(sat_solutions, encoding="distributed"),
    **SOLVERS,
}
_SIDES: Final = (3, 4, 5, 6, 7, 9, 11, 15, 20, 30, 50, 100)
_FEW_CLUES_SIZES: Final = ((30, 30), (50, 50), (100, 100))
_FEW_CLUES: Final = [(density, hidden) for density in (0.2, 0.3, 0.4) for hidden in (0.5, 0.7)]
_COLUMNS: Final = columns(
    "size, density: traps per cell, hidden: gems unknown, unique: one solution, algorithm, boards, repeats, "
    "timeout: ended at s, solved, timed_out: timed out, median_ms: median ms, fastest_ms: fastest ms, "
    "slowest_ms: slowest ms"
)
_PUBLISHED: Final = [(9 * 9, 6.8), (11 * 11, 55.4), (15 * 15, 1252.8), (20 * 20, 3053)]
"""Cells, and reported milliseconds of backtracking in another Gem Hunter program."""

Row = Mapping[str, Any]


class Disagreement(RuntimeError):
    """An answer that contradicts the puzzle or its only solution."""


@dataclass(frozen=True)
class Run:
    """One algorithm on one board: its median CPU time in seconds, or None after a timeout."""

    seconds: float | None
    traps: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Options:
    """The options of the comparison."""

    sizes: tuple[str, ...] = option(
        "--size", "sizes", multiple=True, metavar="ROWSxCOLS", help="Repeatable. [default: 3x3 to 100x100]"
    )
    algorithms: tuple[str, ...] = option(
        "--algorithm",
        "algorithms",
        multiple=True,
        type=click.Choice(list(ALGORITHMS)),
        help="Repeatable. [default: all]",
    )
    boards: int = option(type=click.IntRange(min=1), default=5, help="Boards of each size.")
    repeats: int = option(type=click.IntRange(min=1), default=5, help="Runs on each board.")
    density: float = option(type=click.FloatRange(0, 1), default=0.2, help="Traps per cell.")
    hidden: float = option(type=click.FloatRange(0, 1), default=0.5, help="Share of gems unknown.")
    unique: bool = option("--unique/--any", default=True, help="Boards with only one solution, or any.")
    timeout: float = option(type=click.FloatRange(0.1), default=5.0, help="CPU seconds for a solution.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Seed of the boards.")
    chart: Path | None = option(type=PATH, metavar="FILE.svg", help="Draw the times; also .png, .pdf.")
    theme: Theme = from_decorator(theme_option)
    study: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Also run large boards with few clues, and write race.csv and the charts to a folder.",
    )
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/race/race.py --size 20x20 --boards 10 --csv")
@with_options(Options)
def main(options: Options) -> None:
    """Compare the algorithms of Gem Hunter: CPU time from a puzzle to its first solution.

    Every answer is checked against the clues and, if there is only one solution, against that. The time of a board is
    the median of its repeats.
    """
    study = options.study
    if study:
        study.mkdir(parents=True, exist_ok=True)
    for path in filter(None, [options.chart, study and study / "race.png"]):
        check_chart(path)
    sizes = [Grid.named(size).shape for size in options.sizes] or [(side, side) for side in _SIDES]
    algorithms = [name for name in ALGORITHMS if name in (options.algorithms or ALGORITHMS)]
    rows = [row for size in sizes for row in race(size, algorithms, options)]
    if options.chart:
        draw_chart(rows, options.chart, options.theme)
    if study:
        for theme in THEMES:
            draw_chart(rows, study / f"race-{theme}.png", theme)
        rows += _race_with_few_clues(options)
        with (study / "race.csv").open("w", encoding="utf-8", newline="") as file, redirect_stdout(file):
            print_rows(rows, _COLUMNS, "csv")
    print_rows(rows, _COLUMNS, options.style)


def _race_with_few_clues(options: Options) -> list[dict[str, Any]]:
    kinds = [
        replace(options, density=density, hidden=hidden, unique=False, boards=2 * options.boards, repeats=1)
        for density, hidden in _FEW_CLUES
    ]
    return [row for size in _FEW_CLUES_SIZES for kind in kinds for row in race(size, ("sat", "dpll"), kind)]


def race(size: tuple[int, int], algorithms: Sequence[str], options: Options) -> list[dict[str, Any]]:
    """Run all algorithms on boards of one size and return a row of the table for each. Raises `Disagreement`."""
    rows, cols = size
    traps = round(rows * cols * options.density)
    gems = round((rows * cols - traps) * options.hidden)
    runs: dict[str, list[Run]] = {name: [] for name in algorithms}
    for board in tqdm(range(options.boards), desc=f"{rows}x{cols}", unit=" boards", disable=None, leave=False):
        puzzle, truth = generate(Grid(rows, cols), traps, options.seed + board, gems=gems, unique=options.unique)
        for name in algorithms:
            run = time_limited(name, puzzle, options.repeats, options.timeout)
            runs[name].append(run)
            if run.traps is not None:
                check_answer(name, puzzle, run.traps, truth if options.unique else None)
    kind = {"density": options.density, "hidden": options.hidden, "unique": "yes" if options.unique else "any"}
    tried = {"boards": options.boards, "repeats": options.repeats, "timeout": options.timeout}
    return [
        {"size": "{}x{}".format(*size), **kind, "algorithm": name, **tried, **summary(runs[name])}
        for name in algorithms
    ]


def time_limited(name: str, puzzle: GemPuzzle, repeats: int, timeout: float) -> Run:
    """Run an algorithm in a child process, which ends when a solution takes more CPU seconds than `timeout`."""
    context: Any = multiprocessing.get_context(start_method())
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_solve, args=(sender, name, puzzle, repeats, timeout), daemon=True)
    process.start()
    sender.close()
    seconds: list[float] = []
    traps = None
    try:
        for _ in range(repeats):
            took, traps = receiver.recv()
            seconds.append(took)
    except EOFError:
        # Without an answer, only the timer may have ended the process.
        process.join()
        if process.exitcode != -signal.SIGPROF:
            raise ChildProcessError(f"{name} ended with status {process.exitcode}") from None
    finally:
        receiver.close()
        process.terminate()
        process.join()
    return Run(statistics.median(seconds), traps) if len(seconds) == repeats else Run(None)


def _solve(sender: Connection, name: str, puzzle: GemPuzzle, repeats: int, timeout: float) -> None:
    for _ in range(repeats):
        # The timer counts CPU time and ends the process. While it runs, Linux counts the CPU time of processes, but not
        # that of threads, in whole ticks.
        signal.setitimer(signal.ITIMER_PROF, timeout)
        began = time.thread_time()
        traps = next(all_solutions(puzzle, ALGORITHMS[name]), None)
        sender.send((time.thread_time() - began, traps))


def check_answer(name: str, puzzle: GemPuzzle, traps: NDArray[np.bool_], only: NDArray[np.bool_] | None = None) -> None:
    """Raise `Disagreement` unless the traps fit all clues and, if there is only one solution, are those."""
    shown = puzzle.cells >= 0
    fits = np.array_equal(grid_of(traps.shape).count(traps)[shown], puzzle.cells[shown])
    given = puzzle.cells != UNKNOWN_CELL
    if not fits or not np.array_equal(traps[given], puzzle.cells[given] == TRAP):
        raise Disagreement(f"the answer of {name} does not fit the clues")
    if only is not None and not np.array_equal(traps, only):
        raise Disagreement(f"the answer of {name} is not the only solution")


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the columns of the table for the runs of an algorithm on boards of one size."""
    times = [1000 * run.seconds for run in runs if run.seconds is not None]
    # A timed-out run counts as slower than all others.
    median = statistics.median([*times, *[math.inf] * (len(runs) - len(times))])
    return {
        "solved": len(times),
        "timed_out": len(runs) - len(times),
        "median_ms": round(median, 3) if median < math.inf else None,
        "fastest_ms": round(min(times), 3) if times else None,
        "slowest_ms": round(max(times), 3) if times else None,
    }


def draw_chart(rows: Sequence[Row], path: Path, theme: Theme = "light") -> None:
    """Draw medians against cells, both on logarithmic scales; a median over the time limit is a cross.

    `sat, distributed` is drawn only without `sat`, because their lines would overlap.
    """
    colours = COLOURS[theme]
    sizes = {row["size"]: Grid.named(row["size"]).cells for row in rows}
    limit = 1000 * rows[0]["timeout"]
    raced = {row["algorithm"] for row in rows}
    drawn = [name for name in ALGORITHMS if name in raced and not (name == "sat, distributed" and "sat" in raced)]
    with drawing(path, theme, "race", (8, 4.2)) as figure:
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = [(f"ended at {limit / 1000:g} s", colours["dim"], limit)]
        for name, colour in zip(drawn, shades(len(drawn), theme), strict=True):
            medians = {sizes[row["size"]]: row["median_ms"] for row in rows if row["algorithm"] == name}
            timed = [(cells, median) for cells, median in medians.items() if median]
            late = [
                (cells, limit) for cells, median in medians.items() if not median and cells > max([0, *dict(timed)])
            ][:1]
            axes.plot(*zip(*timed, *late, strict=True), "-", color=colour)
            if timed:
                axes.plot(*zip(*timed, strict=True), "o", color=colour, markersize=4)
            if late:
                axes.plot(*late[0], "X", color=colour, markersize=9)
                axes.annotate(name, late[0], xytext=(0, 7), textcoords="offset points", color=colour, ha="center")
            else:
                ends.append((name, colour, timed[-1][1]))
        axes.plot(*zip(*_PUBLISHED, strict=True), "P:", color=colours["dim"], markersize=5)
        axes.annotate(
            "backtracking,\nas published",
            _PUBLISHED[-2],
            xytext=(-8, 0),
            textcoords="offset points",
            color=colours["dim"],
            ha="right",
        )
        axes.set_ylim(top=3 * limit)
        axes.axhline(limit, color=colours["dim"], linestyle="--", linewidth=1, zorder=1)
        axes.set_title("Gem Hunter: processor time for a solution", loc="left")
        axes.set_xlabel("size of the board")
        axes.set_xticks(list(sizes.values()), _apart(sizes))
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} ms" if value < 1000 else f"{value / 1000:g} s")
        style_axes(axes, theme)
        name_ends(axes, ends)


def _apart(sizes: Mapping[str, int]) -> list[str]:
    """Return labels for sizes on a logarithmic axis, empty where a label would touch the one before."""
    names, last = [], 0.0
    for name, cells in sizes.items():
        names.append(name if cells >= 1.4 * last else "")
        last = cells if names[-1] else last
    return names


if __name__ == "__main__":
    main()
