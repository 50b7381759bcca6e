"""Let the algorithms of Gem Hunter race on the same boards, and check their answers against each other."""

from __future__ import annotations

import csv
import multiprocessing
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from leaderboard_chart import COLOURS, Theme, check_chart
from numpy.typing import NDArray
from tqdm import tqdm

from generator.sampling import MAX_SEED
from player.board import BoardError, count_neighbours, parse_size, size_name
from player.gems.generating import generate
from player.gems.puzzle import TRAP, UNKNOWN, GemError, GemPuzzle
from player.gems.sat import sat_solutions
from player.gems.solving import FIRST, Algorithm, first_solution
from player.terminal import Command, output_options, print_rows

RACERS: Final[dict[str, Algorithm]] = FIRST | {"sat, distributed": partial(sat_solutions, encoding="distributed")}
_ORDER: Final = ("sat", "sat, distributed", "dpll", "backtracking", "brute-force")
PUBLISHED: Final = {5: 0.0, 9: 0.0068, 11: 0.0554, 15: 1.2528, 20: 3.053}
"""Seconds that another Gem Hunter program's backtracking was reported to take, by the side of the board."""

_DEFAULT_SIZES: Final = ("5x5", "9x9", "11x11", "15x15", "20x20", "30x30", "50x50", "100x100")
_UNIQUE_CELLS: Final = 2500
_COLUMNS: Final = {
    "size": "size",
    "algorithm": "algorithm",
    "boards": "boards",
    "solved": "solved",
    "timed_out": "timed out",
    "refused": "refused",
    "median_ms": "median ms",
    "fastest_ms": "fastest ms",
    "slowest_ms": "slowest ms",
}


class Disagreement(RuntimeError):
    """An answer that does not fit its puzzle, or not the others' answers."""


@dataclass(frozen=True)
class Run:
    """One algorithm on one board: its median processor time in seconds, or None if it was `timed out` or `refused`."""

    seconds: float | None
    outcome: str
    traps: NDArray[np.bool_] | None = None


@click.command(cls=Command, epilog="Example: python scripts/compare_algorithms.py --size 20x20 --boards 10 --csv")
@click.option("--size", "sizes", multiple=True, metavar="ROWSxCOLS", help="Repeatable. [default: 5x5 to 100x100]")
@click.option("--algorithm", "algorithms", multiple=True, type=click.Choice(_ORDER), help="Repeatable. [default: all]")
@click.option("--boards", type=click.IntRange(min=1), default=5, show_default=True, help="Boards of each size.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Times each is solved.")
@click.option("--density", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Traps per cell.")
@click.option("--timeout", type=click.FloatRange(0.1), default=5.0, show_default=True, help="Seconds for a solution.")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), default=0, show_default=True, help="Fixes the boards.")
@click.option("--chart", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw the times; also .png, .pdf.")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Of the chart.")
@click.option("--save-csv", type=click.Path(path_type=Path), metavar="FILE", help="Write the table to a file, too.")
@output_options
def main(sizes: Sequence[str], algorithms: Sequence[str], chart: Path | None, **options: Any) -> None:
    """Race the algorithms of Gem Hunter for one solution of each board, from the puzzle to its traps.

    Half of the gems are unknown beside the traps; up to 2500 cells, boards have only one solution. Every answer is
    checked against the clues and, where there is only one, against that. Times are processor times, which
    a busy machine does not lengthen; that of a board is the median of its repeats.
    """
    if chart:
        check_chart(chart)
    wanted = [parse_size(size) for size in sizes or _DEFAULT_SIZES]
    if not all(0 <= round(rows * cols * options["density"]) <= rows * cols for rows, cols in wanted):
        raise BoardError(f"expected a density from 0 to 1: {options['density']}")
    rows = [
        row
        for size in wanted
        for row in race(size, [name for name in _ORDER if name in (algorithms or _ORDER)], options)
    ]
    print_rows(rows, _COLUMNS, options["style"])
    if options["save_csv"]:
        with options["save_csv"].open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(_COLUMNS), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if chart:
        draw_chart(rows, options["timeout"], chart, options["theme"])


