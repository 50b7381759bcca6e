"""Time limits of logic: cells decided before the limit are correct, and the others stay undecided."""

import threading
from collections.abc import Callable
from itertools import combinations, count
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from pathological import isolated_clues
from processes import ended

from minesweeper import Recipe, View, analyse, play, play_many
from minesweeper.player.core import limits
from minesweeper.player.core.errors import Fault, OutOfTime
from minesweeper.player.core.limits import check_time, time_limit
from minesweeper.player.logic import closure, deduce, sat
from minesweeper.player.logic.clauses import new_solver, solve
from minesweeper.player.logic.sat import SatReasoner
from minesweeper.player.play.solving import solve as solve_view
from minesweeper.player.play.strategies.loading import load_strategy, playable_strategies
from minesweeper.scripts.commands.analyse import GAVE_UP, main

VIEW = Recipe("16x30/99", seed=7).puzzle(0).view


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let every look at the clock take a second, from the number of looks on that is set."""
    looks, first = count(), [0]
    monkeypatch.setattr(limits.time, "perf_counter", lambda: float(max(0, next(looks) - first[0])))

    def start(after: int) -> None:
        nonlocal looks
        looks, first[0] = count(), after

    return start


def test_isolated_clues_at_20x20_do_not_keep_the_sat_engine_busy() -> None:
    worst = isolated_clues(20)
    view = View(worst.cells, worst.mines + 11)
    by_totalizer = SatReasoner(view.grid, view.mines, "totalizer")
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells >= 0)
    safe, mines = set[int](), set[int]()
    for step in deduce(by_totalizer, opened.tolist(), cells[opened].tolist()):
        safe.update(step.safe)
        mines.update(step.mines)
    found = closure(view, "sat")
    assert found.complete
    assert set(np.flatnonzero(found.safe_map).tolist()) == safe
    assert set(np.flatnonzero(found.mine_map).tolist()) == mines


def test_a_closure_that_gives_up_claims_only_what_follows(engine: str, clock: Callable[[int], None]) -> None:
    whole = closure(VIEW, engine)
    decided = []
    for looks in (0, 1, 2, 3, 5, 10, 50, 100, 200, 400, 10_000_000):
        clock(looks)
        found = closure(VIEW, engine, time_limit=0.5)
        assert not (found.safe_map & ~whole.safe_map).any()
        assert not (found.mine_map & ~whole.mine_map).any()
        decided.append(np.count_nonzero(found.safe_map | found.mine_map))
    assert decided == sorted(decided)
    assert decided[0] == 0
    assert found.complete
    assert (found.safe_map == whole.safe_map).all()


def test_the_sat_engine_keeps_what_an_unfinished_round_has_decided(clock: Callable[[int], None]) -> None:
    whole = closure(VIEW, "sat")
    opened = np.count_nonzero(VIEW.cells >= 0)
    decided = set[int]()
    for looks in range(opened, opened + 40):
        clock(looks)
        found = closure(VIEW, "sat", time_limit=0.5)
        assert not (found.safe_map & ~whole.safe_map).any()
        assert not (found.mine_map & ~whole.mine_map).any()
        decided.add(np.count_nonzero(found.safe_map | found.mine_map))
    assert len(decided) > 5, decided


def test_the_sat_engine_keeps_the_first_of_several_mines(clock: Callable[[int], None]) -> None:
    view = View.from_text("1x4/2\n#2#1")
    decided = set[int]()
    for looks in range(12):
        clock(looks)
        decided.add(np.count_nonzero(closure(view, "sat", time_limit=0.5).mine_map))
    assert decided == {0, 1, 2}


def test_what_was_not_decided_is_no_guess(engine: str, clock: Callable[[int], None]) -> None:
    clock(0)
    solved = solve_view(VIEW, engine=engine, time_limit=0.5)  # type: ignore[arg-type]
    assert not solved.complete
    assert solved.best is None
    assert not solved.is_guess
    clock(0)
    found = analyse(VIEW, engine=engine, time_limit=0.5)  # type: ignore[arg-type]
    assert not found.complete
    assert found.known is not None
    assert not found.known.complete
    assert found.guess is None
    assert "ran out of time" in found.in_words()
    assert found.to_json()["complete"] is False


@pytest.mark.parametrize("looks", [20, 60, 200, 1000])
def test_an_analysis_that_gives_up_keeps_what_it_has(looks: int, clock: Callable[[int], None]) -> None:
    view = Recipe("9x9/20", rule="safe", seed=3).puzzle(1).view
    whole = analyse(view)
    clock(looks)
    found = analyse(view, explain=True, time_limit=0.5)
    assert set(found.safe_cells) <= set(whole.safe_cells)
    assert found.guess is None or found.guess == whole.guess
    assert found.layouts is None or found.layouts == whole.layouts


def test_of_limits_within_limits_the_first_to_end_counts(clock: Callable[[int], None]) -> None:
    for outer, inner in ((100, 0.5), (0.5, 100)):
        clock(1)
        with time_limit(outer), time_limit(inner), pytest.raises(OutOfTime):
            check_time()


def test_a_limit_of_the_caller_is_not_taken_for_an_answer(clock: Callable[[int], None]) -> None:
    clock(0)
    with time_limit(0.5), pytest.raises(OutOfTime):
        closure(VIEW)


def test_a_limit_is_optional_and_above_zero() -> None:
    assert closure(VIEW).complete
    assert not limits.limited()
    check_time()
    with pytest.raises(ValueError, match="more than 0 seconds"), time_limit(0):
        pass


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon more than there are holes: unsatisfiable, and hard to see for a solver of clauses."""
    at = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    return [*at, *([-a[hole], -b[hole]] for a, b in combinations(at, 2) for hole in range(holes))]


