"""Let the algorithms of Gem Hunter race on the same boards, check their answers, and draw their times."""

from __future__ import annotations

import csv
import math
import multiprocessing
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np
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
    name_ends,
    paragraph,
    picture,
    shades,
    style_axes,
    table,
)
from minesweeper.scripts.options import PATH, from_decorator, option, theme_option, with_options
from minesweeper.scripts.settings import ConfigError
from minesweeper.scripts.terminal import Command, TableStyle, columns, output_options, print_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

RACERS: Final[dict[str, Algorithm]] = {
    "sat": FIRST["sat"],
    "sat, distributed": partial(sat_solutions, encoding="distributed"),
    **FIRST,
}
_SIDES: Final = (3, 4, 5, 6, 7, 9, 11, 15, 20, 30, 50, 100)
_THIN_SIZES: Final = ("30x30", "50x50", "100x100")
_THIN: Final = [(density, hidden) for density in (0.2, 0.3, 0.4) for hidden in (0.5, 0.7)]
_COLUMNS: Final = columns(
    "size, density: traps per cell, hidden: gems unknown, unique: one solution, algorithm, boards, repeats, "
    "timeout: ended at s, solved, timed_out: timed out, median_ms: median ms, fastest_ms: fastest ms, "
    "slowest_ms: slowest ms"
)
_NUMBERS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("density", "hidden", "timeout", "median_ms", "fastest_ms", "slowest_ms"), float),
    **dict.fromkeys(("boards", "repeats", "solved", "timed_out"), int),
}
_PUBLISHED_SIZES: Final = ("5x5", "9x9", "11x11", "15x15", "20x20")
PUBLISHED: Final = {
    "backtracking": dict(zip(_PUBLISHED_SIZES, (0.0, 0.0068, 0.0554, 1.2528, 3.053), strict=True)),
    "brute-force": dict(zip(_PUBLISHED_SIZES, (0.02, 0.0, 0.06, 1.25, 2.8), strict=True)),
}
"""Seconds that another Gem Hunter program was reported to take, by algorithm and size."""

_INTRODUCTION: Final = """\
Written by `python scripts/dev/compare_algorithms.py --page docs/studies/race`; with `--only-page`,
from `race.csv` without a race. Milliseconds of CPU time from the puzzle to one solution:
{boards} boards of each size, {repeats} repeats each. An algorithm is ended when a board has taken it {timeout:g} s. The
table has its median over all boards, and its fastest and slowest of those that it solved. Every answer was checked
against the clues and, on boards with one solution, against that. In the chart a line ends at a cross where the median
is over {timeout:g} s; the two ways to write clauses for `sat` are too much alike for a line each."""
_BESIDE: Final = """\
Seconds, beside those that another program was reported to take with the same two algorithms, on boards and on a machine
of its own. Its brute force is no slower than its backtracking, so it can't be one that tries every assignment: ours
needs twice as long for every cell more, as the small sizes above show."""
_FEW_CLUES: Final = """\
Few clues that hang together are harder than many: {boards} boards each, timed once, and not only with one
solution."""
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
        "--algorithm",
        "algorithms",
        multiple=True,
        type=click.Choice(list(RACERS)),
        help="Repeatable. [default: all]",
    )
    boards: int = option(type=click.IntRange(min=1), default=5, help="Boards of each size.")
    repeats: int = option(type=click.IntRange(min=1), default=5, help="Times each is solved.")
    density: float = option(type=click.FloatRange(0, 1), default=0.2, help="Traps per cell.")
    hidden: float = option(type=click.FloatRange(0, 1), default=0.5, help="Share of gems unknown.")
    unique: bool = option("--unique/--any", default=True, help="Boards with only one solution, or any.")
    timeout: float = option(type=click.FloatRange(0.1), default=5.0, help="Seconds of processor time for a solution.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Fixes the boards.")
    chart: Path | None = option(type=PATH, metavar="FILE.svg", help="Draw the times; also .png, .pdf.")
    theme: Theme = from_decorator(theme_option)
    save_csv: Path | None = option(type=PATH, metavar="FILE", help="Write the table to a file, too.")
    page: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Race on large boards with few clues, too, and write a page with charts and CSV.",
    )
    only_page: bool = option("--only-page", is_flag=True, help="Race not at all: make the page anew from its CSV.")
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python scripts/dev/compare_algorithms.py --size 20x20 --boards 10 --csv")
@with_options(Options)
def main(options: Options) -> None:
    """Race the algorithms of Gem Hunter for one solution of each board, from the puzzle to its traps.

    Every answer is checked against the clues and, where there is only one, against that. Times are processor times,
    which a busy machine does not lengthen; that of a board is the median of its repeats.
    """
    page = options.page
    if options.only_page:
        if page is None:
            raise ConfigError("expected --page FOLDER, the folder of a race, with --only-page")
        check_chart(page / "race.png")
        write_page(read_rows(page / "race.csv"), page)
        return
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
        draw_chart(rows, options.chart, options.theme)
    if page:
        write_page(rows, page)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the table of a race back from its CSV. Raises `ConfigError`."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [
                {
                    key: None if key.endswith("_ms") and not row[key] else _NUMBERS.get(key, str)(row[key])
                    for key in _COLUMNS
                }
                for row in csv.DictReader(file, restval="")
            ]
        if not rows:
            raise ValueError("it has no row")
        return rows
    except OSError as error:
        raise ConfigError(f"expected the CSV of a race, {error.strerror}: {str(path)!r}") from error
    except KeyError as error:
        raise ConfigError(f"expected the CSV of a race, with a column {error}: {str(path)!r}") from error
    except ValueError as error:
        raise ConfigError(f"expected the CSV of a race, {error}: {str(path)!r}") from error


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
    tried = {"boards": options.boards, "repeats": options.repeats, "timeout": options.timeout}
    return [
        {"size": size_name(*size), **kind, "algorithm": name, **tried, **summary(runs[name])} for name in algorithms
    ]


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


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Return what the table says of an algorithm's runs on the boards of a size."""
    times = [1000 * run.seconds for run in runs if run.seconds is not None]
    # Who was timed out is slower than all others, by nobody knows how much.
    median = statistics.median([*times, *[math.inf] * (len(runs) - len(times))])
    return {
        "solved": len(times),
        "timed_out": len(runs) - len(times),
        "median_ms": round(median, 3) if median < math.inf else None,
        "fastest_ms": round(min(times), 3) if times else None,
        "slowest_ms": round(max(times), 3) if times else None,
    }


