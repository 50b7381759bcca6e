"""The command `generate`."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import Field, dataclass, replace
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minesweeper.generator.filters import PuzzleFilter, flag_of
from minesweeper.player.core.errors import OutOfTime, ProofFailed, WorkerDied
from minesweeper.player.core.grid import in_words
from minesweeper.player.core.limits import time_limit
from minesweeper.player.core.recipe import MAX_SEED, StartRule
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.options import BOARDS, BoardOptions, WorkOptions, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import (
    DEFAULT_DATABASE,
    INTERRUPTED,
    Command,
    database_option,
    logging_to,
    not_a_file,
    progress_bar,
)

if TYPE_CHECKING:
    from minesweeper.db.parts import PartsFolder
    from minesweeper.db.records import Run
    from minesweeper.db.store import Store
    from minesweeper.generator.pipeline import Summary
    from minesweeper.generator.search import Task, Trial
    from minesweeper.player.core.recipe import Recipe

FAILED = 1
_MOST_TRIED = 5000
_TRIED_AT_ONCE = 50
_TRIAL_SECONDS = 2.0
_FEW = 20
_CANDIDATES = 100
_MOST_CANDIDATES = 20_000
_OUTPUT = "Output"
_EPILOG = "Example: generate --size 16x30 --mines 99 --count 1000"


def _filter_option(field: Field[Any]) -> Callable[[Any], Any]:
    """Return the decorator of the option for a field of `PuzzleFilter`."""
    kind, metavar, text = (field.metadata[key] for key in ("kind", "metavar", "help"))
    ranges = {int: click.IntRange(min=0), float: click.FloatRange(0, 1 if metavar == "SHARE" else None)}
    type_ = common.words(kind) if isinstance(kind, tuple) else ranges.get(kind, kind)
    return click.option(flag_of(field), field.name, type=type_, metavar=metavar, help=text)


@dataclass(frozen=True)
class GenerateOptions:
    """The options of `generate`; None stands for an option that was not given."""

    boards: BoardOptions = from_decorator(common.board_options)
    start: str = from_decorator(common.start_option, group=BOARDS)
    count: int = option(type=click.IntRange(min=1), default=100, help="Number of puzzles to keep.")
    first_click: str = option(
        group=BOARDS,
        default="center",
        metavar="center|corner|random|R,C",
        help="The first click, the same on every board unless random; row and column count from 0.",
    )
    method: str = option(
        type=click.Choice(["rejection", "repair", "auto"]),
        default="auto",
        help="Keep the solvable boards, a uniform sample; or repair the others, for dense boards. auto repairs only if "
        "none of the first candidates is solvable.",
    )
    filter: PuzzleFilter = from_decorator(with_options(PuzzleFilter, "filter", _filter_option, "Filters"))
    seed: int | None = option(type=click.IntRange(0, MAX_SEED), help="Determines the puzzles. [default: random]")
    db: str = from_decorator(database_option, group=_OUTPUT)
    store_paths: bool = option(
        is_flag=True,
        group=_OUTPUT,
        help="Store the solution path of each puzzle and its measures, too.",
    )
    out: str | None = option(
        callback=not_a_file,
        group=_OUTPUT,
        metavar="DIR",
        help="Write Parquet files to this folder instead of a database.",
    )
    work: WorkOptions = from_decorator(common.work_options)
    certify: bool = option("--certify/--no-certify", group="Work", default=True, help="Prove every hard step with SAT.")
    max_candidates: int | None = option(
        type=click.IntRange(min=1), help="Stop after this many boards, counted over the whole run."
    )
    time_limit: float | None = option(
        type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop after this time, to within a second."
    )
    as_json: bool = option("--json", "as_json", group=_OUTPUT, is_flag=True, help="Print the summary as JSON.")

    def recipe(self) -> Recipe:
        """Return the recipe that these options describe, with a random seed if none was given."""
        seed = common.drawn_seed() if self.seed is None else self.seed
        return self.boards.chosen().recipe(self.first_click, StartRule.named(self.start), seed)

    def arguments(self) -> dict[str, object]:
        """Return the options that were given, to be stored with the run."""
        groups = ("boards", "filter", "work", "presets")
        given = {**vars(self), **vars(self.boards), **vars(self.filter), **vars(self.work)}
        return {name: value for name, value in given.items() if value is not None and name not in groups}


@click.command(cls=Command, epilog=_EPILOG)
@with_options(GenerateOptions)
def main(options: GenerateOptions) -> None:
    """Generate puzzles that pure logic solves, and store them.

    Boards are drawn uniformly at random. A board is kept if complete logic, including the number of mines, solves it
    from the first click. On dense boards, where that is too rare, mines are moved until logic does. The same seed gives
    the same puzzles for every engine and number of workers. Running the same command with the same --seed again resumes
    the run. If it ends with fewer puzzles than --count, they are kept and the exit code is 1.
    """
    from minesweeper.generator.pipeline import Limits, generate
    from minesweeper.generator.search import Task
    from minesweeper.player.parallel.workers import worker_pool

    began = time.monotonic()
    if options.store_paths and options.out is not None:
        raise click.UsageError("--store-paths and --out together; expected --store-paths with a database")
    task = Task(
        options.recipe(), options.work.engine, options.certify, filter=options.filter, paths=options.store_paths
    )
    with logging_to(options.work.verbose, options.work.log_file):
        try:
            with time_limit(options.time_limit):
                task, trial = _tried(task, options)
        except OutOfTime:
            tried = f"the time limit of {options.time_limit:g} s ended the trial of {task.recipe.name}"
            raise click.ClickException(f"{tried}; expected more time, a smaller board or fewer mines") from None
        # The trial counts towards the time limit.
        seconds = None if options.time_limit is None else max(0.0, options.time_limit - (time.monotonic() - began))
        limits = Limits(options.count, options.max_candidates, seconds)
        arguments = options.arguments()
        with (
            worker_pool(options.work.workers, options.work.cluster) as workers,
            _destination(options) as store,
            _progress_bar(task.recipe, limits.count) as report,
        ):
            try:
                summary = generate(
                    task, limits, store, workers=workers, arguments=arguments, report=report, trial=trial
                )
            except (WorkerDied, ProofFailed) as error:
                click.echo(f"Error: {error}; to resume: {_resume_command(task, options)}", err=True)
                sys.exit(FAILED)
    if options.as_json:
        import json

        click.echo(json.dumps(_as_json(summary, task, options)))
    else:
        click.echo(_in_words(summary, task, options))
    if summary.ending == "interrupted":
        sys.exit(INTERRUPTED)
    if summary.run.kept < limits.count:
        sys.exit(FAILED)


def _destination(options: GenerateOptions) -> AbstractContextManager[Store | PartsFolder]:
    # Only a folder needs the code for all file formats.
    if options.out is None:
        from minesweeper.db.store import Store

        return Store(options.db)
    from minesweeper.db.parts import PartsFolder

    return PartsFolder(options.out)


def _tried(task: Task, options: GenerateOptions) -> tuple[Task, Trial | None]:
    """Choose the method, and return the first candidates of rejection. Fail or warn if the run may find nothing."""
    trial = None if options.method == "repair" else _trial(task, options)
    if trial is None:
        _check_repair(task.recipe, options.time_limit)
        task = replace(task, method="repair")
    _try_filter(task, options)
    return task, trial


def _trial(task: Task, options: GenerateOptions) -> Trial | None:
    """Return the first candidates, or None if repair is the better method.

    Warn if rejection may find nothing in reasonable time.
    """
    from minesweeper.generator.search import try_first
    from minesweeper.player.core.errors import counted
    from minesweeper.player.logic import choose_engine

    may_repair = options.method == "auto" and choose_engine(task.engine) == "native"
    trial = try_first(task, _MOST_CANDIDATES if may_repair else _CANDIDATES, options.max_candidates)
    # Few puzzles are all tried.
    if trial.solvable or task.recipe.log_puzzles() <= math.log(trial.most):
        return trial
    seen = f"none of the first {counted(trial.most, 'candidate')} is solvable"
    if not may_repair or trial.most == options.max_candidates:
        click.echo(f"Warning: {seen}; rejection may take very long, --method repair moves mines instead", err=True)
        return trial
    click.echo(f"{seen}, so mines are moved until a board is: --method repair", err=True)
    return None


def _check_repair(recipe: Recipe, limit: float | None) -> None:
    """Raise `click.UsageError` for boards that repair does not solve."""
    from minesweeper.generator.repair import TRIAL_SECONDS, is_repairable, repairable_mines
    from minesweeper.player.core.errors import counted

    # The second half of a short limit finds the number of mines that would work.
    seconds = min(TRIAL_SECONDS, (limit or math.inf) / 2)
    repairable = is_repairable(recipe, seconds)
    if repairable is None:
        click.echo(f"Warning: one board of {recipe.name} takes more than {seconds:g} s", err=True)
    elif not repairable:
        most = counted(repairable_mines(recipe), "mine")
        raise click.UsageError(f"no board of {recipe.name} became solvable in a trial; expected at most about {most}")


def _try_filter(task: Task, options: GenerateOptions) -> None:
    """Print the share of candidates that a condition on the efficiency accepts, after at most two seconds.

    Warn if any filter rejects all solvable puzzles that it finds.
    """
    from minesweeper.generator.screening import screen_range
    from minesweeper.player.core.difficulty import rate_solution
    from minesweeper.player.core.errors import counted

    if not task.filter.name or task.method != "rejection":
        return
    began, words, scores = time.monotonic(), Counter[str](), list[float]()
    accepted, tried, enough = 0, 0, min(_FEW, options.count) if task.filter.needs_plan else 1
    most = min(_MOST_TRIED, options.max_candidates or _MOST_TRIED)

    def in_time(_: object) -> bool:
        return time.monotonic() - began <= _TRIAL_SECONDS

    starts = takewhile(in_time, range(0, most, _TRIED_AT_ONCE))
    pieces = (screen_range(task.recipe, at, min(at + _TRIED_AT_ONCE, most), task.engine) for at in starts)
    for kept in takewhile(in_time, chain.from_iterable(pieces)):
        accepted, tried = accepted + task.filter.accepts(kept), kept.index + 1
        if accepted == enough:
            break
        rating = rate_solution(kept.screening.tally, kept.screening.clues_at_once, kept.puzzle.board.safe_cells)
        words[rating.word] += 1
        scores.append(rating.score)
    if accepted and task.filter.needs_plan:
        need = f"about {math.ceil(tried / accepted * options.count):,} for {counted(options.count, 'puzzle')}"
        click.echo(f"the filter accepts {accepted} of the first {counted(tried, 'candidate')}: {need}", err=True)
    elif not accepted and len(scores) >= _FEW:
        ratings = ", ".join(f"{word} {count}" for word, count in words.most_common())
        unlimited = options.max_candidates is options.time_limit is None
        endless = ". The run may never end; set --max-candidates or --time-limit" if unlimited else ""
        click.echo(
            f"Warning: the filter ({task.filter.name}) rejects all of the first {len(scores)} solvable boards; their "
            f"difficulty: {ratings}, scores up to {max(scores):.0f}{endless}",
            err=True,
        )


def _in_words(summary: Summary, task: Task, options: GenerateOptions) -> str:
    from minesweeper.player.core.errors import counted

    run, count, place = summary.run, options.count, options.out or options.db
    tried = _candidates_tried(summary, task)
    share = f" ({run.kept / tried:.1%})" if tried else ""
    candidates = f"all {counted(tried, 'layout')}" if summary.ending == "exhausted" else counted(tried, "candidate")
    verb = "kept" if task.method == "rejection" else "repaired"
    lines = [
        f"{task.recipe.title}, seed {task.recipe.seed}: {counted(run.kept, 'puzzle')} {verb} of {candidates}{share}"
        + (f"; filter: {task.filter.name}" if task.filter.name else "")
    ]
    if not summary.candidates and run.kept >= count:
        lines.append(f"nothing to do: run {run.id} in {place} is complete")
    else:
        lines.append(f"{summary.found} found in {summary.seconds:.1f} s; run {run.id} in {place}")
    reasons = {
        "interrupted": "interrupted",
        "candidates": "the limit of candidates was reached",
        "time": "the time limit was reached",
        "exhausted": "every layout has been tried",
    }
    if summary.ending in reasons:
        lines.append(f"{reasons[summary.ending]}: {run.kept} of {counted(count, 'puzzle')}")
    if summary.ending in ("interrupted", "time", "candidates"):
        lines.append(f"to resume: {_resume_command(task, options)}")
    return "\n".join([*lines, *_next_command(run, options)])


def _next_command(run: Run, options: GenerateOptions) -> list[str]:
    """Return a line with the command that shows the first puzzle of a run, none without a puzzle."""
    from minesweeper.db.columns import SHORT_ID

    names: Iterable[str]
    if options.out is None:
        from minesweeper.db.store import Store

        with Store(options.db, create=False) as store:
            names = store.ids(run=run.id, limit=1)
    else:
        from minesweeper.db.formats import parquet

        names = islice(parquet.ids(Path(options.out)), 1)
    place = options.out or options.db
    words = [] if place == DEFAULT_DATABASE else ["--db", place]
    return [f"to see one: {shlex.join(['packs', 'show', name[:SHORT_ID], *words])}" for name in names]


def _candidates_tried(summary: Summary, task: Task) -> int:
    """Return the number of candidates of the run; once it is exhausted, the number of different layouts."""
    return task.recipe.count_puzzles() if summary.ending == "exhausted" else summary.run.candidates


def _resume_command(task: Task, options: GenerateOptions) -> str:
    recipe = task.recipe
    words = ["generate", "--size", recipe.grid.name, "--mines", str(recipe.mines)]
    words += ["--first-click", recipe.click_name, "--start", recipe.rule]
    words += ["--seed", str(recipe.seed), "--count", str(options.count)]
    words += ["--db", options.db] if options.out is None else ["--out", options.out]
    if options.method == task.method or task.method == "repair":
        words += ["--method", task.method]
    if task.engine != "auto":
        words += ["--engine", task.engine]
    if not task.certified:
        words += ["--no-certify"]
    if task.paths:
        words += ["--store-paths"]
    return shlex.join([*words, *chain.from_iterable(task.filter.options.items())])


def _as_json(summary: Summary, task: Task, options: GenerateOptions) -> dict[str, object]:
    return {
        **task.recipe.to_json(),
        "method": task.method,
        "filter": task.filter.name,
        "run": summary.run.id,
        "kept": summary.run.kept,
        "candidates": summary.run.candidates,
        "different_candidates": _candidates_tried(summary, task) if summary.ending == "exhausted" else None,
        "found_now": summary.found,
        "candidates_now": summary.candidates,
        "seconds_now": round(summary.seconds, 3),
        "ending": summary.ending,
        "db": options.db if options.out is None else None,
        "out": options.out,
    }


@contextmanager
def _progress_bar(recipe: Recipe, count: int) -> Iterator[Callable[[Run], None]]:
    """Show the number of puzzles, their rate, and their share of the candidates."""
    with progress_bar(" puzzles", count, in_words(recipe.name)) as bar:

        def report(run: Run) -> None:
            bar.set_postfix_str(f"{run.kept / max(run.candidates, 1):.1%} of {run.candidates}", refresh=False)
            bar.update(run.kept - bar.n)

        yield report
