"""Sealed tosses, against every layout of small views."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import layouts
from views import random_view

from minesweeper.player.board import HIDDEN, Board, Cell, View, count_neighbours
from minesweeper.player.why import unavoidable
from minesweeper.player.why.unavoidable import unavoidable_guesses


def touched(cells: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.array([count_neighbours(one) for one in cells])


def all_tosses(view: View) -> set[frozenset[Cell]]:
    """Try every set of hidden cells, by the definition of a sealed toss."""
    fitting = layouts(view)
    # Open now or some time; what is learnt of a cell outside may tell something through a clue that is open already.
    opened = [(row, col) for row, col in np.argwhere(~fitting.all(axis=0)).tolist()]
    uncertain = [cell for cell in opened if fitting[:, *cell].any()]
    found: dict[frozenset[Cell], bool] = {}
    for size in range(1, len(uncertain) + 1):
        for cells in map(frozenset, combinations(uncertain, size)):
            if any(smaller <= cells for smaller in found):
                continue
            inside = np.zeros_like(view.cells, dtype=np.bool_)
            inside[tuple(np.transpose(sorted(cells)))] = True
            mines = fitting & inside
            if np.ptp(mines.sum(axis=(1, 2))):
                continue
            clues = touched(mines)
            if any(np.ptp(clues[:, *cell]) for cell in opened if cell not in cells):
                continue
            found[cells] = not any(np.ptp(clues[~fitting[:, *cell], *cell]) for cell in cells)
    return {cells for cells, is_toss in found.items() if is_toss}


@pytest.mark.parametrize("seed", range(400))
def test_the_sealed_cells_are_those_that_no_layout_tells_apart(seed: int) -> None:
    view = random_view(np.random.default_rng(seed), 12)
    tosses = unavoidable_guesses(view)
    assert {frozenset(toss.cells) for toss in tosses} == all_tosses(view)
    fitting = layouts(view)
    for toss in tosses:
        one, other = (layout.mine_map for layout in toss.layouts)
        assert one[toss.cells[0]] != other[toss.cells[0]]
        assert set(map(tuple, np.argwhere(one != other).tolist())) <= set(toss.cells)
        for layout in (one, other):
            assert any((layout == fit).all() for fit in fitting)


def seen(board: Board, hidden: set[Cell]) -> View:
    """A board of which all is open but its mines and these cells."""
    cells = np.where(board.mine_map, np.int8(HIDDEN), board.clues)
    for cell in hidden:
        cells[cell] = HIDDEN
    return View(cells, board.mines)


def test_a_pair_behind_mines_is_sealed() -> None:
    (toss,) = unavoidable_guesses(seen(Board.from_text("*.*.\n***.\n...."), {(0, 1)}))
    assert toss.cells == ((0, 0), (0, 1))
    assert toss.in_words() == "nothing will ever tell which of (0, 0) and (0, 1) hold the mines: toss early"
    assert toss.to_json()["cells"] == [[0, 0], [0, 1]]


def test_a_square_in_a_corner_is_sealed() -> None:
    square = ((0, 0), (0, 1), (1, 0), (1, 1))
    (toss,) = unavoidable_guesses(seen(Board.from_text("*...\n.*..\n..*.\n...."), set(square)))
    assert toss.cells == square


def test_a_ring_of_six_cells_is_sealed() -> None:
    (toss,) = unavoidable_guesses(View.from_text("4x3/3\n#1#\n1#1\n#2#\n##1"))
    assert toss.cells == ((0, 0), (0, 2), (2, 0), (2, 2), (3, 0), (3, 1))
    one, other = (set(map(tuple, layout)) for layout in toss.to_json()["layouts"])
    assert one | other == set(toss.cells)
    assert not one & other


def test_three_cells_around_a_clue_are_sealed_in_three_ways() -> None:
    (toss,) = unavoidable_guesses(View.from_text("4x2/4\n##\n4#\n##\n22"))
    assert toss.cells == ((0, 0), (0, 1), (1, 1))


def test_cells_whose_own_clues_tell_are_no_toss() -> None:
    # One mine in four cells: each that is opened shows whether it touches it.
    assert unavoidable_guesses(View.from_text("1x4/1\n####")) == ()


def test_cells_that_a_safe_one_tells_apart_are_not_sealed() -> None:
    assert unavoidable_guesses(View.from_text("3x3/2\n12#\n###\n##1")) == ()


def test_where_too_many_layouts_are_left_out_all_that_is_found_is_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unavoidable, "_MOST", 3)
    found = missed = 0
    for seed in range(400):
        view = random_view(np.random.default_rng(seed), 12)
        tosses, expected = {frozenset(toss.cells) for toss in unavoidable_guesses(view)}, all_tosses(view)
        assert tosses <= expected
        found, missed = found + len(tosses), missed + len(expected - tosses)
    assert found > 20
    assert missed > 10


def test_a_pair_that_an_open_clue_tells_apart_later_is_not_sealed() -> None:
    assert unavoidable_guesses(View.from_text("1x5/1\n#1###")) == ()
