"""Unavoidable guesses, against every layout of small views."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from oracle import layouts
from rectangle import neighbours
from views import random_views

from minesweeper.player.core.board import HIDDEN, Board, View, cells_of
from minesweeper.player.core.grid import Cell
from minesweeper.player.logic.unavoidable import unavoidable_guesses


def all_guesses(view: View) -> set[frozenset[Cell]]:
    """Try every set of hidden cells, by the definition of an unavoidable guess."""
    fitting = layouts(view)
    # The cells that may be opened now or later; the clue of a mine never reveals anything.
    opened = [(row, col) for row, col in np.argwhere(~fitting.all(axis=0)).tolist()]
    uncertain = [cell for cell in opened if fitting[:, *cell].any()]
    mine = {cell: fitting[:, *cell].astype(np.int8) for cell in uncertain}
    near = {cell: [other for other in neighbours(view.rows, view.cols, cell) if other in mine] for cell in opened}
    found: dict[frozenset[Cell], bool] = {}
    for size in range(1, len(uncertain) + 1):
        for cells in map(frozenset, combinations(uncertain, size)):
            if any(smaller <= cells for smaller in found) or np.ptp(sum(mine[cell] for cell in cells)):
                continue
            clues = {
                cell: sum(mine[other] for other in near[cell] if other in cells) + np.zeros(len(fitting), dtype=np.int8)
                for cell in opened
            }
            if not any(np.ptp(clues[cell]) for cell in opened if cell not in cells):
                found[cells] = not any(np.ptp(clues[cell][mine[cell] == 0]) for cell in cells)
    return {cells for cells, is_guess in found.items() if is_guess}


VIEWS = [next(random_views(seed, 12)) for seed in range(400)]


@cache
def expected(number: int) -> set[frozenset[Cell]]:
    return all_guesses(VIEWS[number])


@pytest.mark.parametrize("numbers", [range(150), range(150, 300)])
def test_guesses_are_those_that_no_layout_tells_apart(numbers: range) -> None:
    for number in numbers:
        view = VIEWS[number]
        guesses = unavoidable_guesses(view)
        assert {frozenset(guess.cells) for guess in guesses} == expected(number), view
        fitting = layouts(view)
        for guess in guesses:
            one, other = (layout.mine_map for layout in guess.layouts)
            assert one[guess.cells[0]] != other[guess.cells[0]]
            assert set(cells_of(one != other)) <= set(guess.cells)
            for layout in (one, other):
                assert any((layout == fit).all() for fit in fitting)


def test_within_a_limit_on_layouts_every_guess_found_is_unavoidable() -> None:
    found = missed = 0
    for number, view in enumerate(VIEWS):
        guesses = {frozenset(guess.cells) for guess in unavoidable_guesses(view, most_layouts=3)}
        assert guesses <= expected(number)
        found, missed = found + len(guesses), missed + len(expected(number) - guesses)
    assert found > 20
    assert missed > 10


def seen(board: Board, hidden: set[Cell]) -> View:
    """Return the view of a board with all cells open except its mines and `hidden`."""
    cells = np.where(board.mine_map, np.int8(HIDDEN), board.clues)
    for cell in hidden:
        cells[cell] = HIDDEN
    return View(cells, board.mines)


def test_a_pair_behind_mines_is_unavoidable() -> None:
    (guess,) = unavoidable_guesses(seen(Board.from_text("*.*.\n***.\n...."), {(0, 1)}))
    assert guess.cells == ((0, 0), (0, 1))
    assert guess.in_words() == "no further clue can tell which of (0, 0) and (0, 1) hold the mines: guess early"
    assert guess.to_json()["cells"] == [[0, 0], [0, 1]]


def test_a_square_in_a_corner_is_unavoidable() -> None:
    square = ((0, 0), (0, 1), (1, 0), (1, 1))
    (guess,) = unavoidable_guesses(seen(Board.from_text("*...\n.*..\n..*.\n...."), set(square)))
    assert guess.cells == square


def test_a_ring_of_six_cells_is_unavoidable() -> None:
    (guess,) = unavoidable_guesses(View.from_text("4x3/3\n#1#\n1#1\n#2#\n##1"))
    assert guess.cells == ((0, 0), (0, 2), (2, 0), (2, 2), (3, 0), (3, 1))
    one, other = (set(map(tuple, layout)) for layout in guess.to_json()["layouts"])
    assert one | other == set(guess.cells)
    assert not one & other
