"""The kernel's strategies: whole batches equal single games, candidates are exact, endgames are played perfectly."""

from __future__ import annotations

import hashlib

import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from rectangle import count_neighbours
from reference_solver import solve as reference_solve
from views import connected, random_view

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.errors import InconsistentView
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.results import EvaluationKind, PuzzleList
from minesweeper.player.kernel_api import NATIVE_STRATEGIES, available
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import count_layouts
from minesweeper.player.play.games import play
from minesweeper.player.play.strategies import Knowledge
from minesweeper.player.play.strategies.kernel_strategies import NativeStrategy, evaluate, play_batch, rate
from minesweeper.player.play.strategies.loading import load_strategy

pytestmark = pytest.mark.skipif(not available(), reason="the kernel was not built")
NAMES = NATIVE_STRATEGIES[1:]


def native(name: str) -> NativeStrategy:
    strategy = load_strategy(name)
    assert isinstance(strategy, NativeStrategy)
    return strategy


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rows", "cols", "mines"), [(5, 6, 7), (9, 9, 10), (16, 16, 51), (7, 30, 45), (1, 12, 4)])
def test_batches_equal_games_played_move_by_move(name: str, rows: int, cols: int, mines: int) -> None:
    strategy = native(name)
    recipe = Recipe(Grid(rows, cols), mines, (0, 0), "safe", 5)
    puzzles = [recipe.puzzle(index) for index in range(15)]
    games = [play(puzzle, strategy) for puzzle in puzzles]
    assert strategy.play_batch(PuzzleList(puzzles), range(15), 0, "auto") == games
    assert strategy.play_batch(recipe, range(7, 15), 0, "auto") == games[7:]


def test_puzzles_of_several_sizes_make_one_batch() -> None:
    strategy = native("progress")
    puzzles = [Recipe(Grid(4 + index % 3, 6), 5, (1, 1), "opening", 1).puzzle(index) for index in range(9)]
    games = [play(puzzle, strategy) for puzzle in puzzles]
    assert strategy.play_batch(PuzzleList(puzzles), range(9), 0, "auto") == games


@pytest.mark.parametrize("name", NAMES)
def test_games_are_lost_only_by_guesses(name: str) -> None:
    for game in play_batch(Recipe("9x9/10", click=None, seed=3), range(300), name):
        assert game.won == (game.opened == 71)
        assert game.won or game.guesses > 0


@pytest.mark.long
def test_strategies_keep_their_strength() -> None:
    wins = {
        name: np.mean([game.won for game in play_batch(Recipe("9x9/12", click=(2, 2), seed=11), range(6000), name)])
        for name in NAMES
    }
    # Four standard deviations of 6000 games are 2 points.
    assert wins["safest"] > 0.91
    assert all(wins[name] > 0.915 for name in NAMES[1:])


@pytest.mark.parametrize(
    ("name", "small", "expert"),
    [
        ("safest", "0b54bf4e", "ca5319c8"),
        ("progress", "83b86cd4", "7850fcb8"),
        ("lookahead", "ee61e940", "daaed2de"),
        ("champion", "b8c8adb7", "bec1ae1c"),
    ],
)
def test_strategies_keep_their_games(name: str, small: str, expert: str) -> None:
    for recipe, games, expected in (
        (Recipe("9x9/12", rule="safe", seed=1), range(400), small),
        (Recipe("expert", seed=1), range(60), expert),
    ):
        results = [(game.won, game.opened, game.guesses) for game in play_batch(recipe, games, name)]
        assert hashlib.sha256(repr(results).encode()).hexdigest()[:8] == expected


def test_the_champion_keeps_its_estimates() -> None:
    view = View.from_text("4x5/7\n1####\n#####\n#####\n#####")
    found = evaluate(view, np.zeros_like(view.cells, dtype=np.bool_))
    assert found.kind is EvaluationKind.ESTIMATE
    values = np.zeros(view.cells.shape)
    for candidate in found.candidates:
        values[candidate.cell] = candidate.value
    expected = [
        [0, 0.432010114, 0.518759834, 0.447677977, 0.441691496],
        [0.522006310, 0.496957995, 0.535360344, 0.505745144, 0.514500651],
        [0.538479325, 0.513697504, 0.526569440, 0.491577768, 0.504154969],
        [0.501395565, 0.475004036, 0.465628148, 0.476818791, 0.471251728],
    ]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("indices", [range(-1, 5), range(0, 9, 2), range(9, 0, -1)])
