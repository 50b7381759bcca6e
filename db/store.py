"""The database: one SQLite file with puzzles, the runs that made them, and the games played on them."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict, TypeVar, Unpack

from minesweeper.db import schema, sql
from minesweeper.db.file import DatabaseError, DatabaseFile
from minesweeper.db.records import GameRecord, PuzzleRecord, Run, RunKey, Sample
from minesweeper.player.board import BoardError
from minesweeper.player.version import VERSION

# Series and the games of people are loaded where they are asked for: most commands know of puzzles alone.
if TYPE_CHECKING:
    from sqlite_utils import Database

    from minesweeper.db.people import GameStats, HumanGame, Unranked
    from minesweeper.db.series import SeriesKey, SeriesResults

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_MOST_GAMES_WAITING: Final = 1000
_LONGEST_WAIT: Final = 2.0
# Of filters that are not named after their columns.
_COLUMN: Final = {"tier": "hardest_tier", "difficulty": "difficulty_word", "run": "run_id"}


class Filters(TypedDict, total=False):
    """Which puzzles are meant: all conditions given must hold; None is no condition.

    `tier` is the hardest tier needed, the title of a `Tier`; `difficulty` a word of `player.measure.difficulty.WORDS`.
    `where` is an SQL condition on the columns of the table ``puzzles``.
    """

    rows: int | None
    cols: int | None
    mines: int | None
    rule: str | None
    tier: str | None
    difficulty: str | None
    run: int | None
    where: str | None


def skip_damaged(name: str, error: ValueError) -> None:
    log.warning("puzzle %s is passed over: %s", name, error)


class Store(AbstractContextManager["Store"]):
    """A database file, open for reading and writing; several processes may have it open at the same time.

    With `create`, a missing or empty file becomes a new database. A file of an older version is brought up to date.
    What a method writes is stored as a whole or, if it raises, not at all.
    Everything raises `DatabaseError` for a file that is missing (without `create`), damaged, of a newer version, of
    another program, or that can't be written to when it must be.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        self._file = DatabaseFile(self.path, create=create)
        self._connection = self._file.connection

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    @cached_property
    def db(self) -> Database:
        """The sqlite-utils database, for questions that this class has no method for; loaded when it is asked for."""
        from sqlite_utils import Database

        return Database(self._connection, execute_plugins=False)

    def begin_run(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start a run, or find the one with the same key to resume it.

        `arguments` are kept as JSON, for people to read; those of a resumed run, its engine and the toolkit's version
        replace the earlier ones.
        """
        row = sql.run_key_row(key)
        described = {"arguments": json.dumps(dict(arguments), default=str), "engine": engine, "version": VERSION}
        with self._file.transaction():
            self._connection.execute(sql.INSERT_RUN, row | described)
            return self._run(sql.RUN_HAS_KEY, row)

    def run(self, run_id: int) -> Run:
        """Tell how far a run has come by now, also if another process works on it."""
        with self._file.translate_sqlite_errors():
            return self._run("id = :id", {"id": run_id})

    def add_rows(
        self, run_id: int, rows: Sequence[sql.PuzzleRow], *, next_index: int, candidates: int, seconds: float
    ) -> Run:
        """Store puzzles that a run found, as `sql.puzzle_rows` lists them, with its progress, and return how far it is.

        `next_index`, `candidates` and `seconds` are the run's totals. They never decrease, so a process that repeats
        what another has done changes nothing.
        """
        with self._file.translate_sqlite_errors(), self._file.unchecked():
            self._run("id = :id", {"id": run_id})
            added = self._connection.executemany(sql.INSERT_PUZZLE, rows).rowcount if rows else 0
            self._advance(run_id, added, next_index, candidates, seconds)
            return self._run("id = :id", {"id": run_id})

    def _advance(self, run_id: int, added: int, next_index: int, candidates: int, seconds: float) -> None:
        """Note how far a run has come; the caller holds a write transaction."""
        self._connection.execute(
            "UPDATE runs SET next_index = max(next_index, ?), candidates = max(candidates, ?), "
            "seconds = max(seconds, ?), kept = kept + ?, updated = CURRENT_TIMESTAMP WHERE id = ?",
            (next_index, candidates, seconds, added, run_id),
        )

    def set_verdicts(self, records: Iterable[PuzzleRecord]) -> None:
        """Store anew what is known of puzzles: verdict, steps and certificate. Other puzzles stay as they are."""
        with self._file.transaction():
            self._connection.executemany(sql.SET_FOUND, map(sql.found_row, records))

    def clear_proofs(self, ids: Iterable[str]) -> None:
        """Mark puzzles, by the ids that are stored, as not known to be solvable."""
        with self._file.transaction():
            self._connection.executemany(sql.FORGET_FOUND, [(name,) for name in ids])

    def integrity_errors(self) -> list[str]:
        """Have SQLite look through the whole file, and return what it finds wrong with it."""
        # Not by a reader: SQLite passes over CHECK there.
        with self._file.translate_sqlite_errors():
            found = [" ".join(str(text).split()) for (text,) in self._connection.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def puzzles(
        self,
        *,
        limit: int | None = None,
        shuffle_seed: int | None = None,
        on_bad: Callable[[str, BoardError], None] = skip_damaged,
        **filters: Unpack[Filters],
    ) -> Iterator[PuzzleRecord]:
        """Yield the puzzles that fit, oldest first, reading the file as they are asked for.

        With `shuffle_seed` they come in a random order which only depends on this number and on which puzzles
        there are; with `limit`, that is a random sample. What is stored meanwhile is not seen.
        A row that can't be right is passed over: `on_bad` is told its id, or else the log.
        Raises `DatabaseError` for a `where` that is no SQL condition.
        """
        condition, values = condition_of(filters)
        order = "rowid" if shuffle_seed is None else "shuffled(id)"
        query = f"{sql.READ_PUZZLES} WHERE {condition} ORDER BY {order} LIMIT ?"
        with self._file.reader(filters.get("where")) as connection:
            if shuffle_seed is not None:
                connection.create_function("shuffled", 1, shuffler(shuffle_seed), deterministic=True)
            for row in connection.execute(query, (*values, -1 if limit is None else limit)):
                try:
                    record = sql.puzzle_record(row)
                except BoardError as error:
                    on_bad(str(row[0]), error)
                else:
                    yield record

    def rate(self) -> int:
        """Work out the metrics and the difficulty of the puzzles that lack them, and return how many did."""
        with self._file.transaction():
            return schema.rate(self._connection)

    def count(self, **filters: Unpack[Filters]) -> int:
        """Count the puzzles that fit. Raises `DatabaseError` for a `where` that is no SQL condition."""
        condition, values = condition_of(filters)
        with self._file.reader(filters.get("where")) as connection:
            return int(connection.execute(f"SELECT count(*) FROM puzzles WHERE {condition}", values).fetchone()[0])

    def puzzle(self, name: str) -> PuzzleRecord:
        """Return the puzzle whose id is `name` or, if only one does, begins with it.

        Raises `DatabaseError` naming the text if there is none, or more than one.
        """
        prefix = id_prefix(name)
        with self._file.reader() as connection:
            # 'g' comes after every hexadecimal digit; a range uses the index, LIKE would not.
            query = f"{sql.READ_PUZZLES} WHERE id >= ? AND id < ? LIMIT 2"
            rows = connection.execute(query, (prefix, f"{prefix}g")).fetchall()
        return sql.puzzle_record(the_only(rows, name, self.path))

    def add_games(self, records: Iterable[GameRecord]) -> None:
        """Store results. A strategy's earlier result on the same board is replaced, so no board counts twice.

        Raises `DatabaseError`, and stores none of them, if a game names a puzzle that is not stored.
        """
        records = list(records)
        with self._file.transaction():
            self._connection.executemany(sql.INSERT_STRATEGY, sorted({(record.strategy,) for record in records}))
            for record in records:
                sampled = isinstance(record.board, Sample)
                insert = sql.INSERT_GAME_ON_SAMPLE if sampled else sql.INSERT_GAME_ON_PUZZLE
                if not self._connection.execute(insert, sql.game_row(record)).rowcount:
                    raise DatabaseError(f"expected the id of a puzzle in {str(self.path)!r}: {record.board!r}")

    def game(self, name: str) -> GameRecord:
        """Return the game whose id in the table ``games`` is `name`, or the one stored ``last``.

        Raises `DatabaseError` naming the text if there is none.
        """
        if name != "last" and not (name.isdecimal() and len(name) < 19):
            raise DatabaseError(f"expected the id of a game, a number, or last: {name!r}")
        with self._file.reader() as connection:
            connection.row_factory = sqlite3.Row
            if name == "last":
                row = connection.execute(f"{sql.READ_GAMES} ORDER BY games.id DESC LIMIT 1").fetchone()
            else:
                row = connection.execute(f"{sql.READ_GAMES} WHERE games.id = ?", (int(name),)).fetchone()
        if row is None:
            raise DatabaseError(f"expected the id of a game in {str(self.path)!r}: {name!r}")
        return sql.game_record(row)

    def games(self, limit: int | None = None) -> list[tuple[int, str, GameRecord]]:
        """List recorded games, the last one first: the id that `game` takes, when it was played (UTC), and the game."""
        with self._file.reader() as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute(f"{sql.LIST_GAMES} LIMIT ?", (-1 if limit is None else limit,)).fetchall()
        return [(row["id"], row["played"], sql.game_record(row)) for row in rows]

    def leaderboard(self) -> list[dict[str, Any]]:
        """Return one dictionary for each strategy and kind of boards, the best strategy on the same boards first.

        Keys: strategy, boards, games, wins, win_rate_percent, guesses_per_game, seconds_per_game, forfeits.
        """
        with self._file.translate_sqlite_errors():
            return list(self.db.query("SELECT * FROM leaderboard"))

    def series_results(self, key: SeriesKey) -> SeriesResults:
        """Return how a series stands; one that has not begun has no games."""
        from minesweeper.db import series

        with self._file.translate_sqlite_errors():
            return series.read_results(self._connection, key)

    def add_block(self, key: SeriesKey, first_index: int, block: SeriesResults) -> bool:
        """Add the results of games from `first_index` on to a series, if it ends there; return whether it did.

        It does not if another process was faster; then `standing` tells where to go on.
        """
        from minesweeper.db import series

        with self._file.transaction():
            return series.append_block(self._connection, key, first_index, block)

    def save_running_games(self, plays: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Keep games of the page, each as its id, its player and its state, in place of what was kept of them."""
        rows = [(play, player, json.dumps(dict(state))) for play, player, state in plays]
        with self._file.transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO running_games (id, player, state) VALUES (?, ?, ?)", rows
            )

    def running_games(self, player: str, most: int) -> list[tuple[str, dict[str, Any]]]:
        """Return the id and the state of a player's newest games of the page, oldest first."""
        with self._file.translate_sqlite_errors():
            query = "SELECT id, state FROM running_games WHERE player = ? ORDER BY saved DESC, rowid DESC LIMIT ?"
            rows = self._connection.execute(query, (player, most)).fetchall()
        return [(play, json.loads(state)) for play, state in reversed(rows)]

    def delete_running_game(self, play: str, player: str) -> None:
        """Forget a game of the page: it can't be gone on with."""
        with self._file.transaction():
            self._connection.execute("DELETE FROM running_games WHERE id = ? AND player = ?", (play, player))

    def add_human_games(self, games: Iterable[tuple[str, HumanGame]]) -> None:
        """Store games of people that have ended, each with its player; one that is there already stays as it is.

        A game on a board that its player has met before is marked `Unranked.REPEAT`.
        """
        from minesweeper.db import people

        with self._file.transaction():
            self._connection.executemany(people.INSERT, [people.insert_row(*game) for game in games])

    def set_game_stats(self, name: str, figures: GameStats) -> None:
        """Store what a game of a person comes to."""
        from minesweeper.db import people

        with self._file.transaction():
            self._connection.execute(people.SET_FIGURES, people.figures_row(name, figures))

    def human_games(
        self, player: str | None = None, *, limit: int | None = None, whole: bool = True
    ) -> list[HumanGame]:
        """Return the newest games of one person, or of all, the last one first; without clicks unless `whole`."""
        from minesweeper.db import people

        condition = "1" if player is None else "player = :player"
        shown = "*" if whole else people.WITHOUT_CLICKS
        query = f"SELECT {shown} FROM human_games WHERE {condition} ORDER BY number DESC LIMIT :limit"
        return self._played(query, {"player": player, "limit": -1 if limit is None else limit})

    def human_game(self, name: str, player: str | None = None) -> HumanGame:
        """Return a person's game by its id on the page, or its number after ``play:``; with `player`, one of theirs.

        Raises `DatabaseError` naming the text if there is none.
        """
        number = name.removeprefix("play:")
        is_number = number != name and number.isdecimal() and len(number) < 19
        column = "number" if is_number else "id"
        query = f"SELECT * FROM human_games WHERE {column} = :name AND player = ifnull(:player, player)"
        found = self._played(query, {"name": int(number) if is_number else name, "player": player})
        if not found:
            raise DatabaseError(f"expected the id of a person's game, play:NUMBER, in {str(self.path)!r}: {name!r}")
        return found[0]

    def compare_human_game(self, player: str, game: HumanGame) -> tuple[Unranked, float | None]:
        """Return what a person's game counts as, and the best time before of their games of its kind without aid.

        A game that is not stored counts as what it says.
        """
        from minesweeper.db import people

        with self._file.translate_sqlite_errors():
            row = self._connection.execute(
                "SELECT unranked FROM human_games WHERE id = ? AND player = ?", (game.name, player)
            ).fetchone()
            best = people.best_before(self._connection, player, game)
        return (game.unranked if row is None else people.Unranked(row[0])), best

    def delete_player(self, player: str, keep: Collection[str] = ()) -> None:
        """Forget all games of a person, those that go on too, except `keep`."""
        with self._file.transaction():
            self._connection.execute("DELETE FROM human_games WHERE player = ?", (player,))
            plays = self._connection.execute("SELECT id FROM running_games WHERE player = ?", (player,)).fetchall()
            gone = [(play,) for (play,) in plays if play not in keep]
            self._connection.executemany("DELETE FROM running_games WHERE id = ?", gone)

    def _played(self, query: str, values: dict[str, object]) -> list[HumanGame]:
        from minesweeper.db import people

        with self._file.reader() as connection:
            connection.row_factory = sqlite3.Row
            return [people.human_game(row) for row in connection.execute(query, values).fetchall()]

    def _run(self, condition: str, values: dict[str, object]) -> Run:
        query = f"SELECT id, next_index, candidates, kept, seconds FROM runs WHERE {condition}"
        row = self._connection.execute(query, values).fetchone()
        if row is None:
            raise DatabaseError(f"expected the id of a run in {str(self.path)!r}: {values['id']}")
        return Run(*row)


