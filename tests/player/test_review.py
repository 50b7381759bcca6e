"""Replays go either way, and reviews rate guesses by what all layouts say."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import layouts

from generator.sampling import Recipe
from player.autoplay import Move, Reason, play
from player.board import Board, Puzzle, View
from player.game import Status
from player.replay import Replay
from player.review import luck, review, weigh
from player.strategies.random_cell import RandomCell

RECIPE = Recipe(5, 5, 6, (0, 0), "safe", 2)


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
        assert forwards[0].view == View.hidden(5, 5, 6)
        assert forwards[-1].status is not Status.PLAYING


def test_guesses_are_weighed_by_all_layouts() -> None:
    reviewed = 0
    for index in range(40):
        replay = replay_of(index)
        for guess in review(replay):
            before = replay.after(guess.click - 1)
            maps = layouts(before.view)
            safety = 1 - maps.mean(axis=0)
            assert guess.safety == pytest.approx(safety[guess.cell])
            assert guess.best.safety == pytest.approx(safety[(before.view.cells < 0)].max())
            assert guess.loss == pytest.approx(guess.best.safety - guess.safety, abs=1e-9)
            assert (guess.rating == "best") == (guess.cell in guess.best.cells)
            assert guess.survived == (not RECIPE.puzzle(index).board.mine_map[guess.cell])
            listed = [cell for choice in guess.choices for cell in choice.cells]
            assert len(listed) == len(set(listed)) == int((before.view.cells < 0).sum()) - len(before.mines)
            for choice in guess.choices:
                assert all(safety[cell] == pytest.approx(choice.safety) for cell in choice.cells)
            assert [choice.safety for choice in guess.choices] == sorted(
                {choice.safety for choice in guess.choices}, reverse=True
            )
            reviewed += 1
    assert reviewed > 40


def test_ratings_and_luck_worked_out_by_hand() -> None:
    # One mine in the last three cells, then one in the last two: a third, then a coin.
    puzzle = Puzzle(Board.from_text(".*...*"), (0, 0))
    moves = [
        Move(Reason.FIRST_CLICK, ((0, 0),)),
        Move(Reason.ONE_CLUE, (), ((0, 1),)),
        Move(Reason.GUESS, ((0, 2),)),
    ]
    (guess,) = review(Replay(puzzle, moves))
    assert (guess.click, guess.rating, guess.survived) == (2, "best", True)
    assert guess.safety == pytest.approx(3 / 4)
    assert guess.best.cells == ((0, 2), (0, 3), (0, 4), (0, 5))
    assert luck([guess]) == pytest.approx(3 / 4)
    assert luck([]) == 1


def test_a_worse_guess_is_rated_by_what_it_gave_away() -> None:
    # Of the corner 1's three neighbours one is a mine; the one other mine is among the five cells further off.
    view = View.from_text("3x3/2\n1##\n###\n###")
    choices = weigh(view, frozenset())
    assert [(choice.cells[0], round(choice.safety, 4)) for choice in choices] == [((0, 2), 0.8), ((0, 1), 0.6667)]
    puzzle = Puzzle(Board.from_text(".*.\n...\n..*"), (0, 0))
    moves = [Move(Reason.FIRST_CLICK, ((0, 0),)), Move(Reason.GUESS, ((0, 1),))]
    (guess,) = review(Replay(puzzle, moves))
    assert (guess.rating, guess.survived) == ("-13.3%", False)
