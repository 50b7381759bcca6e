"""Invalid arguments of the compiled module raise exceptions instead of crashing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

kernel: Any = pytest.importorskip("minesweeper.player._kernel", reason="the kernel was not built")

FREE = np.zeros((3, 3), dtype=np.uint8)
ALL_MINES = np.ones((3, 3), dtype=np.uint8)
MIDDLE = np.pad(np.ones((1, 1), dtype=np.uint8), 1)
FIRST = bytes([1, *bytes(8)])
HIDDEN = np.full((3, 3), -1, dtype=np.int8)
NOTHING = np.zeros((3, 3), dtype=np.uint8)


def grid(rows: int, cols: int, kind: int = 0, holes: bytes = b"") -> Any:
    return kernel.Grid(rows, cols, kind, holes)


GRID = grid(3, 3)
SAMPLED = kernel.Puzzles(kernel.Recipe(GRID, 3, 0, False, 0), 0, 2)


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
        lambda: kernel.View(HIDDEN, 1, grid(3, 4)).hints(),
        lambda: kernel.IncrementalClosure(GRID, 1).learn([9], [0]),
        lambda: kernel.IncrementalClosure(GRID, 1).learn([0], [9]),
        lambda: kernel.IncrementalClosure(GRID, 1).learn([0, 1], [0]),
        lambda: kernel.IncrementalClosure(GRID, 1).learn([0.0], [0.0]),
        lambda: kernel.IncrementalClosure(grid(3, 3), 1).learn(None, None),
        lambda: kernel.Puzzles(GRID, ALL_MINES, [4]),
        lambda: kernel.Puzzles(GRID, FREE, [9]),
        lambda: kernel.Puzzles(GRID, FREE, [-1]),
        lambda: kernel.Puzzles(GRID, FREE, [0, 1]),
        lambda: kernel.Puzzles(GRID, FREE, []),
        lambda: kernel.Puzzles(GRID, 2 + FREE, [0]),
        lambda: kernel.Puzzles(GRID, FREE.astype(np.int8), [0]),
        lambda: kernel.Puzzles(GRID, FREE[:0], [0]),
        lambda: kernel.Puzzles(GRID, FREE[:, ::2], [0]),
        lambda: kernel.Puzzles(GRID, np.array([FREE, ALL_MINES]), [0, 0]),
        lambda: kernel.Puzzles(grid(3, 3, 0, FIRST), ALL_MINES - MIDDLE, [4]),
        lambda: kernel.Puzzles(GRID, FREE, [0]).play(4),
        lambda: kernel.Puzzles(GRID, FREE, [0]).play("chess"),
        lambda: kernel.Puzzles(GRID, FREE, [0]).record("chess", True),
        lambda: kernel.Puzzles(GRID, FREE, [0]).certify([0, 1]),
        lambda: kernel.Puzzles(kernel.Recipe(GRID, 3, 0, False, 0), 0, 2).fill(np.zeros((1, 3, 3), dtype=np.uint8)),
        lambda: kernel.Puzzles(kernel.Recipe(GRID, 3, 0, False, 0), 0, 1).fill(np.zeros((1, 3, 4), dtype=np.uint8)),
        lambda: kernel.RolloutOptions(0, 0.0, 1, "quick", 0),
        lambda: kernel.RolloutOptions(1, float("nan"), 1, "quick", 0),
        lambda: kernel.RolloutOptions(1, 0.0, 257, "quick", 0),
        lambda: kernel.RolloutOptions(1, 0.0, 1, "chess", 0),
        lambda: kernel.RolloutOptions(1, 0.0, 1, "quick", -1),
        lambda: kernel.View(HIDDEN, 1, GRID).reason(NOTHING, 9, 12),
        lambda: kernel.View(HIDDEN, 1, GRID).reason(NOTHING + 3, 0, 12),
        lambda: kernel.View(HIDDEN, 1, GRID).reason(NOTHING + 1, 0, 12),
        lambda: kernel.View(HIDDEN, 1, GRID).reason(NOTHING[:2], 0, 12),
        lambda: kernel.View(-HIDDEN, 1, GRID).reason(NOTHING, 0, 12),
        lambda: kernel.View(HIDDEN, 1, GRID).corrections(NOTHING, 9, []),
        lambda: kernel.View(HIDDEN, 1, GRID).hint(NOTHING.astype(np.int8)),
        lambda: kernel.View(HIDDEN - 1, 1, GRID).hint(NOTHING),
        lambda: kernel.View(HIDDEN, 1, GRID).chain(NOTHING + 3),
        lambda: kernel.View(HIDDEN, -1, GRID).hints(),
        lambda: kernel.View(HIDDEN, 1, GRID).unavoidable_guesses(-1),
        lambda: kernel.View(HIDDEN, 1, GRID).unavoidable_guesses(2**63),  # took all memory
        lambda: kernel.View(HIDDEN[:0], 1, GRID).kaboom_verdicts(0),
        lambda: kernel.View(HIDDEN, 1, GRID).kaboom_layout(0, 6, 0, 0, 1),
        lambda: kernel.View(-HIDDEN, 1, GRID).kaboom_layout(0, 0, 0, 0, 1),
        lambda: GRID.measure(FREE[:2]),
        lambda: GRID.measure(3 + FREE),
        lambda: grid(3, 3, 0, FIRST).measure(ALL_MINES),
        lambda: kernel.Recipe(grid(3, 3), 1, 4, True, 0),
        lambda: kernel.Recipe(grid(5, 5), 17, 12, True, 0),
        lambda: kernel.Recipe(grid(3, 3), 10, -1, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, 9, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, -2, False, 0),
        lambda: kernel.Recipe(grid(3, 3), -1, 0, False, 0),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, -1),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 2**64),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 0).screen(-1, 1, 0, True),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 0).screen(0, 1, 2**31, True),
        lambda: kernel.Recipe(None, 0, 1, 0, True),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 0).find(-1, 1, 0, True, True, 0, 9, None),
        lambda: kernel.Recipe(grid(3, 3), 1, 0, False, 0).find(0, 1, 0, True, True, 0, 9, lambda: True),
        lambda: solve_views(views=2 * HIDDEN[None]),
        lambda: solve_views(views=9 - HIDDEN[None]),
        lambda: solve_views(mines=np.array([-1], dtype=np.int32)),
        lambda: solve_views(mines=np.array([1, 1], dtype=np.int32)),
        lambda: solve_views(mines=np.array([1])),
        lambda: solve_views(safe=np.zeros((1, 2, 3), dtype=np.bool_)),
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
        lambda: kernel.View(HIDDEN[:0, :0], 0, GRID).exact_counts(),
        lambda: kernel.View(10 + HIDDEN, 1, GRID).exact_counts(),
        lambda: kernel.View(2 * HIDDEN, 1, GRID).exact_counts(),
        lambda: kernel.View(HIDDEN.astype(np.int16), 1, GRID).exact_counts(),
        lambda: kernel.View(HIDDEN.ravel(), 1, GRID).exact_counts(),
        lambda: kernel.View(HIDDEN, 2**40, GRID).exact_counts(),
        lambda: kernel.View(HIDDEN, -1, GRID).rate(FREE, 0),
        lambda: kernel.View(HIDDEN, 1, GRID).rate(FREE[:2], 0),
        lambda: kernel.View(HIDDEN, 1, GRID).rate(FREE, 4),
        lambda: kernel.View(HIDDEN * 2, 1, GRID).rate(FREE, 0),
        lambda: kernel.View(HIDDEN, -1, GRID).evaluate(FREE),
        lambda: grid(4, 9).best_play([], 10),
        lambda: grid(2, 2).best_play([16], 10),
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
            view = kernel.View(np.full((6, 6), -1, dtype=np.int8), 1, grid(6, 6, number % 8, holes))
            view.kaboom_verdicts(0)

    use(range(1000))
    before = resident_pages()
    use(range(1000, 21_000))
    assert resident_pages() - before < 2000  # a grid takes more than one


def test_accepts_the_largest_and_the_smallest_sizes() -> None:
    for side in (1, 1000):
        (solution,) = kernel.Puzzles(grid(side, side), bytes(side * side), [0]).solve()
        assert solution.verdict == kernel.Verdict.SOLVED
    dot = kernel.Recipe(grid(1, 1), 0, -1, False, 2**63 - 1)
    last = 2**64 - 2
    for most_changes in (0, 1):
        found = dot.screen(last, last + 1, most_changes, True)
        assert [(one.index, one.puzzle.click, one.puzzle.mine) for one in found] == [(last, 0, b"\0")]
    assert dot.screen(5, 5, 0, True) == []
