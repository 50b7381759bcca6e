"""The commands `packs import`, `packs merge` and `packs verify`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minesweeper.db import formats
from minesweeper.db.formats.format import Portion, Readable, Reader
from minesweeper.db.formats.parquet import MANIFEST
from minesweeper.db.formats.registry import FORMATS, format_named
from minesweeper.db.parts import PartsImport, PuzzleFolder
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import, Store
from minesweeper.db.tables import Table, size_of
from minesweeper.player.core.errors import (
    BoardError,
    DatabaseError,
    FormatError,
    NotSolvable,
    ProofFailed,
    TooWide,
    WorkerDied,
    counted,
)
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.console.options import cluster_option, from_decorator, option, with_options, workers_option
from minesweeper.scripts.console.terminal import Command, database_option, progress_bar

if TYPE_CHECKING:
    from minesweeper.generator.proving import ProofOutcome, Proving
    from minesweeper.player.parallel.workers import Workers

_FAILED = 1
_VERDICTS_PER_TRANSACTION = 1000
_IMPORTED_TOGETHER = 100
"""Small, because Python's garbage collector scans waiting puzzles repeatedly."""


class Problems:
    """A counter of bad records: prints each with `keep_going` or, with `keep`, keeps it; otherwise raises the first.

    `undecided` counts those of them that may be good: a component is too wide for logic. `unsolved` counts those that
    are stored although logic does not solve them.
    """

    def __init__(self, *, keep_going: bool, keep: bool = False) -> None:
        self.count = self.undecided = self.unsolved = 0
        self.found: list[tuple[str, str]] = []
        self._keep_going = keep_going
        self._keep = keep

    def add(self, place: str, error: ValueError) -> None:
        """Print or keep a bad record, or raise `FormatError`."""
        message = f"{place}: {error}"
        if not self._keep_going:
            raise FormatError(message) from error
        from tqdm import tqdm

        self.count += 1
        self.undecided += isinstance(error, TooWide)
        if self._keep:
            self.found.append((place, str(error)))
            return
        tqdm.write(message, file=sys.stderr)


def _found_in(
    files: Sequence[str], name: str | None, problems: Problems, *, tabular: bool = False
) -> Iterator[tuple[str, Any]]:
    """Yield the puzzles of files, each with its place. Unreadable records and empty files go to `problems`.

    With `tabular`, sound puzzles of a tabular format are portions, each with its file.
    """
    pack = None if name is None else format_named(name)
    for file in _files(files, problems):
        empty = True
        with formats.reading(file, pack, sys.stdin.buffer, limited=True) as reader:
            while True:
                try:
                    if tabular and isinstance(reader, Reader) and (portion := reader.portion()):
                        yield file, portion
                        empty = False
                        continue
                    found = next(reader)
                except StopIteration:
                    break
                except FormatError as error:
                    problems.add(file, error)
                else:
                    yield f"{file}: {getattr(reader, 'place', '')}".rstrip(": "), found
                empty = False
        if empty:
            problems.add(file, FormatError("no puzzles in this file"))


def _files(names: Sequence[str], problems: Problems) -> Iterator[str]:
    """Yield files and folders of Parquet parts, and the files of other folders by name except hidden ones."""
    for name in names:
        if not Path(name).is_dir() or (Path(name) / MANIFEST).is_file():
            yield name
            continue
        inside = sorted(path for path in Path(name).iterdir() if path.is_file() and not path.name.startswith("."))
        if not inside:
            problems.add(name, FormatError("no files in this folder"))
        yield from map(str, inside)


@dataclass(frozen=True)
class ProofOptions:
    """The options of commands that prove the puzzles of files."""

    name: str | None = option(
        *("--format", "name"),
        type=click.Choice([known.name for known in FORMATS if known.readable]),
        help="The format. [default: by the extension or the content of each file]",
    )
    first_click: str = option(
        default="find",
        metavar="find|center|corner|R,C",
        help="For boards without a first click; find searches one from which logic solves the board.",
    )
    sat: bool = option(is_flag=True, help="Prove every hard step with SAT as well.")
    workers: int | None = from_decorator(workers_option)
    cluster: str | None = from_decorator(cluster_option)


canonical_option = click.option(
    "--canonical", is_flag=True, help="Skip rotations and reflections of stored puzzles as well."
)


@dataclass(frozen=True)
class Importing(ProofOptions):
    """The arguments and options of `packs import`."""

    files: tuple[str, ...] = from_decorator(
        click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER|-...")
    )
    verify: bool = option("--verify/--no-verify", default=True, help="Prove that logic solves every puzzle.")
    unsolvable: bool = option(is_flag=True, help="Store puzzles that logic does not solve, too, with this verdict.")
    canonical: bool = from_decorator(canonical_option)
    keep_going: bool = option(is_flag=True, help="Skip bad records, import the others, and exit with 1.")
    db: str = from_decorator(database_option)


