"""The command `gain`: its estimate is unbiased, and it continues from stored results."""

import json
import shlex
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import error_line

from minesweeper import Board, Puzzle, Recipe
from minesweeper.player.core.results import PuzzleList
from minesweeper.player.play.strategies.kernel_strategies import play_batch
from minesweeper.scripts.commands.gain import gains_of, interval, main

pytestmark = pytest.mark.kernel

ARGUMENTS = ["safest", "champion", "--board", "5x5/5", "--layouts", "4", "--workers", "1"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*ARGUMENTS, *arguments])


def test_agrees_with_playing_every_board() -> None:
    boards = []
    for mines in combinations(range(1, 20), 3):
        mine_map = np.zeros(20, dtype=np.bool_)
        mine_map[list(mines)] = True
        boards.append(Puzzle(Board(mine_map.reshape(4, 5)), (0, 0)))
    won = [
        np.mean([game.won for game in play_batch(PuzzleList(boards), range(len(boards)), name)])
        for name in ("safest", "champion")
    ]
    recipe = Recipe("4x5/3", click=(0, 0), rule="safe", seed=8)
    found = interval([one.gain for one in gains_of(recipe, "safest", "champion", 16, range(150))])
    assert found.low <= won[0] - won[1] <= found.high
    assert found.margin < 0.05


def test_equal_strategies_gain_nothing() -> None:
    found = json.loads(run("--games", "5", "--json").stdout)
    assert found["games"] == 5
    same = gains_of(Recipe("5x5/5"), "champion", "champion", 16, range(5))
    assert [(one.gain, one.different) for one in same] == [(0, 0)] * 5


def test_continues_from_stored_results_with_an_incomplete_last_line(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    assert run("--games", "12", "--results", str(whole)).exit_code == 0
    run("--games", "7", "--results", str(parts))
    with parts.open("a") as file:
        file.write('{"game": 7, "ga')
    run("--games", "12", "--results", str(parts))
    assert parts.read_text() == whole.read_text()


def test_a_pipe_got_no_progress(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("minesweeper.scripts.console.terminal.SECONDS_PER_LINE", 0)
    results = str(tmp_path / "results.jsonl")
    for games, begun in ((2, 0), (3, 2)):
        lines = run("--games", str(games), "--results", results).stderr.splitlines()
        expected = [f"{number} of {games} games" for number in range(begun + 1, games + 1)]
        assert [line.partition(" after ")[0] for line in lines] == expected


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    stored = ("--games", "2", "--results", str(tmp_path / "kept.jsonl"))
    run(*stored)
    assert "has results for other settings" in error_line(run(*stored, "--seed", "1"))


def test_a_program_that_makes_every_move_is_asked_where_logic_finds_no_safe_cell() -> None:
    toolkit = f"exec:{sys.executable} -P -m minesweeper answer"
    found = gains_of(Recipe("5x5/5"), toolkit, "champion", 4, range(5))
    assert [(one.gain, one.different, one.forfeited) for one in found] == [(0, 0, False)] * 5
    assert sum(one.guesses for one in found) > 0


def test_a_program_that_fails_loses_what_the_other_strategy_would_have_won(tmp_path: Path) -> None:
    program = tmp_path / "silent.py"
    program.write_text('input()\nprint(\'{"plays": "moves"}\', flush=True)\ninput()\n')
    recipe, games = Recipe("4x5/3", click=(0, 0), rule="safe", seed=8), range(150)
    found = gains_of(recipe, f"exec:{sys.executable} {shlex.quote(str(program))}", "champion", 16, games)
    assert all(one.forfeited != one.won for one in found)
    assert {one.guesses for one in found if one.forfeited} == {1}
    wins = [game.won for game in play_batch(recipe, range(2000), "champion")]
    no_guess = [game.won and not game.guesses for game in play_batch(recipe, range(2000), "champion")]
    gain = interval([one.gain for one in found])
    assert gain.low <= np.mean(no_guess) - np.mean(wins) <= gain.high
