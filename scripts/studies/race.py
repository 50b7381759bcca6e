"""Let the algorithms of Gem Hunter race on the same boards, check their answers, and draw their times."""

from __future__ import annotations

import csv
import multiprocessing
import os
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from minesweeper.player.board import count_neighbours, parse_size, size_name
from minesweeper.player.gems.generating import generate
from minesweeper.player.gems.puzzle import TRAP, UNKNOWN, GemPuzzle
from minesweeper.player.gems.sat import sat_solutions
from minesweeper.player.gems.solving import FIRST, Algorithm, first_solution
from minesweeper.player.recipe import MAX_SEED
from minesweeper.scripts.charts import (
    COLOURS,
    THEMES,
    Theme,
    check_chart,
    drawing,
    paragraph,
    picture,
    shades,
    style_axes,
    table,
)
from minesweeper.scripts.options import PATH, by, option, takes, theme_option
from minesweeper.scripts.terminal import Command, TableStyle, columns, output_options, print_rows

RACERS: Final[dict[str, Algorithm]] = {
    "sat": FIRST["sat"],
    "sat, distributed": partial(sat_solutions, encoding="distributed"),
    **FIRST,
}
_SIDES: Final = (3, 4, 5, 6, 7, 9, 11, 15, 20, 30, 50, 100)
_THIN_SIZES: Final = ("30x30", "50x50", "100x100")
_THIN: Final = [(density, hidden) for density in (0.2, 0.3, 0.4) for hidden in (0.5, 0.7)]
_COLUMNS: Final = columns(
    "size, density: traps per cell, hidden: gems unknown, unique: one solution, algorithm, boards, solved, "
    "timed_out: timed out, median_ms: median ms, fastest_ms: fastest ms, slowest_ms: slowest ms"
)
_PUBLISHED_SIZES: Final = ("5x5", "9x9", "11x11", "15x15", "20x20")
PUBLISHED: Final = {
    "backtracking": dict(zip(_PUBLISHED_SIZES, (0.0, 0.0068, 0.0554, 1.2528, 3.053), strict=True)),
    "brute-force": dict(zip(_PUBLISHED_SIZES, (0.02, 0.0, 0.06, 1.25, 2.8), strict=True)),
}
"""Seconds that another Gem Hunter program was reported to take, by algorithm and size."""

_MARKERS: Final = {"sat": "o", "sat, distributed": "v", "dpll": "D", "backtracking": "^", "brute-force": "s"}
_INTRODUCTION: Final = """\
Written by `python scripts/compare_algorithms.py --page scripts/race`. Milliseconds of processor time from the puzzle to
one solution: {repeats} repeats on {boards} boards of each size, of which the table has the median, the fastest and the
slowest board. There were {cores} cores, and {load:.0f} processes that wanted one: that makes waiting longer, which does
not count, and processor time a little. Every answer was checked against the clues and, on boards with one solution,
against that. An algorithm is ended when a board has taken it {timeout:g} s of processor time."""
_BESIDE: Final = """\
Seconds, beside those that another program was reported to take with the same two algorithms, on boards and on a machine
of its own. Its brute force is no slower than its backtracking, so it can't be one that tries every assignment: ours
needs twice as long for every cell more, as the small sizes above show."""
_FEW_CLUES: Final = """\
Few clues that hang together are harder than many: {boards} boards each, and not only such with one solution."""
_TIMES: Final = ("algorithm", "median", "fastest", "slowest", "timed out")
_KIND: Final = ("density", "hidden", "unique")
Row = Mapping[str, Any]


class Disagreement(RuntimeError):
    """An answer that does not fit its puzzle, or not the others' answers."""


