"""The command `packs verify`: prove puzzles again, from scratch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from tqdm import tqdm

from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import DatabaseError, Store
from minesweeper.generator.certify import ProofFailed
from minesweeper.generator.proving import NotSolvable, Proving, prove_all
from minesweeper.player.board import BoardError
from minesweeper.player.why.wording import counted
from minesweeper.player.workers import WorkerDied, Workers, hired
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.commands.packs.transfer import (
    Complaints,
    first_click_option,
    format_option,
    found_in,
    sat_option,
)
from minesweeper.scripts.options import by, cluster_option, takes, workers_option
from minesweeper.scripts.terminal import Command, database_option

_FAILED: Final = 1
_AT_A_TIME: Final = 1000


@dataclass(frozen=True)
class Options:
    """The arguments and options of `packs verify`."""

    files: tuple[str, ...] = by(click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]..."))
    name: str | None = by(format_option)
    first_click: str = by(first_click_option)
    sat: bool = by(sat_option)
    workers: int | None = by(workers_option)
    cluster: str | None = by(cluster_option)
    selection: Selection = by(selection_options)
    db: str = by(database_option)


@click.command(cls=Command, epilog="Example: packs verify friend.jsonl --sat")
@takes(Options)
def verify(options: Options) -> None:
    """Prove from scratch that logic solves every puzzle of the files or, without a file, of the database.

    What fails is named on stderr, and the exit code is 1. In the database it is marked: as unsolvable, or as unknown
    if only the steps are wrong, or if its row can't be read; and what was unknown before gets its steps. SQLite looks
    through the file first.
    """
    complaints = Complaints(keep_going=True)
    how = Proving(options.first_click, certified=options.sat)
    try:
        with hired(options.workers, options.cluster) as hands:
            if not options.files:
                proved = _verify_database(options.db, options.selection, how, hands, complaints)
            else:
                proved = _verify_files(options.files, options.name, how, hands, complaints)
    except (WorkerDied, ProofFailed) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_FAILED)
    click.echo(f"{counted(proved, 'puzzle')} proved{' with SAT' if options.sat else ''}, {complaints.count} failed")
    if complaints.count:
        sys.exit(_FAILED)


def _verify_files(
    files: Sequence[str], name: str | None, how: Proving, workers: Workers, complaints: Complaints
) -> int:
    proved = 0
    with tqdm(unit=" puzzles", disable=None, dynamic_ncols=True) as bar:
        for place, _, outcome in prove_all(found_in(files, name, complaints), how, workers):
            bar.update()
            if isinstance(outcome, ValueError):
                complaints.note(place, outcome)
            else:
                proved += 1
    return proved


def _verify_database(db: str, selection: Selection, how: Proving, workers: Workers, complaints: Complaints) -> int:
    proved = 0
    changed: list[PuzzleRecord] = []
    with (
        Store(db, create=False) as store,
        tqdm(total=selection.limit or store.count(**selection.filters), unit=" puzzles", disable=None) as bar,
    ):
        for wrong in store.damage():
            complaints.note(db, DatabaseError(wrong))
        bad: list[str] = []

        def on_bad(name: str, error: BoardError) -> None:
            complaints.note(db, DatabaseError(f"puzzle {name}: {error}"))
            bad.append(name)

        for record, outcome in _proved(store, selection, how, workers, on_bad):
            bar.update()
            if isinstance(outcome, PuzzleRecord):
                proved += 1
                verified = outcome
            else:
                complaints.note(str(Path(db)), outcome)
                verified = record.without_proof(refuted=isinstance(outcome, NotSolvable))
            if verified != record:
                changed.append(verified)
            if len(changed) >= _AT_A_TIME:
                store.set_verdicts(changed)
                changed = []
        if changed:
            store.set_verdicts(changed)
        if bad:
            store.forget_found(bad)
    return proved


def _proved(
    store: Store,
    selection: Selection,
    how: Proving,
    workers: Workers,
    on_bad: Callable[[str, BoardError], None],
) -> Iterator[tuple[PuzzleRecord, PuzzleRecord | ValueError]]:
    """Prove the puzzles of a database, and yield each with its proof or what is wrong with it."""
    named = ((record.id, record) for record in selection.puzzles(store, on_bad=on_bad))
    for _, record, outcome in prove_all(named, how, workers):
        if isinstance(record, PuzzleRecord):
            yield record, outcome
