"""The command `packs`: look at the puzzles of a database, and share them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from db import formats
from db.records import TIER_NAMES, PuzzleRecord
from db.store import Filters, Store
from player.board import parse_size
from player.drawing import draw
from player.game import START_RULES, Game
from player.terminal import Group, TableStyle, database_option, output_options, print_rows, wants_colour

_F = TypeVar("_F", bound=Callable[..., Any])
_SHORT_ID: Final = 12
_LISTED: Final = 20
_TABLE: Final = {
    "short_id": "id",
    "board": "board",
    "start": "start",
    "first_click": "click",
    "hardest_tier": "hardest",
    "steps": "1/2/more/count",
    "run": "run",
    "index": "index",
}
_FIELDS: Final = (
    *("id", "canonical_id", "size", "mines", "first_click", "start", "hardest_tier", "steps_1_clue", "steps_2_clues"),
    *("steps_more_clues", "steps_mine_count", "method", "engine", "certificate", "run", "seed", "index", "created"),
)


def selection_options(function: _F) -> _F:
    """Add the options that choose puzzles, given to the command as keyword arguments for `_filters`."""
    options = [
        click.option("--size", metavar="ROWSxCOLS", help="Only boards of this size."),
        click.option("--mines", type=click.IntRange(min=0), metavar="N", help="Only boards with this many mines."),
        click.option("--start", type=click.Choice(START_RULES), help="Only puzzles made with this start rule."),
        click.option("--tier", type=click.Choice(TIER_NAMES), help="Only puzzles whose hardest step is of this tier."),
        click.option("--run", type=click.IntRange(min=1), metavar="N", help="Only puzzles of this run."),
        click.option("--where", metavar="SQL", help='A condition on the table puzzles, e.g. "steps_2_clues > 20".'),
        click.option(
            "--shuffle", type=int, metavar="SEED", help="In the random order of this seed; with --limit, a sample."
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group(cls=Group)
def main() -> None:
    """Look at stored puzzles, and share them."""


@main.command("list", epilog="Example: packs list --size 16x30 --tier 'mine count' --limit 5")
@selection_options
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help=f"At most this many; a table shows {_LISTED} otherwise."
)
@output_options
@database_option
def list_puzzles(db: str, style: TableStyle, limit: int | None, shuffle: int | None, **selection: Any) -> None:
    """List puzzles, and how many cells each tier of logic decides."""
    filters = _filters(**selection)
    if style == "table":
        limit = limit or _LISTED
    with Store(db, create=False) as store:
        rows = (_facts(record) for record in store.puzzles(limit=limit, shuffle_seed=shuffle, **filters))
        print_rows(rows, _TABLE if style == "table" else {field: field for field in _FIELDS}, style)
        if style == "table":
            found = store.count(**filters)
            click.echo(f"\n{min(found, limit or found)} of {found} puzzles")


@main.command(epilog="Example: packs show 3b3d07 --solved")
@click.argument("id")
@click.option("--solved", is_flag=True, help="With all mines and clues; otherwise as it looks after the first click.")
@database_option
def show(db: str, id: str, solved: bool) -> None:
    """Draw the puzzle whose id is ID, or begins with it."""
    with Store(db, create=False) as store:
        record = store.puzzle(id)
    board, first_click = record.puzzle.board, record.puzzle.first_click
    game = Game(board)
    game.open(first_click)
    width = shutil.get_terminal_size().columns
    shown = board if solved else game.view
    click.echo(draw(shown, colour=wants_colour(), width=width, marked=[first_click]), color=wants_colour())
    click.echo("\n" + "\n".join(f"{name:<14}{text}" for name, text in _description(record).items()))


@main.command(epilog="Example: packs export expert.jsonl --size 16x30 --mines 99")
@click.argument("file")
@selection_options
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most this many.")
@database_option
def export(db: str, file: str, limit: int | None, shuffle: int | None, **selection: Any) -> None:
    """Write puzzles to a file, or to stdout if FILE is "-".

    The ending of FILE tells the format: .jsonl for JSON lines, which stdout gets too. FILE appears, or replaces an
    older one, once it is complete.
    """
    filters = _filters(**selection)
    with Store(db, create=False) as store:
        records = store.puzzles(limit=limit, shuffle_seed=shuffle, **filters)
        count = formats.JSON_LINES.write(records, sys.stdout.buffer) if file == "-" else formats.save(records, file)
    click.echo(f"{count} puzzles written to {'stdout' if file == '-' else file}", err=True)


def _filters(
    size: str | None, mines: int | None, start: str | None, tier: str | None, run: int | None, where: str | None
) -> Filters:
    rows, cols = (None, None) if size is None else parse_size(size)
    return Filters(rows=rows, cols=cols, mines=mines, rule=start, tier=tier, run=run, where=where)


def _facts(record: PuzzleRecord) -> dict[str, object]:
    """Name a puzzle's facts for `_TABLE` and `_FIELDS`."""
    board = record.puzzle.board
    one, two, more, count = record.steps
    return {
        "id": record.id,
        "short_id": record.id[:_SHORT_ID],
        "canonical_id": record.puzzle.canonical_id,
        "board": board.name,
        "size": board.name.partition("/")[0],
        "mines": board.mines,
        "first_click": "{},{}".format(*record.puzzle.first_click),
        "start": record.rule,
        "hardest_tier": record.hardest_tier,
        "steps": f"{one}/{two}/{more}/{count}",
        "steps_1_clue": one,
        "steps_2_clues": two,
        "steps_more_clues": more,
        "steps_mine_count": count,
        "method": record.method,
        "engine": record.engine,
        "certificate": record.certificate,
        "run": record.run,
        "seed": record.seed,
        "index": record.index,
        "created": record.created,
    }


def _description(record: PuzzleRecord) -> dict[str, str]:
    """Say in words what is known about a puzzle."""
    puzzle = record.puzzle
    steps = [f"{cells} by {tier}" for tier, cells in zip(TIER_NAMES[1:], record.steps, strict=True) if cells]
    made = [record.method, f"engine {record.engine}"]
    made += [f"{name} {value}" for name, value in (("seed", record.seed), ("index", record.index)) if value is not None]
    made += [f"run {record.run}"] if record.run is not None else []
    described = {
        "puzzle": record.id,
        "board": f"{puzzle.board.name}, {record.rule} start at {puzzle.first_click[0]},{puzzle.first_click[1]}",
        "hardest tier": record.hardest_tier,
        "cells": ", ".join(steps) or "all by the first click",
        "made by": ", ".join(made),
        "stored": f"{record.created} UTC",
    }
    return described | ({"certificate": record.certificate} if record.certificate is not None else {})
