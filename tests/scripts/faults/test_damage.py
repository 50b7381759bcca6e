"""A database with a damaged row: messages name its id, and other rows are not affected."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from processes import call, run

from minesweeper.db.store import Store

pytestmark = pytest.mark.faults


@pytest.fixture
def flipped(folder: Path) -> str:
    """Return the id of the second of four puzzles, after flipping a byte of its mines."""
    call("generate", "--preset", "beginner", "--seed", "3", "--workers", "1", "--count", "4")
    with closing(sqlite3.connect("minesweeper.db", isolation_level=None)) as connection:
        name, bits = connection.execute("SELECT id, mine_bits FROM puzzles ORDER BY rowid LIMIT 1 OFFSET 1").fetchone()
        bits = bits[:-2] + bytes([bits[-2] ^ 0xFF]) + bits[-1:]
        connection.execute("UPDATE puzzles SET mine_bits = ? WHERE id = ?", (bits, name))
    return str(name)


def test_verify_names_and_marks_a_damaged_puzzle(flipped: str) -> None:
    result = call("packs", "verify")
    assert (result.returncode, result.stdout) == (1, "3 puzzles proved, 1 failed\n")
    assert f"minesweeper.db: puzzle {flipped}: mines and first click are those of puzzle" in result.stderr
    with closing(sqlite3.connect("minesweeper.db")) as connection:
        marked = connection.execute("SELECT id FROM puzzles WHERE verdict = 'unknown' AND steps_1_clue IS NULL")
        assert marked.fetchall() == [(flipped,)]


def test_other_commands_skip_it_with_a_message(flipped: str) -> None:
    for words in (("packs", "list"), ("packs", "export", "pack.jsonl"), ("autoplay", "--db", "minesweeper.db")):
        result = run(*words)
        assert result.returncode == 0, result.stderr
        assert f"puzzle {flipped} is skipped: mines and first click are those of puzzle" in result.stderr
    assert Path("pack.jsonl").read_text().count("\n") == 3


def test_verify_checks_the_integrity_first(flipped: str) -> None:
    with closing(sqlite3.connect("minesweeper.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE puzzles SET mines = -1 WHERE rowid = 1")
    with Store("minesweeper.db") as store:
        assert store.integrity_errors() == ["CHECK constraint failed in puzzles"]
    result = call("packs", "verify")
    first, second = result.stderr.splitlines()
    assert first == "minesweeper.db: CHECK constraint failed in puzzles"
    assert flipped in second
    assert result.stdout == "3 puzzles proved, 2 failed\n"
