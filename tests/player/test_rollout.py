"""Rollouts: reproducible choices, no certain mines, and time limits."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from minesweeper import HIDDEN, Knowledge, Recipe, View, play
from minesweeper.player.core.errors import StrategyError
from minesweeper.player.core.results import Candidate, EvaluationKind
from minesweeper.player.play.strategies.champion import Champion
from minesweeper.player.play.strategies.kernel_strategies import (
    NativeStrategy,
    Rollouts,
    evaluate,
    play_batch,
    rate as rate_cells,
)
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.player.play.strategies.rollout import Rollout, Trials, estimate_by_rollouts, reduce_variance

pytestmark = pytest.mark.kernel

SMALL = Recipe("8x8/14", click=(2, 2), seed=3)
OPENED = View.from_text("6x6/9\n" + "\n".join(["######"] * 2 + ["##2###"] + ["######"] * 3))


def rate(strategy: NativeStrategy, view: View) -> list[Candidate]:
    nothing = np.zeros(view.cells.shape, dtype=np.bool_)
    return strategy.rate(view, Knowledge(view, nothing, nothing))


def test_same_choices_with_one_thread_and_two() -> None:
    one, two = (rate(Rollout(layouts=64, threads=threads), OPENED) for threads in (1, 2))
    assert one == two
    assert len(one) > 1


def test_no_rollouts_while_more_cells_are_unknown() -> None:
    late = rate(Rollout(layouts=64, most_unknown=35), OPENED)
    assert late == rate(Rollout(layouts=64), OPENED)
    assert len(late) > 1
    (choice,) = rate(Rollout(layouts=64, most_unknown=34), OPENED)
    assert choice.cell == rate(Champion(), OPENED)[0].cell


_FEW_THREADS = """
import resource
import numpy as np
from minesweeper.player.core.board import View
from minesweeper.player.play.strategies.kernel_strategies import Rollouts, rate

view = View.from_text("6x6/9\\n" + "\\n".join(["######"] * 2 + ["##2###"] + ["######"] * 3))
nothing = np.zeros(view.cells.shape, dtype=np.bool_)
expected = rate(view, nothing, Rollouts(64, threads=1))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2560 * 2**20, resource.RLIM_INFINITY))
assert rate(view, nothing, Rollouts(64, threads=16)) == expected
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads in /proc how much memory there is")
def test_runs_with_fewer_threads_than_the_system_refuses() -> None:
    """The memory limit has room for the stacks of two threads. Starting a third one once ended the process."""
    limited = ["bash", "-c", 'ulimit -s 1048576 && exec "$0" -c "$1"', sys.executable, _FEW_THREADS]
    done = subprocess.run(limited, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_batches_equal_games_played_move_by_move() -> None:
    strategy = load_strategy("rollout,layouts=8")
    batch = strategy.play_batch(SMALL, range(3), 0, "native")
    assert batch is not None
    single = [play(SMALL.puzzle(index), strategy) for index in range(3)]
    assert batch == single


def test_estimates_agree_with_perfect_play() -> None:
    view = View.from_text("4x5/5\n#####\n##2##\n#####\n#####")
    nothing = np.zeros(view.cells.shape, dtype=np.bool_)
    # A full search, which shares only the endgame with the rollouts.
    weighed = evaluate(view, nothing)
    best = weighed.candidates[0]
    trials = Trials(view, nothing, 1, "quick")
    safe, worth = trials.run([best.cell], range(2000))
    found = reduce_variance(safe, worth, np.array([best.safety]))
    reach = 4 * found.std() / len(found) ** 0.5
    assert safe.mean() == pytest.approx(best.safety, abs=0.05)
    if weighed.kind is EvaluationKind.WIN_PROBABILITY:
        assert best.value - 0.03 - reach < found.mean() < best.value + reach


def test_trials_with_too_many_threads_are_refused_before_they_take_memory() -> None:
    view = View.from_text("2x5/2\n#121#\n#####")
    with pytest.raises(ValueError, match="1 to 256 threads"):
        Trials(view, np.zeros((2, 5), dtype=np.bool_), 1, "quick", threads=2**31 - 1)


@pytest.mark.parametrize(("side", "mines"), [(6, 9), (8, 14), (10, 22), (16, 40)])
def test_the_control_variate_makes_trials_less_variable_than_games(side: int, mines: int) -> None:
    """A game has the variance p(1 - p), a trial about 0.3 of it. With the opposite sign, the factor is 2.1."""
    lines = ["#" * side] * side
    lines[side // 2] = "2".center(side, "#")
    view = View.from_text(f"{side}x{side}/{mines}\n" + "\n".join(lines))
    nothing = np.zeros(view.cells.shape, dtype=np.bool_)
    best = rate_cells(view, nothing, "progress")[0].cell
    safe, worth = Trials(view, nothing, 1, "quick").run([best], range(1000))
    worth = worth[safe]
    squares = (worth - worth.mean()) ** 2
    assert squares.mean() + 4 * squares.std() / len(worth) ** 0.5 < worth.mean() * (1 - worth.mean()) / 2


def test_each_cell_gets_an_interval() -> None:
    nothing = np.zeros(OPENED.cells.shape, dtype=np.bool_)
    *_, (layouts, estimates) = estimate_by_rollouts(OPENED, nothing, [(0, 0), (1, 1), (5, 5)], 0.3)
    assert {estimate.cell for estimate in estimates} == {(0, 0), (1, 1), (5, 5)}
    assert layouts > 1
    assert all(0 < estimate.margin < 1 and 0 < estimate.value < 1 for estimate in estimates)


def test_a_cap_on_seconds_is_kept() -> None:
    strategy = Rollout(seconds=0.2)
    began = time.thread_time()
    rate(strategy, OPENED)
    assert time.thread_time() - began < 2  # it would take minutes without; benchmarks ask for more


def test_time_ends_trials_in_the_midst_of_a_layout() -> None:
    view = View.from_text("16x30/99\n" + "\n".join(["#" * 30] * 7 + ["#" * 15 + "2" + "#" * 14] + ["#" * 30] * 8))
    nothing = np.zeros(view.cells.shape, dtype=np.bool_)
    cells = [(int(row), int(col)) for row, col in np.argwhere(view.cells == HIDDEN)]
    trials = Trials(view, nothing, 1, "champion")
    # The layout needs hundreds of games, a thousand times the limit.
    unfinished, _ = trials.run(cells, range(1), 0.001)
    assert len(unfinished) == 0
    # An interrupted run does not affect later results.
    again, fresh = (one.run(cells[:9], range(2)) for one in (trials, Trials(view, nothing, 1, "champion")))
    assert np.array_equal(again[0], fresh[0])
    assert np.array_equal(again[1], fresh[1])


@pytest.mark.parametrize(
    "text",
    ["rollout,layouts=-1", "rollout,seconds=-1", "rollout,base=random", "rollout,threads=0", "rollout,seconds=nan",
     "rollout,layouts=1.5", "rollout,most_unknown=-1"],
)  # fmt: skip
def test_rejects_invalid_options(text: str) -> None:
    with pytest.raises(StrategyError, match="expected"):
        load_strategy(text)


@pytest.mark.long
def test_beats_progress_on_small_boards() -> None:
    recipe = Recipe("8x8/14", click=(0, 0), rule="safe", seed=11)
    games = range(4000)
    ours = [game.won for game in play_batch(recipe, games, Rollouts(128))]
    theirs = [game.won for game in play_batch(recipe, games, "progress")]
    only_ours = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    only_theirs = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    assert only_ours - only_theirs > 2 * (only_ours + only_theirs) ** 0.5
