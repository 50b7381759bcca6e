"""The command `minesweeper tasks`: tasks for language models as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click
from click.core import ParameterSource

from minesweeper.db.formats.target import write_whole
from minesweeper.generator.tasks import ENCODINGS, GRADES, TASK_KINDS, Encoding, Kind, bundled_tasks, tasks
from minesweeper.player.core.recipe import StartRule
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.options import BoardOptions, board_options, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, with_progress


@dataclass(frozen=True)
class TasksOptions:
    """The options of `tasks`, apart from those of the boards."""

    kind: Kind = option(
        type=click.Choice(TASK_KINDS),
        default="deduce",
        help="All certain cells, one best move, or a whole no-guess game.",
    )
    encoding: Encoding = option(
        type=click.Choice(ENCODINGS),
        default="grid",
        help="Write positions as grids, lists of cells, or constraints on hidden cells.",
    )
    grades: tuple[str, ...] = option(
        *("--grade", "grades"),
        multiple=True,
        type=click.Choice(list(map(str, GRADES))),
        help="A grade; repeat for more. [default: all]",
    )
    count: int = option(type=click.IntRange(min=1), default=100, help="Number of tasks, the same number of each grade.")
    seed: int = option(type=click.IntRange(min=0), default=0, help="Seed of the boards.")
    start: str = from_decorator(common.start_option)
    out: Path | None = option(type=common.PATH, metavar="FILE", help="Write to this file. [default: stdout]")
    bundled: bool = option(is_flag=True, help="Write the 300 tasks of the bundled set, without other options.")


@click.command(
    cls=Command,
    short_help="Write tasks for language models.",
    epilog="Example: minesweeper tasks --board 9x9/10 --kind move --count 50 --out moves.jsonl",
)
@board_options
@with_options(TasksOptions)
def main(options: TasksOptions, boards: BoardOptions) -> None:
    """Write tasks for language models with complete answers, a line of JSON each.

    Each has a prompt and its answer: all cells that are safe and all that are mines in every layout, the cells with the
    lowest probability of a mine, or the turns of a no-guess game. Grades go from 1 (easy) to 5 (hard).
    The same options write the same tasks on every machine.
    """
    if options.bundled:
        context = click.get_current_context()
        given = [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        if set(given) - {"bundled", "out"}:
            raise click.UsageError("--bundled writes a fixed set; expected no other option than --out")
        _write(bundled_tasks(), options.out)
        return
    recipe = boards.chosen().recipe("center", StartRule.named(options.start), options.seed)
    grades = [int(grade) for grade in options.grades] or GRADES
    found = islice(tasks(recipe, options.kind, grades=grades, encoding=options.encoding), options.count)
    _write((json.dumps(task.to_json()) for task in with_progress(found, " tasks", options.count)), options.out)


def _write(lines: Iterable[str], path: Path | None) -> None:
    if path is None:
        for line in lines:
            click.echo(line)
    else:
        write_whole(path, lambda stream: stream.writelines(f"{line}\n".encode() for line in lines))
