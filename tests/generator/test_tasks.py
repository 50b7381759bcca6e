"""Tasks for language models: answers against PySAT, prompts without leaks, and the checker of replies."""

from __future__ import annotations

import importlib
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from oracle import layouts
from processes import error_line
from task_oracle import check

from minesweeper import Grid, Recipe, closure
from minesweeper.generator import tasks as module
from minesweeper.generator.tasks import BUNDLED, ENCODINGS, TASK_KINDS, Encoding, Kind, bundled_tasks, encode, tasks
from minesweeper.player.core.board import HIDDEN, Board, View, cells_of
from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.logic.probability import sample_layouts
from minesweeper.scripts.commands.tasks import main

DOCS = Path(__file__).parents[2] / "docs" / "tasks"
SAMPLE = [json.loads(line) for line in (DOCS / "sample.jsonl").read_text().splitlines()]
RIGHT: Callable[[dict[str, Any], object], bool] = runpy.run_path(str(DOCS / "check_replies.py"))["right"]


def finished(task: dict[str, Any]) -> Game:
    """Play all turns of a game task. In the last one, a zero may open safe cells that were not certain."""
    recipe = Recipe(Grid(task["rows"], task["cols"]), task["mines"], task["first_click"], task["start"], task["seed"])
    game = Game(recipe.puzzle(task["index"]).board)
    for cell in [task["first_click"], *(cell for turn in task["answer"]["turns"] for cell in turn["safe"])]:
        game.open(cell)
    return game


def lines(*words: str) -> list[dict[str, Any]]:
    run = CliRunner().invoke(main, words)
    assert run.exit_code == 0, run.output
    return [json.loads(line) for line in run.output.splitlines()]


