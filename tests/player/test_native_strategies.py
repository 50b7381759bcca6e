"""The kernel's strategies: whole batches equal single games, ratings are exact, endgames are played perfectly."""

from __future__ import annotations

import numpy as np
import pytest

from generator.sampling import Recipe
from player.autoplay import PuzzleList, play
from player.logic.native import available
from player.strategies import load_strategy
from player.strategies.native import NativeStrategy

pytestmark = pytest.mark.skipif(not available(), reason="the kernel was not built")
NAMES = ["safest", "progress", "lookahead", "champion"]


def native(name: str) -> NativeStrategy:
    strategy = load_strategy(name)
    assert isinstance(strategy, NativeStrategy)
    return strategy


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("rows", "cols", "mines"), [(5, 5, 6), (9, 9, 10), (16, 16, 51), (7, 30, 45), (1, 12, 4)])
def test_batches_equal_games_played_move_by_move(name: str, rows: int, cols: int, mines: int) -> None:
    strategy = native(name)
    recipe = Recipe(rows, cols, mines, (0, 0), "safe", 5)
    puzzles = [recipe.puzzle(index) for index in range(25)]
    games = [play(puzzle, strategy) for puzzle in puzzles]
    assert strategy.play_batch(PuzzleList(puzzles), range(25), 0, "auto") == games
    assert strategy.play_batch(recipe, range(25), 0, "auto") == games
    assert strategy.play_batch(recipe, range(7, 19), 0, "auto") == games[7:19]


def test_puzzles_of_several_sizes_make_one_batch() -> None:
    strategy = native("progress")
    puzzles = [Recipe(4 + index % 3, 6, 5, (1, 1), "opening", 1).puzzle(index) for index in range(9)]
    games = [play(puzzle, strategy) for puzzle in puzzles]
    assert strategy.play_batch(PuzzleList(puzzles), range(9), 0, "auto") == games


@pytest.mark.parametrize("name", NAMES)
def test_games_never_lose_by_logic_and_count_what_they_open(name: str) -> None:
    for game in native(name).play_sampled(9, 9, 10, None, "opening", 3, range(300)):
        assert game.won == (game.opened == 71)
        assert game.won or game.guesses > 0
        assert 0 < game.luck <= 1
        assert (game.luck == 1) == (game.guesses == 0)


def test_strategies_are_as_strong_as_they_were() -> None:
    wins = {
        name: np.mean([g.won for g in native(name).play_sampled(9, 9, 12, (2, 2), "opening", 11, range(6000))])
        for name in NAMES
    }
    # Four standard deviations of 6000 games are 2 points.
    assert wins["safest"] > 0.91
    assert all(wins[name] > 0.915 for name in NAMES[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 5, 1, 0, True, 0, 0, 1, "safest"),
        (5, 2000, 1, 0, True, 0, 0, 1, "safest"),
        (5, 5, 17, 12, True, 0, 0, 1, "safest"),
        (5, 5, -1, 0, True, 0, 0, 1, "safest"),
        (5, 5, 3, 25, True, 0, 0, 1, "safest"),
        (5, 5, 3, 0, True, 0, 0, 1, "best"),
    ],
)
def test_kernel_refuses_games_that_cannot_be(arguments: tuple[int, int, int, int, bool, int, int, int, str]) -> None:
    from player import _kernel

    with pytest.raises(ValueError, match="expected"):
        _kernel.play_sampled(*arguments)
