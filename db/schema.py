"""The tables and views of the database, and the steps that bring an older file up to date.

The file says what it is: ``PRAGMA application_id`` marks it as ours, ``PRAGMA user_version`` is its schema version,
the number of `MIGRATIONS` that it has been through. What all of them come to is written down in ``newest.sql``, by
``python -m minesweeper.db.schema``: new files are laid out by that.

Tables, views and migrations are plain SQL. sqlite-utils answers questions (`Store.db` is its `Database`, for whoever
has more of them), but it takes as long to load as NumPy, its ``create`` knows no CHECK and its ``create_index`` no
WHERE. What its ``transform`` keeps of a table and how ``create_view`` quotes a name depends on its version, and a file
should not. Its migrations keep a table of their own in the file, where one number does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from minesweeper.db import sql
from minesweeper.db.facts import Use, in_list, used
from minesweeper.player.measure.puzzles import measure_all

APPLICATION_ID: Final = int.from_bytes(b"MINE", "big")
_NEWEST: Final = Path(__file__).with_name("newest.sql")

_PUZZLE_SIZE = """
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 1000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 1000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols)"""

_RULE = "TEXT NOT NULL CHECK (rule IN ('opening', 'safe'))"


def _create_tables(db: sqlite3.Connection) -> None:
    """Lay out version 1. A migration that has been released is never edited: what changes is a new one."""
    db.execute(f"""CREATE TABLE runs (
    id INTEGER PRIMARY KEY,{_PUZZLE_SIZE},
    first_click TEXT NOT NULL,
    rule {_RULE},
    seed INTEGER NOT NULL CHECK (seed >= 0),
    method TEXT NOT NULL,
    arguments TEXT NOT NULL,
    engine TEXT NOT NULL,
    version TEXT NOT NULL,
    candidates INTEGER NOT NULL DEFAULT 0 CHECK (candidates >= 0),
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept >= 0),
    next_index INTEGER NOT NULL DEFAULT 0 CHECK (next_index >= 0),
    seconds REAL NOT NULL DEFAULT 0 CHECK (seconds >= 0),
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (rows, cols, mines, first_click, rule, seed, method)
)""")
    db.execute(f"""CREATE TABLE puzzles (
    id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 20),
    canonical_id TEXT NOT NULL CHECK (length(canonical_id) = 20),{_PUZZLE_SIZE},
    first_row INTEGER NOT NULL CHECK (first_row BETWEEN 0 AND rows - 1),
    first_col INTEGER NOT NULL CHECK (first_col BETWEEN 0 AND cols - 1),
    rule {_RULE},
    mine_bits BLOB NOT NULL CHECK (typeof(mine_bits) = 'blob' AND length(mine_bits) = (rows * cols + 7) / 8),
    hardest_tier TEXT NOT NULL
        CHECK (hardest_tier IN ('first click', '1 clue', '2 clues', 'more clues', 'mine count')),
    steps_1_clue INTEGER NOT NULL CHECK (steps_1_clue >= 0),
    steps_2_clues INTEGER NOT NULL CHECK (steps_2_clues >= 0),
    steps_more_clues INTEGER NOT NULL CHECK (steps_more_clues >= 0),
    steps_mine_count INTEGER NOT NULL CHECK (steps_mine_count >= 0),
    needs_mine_count INTEGER NOT NULL CHECK (needs_mine_count = (steps_mine_count > 0)),
    method TEXT NOT NULL,
    engine TEXT NOT NULL,
    certificate TEXT,
    run_id INTEGER REFERENCES runs (id),
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)""")
    db.execute("CREATE INDEX puzzles_by_canonical_id ON puzzles (canonical_id)")
    db.execute("CREATE INDEX puzzles_by_board ON puzzles (rows, cols, mines)")
    db.execute("CREATE INDEX puzzles_by_run ON puzzles (run_id)")
    db.execute("""CREATE TABLE strategies (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)""")
    db.execute(f"""CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),
    puzzle_id TEXT REFERENCES puzzles (id),{_PUZZLE_SIZE},
    first_click TEXT NOT NULL,
    rule {_RULE},
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    opened INTEGER NOT NULL CHECK (opened BETWEEN 0 AND rows * cols - mines),
    guesses INTEGER NOT NULL CHECK (guesses >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CHECK ((puzzle_id IS NULL) = (seed IS NOT NULL) AND (seed IS NULL) = (sample_index IS NULL))
)""")
    # One result for each strategy and board: games played again must not make a sample look larger than it is.
    db.execute("CREATE UNIQUE INDEX games_of_puzzles ON games (puzzle_id, strategy_id) WHERE puzzle_id IS NOT NULL")
    db.execute("""CREATE UNIQUE INDEX games_of_samples
    ON games (strategy_id, rows, cols, mines, first_click, rule, seed, sample_index) WHERE puzzle_id IS NULL""")


def _create_series(db: sqlite3.Connection) -> None:
    """Lay out version 2: series of games as blocks of results."""
    db.execute(f"""CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),{_PUZZLE_SIZE},
    first_click TEXT NOT NULL,
    rule {_RULE},
    seed INTEGER NOT NULL CHECK (seed >= 0),
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (strategy_id, rows, cols, mines, first_click, rule, seed)
)""")
    db.execute("""CREATE TABLE blocks (
    series_id INTEGER NOT NULL REFERENCES series (id),
    first_index INTEGER NOT NULL CHECK (first_index >= 0),
    games INTEGER NOT NULL CHECK (games > 0),
    wins INTEGER NOT NULL CHECK (wins BETWEEN 0 AND games),
    opened INTEGER NOT NULL CHECK (opened >= 0),
    guesses INTEGER NOT NULL CHECK (guesses >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    won_bits BLOB NOT NULL CHECK (length(won_bits) = (games + 7) / 8),
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (series_id, first_index)
)""")


def _allow_unproved_puzzles(db: sqlite3.Connection) -> None:
    """Keep what others made also before it is proved: a verdict, and steps only for what is known to be solvable."""
    columns = {
        "hardest_tier": "TEXT CHECK (hardest_tier IN ('first click', '1 clue', '2 clues', 'more clues', 'mine count'))",
        **{
            name: f"INTEGER CHECK ({name} >= 0 AND ({name} IS NULL) = (hardest_tier IS NULL))"
            for name in ("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count")
        },
        "needs_mine_count": "INTEGER CHECK (needs_mine_count IS (steps_mine_count > 0))",
    }
    # SQLite can't take NOT NULL from a column, but it can drop the column. Views that users made may miss it meanwhile.
    db.execute("PRAGMA legacy_alter_table = ON")
    for name in columns:
        db.execute(f"ALTER TABLE puzzles ADD COLUMN old_{name}")
    db.execute(f"UPDATE puzzles SET {', '.join(f'old_{name} = {name}' for name in columns)}")
    for name in reversed(columns):
        db.execute(f"ALTER TABLE puzzles DROP COLUMN {name}")
    for name, definition in columns.items():
        db.execute(f"ALTER TABLE puzzles ADD COLUMN {name} {definition}")
    db.execute(f"UPDATE puzzles SET {', '.join(f'{name} = old_{name}' for name in columns)}")
    for name in columns:
        db.execute(f"ALTER TABLE puzzles DROP COLUMN old_{name}")
    db.execute("PRAGMA legacy_alter_table = OFF")
    db.execute("""ALTER TABLE puzzles ADD COLUMN verdict TEXT NOT NULL DEFAULT 'solvable' CHECK (
        verdict IN ('solvable', 'unsolvable', 'unknown') AND (verdict = 'solvable') = (hardest_tier IS NOT NULL))""")


def _add_metrics_and_difficulty(db: sqlite3.Connection) -> None:
    """Keep the measures of boards, which may not be known, and the difficulty of what is solvable."""
    for name in ("bbbv", "openings", "islands", "greedy_zini", "human_zini"):
        db.execute(f"ALTER TABLE puzzles ADD COLUMN {name} INTEGER CHECK ({name} >= 0)")
    db.execute("ALTER TABLE puzzles ADD COLUMN difficulty REAL CHECK (difficulty >= 0)")
    db.execute(
        "ALTER TABLE puzzles ADD COLUMN difficulty_word TEXT CHECK ((difficulty_word IS NULL) = (difficulty IS NULL))"
    )


def _add_clues_at_once(db: sqlite3.Connection) -> None:
    """Keep how many clues the hardest step needs at once, which may not be known, and rate all puzzles anew."""
    db.execute(
        "ALTER TABLE puzzles ADD COLUMN clues_at_once INTEGER "
        "CHECK (clues_at_once >= 0 AND (clues_at_once IS NULL OR hardest_tier IS NOT NULL))"
    )
    db.execute("UPDATE puzzles SET difficulty = NULL, difficulty_word = NULL")


def _add_first_opening(db: sqlite3.Connection) -> None:
    """Keep how many cells the first click opens, which may not be known."""
    db.execute("ALTER TABLE puzzles ADD COLUMN first_opening INTEGER CHECK (first_opening >= 1)")


def _show_zero_starts(db: sqlite3.Connection) -> None:
    """Tell in ``puzzle_list`` whether the first click is a zero; every migration makes the views anew."""


def _create_plays(db: sqlite3.Connection) -> None:
    """Keep the games that people play on the page, by the digest of what names their browser."""
    db.execute(
        "CREATE TABLE plays (id TEXT PRIMARY KEY, player TEXT NOT NULL, state TEXT NOT NULL, "
        "saved TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)"
    )
    db.execute("CREATE INDEX plays_of_player ON plays (player, saved)")


def _index_canonical_ids_when_needed(db: sqlite3.Connection) -> None:
    """Drop an index that only imports with ``--canonical`` use, which make it: it took a fifth of the time to store."""
    db.execute("DROP INDEX IF EXISTS puzzles_by_canonical_id")


def _name_difficulty(db: sqlite3.Connection, easy: int, medium: int, hard: int, expert: int) -> None:
    """Say how hard every puzzle is by the first of these scores, for every 100 safe cells, that it stays below."""
    db.execute(f"""UPDATE puzzles SET difficulty_word = CASE
        WHEN 100 * difficulty < {easy} * max(rows * cols - mines, 100) THEN 'easy'
        WHEN 100 * difficulty < {medium} * max(rows * cols - mines, 100) THEN 'medium'
        WHEN 100 * difficulty < {hard} * max(rows * cols - mines, 100) THEN 'hard'
        WHEN 100 * difficulty < {expert} * max(rows * cols - mines, 100) THEN 'expert'
        ELSE 'fiendish' END WHERE difficulty IS NOT NULL""")


def _rate_for_size(db: sqlite3.Connection) -> None:
    """Say in a word how hard a puzzle is for its size: by its score for every 100 safe cells."""
    _name_difficulty(db, 2, 6, 9, 15)


def _create_played(db: sqlite3.Connection) -> None:
    """Keep games of people that have ended, click by click, with their figures."""
    from minesweeper.db import people

    db.execute(people.CREATE)
    db.execute("CREATE INDEX played_by ON played (player, number)")


def _keep_forfeits(db: sqlite3.Connection) -> None:
    """Keep how a program forfeited a game, and how many games of a block were."""
    db.execute("ALTER TABLE games ADD COLUMN fault TEXT CHECK (fault IS NULL OR won = 0)")
    db.execute("ALTER TABLE blocks ADD COLUMN forfeits INTEGER NOT NULL DEFAULT 0 CHECK (forfeits BETWEEN 0 AND games)")


def _cut_words_anew(db: sqlite3.Connection) -> None:
    """Say in a word how hard a puzzle is for its size, cut so that every word occurs at every preset."""
    _name_difficulty(db, 4, 7, 10, 15)


def _index_records(db: sqlite3.Connection) -> None:
    """Find a board that a person has met, and their best time, without reading all that they have played."""
    from minesweeper.db import people

    db.execute(people.INDEX_BOARDS)
    db.execute(people.INDEX_TIMES)


MIGRATIONS: list[Callable[[sqlite3.Connection], None]] = [
    _create_tables,
    _create_series,
    _allow_unproved_puzzles,
    _add_metrics_and_difficulty,
    _add_clues_at_once,
    _add_first_opening,
    _show_zero_starts,
    _create_plays,
    _index_canonical_ids_when_needed,
    _create_played,
    _rate_for_size,
    _keep_forfeits,
    _cut_words_anew,
    _index_records,
]


def rate(connection: sqlite3.Connection) -> int:
    """Fill in the measures and the difficulty of all puzzles that lack them, and return how many did.

    The caller holds a write transaction.
    """
    from minesweeper.player.measure.effort import clues_at_once_of_many

    rated, last = 0, -1
    while found := connection.execute(sql.READ_UNRATED, (last,)).fetchall():
        records = [sql.puzzle_record(row[:-1]) for row in found]
        puzzles = [record.puzzle for record in records]
        unknown = [record.tally if record.clues_at_once is None else None for record in records]
        measured = zip(records, measure_all(puzzles), clues_at_once_of_many(puzzles, unknown), strict=True)
        for record, measures, clues in measured:
            known = clues if record.clues_at_once is None else record.clues_at_once
            row = sql.rating_row(replace(record, measured=measures, clues_at_once=known))
            connection.execute(sql.SET_RATING, row)
        rated, last = rated + len(found), found[-1][-1]
    return rated


def _mines_drawn() -> str:
    """Write SQL that turns the mine bitmap into one line of ``*`` and ``.``, a hexadecimal digit at a time."""
    drawn = "hex(mine_bits)"
    for digit in range(16):
        marks = f"{digit:04b}".replace("0", ".").replace("1", "*")
        drawn = f"replace({drawn}, '{digit:X}', '{marks}')"
    return drawn


_BOARDS: Final = """rows || 'x' || cols || '/' || mines || ', ' || rule || ' start' || CASE
        WHEN puzzle_id IS NOT NULL THEN ', stored'
        WHEN first_click = 'random' THEN ' anywhere'
        ELSE ' at ' || first_click END"""

VIEWS: dict[str, str] = {
    "puzzle_list": f"SELECT {', '.join(map(in_list, used(Use.LISTED)))} FROM puzzles",
    "puzzle_drawings": f"""SELECT id, (
    WITH RECURSIVE line(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM line WHERE number < rows - 1)
    SELECT group_concat(substr(cells, number * cols + 1, cols), char(10)) FROM line
) AS drawing
FROM (SELECT id, rows, cols, {_mines_drawn()} AS cells FROM puzzles)""",
    # Games that are also part of a series, by strategy and board, count once: in the series.
    "leaderboard": f"""SELECT name AS strategy, boards,
    sum(games) AS games,
    sum(wins) AS wins,
    round(100.0 * sum(wins) / sum(games), 2) AS win_rate_percent,
    round(1.0 * sum(guesses) / sum(games), 3) AS guesses_per_game,
    round(sum(seconds) / sum(games), 6) AS seconds_per_game,
    sum(forfeits) AS forfeits
FROM (
    SELECT strategy_id, rows * cols AS cells, mines, {_BOARDS} AS boards, 1 AS games, won AS wins, guesses, seconds,
        fault IS NOT NULL AS forfeits
    FROM games WHERE puzzle_id IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM series JOIN blocks ON series_id = series.id
        WHERE sample_index >= first_index AND sample_index < first_index + blocks.games
        AND series.strategy_id = games.strategy_id AND {" AND ".join(f"series.{c} = games.{c}" for c in sql.RECIPE)}
    )
    UNION ALL
    SELECT strategy_id, rows * cols, mines, {_BOARDS.replace("puzzle_id", "NULL")}, blocks.games, wins, guesses,
        seconds, forfeits
    FROM series JOIN blocks ON series_id = series.id
) JOIN strategies ON strategies.id = strategy_id
GROUP BY boards, strategy_id
ORDER BY cells, mines, boards, 1.0 * sum(wins) / sum(games) DESC, name""",
}


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file, or an empty one, up to the newest schema version; the caller holds a write transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version:
        _go_on_from(version, connection)
        # Once, after all migrations: this knows the newest tables only.
        rate(connection)
    else:
        for statement in newest():
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _go_on_from(version: int, connection: sqlite3.Connection) -> None:
    """Make the tables and views of the newest version; views hold no data, so they are made anew, not migrated."""
    for name in VIEWS:
        connection.execute(f"DROP VIEW IF EXISTS {name}")
    for migration in MIGRATIONS[version:]:
        migration(connection)
    for name, query in VIEWS.items():
        connection.execute(f"CREATE VIEW {name} AS {query}")


@cache
def newest() -> list[str]:
    """The SQL of a new file, written down: it takes `all_migrations` longer than most puzzles take to be found."""
    return _NEWEST.read_text(encoding="utf-8").rstrip().removesuffix(";").split(";\n\n")


def all_migrations() -> list[str]:
    """The SQL that all migrations and views come to in an empty file."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _go_on_from(0, connection)
        return [
            text for (text,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
        ]


if __name__ == "__main__":
    _NEWEST.write_text(";\n\n".join(all_migrations()) + ";\n", encoding="utf-8")
