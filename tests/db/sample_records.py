"""Puzzle records to store: fixed ones, and any that can be (for hypothesis)."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from minesweeper import Board, Puzzle, Recipe, Store
from minesweeper.db.columns import puzzle_rows
from minesweeper.db.formats.rows import COLUMNS, file_column
from minesweeper.db.people import HumanGame
from minesweeper.db.records import PuzzleRecord, RunKey
from minesweeper.db.tables import table_of_records
from minesweeper.player.core.steps import PathEffort, Tally
from minesweeper.player.play.recorded_games import RecordedClick

RECIPE = Recipe("9x9/10", seed=7)
KEY = RunKey(RECIPE)
COMPLETE = ("jsonl", "json", "csv", "db", "parquet")
WITH_CLICK = ("sgt", "board", "path")
BOARDS_ONLY = ("mbf", "mine", "ptt")
"""The formats that are read: those that keep everything, those that keep puzzles, and those that keep boards."""


def sampled(index: int) -> PuzzleRecord:
    """A record of beginner size; equal indices give equal puzzles."""
    return PuzzleRecord(
        RECIPE.puzzle(index), "opening", index, 7, "sat", "rejection", Tally(40, index % 5, index % 3, 0)
    )


def add_puzzles(
    store: Store, records: Iterable[PuzzleRecord], next_index: int = 1, *, run_id: int | None = None, **progress: Any
) -> int:
    """Store puzzles of a run, by default that of `KEY`, and return how many are new."""
    before, runs = store.count(), store.runs
    run_id = run_id or runs.begin(KEY, {}, "sat").id
    rows = puzzle_rows(records, run_id)
    # Some without the columns of paths.
    prepared = [runs.prepare([[value] for value in (row if row[-5] is not None else row[:-5])]) for row in rows]
    progress = {"next_index": next_index, "candidates": next_index, "seconds": 1.0} | progress
    runs.add_rows(run_id, runs.join(prepared), **progress)
    return store.count() - before


def filled(path: Path, puzzles: int = 3) -> Path:
    """Create a database with the first puzzles of a run."""
    with Store(path) as store:
        add_puzzles(store, map(sampled, range(puzzles)), puzzles)
    return path


def saved_game(**fields: str) -> bytes:
    """Return a saved game of Simon Tatham's Mines."""
    given = {"SAVEFILE": "Simon Tatham's Portable Puzzle Collection", "GAME": "Mines", "PARAMS": "9x9n10"} | fields
    return "".join(f"{name:<8}:{len(value)}:{value}\n" for name, value in given.items()).encode()


def human_game(**changed: Any) -> HumanGame:
    """A won game of a person, with one guess, on a board of one row."""
    clicks = tuple(RecordedClick(at, cell, (cell,)) for at, cell in enumerate([(0, 0), (0, 6), (0, 9)]))
    board = Board.from_text("...*....*.")
    return replace(HumanGame("-a", "classic", "Classic", board, clicks, True, 2.5, 3, "2026-01-01"), **changed)


def row_of(record: PuzzleRecord) -> dict[str, Any]:
    """Return a puzzle as a row of a Parquet file."""
    table = table_of_records([record])
    return {name: file_column(table, name)[0] for name in COLUMNS if name != "mine_bits"}


@st.composite
def records(draw: st.DrawFn) -> PuzzleRecord:
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cells = draw(st.lists(st.booleans(), min_size=rows * cols, max_size=rows * cols))
    click = draw(st.integers(0, rows * cols - 1))
    cells[click] = False
    counts = st.integers(0, 2**63 - 1)
    text = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=9)
    steps = st.integers(0, 49)
    return PuzzleRecord(
        puzzle=Puzzle(Board(np.array(cells, dtype=np.bool_).reshape(rows, cols)), divmod(click, cols)),
        start=draw(st.sampled_from(["opening", "safe"])),
        sample_index=draw(st.none() | counts),
        seed=draw(st.none() | counts),
        engine=draw(text),
        method=draw(text),
        tally=Tally(draw(steps), draw(steps), draw(steps), draw(steps)),
        certificate=draw(st.none() | text),
        clues_at_once=draw(st.none() | st.integers(0, 49)),
        effort=draw(st.none() | steps.map(lambda count: PathEffort(count, count // 2, count / 8, count))),
    )
