"""Random calls of the kernel API return valid results or raise a one-line error; they never crash.

Quick here; with ``--hypothesis-profile=patient`` in CI, under the sanitizers, and for long with ``thorough``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings, strategies as st
from plain_clauses import kernel_clauses

from minesweeper.generator.screening import mine_swaps, screen_range
from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle, View
from minesweeper.player.core.errors import InconsistentView, OutOfTime
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.limits import time_limit
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.core.results import PuzzleList
from minesweeper.player.core.steps import HardStep, Step, Tier
from minesweeper.player.logic import NativeReasoner
from minesweeper.player.logic.metrics import measure_all, metrics
from minesweeper.player.logic.probability import clue_probabilities, count_layouts, probabilities, sample_layouts
from minesweeper.player.play.strategies.kernel_strategies import Rollouts, evaluate, play_batch, rate
from minesweeper.player.play.strategies.rollout import Trials

pytestmark = pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")

_SECONDS: Final = 0.25
"""Time limit of a call, because some positions take very long."""
_NUMBERS: Final = st.one_of(
    st.integers(-2, 12), st.sampled_from([2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63)])
)
_FEW: Final = st.integers(-1, 5)
_CELLS: Final = st.one_of(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.tuples(_NUMBERS, _NUMBERS))
_SIDES: Final = st.one_of(st.integers(1, 6), st.integers(1, 12))

Draw = Callable[[st.SearchStrategy[Any]], Any]


def _mostly(draw: Draw, usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any] = _NUMBERS) -> Any:
    """Draw a usual value nine times of ten, because rejected calls test little."""
    return draw(usual if draw(st.integers(0, 9)) else odd)


def _arrays(draw: Draw, rows: int, cols: int) -> np.ndarray[tuple[int, ...], np.dtype[Any]]:
    """Draw an array of bool for a view, sometimes with another shape, dtype or memory order."""
    chance = draw(st.sampled_from([0.0, 0.0, 0.1, 0.4, 1.0]))
    marks = np.random.default_rng(draw(st.integers(0, 2**32))).random((rows, cols)) < chance
    odd = draw(st.sampled_from(["", "", "", "", "", "shape", "type", "order", "strides", "empty", "more"]))
    return {
        "": marks,
        "shape": marks.ravel(),
        "type": marks.astype(np.float32),
        "order": np.asfortranarray(marks),
        "strides": np.repeat(marks, 2, axis=1)[:, ::2],
        "empty": marks[:0],
        "more": np.ones((rows + 1, cols), dtype=np.bool_),
    }[odd]


def _view(draw: Draw) -> View:
    """Draw a view of a board, sometimes with random clues."""
    rows, cols = draw(_SIDES), draw(_SIDES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    board = Board(rng.random((rows, cols)) < draw(st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])))
    hidden = board.mine_map | (rng.random((rows, cols)) < draw(st.sampled_from([0.0, 0.2, 0.7, 1.0])))
    cells = np.where(hidden, -1, board.clues).astype(np.int8)
    if draw(st.integers(0, 3)) == 0:
        cells = np.where(rng.random((rows, cols)) < 0.2, rng.integers(-1, 9, (rows, cols)), cells).astype(np.int8)
    return View(cells, _mostly(draw, st.just(board.mines)))


def _puzzles(draw: Draw) -> list[Puzzle]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sides = draw(st.lists(st.tuples(_SIDES, _SIDES), max_size=3))
    boards = [Board(rng.random(side) < draw(st.sampled_from([0.0, 0.1, 0.2, 0.5]))) for side in sides]
    return [Puzzle(board, _mostly(draw, _within(board.rows, board.cols), _CELLS)) for board in boards]


def _within(rows: int, cols: int) -> st.SearchStrategy[Any]:
    return st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))


def _recipe(draw: Draw) -> Recipe:
    rows, cols = _mostly(draw, st.tuples(_SIDES, _SIDES), st.tuples(_NUMBERS, _NUMBERS))
    click = draw(st.none()) if draw(st.booleans()) else _mostly(draw, _within(max(rows, 1), max(cols, 1)), _CELLS)
    mines = _mostly(draw, st.integers(0, max(0, rows * cols // 4)))
    return Recipe(Grid(rows, cols), mines, click, draw(st.sampled_from(StartRule)), _mostly(draw, st.integers(0, 9)))


def _some(draw: Draw) -> range:
    start = _mostly(draw, st.integers(0, 9))
    return range(start, start + draw(_FEW), _mostly(draw, st.just(1), st.sampled_from([2, -1])))


def _rollouts(draw: Draw) -> Rollouts:
    seconds = _mostly(draw, st.sampled_from([0, 0.01]), st.sampled_from([-1.0, float("nan"), 1e9]))
    threads = _mostly(draw, st.integers(1, 3))
    most_unknown = _mostly(draw, st.integers(0, 99))
    return Rollouts(
        _mostly(draw, st.integers(1, 20)), seconds, threads, _name(draw, kernel_api.NATIVE_STRATEGIES), most_unknown
    )


def _name(draw: Draw, names: tuple[str, ...]) -> str:
    return str(_mostly(draw, st.sampled_from(names), st.text(max_size=5)))


def _who(draw: Draw) -> str | Rollouts:
    return _name(draw, kernel_api.NATIVE_STRATEGIES) if draw(st.booleans()) else _rollouts(draw)


def _marked(draw: Draw) -> tuple[View, Any]:
    view = _view(draw)
    return view, _arrays(draw, view.rows, view.cols)


def _trials(draw: Draw) -> object:
    view, marks = _marked(draw)
    seed, threads = _mostly(draw, st.integers(0, 9)), _mostly(draw, st.integers(1, 3))
    trials = Trials(view, marks, seed, _name(draw, kernel_api.NATIVE_STRATEGIES), threads)
    cells = draw(st.lists(_mostly(draw, st.just(_within(view.rows, view.cols)), st.just(_CELLS)), max_size=4))
    return trials.run(cells, _some(draw), _mostly(draw, st.just(0.01), st.sampled_from([0.0, -1.0])))


def _reason(draw: Draw) -> object:
    view = _view(draw)
    given = np.zeros(view.cells.shape, dtype=np.uint8)
    given[np.random.default_rng(draw(st.integers(0, 99))).random(given.shape) < 0.1] = draw(st.integers(0, 3))
    native = kernel_api.native_view(view)
    native.hint(given)
    native.chain(given)
    number = _mostly(draw, st.integers(0, view.cells.size - 1))
    chosen = draw(st.lists(_NUMBERS, max_size=3))
    native.corrections(given, number, chosen)
    return native.reason(given, number, draw(st.integers(0, 12)))


def _explained(draw: Draw) -> object:
    native = kernel_api.native_view(_view(draw))
    native.hints()
    return native.unavoidable_guesses(_mostly(draw, st.integers(0, 1000)))


def _game(draw: Draw) -> object:
    rows, cols = draw(_SIDES), draw(_SIDES)
    game = NativeReasoner(Grid(rows, cols), _mostly(draw, st.integers(0, rows * cols)))
    results: list[object] = []
    for _ in range(draw(st.integers(1, 3))):
        cells = draw(st.lists(_mostly(draw, st.just(st.integers(0, rows * cols - 1)), st.just(_NUMBERS)), max_size=6))
        clues = _mostly(draw, st.just(st.integers(0, 8)), st.just(st.integers(-1, 9)))
        game.learn(cells, draw(st.lists(clues, min_size=len(cells), max_size=len(cells) + draw(st.integers(0, 1)))))
        results += [game.advance(), game.advance()]
    return results


def _best_play(draw: Draw) -> object:
    rows, cols = _mostly(draw, st.tuples(st.integers(1, 3), st.integers(1, 3)), st.tuples(_NUMBERS, _NUMBERS))
    mines = draw(st.integers(0, 3))
    fitting = [layout for layout in range(2 ** min(9, max(0, rows * cols))) if layout.bit_count() == mines]
    layouts = _mostly(draw, st.permutations(fitting), st.lists(_NUMBERS, max_size=5))
    return kernel_api.native_grid(Grid(rows, cols)).best_play(layouts[:20], _mostly(draw, st.integers(0, 1000)))


def _kaboom_layout(draw: Draw) -> object:
    view = _view(draw)
    why, seed, rules = _mostly(draw, st.integers(0, 5)), _mostly(draw, st.integers(0, 9)), draw(st.integers(0, 15))
    number, clicks = _mostly(draw, st.integers(0, view.cells.size - 1)), _mostly(draw, st.integers(0, 9))
    native = kernel_api.native_view(view)
    native.kaboom_verdicts(rules)
    return native.kaboom_layout(rules, why, number, seed, clicks)


def _probabilities(draw: Draw) -> object:
    view = _view(draw)
    mine = probabilities(view).chances
    assert np.array_equal(np.isnan(mine), view.cells >= 0)
    assert np.all((mine >= 0) & (mine <= 1) | np.isnan(mine))
    return mine


def _screen(draw: Draw) -> object:
    indices = _some(draw)
    return list(screen_range(_recipe(draw), indices.start, indices.stop))


def _play(draw: Draw) -> object:
    puzzles = _puzzles(draw)
    return play_batch(PuzzleList(puzzles), range(len(puzzles)), _who(draw))


def _proof_clauses(draw: Draw) -> object:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    board = Board(rng.random((draw(_SIDES), draw(_SIDES))) < 0.3)
    size = len(board.cells)
    cells = st.lists(st.one_of(st.integers(0, size - 1), st.integers(0, size - 1), _NUMBERS), max_size=3)
    step = Step(draw(st.sampled_from(Tier)), *(tuple(draw(cells)) for _ in range(3)))
    undecided = (rng.random(size) < 0.5).tobytes()
    return kernel_clauses(board, HardStep(step, undecided[_mostly(draw, st.just(0), st.just(1)) :]))


def _rated(candidates: Any) -> object:
    assert all(0 <= candidate.safety <= 1 for candidate in candidates), candidates
    return candidates


def test_cell_that_may_show_an_eight_stays_within_its_tables() -> None:
    """Nine clues once exceeded a table for eight neighbours; only the sanitizers detect that."""
    for text in ("4x5/12\n###3#\n###5#\n#####\n2#4##", "5x6/17\n#####1\n4##5##\n#4####\n######\n######"):
        view = View.from_text(text)
        assert _rated(rate(view, np.zeros(view.cells.shape, dtype=np.bool_), "champion"))


def test_mine_count_round_of_contradicting_clues() -> None:
    """A component without layouts once caused a write past an empty table; only the sanitizers detect that."""
    game = NativeReasoner(Grid(12, 5), 17)
    game.learn([9, 52], [1, 1])
    assert game.advance() == []
    game.learn([6, 59, 10, 36, 29, 33], [8, 4, 1, 8, 4, 3])
    with pytest.raises(InconsistentView):
        list(iter(game.advance, []))


CALLS: Final[dict[str, Callable[[Draw], object]]] = {
    "solve": lambda draw: list(kernel_api.solve_all(_puzzles(draw))),
    "screen": lambda draw: _screen(draw),
    "mine maps": lambda draw: kernel_api.mine_maps(_recipe(draw), _some(draw)),
    "exchanges": lambda draw: [mine_swaps(puzzle) for puzzle in _puzzles(draw)],
    "measure": lambda draw: [metrics(puzzle) for puzzle in _puzzles(draw)],
    "measure puzzles": lambda draw: list(measure_all(_puzzles(draw))),
    "proof clauses": _proof_clauses,
    "play": lambda draw: _play(draw),
    "play sampled": lambda draw: play_batch(_recipe(draw), _some(draw), _who(draw)),
    "rate": lambda draw: _rated(rate(*_marked(draw), _name(draw, kernel_api.NATIVE_STRATEGIES))),
    "rate by rollouts": lambda draw: _rated(rate(*_marked(draw), _rollouts(draw))),
    "trials": _trials,
    "evaluate": lambda draw: evaluate(*_marked(draw)),
    "best play": _best_play,
    "probabilities": _probabilities,
    "count layouts": lambda draw: count_layouts(_view(draw)),
    "clue layouts": lambda draw: clue_probabilities(_view(draw), draw(_CELLS)),
    "sample layouts": lambda draw: sample_layouts(_view(draw), draw(_FEW), _mostly(draw, st.integers(0, 9))),
    "kaboom layout": _kaboom_layout,
    "reason": _reason,
    "explained": _explained,
    "game": _game,
}


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_calls_never_crash(name: str, data: st.DataObject) -> None:
    refusal: Exception | None = None
    try:
        with time_limit(_SECONDS):
            CALLS[name](data.draw)
    except (OutOfTime, ValueError, TypeError, IndexError, OverflowError) as error:
        refusal = error
    event(type(refusal).__name__)
    # nanobind's TypeErrors have several lines.
    assert isinstance(refusal, TypeError) or "\n" not in str(refusal)
