"""How records become rows of the database's tables, and rows records again."""

from __future__ import annotations

import sqlite3
from typing import Final

from minesweeper.db.records import UNSOLVABLE, GameRecord, PuzzleRecord, RunKey, Sample
from minesweeper.db.schema import METRICS
from minesweeper.player.board import Board, Puzzle
from minesweeper.player.measure.metrics import Metrics
from minesweeper.player.steps import Tally

Row = dict[str, object]

_RUN_KEY: Final = ("rows", "cols", "mines", "first_click", "rule", "seed", "method")
_PUZZLE: Final = (
    *("id", "canonical_id", "rows", "cols", "mines", "first_row", "first_col", "rule", "mine_bits"),
    *("hardest_tier", "steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "needs_mine_count"),
    *("verdict", "method", "engine", "certificate", "run_id", "seed", "sample_index"),
    *(*METRICS, "clues_at_once", "difficulty", "difficulty_word"),
)
_BOARD: Final = ("rows", "cols", "mines", "first_click", "rule", "seed", "sample_index")
_RESULT: Final = ("won", "opened", "guesses", "seconds")


def _values(columns: tuple[str, ...]) -> str:
    """Write the placeholders of named columns: ``:rows, :cols``."""
    return ", ".join(f":{column}" for column in columns)


_IN_ORDER: Final = ", ".join("?" * len(_PUZZLE))
_NO_STEPS: Final = (None,) * 4
_NO_MEASURES: Final = (None,) * len(METRICS)
RUN_HAS_KEY: Final = " AND ".join(f"{column} = :{column}" for column in _RUN_KEY)
INSERT_RUN: Final = (
    f"INSERT INTO runs ({', '.join(_RUN_KEY)}, arguments, engine, version) "
    f"VALUES ({_values(_RUN_KEY)}, :arguments, :engine, :version) ON CONFLICT ({', '.join(_RUN_KEY)}) DO UPDATE SET "
    "arguments = excluded.arguments, engine = excluded.engine, version = excluded.version, updated = CURRENT_TIMESTAMP"
)
# Not OR IGNORE, which would also pass over rows that a CHECK refuses.
INSERT_PUZZLE: Final = f"INSERT INTO puzzles ({', '.join(_PUZZLE)}) VALUES ({_IN_ORDER}) ON CONFLICT (id) DO NOTHING"
_STAGED: Final = ", ".join(_PUZZLE)
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
_VERDICT: Final = (
    *("hardest_tier", "steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "needs_mine_count"),
    *("verdict", "certificate", "clues_at_once", "difficulty", "difficulty_word"),
)
SET_VERDICT: Final = f"UPDATE puzzles SET {', '.join(f'{name} = :{name}' for name in _VERDICT)} WHERE id = :id"
READ_PUZZLES: Final = f"SELECT {', '.join(_PUZZLE)}, created FROM puzzles"
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


def run_key_row(key: RunKey) -> Row:
    """List a key by the columns of the table ``runs``."""
    return {column: getattr(key, column) for column in _RUN_KEY}


def puzzle_row(record: PuzzleRecord, run_id: int | None) -> tuple[object, ...]:
    """List a puzzle by the columns of the table ``puzzles``, as `INSERT_PUZZLE` and `STAGE_PUZZLE` take them."""
    puzzle, board = record.puzzle, record.puzzle.board
    rating, measured = record.difficulty, record.measured
    steps = _NO_STEPS if record.tally is None else record.tally
    measures = _NO_MEASURES if measured is None else [getattr(measured, name) for name in METRICS]
    score, word = (None, None) if rating is None else (rating.score, rating.word)
    return (
        *(puzzle.id, puzzle.canonical_id, board.rows, board.cols, board.mines, *puzzle.first_click, record.rule),
        *(board.to_bytes(), record.hardest_tier, *steps, record.needs_mine_count),
        *(record.verdict, record.method, record.engine, record.certificate, run_id, record.seed, record.index),
        *(*measures, record.clues_at_once, score, word),
    )


def verdict_row(record: PuzzleRecord) -> Row:
    """List what `SET_VERDICT` needs, among others."""
    return dict(zip(_PUZZLE, puzzle_row(record, None), strict=True))


def puzzle_record(row: sqlite3.Row) -> PuzzleRecord:
    """Build a record from a row of `READ_PUZZLES`."""
    board = Board.from_bytes(row["rows"], row["cols"], row["mine_bits"])
    measured = [row[name] for name in METRICS]
    one, two, more, count = row["steps_1_clue"], row["steps_2_clues"], row["steps_more_clues"], row["steps_mine_count"]
    return PuzzleRecord(
        puzzle=Puzzle(board, (row["first_row"], row["first_col"])),
        rule=row["rule"],
        index=row["sample_index"],
        seed=row["seed"],
        engine=row["engine"],
        method=row["method"],
        tally=None if one is None else Tally(one, two, more, count),
        certificate=row["certificate"],
        run=row["run_id"],
        created=row["created"],
        refuted=row["verdict"] == UNSOLVABLE,
        clues_at_once=row["clues_at_once"],
        measured=None if None in measured else Metrics(*measured),
    )


def game_row(record: GameRecord) -> Row:
    """List a game by the names that `INSERT_GAME_ON_SAMPLE` and `INSERT_GAME_ON_PUZZLE` use."""
    row: Row = {"strategy": record.strategy, **{column: getattr(record, column) for column in _RESULT}}
    board = record.board
    if not isinstance(board, Sample):
        return row | {"puzzle_id": board}
    click = "random" if board.click is None else f"{board.click[0]},{board.click[1]}"
    sample = (board.rows, board.cols, board.mines, click, board.rule, board.seed, board.index)
    return row | dict(zip(_BOARD, sample, strict=True))


def game_record(row: sqlite3.Row) -> GameRecord:
    """Build a record from a row of `READ_GAMES`."""
    board: str | Sample
    if row["puzzle_id"] is not None:
        board = row["puzzle_id"]
    else:
        clicked = None if row["first_click"] == "random" else tuple(map(int, row["first_click"].split(",")))
        rows, cols, mines, _, rule, seed, index = (row[column] for column in _BOARD)
        board = Sample(rows, cols, mines, None if clicked is None else (clicked[0], clicked[1]), rule, seed, index)
    return GameRecord(row["strategy"], board, bool(row["won"]), row["opened"], row["guesses"], row["seconds"])