@dataclass(frozen=True)
class Run:
    """One algorithm on one board: its median processor time in seconds, or None if it was `timed out`."""

    seconds: float | None
    outcome: str
    traps: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Options:
    """The options of the race."""

    sizes: tuple[str, ...] = option(
        "--size", "sizes", multiple=True, metavar="ROWSxCOLS", help="Repeatable. [default: 3x3 to 100x100]"
    )
    algorithms: tuple[str, ...] = option(
        "--algorithm", "algorithms", multiple=True, type=click.Choice(list(RACERS)), help="Repeatable. [default: all]"
    )
    boards: int = option(type=click.IntRange(min=1), default=5, help="Boards of each size.")
    repeats: int = option(type=click.IntRange(min=1), default=5, help="Times each is solved.")
    density: float = option(type=click.FloatRange(0, 1), default=0.2, help="Traps per cell.")
    hidden: float = option(type=click.FloatRange(0, 1), default=0.5, help="Share of gems unknown.")
    unique: bool = option("--unique/--any", default=True, help="Boards with only one solution, or any.")
    timeout: float = option(type=click.FloatRange(0.1), default=5.0, help="Seconds of processor time for a solution.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Fixes the boards.")
    chart: Path | None = option(type=PATH, metavar="FILE.svg", help="Draw the times; also .png, .pdf.")
    theme: Theme = by(theme_option)
    save_csv: Path | None = option(type=PATH, metavar="FILE", help="Write the table to a file, too.")
    page: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Race on large boards with few clues, too, and write a page with charts and CSV.",
    )
    style: TableStyle = by(output_options)


@click.command(cls=Command, epilog="Example: python scripts/compare_algorithms.py --size 20x20 --boards 10 --csv")
@takes(Options)
def main(options: Options) -> None:
    """Race the algorithms of Gem Hunter for one solution of each board, from the puzzle to its traps.

    Every answer is checked against the clues and, where there is only one, against that. Times are processor times,
    which a busy machine does not lengthen; that of a board is the median of its repeats.
    """
    page = options.page
    if page:
        page.mkdir(parents=True, exist_ok=True)
    for path in filter(None, [options.chart, page and page / "race.png"]):
        check_chart(path)
    wanted = [parse_size(size) for size in options.sizes] or [(side, side) for side in _SIDES]
    chosen = [name for name in RACERS if name in (options.algorithms or RACERS)]
    rows = [row for size in wanted for row in race(size, chosen, options)]
    if page:
        fewer = [name for name in chosen if name in ("sat", "dpll")]
        thin = [
            replace(options, density=density, hidden=hidden, unique=False, boards=2 * options.boards, repeats=1)
            for density, hidden in _THIN
        ]
        large = [parse_size(size) for size in _THIN_SIZES]
        rows += [row for size in large for settings in thin for row in race(size, fewer, settings)]
    print_rows(rows, _COLUMNS, options.style)
    for path in filter(None, [options.save_csv, page and page / "race.csv"]):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(_COLUMNS), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if options.chart:
        draw_chart(rows, options.timeout, options.chart, options.theme)
    if page:
        busy = os.getloadavg()[0]
        write_page(rows, page, boards=options.boards, repeats=options.repeats, timeout=options.timeout, load=busy)


def race(size: tuple[int, int], algorithms: Sequence[str], options: Options) -> list[dict[str, Any]]:
    """Run all algorithms on the boards of one size, and give a row of the table for each. Raises `Disagreement`."""
    rows, cols = size
    traps = round(rows * cols * options.density)
    gems = round((rows * cols - traps) * options.hidden)
    runs: dict[str, list[Run]] = {name: [] for name in algorithms}
    for board in tqdm(range(options.boards), desc=size_name(rows, cols), unit=" boards", disable=None, leave=False):
        puzzle, truth = generate(rows, cols, traps, options.seed + board, gems=gems, unique=options.unique)
        for name in algorithms:
            run = time_limited(name, puzzle, options.repeats, options.timeout)
            runs[name].append(run)
            if run.traps is not None:
                check_answer(name, puzzle, run.traps, truth if options.unique else None)
    kind = {"density": options.density, "hidden": options.hidden, "unique": "yes" if options.unique else "any"}
    return [{"size": size_name(*size), **kind, "algorithm": name, **_times(runs[name])} for name in algorithms]