class Import:
    """Many puzzles on their way into a database, in a ``with`` statement: they wait in a temporary table, which SQLite
    keeps on disk, and are stored in one transaction where the statement ends. If it raises, nothing is.

    `canonical` passes over turns and mirrors of puzzles that come earlier or are there already, too. Afterwards `added`
    is how many puzzles were new, and `duplicates` how many were not. Raises `DatabaseError` if storing fails.
    """

    def __init__(self, store: Store, *, canonical: bool = False) -> None:
        self._file = store._file
        self._canonical = canonical
        self._waiting = 0
        self.added = 0
        self.duplicates = 0

    def add(self, records: Iterable[PuzzleRecord]) -> None:
        """Let some more puzzles wait."""
        rows = sql.puzzle_rows(records, None)
        self._waiting += len(rows)
        connection = self._file.connection
        with self._file.translate_sqlite_errors():
            # A transaction without IMMEDIATE: as only a temporary table is written, nobody else has to wait.
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
    """Gathers results for a moment, so that storing them costs little; use it in a ``with`` statement.

    Whatever ends the statement, all that was added is stored. Raises as `Store.add_games` does.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[GameRecord] = []
        self._stored = time.monotonic()

    def add(self, record: GameRecord) -> None:
        """Take a result, to be stored soon."""
        self._waiting.append(record)
        if len(self._waiting) >= _MOST_GAMES_WAITING or time.monotonic() - self._stored >= _LONGEST_WAIT:
            self.flush()

    def flush(self) -> None:
        """Store what is waiting."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._store.add_games(waiting)
        self._stored = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.flush()


