"""Replays forwards and backwards, and reviews of guesses against all layouts."""

import numpy as np
import pytest
from oracle import layouts

from minesweeper import Board, Grid, Puzzle, Recipe, View, play
from minesweeper.player.core.game import Status
from minesweeper.player.core.results import EvaluationKind, Move
from minesweeper.player.core.steps import Tier
from minesweeper.player.play.replay import Replay, luck, review
from minesweeper.player.play.strategies.random_cell import RandomCell

RECIPE = Recipe("4x5/5", click=(0, 0), rule="safe", seed=2)


def replay_of(index: int) -> Replay:
    puzzle = RECIPE.puzzle(index)
    return Replay(puzzle, play(puzzle, RandomCell(), keep_moves=True).moves)


def test_a_replay_goes_either_way() -> None:
    for index in range(20):
        replay = replay_of(index)
        ends = range(len(replay.clicks) + 1)
        forwards = [replay.after(clicks) for clicks in ends]
        for clicks in reversed(ends):
            moment = replay.after(clicks)
            assert moment.view == forwards[clicks].view
            assert (moment.mines, moment.status) == (forwards[clicks].mines, forwards[clicks].status)
            assert clicks == 0 or replay.clicks[clicks - 1].cell in [*moment.opened, *moment.exploded]
        truth = {(row, col) for row, col in np.argwhere(RECIPE.puzzle(index).board.mine_map).tolist()}
        assert all(moment.mines <= truth for moment in forwards)
        assert forwards[0].view == View.hidden(Grid(4, 5), 5)
        assert forwards[-1].status is not Status.PLAYING


def test_guesses_are_evaluated_by_all_layouts() -> None:
    reviewed = 0
    for index in range(11):
        replay = replay_of(index)
        for guess in review(replay):
            before = replay.after(guess.click - 1)
            maps = layouts(before.view)
            safety = 1 - maps.mean(axis=0)
            candidates = guess.evaluation.candidates
            listed = [one.cell for one in candidates]
            assert len(listed) == len(set(listed)) == int((before.view.cells < 0).sum()) - len(before.mines)
            assert [one for alike in guess.evaluation.groups for one in alike] == list(candidates)
            for one in candidates:
                assert safety[one.cell] == pytest.approx(one.safety)
                estimated = guess.evaluation.kind is EvaluationKind.ESTIMATE
                assert one.value <= (1 if estimated else one.safety) + 1e-9
            order = [(-one.value, -one.safety, one.cell) for one in candidates]
            assert order == sorted(order)
            worths = [one.value for one in candidates]
            assert guess.loss == pytest.approx(worths[0] - guess.chosen.value, abs=1e-9)
            assert guess.survived == (not RECIPE.puzzle(index).board.mine_map[guess.cell])
            reviewed += 1
    assert reviewed > 8


def test_ratings_and_luck_worked_out_by_hand() -> None:
    # One mine in the last four cells.
    puzzle = Puzzle(Board.from_text(".*...*"), (0, 0))
    moves = [Move(Tier.FIRST_CLICK, ((0, 0),)), Move(Tier.ONE_CLUE, (), ((0, 1),)), Move(None, ((0, 2),))]
    replay = Replay(puzzle, moves)
    assert [click.guess for click in replay.clicks] == [0, 1]
    (guess,) = review(replay)
    assert (guess.click, guess.rating, guess.survived) == (2, "best", True)
    assert guess.chosen.safety == pytest.approx(3 / 4)
    assert guess.evaluation.kind is EvaluationKind.WIN_PROBABILITY
    assert guess.best_cells == ((0, 2), (0, 3), (0, 4), (0, 5))
    assert luck([guess]) == pytest.approx(3 / 4)
    assert luck([]) == 1


def test_a_worse_guess_is_rated_by_its_loss() -> None:
    # One of the corner's three neighbours is a mine, and one of the five other cells. Perfect play wins 11 of the 15
    # layouts after (0, 2), the best cell, and 10 after (0, 1).
    puzzle = Puzzle(Board.from_text(".*.\n...\n..*"), (0, 0))
    moves = [Move(Tier.FIRST_CLICK, ((0, 0),)), Move(None, ((0, 1),))]
    (guess,) = review(Replay(puzzle, moves))
    assert guess.best_cells == ((0, 2), (1, 2), (2, 0), (2, 1))
    assert (guess.best.safety, guess.best.value) == pytest.approx((12 / 15, 11 / 15))
    assert (guess.chosen.safety, guess.chosen.value) == pytest.approx((10 / 15, 10 / 15))
    assert (guess.rating, guess.survived) == ("-6.7%", False)
