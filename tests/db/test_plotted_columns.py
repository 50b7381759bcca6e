"""The table of columns to plot in docs/reference/database.md agrees with stored puzzles."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import minesweeper as ms
from minesweeper.db.columns import PUZZLE_COLUMNS
from minesweeper.scripts.commands import generate
from minesweeper.scripts.commands.packs import command as packs

PAGE = Path(__file__).parents[2] / "docs/reference/database.md"
ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| ([\w, ]+) \| (\d) to ([\w ]+) \| ([\w, ]+) \|$", re.MULTILINE)
TABLE = {
    name: (int(least), most, empty)
    for names, _, least, most, empty in ROW.findall(PAGE.read_text())
    for name in re.findall(r"\w+", names)
}


def run(main: Any, *words: str) -> None:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output


def rows() -> list[dict[str, Any]]:
    with closing(sqlite3.connect("minesweeper.db")) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM puzzles")]


def check(row: dict[str, Any], *, is_measured: bool, has_path: bool) -> None:
    cells = row["rows"] * row["cols"]
    limits = row | {"cells": cells, "safe cells": cells - row["mines"], "no limit": float("inf")}
    for name, (least, most, empty) in TABLE.items():
        is_before = "before" in empty and not (has_path if name.startswith("path") else is_measured)
        is_empty = is_before or ("unsolved" in empty and row["verdict"] != "solvable")
        assert (row[name] is None) == is_empty, (name, row)
        assert is_empty or least <= row[name] <= limits[most], (name, row)


@pytest.mark.kernel
def test_units_ranges_and_gaps_are_those_of_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    others = {"rows", "cols", "first_row", "first_col", "seed", "sample_index", "run"}
    numbers = {one.name for one in PUZZLE_COLUMNS if one.type in (int, float) and not one.derived}
    assert TABLE.keys() == numbers - others
    recipe = ms.Recipe("9x9/20", rule="safe", seed=5)
    ms.save([recipe.puzzle(index) for index in range(8)], "some.jsonl")
    run(packs.main, "import", "some.jsonl", "--no-verify")
    for row in rows():
        check(row, is_measured=False, has_path=False)
    run(packs.main, "rate")
    for board in ("9x9/10", "9x9/24", "8x8/12 hex"):
        run(generate.main, "--board", board, "--count", "6", "--workers", "1")
    for row in rows():
        check(row, is_measured=True, has_path=False)
    run(packs.main, "rate", "--path")
    found = rows()
    assert len(found) == 26
    for row in found:
        check(row, is_measured=True, has_path=True)
