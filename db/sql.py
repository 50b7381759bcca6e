"""SQL statements, and conversion between records and rows of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from minesweeper.db.columns import (
    EFFORT,
    MEASURES,
    PUZZLE_COLUMNS,
    STORED,
    WRITTEN,
    Column,
    Group,
    Value,
    column_named,
    reader,
    record_of,
)
from minesweeper.db.records import UNKNOWN, GameRecord, PuzzleRecord, RunKey, Sample
from minesweeper.db.tables import Table, is_sound
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import BoardError, Fault
from minesweeper.player.core.grid import grid_of
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic.metrics import Measures
from minesweeper.player.logic.paper import Generosity

if TYPE_CHECKING:
    import sqlite3

SqlRow = dict[str, object]
RECIPE: Final = ("rows", "cols", "mines", "first_click", "start", "seed", "grid")
"""Columns of a recipe, in every table that has one."""
_RUN_KEY: Final = (*RECIPE, "method")
_BOARD: Final = (*RECIPE, "sample_index")
_RESULT: Final = ("won", "opened", "guesses", "seconds", "fault")


def _placeholders(columns: Iterable[str]) -> str:
    return ", ".join(f":{column}" for column in columns)


def _assignments(columns: Iterable[Column]) -> str:
    return ", ".join(f"{column.name} = :{column.name}" for column in columns)


_GIVEN_BACK: Final = ("run", "created", "path", "canonical_id")
_WRITTEN: Final = ", ".join(WRITTEN)
_MARKS: Final = ", ".join("?" * len(WRITTEN))
_PROOF: Final = [column for column in STORED if column.group is Group.SOLUTION or column.name in ("id", "certificate")]
_RATING: Final = [
    column for column in STORED if column.name in (*MEASURES, *EFFORT, "clues_at_once", "difficulty", "difficulty_word")
]
_NEEDED: Final = ("rows", "cols", "grid", "first_row", "first_col", "mine_bits")
_NAMES: Final = [column.name for column in STORED]
_BITS: Final = _NAMES.index("mine_bits")
STORED_NAMES: Final = ", ".join(_NAMES)
_OF_SQL: Final[dict[type, tuple[type, ...]]] = {bool: (int,), float: (float, int)}
_TYPES: Final = [_OF_SQL.get(column.type, (column.type,)) for column in STORED]
_ALLOWED: Final = [
    {*types, *([] if name in _NEEDED else [type(None)])} for name, types in zip(_NAMES, _TYPES, strict=True)
]
proof_row, rating_row = reader(_PROOF), reader([*_RATING, PUZZLE_COLUMNS[0]])

RUN_HAS_KEY: Final = " AND ".join(f"{column} = :{column}" for column in _RUN_KEY)
INSERT_RUN: Final = (
    f"INSERT INTO runs ({', '.join(_RUN_KEY)}, arguments, engine, version) "
    f"VALUES ({_placeholders(_RUN_KEY)}, :arguments, :engine, :version) ON CONFLICT ({', '.join(_RUN_KEY)}) DO UPDATE "
    "SET arguments = excluded.arguments, engine = excluded.engine, version = excluded.version, "
    "updated = CURRENT_TIMESTAMP"
)
COPY_PUZZLE: Final = f"INSERT INTO puzzles (created, {_WRITTEN}) VALUES (?, {_MARKS}) ON CONFLICT DO NOTHING"
INDEX_CANONICAL_IDS: Final = "CREATE INDEX IF NOT EXISTS puzzles_by_canonical_id ON puzzles (canonical_id)"
STAGE: Final = f"CREATE TEMP TABLE incoming AS SELECT {_WRITTEN} FROM puzzles WHERE 0"
STAGE_PUZZLE: Final = f"INSERT INTO incoming ({_WRITTEN}) VALUES ({_MARKS})"
STORE_STAGED: Final = (
    f"INSERT INTO puzzles ({_WRITTEN}) SELECT {_WRITTEN} FROM incoming WHERE 1 ORDER BY rowid "
    "ON CONFLICT (id) DO NOTHING"
)
INDEX_STAGED: Final = "CREATE INDEX temp.incoming_by_canonical_id ON incoming (canonical_id)"
DROP_STAGED_IMAGES: Final = """DELETE FROM incoming WHERE
    EXISTS (SELECT 1 FROM puzzles WHERE puzzles.canonical_id = incoming.canonical_id)
    OR rowid > (SELECT min(rowid) FROM incoming AS same WHERE same.canonical_id = incoming.canonical_id)"""
UNSTAGE: Final = "DROP TABLE IF EXISTS temp.incoming"
SET_PROOF: Final = f"UPDATE puzzles SET {_assignments(_PROOF)} WHERE id = :id"
_CLEARED: Final = ", ".join(f"{column.name} = NULL" for column in _PROOF if column.name not in ("id", "verdict"))
CLEAR_PROOF: Final = f"UPDATE puzzles SET {_CLEARED}, verdict = '{UNKNOWN}' WHERE id = ?"
READ_PUZZLES: Final = f"SELECT {STORED_NAMES} FROM puzzles"
_DERIVED: Final = {column.name: column for column in PUZZLE_COLUMNS if column.derived}
WITH_DERIVED: Final = (
    f"(SELECT rowid, *, {', '.join(f'{name}({STORED_NAMES}) AS {name}' for name in _DERIVED)} FROM puzzles)"
)
"""The table ``puzzles`` with derived columns, after `add_derived`; SQLite computes those that a query uses."""
READ_UNRATED: Final = (
    f"SELECT {STORED_NAMES}, rowid FROM puzzles WHERE rowid > ? AND ("
    f"{' OR '.join(f'{name} IS NULL' for name in MEASURES)} "
    "OR (hardest_tier IS NOT NULL AND (difficulty IS NULL OR (? AND path_steps IS NULL)))"
    ") ORDER BY rowid LIMIT 100"
)
"""A batch of puzzles without measures, difficulty or, if the second value is true, measures of their paths.

