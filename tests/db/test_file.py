"""Files that are not what they should be, files of other versions, and processes that share one."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import KEY, sampled

from minesweeper.db import file, formats, schema
from minesweeper.db.file import DatabaseError
from minesweeper.db.formats.format import FormatError
from minesweeper.db.records import SOLVABLE, UNKNOWN, UNSOLVABLE, RunKey, Sample
from minesweeper.db.series import SeriesKey
from minesweeper.db.store import Store
from minesweeper.player.game import StartRule
from minesweeper.player.measure.metrics import measures
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import Tier

HERE = Path(__file__).parent


def filled(path: Path, puzzles: int = 3) -> Path:
    with Store(path) as store:
        run = store.begin_run(KEY, {}, "sat")
        store.add_puzzles(run.id, map(sampled, range(puzzles)), next_index=puzzles, candidates=puzzles, seconds=1.0)
    return path


def refusal(path: Path, *, create: bool = False) -> str:
    """Why a file is refused: one line, which names it."""
    with pytest.raises(DatabaseError) as caught:
        Store(path, create=create)
    message = str(caught.value)
    assert repr(str(path)) in message
    assert "\n" not in message
    return message


def layout(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT type, name, sql FROM sqlite_master"))


def test_a_missing_file_is_not_made_for_reading(tmp_path: Path) -> None:
    assert "generate" in refusal(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    assert "folder that exists" in refusal(tmp_path / "nowhere" / "none.db", create=True)


def test_odd_names_are_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "a?mode=memory", "b#c%20d", "file:e"):
        filled(Path(name))
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("create", [False, True])
def test_what_is_no_database_of_ours_is_refused_and_left_alone(tmp_path: Path, create: bool) -> None:
    text, other, marked, short = (tmp_path / name for name in ("text.db", "other.db", "marked.db", "short.db"))
    text.write_bytes(b"these are no tables" * 99)
    short.write_bytes(b"SQLite format 3\0")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mines (depth)")
    with closing(sqlite3.connect(marked)) as connection:
        connection.execute("PRAGMA application_id = 7")
    before = {path: path.read_bytes() for path in (text, other, marked, short)}
    assert "folder" in refusal(tmp_path, create=create)
    assert "another kind of file" in refusal(text, create=create)
    assert "another kind of file" in refusal(short, create=create)
    assert "another program" in refusal(other, create=create)
    assert "another program" in refusal(marked, create=create)
    assert {path: path.read_bytes() for path in before} == before


def test_an_empty_file_becomes_a_database_only_when_one_may_be_made(tmp_path: Path) -> None:
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


def test_text_that_is_none_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE puzzles SET method = CAST(x'ff' AS TEXT)")
        connection.commit()
    with pytest.raises(DatabaseError, match=r"UTF-8.*puzzles\.db"), Store(path, create=False) as store:
        list(store.puzzles(where="mines"))


def test_a_table_whose_name_is_no_text_is_named(tmp_path: Path) -> None:
    """SQLite quotes the name in what it says, and Python's sqlite3 fails to read that."""
    path = filled(tmp_path / "odd.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET name = CAST(x'AD' AS TEXT), sql = 'no' WHERE name = 'games'")
    assert "expected a sound database" in refusal(path)
    with pytest.raises(FormatError, match="expected a sound database of puzzles"), formats.reading(path) as found:
        next(found)


