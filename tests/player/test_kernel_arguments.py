"""Invalid arguments of the compiled module raise exceptions instead of crashing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

kernel: Any = pytest.importorskip("minesweeper.player._kernel", reason="the kernel was not built")

FREE = np.zeros((3, 3), dtype=np.bool_)
ALL_MINES = np.ones((3, 3), dtype=np.bool_)
HIDDEN = np.full((3, 3), -1, dtype=np.int8)
NOTHING = np.zeros((3, 3), dtype=np.uint8)


def grid(rows: int, cols: int, kind: int = 0, holes: bytes = b"") -> Any:
    return kernel.Grid(rows, cols, kind, holes)


GRID = grid(3, 3)


def resident_pages() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


def solve_views(**changed: object) -> object:
    """Solve one hidden view, with other arguments."""
    maps = {name: np.zeros((1, 3, 3), dtype=np.bool_) for name in ("safe", "mine")}
    numbers = {"mines": np.ones(1, dtype=np.int32), "log_layouts": np.zeros(1)}
    others = {"tiers": np.zeros((1, 3, 3), dtype=np.uint8), "chances": np.zeros((1, 3, 3))}
    return kernel.solve_views(**{"views": HIDDEN[None], "grid": GRID, **maps, **numbers, **others, **changed})


def play_games(**changed: Any) -> bool:
    """Start and continue one game, with some of the arguments changed."""
    recipe = kernel.Recipe(grid(3, 3), 1, 4, False, 0)
    given: dict[str, Any] = {
        "recipe": recipe,
        "which": np.ones(1, dtype=np.bool_),
        "index": np.zeros(1, dtype=np.int64),
        "views": np.full((1, 3, 3), -1, dtype=np.int8),
        "statuses": np.zeros(1, dtype=np.uint8),
        "actions": np.array([1]),
        "opened": np.zeros(1, dtype=np.int32),
    } | changed
    games = kernel.Games(recipe, 1)
    started = games.start(given["recipe"], False, *(given[name] for name in ("which", "index", "views", "statuses")))
    games.open(*(given[name] for name in ("actions", "views", "statuses", "opened")))
    return bool(started) and given["opened"][0] + (given["statuses"][0] == 2) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: grid(2**31 - 1, 2**31 - 1),
        lambda: grid(2**40, 1),
        lambda: grid(0, 5),
        lambda: grid(-1, -1),
        lambda: grid(4001, 3),
        lambda: grid(3, 3, 8),
        lambda: grid(3, 3, -1),
        lambda: grid(4, 5, 1),
        lambda: grid(5, 4, 2),
        lambda: grid(7, 6, 5),
        lambda: grid(1001, 1000, 4),
        lambda: grid(2, 2, 0, b"\1"),
        lambda: grid(2, 2, 0, b"\1\1\1\1"),
        lambda: kernel.IncrementalClosure(GRID, 10),
        lambda: kernel.IncrementalClosure(None, 1),
        lambda: kernel.path_hints(HIDDEN, 1, grid(3, 4)),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(np.array([0], dtype=np.int8), np.array([0])),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(np.array([[0]]), np.array([[0]])),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(np.array([0.0]), np.array([0.0])),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(np.arange(6)[::2], np.arange(6)[::2]),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(None, None),
        lambda: kernel.solve(ALL_MINES[None], np.array([4]), GRID),
        lambda: kernel.solve(FREE[None], np.array([9]), GRID),
        lambda: kernel.solve(FREE[None], np.array([-1]), GRID),
        lambda: kernel.solve(FREE[None], np.array([0, 1]), GRID),
        lambda: kernel.solve(FREE[None].astype(np.int8), np.array([0]), GRID),
        lambda: kernel.solve(FREE, np.array([0]), GRID),
        lambda: kernel.solve(FREE[None, :0], np.array([0]), GRID),
        lambda: kernel.solve(FREE[None, :, ::2], np.array([0]), GRID),
        lambda: kernel.solve(np.zeros((1, 1, 4001), dtype=np.bool_), np.array([0]), GRID),
        lambda: kernel.solve(np.array([FREE, ALL_MINES]), np.array([0, 0]), GRID),
        lambda: kernel.play(np.array([FREE, ALL_MINES]), np.array([0, 0]), GRID, "safest"),
        lambda: kernel.play(FREE[None], np.array([0]), GRID, "best"),
        lambda: kernel.reason(HIDDEN, 1, GRID, NOTHING, 9, 12),
        lambda: kernel.reason(HIDDEN, 1, GRID, NOTHING + 3, 0, 12),
        lambda: kernel.reason(HIDDEN, 1, GRID, NOTHING + 1, 0, 12),
        lambda: kernel.reason(HIDDEN, 1, GRID, NOTHING[:2], 0, 12),
        lambda: kernel.reason(-HIDDEN, 1, GRID, NOTHING, 0, 12),
        lambda: kernel.corrections(HIDDEN, 1, GRID, NOTHING, 9, []),
        lambda: kernel.easiest_hint(HIDDEN, 1, GRID, NOTHING.astype(np.int8)),
        lambda: kernel.easiest_hint(HIDDEN - 1, 1, GRID, NOTHING),
        lambda: kernel.chain_hints(HIDDEN, 1, GRID, NOTHING + 3),
        lambda: kernel.path_hints(HIDDEN, -1, GRID),
        lambda: kernel.unavoidable_guesses(HIDDEN, 1, GRID, -1),
        lambda: kernel.kaboom_verdicts(HIDDEN[:0], 1, GRID, 0),
        lambda: kernel.kaboom_layout(HIDDEN, 1, GRID, 0, 6, 0, 0, 1),
        lambda: kernel.kaboom_layout(-HIDDEN, 1, GRID, 0, 0, 0, 0, 1),
        lambda: kernel.mine_swaps(ALL_MINES[None], np.array([4]), GRID),
        lambda: kernel.mine_swaps(FREE[None], np.array([9]), GRID),
        lambda: kernel.measure(FREE, None, GRID),
        lambda: kernel.measure(FREE[None, :0], None, GRID),
        lambda: kernel.measure(FREE[None], np.array([], dtype=np.int64), GRID),
        lambda: kernel.measure(FREE[None], np.array([-1]), GRID),
        lambda: kernel.measure(FREE[None], np.array([FREE.size]), GRID),
        lambda: kernel.measure(FREE[None], np.array([0, 0]), GRID),
        lambda: kernel.measure(~FREE[None], np.array([0]), GRID),
        lambda: kernel.Recipe(grid(3, 3), 1, 4, True, 0),
        lambda: kernel.Recipe(grid(5, 5), 17, 12, True, 0),
        lambda: kernel.Recipe(grid(3, 3), 10, -1, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, 9, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, -2, False, 0),
        lambda: kernel.Recipe(grid(3, 3), -1, 0, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, -1),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 2**64),
        lambda: kernel.screen(kernel.Recipe(grid(3, 3), 1, 0, False, 0), -1, 1, 0, True),
        lambda: kernel.screen(kernel.Recipe(grid(3, 3), 1, 0, False, 0), 0, 1, 2**31, True),
        lambda: kernel.screen(None, 0, 1, 0, True),
        lambda: kernel.find(kernel.Recipe(grid(3, 3), 1, 0, False, 0), -1, 1, 0, True, True, 0, None),
        lambda: kernel.find(kernel.Recipe(grid(3, 3), 1, 0, False, 0), 0, 1, 0, True, True, 0, lambda tally: True),
        lambda: kernel.find(None, 0, 1, 0, True, True, 0, None),
        lambda: kernel.certify(FREE[None], np.array([0]), GRID, np.array([0, 1])),
        lambda: kernel.play_sampled(kernel.Recipe(grid(5, 5), 3, 0, True, 0), 0, 1, "best"),
        lambda: kernel.record(np.array([FREE, ALL_MINES]), np.array([0, 0]), GRID, "safest", True),
        lambda: kernel.record_sampled(kernel.Recipe(grid(5, 5), 3, 0, True, 0), 0, 1, "best", True),
        lambda: solve_views(views=2 * HIDDEN[None]),
        lambda: solve_views(views=9 - HIDDEN[None]),
        lambda: solve_views(mines=np.array([-1], dtype=np.int32)),
        lambda: solve_views(mines=np.array([1, 1], dtype=np.int32)),
        lambda: solve_views(mines=np.array([1])),
        lambda: solve_views(safe=FREE[None, :2]),
        lambda: solve_views(mine=np.zeros((2, 3, 3), dtype=np.bool_)),
        lambda: solve_views(tiers=np.zeros((1, 3, 3))),
        lambda: solve_views(log_layouts=np.zeros(2)),
        lambda: solve_views(chances=np.zeros((1, 3, 4))),
        lambda: play_games(recipe=kernel.Recipe(grid(3, 4), 1, 0, False, 0)),
        lambda: play_games(which=np.ones(2, dtype=np.bool_)),
        lambda: play_games(index=np.zeros(1, dtype=np.int32)),
        lambda: play_games(index=np.zeros(0, dtype=np.int64)),
        lambda: play_games(views=HIDDEN.copy()),
        lambda: play_games(views=np.full((1, 3, 4), -1, dtype=np.int8)),
        lambda: play_games(statuses=np.zeros(2, dtype=np.uint8)),
        lambda: play_games(actions=np.array([9])),
        lambda: play_games(actions=np.array([-1])),
        lambda: play_games(actions=np.array([1, 1])),
        lambda: play_games(opened=np.zeros(2, dtype=np.int32)),
        lambda: kernel.exact_counts(HIDDEN[:0, :0], 0, GRID),
        lambda: kernel.exact_counts(10 + HIDDEN, 1, GRID),
        lambda: kernel.exact_counts(2 * HIDDEN, 1, GRID),
        lambda: kernel.exact_counts(HIDDEN.astype(np.int16), 1, GRID),
        lambda: kernel.exact_counts(HIDDEN.ravel(), 1, GRID),
        lambda: kernel.exact_counts(HIDDEN, 2**40, GRID),
        lambda: kernel.rate(HIDDEN, -1, GRID, FREE, "safest"),
        lambda: kernel.rate(HIDDEN, 1, GRID, FREE[:2], "safest"),
        lambda: kernel.rate(HIDDEN * 2, 1, GRID, FREE, "safest"),
        lambda: kernel.evaluate(HIDDEN, -1, GRID, FREE),
        lambda: kernel.best_play(grid(4, 9), [], 10),
        lambda: kernel.best_play(grid(2, 2), [16], 10),
    ],
)
def test_rejects_invalid_arguments(call: Callable[[], object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        call()


def test_accepts_these_arguments_unchanged() -> None:
    assert solve_views() == solve_views(chances=None) == []
    assert play_games()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of a process in /proc")
def test_grids_with_many_different_holes_take_constant_memory() -> None:
    def use(numbers: range) -> None:
        for number in numbers:
            holes = bytes([0, *(number >> bit & 1 for bit in range(35))])
            kernel.kaboom_verdicts(np.full((6, 6), -1, dtype=np.int8), 1, grid(6, 6, number % 8, holes), 0)

    use(range(1000))
    before = resident_pages()
    use(range(1000, 21_000))
    assert resident_pages() - before < 2000  # a grid takes more than one


def test_accepts_the_largest_and_the_smallest_sizes() -> None:
    for side in (1, 1000):
        solution = kernel.solve(np.zeros((1, side, side), dtype=np.bool_), np.array([0]), grid(side, side))[0]
        assert solution[0] == kernel.Verdict.SOLVED
    dot = kernel.Recipe(grid(1, 1), 0, -1, False, 2**63 - 1)
    last = 2**64 - 2
    for most_changes in (0, 1):
        found = kernel.screen(dot, last, last + 1, most_changes, True)
        assert [(index, click, mines) for index, click, mines, *_ in found] == [(last, 0, b"\0")]
    assert kernel.screen(dot, 5, 5, 0, True) == []
