"""Strategies in every form, compared by twos and threes, and what becomes of those that fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minesweeper as ms
from minesweeper.player.core.errors import ConfigError, Fault, StrategyError
from minesweeper.player.play.strategies.loading import as_strategy, load_strategy

RECIPE = ms.Recipe("5x5/5", seed=3)


class First(ms.Strategy):
    """A guesser without a name of its own."""

    def choose(self, view: ms.View, knowledge: ms.Knowledge) -> ms.Cell:
        return knowledge.uncertain_cells[0]


class Solver(ms.Strategy):
    """A whole solver."""

    def moves(self, view: ms.View) -> Sequence[ms.Cell]:
        found = ms.solve(view)
        return [found.best or (0, 0)]


def first(view: ms.View, knowledge: ms.Knowledge) -> ms.Cell:
    return knowledge.uncertain_cells[0]


def solver(view: ms.View) -> ms.Cell:
    return ms.solve(view).best or (0, 0)


def solver_of_arrays(view: ms.View) -> Any:
    return np.array(ms.solve(view).best)


def loops(view: ms.View) -> ms.Cell:
    while True:
        time.sleep(0.01)


def fails(view: ms.View) -> ms.Cell:
    raise KeyError("no such cell")


def cheats(view: ms.View) -> ms.Cell:
    return divmod(int((view.cells >= 0).argmax()), view.cols)


def won(strategy: Any, **options: Any) -> list[bool]:
    return [game.won for game in ms.play_many(RECIPE, 12, strategy, **options)]


@pytest.mark.parametrize("form", [First, First(), first, "tests.player.test_own_strategies:First"])
def test_a_guesser_in_any_form(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    assert won(form) == won(First())
    assert not as_strategy(form).plays_alone


@pytest.mark.kernel
@pytest.mark.parametrize("form", [Solver, Solver(), solver, solver_of_arrays, lambda view: solver(view)])
def test_a_whole_solver_in_any_form(form: Any) -> None:
    assert as_strategy(form).plays_alone
    assert won(form) == won("champion")
    assert ms.play(RECIPE.puzzle(0), form).won == won("champion")[0]


def test_functions_play_in_processes() -> None:
    assert won(first, workers=2) == won(first)


def test_what_no_other_process_can_load_gets_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINESWEEPER_START_METHOD", "spawn")
    assert won(first, workers=2) == won(first)
    for strategy in (lambda view, knowledge: first(view, knowledge), type("Local", (First,), {})):
        with pytest.raises(
            ConfigError, match=r"the work cannot be sent to another process: Can't pickle .* at the top"
        ):
            won(strategy, workers=2)


def test_names_are_those_of_classes_and_functions() -> None:
    names = [as_strategy(one).name for one in (First, Solver, first, solver)]
    assert names == ["First", "Solver", "first", "solver"]


def test_a_file_has_a_class_without_a_name_or_a_named_function(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import minesweeper as ms\n\nclass Own(ms.Strategy):\n    def moves(self, view):\n        return []\n\n"
        "def own(view, knowledge):\n    return knowledge.uncertain_cells[0]\n"
    )
    assert load_strategy(str(path)).name == "Own"
    assert won(f"{path}:own") == won(first)
    assert won(f"{path}:own", workers=2) == won(first)


class Nothing(ms.Strategy):
    """A class without a method."""


METHODS = "expected a subclass of Strategy with a method choose(view, knowledge) or moves(view)"
WRONG: dict[str, Any] = {
    f"class Nothing cannot play: {METHODS}": Nothing,
    f"class int cannot play: {METHODS}": int,
    "3 is no strategy: expected a name, a Strategy, or a function of a view, or of a view and knowledge": 3,
}


@pytest.mark.parametrize(("message", "form"), WRONG.items(), ids=WRONG)
def test_what_is_no_strategy_gets_a_line(message: str, form: Any) -> None:
    with pytest.raises(StrategyError) as caught:
        ms.play(RECIPE.puzzle(0), form)
    assert str(caught.value) == message
    with pytest.raises(StrategyError, match=r"takes 3 arguments: expected a name"):
        as_strategy(lambda view, knowledge, more: (0, 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected the name of a strategy, got int"):
        ms.solve("1x3/1\n#1#", strategy=3)  # type: ignore[arg-type]


def test_three_strategies_are_one_table() -> None:
    found = ms.compare(First, first, "random", RECIPE, games=20)
    (other,) = found.more
    assert (found.first, found.second, other.first, other.second) == ("First", "first", "First", "random")
    assert found.only_first == found.only_second == 0
    assert other == ms.compare(First, "random", RECIPE, games=20)
    assert other == ms.compare(First, "random", puzzles=RECIPE, games=20)
    named = ms.compare("safest", "random", "beginner", games=2)
    assert named == ms.compare("safest", "random", ms.Recipe("beginner"), games=2)
    rows = str(found).splitlines()
    assert rows[0] == "20 games on the same boards"
    assert [row.split("  ")[0] for row in rows[1:]] == ["First", "first", "random", "First - first", "First - random"]
    with pytest.raises(TypeError, match="expected two or more strategies, then a Recipe"):
        ms.compare("random", RECIPE)  # type: ignore[arg-type]


FAILING: list[tuple[Callable[[ms.View], ms.Cell], float, str, str]] = [
    (fails, 600, "broke off", "strategy fails failed: KeyError: 'no such cell'"),
    (cheats, 600, "nonsense", "strategy cheats chose {}, which is already open"),
    (loops, 0.2, "out of time", "strategy loops exceeded 0.2 s"),
]


@pytest.mark.parametrize(("function", "limit", "fault", "why"), FAILING, ids=[row[0].__name__ for row in FAILING])
def test_failures_are_counted_with_the_first_text(
    function: Callable[[ms.View], ms.Cell], limit: float, fault: str, why: str
) -> None:
    puzzle = ms.Recipe("9x9/10", seed=7).puzzle(0)
    other = function if function is loops else "random"  # on a busy machine "random" may exceed 0.2 s too
    found = ms.compare(function, other, [puzzle] * 3, games=3, time_limit=limit)
    assert found.first_wins == 0
    lost = f"{function.__name__}: 3 games forfeited (3 {fault}), counted as lost"
    assert found.failures[0] == f"{lost}; the first: {why.format(cheats(puzzle.view))}"
    assert len(found.failures) == (2 if other is loops else 1)
    assert str(found).endswith(found.failures[-1])


def test_a_limit_stops_a_loop_in_one_process() -> None:
    # This never returned.
    assert [game.fault for game in ms.play_many(ms.Recipe("9x9/10", seed=7), 2, loops, time_limit=0.2)] == (
        [Fault.OUT_OF_TIME] * 2
    )
