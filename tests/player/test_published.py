"""The strategy `published`: its deductions and formulas, calculated by hand from the program of its authors."""

from itertools import islice
from random import Random

import numpy as np
import pytest
from views import random_views

from minesweeper import HIDDEN, Board, Puzzle, Recipe, View, closure, play
from minesweeper.player.play.strategies.published import Published, _Board


def player() -> Published:
    strategy = Published()
    strategy.begin(Random(0))
    return strategy


def test_it_opens_only_what_is_certain_until_it_guesses() -> None:
    opened = 0
    for view in islice(random_views(11, 30), 150):
        board = _Board(view)
        safe = board.deduce()
        known = closure(view, "sat")
        assert known.safe_map.ravel()[safe].all()
        assert known.mine_map.ravel()[[cell for cell, value in enumerate(board.cells) if value == -2]].all()
        opened += len(safe)
    assert opened > 50


def test_its_safety_exceeds_1_and_it_ignores_the_number_of_mines() -> None:
    # Both clues need the same two mines, so the mine count makes all other cells safe.
    view = View.from_text("3x7/2\n#######\n##2#2##\n#######")
    assert closure(view).safe_map.any()
    board = _Board(view)
    assert board.deduce() == []
    # Two mines count as four, so the safety of unconstrained cells is 1 + 2 / 18; a corner has the most progress.
    assert board.accounted() == 4
    assert board.safety(2) == pytest.approx(1 - 2 / 8)
    assert board.safety(3) == pytest.approx(1 - 2 / 8)
    assert player().moves(view) == [(0, 0)]


def test_a_safety_of_just_1_is_taken_at_once() -> None:
    view = View.from_text("5x6/2\n######\n######\n###2##\n######\n######")
    assert player().moves(view) == [(0, 0)]


def test_known_mines_are_taken_off_the_account() -> None:
    board = _Board(View.from_text("2x4/1\n1#10\n1110"))
    assert board.deduce() == []
    assert board.cells[1] == -2
    # Clues 1 + 1 + 1 + 1 + 1, the mine -1, and the five cells around the mine.
    assert board.accounted() == 5 - 1 - 5


def test_a_contradiction_at_a_clue_without_unknown_neighbours_is_missed() -> None:
    # A clue of 0 at (0, 1) contradicts the 1, which has no unknown neighbours left, and makes (0, 2) safe.
    assert _Board(View.from_text("1x3/1\n1##")).progress(1) == 1
    # Here the 2 has another unknown neighbour and rules out the 0.
    board = _Board(View.from_text("2x3/3\n2##\n###"))
    assert board.progress(1) < 1


def test_it_plays_alone_and_loses_by_its_own_guess() -> None:
    result = play(Puzzle(Board.from_text("....\n....\n*..*"), (0, 0)), player(), keep_moves=True)
    assert result.won
    assert result.guesses == 0
    view = View(np.full((2, 2), HIDDEN, dtype=np.int8), 1)
    assert len(player().moves(view)) == 1
    for puzzle in map(Recipe("9x9/14", click=(2, 2), seed=0).puzzle, range(3)):
        assert play(puzzle, player()) == play(puzzle, player())
