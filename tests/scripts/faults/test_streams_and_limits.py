"""Closed streams, invalid conditions, too few file descriptors: one line, exit code 2, no leftovers."""

import os
from pathlib import Path

import pytest
from processes import call, one_line, shell

from minesweeper.db.store import Store

SMALL = ("--preset", "beginner", "--seed", "3", "--workers", "1", "--count", "5")


pytestmark = [pytest.mark.faults, pytest.mark.usefixtures("folder")]


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
