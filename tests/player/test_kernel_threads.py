"""The kernel called from several threads, and from threads with small stacks."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import minesweeper as ms
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import mine_swaps, screen_range
from minesweeper.player import kernel_api
from minesweeper.player.core.board import View
from minesweeper.player.core.grid import Cell, Grid, grid_of
from minesweeper.player.core.limits import check_time
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.results import GameResult
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import NativeReasoner, closure
from minesweeper.player.logic.metrics import measure_all
from minesweeper.player.logic.path import solution_path
from minesweeper.player.logic.probability import clue_probabilities, probabilities, sample_layouts
from minesweeper.player.play.strategies.kernel_strategies import Rollouts, evaluate, play_batch, rate
from minesweeper.player.play.strategies.rollout import Trials

pytestmark = pytest.mark.skipif(not kernel_api.available(), reason="needs the kernel")

_MUSL_STACK = 128 << 10
"""Bytes of stack that musl gives a thread."""


def _chain(side: int) -> tuple[View, NDArray[np.bool_], list[Cell]]:
    """Return a view, its layout, and a winding chain in which hidden cells and clues alternate.

    Every second hidden cell of the chain is a mine, and so is every cell off the chain.
    """
    chain: list[Cell] = []
    for row in range(0, side, 2):
        cols = range(side) if row % 4 == 0 else range(side - 1, -1, -1)
        chain += [(row, col) for col in cols]
        chain.append((row + 1, chain[-1][1]))
    layout = np.ones((side + 1, side), dtype=np.bool_)
    cells = np.full(layout.shape, -1, dtype=np.int8)
    for i, cell in enumerate(chain):
        layout[cell] = i % 4 == 0
    for cell in chain[1::2]:
        cells[cell] = grid_of(layout.shape).count(layout)[cell]
    return View(cells, int(layout.sum())), layout, chain


def _marks(like: NDArray[np.bool_], cells: list[Cell]) -> NDArray[np.bool_]:
    marks = np.zeros_like(like)
    for cell in cells:
        marks[cell] = True
    return marks


def find_a_reason_in_a_long_chain() -> None:
    view, layout, chain = _chain(101)
    known = np.where(layout, np.uint8(2), np.uint8(1)) * (view.cells < 0)
    for cell in chain[:-1]:
        known[cell] = 0
    cell = chain[0][0] * view.cols + chain[0][1]
    found = kernel_api.native_view(view).reason(known, cell, 0).hint
    assert (found.tier, found.smallest, found.safe, found.mines) == (3, False, [], [cell])
    assert len(found.clues) == len(chain[1::2])


def place_thousands_of_unconstrained_mines() -> None:
    """The endgame lists the layouts, at most 10,000, as soon as few mines are left to find."""
    # One more cell is safe.
    results = play_batch(Recipe("100x100/9998", rule="safe", seed=1), range(1), "champion")
    assert results[0].opened in (1, 2)


def list_the_layouts_of_a_long_component() -> None:
    view, layout, chain = _chain(101)
    assert rate(view, layout & ~_marks(layout, chain), "champion")


def search_a_deep_endgame() -> None:
    """Every cell opened in the row excludes few layouts, so the search is hundreds of levels deep."""
    view = View(np.full((1, 1000), -1, dtype=np.int8), 1)
    evaluation = evaluate(view, np.zeros(view.cells.shape, dtype=np.bool_))
    assert evaluation is not None
    assert len(evaluation.candidates) == 1000


def call_every_function() -> None:
    for call in _CALLS.values():
        call(0)


def search_deeply() -> None:
    for search in _DEEP:
        print(search.__name__, flush=True)
        search()


_DEEP = (
    find_a_reason_in_a_long_chain,
    place_thousands_of_unconstrained_mines,
    list_the_layouts_of_a_long_component,
    search_a_deep_endgame,
    call_every_function,
)


def test_deep_searches_need_little_stack() -> None:
    """The kernel once recursed for each step of these searches. An overflow ends the process."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.split() == [search.__name__ for search in _DEEP]


