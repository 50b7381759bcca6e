"""The commands `packs import`, `merge` and `verify`: take in puzzles from files and databases, and prove them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minesweeper.db import formats
from minesweeper.db.file import DatabaseError, remove_if_new_and_empty
from minesweeper.db.formats.format import FormatError, Found
from minesweeper.db.formats.known import FORMATS, format_named
from minesweeper.db.formats.parquet import MANIFEST
from minesweeper.db.parts import PartsImport, PuzzleFolder
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store
from minesweeper.player.board import BoardError
from minesweeper.player.why.wording import counted
from minesweeper.player.words import FIND
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.options import cluster_option, from_decorator, option, with_options, workers_option
from minesweeper.scripts.terminal import Command, database_option, progress_bar

if TYPE_CHECKING:
    from minesweeper.generator.proving import Proving
    from minesweeper.player.workers import Workers

_FAILED = 1
_AT_A_TIME = 1000
_STORED_AT_A_TIME = 100
"""Fewer, as what waits is looked through by Python's collector again and again."""


class Complaints:
    """Says what is wrong with records: with `keep_going` in a line on stderr each, or else by ending it all."""

    def __init__(self, *, keep_going: bool) -> None:
        self.count = 0
        self._keep_going = keep_going

    def note(self, place: str, error: ValueError) -> None:
        """Take note of a bad record; raises `FormatError` unless this is to go on."""
        message = f"{place}: {error}"
        if not self._keep_going:
            raise FormatError(message) from error
        from tqdm import tqdm

        self.count += 1
        tqdm.write(message, file=sys.stderr)


def found_in(files: Sequence[str], name: str | None, complaints: Complaints) -> Iterator[tuple[str, Found]]:
    """Yield what files hold, each with its place; what can't be read, and a file of nothing, goes to the complaints."""
    pack = None if name is None else format_named(name)
    for file in _files(files, complaints):
        empty = True
        with formats.reading(file, pack, sys.stdin.buffer) as reader:
            while True:
                try:
                    found = next(reader)
                except StopIteration:
                    break
                except FormatError as error:
                    empty = False
                    complaints.note(file, error)
                else:
                    empty = False
                    yield f"{file}: {getattr(reader, 'place', '')}".rstrip(": "), found
        if empty:
            complaints.note(file, FormatError("expected puzzles, found none"))


def _files(names: Sequence[str], complaints: Complaints) -> Iterator[str]:
    """Yield files and folders of Parquet parts, and of other folders the files in them by name.

    Files whose names begin with a dot are left out.
    """
    for name in names:
        if not Path(name).is_dir() or (Path(name) / MANIFEST).is_file():
            yield name
            continue
        inside = sorted(path for path in Path(name).iterdir() if path.is_file() and not path.name.startswith("."))
        if not inside:
            complaints.note(name, FormatError("expected files with puzzles, found none"))
        yield from map(str, inside)


_READABLE = [known.name for known in FORMATS if known.read or known.read_file]
format_option = click.option(
    *("--format", "name"),
    type=click.Choice(_READABLE),
    help="The format. [default: by the ending of each file, or else by its content]",
)
first_click_option = click.option(
    "--first-click",
    default=FIND,
    show_default=True,
    metavar="find|center|corner|R,C",
    help="For formats that name none; find looks for one from which logic solves the board.",
)
sat_option = click.option("--sat", is_flag=True, help="Prove every hard step with SAT, too.")
canonical_option = click.option(
    "--canonical", is_flag=True, help="Skip turns and mirrors of puzzles that are there, too."
)


@dataclass(frozen=True)
class Importing:
    """The arguments and options of `packs import`."""

    files: tuple[str, ...] = from_decorator(
        click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER|-...")
    )
    name: str | None = from_decorator(format_option)
    first_click: str = from_decorator(first_click_option)
    verify: bool = option("--verify/--no-verify", default=True, help="Prove that logic solves every puzzle.")
    sat: bool = from_decorator(sat_option)
    canonical: bool = from_decorator(canonical_option)
    keep_going: bool = option(is_flag=True, help="Import the rest if some records are bad, and exit with 1.")
    workers: int | None = from_decorator(workers_option)
    cluster: str | None = from_decorator(cluster_option)
    db: str = from_decorator(database_option)