def id_prefix(name: str) -> str:
    """Return the beginning of an id as ids are written; raises `DatabaseError` for what is none."""
    prefix = name.strip().lower()
    if not prefix or set(prefix) - set("0123456789abcdef"):
        raise DatabaseError(f"expected a puzzle id or its beginning, hexadecimal digits: {name!r}")
    return prefix


def the_only(found: Sequence[_T], name: str, path: Path) -> _T:
    """Return the one that was found for the beginning of an id; raises `DatabaseError` if there is not exactly one."""
    if not found:
        raise DatabaseError(f"expected the id of a puzzle in {str(path)!r}: {name!r}")
    if len(found) > 1:
        raise DatabaseError(f"expected more of the puzzle id, several begin like this: {name!r}")
    return found[0]


def condition_of(filters: Filters) -> tuple[str, list[object]]:
    """Write filters as an SQL condition and its values."""
    given = {name: value for name, value in filters.items() if value is not None}
    where = given.pop("where", None)
    conditions = [f"{_COLUMN.get(name, name)} = ?" for name in given]
    if where is not None:
        # On lines of its own, so that a comment in it can't swallow the bracket.
        conditions.append(f"(\n{where}\n)")
    return " AND ".join(conditions) or "1", list(given.values())


def shuffler(seed: int) -> Callable[[str], bytes]:
    """Return a function that gives every id its place in the random order number `seed`."""
    salt = f"{seed}:".encode()
    return lambda name: hashlib.blake2b(salt + name.encode(), digest_size=16).digest()
