"""How records become rows of the database's tables, and rows records again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, Final

from minesweeper.db.columns import MEASURES, PUZZLE_COLUMNS, Group, reader, record_of, row_reader
from minesweeper.db.records import UNKNOWN, GameRecord, PuzzleRecord, RunKey, Sample
from minesweeper.player.board import Board, BoardError
from minesweeper.player.measure.metrics import Measures, puzzle_ids
from minesweeper.player.recipe import Recipe, parse_click

Row = dict[str, object]
PuzzleRow = tuple[Any, ...]
"""A puzzle by the columns that are written of the table ``puzzles``."""

RECIPE: Final = ("rows", "cols", "mines", "first_click", "rule", "seed")
"""The columns of a recipe, in every table that has one."""
_RUN_KEY: Final = (*RECIPE, "method")
_BOARD: Final = (*RECIPE, "sample_index")
_RESULT: Final = ("won", "opened", "guesses", "seconds", "fault")


def _values(columns: tuple[str, ...]) -> str:
    """Write the placeholders of named columns: ``:rows, :cols``."""
    return ", ".join(f":{column}" for column in columns)


# Names are worked out together, the run is whoever stores them, and SQLite knows the time.
_GIVEN: Final = ("id", "canonical_id", "mine_bits", "run_id")
_STORED: Final = [fact for fact in PUZZLE_COLUMNS if not fact.sql]
_WRITTEN: Final = [fact for fact in _STORED if fact.name not in (*_GIVEN, "created", *MEASURES)]
_PUZZLE: Final = (*_GIVEN, *(fact.name for fact in _WRITTEN), *MEASURES)
_NOT_MEASURED: Final = (None,) * len(MEASURES)
_measures_of = attrgetter(*MEASURES)
_IN_ORDER: Final = ", ".join("?" * len(_PUZZLE))
_FOUND: Final = [fact for fact in _STORED if fact.group is Group.SOLUTION or fact.key in ("id", "certificate")]
_RATED: Final = [fact for fact in _STORED if fact.key in (*MEASURES, "clues_at_once", "difficulty", "difficulty_word")]
_KEYS: Final = [fact.key for fact in _STORED]
_written, found_row, rating_row = row_reader(_WRITTEN), reader(_FOUND), reader([*_RATED, PUZZLE_COLUMNS[0]])
RUN_HAS_KEY: Final = " AND ".join(f"{column} = :{column}" for column in _RUN_KEY)
INSERT_RUN: Final = (
    f"INSERT INTO runs ({', '.join(_RUN_KEY)}, arguments, engine, version) "
    f"VALUES ({_values(_RUN_KEY)}, :arguments, :engine, :version) ON CONFLICT ({', '.join(_RUN_KEY)}) DO UPDATE SET "
    "arguments = excluded.arguments, engine = excluded.engine, version = excluded.version, updated = CURRENT_TIMESTAMP"
)
# Not OR IGNORE, which would also pass over rows that a CHECK refuses.
INSERT_PUZZLE: Final = f"INSERT INTO puzzles ({', '.join(_PUZZLE)}) VALUES ({_IN_ORDER}) ON CONFLICT (id) DO NOTHING"
COPY_PUZZLE: Final = INSERT_PUZZLE.replace("(", "(rowid, created, ", 1).replace("VALUES (", "VALUES (?, ?, ", 1)
_STAGED: Final = ", ".join(_PUZZLE)
INDEX_CANONICAL_IDS: Final = "CREATE INDEX IF NOT EXISTS puzzles_by_canonical_id ON puzzles (canonical_id)"
STAGE: Final = f"CREATE TEMP TABLE incoming AS SELECT {_STAGED} FROM puzzles WHERE 0"
STAGE_PUZZLE: Final = f"INSERT INTO incoming ({_STAGED}) VALUES ({_IN_ORDER})"
STORE_STAGED: Final = (
    f"INSERT INTO puzzles ({_STAGED}) SELECT {_STAGED} FROM incoming WHERE 1 ORDER BY rowid ON CONFLICT (id) DO NOTHING"
)
INDEX_STAGED: Final = "CREATE INDEX temp.incoming_by_canonical_id ON incoming (canonical_id)"
DROP_STAGED_IMAGES: Final = """DELETE FROM incoming WHERE
    EXISTS (SELECT 1 FROM puzzles WHERE puzzles.canonical_id = incoming.canonical_id)
    OR rowid > (SELECT min(rowid) FROM incoming AS same WHERE same.canonical_id = incoming.canonical_id)"""
UNSTAGE: Final = "DROP TABLE IF EXISTS temp.incoming"
SET_FOUND: Final = f"UPDATE puzzles SET {', '.join(f'{fact.name} = :{fact.key}' for fact in _FOUND)} WHERE id = :id"
FORGET_FOUND: Final = (
    f"UPDATE puzzles SET {', '.join(f'{fact.name} = NULL' for fact in _FOUND if fact.key not in ('id', 'verdict'))}, "
    f"verdict = '{UNKNOWN}' WHERE id = ?"
)
READ_PUZZLES: Final = f"SELECT {', '.join(fact.name for fact in _STORED)} FROM puzzles"
# In portions, as SQLite should not be changing a table while it reads it.
READ_UNRATED: Final = (
    f"SELECT {', '.join(fact.name for fact in _STORED)}, rowid FROM puzzles WHERE rowid > ? AND ("
    f"{' OR '.join(f'{name} IS NULL' for name in MEASURES)} OR (difficulty IS NULL AND hardest_tier IS NOT NULL)"
    ") ORDER BY rowid LIMIT 1000"
)
SET_RATING: Final = f"UPDATE puzzles SET {', '.join(f'{fact.name} = :{fact.key}' for fact in _RATED)} WHERE id = :id"
INSERT_STRATEGY: Final = "INSERT INTO strategies (name) VALUES (?) ON CONFLICT (name) DO NOTHING"
_INSERT_GAME: Final = (
    f"INSERT OR REPLACE INTO games (strategy_id, puzzle_id, {', '.join(_BOARD)}, {', '.join(_RESULT)}) "
    "SELECT (SELECT id FROM strategies WHERE name = :strategy), "
)
INSERT_GAME_ON_SAMPLE: Final = f"{_INSERT_GAME} NULL, {_values(_BOARD)}, {_values(_RESULT)}"
INSERT_GAME_ON_PUZZLE: Final = (
    f"{_INSERT_GAME} id, rows, cols, mines, first_row || ',' || first_col, rule, NULL, NULL, {_values(_RESULT)} "
    "FROM puzzles WHERE id = :puzzle_id"
)
READ_GAMES: Final = (
    f"SELECT name AS strategy, puzzle_id, {', '.join(_BOARD)}, {', '.join(_RESULT)} "
    "FROM games JOIN strategies ON strategies.id = strategy_id"
)


LIST_GAMES: Final = READ_GAMES.replace("SELECT ", "SELECT games.id AS id, played, ", 1) + " ORDER BY games.id DESC"


def recipe_row(recipe: Recipe) -> Row:
    """List a recipe by the columns `RECIPE`."""
    values = (recipe.rows, recipe.cols, recipe.mines, recipe.click_name, recipe.rule, recipe.seed)
    return dict(zip(RECIPE, values, strict=True))


def recipe_of(row: sqlite3.Row) -> Recipe:
    """Build a recipe from a row with the columns `RECIPE`."""
    rows, cols, mines, click, rule, seed = (row[column] for column in RECIPE)
    return Recipe(rows, cols, mines, parse_click(click, rows, cols), rule, seed)


def run_key_row(key: RunKey) -> Row:
    """List a key by the columns of the table ``runs``."""
    return recipe_row(key.recipe) | {"method": key.method}


def puzzle_rows(records: Iterable[PuzzleRecord], run_id: int | None) -> list[PuzzleRow]:
    """List puzzles by the columns of the table ``puzzles``, as `INSERT_PUZZLE` and `STAGE_PUZZLE` take them."""
    return [
        (
            *puzzle_ids(record.puzzle),
            run_id,
            *_written(record),
            *(_NOT_MEASURED if record.measured is None else _measures_of(record.measured)),
        )
        for record in records
    ]


def column_index(column: str) -> int:
    """Tell where in a `PuzzleRow` a column stands."""
    return _PUZZLE.index(column)


def puzzle_record(row: tuple[Any, ...]) -> PuzzleRecord:
    """Build a record from a row of `READ_PUZZLES`. Raises `BoardError` if its mines or its id can't be right."""
    facts = dict(zip(_KEYS, row, strict=True))
    board = Board.from_bytes(facts["rows"], facts["cols"], facts["board"])
    found = [facts[name] for name in MEASURES]
    measured = None if None in found else Measures(*found)
    record = record_of(facts, board, run=facts["run"], created=facts["created"], measured=measured)
    if record.id != facts["id"]:
        raise BoardError("expected the puzzle of this id, found mines or a first click of another")
    return record


def game_row(record: GameRecord) -> Row:
    """List a game by the names that `INSERT_GAME_ON_SAMPLE` and `INSERT_GAME_ON_PUZZLE` use."""
    row: Row = {"strategy": record.strategy, **{column: getattr(record, column) for column in _RESULT}}
    board = record.board
    if not isinstance(board, Sample):
        return row | {"puzzle_id": board}
    return row | recipe_row(board.recipe) | {"sample_index": board.index}


def game_record(row: sqlite3.Row) -> GameRecord:
    """Build a record from a row of `READ_GAMES`."""
    from minesweeper.player.results import Fault

    board = Sample(recipe_of(row), row["sample_index"]) if row["puzzle_id"] is None else row["puzzle_id"]
    fault = None if row["fault"] is None else Fault(row["fault"])
    return GameRecord(row["strategy"], board, bool(row["won"]), row["opened"], row["guesses"], row["seconds"], fault)
