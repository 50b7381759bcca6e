"""The command `generate`."""

from __future__ import annotations

import json
import math
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.words import MAX_SEED, BoardError, Engine, Preset, StartRule, size_name
from minesweeper.scripts import options as common
from minesweeper.scripts.options import from_decorator, option, with_options
from minesweeper.scripts.terminal import INTERRUPTED, Command, database_option, logging_to, progress_bar

if TYPE_CHECKING:
    from minesweeper.db.records import Run
    from minesweeper.generator.pipeline import Destination, Method, Summary, Task
    from minesweeper.player.recipe import Recipe

FAILED = 1
_MOST_LOOKED_AT = 5000
_LOOKED_AT_ONCE = 50
_LOOK_SECONDS = 2.0
_FEW = 20
# What tqdm would fill 80 columns with leaves no room for how many boards were looked at.
BAR = "{desc}: {n_fmt}/{total_fmt} {bar:10} {elapsed}<{remaining}, {rate_noinv_fmt}{postfix}"

_EPILOG = "Example: generate --size 16x30 --mines 99 --count 1000"


@dataclass(frozen=True)
class Options:
    """The options of `generate`; those that are None were not given. `presets` come from ``--config``."""

    board: str | None = from_decorator(common.board_option)
    size: str | None = from_decorator(common.size_option)
    mines: int | None = from_decorator(common.mines_option)
    start: str = from_decorator(common.start_option)
    count: int = option(type=click.IntRange(min=1), default=100, help="Puzzles to keep.")
    first_click: str = option(
        default="center", metavar="center|corner|random|R,C", help="Where the game starts, row and column from 0."
    )
    method: str = option(
        type=click.Choice(["rejection", "repair", "auto"]),
        default="rejection",
        help="Keep what is solvable, uniformly; or mend what is not, for dense boards; or find out what it takes.",
    )
    difficulty: str | None = option(
        type=click.Choice(list(WORDS)), help="Keep only puzzles as hard as this for their size."
    )
    needs_mine_count: str | None = option(
        type=click.Choice(["yes", "no"]), help="Keep only puzzles that need the number of mines, or don't."
    )
    min_bbbv: int | None = option(
        "--min-3bv", "min_bbbv", type=click.IntRange(min=0), metavar="N", help="Keep only puzzles of this 3BV."
    )
    min_score: int | None = option(
        type=click.IntRange(min=0), metavar="N", help="Keep only puzzles of this score of difficulty or a higher one."
    )
    seed: int | None = option(type=click.IntRange(0, MAX_SEED), help="Fixes which puzzles are found. [default: random]")
    workers: int | None = from_decorator(common.workers_option)
    cluster: str | None = from_decorator(common.cluster_option)
    db: str = from_decorator(database_option)
    out: str | None = option(metavar="DIR", help="Write Parquet parts to this folder, not a database.")
    engine: Engine = from_decorator(common.engine_option)
    certify: bool = option("--certify/--no-certify", default=True, help="Prove every hard step with SAT.")
    max_candidates: int | None = option(
        type=click.IntRange(min=1), help="Look at no more boards than this, in the whole run."
    )
    time_limit: float | None = option(
        type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop after this, or a second more."
    )
    presets: Mapping[str, Preset] = from_decorator(common.config_option)
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
    verbose: bool = from_decorator(common.verbose_option)
    log_file: Path | None = from_decorator(common.log_file_option)

    def recipe(self) -> Recipe:
        """The recipe that size, mines or preset, first click, start rule and seed make."""
        from minesweeper.player.recipe import Recipe, parse_click

        rows, cols, mines = common.chosen_board(self.board, self.size, self.mines, self.presets)
        seed = common.drawn_seed() if self.seed is None else self.seed
        return Recipe(rows, cols, mines, parse_click(self.first_click, rows, cols), StartRule.named(self.start), seed)


