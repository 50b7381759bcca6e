"""The command `match`."""

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from minesweeper import Recipe, play
from minesweeper.player.play.stats import SequentialTest
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.commands.match import main

CLOSE = ("--board", "3x4/3", "--start", "safe", "--seed", "2", "--gain", "6", "--workers", "1")


def match(folder: Path, *arguments: str) -> Result:
    with chdir(folder):
        return CliRunner().invoke(main, arguments)


def score(result: Result) -> dict[str, Any]:
    assert result.exit_code in (0, 1), result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_stops_at_the_first_decision(tmp_path: Path) -> None:
    result = match(tmp_path, "local", "random", *CLOSE, "--json")
    found = score(result)
    assert (result.exit_code, found["accepted"]) == (0, True)
    recipe, test = Recipe("3x4/3", click=(0, 0), rule="safe", seed=2), SequentialTest(0.0, 0.06)
    won = {
        name: [play(recipe.puzzle(index), load_strategy(name), seed=2).won for index in range(found["games"])]
        for name in ("local", "random")
    }
    pairs = list(zip(won["local"], won["random"], strict=True))
    for boards in range(100, found["games"] + 1, 100):
        only = pairs[:boards].count((True, False)), pairs[:boards].count((False, True))
        assert test.verdict(*only, boards) is (True if boards == found["games"] else None)
    assert found["games"] > 100
    assert [found["only_first"], found["only_second"]] == list(only)
    assert [found["first_wins"], found["second_wins"]] == [sum(won["local"]), sum(won["random"])]


def test_rejects_the_weaker_strategy(tmp_path: Path) -> None:
    result = match(tmp_path, "random", "local", *CLOSE)
    assert result.exit_code == 1
    assert "random does not win more" in result.stdout


def test_stored_games_do_not_change_the_result(tmp_path: Path) -> None:
    at_once = score(match(tmp_path, "local", "random", *CLOSE, "--json", "--db", "once.db"))
    short = match(tmp_path, "local", "random", *CLOSE, "--json", "--max-games", "70")
    assert (short.exit_code, score(short)["accepted"], score(short)["games"]) == (1, None, 70)
    assert [score(match(tmp_path, "local", "random", *CLOSE, "--json")) for _ in range(2)] == [at_once] * 2
