"""The database file: damaged and foreign files, other versions, and processes that share a file."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib import parse  # noqa: F401  (pathlib of Python 3.13 imports it on first use, without rights to read it)

import pytest
from sample_records import KEY, add_puzzles, filled, sampled

from minesweeper.db import Store, formats
from minesweeper.db.records import SOLVABLE, UNKNOWN, UNSOLVABLE
from minesweeper.player.core.errors import DatabaseError, FormatError
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.core.steps import Tier

HERE = Path(__file__).parent


def refusal(path: Path, *, create: bool = False) -> str:
    """Return the one-line message of a file that cannot be opened."""
    with pytest.raises(DatabaseError) as caught:
        Store(path, create=create)
    message = str(caught.value)
    assert repr(str(path)) in message
    assert "\n" not in message
    return message


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_missing_file_is_not_created_for_reading(tmp_path: Path) -> None:
    assert "generate" in refusal(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    assert "no such folder" in refusal(tmp_path / "nowhere" / "none.db", create=True)


def test_odd_names_are_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "a?mode=memory", "b#c%20d", "file:e"):
        filled(Path(name))
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("create", [False, True])
def test_foreign_files_are_refused_and_not_changed(tmp_path: Path, create: bool) -> None:
    text, other, marked, short = (tmp_path / name for name in ("text.db", "other.db", "marked.db", "short.db"))
    text.write_bytes(b"these are no tables" * 99)
    short.write_bytes(b"SQLite format 3\0")
    execute(other, "CREATE TABLE mines (depth)")
    execute(marked, "PRAGMA application_id = 7")
    before = {path: path.read_bytes() for path in (text, other, marked, short)}
    assert "folder" in refusal(tmp_path, create=create)
    assert "not a database" in refusal(text, create=create)
    assert "not a database" in refusal(short, create=create)
    assert "another program" in refusal(other, create=create)
    assert "another program" in refusal(marked, create=create)
    assert {path: path.read_bytes() for path in before} == before


def test_an_empty_file_becomes_a_database_only_with_create(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert "empty file" in refusal(path)
    assert path.read_bytes() == b""
    filled(path)
    with Store(path, create=False) as store:
        assert store.count() == 3


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db", 200)
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(DatabaseError, match=r"damaged.*puzzles\.db"), Store(path, create=False) as store:
        list(store.puzzles())


def test_invalid_utf_8_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db")
    execute(path, "UPDATE puzzles SET method = CAST(x'ff' AS TEXT)")
    with pytest.raises(DatabaseError, match=r"UTF-8.*puzzles\.db"), Store(path, create=False) as store:
        list(store.puzzles(where="mines"))


def test_a_table_name_in_invalid_utf_8_is_named(tmp_path: Path) -> None:
    """SQLite quotes the name in its message, which Python's sqlite3 fails to decode."""
    path = filled(tmp_path / "odd.db")
    rename = "UPDATE sqlite_master SET name = CAST(x'AD' AS TEXT), sql = 'no' WHERE name = 'games'"
    execute(path, "PRAGMA writable_schema = ON", rename)
    assert "the database is damaged" in refusal(path)
    with pytest.raises(FormatError, match="the database is damaged"), formats.reading(path) as found:
        next(found)


def test_a_database_of_another_layout_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = filled(tmp_path / "other.db")
    execute(path, "DROP VIEW puzzle_list", "ALTER TABLE puzzles DROP COLUMN steps_2_clues")
    before = path.read_bytes()
    message = refusal(path, create=True)
    assert message.startswith("database of another layout, different in TABLE puzzles; expected")
    assert "export its puzzles with the program that wrote it, and import them" in message
    with pytest.raises(FormatError, match="database of another layout"), formats.reading(path) as found:
        next(found)
    assert path.read_bytes() == before


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db")
    execute(path, "PRAGMA user_version = 2")
    message = refusal(path, create=True)
    assert "database of version 2; expected version 1" in message
    assert "newer minesweeper-toolkit" in message