@click.command(cls=Command, epilog=_EPILOG)
@with_options(Options)
def main(options: Options) -> None:
    """Generate puzzles that pure logic solves, and store them.

    Random boards are drawn, uniformly, and those kept that complete logic, with the number of mines, solves from the
    first click. The same seed gives the same puzzles, whatever the engine and the number of workers; running it again
    goes on where it stopped. The exit code is 1 if it ends with fewer puzzles than --count, which are kept.
    """
    from minesweeper.generator.certify import ProofFailed
    from minesweeper.generator.filters import PuzzleFilter
    from minesweeper.generator.pipeline import Limits, Task, generate
    from minesweeper.player.workers import WorkerDied, worker_pool

    began = time.monotonic()
    recipe = options.recipe()
    safe = recipe.rows * recipe.cols - recipe.mines
    if options.min_bbbv is not None and options.min_bbbv > safe:
        raise BoardError(f"expected a 3BV of at most {safe}, the number of safe cells: {options.min_bbbv}")
    method = _method(recipe, options)
    needs_mine_count = None if options.needs_mine_count is None else options.needs_mine_count == "yes"
    wanted = PuzzleFilter(options.difficulty, needs_mine_count, options.min_bbbv, options.min_score)
    task = Task(recipe, options.engine, options.certify, method, wanted)
    _warn_if_rare(task)
    # What these first candidates took is part of the time.
    seconds = None if options.time_limit is None else max(0.0, options.time_limit - (time.monotonic() - began))
    limits = Limits(options.count, options.max_candidates, seconds)
    arguments = {name: value for name, value in vars(options).items() if value is not None and name != "presets"}
    with (
        logging_to(options.verbose, options.log_file),
        worker_pool(options.workers, options.cluster) as workers,
        _where_to(options) as store,
        _progress_bar(recipe, limits.count) as report,
    ):
        try:
            summary = generate(task, limits, store, workers=workers, arguments=arguments, report=report)
        except (WorkerDied, ProofFailed) as error:
            click.echo(f"Error: {error}; to go on: {_resume_command(task, options)}", err=True)
            sys.exit(FAILED)
    if options.as_json:
        click.echo(json.dumps(_as_json(summary, task, options)))
    else:
        click.echo(_in_words(summary, task, options))
    if summary.ending == "interrupted":
        sys.exit(INTERRUPTED)
    if summary.run.kept < limits.count:
        sys.exit(FAILED)


def _where_to(options: Options) -> AbstractContextManager[Destination]:
    """Where the puzzles go; what reads and writes all the formats is loaded only for a folder."""
    if options.out is None:
        from minesweeper.db.store import Store

        return Store(options.db)
    from minesweeper.db.parts import PartsFolder

    return PartsFolder(options.out)


def _method(recipe: Recipe, options: Options) -> Method:
    """Settle the method by a short pilot, or warn if rejection may find nothing in reasonable time."""
    from minesweeper.generator.pipeline import pilot

    if options.method == "repair":
        return "repair"
    solvable, candidates = pilot(recipe, options.engine)
    seen = f"{solvable} of the first {candidates} candidates are solvable"
    if options.method == "auto":
        method: Method = "rejection" if solvable else "repair"
        click.echo(f"{seen}: {method}", err=True)
        return method
    if not solvable and recipe.log_puzzles() > math.log(candidates):
        click.echo(f"Warning: {seen}; rejection may take very long, --method repair mends boards instead", err=True)
    return "rejection"