def test_a_newer_version_is_named_with_the_way_out(tmp_path: Path) -> None:
    path = filled(tmp_path / "puzzles.db")
    newest = len(schema.MIGRATIONS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {newest + 1}")
    message = refusal(path, create=True)
    assert f"version {newest} or older, found version {newest + 1}" in message
    assert "newer minesweeper-toolkit" in message


def test_a_version_1_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """``version_1.sql`` is a dump of a file that version 1 made, with three puzzles and two games; it never changes."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "version_1.sql").read_text())
    with Store(path, create=False) as store:
        found = [replace(record, clues_at_once=None) for record in store.puzzles()]
        assert found == [sampled(index) for index in range(3)]
        assert store.run(1).next_index == 3
        assert [row["strategy"] for row in store.leaderboard()] == ["random", "local"]
    assert layout(path) == layout(filled(tmp_path / "new.db"))


def test_a_version_5_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """``version_5.sql`` is a dump of a file that version 5 made: puzzles of every verdict, games and a series."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "version_5.sql").read_text())
        names = [row[1] for row in connection.execute("PRAGMA table_info(puzzles)")]
        before = connection.execute(f"SELECT {', '.join(names)} FROM puzzles ORDER BY rowid").fetchall()
    recipe = Recipe(6, 7, 12, (2, 3), "safe", 5)
    with Store(path, create=False) as store:
        after = store.db.execute(f"SELECT {', '.join(names)} FROM puzzles ORDER BY rowid").fetchall()
        word = names.index("difficulty_word")
        assert [row[:word] + row[word + 1 :] for row in after[:3]] == [
            row[:word] + row[word + 1 :] for row in before[:3]
        ]
        records = list(store.puzzles())
        assert [record.verdict for record in records] == ["solvable"] * 3 + ["unknown", "unsolvable"]
        assert [record.measured for record in records] == [measures(record.puzzle) for record in records]
        assert [row[word] for row in after] == [record.difficulty and record.difficulty.word for record in records]
        assert [row[word] for row in after[:3]] != [row[word] for row in before[:3]]
        assert store.count(where="first_opening IS NULL") == 0
        assert store.begin_run(RunKey(recipe), {}, "sat").next_index == 4000
        assert store.game("1").board == records[0].id
        assert store.game("2").board == Sample(Recipe(6, 7, 12, None, "safe", 3), 4)
        assert store.series_results(SeriesKey("champion", Recipe(6, 7, 12, None, "safe", 3))).wins == 2
    assert [record.puzzle for record in records[:3]] == [recipe.puzzle(record.index or 0) for record in records[:3]]
    assert layout(path) == layout(filled(tmp_path / "new.db"))


def test_what_lays_out_new_files_is_what_all_migrations_come_to() -> None:
    assert schema.newest() == schema.all_migrations(), "python -m minesweeper.db.schema writes it anew"


def test_the_tables_know_the_tiers_and_start_rules(tmp_path: Path) -> None:
    """Released migrations are never edited, so what they say is held equal to what the player knows."""
    with closing(sqlite3.connect(filled(tmp_path / "new.db"))) as connection:
        tables = "\n".join(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'"))
    for column, wanted, times in (
        ("hardest_tier", [tier.title for tier in Tier], 1),
        ("rule", list(StartRule), 4),
        ("verdict", [SOLVABLE, UNSOLVABLE, UNKNOWN], 1),
    ):
        lists = re.findall(rf"\b{column} IN \(([^)]*)\)", tables)
        assert [re.findall("'([^']*)'", found) for found in lists] == [wanted] * times


def test_a_migration_keeps_the_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "puzzles.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW mine AS SELECT id FROM puzzles")

    def add_stars(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE puzzles ADD COLUMN stars INTEGER")

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, add_stars])
    monkeypatch.setitem(schema.VIEWS, "puzzle_list", "SELECT id, stars FROM puzzles")
    for _ in range(2):
        with Store(path, create=False) as store:
            assert [replace(record, clues_at_once=None) for record in store.puzzles(where="stars IS NULL")] == [
                sampled(index) for index in range(3)
            ]
            assert store.db["puzzle_list"].columns_dict.keys() == {"id", "stars"}
            assert store.db["mine"].columns_dict.keys() == {"id"}
            assert store.db.execute("PRAGMA user_version").fetchone()[0] == len(schema.MIGRATIONS)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "puzzles.db")
    before = layout(path)

    def stumble(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE puzzles ADD COLUMN stars INTEGER")
        connection.execute("ALTER TABLE absent ADD COLUMN stars INTEGER")

    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, stumble])
        assert "no such table: absent" in refusal(path)
    assert layout(path) == before
    with Store(path, create=False) as store:
        assert store.count() == 3


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, while this process has no right to write where it should not."""
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


def test_a_read_only_folder_can_be_read_but_not_written(unprivileged: Path) -> None:
    path = filled(unprivileged / "puzzles.db")
    unprivileged.chmod(0o555)
    assert "folder that can be read and written" in refusal(unprivileged / "new.db", create=True)
    with Store(path, create=False) as store:
        assert list(store.puzzles()) == [sampled(index) for index in range(3)]
        assert store.puzzle(sampled(1).id) == sampled(1)
        with pytest.raises(DatabaseError, match=r"can be written to.*puzzles\.db"):
            store.begin_run(KEY, {}, "sat")
    assert "can be" in refusal(path, create=True)


def test_a_read_only_file_can_be_read_but_not_written(unprivileged: Path) -> None:
    path = filled(unprivileged / "puzzles.db")
    path.chmod(0o444)
    with Store(path, create=False) as store:
        assert store.count() == 3
        with pytest.raises(DatabaseError, match=r"can be written to.*puzzles\.db"):
            store.begin_run(KEY, {}, "sat")


def test_a_file_that_may_not_be_read_is_refused(unprivileged: Path) -> None:
    path = filled(unprivileged / "puzzles.db")
    path.chmod(0o000)
    assert "can be read" in refusal(path)


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    with Store(tmp_path / "puzzles.db") as store:
        run = store.begin_run(KEY, {}, "sat")
        store.add_puzzles(run.id, [sampled(0)], next_index=1, candidates=1, seconds=1.0)
        pages = store.db.execute("PRAGMA page_count").fetchone()[0]
        store.db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DatabaseError, match="disk is full"):
            store.add_puzzles(run.id, map(sampled, range(1, 999)), next_index=999, candidates=999, seconds=9.0)
        assert (store.count(), store.run(run.id).next_index) == (1, 1)
        store.db.execute(f"PRAGMA max_page_count = {2**30}")
        assert store.add_puzzles(run.id, [sampled(1)], next_index=2, candidates=2, seconds=2.0) == 1


def test_a_database_that_stays_locked_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "puzzles.db")
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, Store(path) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match=r"another program.*puzzles\.db"):
            store.begin_run(KEY, {}, "sat")
        assert store.count() == 3


WRITER = """
import sys
from sample_records import KEY, sampled
from minesweeper.db.records import GameRecord
from minesweeper.db.store import Store

