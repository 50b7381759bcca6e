"""External programs as players: messages, answers, and forfeited games."""

import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minesweeper import Board, Puzzle, Recipe, Strategy, play, play_many, solve
from minesweeper.player.core.errors import Fault, StrategyError
from minesweeper.player.core.results import GameResult, PuzzleList, forfeits_in_words
from minesweeper.player.core.steps import Tier
from minesweeper.player.play.strategies.loading import load_strategy, result_name

# Logs its input, then opens the first hidden cell or runs the code of a test.
PLAYER = """
import json, os, sys, time
for line in sys.stdin:
    open("log", "a").write(line)
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"name": "test", "plays": PLAYS}), flush=True)
    elif message["type"] in ("guess", "move"):
        view = message["view"]
        hidden = [[r, c] for r, row in enumerate(view) for c, symbol in enumerate(row) if symbol == "#"]
        answer = {"open": hidden[:1]}
        ANSWER
        print(json.dumps(answer), flush=True)
"""

Maker = Callable[..., Strategy]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    monkeypatch.chdir(tmp_path)

    def make(answer: str = "", plays: str = "guesses", limits: str = "") -> Strategy:
        text = PLAYER.replace("PLAYS", repr(plays)).replace("ANSWER", answer)
        (tmp_path / "program.py").write_text(text)
        return load_strategy(f"exec{limits}:{sys.executable} program.py")

    return make


RECIPE = Recipe("9x9/14", click=(2, 2), seed=5)


def messages() -> list[dict[str, object]]:
    return [json.loads(line) for line in Path("log").read_text().splitlines()]


def test_a_program_guesses_as_a_strategy_does(program: Maker) -> None:
    Path("reading.py").write_text(
        "from minesweeper.player.play.strategies import Strategy\n"
        "class Reading(Strategy):\n"
        "    name = 'reading'\n"
        "    def choose(self, view, knowledge):\n"
        "        return knowledge.uncertain_cells[0]\n"
    )
    ours = list(play_many(RECIPE, range(40), load_strategy("reading.py")))
    assert list(play_many(RECIPE, range(40), program())) == ours
    assert list(play_many(RECIPE, range(40), program(), workers=2)) == ours
    lines = messages()
    assert lines[0] == {"type": "hello", "protocol": 1}
    assert {"rows": 9, "cols": 9, "mines": 14}.items() <= lines[1].items()


def test_a_program_plays_every_move_and_sees_no_mine(program: Maker) -> None:
    # The first click opens row 0 and, where the first mine is, all of row 1 but that.
    puzzle = Puzzle(Board.from_text("....\n....\n*..*"), (0, 0))
    safe_cells = 'answer = {"open": [[2, 1], [2, 2]]}'
    result = play(puzzle, program(safe_cells, "moves"), keep_moves=True)
    assert result == GameResult(True, 10, 0, 0.0, result.moves)
    assert [move.tier for move in result.moves] == [Tier.FIRST_CLICK, Tier.TWO_CLUES, Tier.TWO_CLUES]
    moves = [line for line in messages() if line["type"] == "move"]
    assert [line["view"] for line in moves] == [["0000", "1111", "####"]]
    lost = play(puzzle, program(plays="moves"))
    assert (lost.won, lost.guesses, lost.fault) == (False, 1, None)