def _warn_if_rare(task: Task) -> None:
    """Warn if no puzzle is wanted of the first solvable ones, as many as are found within two seconds."""
    from minesweeper.generator.screening import screen_range
    from minesweeper.player.measure.difficulty import difficulty

    if not task.wanted.name or task.method != "rejection":
        return
    began, words, scores = time.monotonic(), Counter[str](), list[float]()
    for start in range(0, _MOST_LOOKED_AT, _LOOKED_AT_ONCE):
        for kept in screen_range(task.recipe, start, start + _LOOKED_AT_ONCE, task.engine):
            if task.wanted.accepts(kept.puzzle, kept.screening):
                return
            safe = kept.puzzle.board.safe_cells
            rated = difficulty(kept.screening.tally, kept.screening.clues_at_once, safe)
            words[rated.word] += 1
            scores.append(rated.score)
        if time.monotonic() - began > _LOOK_SECONDS:
            break
    if len(scores) >= _FEW:
        kinds = ", ".join(f"{word} {count}" for word, count in words.most_common())
        click.echo(
            f"Warning: none of the first {len(scores)} solvable boards is wanted ({task.wanted.name}); their "
            f"difficulty: {kinds}, scores up to {max(scores):.0f}. This may never end; --max-candidates and "
            "--time-limit end it",
            err=True,
        )


def _in_words(summary: Summary, task: Task, options: Options) -> str:
    from minesweeper.player.why.wording import counted

    run, recipe, count = summary.run, task.recipe, options.count
    different = _different_candidates(summary, task)
    share = f" ({run.kept / different:.1%})" if different else ""
    looked_at = (
        f"all {counted(different, 'layout')}" if summary.ending == "exhausted" else counted(different, "candidate")
    )
    lines = [
        f"{recipe.title}, seed {recipe.seed}: {counted(run.kept, 'puzzle')} "
        f"{'kept' if task.method == 'rejection' else 'mended'} of {looked_at}{share}",
        f"{summary.found} found in {summary.seconds:.1f} s; run {run.id} in {options.out or options.db}",
    ]
    if task.wanted.name:
        lines[0] += f"; only with: {task.wanted.name}"
    if not summary.candidates and run.kept >= count:
        lines[1] = f"nothing to do, they are there: run {run.id} in {options.out or options.db}"
    reasons = {
        "interrupted": "interrupted",
        "candidates": "the limit of candidates was reached",
        "time": "the time limit was reached",
        "exhausted": "every layout has been looked at, there are no more",
    }
    if summary.ending in reasons:
        lines.append(f"{reasons[summary.ending]}: {run.kept} of {counted(count, 'puzzle')}")
    if summary.ending in ("interrupted", "time", "candidates"):
        lines.append(f"to go on: {_resume_command(task, options)}")
    return "\n".join(lines)


def _different_candidates(summary: Summary, task: Task) -> int:
    """How many boards were looked at; once all layouts have been seen, how many these are, without repeats."""
    return task.recipe.count_puzzles() if summary.ending == "exhausted" else summary.run.candidates


def _resume_command(task: Task, options: Options) -> str:
    recipe = task.recipe
    words = ["generate", "--size", size_name(recipe.rows, recipe.cols), "--mines", str(recipe.mines)]
    words += ["--first-click", recipe.click_name, "--start", recipe.rule]
    words += ["--seed", str(recipe.seed), "--count", str(options.count)]
    words += ["--db", options.db] if options.out is None else ["--out", options.out]
    if task.method != "rejection":
        words += ["--method", task.method]
    words += task.wanted.options
    return shlex.join(words)


def _as_json(summary: Summary, task: Task, options: Options) -> dict[str, object]:
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
        "different_candidates": _different_candidates(summary, task) if summary.ending == "exhausted" else None,
        "found_now": summary.found,
        "candidates_now": summary.candidates,
        "seconds_now": round(summary.seconds, 3),
        "ending": summary.ending,
        "db": options.db if options.out is None else None,
        "out": options.out,
    }


@contextmanager
def _progress_bar(recipe: Recipe, count: int) -> Iterator[Callable[[Run], None]]:
    """Show puzzles, rate, and how much they are of how many candidates while a run goes on."""
    with progress_bar("", count, desc=recipe.name, bar_format=BAR) as bar:

        def report(run: Run) -> None:
            bar.set_postfix_str(f"{run.kept / max(run.candidates, 1):.1%} of {run.candidates}", refresh=False)
            bar.update(run.kept - bar.n)

        yield report
