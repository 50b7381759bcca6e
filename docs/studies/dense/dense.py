"""Dense puzzles of `generate`, ms_toollib and sgt-mines: buried mines, hard cells, clicks, steps and time by density.

A mine is buried if it touches no safe cell. A cell is hard if deciding it takes more than one clue at a time. Our
puzzles are proved by SAT, and found as `generate` finds them: by rejection, or by repair if none of the first
candidates is solvable. The other programs prove nothing, so complete logic checks their boards here.
"""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final, Literal, NamedTuple

import click
import ms_toollib
import numpy as np

from minesweeper.db.formats.sgt import from_id
from minesweeper.generator.screening import screen
from minesweeper.generator.search import Task, find_puzzles, try_first
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic.metrics import metrics
from minesweeper.player.logic.path import solution_path
from minesweeper.scripts.console.charts import THEMES, Theme, check_chart, drawing, name_ends, shades, style_axes
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

_CANDIDATES: Final = 20_000
_PATHS: Final = 40
_COLUMNS: Final = columns(
    "board, percent: mines %, maker, method, tried, puzzles, solved, buried_percent: buried %, hard: hard cells, "
    "bbbv: 3BV, steps, median_ms: median ms, worst_ms: worst ms"
)
_PANELS: Final = {"buried_percent": "Buried mines, %", "hard": "Hard cells"}

Row = Mapping[str, Any]


class Made(NamedTuple):
    """A board with its first click, and the CPU seconds that finding it took."""

    puzzle: Puzzle
    seconds: float


def ours(recipe: Recipe, most: int) -> tuple[str, int, list[Made]]:
    """Find certified puzzles; return the method, the number of candidates and the puzzles."""
    solvable = try_first(Task(recipe), _CANDIDATES).solvable
    method: Literal["rejection", "repair"] = "rejection" if solvable else "repair"
    task = Task(recipe, method=method)
    found: list[Made] = []
    began = time.process_time()
    for index in count():
        for mine_bits in find_puzzles(task, range(index, index + 1))["mine_bits"]:
            board = Board.from_bytes(recipe.grid, mine_bits)
            found.append(Made(Puzzle(board, _click(recipe)), time.process_time() - began))
            began = time.process_time()
        if len(found) == most:
            break
    return method, index + 1, found


def _click(recipe: Recipe) -> Cell:
    assert recipe.click is not None
    return recipe.click


def by_ms_toollib(recipe: Recipe, _seconds: float) -> Made:
    """Make a board by `laymine_solvable_adjust`."""
    began = time.process_time()
    board, *_ = ms_toollib.laymine_solvable_adjust(recipe.rows, recipe.cols, recipe.mines, *_click(recipe))
    return Made(Puzzle(Board(np.array(board) == -1), _click(recipe)), time.process_time() - began)