def time_limited(name: str, puzzle: GemPuzzle, repeats: int, timeout: float) -> Run:
    """Run an algorithm in a process of its own, which is ended if a solution takes it more processor time than that."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_solve, args=(sender, name, puzzle, repeats, timeout), daemon=True)
    process.start()
    sender.close()
    seconds: list[float] = []
    traps = None
    try:
        for _ in range(repeats):
            took, traps = receiver.recv()
            seconds.append(took)
    except EOFError:
        # Nobody but the timer ends the process before it has answered.
        process.join()
        if process.exitcode != -signal.SIGPROF:
            raise ChildProcessError(f"{name} ended with status {process.exitcode}") from None
    finally:
        receiver.close()
        process.terminate()
        process.join()
    return Run(statistics.median(seconds), "solved", traps) if len(seconds) == repeats else Run(None, "timed out")


def _solve(sender: Connection, name: str, puzzle: GemPuzzle, repeats: int, timeout: float) -> None:
    for _ in range(repeats):
        # The timer counts processor time, as the race does: a busy machine makes nobody late. It ends the process, and
        # makes Linux count the time of processes, but not that of threads, in whole ticks.
        signal.setitimer(signal.ITIMER_PROF, timeout)
        began = time.thread_time()
        traps = first_solution(puzzle, RACERS[name])
        sender.send((time.thread_time() - began, traps))


def check_answer(name: str, puzzle: GemPuzzle, traps: NDArray[np.bool_], only: NDArray[np.bool_] | None = None) -> None:
    """Raise `Disagreement` unless the traps fit all clues and, if there is only one solution, are those."""
    shown = puzzle.cells >= 0
    fits = np.array_equal(count_neighbours(traps)[shown], puzzle.cells[shown])
    given = puzzle.cells != UNKNOWN
    if not fits or not np.array_equal(traps[given], puzzle.cells[given] == TRAP):
        raise Disagreement(f"the answer of {name} does not fit the clues")
    if only is not None and not np.array_equal(traps, only):
        raise Disagreement(f"the answer of {name} is not the only solution")


def _times(runs: Sequence[Run]) -> dict[str, Any]:
    times = [1000 * run.seconds for run in runs if run.seconds is not None]
    outcomes = [run.outcome for run in runs]
    return {
        "boards": len(runs),
        "solved": outcomes.count("solved"),
        "timed_out": outcomes.count("timed out"),
        "median_ms": round(statistics.median(times), 3) if times else None,
        "fastest_ms": round(min(times), 3) if times else None,
        "slowest_ms": round(max(times), 3) if times else None,
    }


def write_page(rows: Sequence[Row], folder: Path, *, boards: int, repeats: int, timeout: float, load: float) -> None:
    """Write README.md and the chart in light and dark to `folder`. The first kind of boards is the main one.

    `load` is how many processes wanted a core at a time.
    """
    kind = [rows[0][key] for key in _KIND]
    main = [row for row in rows if [row[key] for key in _KIND] == kind]
    for theme in THEMES:
        draw_chart(main, timeout, folder / f"race-{theme}.png", theme)
    thin = [row for row in rows if row not in main]
    lines = [
        "# The race of the Gem Hunter algorithms",
        "",
        *paragraph(
            _INTRODUCTION.format(boards=boards, repeats=repeats, timeout=timeout, load=load, cores=os.cpu_count())
        ),
        *picture("race", "Time for a solution against the size of the board, for each algorithm"),
        *table(["size", *_TIMES], [_cells(row, "size") for row in main]),
        "## Beside published times",
        "",
        *paragraph(_BESIDE),
        *table(["size", *(f"{name}, {whose}" for name in PUBLISHED for whose in ("ours", "published"))], _beside(main)),
        "## Large boards with few clues",
        "",
        *paragraph(_FEW_CLUES.format(boards=2 * boards)),
        *table(
            ["size", "traps per cell", "gems unknown", *_TIMES],
            [_cells(row, "size", "density", "hidden") for row in thin],
        ),
    ]
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _cells(row: Row, *keys: str) -> list[str]:
    times = ["" if row[f"{key}_ms"] is None else f"{row[f'{key}_ms']:.1f}" for key in ("median", "fastest", "slowest")]
    return [*(str(row[key]) for key in keys), row["algorithm"], *times, str(row["timed_out"] or "")]


def _beside(rows: Sequence[Row]) -> list[list[str]]:
    """The sizes whose times were published: for each algorithm our seconds, and those."""
    ours = {(row["size"], row["algorithm"]): row for row in rows}
    return [
        [
            size,
            *(
                cell
                for name, known in PUBLISHED.items()
                for cell in (_seconds(ours.get((size, name))), f"{known[size]:g}")
            ),
        ]
        for size in _PUBLISHED_SIZES
        if any((size, name) in ours for name in PUBLISHED)
    ]


def _seconds(row: Row | None) -> str:
    """A median in seconds, and how many boards were timed out."""
    if row is None:
        return ""
    late = f"{row['timed_out']} of {row['boards']} timed out" if row["timed_out"] else ""
    median = "" if row["median_ms"] is None else f"{row['median_ms'] / 1000:.4f}"
    return ", ".join(filter(None, [median, late]))


def draw_chart(rows: Sequence[Row], timeout: float, path: Path, theme: Theme = "light") -> None:
    """Draw medians against cells, both on logarithmic scales, with the range over boards; time-outs are crosses."""
    colours = COLOURS[theme]
    with drawing(path, theme, "race", (8.4, 4.4)) as figure:
        axes = figure.subplots()
        sizes = {row["size"]: int(np.prod(parse_size(row["size"]))) for row in rows}
        for (name, marker), colour in zip(_MARKERS.items(), shades(len(_MARKERS), theme), strict=True):
            mine = [row for row in rows if row["algorithm"] == name]
            timed = [row for row in mine if row["median_ms"] is not None]
            cells = [sizes[row["size"]] for row in timed]
            medians = np.array([row["median_ms"] for row in timed])
            reach = np.array(
                [[row["median_ms"] - row["fastest_ms"], row["slowest_ms"] - row["median_ms"]] for row in timed]
            )
            if timed:
                axes.errorbar(
                    cells, medians, yerr=reach.T, fmt=f"{marker}-", color=colour, label=name, capsize=2, markersize=4
                )
            late = [sizes[row["size"]] for row in mine if row["timed_out"]]
            axes.plot(late, [1000 * timeout] * len(late), "x", color=colour, markersize=7)
        known = [
            (int(np.prod(parse_size(size))), 1000 * seconds)
            for size, seconds in PUBLISHED["backtracking"].items()
            if seconds
        ]
        axes.plot(
            *zip(*known, strict=True), "P:", color=colours["dim"], markersize=5, label="backtracking, as published"
        )
        if any(row["timed_out"] for row in rows):
            axes.axhline(1000 * timeout, color=colours["dim"], linewidth=0.8)
            note = f"{timeout:g} s: time-outs are crosses"
            place = (0.01, 1000 * timeout)
            axes.annotate(note, place, xycoords=("axes fraction", "data"), color=colours["dim"], va="bottom")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(list(sizes.values()), list(sizes), rotation=30)
        axes.set_xticks([], minor=True)
        axes.set_title("Gem Hunter: processor time for a solution", loc="left")
        axes.set_ylabel("milliseconds (log scale): median, fastest and slowest board")
        axes.set_xlabel("size of the board, by cells (log scale)")
        style_axes(axes, theme)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8, labelcolor=colours["ink"])