def test_a_solver_is_ended_only_after_its_limit() -> None:
    before = set(threading.enumerate())
    with new_solver("minisat22", pigeons(12)) as solver:
        with pytest.raises(OutOfTime), time_limit(0.1):
            solve(solver)
        assert set(threading.enumerate()) <= before
        # It is of use again.
        assert solver.solve_limited(assumptions=[1, -1]) is False
    with new_solver("minisat22", pigeons(7)) as solver, time_limit(600):
        assert not solve(solver)


def test_the_command_says_that_it_gave_up(tmp_path: Path, clock: Callable[[int], None]) -> None:
    file = str(tmp_path / "view.txt")
    Path(file).write_text(VIEW.to_text(), encoding="utf-8")
    clock(0)
    result = ended(CliRunner().invoke(main, [file, "--time-limit", "0.5"]), GAVE_UP)
    assert "not decided (#)" in result.output
    assert "time ran out after 0.5 s: the marked cells are certain" in " ".join(result.output.split())
    assert "guess" not in result.output
    clock(0)
    row, col = np.argwhere(VIEW.cells < 0)[0].tolist()
    result = CliRunner().invoke(main, [file, "--why", f"{row},{col}", "--time-limit", "0.5"])
    ended(result, GAVE_UP)
    assert result.output.startswith(f"no result for {(row, col)} after 0.5 s;")
    ended(CliRunner().invoke(main, [file, "--time-limit", "0"]), 2)


@pytest.mark.parametrize("strategy", ["local", "published"])
def test_a_game_that_takes_too_long_is_given_up(strategy: str, clock: Callable[[int], None]) -> None:
    puzzle = Recipe("16x30/99", seed=7).puzzle(0)
    clock(20)
    result = play(puzzle, load_strategy(strategy), engine="sat", time_limit=0.5)
    assert not result.won
    assert result.fault is Fault.OUT_OF_TIME
    assert result.guesses == 0


@pytest.mark.parametrize("strategy", playable_strategies())
def test_games_of_a_batch_are_given_up_one_by_one(strategy: str) -> None:
    recipe = Recipe("9x9/10", seed=7)
    results = list(play_many(recipe, range(2), load_strategy(strategy), time_limit=1e-9))
    # The kernel may be done before it looks at the clock.
    assert all(result.fault in (None, Fault.OUT_OF_TIME) for result in results)
    assert list(play_many(recipe, range(2), load_strategy(strategy), time_limit=3600)) == list(
        play_many(recipe, range(2), load_strategy(strategy))
    )


def test_a_contradiction_may_be_known_before_its_clues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_time(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(sat, "minimal_conflict", no_time)
    file = tmp_path / "view.txt"
    file.write_text("1x3/1\n1#0\n", encoding="utf-8")
    result = ended(CliRunner().invoke(main, [str(file)]), 1)
    assert "no layout of mines fits" in result.output
    assert "time ran out before the contradicting clues were found" in result.output
