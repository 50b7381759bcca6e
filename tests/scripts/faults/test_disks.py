"""Full disks, read-only places, locked and damaged databases, closed streams and too few file descriptors."""

import functools
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from processes import call, ids, one_line, run, shell
from sample_records import filled

from minesweeper.db import file
from minesweeper.db.formats import parquet
from minesweeper.db.store import Store

pytestmark = [pytest.mark.faults, pytest.mark.usefixtures("folder")]


COUNT = 1000
_GENERATE = f"generate --preset beginner --seed 3 --workers 3 --count {COUNT}"


@functools.cache
def _private_mounts() -> str:
    """Return a prefix that runs bash in a mount namespace, or skip the test."""
    for words in ("unshare --mount", "unshare --mount --map-root-user", "sudo -n unshare --mount"):
        trial = [*words.split(), "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        if subprocess.run(trial, capture_output=True, check=False).returncode == 0:
            return words
    pytest.skip("expected to be allowed to mount in a namespace of its own")


def _on_a_disk(size: str, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder where ``disk`` is a small private disk."""
    mount = f"mkdir disk; mount -t tmpfs -o size={size} tmpfs disk"
    return shell(f"{mount}; {script}", folder, _private_mounts())


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the puzzles of the run on a disk with enough space."""
    roomy = tmp_path_factory.mktemp("roomy") / "roomy.db"
    assert call(*_GENERATE.split(), "--db", roomy).returncode == 0
    return ids(roomy)


def test_a_run_resumes_after_a_full_disk(folder: Path, whole: list[str]) -> None:
    script = f"""{_GENERATE} --count 300 --db disk/run.db >said; {_GENERATE} --db disk/run.db; echo $?; cp -r disk full
        mount -o remount,size=20m disk; {_GENERATE} --db disk/run.db >said; echo $?; cp -r disk done"""
    result = _on_a_disk("300k", script, folder)
    assert result.stdout.split() == ["2", "0"], result.stderr
    assert one_line(result.stderr) == ("Error: the disk is full; stored data is safe: 'disk/run.db'\n")
    full = ids(Path("full/run.db"))
    assert full == whole[: len(full)]
    assert 300 <= len(full) < COUNT
    assert ids(Path("done/run.db")) == whole


def test_a_full_disk_gets_no_partial_files(folder: Path) -> None:
    script = f"""{_GENERATE} --db disk/run.db; echo $?; {_GENERATE} --out disk/out; echo $?
        packs import pack.jsonl --db disk/new.db; echo $?
        packs import pack.jsonl --db from.db >said; packs export disk/pack.db --db from.db; ls -A disk disk/out"""
    Path("pack.jsonl").write_text('{"board": ["....", "...*", "*..."], "first_click": [0, 0]}\n')
    result = _on_a_disk("24k", script, folder)
    assert result.stderr.splitlines() == [
        "Error: the disk is full; stored data is safe: 'disk/run.db'",
        "Error: No space left on device; nothing was written before: 'disk/out'",
        "Error: the disk is full; stored data is safe: 'disk/new.db'",
        "Error: the disk is full; stored data is safe: 'disk/pack.db'",
    ]
    # A folder keeps its lock and its manifest, so the run can resume.
    assert result.stdout.split()[-2:] == [".lock", "_manifest.json"]


def test_a_full_disk_keeps_the_older_page_and_chart(folder: Path) -> None:
    shutil.copy(Path(__file__).parents[3] / "docs/tutorials/game.evf", "game.evf")
    module = f"{sys.executable} -m minesweeper"
    script = f"""echo old | tee disk/a.html >disk/a.svg
        {module} review game.evf --html disk/a.html; echo $?
        {module} leaderboard --board 5x5/1 --games 2 --strategy random --chart disk/a.svg >said; echo $?
        {module} sweep --export disk/page; echo $?
        cat disk/a.*; ls -A disk"""
    result = _on_a_disk("12k", script, folder)
    names = [re.fullmatch("Error: No space left on device: '(.*)'", line) for line in result.stderr.splitlines()]
    assert [name and name[1][:17] for name in names] == ["disk/a.html", "disk/a.svg", "disk/page/static/"], (
        result.stderr
    )
    assert result.stdout.split() == ["2", "2", "2", "old", "old", "a.html", "a.svg", "page"]


def test_a_parquet_run_resumes_after_a_full_disk(folder: Path, whole: list[str]) -> None:
    script = f"""{_GENERATE} --out disk/out; echo $?; rm disk/ballast; {_GENERATE} --out disk/out >said; echo $?
        cp -r disk/out done; ls -A disk/out"""
    result = _on_a_disk("300k", f"head -c 288k /dev/zero >disk/ballast; {script}", folder)
    assert result.stdout.split() == ["2", "0", ".lock", "_manifest.json", "part-000000.parquet"], result.stderr
    assert "No space left on device; nothing was written before" in one_line(result.stderr)
    assert list(parquet.ids(Path("done"))) == whole


def _without_root_rights() -> str:
    """Return a prefix that runs bash without the capabilities of root, or skip the test."""
    if os.geteuid():
        return ""
    words = "setpriv --bounding-set=-all --inh-caps=-all"
    if subprocess.run([*words.split(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("expected to be allowed to give up the rights of root")
    return words


def test_names_a_read_only_place(folder: Path) -> None:
    assert call(*_GENERATE.split(), "--count", 5, "--db", "there/run.db").returncode == 2
    script = """mkdir there; generate --preset beginner --workers 2 --seed 3 --count 5 --db there/run.db >said
        chmod 555 there; generate --preset beginner --count 5 --db there/new.db; echo $?
        generate --preset beginner --count 5 --out there/out; echo $?
        packs export there/new.jsonl --db there/run.db; echo $?; packs list --db there/run.db --json | grep -c '"id"'
        chmod 444 there/run.db; generate --preset beginner --count 5 --db there/run.db; echo $?; chmod 755 there"""
    result = shell(script, folder, _without_root_rights())
    assert result.stdout.split() == ["2", "2", "2", "5", "2"], result.stderr
    assert all(line.startswith("Error: ") and "there/" in line for line in result.stderr.splitlines())
    assert len(result.stderr.splitlines()) == 4
    assert {path.name for path in Path("there").iterdir()} == {"run.db"}


def _while_locked(path: Path, seconds: float, command: Callable[[], subprocess.CompletedProcess[str]]) -> object:
    """Run a command while a database is locked for some seconds."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        ending = threading.Timer(seconds, lambda: other.execute("COMMIT"))
        ending.start()
        result = command()
        ending.join()
    return result


@pytest.mark.long
@pytest.mark.parametrize("seconds", [15, 50])
def test_waits_half_a_minute_for_a_locked_database(folder: Path, seconds: int) -> None:
    command = ("generate", "--preset", "beginner", "--seed", "3", "--workers", "2", "--db", "run.db", "--count")
    run(*command, 5)
    result = _while_locked(Path("run.db"), seconds, lambda: run(*command, 50))
    assert isinstance(result, subprocess.CompletedProcess)
    if seconds < file.BUSY_SECONDS:
        assert (result.returncode, result.stderr) == (0, "")
    else:
        assert result.returncode == 2
        assert one_line(result.stderr) == ("Error: another program has locked the database for 30 seconds: 'run.db'\n")
        run(*command, 50)
    assert len(ids(Path("run.db"))) == 50


def test_four_writers_share_a_file(folder: Path) -> None:
    line = "generate --preset beginner --workers 1 --count 300 --db run.db --seed"
    result = shell("\n".join([*(f"{line} {seed} >{seed} & " for seed in (1, 2, 3, 3)), "wait; cat 1 2 3"]), folder)
    assert result.stderr == ""
    alone = [call(*line.replace("run.db", f"{seed}.db").split(), seed) for seed in (1, 2, 3)]
    assert all(one.returncode == 0 for one in alone)
    assert sorted(ids(Path("run.db"))) == sorted(name for seed in (1, 2, 3) for name in ids(Path(f"{seed}.db")))


def test_names_newer_and_damaged_databases_and_leaves_them_unchanged(folder: Path) -> None:
    with Store(filled(Path("run.db"), 400)) as store:
        store.db.execute("PRAGMA journal_mode = DELETE")
    whole = Path("run.db").read_bytes()
    Path("short.db").write_bytes(whole[: len(whole) // 2])
    pages = bytearray(whole)
    for place in range(4096, len(whole), 4096 * 3):
        pages[place : place + 4096] = bytes(byte ^ 0xFF for byte in pages[place : place + 4096])
    Path("flipped.db").write_bytes(pages)
    shutil.copy("run.db", "newer.db")
    with closing(sqlite3.connect("newer.db")) as connection:
        connection.execute("PRAGMA user_version = 999")
    for name, reason, words in (
        ("short.db", "the database is damaged", ("verify", "--db", "short.db")),
        ("flipped.db", "the database is damaged", ("merge", "run.db", "flipped.db", "--into", "new.db")),
        ("newer.db", "newer minesweeper-toolkit", ("export", "new.jsonl", "--db", "newer.db")),
    ):
        before = Path(name).read_bytes()
        result = call("packs", *words)
        assert (result.returncode, result.stdout) == (2, "")
        assert reason in one_line(result.stderr)
        assert Path(name).read_bytes() == before
    assert not Path("new.jsonl").exists()


SMALL = ("--preset", "beginner", "--seed", "3", "--workers", "1", "--count", "5")


def stored(db: str = "minesweeper.db") -> int:
    with Store(db, create=False) as store:
        return store.count()


def test_names_a_closed_stdout_and_loses_no_puzzles(folder: Path) -> None:
    result = shell(f"generate {' '.join(SMALL)} >&-", folder)
    assert (result.returncode, one_line(result.stderr)) == (2, "Error: Bad file descriptor: stdout\n")
    assert stored() == 5
    assert shell("packs list >&- 2>&-", folder).returncode == 2


def test_a_closed_stdin_is_empty(folder: Path) -> None:
    result = shell("packs import - <&-", folder)
    assert (result.returncode, one_line(result.stderr)) == (2, "Error: -: no puzzles in this file\n")
    assert shell("analyse - <&-", folder).returncode == 2


def test_names_the_limit_of_open_files(folder: Path) -> None:
    result = shell("ulimit -n 40; generate --preset expert --count 9 --seed 1 --workers 60 2>&1 >out", folder)
    assert result.returncode == 2
    assert "Too many open files" in one_line(result.stdout)


def test_a_failed_merge_or_import_leaves_no_target(folder: Path) -> None:
    Path("bad.db").write_text("no database")
    Path("bad.jsonl").write_text("{}\n")
    call("generate", *SMALL)
    before = set(os.listdir())
    assert call("packs", "merge", "minesweeper.db", "bad.db", "--into", "new.db").returncode == 2
    assert call("packs", "import", "bad.jsonl", "--db", "new.db").returncode == 2
    assert {name for name in os.listdir() if "new" in name} == set(), before
    assert call("packs", "merge", "bad.db", "--into", "minesweeper.db").returncode == 2
    assert stored() == 5


def test_a_full_disk_leaves_no_empty_database(folder: Path) -> None:
    # A limit on file size works without rights; SQLite reports it as an I/O error.
    result = shell(f"trap '' XFSZ; ulimit -f 8; generate {' '.join(SMALL)} --db new.db", folder)
    assert result.returncode == 2
    one_line(result.stderr)
    assert not list(folder.glob("new.db*"))


@pytest.fixture
def flipped(folder: Path) -> str:
    """Return the id of the second of four puzzles, after flipping a byte of its mines."""
    call("generate", "--preset", "beginner", "--seed", "3", "--workers", "1", "--count", "4")
    with closing(sqlite3.connect("minesweeper.db", isolation_level=None)) as connection:
        name, bits = connection.execute("SELECT id, mine_bits FROM puzzles ORDER BY rowid LIMIT 1 OFFSET 1").fetchone()
        bits = bits[:-2] + bytes([bits[-2] ^ 0xFF]) + bits[-1:]
        connection.execute("UPDATE puzzles SET mine_bits = ? WHERE id = ?", (bits, name))
    return str(name)


@pytest.mark.faults
def test_verify_names_and_marks_a_damaged_puzzle(flipped: str) -> None:
    result = call("packs", "verify")
    assert (result.returncode, result.stdout) == (1, "3 puzzles proved, 1 failed\n")
    assert f"minesweeper.db: puzzle {flipped}: mines and first click are those of puzzle" in result.stderr
    with closing(sqlite3.connect("minesweeper.db")) as connection:
        marked = connection.execute("SELECT id FROM puzzles WHERE verdict = 'unknown' AND steps_1_clue IS NULL")
        assert marked.fetchall() == [(flipped,)]


@pytest.mark.faults
def test_other_commands_skip_it_with_a_message_and_packs_with_an_exit_status(flipped: str) -> None:
    """The exit status was 0, and the table said "4 of 4 puzzles" below three."""
    for words in (
        *(("packs", "list"), ("packs", "list", "--csv"), ("packs", "stats"), ("packs", "export", "pack.jsonl")),
        ("autoplay", "--db", "minesweeper.db"),
    ):
        result = run(*words)
        assert result.returncode == (words[0] == "packs"), result.stderr
        assert f"puzzle {flipped} is skipped: mines and first click are those of puzzle" in result.stderr
        assert words[1:] != ("list",) or result.stdout.endswith("3 of 4 puzzles\n")
    assert Path("pack.jsonl").read_text().count("\n") == 3
    assert run("packs", "list", "--where", f"id != '{flipped}'").returncode == 0


@pytest.mark.faults
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