@click.command("import", cls=Command, epilog="Example: packs import friend.jsonl boards/*.mbf")
@with_options(Importing)
def import_puzzles(options: Importing) -> None:
    """Read puzzles from files, all files of a folder, or "-" for stdin, and store them.

    Nothing is stored unless all files can be read and logic solves every puzzle, or --keep-going leaves out those
    that are bad. With --no-verify they are stored as not known to be solvable.
    """
    from minesweeper.generator.proving import Proving
    from minesweeper.player.workers import worker_pool

    complaints = Complaints(keep_going=options.keep_going)
    how = Proving(options.first_click, certified=options.sat, measured=True)
    found = found_in(options.files, options.name, complaints)
    with (
        worker_pool(options.workers, options.cluster) as pool,
        _taking(options.db, canonical=options.canonical) as batch,
    ):
        _add_all(batch, _proved(found, how, pool, complaints) if options.verify else _unproved(found, how, complaints))
    text = f"{counted(batch.added, 'puzzle')} imported, {batch.duplicates} skipped as duplicates"
    click.echo(f"{text}, {counted(complaints.count, 'bad record')} left out" if complaints.count else text)
    if complaints.count:
        sys.exit(_FAILED)


def _proved(
    found: Iterable[tuple[str, Found]], how: Proving, workers: Workers, complaints: Complaints
) -> Iterator[PuzzleRecord]:
    from minesweeper.generator.certify import ProofFailed
    from minesweeper.generator.proving import prove_all
    from minesweeper.player.workers import WorkerDied

    try:
        for place, _, outcome in prove_all(found, how, workers):
            if isinstance(outcome, ValueError):
                complaints.note(place, outcome)
            else:
                yield outcome
    except (WorkerDied, ProofFailed) as error:
        raise FormatError(f"{error}; nothing is imported") from error


def _unproved(found: Iterable[tuple[str, Found]], how: Proving, complaints: Complaints) -> Iterator[PuzzleRecord]:
    from minesweeper.generator.proving import NotProved, with_first_click

    for place, puzzle in found:
        try:
            record = with_first_click(puzzle, how)
        except (BoardError, NotProved) as error:
            complaints.note(place, error)
        else:
            yield record.without_proof()


@contextmanager
def _taking(path: str, *, canonical: bool) -> Iterator[Import | PartsImport]:
    """Take puzzles into a database, or into a folder of parts: one that is there, or a name that ends in a slash."""
    if Path(path).is_dir() or path.endswith(("/", os.sep)):
        with PartsImport(path, canonical=canonical) as parts:
            yield parts
        return
    with remove_if_new_and_empty(Path(path)), Store(path) as store, Import(store, canonical=canonical) as batch:
        yield batch


def _add_all(batch: Import | PartsImport, records: Iterable[PuzzleRecord]) -> None:
    with progress_bar(" puzzles") as bar:
        remaining = iter(records)
        while portion := list(islice(remaining, _STORED_AT_A_TIME)):
            batch.add(portion)
            bar.update(len(portion))


@click.command(cls=Command, epilog="Example: packs merge mine.db yours.db --into all.db")
@click.argument("databases", nargs=-1, required=True, metavar="A.db|FOLDER...")
@click.option(
    "--into", required=True, metavar="C.db|FOLDER/", help="The database, or folder of Parquet parts, that gets them."
)
@canonical_option
def merge(databases: tuple[str, ...], into: str, canonical: bool) -> None:
    """Put the puzzles of several databases or folders of Parquet parts into one, with all that is known about them.

    What they say is taken over without a proof; packs verify proves it. Games stay where they are.
    """
    complaints = Complaints(keep_going=False)
    with _taking(into, canonical=canonical) as batch:
        found = found_in(databases, "db", complaints)
        _add_all(batch, (puzzle for _, puzzle in found if isinstance(puzzle, PuzzleRecord)))
    click.echo(f"{counted(batch.added, 'puzzle')} merged into {into}, {batch.duplicates} skipped as duplicates")


