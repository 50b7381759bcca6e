"""Win rates against mine density, critical densities, and their decrease as boards grow.

Results are appended to points.csv in the output folder every few seconds, and games in that file are not repeated:
after Ctrl-C, run the program again to continue. It then rewrites critical.csv and the charts, and prints the fits.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from charts import draw_critical, draw_scaling
from points import LOGIC, MOST_GAMES, Family, Points, count_wins
from results import (
    FIT_COLUMNS,
    LINE_COLUMNS,
    fit_critical,
    fit_rows,
    fit_scaling,
    line_rows,
)

from minesweeper.player.core.errors import ConfigError, WorkerDied
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe, StartRule, parse_click
from minesweeper.player.parallel.workers import Workers, at_most, interruptible, map_ranges, worker_pool
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.console.charts import THEMES, check_chart
from minesweeper.scripts.console.options import PATH, cluster_option, workers_option
from minesweeper.scripts.console.settings import read_settings
from minesweeper.scripts.console.terminal import INTERRUPTED, Command, print_rows, progress_bar

_FOLDER = Path(__file__).resolve().parent
_SECONDS_BETWEEN_ROWS = 10.0


@dataclass(frozen=True)
class Task:
    """Points to measure: a family, its numbers of mines, and the games at each."""

    family: Family
    mines: tuple[int, ...]
    games: int


@click.command(cls=Command, epilog="Example: python docs/studies/density/density.py --config my.yaml --output results")
@click.option(
    "--config", type=PATH, default=_FOLDER / "study.yaml", help="The study. [default: docs/studies/density/study.yaml]"
)
@click.option("--output", type=PATH, default=_FOLDER, help="Folder for results. [default: docs/studies/density]")
@workers_option
@cluster_option
@click.option("--only-fit", is_flag=True, help="Fit and draw the points in the folder; play nothing.")
@click.option("--charts/--no-charts", default=True, show_default=True, help="Draw the charts.")
def main(config: Path, output: Path, workers: int | None, cluster: str | None, only_fit: bool, charts: bool) -> None:
    """Measure win rates against mine density, fit critical densities, and write CSV files and charts."""
    settings = read_settings(config)
    critical, scaling = read_tasks(settings)
    output.mkdir(parents=True, exist_ok=True)
    if charts:
        check_chart(output / "chart.png")
    points = Points(output / "points.csv")
    stopped = False
    if not only_fit:
        try:
            with worker_pool(workers, cluster) as pool, interruptible() as stop:
                measure(points, [*critical, *scaling], pool, stop)
                stopped = stop()
        except WorkerDied as error:
            raise click.ClickException(f"{error}; run the program again to continue") from error
    report(points, critical, scaling, settings, output, charts=charts)
    if stopped:
        click.echo("interrupted: run the program again to continue", err=True)
        sys.exit(INTERRUPTED)


def report(
    points: Points,
    critical: Sequence[Task],
    scaling: Sequence[Task],
    settings: Mapping[str, Any],
    output: Path,
    *,
    charts: bool = True,
) -> None:
    """Fit the measured points, write critical.csv and the charts to a folder, and print the fits."""
    first, second = ({task.family: task.mines for task in tasks} for tasks in (critical, scaling))
    groups, scaled = fit_critical(points, first), fit_scaling(points, second)
    rows = [row for fitted in groups.values() for row in fit_rows("critical", fitted)]
    rows += [row for fitted in fit_critical(points, first, far_too=True).values() for row in fit_rows("all", fitted)]
    rows += fit_rows("scaling", scaled)
    with (output / "critical.csv").open("w", encoding="utf-8", newline="") as file, redirect_stdout(file):
        print_rows(rows, FIT_COLUMNS, "csv")
    print_rows(rows, FIT_COLUMNS)
    print_rows(line_rows(groups, scaled, int(settings["scaling"]["smallest_side_fitted"])), LINE_COLUMNS)
    for theme in THEMES if charts else ():
        if groups:
            draw_critical(groups, float(settings["claim"]), output / f"critical-{theme}.png", theme)
        if any(fit for _, fit in scaled):
            draw_scaling(scaled, output / f"scaling-{theme}.png", theme)


def measure(points: Points, tasks: Sequence[Task], workers: Workers, stop: Callable[[], bool]) -> None:
    """Play the missing games, point by point, until all are done or `stop()` is true."""
    missing = sum(max(0, task.games - points.games[task.family, mines]) for task in tasks for mines in task.mines)
    with progress_bar(" games", missing) as bar:
        for task in tasks:
            for mines in task.mines:
                for games, wins in _play(points, task, mines, workers, stop):
                    points.add(task.family, mines, games, wins)
                    bar.update(games)
                if stop():
                    return


def _play(
    points: Points, task: Task, mines: int, workers: Workers, stop: Callable[[], bool]
) -> Iterator[tuple[int, int]]:
    """Play the missing games of a point; yield games and wins every few seconds and after the last."""
    missing = task.family.indices(mines, points.games[task.family, mines], task.games)
    work = partial(count_wins, task.family.player, task.family.recipe(mines))
    games = wins = 0
    written = time.monotonic()
    with closing(map_ranges(work, missing, at_most(workers, len(missing)), stop=stop)) as results:
        for piece, won in results:
            games, wins = games + len(piece), wins + won
            if time.monotonic() - written > _SECONDS_BETWEEN_ROWS:
                yield games, wins
                games = wins = 0
                written = time.monotonic()
    if games:
        yield games, wins


def read_tasks(settings: Mapping[str, Any]) -> tuple[list[Task], list[Task]]:
    """Return the tasks of the study of critical densities and of that of scaling. Raises `ConfigError`."""
    try:
        seed = int(settings["seed"])
        critical, scaling = settings["critical"], settings["scaling"]
        densities = [float(density) for density in critical["densities"]]
        scaled = [float(density) for density in scaling["scaled_densities"]]
        if not 0 < float(settings["claim"]) < 1:
            raise ConfigError(f"claim {settings['claim']} is not a density between 0 and 1")
        int(scaling["smallest_side_fitted"])
        groups = [critical | {"player": player} for player in critical["players"]]
        first = [
            _task(
                str(group["player"]), int(side), group, seed, [x for x in densities if x <= float(densest)], int(games)
            )
            for group in [*groups, *(critical | other for other in critical.get("also", []))]
            for side, (games, densest) in group["sides"].items()
        ]
        second = [
            _task(LOGIC, int(side), scaling, seed, [x / int(side) ** (1 / 3) for x in scaled], int(games))
            for side, games in scaling["sides"].items()
        ]
    except KeyError as error:
        raise ConfigError(f"the setting {error} is missing; compare docs/studies/density/study.yaml") from error
    except (TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise ConfigError(f"wrong settings: {error}; compare docs/studies/density/study.yaml") from error
    return first, second


def _task(player: str, side: int, settings: Mapping[str, Any], seed: int, densities: list[float], games: int) -> Task:
    grid = Grid(side, side)
    if not 0 < games <= MOST_GAMES:
        raise ConfigError(f"{games} games on boards of side {side}; expected 1 to {MOST_GAMES}")
    if player != LOGIC:
        load_strategy(player)
    rule = StartRule.named(settings["start"])
    family = Family(player, side, rule, parse_click(str(settings["first_click"]), grid), seed)
    if not densities or not all(0 < density < 1 for density in densities):
        raise ConfigError(f"densities {densities} on boards of side {side}; expected numbers between 0 and 1")
    mines = sorted({round(density * side * side) for density in densities})
    for number in (mines[0], mines[-1]):
        Recipe(Grid(side, side), number, family.click, rule, seed)
    return Task(family, tuple(mines), games)


if __name__ == "__main__":
    main()
