"""Sealed tosses, against every layout of small views."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import layouts
from views import random_view

from minesweeper.player.board import HIDDEN, Board, Cell, View, count_neighbours
from minesweeper.player.why.sealed import sealed_tosses


def is_sealed(fitting: NDArray[np.bool_], one: Cell, other: Cell) -> bool:
    """Whether exactly one of two cells is a mine in every layout, and trading them changes no clue of a safe cell."""
    if not (fitting[:, *one] ^ fitting[:, *other]).all() or fitting[:, *one].all() or fitting[:, *other].all():
        return False
    for layout in fitting:
        traded = layout.copy()
        traded[one], traded[other] = layout[other], layout[one]
        told = (count_neighbours(layout) != count_neighbours(traded)) & ~layout
        told[one] = told[other] = False
        if told.any():
            return False
    return True


@pytest.mark.parametrize("seed", range(150))
def test_the_sealed_pairs_are_those_that_no_layout_tells_apart(seed: int) -> None:
    view = random_view(np.random.default_rng(seed), 12)
    fitting = layouts(view)
    hidden = [(row, col) for row, col in np.argwhere(view.cells < 0).tolist()]
    expected = {pair for pair in combinations(hidden, 2) if is_sealed(fitting, *pair)}
    found = sealed_tosses(view)
    assert {toss.cells for toss in found if len(toss.cells) == 2} == expected
    for toss in found:
        one, other = (layout.mine_map for layout in toss.layouts)
        assert set(map(tuple, np.argwhere(one != other).tolist())) == set(toss.cells)
        for layout in (one, other):
            assert any((layout == fit).all() for fit in fitting)


def seen(board: Board, hidden: set[Cell]) -> View:
    """A board of which all is open but its mines and these cells."""
    cells = np.where(board.mine_map, np.int8(HIDDEN), board.clues)
    for cell in hidden:
        cells[cell] = HIDDEN
    return View(cells, board.mines)


def test_a_pair_behind_mines_is_sealed() -> None:
    (toss,) = sealed_tosses(seen(Board.from_text("*.*.\n***.\n...."), {(0, 1)}))
    assert toss.cells == ((0, 0), (0, 1))
    assert toss.in_words() == "nothing will ever tell which of (0, 0) and (0, 1) hold the mines: toss early"
    assert toss.to_json()["cells"] == [[0, 0], [0, 1]]


def test_a_square_in_a_corner_is_sealed() -> None:
    square = ((0, 0), (0, 1), (1, 0), (1, 1))
    (toss,) = sealed_tosses(seen(Board.from_text("*...\n.*..\n..*.\n...."), set(square)))
    assert toss.cells == square


def test_a_pair_that_an_open_clue_tells_apart_later_is_not_sealed() -> None:
    assert sealed_tosses(View.from_text("1x5/1\n#1###")) == ()
