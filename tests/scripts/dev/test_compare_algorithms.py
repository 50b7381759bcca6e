"""The race of the Gem Hunter algorithms."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from minesweeper.player.gems.parts import Part
from minesweeper.player.gems.text import parse_puzzle
from minesweeper.scripts.dev.compare_algorithms import (
    RACERS,
    Disagreement,
    Run,
    check_answer,
    main,
    summary,
    time_limited,
    write_page,
)

ROOT = Path(__file__).parents[3]
SCRIPT = [sys.executable, str(ROOT / "scripts" / "dev" / "compare_algorithms.py")]


def test_the_table_the_csv_and_the_chart(tmp_path: Path) -> None:
    arguments = ("--size", "4x4", "--size", "5x5", "--boards", "2", "--repeats", "2", "--csv", "--timeout", "60")
    result = subprocess.run(
        [*SCRIPT, *arguments, "--chart", "race.png", "--save-csv", "race.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["size"] for row in rows] == ["4x4"] * 5 + ["5x5"] * 5
    assert {row["algorithm"] for row in rows} == set(RACERS)
    for row in rows:
        assert (int(row["solved"]), int(row["timed_out"])) == (2, 0)
    assert (tmp_path / "race.csv").read_text() == result.stdout
    assert (tmp_path / "race.png").read_bytes().startswith(b"\x89PNG")


def test_the_page(tmp_path: Path) -> None:
    row = {"density": 0.2, "hidden": 0.5, "unique": "yes", "boards": 3, "repeats": 2, "timeout": 5.0}
    times = {"median_ms": 12.34, "fastest_ms": 1.0, "slowest_ms": 99.0}
    late = {"median_ms": None, "fastest_ms": None, "slowest_ms": None, "solved": 0, "timed_out": 3}
    rows = [
        {**row, "size": "9x9", "algorithm": "backtracking", "solved": 3, "timed_out": 0, **times},
        {**row, "size": "9x9", "algorithm": "brute-force", **late},
        {**row, "size": "50x50", "algorithm": "backtracking", **late},
        {**row, "size": "30x30", "algorithm": "dpll", "unique": "any", "solved": 2, **times, "timed_out": 1},
    ]
    write_page(rows, tmp_path)
    page = (tmp_path / "README.md").read_text()
    first, second = page.split("## Large boards")
    assert "3 boards of each size, 2 repeats each" in " ".join(first.split())
    assert "| 9x9 | backtracking | 12.3 | 1.0 | 99.0 |  |" in first
    assert "| 50x50 | backtracking | over 5000 |  |  | 3 |" in first
    assert "| 9x9 | 0.0123 | 0.0068 | 3 of 3 timed out | 0 |" in first
    assert "| 30x30 | 0.2 | 0.5 | dpll | 12.3 | 1.0 | 99.0 | 1 |" in second
    for name in re.findall(r'(?:src|srcset)="(.*?)"', page):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_a_page_is_made_anew_from_its_csv(tmp_path: Path) -> None:
    committed, copy = ROOT / "docs" / "studies" / "race", tmp_path / "race"
    copy.mkdir()
    (copy / "race.csv").write_bytes((committed / "race.csv").read_bytes())
    result = CliRunner().invoke(main, ["--page", str(copy), "--only-page"], catch_exceptions=False)
    assert (result.exit_code, result.output) == (0, "")
    assert (copy / "README.md").read_text() == (committed / "README.md").read_text()
    assert {path.name for path in copy.iterdir()} == {path.name for path in committed.iterdir()}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "expected the CSV of a race, No such file"),
        ("size,density\n9x9,0.2\n", "expected the CSV of a race, with a column 'hidden'"),
        ("size,density\n9x9,dense\n", "expected the CSV of a race, could not convert string to float: 'dense'"),
        ("size,density\n", "expected the CSV of a race, it has no row"),
    ],
)
def test_a_page_needs_the_csv_of_a_race(content: str | None, told: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "race.csv").write_text(content)
    result = CliRunner().invoke(main, ["--page", str(tmp_path), "--only-page"])
    assert result.exit_code == 2
    assert told in result.output
    assert str(tmp_path) in result.output
    assert result.output.count("\n") == 1


def test_who_is_timed_out_is_slower_than_all_others() -> None:
    solved, late = [Run(0.001 * time, "solved") for time in (1, 2, 3, 4)], Run(None, "timed out")
    assert summary([*solved, late])["median_ms"] == 3
    assert summary([*solved[:2], late, late, late])["median_ms"] is None
    assert summary([*solved[:2], late, late])["median_ms"] is None
    assert summary([*solved[:2], late, late])["slowest_ms"] == 2


def test_what_takes_too_long_is_ended() -> None:
    # 21 cells that hang together, with clues that clash at the end: brute force tries all of 2^21.
    puzzle = parse_puzzle("\n".join([",".join("_" * 11), ",".join(["1"] * 10 + ["5"]), ",".join("_" * 10 + "0")]))
    assert time_limited("brute-force", puzzle, 100, 0.01).outcome == "timed out"


def test_who_breaks_off_is_not_timed_out(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(part: Part) -> Iterator[list[bool]]:
        raise RecursionError("too deep")

    monkeypatch.setitem(RACERS, "sat", broken)
    with pytest.raises(ChildProcessError, match="sat ended with status 1"):
        time_limited("sat", parse_puzzle("1,_"), 1, 5)
    assert "too deep" in capfd.readouterr().err


def test_times_are_finer_than_ticks() -> None:
    runs = [time_limited("dpll", parse_puzzle("1,1\n_,_"), 3, 60) for _ in range(3)]
    assert all(run.seconds is not None and run.seconds > 0 for run in runs)


def test_wrong_answers_are_noticed() -> None:
    puzzle = parse_puzzle("1,1\n_,_")
    one, other = np.array([[False, False], [True, False]]), np.array([[False, False], [False, True]])
    check_answer("sat", puzzle, one, one)
    with pytest.raises(Disagreement, match="not the only solution"):
        check_answer("sat", puzzle, other, one)
    with pytest.raises(Disagreement, match="does not fit"):
        check_answer("sat", puzzle, one | other)