def write_page(rows: Sequence[Row], folder: Path) -> None:
    """Write README.md and the chart in light and dark to `folder`. The first kind of boards is the main one."""
    kind = [rows[0][key] for key in _KIND]
    main = [row for row in rows if [row[key] for key in _KIND] == kind]
    for theme in THEMES:
        draw_chart(main, folder / f"race-{theme}.png", theme)
    thin = [row for row in rows if row not in main]
    lines = [
        "# The race of the Gem Hunter algorithms",
        "",
        *paragraph(_INTRODUCTION.format_map(main[0])),
        *picture("race", "Time for a solution against the size of the board, for each algorithm"),
        *table(["size", *_TIMES], [_cells(row, "size") for row in main]),
        "## Beside published times",
        "",
        *paragraph(_BESIDE),
        *table(["size", *(f"{name}, {whose}" for name in PUBLISHED for whose in ("ours", "published"))], _beside(main)),
        "## Large boards with few clues",
        "",
        *paragraph(_FEW_CLUES.format(boards=2 * main[0]["boards"])),
        *table(
            ["size", "traps per cell", "gems unknown", *_TIMES],
            [_cells(row, "size", "density", "hidden") for row in thin],
        ),
    ]
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _cells(row: Row, *keys: str) -> list[str]:
    times = ["" if row[f"{key}_ms"] is None else f"{row[f'{key}_ms']:.1f}" for key in ("median", "fastest", "slowest")]
    median = times[0] or f"over {1000 * row['timeout']:g}"
    return [*(str(row[key]) for key in keys), row["algorithm"], median, *times[1:], str(row["timed_out"] or "")]


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


def draw_chart(rows: Sequence[Row], path: Path, theme: Theme = "light") -> None:
    """Draw medians against cells, both on logarithmic scales; a median over the time limit is a cross, a line's end.

    The two encodings of `sat` would lie over each other: only the first of those that raced is drawn.
    """
    colours = COLOURS[theme]
    sizes = {row["size"]: int(np.prod(parse_size(row["size"]))) for row in rows}
    limit = 1000 * rows[0]["timeout"]
    raced = {row["algorithm"] for row in rows}
    drawn = [name for name in RACERS if name in raced and not (name == "sat, distributed" and "sat" in raced)]
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
        known = [
            (int(np.prod(parse_size(size))), 1000 * seconds)
            for size, seconds in PUBLISHED["backtracking"].items()
            if seconds
        ]
        axes.plot(*zip(*known, strict=True), "P:", color=colours["dim"], markersize=5)
        axes.annotate(
            "backtracking,\nas published",
            known[-2],
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
    """The names of the sizes, by their cells; empty where one would touch the one before on a logarithmic axis."""
    names, last = [], 0.0
    for name, cells in sizes.items():
        names.append(name if cells >= 1.4 * last else "")
        last = cells if names[-1] else last
    return names


if __name__ == "__main__":
    main()
