"""The command `generate`."""

from __future__ import annotations

import json
import logging
import math
import secrets
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from multiprocessing_logging import install_mp_handler, uninstall_mp_handler
from tqdm import tqdm

from minesweeper.db.store import Run, Store
from minesweeper.generator.certify import ProofFailed
from minesweeper.generator.pipeline import Limits, Method, Summary, Task, generate, pilot
from minesweeper.generator.wanted import Wanted
from minesweeper.player.board import size_name
from minesweeper.player.game import StartRule
from minesweeper.player.logic import ENGINES
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.presets import Preset, read_config, standard_presets
from minesweeper.player.recipe import MAX_SEED, Recipe, parse_click
from minesweeper.player.workers import WorkerDied
from minesweeper.scripts.options import board_options, chosen_board
from minesweeper.scripts.terminal import INTERRUPTED, Command, database_option

FAILED = 1

_EPILOG = "Example: generate --size 16x30 --mines 99 --count 1000"


def _load_config(context: click.Context, _: click.Parameter, path: Path | None) -> dict[str, Preset]:
    """Take option defaults from a config file, and return the presets that are known with it."""
    presets = dict(standard_presets())
    if path is not None:
        names = {option.name for option in context.command.params if option.name is not None}
        config = read_config(path, names - {"config", "help", "as_json"})
        context.default_map = {**(context.default_map or {}), **config.options}
        presets |= config.presets
    return presets


@click.command(cls=Command, epilog=_EPILOG)
@board_options
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="Puzzles to keep.")
@click.option(
    "--first-click",
    default="center",
    show_default=True,
    metavar="center|corner|random|R,C",
    help="Where the game starts, row and column from 0.",
)
@click.option(
    "--method",
    type=click.Choice(["rejection", "repair", "auto"]),
    default="rejection",
    show_default=True,
    help="Keep what is solvable, uniformly; or mend what is not, for dense boards; or find out what it takes.",
)
@click.option("--difficulty", type=click.Choice(list(WORDS)), help="Keep only puzzles as hard as this.")
@click.option(
    "--needs-mine-count",
    type=click.Choice(["yes", "no"]),
    help="Keep only puzzles that need the number of mines, or don't.",
)
@click.option("--min-3bv", "min_bbbv", type=click.IntRange(min=0), metavar="N", help="Keep only puzzles of this 3BV.")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help="Fixes which puzzles are found. [default: random]")
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes. [default: all cores]")
@database_option
@click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="What does the logic.")
@click.option("--certify/--no-certify", default=True, show_default=True, help="Prove every hard step with SAT.")
@click.option(
    "--max-candidates", type=click.IntRange(min=1), help="Look at no more boards than this, in the whole run."
)
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop after this.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    is_eager=True,
    callback=_load_config,
    metavar="FILE.yaml",
    help="Set any of these options, or own presets, in a file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Log what the workers do to the terminal.")
@click.option("--log-file", type=click.Path(dir_okay=False, path_type=Path), help="Log what the workers do to a file.")
def main(**options: Any) -> None:
    """Generate puzzles that pure logic solves, and store them.

    Random boards are drawn, uniformly, and those kept that complete logic, with the number of mines, solves from the
    first click. The same seed gives the same puzzles, whatever the engine and the number of workers; running it again
    goes on where it stopped.
    """
    recipe = _recipe(options)
    limits = Limits(options["count"], options["max_candidates"], options["time_limit"])
    method = _method(recipe, options)
    task = Task(recipe, options["engine"], options["certify"], method, _wanted(options))
    arguments = {name: value for name, value in options.items() if value is not None and name != "config"}
    with (
        _logging(options["verbose"], options["log_file"]),
        Store(options["db"]) as store,
        _progress_bar(recipe, limits.count) as report,
    ):
        try:
            summary = generate(task, limits, store, workers=options["workers"], arguments=arguments, report=report)
        except (WorkerDied, ProofFailed) as error:
            click.echo(f"Error: {error}; to go on: {_resume_command(task, options)}", err=True)
            sys.exit(FAILED)
    if options["as_json"]:
        click.echo(json.dumps(_as_json(summary, task, options)))
    else:
        click.echo(_in_words(summary, task, options))
    if summary.ending == "interrupted":
        sys.exit(INTERRUPTED)
    if summary.run.kept < limits.count:
        sys.exit(FAILED)


def _recipe(options: dict[str, Any]) -> Recipe:
    """Turn size, mines or preset, first click, start rule and seed into a recipe."""
    rows, cols, mines = chosen_board(options, options["config"])
    seed = secrets.randbelow(2**32) if options["seed"] is None else options["seed"]
    rule = StartRule.named(options["start"])
    return Recipe(rows, cols, mines, parse_click(options["first_click"], rows, cols), rule, seed)