A table should not change while a query reads it.
"""
SET_RATING: Final = f"UPDATE puzzles SET {_assignments(_RATING)} WHERE id = :id"
INSERT_STRATEGY: Final = "INSERT INTO strategies (name) VALUES (?) ON CONFLICT (name) DO NOTHING"
_INSERT_GAME: Final = (
    f"INSERT INTO games (strategy_id, puzzle_id, {', '.join(_BOARD)}, {', '.join(_RESULT)}) "
    "SELECT (SELECT id FROM strategies WHERE name = :strategy), "
)
_UPDATE_RESULT: Final = "DO UPDATE SET played = CURRENT_TIMESTAMP, " + ", ".join(
    f"{column} = excluded.{column}" for column in _RESULT
)
"""A game that is played again keeps its id."""
INSERT_GAME_ON_SAMPLE: Final = (
    f"{_INSERT_GAME} NULL, {_placeholders(_BOARD)}, {_placeholders(_RESULT)} WHERE true "
    f"ON CONFLICT (strategy_id, {', '.join(_BOARD)}) WHERE puzzle_id IS NULL {_UPDATE_RESULT}"
)
INSERT_GAME_ON_PUZZLE: Final = (
    f"{_INSERT_GAME} id, rows, cols, mines, first_row || ',' || first_col, start, NULL, grid, NULL, "
    f"{_placeholders(_RESULT)} FROM puzzles WHERE id = :puzzle_id "
    f"ON CONFLICT (puzzle_id, strategy_id) WHERE puzzle_id IS NOT NULL {_UPDATE_RESULT}"
)
READ_GAMES: Final = (
    f"SELECT games.id AS id, played, name AS strategy, puzzle_id, {', '.join(_BOARD)}, {', '.join(_RESULT)} "
    "FROM games JOIN strategies ON strategies.id = strategy_id"
)


def recipe_row(recipe: Recipe) -> SqlRow:
    """Return a recipe as values of the columns `RECIPE`."""
    grid = recipe.grid
    values = (*grid.shape, recipe.mines, recipe.click_name, recipe.rule, recipe.seed, grid.label)
    return dict(zip(RECIPE, values, strict=True))


def recipe_of(row: sqlite3.Row) -> Recipe:
    """Build a recipe from a row with the columns `RECIPE`."""
    *size, mines, click, rule, seed, label = (row[column] for column in RECIPE)
    return Recipe(grid_of(tuple(size), label), mines, click, rule, seed)


def run_key_row(key: RunKey) -> SqlRow:
    """Return a key as values of the table ``runs``."""
    return recipe_row(key.recipe) | {"method": key.method}


def insert_puzzle(size: int) -> str:
    """Return the statement that inserts the first `size` values of a row, unless its id is stored."""
    # Not INSERT OR IGNORE, which would also skip rows that violate a CHECK.
    names, marks = ", ".join(WRITTEN[:size]), ", ".join("?" * size)
    return f"INSERT INTO puzzles ({names}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING"


def add_derived(connection: sqlite3.Connection, clues: Generosity | None) -> None:
    """Add the functions of `WITH_DERIVED`; `clues` are those of paper forms."""

    def value(column: Column, *row: Any) -> Value:
        try:
            return column.read(puzzle_record(row, clues))
        except BoardError:
            return None  # the reader of the row reports it

    for name, column in _DERIVED.items():
        connection.create_function(name, len(STORED), partial(value, column), deterministic=True)


def order_by(columns: Iterable[str]) -> str:
    """Return the SQL terms that sort by columns, from high to low after a minus. Raise `DatabaseError` for others."""
    terms = []
    for name in columns:
        column = column_named(name.removeprefix("-"))
        terms.append(f"{column.order or column.name}{' DESC' * name.startswith('-')} NULLS LAST, ")
    return "".join(terms)


def puzzle_record(row: tuple[Any, ...], clues: Generosity | None = None) -> PuzzleRecord:
    """Build a record from a row of `READ_PUZZLES`. Raise `BoardError` for invalid values or a wrong id."""
    _check_types(tuple(map(type, row)))
    values = dict(zip(_NAMES, row, strict=True))
    board = Board.from_bytes(grid_of((values["rows"], values["cols"]), values["grid"]), values["mine_bits"])
    measures = [values[name] for name in MEASURES]
    measured = None if None in measures else Measures(*measures)
    stored = {name: values[name] for name in _GIVEN_BACK}
    record = record_of(values, board, measured=measured, clues=clues or "minimal", **stored)
    if record.id != values["id"]:
        raise BoardError(f"mines and first click are those of puzzle {record.id}; expected those of its id")
    return record


def sound_table(rows: Sequence[tuple[Any, ...]]) -> Table | None:
    """Return rows of `READ_PUZZLES` as a table; None if the record of one may have other values, or be invalid."""
    table = dict(zip(_NAMES, zip(*rows, strict=True), strict=True))
    typed = all(one.issuperset(map(type, values)) for one, values in zip(_ALLOWED, table.values(), strict=True))
    return table if typed and is_sound(table) else None


def board_size(row: tuple[Any, ...]) -> int:
    """Return the size of the board of a row of `READ_PUZZLES`."""
    return 8 * len(row[_BITS]) if isinstance(row[_BITS], bytes) else 0


@lru_cache
def _check_types(found: tuple[type, ...]) -> None:
    """Raise `BoardError` unless the values of a row have the types of their columns, or are NULL."""
    for name, types, allowed, one in zip(_NAMES, _TYPES, _ALLOWED, found, strict=True):
        if one not in allowed:
            raise BoardError(f"the value of {name} has the wrong type; expected {types[0].__name__}")


def game_row(record: GameRecord) -> SqlRow:
    """Return a game as values for `INSERT_GAME_ON_SAMPLE` or `INSERT_GAME_ON_PUZZLE`."""
    row: SqlRow = {"strategy": record.strategy, **{column: getattr(record, column) for column in _RESULT}}
    board = record.board
    if not isinstance(board, Sample):
        return row | {"puzzle_id": board}
    return row | recipe_row(board.recipe) | {"sample_index": board.index}


def game_record(row: sqlite3.Row) -> GameRecord:
    """Build a record from a row of `READ_GAMES`."""

    board = Sample(recipe_of(row), row["sample_index"]) if row["puzzle_id"] is None else row["puzzle_id"]
    fault = None if row["fault"] is None else Fault(row["fault"])
    return GameRecord(row["strategy"], board, bool(row["won"]), row["opened"], row["guesses"], row["seconds"], fault)
