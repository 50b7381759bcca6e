"""What is measured of puzzles, many together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from minesweeper.player.board import Board, Puzzle
from minesweeper.player.game import Game
from minesweeper.player.measure.metrics import metrics
from minesweeper.player.measure.puzzles import measure_all, measures


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    rows, cols = draw(st.sampled_from([(1, 1), (1, 6), (5, 4), (7, 7)]))
    cells = draw(st.lists(st.integers(0, 4).map(lambda number: not number), min_size=rows * cols, max_size=rows * cols))
    click = draw(st.integers(0, rows * cols - 1))
    cells[click] = False
    return Puzzle(Board(np.array(cells).reshape(rows, cols)), divmod(click, cols))


@given(st.lists(puzzles(), max_size=8))
@settings(deadline=None)
def test_the_first_opening_is_what_a_game_opens(found: list[Puzzle]) -> None:
    measured = list(measure_all(found))
    assert measured == [measures(puzzle) for puzzle in found]
    for puzzle, one in zip(found, measured, strict=True):
        assert one.first_opening == len(Game(puzzle.board).open(puzzle.first_click))
        assert one.first_opening == len(puzzle.board.opening(puzzle.first_click))
        assert one.bbbv == metrics(puzzle.board).bbbv