def test_rejects_indices_that_are_not_consecutive(indices: range) -> None:
    with pytest.raises(ValueError, match=r"invalid indices range\(.* of 5x5/3"):
        play_batch(Recipe("5x5/3", click=None, rule="safe", seed=0), indices, "safest")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["2x3/3\n3##\n##2", "1x2/2\n##", "6x6/1\n0#####" + "\n######" * 5, "1x5/1\n1#1##"])
def test_views_without_safe_cell_or_layout_raise_an_error(name: str, text: str) -> None:
    view = View.from_text(text)
    unmarked = np.zeros_like(view.cells, dtype=np.bool_)
    if len(oracle.layouts(view)) and (view.cells == HIDDEN).sum() > view.mines:
        assert native(name).rate(view, Knowledge(view, unmarked, unmarked))
        return
    with pytest.raises(ValueError, match=r"fits|may be safe") as refused:
        native(name).choose(view, Knowledge(view, unmarked, unmarked))
    assert isinstance(refused.value, InconsistentView) == (not len(oracle.layouts(view)))


@pytest.mark.parametrize("name", NAMES)
def test_random_views_are_rated_or_rejected(name: str, share: float) -> None:
    rng = np.random.default_rng(43)
    ends = {InconsistentView: 0, ValueError: 0, None: 0}
    for _ in range(int(300 * share)):
        view = random_view(rng, 20, consistent=bool(rng.random() < 0.5))
        marked = (view.cells == HIDDEN) & (rng.random(view.cells.shape) < rng.choice([0, 0.2]))
        hidden = (view.cells == HIDDEN) & ~marked
        try:
            candidates = native(name).rate(view, Knowledge(view, np.zeros_like(marked), marked))
        except ValueError as error:
            ends[type(error)] += 1
            continue
        ends[None] += 1
        for candidate in candidates:
            assert hidden[candidate.cell]
            assert 0 <= candidate.safety <= 1 + 1e-9
    assert min(ends.values()) > 5 * share


@pytest.mark.parametrize(
    "marks", [np.zeros((2, 2), dtype=np.bool_), np.zeros(9, dtype=np.bool_), np.zeros((3, 3), dtype=np.int8)]
)
def test_rejects_arrays_of_another_shape_or_dtype(marks: NDArray[np.bool_]) -> None:
    view = View.from_text("3x3/1\n1##\n###\n###")
    with pytest.raises(ValueError, match="expected a 3x3 array of bool"):
        rate(view, marks, "safest")
    with pytest.raises(ValueError, match="expected a 3x3 array of bool"):
        evaluate(view, marks)


def test_rejects_unknown_strategies() -> None:
    view = View.from_text("3x3/1\n1##\n###\n###")
    with pytest.raises(ValueError, match="unknown strategy 'best'; expected quick, safest, "):
        rate(view, np.zeros((3, 3), dtype=np.bool_), "best")
    with pytest.raises(ValueError, match="unknown strategy 'best'; expected quick, safest, "):
        play_batch(Recipe("5x5/3", click=None, rule="safe", seed=0), range(1), "best")


