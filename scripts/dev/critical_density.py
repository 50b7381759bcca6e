"""Measure win rates against mine density, fit critical densities, and test how they fall as boards grow.

Results are added to points.csv in the output folder as they come, and what is there is not played again: stop it with
Ctrl-C and run it again to go on. The page README.md, its charts and its tables are made anew each time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from minesweeper.player.board import check_size
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe, parse_click
from minesweeper.player.strategies import load_strategy
from minesweeper.player.workers import WorkerDied, Workers, at_most, interruptible, map_ranges, worker_pool
from minesweeper.scripts.charts import check_chart
from minesweeper.scripts.dev.density.page import write_page
from minesweeper.scripts.dev.density.points import LOGIC, MOST_GAMES, Family, Points, count_wins
from minesweeper.scripts.options import PATH, cluster_option, workers_option
from minesweeper.scripts.settings import ConfigError, read_settings
from minesweeper.scripts.terminal import INTERRUPTED, Command, progress_bar

_FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "density"
_SECONDS_BETWEEN_ROWS = 10.0


@dataclass(frozen=True)
class Task:
    """Points to be measured: a family, its numbers of mines, and the games at each."""

    family: Family
    mines: tuple[int, ...]
    games: int


@click.command(cls=Command, epilog="Example: python scripts/dev/critical_density.py --config my.yaml --output results")
@click.option("--config", type=PATH, default=_FOLDER / "study.yaml", help="What to measure.")
@click.option("--output", type=PATH, default=_FOLDER, help="The folder for results.")
@workers_option
@cluster_option
@click.option("--only-page", is_flag=True, help="Play nothing; make the page from what is there.")
def main(config: Path, output: Path, workers: int | None, cluster: str | None, only_page: bool) -> None:
    """Measure win rates against mine density and write a page with charts, tables and CSV."""
    settings = read_settings(config)
    critical, scaling = read_tasks(settings)
    output.mkdir(parents=True, exist_ok=True)
    check_chart(output / "chart.png")
    points = Points(output / "points.csv")
    stopped = False
    if not only_page:
        tasks = [*critical, *scaling]
        try:
            with worker_pool(workers, cluster) as pool, interruptible() as stop:
                measure(points, tasks, pool, stop)
                stopped = stop()
        except WorkerDied as error:
            raise click.ClickException(f"{error}; run it again to go on") from error
    first, second = ({task.family: task.mines for task in tasks} for tasks in (critical, scaling))
    write_page(points, first, second, settings, output)
    click.echo(f"written: {output / 'README.md'}")
    if stopped:
        click.echo("interrupted: run it again to go on", err=True)
        sys.exit(INTERRUPTED)


def measure(points: Points, tasks: list[Task], workers: Workers, stop: Callable[[], bool]) -> None:
    """Play what is still missing, point by point, until done or `stop` says so."""
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
    """Play the rest of a point and yield its games and wins every few seconds and at the end."""
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
    """Read what to measure: the study of critical densities and that of scaling. Raises `ConfigError`."""
    try:
        seed = int(settings["seed"])
        critical, scaling = settings["critical"], settings["scaling"]
        densities = [float(density) for density in critical["densities"]]
        scaled = [float(density) for density in scaling["scaled_densities"]]
        if not 0 < float(settings["claim"]) < 1:
            raise ConfigError(f"expected a density between 0 and 1 as claim: {settings['claim']}")
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
        raise ConfigError(f"expected a setting {error} as in {_FOLDER.name}/study.yaml") from error
    except (TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise ConfigError(f"expected settings as in {_FOLDER.name}/study.yaml: {error}") from error
    return first, second


def _task(player: str, side: int, settings: Mapping[str, Any], seed: int, densities: list[float], games: int) -> Task:
    check_size(side, side)
    if not 0 < games <= MOST_GAMES:
        raise ConfigError(f"expected 1 to {MOST_GAMES} games on boards of side {side}: {games}")
    if player != LOGIC:
        load_strategy(player)
    rule = StartRule.named(settings["start"])
    family = Family(player, side, rule, parse_click(str(settings["first_click"]), side, side), seed)
    if not densities or not all(0 < density < 1 for density in densities):
        raise ConfigError(f"expected densities between 0 and 1 on boards of side {side}: {densities}")
    mines = sorted({round(density * side * side) for density in densities})
    for number in (mines[0], mines[-1]):
        Recipe(side, side, number, family.click, rule, seed)
    return Task(family, tuple(mines), games)


if __name__ == "__main__":
    main()
