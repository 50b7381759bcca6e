"""The database: one SQLite file of puzzles, runs of the generator, and games."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import astuple, replace
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict, TypeVar, Unpack

from minesweeper.db import sql
from minesweeper.db.columns import Columns
from minesweeper.db.file import DatabaseFile, create_tables, remove_if_empty, translate_sqlite_errors
from minesweeper.db.records import ON_SCREEN, GameRecord, PuzzleRecord, Sample
from minesweeper.db.tables import Table, portions, rows_to_store, table_of_records
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.errors import BoardError, DatabaseError, check_kind
from minesweeper.player.logic.metrics import measure_all
from minesweeper.player.logic.paper import Generosity

# Loaded on first use: most commands need puzzles only.
if TYPE_CHECKING:
    import sqlite3

    from sqlite_utils import Database

    from minesweeper.db.people import People
    from minesweeper.db.runs import Proofs, Runs
    from minesweeper.db.series import Series
    from minesweeper.player.core.board import Puzzle

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_MAX_BUFFERED: Final = 1000
MAX_WAIT_SECONDS: Final = 2.0
# Columns of filters with another name.
FILTER_COLUMNS: Final = {"tier": "hardest_tier", "difficulty": "difficulty_word"}
# A comparison of the score with a word, which SQLite accepts and no puzzle passes.
_WORD_AS_SCORE: Final = re.compile(
    rf"""\bdifficulty\s*(?:[=<>!]+|\b(?:IS|NOT|LIKE|GLOB|IN)\b\s*)+[\s(]*(?:['"][a-z]|(?:{"|".join(WORDS)})\b)""", re.I
)


class Filters(TypedDict, total=False):
    """Conditions on puzzles, all of which must hold; None is no condition.

    `tier` is the title of the hardest `Tier`, `paper_tier` that of the paper form, `difficulty` a word of
    `player.logic.difficulty.WORDS`, and `where` an SQL condition on columns of puzzles. `clues` is no condition: it
    sets the paper form, by default ``minimal``.
    """

    rows: int | None
    cols: int | None
    grid: str | None
    mines: int | None
    start: str | None
    tier: str | None
    difficulty: str | None
    run: int | None
    paper_tier: str | None
    where: str | None
    clues: Generosity | None


def skip_damaged(name: str, error: ValueError) -> None:
    """Log the error of a puzzle that is skipped."""
    log.warning("puzzle %s is skipped: %s", name, error)


def _boards(row: Mapping[str, Any]) -> str:
    return str(row["boards"])


class Leaderboard(list[dict[str, Any]]):
    """The rows of `Store.leaderboard`."""

    def _repr_html_(self) -> str:
        from minesweeper.player.play.stats import wilson
        from minesweeper.player.render.svg import rates_in_html

        tables = []
        for boards, rows in groupby(sorted(self, key=_boards), _boards):
            rates = [
                (f"{row['strategy']} ({row['games']} games)", astuple(wilson(row["wins"], row["games"])))
                for row in rows
            ]
            tables.append(rates_in_html(boards, rates))
        return "".join(tables)


class Store(AbstractContextManager["Store"]):
    """An open database file, which several processes may use at the same time.

    With `create`, a missing or empty file becomes a new database, which is removed if the ``with`` block raises before
    anything is stored. A method that raises has stored nothing. All methods raise `DatabaseError` for a file that is
    missing (without `create`), damaged, not writable, or of another program or version.

    >>> with ms.Store("minesweeper.db") as store:
    ...     store.count(mines=99, difficulty="hard")
    0
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        check_kind(path, (str, Path), "the path of a database")
        self.path = Path(path)
        self._file = DatabaseFile(self.path, create=create)
        self._connection = self._file.connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is not None and self._file.created:
            remove_if_empty(self.path)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    @cached_property
    def db(self) -> Database:
        """The sqlite-utils database, for queries of your own."""
        from sqlite_utils import Database

        return Database(self._connection, execute_plugins=False)

    def integrity_errors(self) -> list[str]:
        """Return the errors that SQLite finds in the whole file."""
        # Read-only connections skip the CHECK constraints.
        with self._file.translate_sqlite_errors():
            found = [" ".join(str(text).split()) for (text,) in self._connection.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def puzzles(
        self,
        *,
        limit: int | None = None,
        shuffle_seed: int | None = None,
        sort: Sequence[str] = (),
        on_bad: Callable[[str, BoardError], None] = skip_damaged,
        **filters: Unpack[Filters],
    ) -> Generator[PuzzleRecord, None, None]:
        """Yield the puzzles that match the filters, oldest first, as of the first one.

        `shuffle_seed` yields them in a random order that depends only on this number and on the set of puzzles; with
        `limit`, that is a random sample. `sort` has names of columns, from high to low after a
        minus. Invalid rows are skipped after a call of `on_bad` with the id and the error.
        Raise `DatabaseError` for an invalid `where`.
        """
        with self._file.reader(filters.get("where")) as connection:
            rows = select(connection, limit, shuffle_seed, sort, filters)
            yield from _records(rows, filters.get("clues"), on_bad)

    def tables(
        self,
        *,
        limit: int | None = None,
        shuffle_seed: int | None = None,
        sort: Sequence[str] = (),
        on_bad: Callable[[str, BoardError], None] = skip_damaged,
        **filters: Unpack[Filters],
    ) -> Generator[Table, None, None]:
        """Yield the puzzles of `puzzles` as tables, in less than half the time."""
        with self._file.reader(filters.get("where")) as connection:
            rows = select(connection, limit, shuffle_seed, sort, filters)
            for portion in portions(rows, sql.board_size):
                table = sql.sound_table(portion)
                if table is not None:
                    yield table
                elif records := list(_records(portion, filters.get("clues"), on_bad)):
                    yield table_of_records(records)

    def rate(self, *, paths: bool = False, report: Callable[[int], object] = lambda _: None) -> int:
        """Compute missing measures and difficulties, and return the number of puzzles that lacked them.

        With `paths`, find the solution paths of solvable puzzles too and store their measures. `report` is called with
        the number of puzzles after each transaction. Raise `EngineError` for paths without the kernel.
        """
        rated, last = 0, -1
        while True:
            with self._file.transaction():
                rows = self._connection.execute(sql.READ_UNRATED, (last, paths)).fetchall()
                if not rows:
                    return rated
                records = _rated([sql.puzzle_record(row[:-1]) for row in rows], paths)
                self._connection.executemany(sql.SET_RATING, map(sql.rating_row, records))
            report(len(rows))
            rated, last = rated + len(rows), rows[-1][-1]

    def count(self, **filters: Unpack[Filters]) -> int:
        """Return the number of puzzles that match. Raise `DatabaseError` for an invalid `where`."""
        condition, values = _condition_of(filters)
        with self._file.reader(filters.get("where")) as connection:
            sql.add_derived(connection, filters.get("clues"))
            query = f"SELECT count(*) FROM {sql.WITH_DERIVED} WHERE {condition}"
            return int(connection.execute(query, values).fetchone()[0])

    def ids(self, *, limit: int | None = None, **filters: Unpack[Filters]) -> list[str]:
        """Return the ids of the puzzles that match, oldest first. Raise `DatabaseError` for an invalid `where`."""
        condition, values = _condition_of(filters)
        query = f"SELECT id FROM {sql.WITH_DERIVED} WHERE {condition} ORDER BY rowid LIMIT ifnull(?, -1)"
        with self._file.reader(filters.get("where")) as connection:
            sql.add_derived(connection, filters.get("clues"))
            return [name for (name,) in connection.execute(query, (*values, limit))]

    def puzzle(self, name: str) -> PuzzleRecord:
        """Return the only puzzle whose id begins with `name`. Raise `DatabaseError` for none or several."""
        prefix = id_prefix(name)
        with self._file.reader() as connection:
            # A range, up to 'g' after all hexadecimal digits, uses the index; LIKE would not.
            query = f"{sql.READ_PUZZLES} WHERE id >= ? AND id < ? LIMIT 2"
            rows = connection.execute(query, (prefix, f"{prefix}g")).fetchall()
        return sql.puzzle_record(only_match(rows, name, self.path))

    def add_games(self, records: Iterable[GameRecord]) -> None:
        """Store results. A result of the same strategy on the same board replaces the earlier one and keeps its id.

        Raise `DatabaseError` if a game is on a puzzle that is not stored.
        """
        records = list(records)
        with self._file.transaction():
            self._connection.executemany(sql.INSERT_STRATEGY, sorted({(record.strategy,) for record in records}))
            for record in records:
                sampled = isinstance(record.board, Sample)
                insert = sql.INSERT_GAME_ON_SAMPLE if sampled else sql.INSERT_GAME_ON_PUZZLE
                if not self._connection.execute(insert, sql.game_row(record)).rowcount:
                    raise DatabaseError(f"no puzzle {record.board!r} in {str(self.path)!r}")

    def game(self, name: str) -> GameRecord:
        """Return the game with the id `name`, or the ``last`` one. Raise `DatabaseError` for an unknown game."""
        if name != "last" and not (name.isdecimal() and len(name) < 19):
            raise DatabaseError(f"invalid game id {name!r}; expected a number or last")
        found = self._games("1") if name == "last" else self._games("games.id = ?", int(name))
        if not found:
            raise DatabaseError(f"no game {name!r} in {str(self.path)!r}; packs games lists all")
        return found[0][-1]

    def puzzle_of(self, game: GameRecord) -> Puzzle:
        """Return the puzzle of a game. Raise `DatabaseError` for a game on a screen, whose board is unknown."""
        if game.strategy.endswith(ON_SCREEN):
            raise DatabaseError("this game was played on the screen; its board is not known")
        board = game.board
        return self.puzzle(board).puzzle if isinstance(board, str) else board.recipe.puzzle(board.index)

    def games(self, limit: int | None = None) -> list[tuple[int, str, GameRecord]]:
        """Return the latest games, the last one first, each with its id and the time when it was played (UTC)."""
        return self._games("1", limit=limit)

    def _games(self, condition: str, *values: int, limit: int | None = 1) -> list[tuple[int, str, GameRecord]]:
        query = f"{sql.READ_GAMES} WHERE {condition} ORDER BY played DESC, games.id DESC LIMIT ifnull(?, -1)"
        return self._file.games(query, (*values, limit), lambda row: (row["id"], row["played"], sql.game_record(row)))

    def leaderboard(self) -> Leaderboard:
        """Return a row for each strategy and family of boards, best strategy first. A notebook draws the list.

        Keys: strategy, boards, games, wins, win_rate_percent, guesses_per_game, seconds_per_game, forfeits.
        """
        with self._file.translate_sqlite_errors():
            return Leaderboard(self.db.query("SELECT * FROM leaderboard"))

    @cached_property
    def people(self) -> People:
        """The games of people on the page."""
        from minesweeper.db.people import People

        return People(self._file)

    @cached_property
    def runs(self) -> Runs:
        """The runs of the generator, which `minesweeper.generator.generate` stores."""
        from minesweeper.db.runs import Runs

        return Runs(self._file)

    @cached_property
    def proofs(self) -> Proofs:
        """The proofs of the puzzles, which ``packs verify`` stores."""
        from minesweeper.db.runs import Proofs

        return Proofs(self._file)

    @cached_property
    def series(self) -> Series:
        """The series of games that ``match`` and ``leaderboard`` play."""
        from minesweeper.db.series import Series

        return Series(self._file)


class Import:
    """Import of many puzzles in one transaction at the end of a ``with`` statement; nothing is stored if it raises.

    Until then they are in a temporary table on disk. `canonical` also skips rotations and mirror images of earlier
    puzzles. Afterwards `added` and `duplicates` are the numbers of new and of skipped puzzles. Raise `DatabaseError`
    if storing fails.
    """

    def __init__(self, store: Store, *, canonical: bool = False) -> None:
        self._file = store._file
        self._canonical = canonical
        self._waiting = 0
        self.added = 0
        self.duplicates = 0

    def add(self, found: Iterable[PuzzleRecord] | Table) -> None:
        """Add puzzles to the temporary table."""
        rows = rows_to_store(found)
        self._waiting += len(rows)
        connection = self._file.connection
        with self._file.translate_sqlite_errors():
            # Not IMMEDIATE: a temporary table needs no write lock on the file.
            connection.execute("BEGIN")
            try:
                connection.executemany(sql.STAGE_PUZZLE, rows)
            finally:
                connection.execute("COMMIT")

    def __enter__(self) -> Self:
        with self._file.translate_sqlite_errors():
            self._file.connection.execute(sql.STAGE)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._store()
        finally:
            with self._file.translate_sqlite_errors():
                self._file.connection.execute(sql.UNSTAGE)

    def _store(self) -> None:
        with self._file.transaction():
            if self._canonical:
                self._file.connection.execute(sql.INDEX_CANONICAL_IDS)
                self._file.connection.execute(sql.INDEX_STAGED)
                self._file.connection.execute(sql.DROP_STAGED_IMAGES)
            self.added = self._file.connection.execute(sql.STORE_STAGED).rowcount
        self.duplicates = self._waiting - self.added


class GameRecorder(AbstractContextManager["GameRecorder"]):
    """Buffer of results, which stores many at once; the end of its ``with`` statement stores the rest.

    Raise the errors of `Store.add_games`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[GameRecord] = []
        self._stored = time.monotonic()

    def add(self, record: GameRecord) -> None:
        """Add a result to the buffer."""
        self._waiting.append(record)
        if len(self._waiting) >= _MAX_BUFFERED or time.monotonic() - self._stored >= MAX_WAIT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Store the buffered results."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._store.add_games(waiting)
        self._stored = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.flush()


def _records(
    rows: Iterable[tuple[Any, ...]], clues: Generosity | None, on_bad: Callable[[str, BoardError], None]
) -> Iterator[PuzzleRecord]:
    """Yield the records of rows, and call `on_bad` for invalid ones."""
    for row in rows:
        try:
            record = sql.puzzle_record(row, clues)
        except BoardError as error:
            on_bad(str(row[0]), error)
        else:
            yield record


def _rated(records: Sequence[PuzzleRecord], paths: bool) -> Iterator[PuzzleRecord]:
    """Yield records with their missing measures, with `paths` those of their solution paths too."""
    from minesweeper.player.logic.effort import clues_at_once, effort_of

    for record, measures in zip(records, measure_all([record.puzzle for record in records]), strict=True):
        clues, effort = record.clues_at_once, record.effort
        if record.tally is not None and clues is None:
            clues = clues_at_once(record.puzzle, record.tally)
        if record.tally is not None and effort is None and paths:
            effort = effort_of(record.puzzle)
        yield replace(record, measured=measures, clues_at_once=clues, effort=effort)


def ids_where(columns: Columns, where: str) -> set[str]:
    """Return the ids of those puzzles, given by the columns `WRITTEN`, for which an SQL condition is true.

    Raise `DatabaseError` for an invalid condition.
    """
    import sqlite3

    with translate_sqlite_errors("", where), closing(sqlite3.connect(":memory:", isolation_level=None)) as table:
        create_tables(table)
        table.execute("PRAGMA foreign_keys = OFF")
        if columns:
            table.executemany(sql.insert_puzzle(len(columns)), zip(*columns, strict=True))
        condition, _ = _condition_of(Filters(where=where))
        return {name for (name,) in table.execute(f"SELECT id FROM puzzles WHERE {condition}")}


def id_prefix(name: str) -> str:
    """Normalise the beginning of a puzzle id. Raise `DatabaseError` for other characters."""
    prefix = name.strip().lower()
    if not prefix or set(prefix) - set("0123456789abcdef"):
        raise DatabaseError(f"invalid puzzle id {name!r}; expected hexadecimal digits, some or all of an id")
    return prefix


def only_match(found: Sequence[_T], name: str, path: Path) -> _T:
    """Return the only match of the beginning of an id. Raise `DatabaseError` for none or several."""
    if not found:
        raise DatabaseError(f"no puzzle {name!r} in {str(path)!r}")
    if len(found) > 1:
        raise DatabaseError(f"several puzzle ids begin with {name!r}; give more digits")
    return found[0]


def _condition_of(filters: Filters) -> tuple[str, list[object]]:
    """Return filters as an SQL condition and its values. Raise `DatabaseError` for a difficulty that is a word."""
    given = {name: value for name, value in filters.items() if value is not None and name not in ("where", "clues")}
    where = filters.get("where")
    conditions = [f"{FILTER_COLUMNS.get(name, name)} = ?" for name in given]
    if where is not None:
        if _WORD_AS_SCORE.search(where):
            raise DatabaseError(
                "difficulty is a number, the score; its word is in difficulty_word, "
                f"e.g. \"difficulty_word = 'hard'\": {where!r}"
            )
        # On its own lines, so that a comment cannot hide the bracket.
        conditions.append(f"(\n{where}\n)")
    return " AND ".join(conditions) or "1", list(given.values())


def select(
    connection: sqlite3.Connection,
    limit: int | None,
    shuffle_seed: int | None,
    sort: Sequence[str],
    filters: Filters,
) -> sqlite3.Cursor:
    """Query the puzzles that match, oldest first, sorted, or in the random order number `shuffle_seed`."""
    condition, values = _condition_of(filters)
    sql.add_derived(connection, filters.get("clues"))
    order = "rowid"
    if shuffle_seed is not None:
        salt, order = f"{shuffle_seed}:".encode(), "shuffled(id)"
        digest = partial(hashlib.blake2b, digest_size=16)
        connection.create_function(
            "shuffled", 1, lambda name: digest(salt + name.encode()).digest(), deterministic=True
        )
    ordered = f"{sql.order_by(sort)}{order} LIMIT ifnull(?, -1)"
    query = f"SELECT {sql.STORED_NAMES} FROM {sql.WITH_DERIVED} WHERE {condition} ORDER BY {ordered}"
    return connection.execute(query, (*values, limit))