@click.command(
    "import",
    cls=Command,
    short_help="Read puzzles from files and store them.",
    epilog="Example: packs import friend.jsonl boards/*.mbf",
)
@with_options(Importing)
def import_puzzles(options: Importing) -> None:
    """Read puzzles from files, all files of a folder, or "-" for stdin, and store them.

    Logic has to solve every puzzle. If a record is bad, nothing is stored, unless --keep-going skips it. With
    --unsolvable, puzzles that logic does not solve are stored with the verdict "unsolvable" and their measures, boards
    with a first click on their largest opening. With --no-verify all get the verdict "unknown".
    """
    from minesweeper.generator.proving import Proving
    from minesweeper.player.parallel.workers import worker_pool

    problems = Problems(keep_going=options.keep_going)
    how = Proving(options.first_click, certified=options.sat, measured=True)
    prove = partial(_proved, unsolvable=options.unsolvable) if options.verify else _unproved
    with (
        worker_pool(options.workers, options.cluster) as workers,
        _target(options.db, canonical=options.canonical) as batch,
    ):
        tabular = options.verify and not options.sat and options.cluster is None
        found = _found_in(options.files, options.name, problems, tabular=tabular)
        _add_all(batch, prove(found, how, workers, problems))
    text = f"{counted(batch.added, 'puzzle')} imported, {_skipped(batch.duplicates)}"
    if problems.unsolved:
        text += f"; logic does not solve {problems.unsolved}"
    click.echo(f"{text}, {counted(problems.count, 'record')} left out" if problems.count else text)
    if problems.count:
        sys.exit(_FAILED)


def _skipped(duplicates: int) -> str:
    return f"{duplicates} skipped as {'a duplicate' if duplicates == 1 else 'duplicates'}"


def _proved(
    found: Iterable[tuple[str, Any]], how: Proving, workers: Workers, problems: Problems, *, unsolvable: bool
) -> Iterator[PuzzleRecord | Table]:
    from minesweeper.generator.proving import prove_all, unsolved_record

    try:
        for place, puzzle, outcome in prove_all(found, how, workers):
            if not isinstance(outcome, ValueError):
                yield outcome
            elif unsolvable and isinstance(outcome, NotSolvable) and (kept := unsolved_record(puzzle, refuted=True)):
                problems.unsolved += 1
                yield kept
            else:
                problems.add(place, outcome)
    except (WorkerDied, ProofFailed) as error:
        raise FormatError(f"{error}; nothing is imported") from error


def _unproved(
    found: Iterable[tuple[str, Readable]], how: Proving, _: Workers, problems: Problems
) -> Iterator[PuzzleRecord]:
    from minesweeper.generator.proving import unsolved_record, with_first_click

    for place, puzzle in found:
        try:
            yield with_first_click(puzzle, how).without_proof()
        except (BoardError, NotSolvable) as error:
            if isinstance(error, NotSolvable) and (kept := unsolved_record(puzzle, refuted=False)):
                yield kept
            else:
                problems.add(place, error)


@contextmanager
def _target(path: str, *, canonical: bool) -> Iterator[Import | PartsImport]:
    """Open a database, or a folder of parts if the path is one or ends with a slash, for new puzzles."""
    if Path(path).is_dir() or path.endswith(("/", os.sep)):
        with PartsImport(path, canonical=canonical) as parts:
            yield parts
        return
    with Store(path) as store, Import(store, canonical=canonical) as batch:
        yield batch


def _add_all(batch: Import | PartsImport, found: Iterable[Any]) -> None:
    """Add records, and tables."""
    with progress_bar(" puzzles") as bar:
        for is_record, alike in groupby(found, lambda one: isinstance(one, PuzzleRecord)):
            while portion := list(islice(alike, _IMPORTED_TOGETHER if is_record else 1)):
                batch.add(portion if is_record else portion[0])
                bar.update(sum(map(size_of, portion)))


@click.command(
    cls=Command,
    short_help="Copy the puzzles of several databases into one.",
    epilog="Example: packs merge mine.db yours.db --into all.db",
)
@click.argument("databases", nargs=-1, required=True, metavar="A.db|FOLDER...")
@click.option(
    "--into", required=True, metavar="C.db|FOLDER/", help="The database or folder of Parquet parts to add to."
)
@canonical_option
def merge(databases: tuple[str, ...], into: str, canonical: bool) -> None:
    """Copy the puzzles of several databases or folders of Parquet parts into one, with all their columns.

    The columns are copied without a proof; packs verify proves them. Games are not copied.
    """
    problems = Problems(keep_going=False)
    with _target(into, canonical=canonical) as batch:
        found = _found_in(databases, "db", problems, tabular=True)
        _add_all(batch, (one.rows.table if isinstance(one, Portion) else one for _, one in found))
    click.echo(f"{counted(batch.added, 'puzzle')} merged into {into}, {_skipped(batch.duplicates)}")


@dataclass(frozen=True)
class Verifying(ProofOptions):
    """The arguments and options of `packs verify`."""

    path: bool = option(is_flag=True, help="Compare the solution path with the stored path, hash and measures, if any.")
    files: tuple[str, ...] = from_decorator(click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]..."))
    selection: Selection = from_decorator(selection_options)
    db: str = from_decorator(database_option)
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print the result as JSON, with all failures.")