path, batches = sys.argv[1], int(sys.argv[2])
with Store(path) as store:
    run = store.begin_run(KEY, {}, "sat")
    print("ready", flush=True)
    sys.stdin.readline()
    new = 0
    for start in range(0, 3 * batches, 3):
        records = [sampled(index) for index in range(start, start + 3)]
        new += store.add_puzzles(run.id, records, next_index=start + 3, candidates=start + 3, seconds=start + 3)
        store.add_games(GameRecord(sys.argv[3], record.id, True, 71, 0, 0.5) for record in records)
        print(start + 3, flush=True)
print("new", new)
"""


def writer(path: Path, batches: int, name: str) -> subprocess.Popen[str]:
    search = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(batches), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": search},
    )


def test_processes_share_a_file_from_its_making_on(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    writers = [writer(path, 30, f"strategy {number}") for number in range(3)]
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=120)[0].split() for process in writers]
    assert [process.returncode for process in writers] == [0, 0, 0]
    assert sum(int(output[-1]) for output in outputs) == 90
    with Store(path, create=False) as store:
        assert {record.index for record in store.puzzles()} == set(range(90))
        run = store.begin_run(KEY, {}, "sat")
        assert (run.kept, run.next_index, run.candidates, run.seconds) == (90, 90, 90, 90.0)
        assert [(row["games"], row["wins"]) for row in store.leaderboard()] == [(90, 90)] * 3


def test_a_killed_process_leaves_what_it_had_stored(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.db"
    with writer(path, 10_000, "local") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        lines = [process.stdout.readline().strip() for _ in range(8)]
        process.kill()
    assert lines[0] == "ready"
    with Store(path, create=False) as store:
        run = store.begin_run(KEY, {}, "sat")
        assert run.next_index >= int(lines[-1]) == 21
        assert run.kept == store.count() == run.next_index
        assert [record.index for record in store.puzzles()] == list(range(run.next_index))
        assert store.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
