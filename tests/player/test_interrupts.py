"""Long calls of the kernel stop at a time limit and at Ctrl-C, even on the largest boards."""

import signal
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
from rectangle import count_neighbours

from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import screen_range
from minesweeper.player import Grid, OutOfTime, Puzzle, Recipe, View, kernel_api, metrics, time_limit
from minesweeper.player.core.results import PuzzleList
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic.probability import clue_probabilities, probabilities, sample_layouts
from minesweeper.player.play.strategies.kernel_strategies import Rollouts, evaluate, play_batch, rate

pytestmark = pytest.mark.kernel

_SIDE: Final = 1000
_NO_TIME: Final = 1e-9

_SMALL: Final = View.from_text("5x5/4\n1####" + "\n#####" * 4)
"""The champion searches the whole game, which takes about a second."""

Call = Callable[[Puzzle, View], object]


@pytest.fixture(scope="module")
def large() -> tuple[Puzzle, View]:
    """Return a board of a million cells and its view with all zeros open."""
    puzzle = Recipe(Grid(_SIDE, _SIDE), 160_000, (500, 500), "opening", 7).puzzle(0)
    mine_map, clues = puzzle.board.mine_map, puzzle.board.clues
    opened = ~mine_map & (count_neighbours((clues == 0) & ~mine_map) > 0)
    return puzzle, View(np.where(opened, clues, -1).astype(np.int8), int(mine_map.sum()))


def _unmarked(view: View) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.zeros(view.cells.shape, dtype=np.bool_)


def _hidden(view: View) -> tuple[int, int]:
    row, col = np.argwhere(view.cells < 0)[0].tolist()
    return row, col


CALLS: Final[dict[str, Call]] = {
    "solve": lambda puzzle, _: list(kernel_api.solve_all([puzzle] * 20)),
    "measure": lambda puzzle, _: metrics(puzzle),
    "play": lambda puzzle, _: play_batch(PuzzleList([puzzle]), range(1), "champion"),
    "rollouts": lambda puzzle, _: play_batch(PuzzleList([puzzle]), range(1), Rollouts(8, threads=2)),
    **{
        f"rate {name}": lambda _, view, name=name: rate(view, _unmarked(view), name)  # type: ignore[misc]
        for name in kernel_api.NATIVE_STRATEGIES
    },
    "rate a small board": lambda _p, _v: rate(_SMALL, _unmarked(_SMALL), "champion"),
    "rate by rollouts": lambda _, view: rate(view, _unmarked(view), Rollouts(8)),
    "evaluate": lambda _, view: evaluate(view, _unmarked(view)),
    "probabilities": lambda _, view: probabilities(view),
    "clue layouts": lambda _, view: clue_probabilities(view, _hidden(view)),
    "sample layouts": lambda _, view: sample_layouts(view, 2, 1),
    "screen": lambda _p, _v: list(screen_range(Recipe(Grid(_SIDE, _SIDE), 60_000, (500, 500), "opening", 7), 0, 200)),
    "repair": lambda _p, _v: list(repair_range(Recipe(Grid(_SIDE, _SIDE), 300_000, (500, 500), "opening", 7), 0, 2)),
    "play sampled": lambda _p, _v: play_batch(
        Recipe(Grid(_SIDE, _SIDE), 160_000, (500, 500), "opening", 7), range(2), "progress"
    ),
    "sample maps": lambda _p, _v: kernel_api.mine_maps(Recipe(Grid(_SIDE, _SIDE), 160_000, None, "safe", 7), range(20)),
    "game": lambda _p, _v: _started_game().advance(),
}


def _started_game() -> Any:
    """Return a closure whose first round takes far longer than the pause between two checks, on any machine."""
    game = kernel.IncrementalClosure(kernel_api.native_grid(Grid(4000, 2000)), 0)
    opened = np.arange(0, 8_000_000, 3)
    game.learn(opened, np.zeros(opened.size, dtype=np.int64))
    return game


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
    """Without the signal, this call would take many seconds."""
    with pytest.raises(KeyboardInterrupt):
        list(screen_range(Recipe(Grid(_SIDE, _SIDE), 60_000, (500, 500), "opening", 7), 0, 2000))


def test_interrupted_closure_cannot_be_used() -> None:
    """It would lack the deductions of the interrupted round."""
    game = _started_game()
    with time_limit(_NO_TIME), pytest.raises(OutOfTime):
        game.advance()
    with pytest.raises(ValueError, match="was not interrupted"):
        game.advance()
