"""The command `leaderboard`."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from processes import ended

from minesweeper import Recipe, Store, play
from minesweeper.db.series import SeriesKey
from minesweeper.player.play.stats import mcnemar, wilson
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.commands.leaderboard import main

ROOT = Path(__file__).parents[3]
SCRIPT = [sys.executable, str(ROOT / "scripts" / "leaderboard.py")]
SMALL = ("--strategy", "random", "--strategy", "local", "--board", "4x5/4", "--start", "safe")


def leaderboard(folder: Path, *arguments: str) -> Result:
    """Run the command in this process, by default without worker processes."""
    with chdir(folder):
        return ended(CliRunner().invoke(main, ("--workers", "1", *arguments)))


def family(row: Mapping[str, Any]) -> tuple[str, str, tuple[int, ...]]:
    return "{rows}x{cols}/{mines}".format(**row), row["start"], tuple(row["first_click"])


def read_csv(text: str) -> dict[str, dict[str, str]]:
    return {row["strategy"]: row for row in csv.DictReader(io.StringIO(text))}


def test_every_strategy_plays_the_same_boards(tmp_path: Path) -> None:
    result = leaderboard(tmp_path, *SMALL, "--games", "60", "--seed", "3", "--csv")
    rows = read_csv(result.stdout)
    recipe = Recipe("4x5/4", click=(0, 0), rule="safe", seed=3)
    won = {name: [play(recipe.puzzle(index), load_strategy(name), seed=3).won for index in range(60)] for name in rows}
    assert set(rows) == {"random", "local"}
    for name, row in rows.items():
        rate = wilson(sum(won[name]), 60)
        assert (int(row["games"]), int(row["wins"])) == (60, sum(won[name]))
        assert float(row["win_percent_low"]) == pytest.approx(100 * rate.low, abs=1e-3)
        assert float(row["win_percent_high"]) == pytest.approx(100 * rate.high, abs=1e-3)
    best, other = rows
    assert rows[best]["behind_percent"] == ""
    assert float(rows[other]["behind_percent"]) == pytest.approx(
        100 * (sum(won[best]) - sum(won[other])) / 60, abs=1e-3
    )
    with Store(tmp_path / "minesweeper.db", create=False) as store:
        for name in rows:
            assert (
                store.series.results(SeriesKey(name, Recipe("4x5/4", click=(0, 0), rule="safe", seed=3))).won.tolist()
                == won[name]
            )
        assert store.db.execute("SELECT count(*) FROM games").fetchone()[0] == 0


def test_plays_only_missing_games(tmp_path: Path) -> None:
    at_once = leaderboard(tmp_path, *SMALL, "--games", "24", "--csv", "--db", "once.db", "--workers", "2")
    leaderboard(tmp_path, *SMALL, "--games", "11", "--csv", "--db", "twice.db")
    added = leaderboard(tmp_path, *SMALL, "--games", "24", "--csv", "--db", "twice.db", "--each-game")
    columns = ("games", "wins", "guesses_per_game", "behind_percent", "p_value")
    for name, row in read_csv(at_once.stdout).items():
        assert [read_csv(added.stdout)[name][column] for column in columns] == [row[column] for column in columns]
    with Store(tmp_path / "twice.db", create=False) as store:
        assert store.db.execute("SELECT count(*) FROM games").fetchone()[0] == 2 * (24 - 11)
        assert {row["games"] for row in store.leaderboard()} == {24}


def test_continues_after_an_interruption(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(
        "strategies: [random]\nboards: [{board: 6x7/9, games: 30}, {board: 16x30/99, games: 1000000}]\n"
    )
    playing = subprocess.Popen(
        [*SCRIPT, "--config", "long.yaml"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    small, large = (
        SeriesKey("random", Recipe(board, click=click)) for board, click in [("6x7/9", (2, 2)), ("16x30/99", (3, 3))]
    )
    while playing.poll() is None and _standing(tmp_path, small) != 30:
        time.sleep(0.05)
    playing.send_signal(signal.SIGINT)
    output, errors = playing.communicate(timeout=60)
    assert playing.returncode == 130, errors
    assert "interrupted: run the same command to continue" in errors
    assert re.search(r"6x7/9, opening start at 2,2\n.*\nrandom +30 ", output)
    played = _standing(tmp_path, large)
    wanted = ("--strategy", "random", "--board", "16x30/99", "--games", str(played + 5), "--csv")
    result = leaderboard(tmp_path, *wanted)
    assert read_csv(result.stdout)["random"]["games"] == str(played + 5)
    once = leaderboard(tmp_path, *wanted, "--db", "once.db")
    assert read_csv(once.stdout)["random"]["wins"] == read_csv(result.stdout)["random"]["wins"]


def _standing(folder: Path, key: SeriesKey) -> int:
    database = folder / "minesweeper.db"
    if not database.exists() or not database.stat().st_size:
        return 0
    with Store(database) as store:
        return store.series.results(key).games


def test_a_config_file_describes_boards(tmp_path: Path) -> None:
    (tmp_path / "boards.yaml").write_text(
        "strategies: [random, 'local,progress=0']\n"
        "games: 12\n"
        "starts: [opening, safe]\n"
        "boards:\n"
        "  - 5x5/4\n"
        "  - {board: beginner, start: safe, first_click: center, games: 7, seed: 5}\n"
    )
    result = leaderboard(tmp_path, "--config", "boards.yaml", "--json")
    rows = json.loads(result.stdout)
    described = {(*family(row), row["seed"], row["games"]) for row in rows}
    assert described == {
        ("5x5/4", "opening", (2, 2), 0, 12),
        ("5x5/4", "safe", (0, 0), 0, 12),
        ("9x9/10", "safe", (4, 4), 5, 7),
    }
    assert {row["strategy"] for row in rows} == {"random", "local,progress=0"}
    overruled = leaderboard(tmp_path, "--config", "boards.yaml", "--json", "--games", "9", "--strategy", "random")
    assert [row["games"] for row in json.loads(overruled.stdout)] == [9, 9, 9]


def test_every_two_strategies_are_compared(tmp_path: Path) -> None:
    names = ("random", "local", "local,progress=0")
    chosen = [word for name in names for word in ("--strategy", name)]
    boards = ("--board", "4x5/4", "--board", "5x5/4", "--start", "safe", "--games", "40", "--seed", "3")
    pairs = json.loads(leaderboard(tmp_path, *chosen, *boards, "--pairs", "--json").stdout)
    assert [family(pair)[0] for pair in pairs] == ["4x5/4"] * 3 + ["5x5/4"] * 3
    with Store(tmp_path / "minesweeper.db", create=False) as store:
        won = {
            name: store.series.results(SeriesKey(name, Recipe("4x5/4", click=(0, 0), rule="safe", seed=3))).won
            for name in names
        }
    for pair in pairs[:3]:
        first, second = won[pair["first"]], won[pair["second"]]
        assert (pair["only_first"], pair["only_second"]) == ((first & ~second).sum(), (second & ~first).sum())
        assert pair["lead_percent"] == pytest.approx(100 * (first.sum() - second.sum()) / 40)
        assert pair["lead_percent_low"] <= pair["lead_percent"] <= pair["lead_percent_high"]
        assert pair["p_value"] == mcnemar(pair["only_first"], pair["only_second"])
        assert pair["lead_percent"] >= 0


def test_the_chart_has_a_panel_for_every_family_of_boards(tmp_path: Path) -> None:
    arguments = (*SMALL, "--board", "5x5/4", "--games", "10")
    for name, theme in (("light.svg", "light"), ("dark.svg", "dark"), ("light.png", "light")):
        leaderboard(tmp_path, *arguments, "--chart", name, "--theme", theme)
    drawn = (tmp_path / "light.svg").read_bytes()
    leaderboard(tmp_path, *arguments, "--chart", "light.svg")
    assert drawn == (tmp_path / "light.svg").read_bytes() != (tmp_path / "dark.svg").read_bytes()
    groups = [element.get("id", "") for element in ElementTree.fromstring(drawn).iter()]
    assert sum(name.startswith("axes_") for name in groups) == 2
    assert (tmp_path / "light.png").read_bytes().startswith(b"\x89PNG")


def test_the_config_of_the_strength_study_is_valid(tmp_path: Path) -> None:
    config = str(ROOT / "docs" / "studies" / "strength" / "strength.yaml")
    result = leaderboard(tmp_path, "--config", config, "--games", "1", "--strategy", "random", "--json")
    families = set(map(family, json.loads(result.stdout)))
    boards = ["8x8/10", "9x9/10", "16x16/40"]
    usual = {(board, *click) for board in boards for click in [("safe", (0, 0)), ("opening", (2, 2))]}
    assert families == usual | {("16x30/99", "safe", (0, 0)), ("16x30/99", "opening", (3, 3))}


def test_a_program_has_the_name_that_it_declares(tmp_path: Path) -> None:
    player = f"exec:sh {ROOT / 'docs/examples/players/random.sh'}"
    arguments = ("--strategy", player, "--board", "4x5/4", "--games", "2", "--workers", "2")
    assert f"random.sh ({player})" in leaderboard(tmp_path, *arguments).stdout
    (row,) = json.loads(leaderboard(tmp_path, *arguments, "--json").stdout)
    assert row["strategy"] == player


OWN = {
    "out of time": ("while True: pass", "strategy Own exceeded 0.2 s"),
    "broke off": ("raise KeyError('cell')", "strategy Own failed: KeyError: 'cell'"),
    "nonsense": ("return [(0, 0)]", "strategy Own chose (0, 0), which is already open"),
}


@pytest.mark.parametrize("fault", OWN)
def test_a_strategy_that_loops_fails_or_cheats_loses_its_games_with_the_first_text(fault: str, tmp_path: Path) -> None:
    code, why = OWN[fault]
    source = f"import minesweeper as ms\n\nclass Own(ms.Strategy):\n    def moves(self, view):\n        {code}\n"
    (tmp_path / "own.py").write_text(source)
    board = ("--board", "9x9/10", "--first-click", "0,0", "--games", "3", "--seed", "7", "--time-limit", "0.2")
    with chdir(tmp_path):
        arguments = ("--workers", "1", "--strategy", "./own.py", "--strategy", "local", *board)
        result = ended(CliRunner().invoke(main, arguments), 0)
    assert f"3 games forfeited (3 {fault}), counted as lost; -v logs each; the first: {why}\n" in result.output
