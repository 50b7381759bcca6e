"""The command `optimal`: its rows against the library and the published table."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.play.strategies.optimal import best_start, different_cells
from minesweeper.scripts.commands.optimal import main

PUBLISHED = Path(__file__).parents[3] / "docs/studies/strength/README.md"


def optimum(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def rows(*arguments: str) -> list[dict[str, Any]]:
    result = optimum(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def wins(row: dict[str, Any]) -> tuple[int, int]:
    return row["wins"], row["games"]


def expected(mines: int, rule: StartRule) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return wins and layouts of optimal play on 3x3 for each possible first click."""
    clicks = [click for click in different_cells(Grid(3, 3)) if rule.room(Grid(3, 3), click) >= mines]
    best = {click: best_start(Grid(3, 3), mines, click, rule) for click in clicks}
    return {click: (one.wins, one.layouts) for click, one in best.items()}


@pytest.mark.kernel
@pytest.mark.parametrize("rule", StartRule)
@pytest.mark.parametrize("mines", [1, 2, 4])
def test_rows_equal_those_of_the_library(mines: int, rule: StartRule) -> None:
    by_click = expected(mines, rule)
    best = max(won / of for won, of in by_click.values())
    every = rows(f"3x3/{mines}", "--start", str(rule), "--first-click", "all")
    assert {tuple(row["first_click"]): wins(row) for row in every} == by_click
    for row in every:
        assert (row["rows"], row["cols"], row["mines"], row["start"], row["strategy"]) == (3, 3, mines, rule, "optimal")
        assert row["win_percent"] == pytest.approx(100 * row["wins"] / row["games"], abs=1e-4)
        assert row["gap_percent"] == pytest.approx(100 * best - 100 * row["wins"] / row["games"], abs=1e-4)
        assert row["win_percent_low"] is row["win_percent_high"] is None
        assert row["states"] >= 0
        assert row["seconds"] >= 0
    (only,) = rows(f"3x3/{mines}", "--start", str(rule))
    assert wins(only) == by_click[tuple(only["first_click"])]
    assert wins(only)[0] / wins(only)[1] == best
    assert only["gap_percent"] == 0
    row, col = only["first_click"]
    (same,) = rows(f"3x3/{mines}", "--start", str(rule), "--first-click", f"{row},{col}")
    assert wins(same) == wins(only)


@pytest.mark.kernel
def test_reproduces_the_published_table() -> None:
    table = re.search(r"(?ms)^\| mines \|.*?(?=\n\n|\Z)", PUBLISHED.read_text())
    assert table is not None
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    published = {}
    for mines, *cells in lines:
        for size, cell in zip(head[1:], cells, strict=True):
            for rule, percent in zip(("safe", "opening"), re.findall(r"[\d.]+|–", cell), strict=False):
                if percent != "–":
                    published[f"{size}/{mines}", rule] = percent
    sizes = ("3x3", "4x4")
    found = {("{rows}x{cols}/{mines}".format(**row), row["start"]): f"{row['win_percent']:.2f}" for row in rows(*sizes)}
    assert found == {key: value for key, value in published.items() if key[0].split("/")[0] in sizes}
    assert len(found) == 40


@pytest.mark.kernel
def test_strategies_play_every_layout_or_a_sample() -> None:
    best, champion, random = rows(
        "4x4/4", "--start", "safe", "--strategies", "champion,random", "--games", "40", "--seed", "3"
    )
    assert best["strategy"] == "optimal"
    # champion plays optimally here, on all layouts, so the rate has no interval.
    assert wins(champion) == wins(best)
    assert (champion["gap_percent"], champion["win_percent_low"], champion["win_percent_high"]) == (0, None, None)
    assert (random["strategy"], random["games"]) == ("random", 40)
    assert random["win_percent_low"] < random["win_percent"] < random["win_percent_high"]
    assert random["gap_percent"] > 0
    again = rows("4x4/4", "--start", "safe", "--strategies", "random", "--games", "40", "--seed", "3")[1]
    assert wins(again) == wins(random)


@pytest.mark.kernel
def test_a_pipe_got_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minesweeper.scripts.console.terminal.SECONDS_PER_LINE", 0)
    lines = CliRunner().invoke(main, ["2x2/1-2", "--start", "safe"]).stderr.splitlines()
    assert [line.partition(" after ")[0] for line in lines] == ["1 of 2 boards", "2 of 2 boards"]


def test_skips_a_strategy_with_too_many_mines_for_its_first_click() -> None:
    result = optimum("4x4/11", "--start", "opening", "--strategies", "random", "--json")
    assert [row["strategy"] for row in json.loads(result.stdout)] == ["optimal"]
    assert result.stderr == "skipped random on 4x4/11: too many mines for the opening start at (2, 2)\n"


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("6x6/2",), "at most 32 cells"),
        (("5x6/12",), "expected at most 5,000,000"),
        (("4x4/6", "--most-states", "9"), "9"),
    ],
)
def test_skips_boards_that_are_too_large(arguments: tuple[str, ...], why: str) -> None:
    result = optimum(*arguments, "2x2/1", "--start", "safe", "--json")
    assert result.exit_code == 0
    assert ["{rows}x{cols}/{mines}".format(**row) for row in json.loads(result.stdout)] == ["2x2/1"]
    assert result.stderr.startswith(f"skipped {arguments[0]}: ")
    assert why in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.kernel
def test_many_boards_that_are_too_large_take_one_line() -> None:
    result = optimum("6x6", "2x2/1", "--start", "safe")
    assert result.stderr == "skipped 6x6/1 to 6x6/35: a 6x6 board is too large: expected at most 32 cells\n"


@pytest.mark.kernel
@pytest.mark.parametrize("board", ["6x6/2", "3x3/8"])
def test_fails_if_no_board_can_be_solved(board: str) -> None:
    result = optimum(board, "--start", "opening", "--first-click", "1,1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith("Error: no board can be solved: ")
