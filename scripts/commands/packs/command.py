"""The command `packs`: look at the puzzles of a database, and share them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from minesweeper.db import formats
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.schema import METRICS
from minesweeper.db.store import Store
from minesweeper.player.drawing.text import draw
from minesweeper.scripts.commands.packs import rating, transfer, verify
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.terminal import Group, TableStyle, database_option, output_options, print_rows, wants_colour

_SHORT_ID: Final = 12
_FORMATS: Final = [known.name for known in formats.FORMATS]
_LISTED: Final = 20
_TABLE: Final = {
    "short_id": "id",
    "board": "board",
    "first_click": "click",
    "hardest": "hardest",
    "steps": "1/2/3+/count",
    "clues_at_once": "at once",
    "difficulty_word": "difficulty",
    "bbbv": "3BV",
}
_FIELDS: Final = (
    *("id", "canonical_id", "size", "mines", "first_click", "start", "verdict", "hardest_tier", "steps_1_clue"),
    *(
        "steps_2_clues",
        "steps_more_clues",
        "steps_mine_count",
        "clues_at_once",
        "difficulty",
        "difficulty_word",
        *METRICS,
        "efficiency_bound",
        "method",
        "engine",
        "certificate",
        "run",
        "seed",
        "index",
        "created",
    ),
)


@click.group(cls=Group)
def main() -> None:
    """Look at stored puzzles, check them, and share them."""


main.add_command(transfer.import_puzzles)
main.add_command(transfer.merge)
main.add_command(verify.verify)
main.add_command(rating.rate)
main.add_command(rating.stats)


@main.command("list", epilog="Example: packs list --size 16x30 --tier 'mine count' --limit 5")
@selection_options
@output_options
@database_option
def list_puzzles(db: str, style: TableStyle, selection: Selection) -> None:
    """List puzzles, and how many cells each tier of logic decides. A table shows 20 unless --limit says otherwise."""
    if style == "table" and selection.limit is None:
        selection = replace(selection, limit=_LISTED)
    with Store(db, create=False) as store:
        rows = (_facts(record) for record in selection.puzzles(store))
        print_rows(rows, _TABLE if style == "table" else {field: field for field in _FIELDS}, style)
        if style == "table":
            found = store.count(**selection.filters)
            click.echo(f"\n{min(found, selection.limit or found)} of {found} puzzles")


@main.command(epilog="Example: packs show 3b3d07 --solved")
@click.argument("id")
@click.option("--solved", is_flag=True, help="With all mines and clues; otherwise as it looks after the first click.")
@database_option
def show(db: str, id: str, solved: bool) -> None:
    """Draw the puzzle whose id is ID, or begins with it."""
    with Store(db, create=False) as store:
        record = store.puzzle(id)
    board, first_click = record.puzzle.board, record.puzzle.first_click
    width = shutil.get_terminal_size().columns
    shown = board if solved else record.puzzle.view
    click.echo(draw(shown, colour=wants_colour(), width=width, marked=[first_click]), color=wants_colour())
    click.echo("\n" + "\n".join(f"{name:<14}{text}" for name, text in _description(record).items()))


@main.command(epilog="Example: packs export expert.jsonl --size 16x30 --mines 99")
@click.argument("file")
@click.option("--format", "name", type=click.Choice(_FORMATS), help="The format. [default: by the ending of FILE]")
@selection_options
@database_option
def export(db: str, file: str, name: str | None, selection: Selection) -> None:
    """Write puzzles to a file, or to stdout if FILE is "-".

    The ending of FILE tells the format: .jsonl, .csv, .db, .parquet, .mbf, .sgt, .mine, .ptt, .board, .html or .svg;
    stdout gets JSON lines unless --format says otherwise. FILE appears, or replaces an older one, once it is complete.
    If FILE is a folder, --format is needed, and each puzzle gets a file of its own there.
    """
    pack = None if name is None else formats.format_named(name)
    with Store(db, create=False) as store:
        records = selection.puzzles(store)
        if file == "-":
            count = _to_stdout(records, pack or formats.JSON_LINES)
        elif pack is not None and Path(file).is_dir():
            count = formats.save_each(records, file, pack)
        else:
            count = formats.save(records, file, pack)
    click.echo(f"{count} puzzles written to {'stdout' if file == '-' else file}", err=True)


def _to_stdout(records: Iterable[PuzzleRecord], pack: formats.Format) -> int:
    if pack.write is None:
        raise formats.FormatError(f"expected a file for the format {pack.name}, not stdout")
    return pack.write(records, sys.stdout.buffer)


def _facts(record: PuzzleRecord) -> dict[str, object]:
    """Name a puzzle's facts for `_TABLE` and `_FIELDS`."""
    board = record.puzzle.board
    one, two, more, count = record.tally or (None, None, None, None)
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
        "hardest": record.hardest_tier or record.verdict,
        "steps": None if record.tally is None else f"{one}/{two}/{more}/{count}",
        "verdict": record.verdict,
        "steps_1_clue": one,
        "steps_2_clues": two,
        "steps_more_clues": more,
        "steps_mine_count": count,
        "clues_at_once": record.clues_at_once,
        "difficulty": None if record.difficulty is None else round(record.difficulty.score, 2),
        "difficulty_word": None if record.difficulty is None else record.difficulty.word,
        **{name: getattr(record.metrics, name) for name in METRICS},
        "efficiency_bound": round(record.metrics.efficiency_bound, 4),
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
    puzzle, measured = record.puzzle, record.metrics
    decided = {} if record.tally is None else record.tally.by_tier
    steps = [f"{cells} by {tier.title}" for tier, cells in decided.items() if cells]
    made = [record.method, f"engine {record.engine}"]
    made += [f"{name} {value}" for name, value in (("seed", record.seed), ("index", record.index)) if value is not None]
    made += [f"run {record.run}"] if record.run is not None else []
    described = {
        "puzzle": record.id,
        "board": f"{puzzle.board.name}, {record.rule} start at {puzzle.first_click[0]},{puzzle.first_click[1]}",
        "hardest tier": record.hardest_tier or f"{record.verdict} whether logic solves it",
        "cells": ", ".join(steps) or "all by the first click",
        "at once": _at_once(record),
        "difficulty": _difficulty(record),
        "3BV": f"{measured.bbbv}, in {_number(measured.openings, 'opening')} and {_number(measured.islands, 'island')}",
        "ZiNi": f"{measured.greedy_zini} greedy, {measured.human_zini} human; "
        f"efficiency up to {measured.efficiency_bound:.0%}",
        "made by": ", ".join(made),
        "stored": f"{record.created} UTC",
    }
    return described | ({"certificate": record.certificate} if record.certificate is not None else {})


def _at_once(record: PuzzleRecord) -> str:
    if record.clues_at_once is None:
        return "not known"
    return f"{_number(record.clues_at_once, 'clue')} for the hardest step" if record.clues_at_once else "no clue"


def _difficulty(record: PuzzleRecord) -> str:
    rating = record.difficulty
    return "not known" if rating is None else f"{rating.word} (score {rating.score:.1f})"


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