@pytest.mark.parametrize("kind", TASK_KINDS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_answer_is_proved_by_an_independent_sat_encoding(kind: Kind, encoding: Encoding) -> None:
    found = [*lines("--board", "6x6/8", "--kind", kind, "--encoding", encoding, "--count", "10", "--seed", "3")]
    found += lines("--board", "12x7/14", "--start", "safe", "--kind", kind, "--count", "5")
    for task in found:
        check(task)
        if kind == "game":
            assert finished(task).status is Status.WON
    assert [task["grade"] for task in found] == [1, 2, 3, 4, 5] * 3
    assert len({task["id"] for task in found}) == len({str(task["prompt"]) for task in found}) == 15


def test_the_oracle_rejects_wrong_answers() -> None:
    for task in SAMPLE[:5] + SAMPLE[16:18] + SAMPLE[24:26]:
        check(task)
        for key in ("safe", "mines", "open"):
            answer = task["answer"].get("turns", [task["answer"]])[-1]
            if answer.get(key):
                wrong = deepcopy(task)
                wrong["answer"].get("turns", [wrong["answer"]])[-1][key].pop()
                with pytest.raises(AssertionError):
                    check(wrong)


def prompts_differ(prompt: Callable[[Board, View], str], board: Board, view: View) -> bool:
    """Return whether a prompt changes with the mines although the view stays the same."""
    others = [Board(layout) for layout in sample_layouts(view, 20, seed=1)]
    assert all((np.where(view.cells == HIDDEN, HIDDEN, other.clues) == view.cells).all() for other in others)
    return len({prompt(one, view) for one in [board, *others]}) > 1


def test_a_prompt_depends_only_on_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the hidden mines of tasks to other layouts that fit, and make the tasks again; then plant a leak."""
    now: list[Board] = []
    compared = leaked = 0
    for kind in TASK_KINDS:
        for encoding in ENCODINGS:

            def prompt(board: Board, view: View, kind: Kind = kind, encoding: Encoding = encoding) -> str:
                now[:] = [board]
                first, known = next(iter(module.positions(board, view, 0, 0)))
                assert first == view
                turn = module.make_turn(first, known, kind, encoding)
                return f"{turn.prompt} {turn.answer}"

            for task in islice(tasks(Recipe("9x9/10"), kind, encoding=encoding, grades=[2, 3]), 4):
                board, view = task.recipe.puzzle(task.index).board, task.turns[0].view
                if closure(view).mine_map.sum() == view.mines:
                    continue
                compared += 1
                assert not prompts_differ(prompt, board, view)
                with monkeypatch.context() as plant:
                    leak = lambda view, encoding: f"{encode(view, encoding)} {now[0].to_text()}"  # noqa: E731
                    plant.setattr(module, "encode", leak)
                    leaked += prompts_differ(prompt, board, view)
    assert compared > 12
    assert leaked == compared


def cells(task: dict[str, Any], key: str) -> list[list[int]]:
    found: list[list[int]] = deepcopy(task["answer"][key])
    return found


DEDUCE = next(
    task for task in SAMPLE if task["kind"] == "deduce" and min(len(task["answer"][k]) for k in ("safe", "mines")) > 1
)
SAFE, MINES = cells(DEDUCE, "safe"), cells(DEDUCE, "mines")
WRONG = {
    "no JSON": "The safe cells are (0, 1) and (2, 3).",
    "no reply": None,
    "a list in place of an object": json.dumps([SAFE, MINES]),
    "a safe cell left out": json.dumps({"safe": SAFE[1:], "mines": MINES}),
    "a mine left out": json.dumps({"safe": SAFE, "mines": MINES[:-1]}),
    "a cell too many": json.dumps({"safe": [*SAFE, [0, 99]], "mines": MINES}),
    "safe cells and mines exchanged": json.dumps({"safe": MINES, "mines": SAFE}),
    "a mine among the safe cells": json.dumps({"safe": [*SAFE, MINES[0]], "mines": MINES[1:]}),
    "rows and columns exchanged": json.dumps({"safe": [[c, r] for r, c in SAFE], "mines": [[c, r] for r, c in MINES]}),
    "cells counted from 1": json.dumps({"safe": [[r + 1, c + 1] for r, c in SAFE], "mines": MINES}),
    "text in place of numbers": json.dumps({"safe": [[f"{r}", f"{c}"] for r, c in SAFE], "mines": MINES}),
    "decimals": json.dumps({"safe": [[r + 0.0, c + 0.0] for r, c in SAFE], "mines": MINES}),
    "one list only": json.dumps({"safe": SAFE}),
    "numbers in place of cells": json.dumps({"safe": 3, "mines": MINES}),
    "a right answer that is taken back": json.dumps({"safe": SAFE, "mines": MINES}) + ' No: {"safe": [], "mines": []}',
    "broken JSON": json.dumps({"safe": SAFE, "mines": MINES})[:-1],
}


@pytest.mark.parametrize("fault", WRONG)
def test_the_checker_refuses(fault: str) -> None:
    assert not RIGHT(DEDUCE["answer"], WRONG[fault])


def test_the_checker_accepts_right_replies_in_any_order() -> None:
    reply = f"So {{x}}: ```json\n{json.dumps({'mines': MINES[::-1], 'safe': SAFE[::-1]}, indent=1)}\n``` done"
    assert RIGHT(DEDUCE["answer"], reply)
    for task in SAMPLE:
        answer = task["answer"]
        turns = answer.get("turns", [answer])
        texts = [json.dumps({**turn, "open": turn["open"][-1]} if "open" in turn else turn) for turn in turns]
        assert RIGHT(answer, texts if "turns" in answer else texts[0])
        assert not RIGHT(answer, texts[:-1] if "turns" in answer else '{"open": [0, 99]}')
        assert not RIGHT(answer, [*texts[:-1], "{}"] if "turns" in answer else '{"open": []}')


def test_the_sample_is_every_tenth_of_the_bundled_tasks() -> None:
    offset = 0
    for kind, board, encoding, number in BUNDLED:
        first = next(tasks(Recipe(board, seed=1), kind, encoding=encoding))
        assert SAMPLE[offset // 10] == json.loads(json.dumps(first.to_json()))
        offset += number
    assert (offset, len(SAMPLE)) == (300, 30)


@pytest.mark.long
def test_the_bundled_tasks_have_their_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    found = bundled_tasks()
    assert [json.loads(line) for line in found[::10]] == SAMPLE
    assert len({json.loads(line)["id"] for line in found}) == 300
    monkeypatch.setattr(module, "BUNDLED_HASH", "0")
    with pytest.raises(ConfigError, match="expected 0"):
        bundled_tasks()


def test_the_audit_finds_every_certain_mine_without_the_mine_count() -> None:
    certain_mines = runpy.run_path(str(DOCS.parent / "studies" / "audit" / "audit.py"))["certain_mines"]
    rng = np.random.default_rng(1)
    for _ in range(60):
        board = Board(rng.random((3, 4)) < 0.35)
        shown = (rng.random((3, 4)) < 0.5) & ~board.mine_map
        views = [View(np.where(shown, board.clues, HIDDEN), mines) for mines in range(int((~shown).sum()) + 1)]
        fitting = np.concatenate([layouts(view) for view in views])
        grid = [["X" if symbol == "#" else symbol for symbol in line] for line in views[0].lines]
        assert certain_mines(grid) == set(cells_of(fitting.all(axis=0)))


def test_a_file_has_the_lines_of_stdout(tmp_path: Path) -> None:
    words = ["--board", "9x9/10", "--count", "5"]
    printed = CliRunner().invoke(main, words).output
    assert CliRunner().invoke(main, [*words, "--out", str(tmp_path / "tasks.jsonl")]).output == ""
    assert (tmp_path / "tasks.jsonl").read_text() == printed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--board 5x5/0 --start safe --kind move", "no new task of kind move and grade 1 in 2000 puzzles of 5x5/0"),
        ("--bundled --count 3", "--bundled writes a fixed set"),
        ("", "no board; expected --board"),
        ("--board 9x9/10 --grade 6", "'6' is not one of '1'"),
    ],
)
def test_errors_take_one_line(words: str, complaint: str) -> None:
    assert complaint in error_line(CliRunner().invoke(main, words.split()))


def test_a_right_reply_may_hold_an_object_and_name_a_cell_twice() -> None:
    reason = {"reason": {"clue": [3, 3], "because": [{"mines": []}]}}
    assert RIGHT(DEDUCE["answer"], json.dumps({"safe": SAFE, "mines": MINES} | reason))
    assert RIGHT(DEDUCE["answer"], json.dumps({"safe": [*SAFE, SAFE[0]], "mines": MINES}))
    assert RIGHT(DEDUCE["answer"], f'{{"safe": []}} {{ no, {json.dumps({"safe": SAFE, "mines": MINES})}')
    assert not RIGHT(DEDUCE["answer"], f'{json.dumps({"safe": SAFE, "mines": MINES})} or {{"safe": [], "mines": []}}')


def test_unknown_and_missing_replies_are_named(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(DEDUCE) + "\n")
    command = [sys.executable, str(DOCS / "check_replies.py"), str(tmp_path / "tasks.jsonl")]
    done = subprocess.run(command, input='{"id": "no", "reply": ""}\n', capture_output=True, text=True, check=True)
    assert done.stderr == f"1 not in the tasks, such as no\n1 without a reply, such as {DEDUCE['id']}\n"


def test_the_openenv_server_plays_the_board_that_a_reset_names(monkeypatch: pytest.MonkeyPatch) -> None:
    class Base:
        def __init__(self, **values: object) -> None:
            vars(self).update(values)

        def __class_getitem__(cls, _: object) -> type[Base]:
            return cls

    modules = {
        "openenv.core.env_server.http_server": {"create_fastapi_app": lambda *_, **__: None},
        "openenv.core.env_server.interfaces": {"Environment": Base},
        "openenv.core.env_server.types": {"Action": Base, "Observation": Base, "State": Base},
        "minesweeper_environments.check_replies": {"right": RIGHT},
    }
    for name, values in modules.items():
        monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
        vars(module).update(values)
    monkeypatch.syspath_prepend(str(DOCS.parent / "environments"))
    environment = importlib.import_module("minesweeper_environments.openenv").NoGuessMinesweeper()
    with pytest.raises(ValueError, match="no game; expected a call of reset before step"):
        environment.step(Base(reply=""))
    assert "6 rows, 6 columns" in environment.reset(seed=1).prompt
    assert "9 rows, 9 columns" in environment.reset(seed=1, board="9x9/10").prompt
    # The second prompt had neither the number of mines nor the form of a reply.
    first = environment.turns[0]
    second = environment.step(Base(reply=json.dumps({key: first[key] for key in ("safe", "mines")})))
    assert second.prompt.endswith(environment.turns[1]["prompt"])
    assert "10 mines on the whole board" in second.prompt
    assert 'one JSON object: {"safe": ' in second.prompt


def test_an_agent_of_textarena_gets_text(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[tuple[int, str, str]] = []

    class Env:
        def get_observation(self) -> tuple[int, list[tuple[int, str, str]]]:
            news = waiting.copy()
            waiting.clear()
            return 0, news

    class State:
        def __init__(self, **_: object) -> None:
            pass

        def reset(self, player_prompt_function: Callable[[], str]) -> None:
            waiting[:] = [(-1, player_prompt_function(), "prompt")]

        def add_observation(self, message: str, kind: str, from_id: int = -1) -> None:
            waiting.append((from_id, message, kind))

        def step(self) -> None:
            pass

    stub = ModuleType("textarena")
    kinds = SimpleNamespace(PLAYER_ACTION="action", GAME_BOARD="board")
    vars(stub).update(Env=Env, SinglePlayerState=State, ObservationType=kinds, register=lambda *_, **__: None)
    replies = ModuleType("minesweeper_environments.check_replies")
    vars(replies).update(right=RIGHT)
    monkeypatch.setitem(sys.modules, "textarena", stub)
    monkeypatch.setitem(sys.modules, "minesweeper_environments.check_replies", replies)
    monkeypatch.syspath_prepend(str(DOCS.parent / "environments"))
    environment = importlib.import_module("minesweeper_environments.textarena").NoGuessMinesweeper()
    for seed in (1, 2):
        environment.reset(seed=seed)
        first, second = environment.turns[:2]
        assert environment.get_observation() == (0, first["prompt"])
        reply = json.dumps({key: first[key] for key in ("safe", "mines")})
        environment.step(reply)
        assert environment.get_observation() == (0, f"{first['prompt']}\n\n{reply}\n\n{second['prompt']}")