@pytest.mark.parametrize("upside_down", [False, True])
def test_endgames_of_many_cells_are_solved_as_their_parts_are(upside_down: bool) -> None:
    # An unavoidable guess: two indistinguishable layouts of 68 cells.
    guess = np.zeros((2, 101), dtype=np.bool_)
    guess[0, ::3] = True
    guess_hidden = np.zeros_like(guess)
    guess_hidden[0, np.arange(101) % 3 != 2] = True
    corners = np.zeros((5, 101), dtype=np.bool_)
    corners[2:, :3] = corners[2:, -4:] = True
    rng = np.random.default_rng(3)
    solved = 0
    while solved < 3:
        mine_map = corners & (rng.random(corners.shape) < 0.6)
        alone = opened(mine_map, corners)
        deductions = closure(alone)
        if deductions.safe_map.any() or not 40 <= count_layouts(alone) <= 400:
            continue
        step = -1 if upside_down else 1
        both = opened(np.vstack([guess, mine_map])[::step], np.vstack([guess_hidden, corners])[::step])
        known = np.vstack([np.zeros_like(guess), deductions.mine_map])[::step]
        of_corners = evaluate(alone, deductions.mine_map)
        of_both = evaluate(both, known)
        assert of_corners.kind is EvaluationKind.WIN_PROBABILITY
        assert of_both.kind is EvaluationKind.WIN_PROBABILITY
        values = {candidate.cell: candidate.value for candidate in of_both.candidates}
        for candidate in of_corners.candidates:
            row, col = candidate.cell
            assert values.pop((4 - row if upside_down else row + 2, col)) == pytest.approx(candidate.value / 2)
        assert list(values.values()) == pytest.approx([of_corners.candidates[0].value / 2] * 68)
        solved += 1


def opened(mine_map: NDArray[np.bool_], hidden: NDArray[np.bool_]) -> View:
    """Return the view of a board that hides only these cells."""
    return View(np.where(hidden, HIDDEN, count_neighbours(mine_map)).astype(np.int8), int(mine_map.sum()))


def prospects(maps: NDArray[np.bool_], hidden: NDArray[np.bool_], cell: tuple[int, int]) -> tuple[float, float]:
    """Return by brute force the progress of a cell, and the probability of surviving it and the next guess."""
    clues = np.array([count_neighbours(mines)[cell] for mines in maps])
    rest = hidden.copy()
    rest[cell] = False
    progress = value = 0.0
    for clue in range(9):
        left = maps[(clues == clue) & ~maps[:, cell[0], cell[1]]]
        if len(left):
            least = left[:, rest].mean(axis=0).min(initial=1)
            progress += len(left) / len(maps) * (least == 0)
            value += len(left) / len(maps) * (1 - least)
    return progress, value


@pytest.mark.parametrize(
    ("crowded", "candidates"), [(False, 20), pytest.param(False, 300, marks=pytest.mark.long), (True, 100)]
)
def test_outcomes_of_each_clue_are_exact(crowded: bool, candidates: int) -> None:
    rng = np.random.default_rng(19)
    rated = 0
    while rated < candidates:
        view = random_view(rng, 20)
        deductions = closure(view)
        hidden = (view.cells == HIDDEN) & ~deductions.mine_map
        # With few hidden cells the mine count matters most. Only connected cells are evaluated as a whole.
        if deductions.safe_map.any() or not connected(hidden) or (hidden.sum() < 8) != crowded:
            continue
        maps = oracle.layouts(view)
        for candidate in native("progress").rate(view, Knowledge(view, deductions.safe_map, deductions.mine_map)):
            # Progress is not computed for a single candidate.
            assert candidate.progress in (0, pytest.approx(prospects(maps, hidden, candidate.cell)[0], abs=1e-9))
        for candidate in native("lookahead").rate(view, Knowledge(view, deductions.safe_map, deductions.mine_map)):
            expected = prospects(maps, hidden, candidate.cell)
            assert (candidate.progress, candidate.value) == pytest.approx(expected, abs=1e-9)
            rated += 1


def test_ratings_give_exact_safety() -> None:
    recipe = Recipe("9x9/14", seed=2)
    rated = 0
    for index in range(40):
        game = Game(recipe.puzzle(index).board)
        game.open((4, 4))
        view = game.view
        deductions = closure(view)
        if game.status is not Status.PLAYING or deductions.safe_map.any():
            continue
        _, chances = reference_solve(view.lines, view.mines)
        for name in NAMES:
            candidates = native(name).rate(view, Knowledge(view, deductions.safe_map, deductions.mine_map))
            assert len({candidate.cell for candidate in candidates}) == len(candidates)
            for candidate in candidates:
                assert candidate.safety == pytest.approx(1 - chances[candidate.cell], abs=1e-9)
                assert 0 <= candidate.progress <= candidate.safety + 1e-9
            rated += len(candidates)
    assert rated > 40
