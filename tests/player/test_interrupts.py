"""Long calls of the kernel stop at a time limit and at Ctrl-C, even on the largest boards."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import pytest

from minesweeper.player import kernel_api
from minesweeper.player.board import Puzzle, View, count_neighbours
from minesweeper.player.errors import OutOfTime
from minesweeper.player.limits import time_limit
from minesweeper.player.recipe import Recipe

pytestmark = pytest.mark.skipif(not kernel_api.available(), reason="needs the kernel")

_SIDE: Final = 1000
_NO_TIME: Final = 1e-9

_SMALL: Final = View.from_text("5x5/4\n1####" + "\n#####" * 4)
"""The champion searches the whole game, which takes about a second."""

Call = Callable[[Puzzle, View], object]


@pytest.fixture(scope="module")
def large() -> tuple[Puzzle, View]:
    """Return a board of a million cells and its view with all zeros open."""
    puzzle = Recipe(_SIDE, _SIDE, 160_000, (500, 500), "opening", 7).puzzle(0)
    mine_map, clues = puzzle.board.mine_map, puzzle.board.clues
    opened = ~mine_map & (count_neighbours((clues == 0) & ~mine_map) > 0)
    return puzzle, View(np.where(opened, clues, -1).astype(np.int8), int(mine_map.sum()))


def _unmarked(view: View) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.zeros(view.cells.shape, dtype=np.bool_)


def _hidden(view: View) -> tuple[int, int]:
    row, col = np.argwhere(view.cells < 0)[0].tolist()
    return row, col


CALLS: Final[dict[str, Call]] = {
    "solve": lambda puzzle, _: kernel_api.solve(puzzle),
    "measure": lambda puzzle, _: list(kernel_api.measure([puzzle.board])),
    "play": lambda puzzle, _: kernel_api.play([puzzle], "champion"),
    "rollouts": lambda puzzle, _: kernel_api.play([puzzle], kernel_api.Rollouts(8, threads=2)),
    **{
        f"rate {name}": lambda _, view, name=name: kernel_api.rate(view, _unmarked(view), name)  # type: ignore[misc]
        for name in kernel_api.STRATEGIES
    },
    "rate a small board": lambda _p, _v: kernel_api.rate(_SMALL, _unmarked(_SMALL), "champion"),
    "rate by rollouts": lambda _, view: kernel_api.rate_by_rollouts(view, _unmarked(view), kernel_api.Rollouts(8)),
    "evaluate": lambda _, view: kernel_api.evaluate(view, _unmarked(view)),
    "probabilities": lambda _, view: kernel_api.probabilities(view),
    "clue layouts": lambda _, view: kernel_api.clue_layouts(view, _hidden(view)),
    "sample layouts": lambda _, view: kernel_api.sample_layouts(view, 2, 1),
    "screen": lambda _p, _v: kernel_api.screen(Recipe(_SIDE, _SIDE, 60_000, (500, 500), "opening", 7), range(200)),
    "repair": lambda _p, _v: kernel_api.repair(Recipe(_SIDE, _SIDE, 300_000, (500, 500), "opening", 7), range(2), 100),
    "play sampled": lambda _p, _v: kernel_api.play_sampled(
        Recipe(_SIDE, _SIDE, 160_000, (500, 500), "opening", 7), range(2), "progress"
    ),
    "sample maps": lambda _p, _v: kernel_api.mine_maps(Recipe(_SIDE, _SIDE, 160_000, None, "safe", 7), range(20)),
    "game": lambda _, view: _logic(view),
}


def _logic(view: View) -> object:
    game = kernel_api.IncrementalClosure(view.rows, view.cols, view.mines)
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells >= 0)
    game.learn(opened.tolist(), cells[opened].tolist())
    return game.local_round()


@pytest.mark.parametrize("name", CALLS)
def test_call_stops_at_the_time_limit(name: str, large: tuple[Puzzle, View]) -> None:
    with time_limit(_NO_TIME), pytest.raises(OutOfTime):
        CALLS[name](*large)


@pytest.fixture
def _interrupted_soon() -> Iterator[None]:
    def handle(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_interrupted_soon")
def test_screening_stops_at_a_signal() -> None:
    """Without the signal, this call would take a minute."""
    with pytest.raises(KeyboardInterrupt):
        kernel_api.screen(Recipe(_SIDE, _SIDE, 60_000, (500, 500), "opening", 7), range(2000))


def test_interrupted_closure_cannot_be_used(large: tuple[Puzzle, View]) -> None:
    """It would lack the deductions of the interrupted round."""
    view = large[1]
    game = kernel_api.IncrementalClosure(view.rows, view.cols, view.mines)
    cells = view.cells.ravel()
    opened = np.flatnonzero(cells >= 0)
    game.learn(opened.tolist(), cells[opened].tolist())
    with time_limit(_NO_TIME), pytest.raises(OutOfTime):
        game.local_round()
    with pytest.raises(ValueError, match="was not interrupted"):
        game.local_round()
