"""The command `packs verify`: prove puzzles again, from scratch."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
from tqdm import tqdm

from minesweeper.db import formats
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.generator.certify import ProofFailed
from minesweeper.generator.proving import NotSolvable, Proving, prove_all
from minesweeper.player.why.wording import counted
from minesweeper.player.workers import WorkerDied, Workers, hired
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.commands.packs.transfer import Complaints, first_click_option, format_option, found_in
from minesweeper.scripts.options import cluster_option, workers_option
from minesweeper.scripts.terminal import Command, database_option

_FAILED: Final = 1
_AT_A_TIME: Final = 1000


@click.command(cls=Command, epilog="Example: packs verify friend.jsonl --sat")
@click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]...")
@format_option
@first_click_option
@click.option("--sat", is_flag=True, help="Prove every hard step with SAT, too.")
@workers_option
@cluster_option
@selection_options
@database_option
def verify(
    files: tuple[str, ...],
    name: str | None,
    first_click: str,
    sat: bool,
    workers: int | None,
    cluster: str | None,
    selection: Selection,
    db: str,
) -> None:
    """Prove from scratch that logic solves every puzzle of the files or, without a file, of the database.

    What fails is named on stderr, and the exit code is 1. In the database it is marked: as unsolvable, or as unknown
    if only the steps are wrong; and what was unknown before gets its steps.
    """
    complaints = Complaints(keep_going=True)
    how = Proving(first_click, certified=sat)
    try:
        with hired(workers, cluster) as hands:
            if not files:
                proved = _verify_database(db, selection, how, hands, complaints)
            else:
                proved = _verify_files(files, name, how, hands, complaints)
    except (WorkerDied, ProofFailed) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_FAILED)
    click.echo(f"{counted(proved, 'puzzle')} proved{' with SAT' if sat else ''}, {complaints.count} failed")
    if complaints.count:
        sys.exit(_FAILED)


def _verify_files(
    files: Sequence[str], name: str | None, how: Proving, workers: Workers, complaints: Complaints
) -> int:
    pack = None if name is None else formats.format_named(name)
    proved = 0
    with tqdm(unit=" puzzles", disable=None, dynamic_ncols=True) as bar:
        for place, _, outcome in prove_all(found_in(files, pack, complaints), how, workers):
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
        for record, outcome in _proved(store, selection, how, workers):
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
    return proved


def _proved(
    store: Store, selection: Selection, how: Proving, workers: Workers
) -> Iterator[tuple[PuzzleRecord, PuzzleRecord | ValueError]]:
    """Prove the puzzles of a database, and yield each with its proof or what is wrong with it."""
    named = ((record.id, record) for record in selection.puzzles(store))
    for _, record, outcome in prove_all(named, how, workers):
        if isinstance(record, PuzzleRecord):
            yield record, outcome
