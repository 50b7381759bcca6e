"""The comparison of the Gem Hunter algorithms."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from race import ALGORITHMS, Disagreement, Options, Run, check_answer, main, summary, time_limited

from minesweeper.player.gems.text import parse_puzzle
from minesweeper.player.parallel.processes import START_METHOD

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_table_and_chart(tmp_path: Path) -> None:
    arguments = ["--size", "4x4", "--size", "5x5", "--boards", "2", "--repeats", "2", "--csv", "--timeout", "60"]
    result = CliRunner().invoke(main, [*arguments, "--chart", str(tmp_path / "race.png")])
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["size"] for row in rows] == ["4x4"] * 5 + ["5x5"] * 5
    assert {row["algorithm"] for row in rows} == set(ALGORITHMS)
    for row in rows:
        assert (int(row["solved"]), int(row["timed_out"])) == (2, 0)
    assert (tmp_path / "race.png").read_bytes().startswith(b"\x89PNG")


def test_a_study_writes_its_csv_and_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def race(size: tuple[int, int], algorithms: Sequence[str], options: Options) -> list[dict[str, Any]]:
        kind = {"size": "{}x{}".format(*size), "density": options.density, "hidden": options.hidden}
        runs = [Run(0.001 * size[0])] * options.boards
        rest = {"unique": options.unique, "boards": options.boards, "repeats": 1, "timeout": options.timeout}
        return [{**kind, **rest, "algorithm": name, **summary(runs)} for name in algorithms]

    monkeypatch.setattr("race.race", race)
    result = CliRunner().invoke(main, ["--size", "3x3", "--boards", "1", "--study", str(tmp_path / "new"), "--csv"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "race.csv").read_text() == result.output
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert len(rows) == len(ALGORITHMS) + 3 * 6 * 2
    assert {row["size"] for row in rows} == {"3x3", "30x30", "50x50", "100x100"}
    for theme in ("light", "dark"):
        assert (tmp_path / "new" / f"race-{theme}.png").read_bytes().startswith(b"\x89PNG")


def test_the_readme_has_the_medians_of_the_csv() -> None:
    folder = ROOT / "docs" / "studies" / "race"
    page = (folder / "README.md").read_text()
    with (folder / "race.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 90
    for row in rows:
        kind = [row["size"]] if row["unique"] == "yes" else [row["size"], row["density"], row["hidden"]]
        median = f"{float(row['median_ms']):.1f}" if row["median_ms"] else "over 5000"
        assert f"| {' | '.join([*kind, row['algorithm'], median])} |" in page


def test_a_timeout_counts_as_slower_than_all_others() -> None:
    solved, late = [Run(0.001 * time) for time in (1, 2, 3, 4)], Run(None)
    assert summary([*solved, late])["median_ms"] == 3
    assert summary([*solved[:2], late, late, late])["median_ms"] is None
    assert summary([*solved[:2], late, late])["median_ms"] is None
    assert summary([*solved[:2], late, late])["slowest_ms"] == 2


def test_a_run_ends_at_the_timeout() -> None:
    # A component of 21 cells whose last clue has no solution: brute force tries all 2^21 assignments.
    puzzle = parse_puzzle("\n".join([",".join("_" * 11), ",".join(["1"] * 10 + ["5"]), ",".join("_" * 10 + "0")]))
    assert time_limited("brute-force", puzzle, 100, 0.01).seconds is None


def test_a_failing_algorithm_is_an_error(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(START_METHOD, "spawn")  # A server would write to its own stderr.
    with pytest.raises(ChildProcessError, match="broken ended with status 1"):
        time_limited("broken", parse_puzzle("1,_"), 1, 5)
    assert "KeyError: 'broken'" in capfd.readouterr().err


def test_times_are_finer_than_ticks() -> None:
    runs = [time_limited("dpll", parse_puzzle("1,1\n_,_"), 3, 60) for _ in range(3)]
    assert all(run.seconds is not None and run.seconds > 0 for run in runs)


def test_wrong_answers_are_rejected() -> None:
    puzzle = parse_puzzle("1,1\n_,_")
    one, other = np.array([[False, False], [True, False]]), np.array([[False, False], [False, True]])
    check_answer("sat", puzzle, one, one)
    with pytest.raises(Disagreement, match="not the only solution"):
        check_answer("sat", puzzle, other, one)
    with pytest.raises(Disagreement, match="does not fit"):
        check_answer("sat", puzzle, one | other)