@pytest.mark.parametrize(
    ("answer", "fault", "message"),
    [
        ("os._exit(1)", Fault.BROKE_OFF, "ended without an answer"),
        ("time.sleep(60)", Fault.TOO_SLOW, "no answer in 0.3 s"),
        ("print('hm')", Fault.NONSENSE, ": expected a JSON object in one line"),
        ("answer = {}", Fault.NONSENSE, "expected a list of"),
        ("answer = {'open': [[0, True]]}", Fault.NONSENSE, "expected a list of"),
        ("answer = {'open': hidden}", Fault.NONSENSE, "cells for a guess: expected one"),
        ("answer = {'open': [[0, 99]]}", Fault.NONSENSE, "which is off the board"),
        ("answer = {'open': [[2, 2]]}", Fault.NONSENSE, "which is already open"),
        ("sys.stdout.write(2 * 10**6 * 'x')", Fault.NONSENSE, ": expected a JSON object in one line"),
    ],
)
def test_a_fault_loses_only_that_game(
    program: Maker, answer: str, fault: Fault, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    once = f"if not os.path.exists('done'):\n            open('done', 'w').close(); {answer}"
    puzzles = map(RECIPE.puzzle, range(100))
    puzzle = next(puzzle for puzzle in puzzles if play(puzzle, load_strategy("random")).guesses)
    strategy = program(once, limits=",move=0.3" if fault is Fault.TOO_SLOW else "")
    first, second = play(puzzle, strategy), play(puzzle, strategy)
    assert (first.won, first.fault) == (False, fault)
    assert message in caplog.text
    assert second.fault is None
    assert [line["type"] for line in messages()].count("hello") == 2


def test_a_program_ends_with_its_last_use(program: Maker) -> None:
    program("open('pid', 'w').write(str(os.getpid()))")
    solve("2x2/1\n##\n##", strategy=f"exec:{sys.executable} program.py")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)


def test_a_program_that_never_answers_hello_is_an_error(program: Maker, tmp_path: Path) -> None:
    for text, message in {
        "exec:/no/such/program": "cannot start",
        f"exec:{sys.executable} -c pass": "ended without an answer",
        f"exec,start=0.2:{sys.executable} -c 'import time; time.sleep(9)'": "no answer in 0.2 s",
    }.items():
        with pytest.raises(StrategyError, match=message):
            play(RECIPE.puzzle(0), load_strategy(text))
    with pytest.raises(StrategyError, match="\"plays\" is 'all': expected"):
        play(RECIPE.puzzle(0), program(plays="all"))


@pytest.mark.parametrize(
    "text", ["exec:", "exec:'", "exec,move=0:x", "exec,move=nan:x", "exec,speed=2:x", "exec,move:x"]
)
def test_rejects_invalid_commands(text: str) -> None:
    with pytest.raises(StrategyError, match=r"expected|command|unknown option 'speed'"):
        load_strategy(text)


def test_a_program_ends_when_its_strategy_is_closed(program: Maker) -> None:
    stubborn = "open('pid', 'w').write(str(os.getpid()))"
    strategy = program(stubborn)
    results = PuzzleList([RECIPE.puzzle(index) for index in range(30)])
    list(play_many(results, range(30), strategy))
    pid = int(Path("pid").read_text())
    os.kill(pid, 0)
    strategy.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert result_name("exec:node a.js", strategy) == "exec:node a.js"


def test_forfeits_are_counted_in_words() -> None:
    assert forfeits_in_words({Fault.NONSENSE: 1}) == "1 game forfeited (1 nonsense)"
    assert forfeits_in_words({Fault.TOO_SLOW: 2, Fault.BROKE_OFF: 1}) == "3 games forfeited (1 broke off, 2 too slow)"


@pytest.mark.parametrize("command", ["sh random.sh", f"{sys.executable} ms_toollib_player.py"])
def test_the_examples_play(command: str) -> None:
    folder = Path(__file__).parents[2] / "docs" / "examples" / "players"
    interpreter, _, name = command.partition(" ")
    games = list(play_many(RECIPE, range(8), load_strategy(f"exec:{interpreter} {folder / name}")))
    assert all(game.fault is None for game in games)
    assert any(game.won for game in games)


def test_a_child_that_holds_the_output_of_a_program_delays_nothing(program: Maker) -> None:
    child = (
        "\n        if not os.fork():"
        "\n            os.setsid()"
        "\n            while not os.path.exists('stop') and time.monotonic() < began + 60: time.sleep(0.1)"
        "\n            open('ended', 'w').close(); os._exit(0)"
        "\n        time.sleep(600)"
    )
    strategy = program(f"began = time.monotonic(){child}", "moves", ",move=0.3")
    try:
        assert play(RECIPE.puzzle(0), strategy).fault is Fault.TOO_SLOW
        assert not Path("ended").exists()
    finally:
        Path("stop").touch()