def _wanted(options: dict[str, Any]) -> Wanted:
    """Turn the options that filter into conditions."""
    needs = options["needs_mine_count"]
    return Wanted(options["difficulty"], None if needs is None else needs == "yes", options["min_bbbv"])


def _method(recipe: Recipe, options: dict[str, Any]) -> Method:
    """Settle the method by a short pilot, or warn if rejection may find nothing in reasonable time."""
    if options["method"] == "repair":
        return "repair"
    solvable, candidates = pilot(recipe, options["engine"])
    seen = f"{solvable} of the first {candidates} candidates are solvable"
    if options["method"] == "auto":
        method: Method = "rejection" if solvable else "repair"
        click.echo(f"{seen}: {method}", err=True)
        return method
    if not solvable and recipe.log_puzzles() > math.log(candidates):
        click.echo(f"Warning: {seen}; rejection may take very long, --method repair mends boards instead", err=True)
    return "rejection"


def _in_words(summary: Summary, task: Task, options: dict[str, Any]) -> str:
    run, recipe, count = summary.run, task.recipe, options["count"]
    share = f" ({run.kept / run.candidates:.1%})" if run.candidates else ""
    lines = [
        f"{recipe.title}, seed {recipe.seed}: {run.kept} puzzles "
        f"{'kept' if task.method == 'rejection' else 'mended'} of {run.candidates} candidates{share}",
        f"{summary.found} found in {summary.seconds:.1f} s; run {run.id} in {options['db']}",
    ]
    if task.wanted.name:
        lines[0] += f"; only with: {task.wanted.name}"
    if not summary.candidates and run.kept >= count:
        lines[1] = f"nothing to do, they are there: run {run.id} in {options['db']}"
    reasons = {
        "interrupted": "interrupted",
        "candidates": "the limit of candidates was reached",
        "time": "the time limit was reached",
        "exhausted": "every layout has been looked at, there are no more",
    }
    if summary.ending in reasons:
        lines.append(f"{reasons[summary.ending]}: {run.kept} of {count} puzzles")
    if summary.ending in ("interrupted", "time", "candidates"):
        lines.append(f"to go on: {_resume_command(task, options)}")
    return "\n".join(lines)


def _resume_command(task: Task, options: dict[str, Any]) -> str:
    recipe = task.recipe
    words = ["generate", "--size", size_name(recipe.rows, recipe.cols), "--mines", str(recipe.mines)]
    words += ["--first-click", recipe.click_name, "--start", recipe.rule]
    words += ["--seed", str(recipe.seed), "--count", str(options["count"]), "--db", str(options["db"])]
    if task.method != "rejection":
        words += ["--method", task.method]
    words += task.wanted.options
    return shlex.join(words)


def _as_json(summary: Summary, task: Task, options: dict[str, Any]) -> dict[str, object]:
    recipe = task.recipe
    return {
        "size": size_name(recipe.rows, recipe.cols),
        "mines": recipe.mines,
        "start": recipe.rule,
        "first_click": recipe.click_name,
        "seed": recipe.seed,
        "method": task.method,
        "wanted": task.wanted.name,
        "run": summary.run.id,
        "kept": summary.run.kept,
        "candidates": summary.run.candidates,
        "found_now": summary.found,
        "candidates_now": summary.candidates,
        "seconds_now": round(summary.seconds, 3),
        "ending": summary.ending,
        "db": str(options["db"]),
    }


@contextmanager
def _progress_bar(recipe: Recipe, count: int) -> Iterator[Any]:
    """Show kept, candidates, rate and acceptance while a run goes on, if the terminal is one."""
    with tqdm(total=count, desc=recipe.name, unit=" puzzles", disable=None, dynamic_ncols=True) as bar:

        def report(run: Run) -> None:
            acceptance = f"{run.kept / max(run.candidates, 1):.1%}"
            bar.set_postfix(candidates=run.candidates, accepted=acceptance, refresh=False)
            bar.update(run.kept - bar.n)

        yield report


class _AboveTheBar(logging.Handler):
    """Writes log lines to stderr without tearing the progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        tqdm.write(self.format(record), file=sys.stderr)


@contextmanager
def _logging(verbose: bool, log_file: Path | None) -> Iterator[None]:
    """Send log records, those of the workers included, to the terminal or a file, or both."""
    handlers: list[logging.Handler] = [_AboveTheBar()] if verbose else []
    if log_file is not None:
        handlers.append(logging.FileHandler(log_file, encoding="utf-8"))
    logging.basicConfig(
        level=logging.INFO if handlers else logging.WARNING,
        format="%(asctime)s %(processName)s %(name)s: %(message)s",
        handlers=handlers or None,
        force=True,
    )
    install_mp_handler()
    try:
        yield
    finally:
        uninstall_mp_handler()
