"""Positions as programs have them: text, lists, arrays, frames and games, each with its number of mines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minesweeper as ms
from minesweeper.player.core.errors import BoardError

VIEW = ms.View.from_text("2x5/2\n#121#\n#####")
ROWS: list[list[int]] = VIEW.cells.tolist()
FLOATS = np.where(VIEW.cells < 0, np.nan, VIEW.cells)
BOARD = ms.Board.from_text(".....\n.*.*.")
OPENED = np.array([[False, True, True, True, False], [False] * 5])


class Frame:
    """A data frame as pandas and polars have it, for these purposes."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)

    def to_numpy(self) -> Any:
        return self.values


FORMS: dict[str, Any] = {
    "text": "#121#\n#####",
    "text with a size": VIEW.to_text(),
    "flags in text": "?121F\n????F",
    "flags alone": "F121F\nFFFFF",
    "a string for each row": ["#121#", "#####"],
    "a string for each cell": [list("#121#"), list("?????".replace("?", "#"))],
    "an array of strings": np.array([["?", "1", "2", "1", "F"], ["-1"] * 5]),
    "lists": ROWS,
    "tuples": tuple(map(tuple, ROWS)),
    "None": [[None if cell < 0 else cell for cell in row] for row in ROWS],
    "None and floats": [[None if cell < 0 else float(cell) for cell in row] for row in ROWS],
    "words and numbers": [["#", 1, 2, 1, "#"], ["#"] * 5],
    **{kind: VIEW.cells.astype(kind) for kind in ("int8", "int16", "int32", "int64", "float32", "float64", ">i4")},
    "NaN": FLOATS,
    "float16 with NaN": FLOATS.astype(np.float16),
    "masked": np.ma.masked_array(np.abs(VIEW.cells).astype(np.uint8), VIEW.cells < 0),
    "masked floats": np.ma.masked_array(np.where(VIEW.cells < 0, 1e20, VIEW.cells), VIEW.cells < 0),
    "a frame": Frame(VIEW.cells),
    "a frame of floats": Frame(FLOATS),
    "a frame of objects": Frame([[None if cell < 0 else cell for cell in row] for row in ROWS]),
    "a view": VIEW,
    "an open board": BOARD.view(OPENED),
    "a solution": ms.solve(VIEW),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_positions_come_in_any_form(form: Any) -> None:
    two: Any = np.uint8(2)
    assert ms.View(form, 2) == ms.View(form, mines=two) == VIEW
    assert type(ms.View(form, two).mines) is int
    assert ms.solve(form, mines=2) == ms.solve(VIEW)
    assert ms.analyse(form, mines=2) == ms.analyse(VIEW)
    assert ms.closure(form, mines=2) == ms.closure(VIEW)
    assert ms.probabilities(form, mines=2) == ms.probabilities(VIEW)
    assert ms.judge(form, (0, 0), mines=2).verdict is ms.judge(VIEW, (0, 0)).verdict
    assert ms.reason(form, (0, 0), mines=2) == ms.reason(VIEW, (0, 0))
    assert ms.cnf(form, mines=2).clauses == ms.cnf(VIEW).clauses
    assert ms.solution_path(form, mines=2) == ms.solution_path(VIEW)
    assert ms.solve_many([form, form], 2) == ms.solve_many([ROWS, ROWS], 2)


CALLS: list[Callable[[Any], object]] = [
    *(ms.solve, ms.analyse, ms.closure, ms.probabilities, ms.View),
    lambda shown: ms.judge(shown, (0, 0)).solved,
]


@pytest.mark.parametrize("call", CALLS)
def test_games_and_puzzles_are_positions(call: Callable[[Any], object]) -> None:
    puzzle = ms.Recipe("beginner", seed=1).puzzle(0)
    game = ms.Game(puzzle)
    assert call(puzzle) == call(puzzle.view) == call(game)
    game.open(ms.solve(game).best or (0, 0))
    assert call(game) == call(game.view) != call(puzzle)
    assert ms.solve_many([game, puzzle]) == ms.solve_many([game.view.cells, puzzle.view.cells], 10)


MINES = {
    "2.0 is no number of mines; expected a whole number": 2.0,
    "1.5 is no number of mines; expected a whole number": 1.5,
    "True is no number of mines; expected a whole number": True,
    "'2' is no number of mines; expected a whole number": "2",
    "no number of mines; expected mines=NUMBER": None,
    "-1 mines; expected 0 to 7, the number of hidden cells": -1,
    "8 mines; expected 0 to 7, the number of hidden cells": 8,
}


@pytest.mark.parametrize(("message", "mines"), MINES.items(), ids=MINES)
def test_a_wrong_number_of_mines_gets_a_line(message: str, mines: Any) -> None:
    for call in (ms.View, ms.solve, ms.closure):
        with pytest.raises(BoardError) as caught:
            call(ROWS, mines=mines)
        assert str(caught.value) == message
    with pytest.raises(BoardError, match=message.split(";")[0]):
        ms.solve("#121#\n#####", mines=mines)


def test_another_number_of_mines_than_that_of_the_position() -> None:
    for form in (VIEW, ms.solve(VIEW)):
        with pytest.raises(BoardError, match="3 mines given; the position has 2"):
            ms.solve(form, mines=3)


CELLS: dict[str, Any] = {
    "rows of unequal lengths; expected as many cells in every row": [[-1, 1], [1]],
    "row 2 of the view has 1 cell: '1'; row 1 has 2": ["#1", "1"],
    "invalid cell 1.5; expected a whole number, or NaN for a hidden cell": [[1.5, -1]],
    "invalid cell inf; expected a whole number, or NaN for a hidden cell": [[np.inf, -1]],
    "invalid cell '12'; expected a clue 0 to 8, or '#' for a hidden cell": [["12", "#"]],
    "cells from -1 to 300; expected -1 (hidden) or a clue 0 to 8": [[300, -1]],
    "2-dimensional array of bool; expected two dimensions of integers": [[True, False]],
    "1-dimensional array of int64; expected two dimensions of integers": np.array([1, -1], dtype=np.int64),
    "1-dimensional array of object; expected two dimensions of integers": [VIEW, VIEW],
}


@pytest.mark.parametrize(("message", "cells"), CELLS.items(), ids=CELLS)
def test_wrong_cells_get_a_line(message: str, cells: Any) -> None:
    with pytest.raises(BoardError) as caught:
        ms.solve(cells, mines=1)
    assert str(caught.value) == message


def test_a_grid_that_is_a_shape_gets_a_line() -> None:
    with pytest.raises(BoardError, match=r"^\(2, 5\) is no grid; expected a Grid or its label, e.g. torus$"):
        ms.View(ROWS, 2, grid=(2, 5))  # type: ignore[arg-type]


def test_a_view_can_be_laid_on_another_grid() -> None:
    torus = ms.View([[-1] * 5] * 5, 3, "torus")
    assert ms.View(torus) == torus
    assert ms.View(ms.View([[-1] * 5] * 5, 3), grid="torus") == torus


def test_a_board_with_its_open_cells_is_a_view() -> None:
    assert BOARD.view(OPENED) == VIEW
    assert BOARD.view(OPENED | True).cells[1].tolist() == [1, -1, 2, -1, 1]
    for wrong in (OPENED[0], [[1] * 5] * 2):
        with pytest.raises(BoardError, match="expected 2x5 of bool, True if open"):
            BOARD.view(wrong)


def test_many_positions_need_one_size_and_their_mines() -> None:
    with pytest.raises(ValueError, match=r"views of several sizes \(1x3, 2x5\); expected views of one size"):
        ms.solve_many([VIEW, "1x3/1\n#1#"])
    with pytest.raises(ValueError, match="expected mines=NUMBER and an array of three dimensions"):
        ms.solve_many(np.array([ROWS]))
    assert ms.solve_many(["#1#", "1##"], [1, 2]).mines.tolist() == [1, 2]


def test_the_best_cells_of_many_views_are_those_of_solve() -> None:
    played = ms.positions(ms.Recipe("beginner torus", click=None, rule="safe", seed=5), 5, when="every move")
    texts = ["2x4/2\n1###\n####", "2x4/7\n#1##\n####", "2x4/1\n#1##\n####"]
    for found in (played, ms.solve_many([*texts, "2x4/2\n1#2#\n0###", "2x4/4\n0000\n####"])):
        for number, best in enumerate(found.best.tolist()):
            view = ms.View(found.views[number], int(found.mines[number]), found.grid)
            if found.log_layouts[number] == -np.inf:
                assert best == [-1, -1]
            else:
                assert tuple(best) == (ms.solve(view).best or (-1, -1))
    assert (ms.solve_many(["1x2/1\n#1"]).best == -1).all()