def test_the_tables_allow_all_tiers_start_rules_and_verdicts(tmp_path: Path) -> None:
    with closing(sqlite3.connect(filled(tmp_path / "new.db"))) as connection:
        tables = "\n".join(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'"))
    for column, expected, times in (
        ("hardest_tier", [tier.title for tier in Tier], 1),
        ("start", list(StartRule), 4),
        ("verdict", [SOLVABLE, UNSOLVABLE, UNKNOWN], 1),
    ):
        lists = re.findall(rf"\b{column} IN \(([^)]*)\)", tables)
        assert [re.findall("'([^']*)'", found) for found in lists] == [expected] * times


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, in a process without the privileges of root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        privileged = os.geteuid() == 0
        if privileged:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if privileged:
                os.seteuid(0)
            folder.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("locked", ["folder", "file"])
def test_a_read_only_folder_or_file_can_be_read_but_not_written(unprivileged: Path, locked: str) -> None:
    path = filled(unprivileged / "puzzles.db")
    (unprivileged if locked == "folder" else path).chmod(0o555)
    with Store(path, create=False) as store:
        assert list(store.puzzles()) == [sampled(index) for index in range(3)]
        assert store.puzzle(sampled(1).id) == sampled(1)
        with pytest.raises(DatabaseError, match=r"cannot write.*puzzles\.db"):
            store.runs.begin(KEY, {}, "sat")
    if locked == "folder":
        assert "must be readable and writable" in refusal(unprivileged / "new.db", create=True)
        assert "writable" in refusal(path, create=True)
    else:
        path.chmod(0o000)
        assert "must be readable" in refusal(path)


def test_a_full_disk_loses_no_stored_puzzles(tmp_path: Path) -> None:
    with Store(tmp_path / "puzzles.db") as store:
        add_puzzles(store, [sampled(0)])
        pages = store.db.execute("PRAGMA page_count").fetchone()[0]
        store.db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DatabaseError, match="disk is full"):
            add_puzzles(store, map(sampled, range(1, 300)), 300)
        assert (store.count(), store.db["runs"].get(1)["next_index"]) == (1, 1)
        store.db.execute(f"PRAGMA max_page_count = {2**30}")
        assert add_puzzles(store, [sampled(1)], 2) == 1


def test_a_locked_database_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as other, Store(path) as store:
        store.db.execute("PRAGMA busy_timeout = 10")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match=r"another program.*puzzles\.db"):
            store.runs.begin(KEY, {}, "sat")
        assert store.count() == 3


WRITER = """
import sys
from sample_records import add_puzzles, sampled
from minesweeper.db.records import GameRecord
from minesweeper.db.store import Store

path, batches = sys.argv[1], int(sys.argv[2])
with Store(path) as store:
    for start in range(0, 3 * batches, 3):
        records = [sampled(index) for index in range(start, start + 3)]
        add_puzzles(store, records, start + 3, seconds=start + 3)
        store.add_games(GameRecord(sys.argv[3], record.id, True, 71, 0, 0.5) for record in records)
        print(start + 3, flush=True)
"""


def writer(path: Path, batches: int, name: str) -> subprocess.Popen[str]:
    search = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(batches), name],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": search},
    )


def test_processes_create_and_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    writers = [writer(path, 20, f"strategy {number}") for number in range(2)]
    for process in writers:
        process.communicate(timeout=120)
    assert [process.returncode for process in writers] == [0, 0]
    with Store(path, create=False) as store:
        assert {record.sample_index for record in store.puzzles()} == set(range(60))
        run = store.runs.begin(KEY, {}, "sat")
        assert (run.kept, run.next_index, run.candidates, run.seconds) == (60, 60, 60, 60.0)
        assert [(row["games"], row["wins"]) for row in store.leaderboard()] == [(60, 60)] * 2


def test_a_killed_process_loses_no_stored_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    with writer(path, 10_000, "local") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(7)]
        process.kill()
    with Store(path, create=False) as store:
        run = store.runs.begin(KEY, {}, "sat")
        assert run.next_index >= int(lines[-1]) == 21
        assert run.kept == store.count() == run.next_index
        assert [record.sample_index for record in store.puzzles()] == list(range(run.next_index))
        assert store.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