@dataclass(frozen=True)
class Verifying:
    """The arguments and options of `packs verify`."""

    files: tuple[str, ...] = from_decorator(click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]..."))
    name: str | None = from_decorator(format_option)
    first_click: str = from_decorator(first_click_option)
    sat: bool = from_decorator(sat_option)
    workers: int | None = from_decorator(workers_option)
    cluster: str | None = from_decorator(cluster_option)
    selection: Selection = from_decorator(selection_options)
    db: str = from_decorator(database_option)


@click.command(cls=Command, epilog="Example: packs verify friend.jsonl --sat")
@with_options(Verifying)
def verify(options: Verifying) -> None:
    """Prove from scratch that logic solves every puzzle of the files or, without a file, of the database.

    What fails is named on stderr, and the exit code is 1. In a database it is marked: as unsolvable, or as unknown
    if only the steps are wrong, or if its row can't be read; and what was unknown before gets its steps. SQLite looks
    through the file first.
    """
    from minesweeper.generator.certify import ProofFailed
    from minesweeper.generator.proving import Proving
    from minesweeper.player.workers import WorkerDied, worker_pool

    complaints = Complaints(keep_going=True)
    how = Proving(options.first_click, certified=options.sat)
    try:
        with worker_pool(options.workers, options.cluster) as pool:
            if not options.files and Path(options.db).is_dir():
                proved = _verify_folder(options.db, options.selection, how, pool, complaints)
            elif not options.files:
                proved = _verify_database(options.db, options.selection, how, pool, complaints)
            else:
                found = found_in(options.files, options.name, complaints)
                proved = _count_proved(found, None, how, pool, complaints)
    except (WorkerDied, ProofFailed) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_FAILED)
    click.echo(f"{counted(proved, 'puzzle')} proved{' with SAT' if options.sat else ''}, {complaints.count} failed")
    if complaints.count:
        sys.exit(_FAILED)


def _count_proved(
    found: Iterable[tuple[str, Found]], total: int | None, how: Proving, workers: Workers, complaints: Complaints
) -> int:
    """Prove puzzles, each named by its place, and count those of which there is nothing to complain."""
    from minesweeper.generator.proving import prove_all

    proved = 0
    with progress_bar(" puzzles", total) as bar:
        for place, _, outcome in prove_all(found, how, workers):
            bar.update()
            if isinstance(outcome, ValueError):
                complaints.note(place, outcome)
            else:
                proved += 1
    return proved


def _verify_folder(db: str, selection: Selection, how: Proving, workers: Workers, complaints: Complaints) -> int:
    """Prove the puzzles of a folder of parts, which is left as it is."""

    def on_bad(place: str, error: ValueError) -> None:
        complaints.note(db, FormatError(f"{place}: {error}"))

    with PuzzleFolder(db) as folder:
        chosen = selection.puzzles(folder, on_bad=on_bad, on_bad_part=lambda _, error: complaints.note(db, error))
        total = selection.limit or folder.count()
        return _count_proved(((db, record) for record in chosen), total, how, workers, complaints)


def _verify_database(db: str, selection: Selection, how: Proving, workers: Workers, complaints: Complaints) -> int:
    from minesweeper.generator.proving import NotSolvable

    proved = 0
    changed: list[PuzzleRecord] = []
    with (
        Store(db, create=False) as store,
        progress_bar(" puzzles", selection.limit or store.count(**selection.filters)) as bar,
    ):
        for wrong in store.integrity_errors():
            complaints.note(db, DatabaseError(wrong))
        bad: list[str] = []

        def on_bad(name: str, error: BoardError) -> None:
            complaints.note(db, DatabaseError(f"puzzle {name}: {error}"))
            bad.append(name)

        for record, outcome in _proved_again(store, selection, how, workers, on_bad):
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
            store.clear_proofs(bad)
    return proved


def _proved_again(
    store: Store,
    selection: Selection,
    how: Proving,
    workers: Workers,
    on_bad: Callable[[str, BoardError], None],
) -> Iterator[tuple[PuzzleRecord, PuzzleRecord | ValueError]]:
    """Prove the puzzles of a database, and yield each with its proof or what is wrong with it."""
    from minesweeper.generator.proving import prove_all

    named = ((record.id, record) for record in selection.puzzles(store, on_bad=on_bad))
    for _, record, outcome in prove_all(named, how, workers):
        if isinstance(record, PuzzleRecord):
            yield record, outcome