def by_sgt_mines(recipe: Recipe, seconds: float) -> Made | None:
    """Make a board by the program of Simon Tatham, which chooses the first click; None if that takes too long."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    size = f"{recipe.cols}x{recipe.rows}n{recipe.mines}"
    command = ["sgt-mines", "--generate", "1", size]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Made(from_id(made.stdout), ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)


OTHERS: Final[dict[str, Callable[[Recipe, float], Made | None]]] = {
    "ms_toollib": by_ms_toollib,
    "sgt-mines": by_sgt_mines,
}


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    sizes: tuple[str, ...] = option(
        *("--size", "sizes"),
        multiple=True,
        default=("9x18", "16x30", "30x30"),
        metavar="ROWSxCOLS",
        help="Repeatable.",
    )
    shares: tuple[int, ...] = option(
        *("--percent", "shares"),
        multiple=True,
        type=click.IntRange(1, 60),
        default=tuple(range(10, 51, 5)),
        metavar="N",
        help="Mines in percent of the cells. Repeatable.",
    )
    puzzles: int = option(type=click.IntRange(min=1), default=200, show_default=True, help="Puzzles of each row.")
    seconds: float = option(
        type=click.FloatRange(min=0), default=20, show_default=True, help="Later, another program makes no more boards."
    )
    seed: int = option(type=click.IntRange(min=0), default=7, show_default=True)
    study: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Write dense.csv and the charts to a folder.",
    )
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/dense/dense.py --size 9x18 --puzzles 20")
@with_options(Options)
def main(options: Options) -> None:
    """Compare dense puzzles of generate with the boards of ms_toollib and sgt-mines."""
    if options.study is None:
        print_rows(_rows(options), _COLUMNS, options.style)
        return
    options.study.mkdir(parents=True, exist_ok=True)
    check_chart(options.study / "dense.png")
    rows = list(_rows(options))
    with (options.study / "dense.csv").open("w", encoding="utf-8", newline="") as file, redirect_stdout(file):
        print_rows(rows, _COLUMNS, "csv")
    for theme in THEMES:
        draw(rows, options.study / f"dense-{theme}.png", theme)
    print_rows(rows, _COLUMNS, options.style)


def _rows(options: Options) -> Iterator[dict[str, object]]:
    for size in options.sizes:
        for percent in options.shares:
            rows, cols = map(int, size.split("x"))
            recipe = Recipe(Grid(rows, cols), rows * cols * percent // 100, seed=options.seed)
            shared = {"board": recipe.name, "percent": percent}
            method, tried, found = ours(recipe, options.puzzles)
            yield {**shared, "maker": "generate", "method": method, "tried": tried, **_summary(found)}
            for maker, make in OTHERS.items():
                ended, found = time.monotonic() + options.seconds, []
                while len(found) < options.puzzles and (left := ended - time.monotonic()) > 0:
                    if (one := make(recipe, left)) is not None:
                        found.append(one)
                yield _summary(found) | shared | {"maker": maker, "method": None, "tried": None}


def _summary(made: Sequence[Made]) -> dict[str, object]:
    if not made:
        return dict.fromkeys(_COLUMNS) | {"puzzles": 0}
    solved = [(one.puzzle, found) for one in made if (found := screen(one.puzzle)).solved]
    hard = [sum(found.tally[1:]) for _, found in solved]
    steps = [len(solution_path(puzzle).steps) for puzzle, _ in solved[:_PATHS]]
    measured = [metrics(one.puzzle) for one in made]
    return {
        "puzzles": len(made),
        "solved": len(solved),
        "buried_percent": round(100 * fmean(one.buried for one in measured) / made[0].puzzle.board.mines, 1),
        "hard": round(fmean(hard), 1) if hard else None,
        "bbbv": round(fmean(one.bbbv for one in measured), 1),
        "steps": round(fmean(steps), 1) if steps else None,
        "median_ms": round(1000 * median(one.seconds for one in made), 2),
        "worst_ms": round(1000 * max(one.seconds for one in made), 1),
    }


def draw(rows: Sequence[Row], path: Path, theme: Theme) -> None:
    """Draw buried mines and hard cells against the share of mines, a column of panels for each size."""
    sizes = list(dict.fromkeys(row["board"].split("/")[0] for row in rows))
    makers = list(dict.fromkeys(row["maker"] for row in rows))
    with drawing(path, theme, "dense", (3.2 * len(sizes) + 1, 4.6)) as figure:
        grid = figure.subplots(len(_PANELS), len(sizes), squeeze=False, sharex=True)
        for panels, (key, title) in zip(grid, _PANELS.items(), strict=True):
            for axes, size in zip(panels, sizes, strict=True):
                ends = []
                for maker, colour in zip(makers, shades(len(makers), theme), strict=True):
                    drawn = [
                        (row["percent"], row[key])
                        for row in rows
                        if row["maker"] == maker and row["board"].split("/")[0] == size and row[key] is not None
                    ]
                    if drawn:
                        axes.plot(*zip(*drawn, strict=True), "o-", color=colour, markersize=3)
                        ends.append((maker, colour, drawn[-1][1]))
                axes.set_title(f"{title}, {size}", loc="left")
                axes.set_ylim(bottom=0)
                style_axes(axes, theme)
                if size == sizes[-1]:
                    name_ends(axes, ends)
        for axes in grid[-1]:
            axes.set_xlabel("mines, % of cells")


if __name__ == "__main__":
    main()