@click.command(
    cls=Command, short_help="Prove that logic solves every puzzle.", epilog="Example: packs verify friend.jsonl --sat"
)
@with_options(Verifying)
def verify(options: Verifying) -> None:
    """Prove that logic solves every puzzle of the files or, without a file, of the database.

    Of files, --size, --grid, --mines and --limit select puzzles; packs import reads them for all other conditions.
    Puzzles that fail are printed on stderr, or listed in the result of --json, and the exit code is 1. In a database
    their verdict becomes "unsolvable", or "unknown" if only the stored solution is wrong or the row cannot be read.
    Puzzles with the verdict "unknown" get a new one; a puzzle that is undecided, because a component is too wide for
    logic, keeps its own. SQLite checks the integrity of the database first.
    """
    from minesweeper.generator.proving import Proving
    from minesweeper.player.parallel.workers import worker_pool

    problems = Problems(keep_going=True, keep=options.as_json)
    how = Proving(options.first_click, certified=options.sat, paths=options.path)
    try:
        with worker_pool(options.workers, options.cluster) as workers:
            if options.files:
                tabular = not any((options.sat, options.path, options.cluster, *vars(options.selection).values()))
                found = _found_in(options.files, options.name, problems, tabular=tabular)
                found = found if tabular else options.selection.in_files(found)
                proved = _prove_each(found, options.selection.limit, how, workers, problems)
            else:
                verify_stored = _verify_folder if Path(options.db).is_dir() else _verify_database
                proved = verify_stored(options.db, options.selection, how, workers, problems)
    except (WorkerDied, ProofFailed) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_FAILED)
    failed, undecided = problems.count - problems.undecided, problems.undecided
    if options.as_json:
        failures = [{"place": place, "words": words} for place, words in problems.found]
        counts = {"proved": proved, "failed": failed, "undecided": undecided}
        click.echo(json.dumps({**counts, "sat": options.sat, "failures": failures}))
    else:
        text = f"{counted(proved, 'puzzle')} proved{' with SAT' if options.sat else ''}, {failed} failed"
        click.echo(f"{text}, {undecided} undecided" if undecided else text)
    if problems.count:
        sys.exit(_FAILED)


def _prove_each(
    found: Iterable[tuple[str, Readable]],
    total: int | None,
    how: Proving,
    workers: Workers,
    problems: Problems,
    keep: Callable[[Any, Any], None] = lambda _found, _outcome: None,
) -> int:
    """Prove puzzles, each named by its place, pass each with its outcome to `keep`, and return how many are proved."""
    from minesweeper.generator.proving import prove_all

    proved = 0
    with progress_bar(" puzzles", total) as bar:
        for place, puzzle, outcome in prove_all(found, how, workers):
            if isinstance(outcome, ValueError):
                problems.add(place, outcome)
            else:
                proved += size_of(outcome)
            bar.update(1 if isinstance(outcome, ValueError) else size_of(outcome))
            keep(puzzle, outcome)
    return proved


def _verify_folder(db: str, selection: Selection, how: Proving, workers: Workers, problems: Problems) -> int:
    """Prove the puzzles of a folder of parts without changing it."""

    def on_bad(place: str, error: ValueError) -> None:
        problems.add(db, FormatError(f"{place}: {error}"))

    with PuzzleFolder(db) as folder:
        chosen = selection.puzzles(folder, on_bad=on_bad, on_bad_part=lambda _, error: problems.add(db, error))
        total = selection.limit or folder.count()
        return _prove_each(((db, record) for record in chosen), total, how, workers, problems)


def _verify_database(db: str, selection: Selection, how: Proving, workers: Workers, problems: Problems) -> int:
    """Prove the puzzles of a database and store changed verdicts."""

    unreadable: list[str] = []
    changed: list[PuzzleRecord] = []

    def on_bad(name: str, error: BoardError) -> None:
        problems.add(db, DatabaseError(f"puzzle {name}: {error}"))
        unreadable.append(name)

    def keep(record: Readable, outcome: ProofOutcome) -> None:
        assert isinstance(record, PuzzleRecord)
        if isinstance(outcome, TooWide):
            return
        if isinstance(outcome, ValueError):
            outcome = record.without_proof(refuted=isinstance(outcome, NotSolvable))
        if outcome != record:
            changed.append(outcome)
        if len(changed) >= _VERDICTS_PER_TRANSACTION:
            store.proofs.store(changed)
            changed.clear()

    with Store(db, create=False) as store:
        for error in store.integrity_errors():
            problems.add(db, DatabaseError(error))
        chosen = ((db, record) for record in selection.puzzles(store, on_bad=on_bad))
        total = selection.limit or store.count(**selection.filters)
        proved = _prove_each(chosen, total, how, workers, problems, keep)
        if changed:
            store.proofs.store(changed)
        if unreadable:
            store.proofs.clear(unreadable)
    return proved
