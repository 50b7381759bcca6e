"""Tables of puzzles: the same values as records, also of damaged rows."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from sample_records import add_puzzles, records, sampled

from minesweeper import Board, Puzzle, Store
from minesweeper.db.formats import comma, jsonl
from minesweeper.db.formats.format import imported_record
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Import
from minesweeper.db.tables import size_of, table_of_records


def same(path: Path) -> tuple[int, list[str]]:
    """Check that tables and records have the same values; return the number of puzzles, and the ids of bad rows."""
    by_record: list[str] = []
    by_table: list[str] = []
    with Store(path, create=False) as store:
        found = list(store.puzzles(on_bad=lambda name, _: by_record.append(name)))
        tables = list(store.tables(on_bad=lambda name, _: by_table.append(name)))
    one = [table_of_records(found)] if found else []
    assert list(comma.in_csv(tables)) == list(comma.in_csv(one))
    assert list(jsonl.in_json(tables)) == list(jsonl.in_json(one))
    assert by_record == by_table
    return sum(map(size_of, tables)), by_table


@given(st.lists(records(), max_size=5))
@settings(max_examples=8)
def test_tables_have_the_values_of_records(
    tmp_path_factory: pytest.TempPathFactory, stored: list[PuzzleRecord]
) -> None:
    path = tmp_path_factory.mktemp("db") / "puzzles.db"
    with Store(path) as store:
        add_puzzles(store, stored)
    same(path)


def test_tables_mix_grids_and_sizes(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    boards = [Board.from_text("...\n.*.\n..."), Board.from_text("-..\n.*.\n...")]
    boards += [Board.from_text("\n".join(["......"] * 5 + [".....*"]), kind) for kind in ("torus", "hex")]
    with Store(path) as store, Import(store) as batch:
        batch.add(imported_record(Puzzle(board, (1, 0))) for board in boards * 2)
        batch.add([sampled(0)])
    assert same(path) == (5, [])


@pytest.mark.parametrize(
    ("change", "bad"),
    [
        ("mines = 9", False),
        ("hardest_tier = '1 clue'", False),
        ("verdict = 'unsolvable'", False),
        ("steps_1_clue = NULL", False),
        ("difficulty = 1.5", False),
        ("difficulty = NULL, difficulty_word = NULL", False),
        ("clues_at_once = 7", False),
        ("path_steps = 3", False),
        ("bbbv = NULL", False),
        ("bbbv = 1.5", True),
        ("seed = 'x'", True),
        ("first_row = first_row + 9", True),
        ("first_col = -1", True),
        ("first_row = (first_row + 1) % 9", True),
        ("grid = 'torus'", True),
        ("grid = 'donut'", True),
        ("rows = 0", True),
        ("mine_bits = x'ffff'", True),
        ("mine_bits = zeroblob(11)", True),
        ("id = '00000000000000000000'", True),
    ],
)
def test_a_damaged_row_is_read_as_a_record(change: str, bad: bool, tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    with Store(path) as store:
        add_puzzles(store, map(sampled, range(4)))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA ignore_check_constraints = ON; UPDATE puzzles SET {change} WHERE rowid = 2")
    count, names = same(path)
    assert (count, len(names)) == ((3, 1) if bad else (4, 0))
