"""The native engine compared with the SAT engine; test_logic.py compares both with brute force."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from views import wide_view

from minesweeper.player.board import Board
from minesweeper.player.errors import InconsistentView
from minesweeper.player.game import Game
from minesweeper.player.kernel_api import available
from minesweeper.player.logic import NativeReasoner, Reasoner, closure
from minesweeper.player.logic.sat import SatReasoner
from minesweeper.player.steps import Step

pytestmark = pytest.mark.skipif(not available(), reason="the kernel was not built")


def _random_board(rng: np.random.Generator, longest: int) -> Board:
    rows, cols = (int(side) for side in rng.integers(1, longest + 1, 2))
    mine_map: NDArray[np.bool_] = rng.random((rows, cols)) < rng.uniform(0.05, 0.35)
    mine_map[rng.integers(rows), rng.integers(cols)] = False
    return Board(mine_map)


def _canonical(steps: list[Step]) -> list[tuple[object, ...]]:
    return sorted((int(step.tier), step.safe, step.mines, step.clues) for step in steps)


def _same_rounds_in_a_game(board: Board, rng: np.random.Generator) -> int:
    """Play a game with both engines, guess where logic stops, and return the number of positions compared."""
    size = board.rows, board.cols, board.mines
    reasoners: list[Reasoner] = [NativeReasoner(*size), SatReasoner(*size)]
    clues = board.clues.ravel()
    closed = clues >= 0
    positions = 0
    while closed.any():
        guess = int(rng.choice(np.flatnonzero(closed)))
        game = Game(board)
        news = [row * board.cols + col for row, col in game.open((guess // board.cols, guess % board.cols))]
        news = [cell for cell in news if closed[cell]]
        while True:
            closed[news] = False
            for reasoner in reasoners:
                reasoner.learn(news, clues[news].tolist())
            native, sat = (reasoner.advance() for reasoner in reasoners)
            assert _canonical(native) == _canonical(sat), board
            positions += 1
            if not native:
                break
            news = [cell for step in native for cell in step.safe]
    return positions


def test_rounds_equal_those_of_sat(share: float) -> None:
    rng = np.random.default_rng(13)
    positions = sum(_same_rounds_in_a_game(_random_board(rng, 16), rng) for _ in range(int(150 * share)))
    assert positions > 1800 * share


@pytest.mark.long
def test_rounds_equal_those_of_sat_in_100_000_positions() -> None:
    rng = np.random.default_rng(14)
    positions = 0
    while positions < 100_000:
        positions += _same_rounds_in_a_game(_random_board(rng, 40), rng)


def test_wide_component_falls_back_to_sat() -> None:
    view = wide_view(60)
    native, sat = closure(view, "native"), closure(view, "sat")
    assert np.array_equal(native.safe_map, sat.safe_map)
    assert np.array_equal(native.mine_map, sat.mine_map)
    assert np.array_equal(native.tiers, sat.tiers)


@pytest.mark.parametrize("size", [(0, 5, 0), (5, 0, 0), (-1, 5, 0), (4001, 1, 0), (3, 3, -1), (3, 3, 10)])
def test_rejects_impossible_boards(size: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        NativeReasoner(*size)


@pytest.mark.parametrize(
    ("cells", "clues"),
    [([9], [0]), ([-1], [0]), ([0], [9]), ([0], [-1]), ([0, 1], [0]), ([2**62], [0]), ([0], [2**62])],
)
def test_rejects_invalid_cells_and_clues(cells: list[int], clues: list[int]) -> None:
    reasoner = NativeReasoner(3, 3, 1)
    with pytest.raises(ValueError, match="expected"):
        reasoner.learn(cells, clues)
    assert reasoner.advance() == []


def test_clue_on_a_known_mine_is_a_contradiction() -> None:
    reasoner = NativeReasoner(2, 2, 3)
    reasoner.learn([0], [3])
    assert [step.mines for step in reasoner.advance()] == [(1, 2, 3)]
    reasoner.learn([1], [2])
    with pytest.raises(InconsistentView):
        reasoner.advance()


def test_clue_may_repeat_but_not_change() -> None:
    reasoner = NativeReasoner(1, 3, 1)
    reasoner.learn([0], [0])
    reasoner.learn([0], [0])
    with pytest.raises(ValueError, match="does not change"):
        reasoner.learn([0], [1])