_RECIPE = Recipe("16x30/99", seed=7)
_LARGE = Recipe("1000x1000/160000", seed=7)
_VIEW = View.from_text("6x6/9\n" + "\n".join(["######"] * 2 + ["##2###"] + ["######"] * 3))
_NOTHING = np.zeros(_VIEW.cells.shape, dtype=np.bool_)
_CALLS: dict[str, Callable[[int], object]] = {
    "screen": lambda i: [one.index for one in screen_range(_RECIPE, 100 * i, 100 * i + 100)],
    "repair": lambda i: [one.puzzle for one in repair_range(Recipe("9x9/30", seed=7), i, i + 1)],
    "solve": lambda i: [one and one.clues_at_once for one in kernel_api.solve_all([_RECIPE.puzzle(i)])],
    "paths": lambda i: solution_path(_RECIPE.puzzle(i)),
    "path of a view": lambda _: solution_path(_VIEW),
    "measure": lambda i: list(measure_all([_RECIPE.puzzle(i)])),
    "mine maps": lambda i: kernel_api.mine_maps(_RECIPE, range(i, i + 9)).tolist(),
    "mine swaps": lambda i: mine_swaps(_RECIPE.puzzle(i)),
    "play": lambda i: play_batch(_RECIPE, range(i, i + 2), "champion"),
    "rollouts": lambda i: rate(_VIEW, _NOTHING, Rollouts(8 + i, threads=2)),
    "evaluate": lambda _: evaluate(_VIEW, _NOTHING),
    "probabilities": lambda _: probabilities(_VIEW).chances.tobytes(),
    "clue layouts": lambda i: clue_probabilities(_VIEW, (0, i % 6)).tolist(),
    "sample layouts": lambda i: sample_layouts(_VIEW, 3, i).tolist(),
    "closure by SAT": lambda _: closure(_VIEW, "sat").safe_map.tolist(),
    "library": lambda _: (ms.solve(_VIEW).best, ms.analyse(_VIEW).step, [str(one) for one in ms.puzzles(_RECIPE, 2)]),
    "best play": lambda i: kernel_api.native_grid(Grid(2, 4)).best_play([3 << bit for bit in range(6 - i % 3)], 1000),
}


@pytest.mark.parametrize("name", _CALLS)
def test_function_runs_in_several_threads(name: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(_CALLS[name], [*range(4)] * 4))
    assert _without_seconds(found) == _without_seconds([_CALLS[name](i) for i in range(4)] * 4)


def _trials() -> Callable[[], object]:
    trials = Trials(_VIEW, _NOTHING, 1, "quick")
    return lambda: trials.run([(0, 0), (5, 5)], range(100_000), seconds=1)


def _large_closure() -> NativeReasoner:
    closure = NativeReasoner(Grid(1000, 1000), 160_000)
    mine_map = _LARGE.puzzle(0).board.mine_map
    clues = grid_of(mine_map.shape).count(mine_map).ravel()
    cells = np.flatnonzero(~mine_map)[::5]
    closure.learn(cells.tolist(), clues[cells].tolist())
    return closure


def _closure() -> Callable[[], object]:
    """Return a function that deduces until little follows. One of its rounds looks at large components, for 0.3 s."""
    closure = _large_closure()
    return lambda: [closure.advance() for _ in range(9)]


def _closure_read_during_a_call() -> Callable[[], object]:
    """Return a function that deduces in its first call and reads in later ones."""
    closure = _large_closure()
    calls = iter([lambda: [closure.advance() for _ in range(9)]])
    return lambda: next(calls, lambda: closure.learn([], []))()


@pytest.mark.parametrize("prepare", [_trials, _closure, _closure_read_during_a_call])
def test_object_refuses_a_second_call(prepare: Callable[[], Callable[[], object]]) -> None:
    """Several threads once changed one object at the same time, which ended the process."""
    call = prepare()
    caller = threading.get_ident()

    def call_from_another_thread() -> None:
        if threading.get_ident() != caller:  # A thread of an earlier test may still compute.
            return
        kernel.set_interrupt_check(check_time)
        with ThreadPoolExecutor(1) as other:
            other.submit(call).result()

    kernel.set_interrupt_check(call_from_another_thread)
    try:
        with pytest.raises(ValueError, match="one call at a time"):
            call()
    finally:
        kernel.set_interrupt_check(check_time)


def _without_seconds(value: object) -> object:
    """Remove the times of games, which differ."""
    if isinstance(value, GameResult):
        return replace(value, seconds=0)
    return [_without_seconds(one) for one in value] if isinstance(value, list) else value


if __name__ == "__main__":
    threading.stack_size(_MUSL_STACK)
    thread = threading.Thread(target=search_deeply)
    thread.start()
    thread.join()