def race(size: tuple[int, int], algorithms: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run all algorithms on the boards of one size, and give a row of the table for each. Raises `Disagreement`."""
    rows, cols = size
    unique = rows * cols <= _UNIQUE_CELLS
    runs: dict[str, list[Run]] = {name: [] for name in algorithms}
    for board in tqdm(range(options["boards"]), desc=size_name(rows, cols), unit=" boards", disable=None, leave=False):
        traps = round(rows * cols * options["density"])
        puzzle, truth = generate(rows, cols, traps, options["seed"] + board, unique=unique)
        for name in algorithms:
            run = time_limited(name, puzzle, options["repeats"], options["timeout"])
            runs[name].append(run)
            if run.traps is not None:
                check_answer(name, puzzle, run.traps, truth if unique else None)
    return [_row(size, name, runs[name]) for name in algorithms]


def time_limited(name: str, puzzle: GemPuzzle, repeats: int, timeout: float) -> Run:
    """Run an algorithm in a process of its own, which is ended if it takes longer than `timeout` seconds a solution."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_solve, args=(sender, name, puzzle, repeats), daemon=True)
    process.start()
    sender.close()
    seconds: list[float] = []
    traps = None
    try:
        # The process says when it is ready, so that starting it does not count.
        receiver.recv()
        for _ in range(repeats):
            if not receiver.poll(timeout):
                break
            answer = receiver.recv()
            if isinstance(answer, str):
                return Run(None, answer)
            took, traps = answer
            seconds.append(took)
    finally:
        process.terminate()
        process.join()
    return Run(statistics.median(seconds), "solved", traps) if len(seconds) == repeats else Run(None, "timed out")


def _solve(sender: Connection, name: str, puzzle: GemPuzzle, repeats: int) -> None:
    sender.send("ready")
    for _ in range(repeats):
        began = time.process_time()
        try:
            traps = first_solution(puzzle, RACERS[name])
        except GemError:
            sender.send("refused")
            return
        sender.send((time.process_time() - began, traps))


def check_answer(name: str, puzzle: GemPuzzle, traps: NDArray[np.bool_], only: NDArray[np.bool_] | None = None) -> None:
    """Raise `Disagreement` unless the traps fit all clues and, if there is only one solution, are those."""
    shown = puzzle.cells >= 0
    fits = np.array_equal(count_neighbours(traps)[shown], puzzle.cells[shown])
    given = puzzle.cells != UNKNOWN
    if not fits or not np.array_equal(traps[given], puzzle.cells[given] == TRAP):
        raise Disagreement(f"the answer of {name} does not fit the clues")
    if only is not None and not np.array_equal(traps, only):
        raise Disagreement(f"the answer of {name} is not the only solution")


def _row(size: tuple[int, int], name: str, runs: Sequence[Run]) -> dict[str, Any]:
    times = [1000 * run.seconds for run in runs if run.seconds is not None]
    outcomes = [run.outcome for run in runs]
    return {
        "size": size_name(*size),
        "algorithm": name,
        "boards": len(runs),
        "solved": outcomes.count("solved"),
        "timed_out": outcomes.count("timed out"),
        "refused": outcomes.count("refused"),
        "median_ms": round(statistics.median(times), 3) if times else None,
        "fastest_ms": round(min(times), 3) if times else None,
        "slowest_ms": round(max(times), 3) if times else None,
    }


def draw_chart(rows: Sequence[Mapping[str, Any]], timeout: float, path: Path, theme: Theme = "light") -> None:
    """Draw medians against cells, both on logarithmic scales, with the range over boards; time-outs are crosses."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    colours = COLOURS[theme]
    shades = mpl.colormaps["viridis"](np.linspace(0.25, 0.95, 5) if theme == "dark" else np.linspace(0, 0.85, 5))
    with mpl.rc_context({"font.size": 9, "svg.hashsalt": "race", "svg.fonttype": "path"}):
        figure = Figure(figsize=(8.4, 4.4), facecolor=colours["paper"])
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        axes.set_facecolor(colours["paper"])
        sizes = {row["size"]: int(np.prod(parse_size(row["size"]))) for row in rows}
        for name, colour in zip(_ORDER, shades, strict=True):
            mine = [row for row in rows if row["algorithm"] == name]
            timed = [row for row in mine if row["median_ms"] is not None]
            cells = [sizes[row["size"]] for row in timed]
            medians = np.array([row["median_ms"] for row in timed])
            reach = np.array(
                [[row["median_ms"] - row["fastest_ms"], row["slowest_ms"] - row["median_ms"]] for row in timed]
            )
            if timed:
                axes.errorbar(cells, medians, yerr=reach.T, fmt="o-", color=colour, label=name, capsize=2, markersize=4)
            late = [sizes[row["size"]] for row in mine if row["timed_out"]]
            axes.plot(late, [1000 * timeout] * len(late), "x", color=colour, markersize=7)
        known = [(side * side, 1000 * seconds) for side, seconds in PUBLISHED.items() if seconds]
        axes.plot(
            *zip(*known, strict=True), "s--", color=colours["dim"], markersize=3, label="backtracking, as published"
        )
        if any(row["timed_out"] for row in rows):
            axes.axhline(1000 * timeout, color=colours["dim"], linewidth=0.8)
            note = f"{timeout:g} s: time-outs are crosses"
            place = (0.01, 1000 * timeout)
            axes.annotate(note, place, xycoords=("axes fraction", "data"), color=colours["dim"], va="bottom")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(list(sizes.values()), list(sizes), color=colours["dim"], rotation=30)
        axes.set_xticks([], minor=True)
        axes.set_title("Gem Hunter: processor time for a solution", loc="left", fontweight="bold", color=colours["ink"])
        axes.set_ylabel("milliseconds (log scale): median, fastest and slowest board", color=colours["dim"])
        axes.set_xlabel("size of the board, by cells (log scale)", color=colours["dim"])
        axes.tick_params(colors=colours["dim"], which="both")
        axes.grid(color=colours["grid"], linewidth=0.7)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8, labelcolor=colours["ink"])
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(colours["grid"])
        dated = {"Date": None} if path.suffix.lower() == ".svg" else None
        figure.savefig(path, dpi=130, facecolor=colours["paper"], metadata=dated)


if __name__ == "__main__":
    main()
