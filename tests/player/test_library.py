"""The library as programs use it: arrays, one call for a position, text for views, cells in any form, short names."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy

import numpy as np
import pytest

from minesweeper.generator.screening import screen
from minesweeper.player import (
    Board,
    Game,
    Kaboom,
    Puzzle,
    Recipe,
    View,
    analyse,
    closure,
    counterexample,
    mine_maps,
    probabilities,
    reason,
    solve,
)
from minesweeper.player.core.errors import BoardError, InconsistentView
from minesweeper.player.core.game import Status
from minesweeper.player.core.grid import Grid
from minesweeper.player.logic.probability import clue_probabilities
from minesweeper.player.logic.unavoidable import unavoidable_guesses
from minesweeper.player.play.comparison import compare
from minesweeper.player.play.games import play

BOARD = Board.from_text("....\n....\n...*\n*...")
VIEW = View.from_text("2x5/2\n#121#\n#####")
GUESS = View.from_text("1x3/1\n#1#")


@pytest.mark.parametrize("click", [(3, 3), None])
@pytest.mark.parametrize("kernel", [True, False])
def test_mine_maps_are_the_boards_of_the_recipe(click, kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not kernel:
        monkeypatch.setattr("minesweeper.player.kernel_api.available", lambda: False)
    recipe = Recipe("8x9/10", click=click, seed=5)
    maps = mine_maps(recipe, range(3, 20))
    assert maps.shape == (17, 8, 9)
    assert maps.dtype == np.bool_
    for index, mine_map in zip(range(3, 20), maps, strict=True):
        assert Board(mine_map) == recipe.puzzle(index).board
    assert mine_maps(recipe, range(0)).shape == (0, 8, 9)


@pytest.mark.parametrize("indices", [range(-1, 3), range(0, 9, 2)])
def test_mine_maps_require_consecutive_indices(indices: range) -> None:
    with pytest.raises(ValueError, match="expected consecutive numbers"):
        mine_maps(Recipe("8x8/10", click=(3, 3), seed=5), indices)


def test_solve_gives_closure_chances_and_the_best_cell() -> None:
    found = solve(VIEW)
    known = closure(VIEW)
    assert np.array_equal(found.safe_map, known.safe_map)
    assert np.array_equal(found.mine_map, known.mine_map)
    assert found.chances is not None
    assert np.array_equal(found.chances, analyse(VIEW).chances, equal_nan=True)
    assert found.best == (0, 0)
    assert not found.is_guess


def test_solve_names_the_guess_of_analyse() -> None:
    view = Recipe("8x8/20", click=(3, 3), rule="safe", seed=5).puzzle(0).view
    found, guess = solve(view), analyse(view).guess
    assert guess is not None
    assert found.best == guess.best.cell
    assert found.is_guess


def test_solve_of_a_finished_or_impossible_view() -> None:
    assert solve(View.from_text("1x2/1\n#1")).best is None
    with pytest.raises(InconsistentView):
        solve(View.from_text("1x3/1\n#2#"))


VALUES = {
    "board": BOARD,
    "view": VIEW,
    "puzzle": Puzzle(BOARD, (0, 0)),
    "recipe": Recipe("expert", click=None, rule="safe", seed=3),
    "deductions": closure(VIEW),
    "probabilities": probabilities(GUESS),
    "solved": solve(GUESS),
    "analysis": analyse(VIEW, explain=True),
    "clash": analyse("1x3/1\n#2#"),
    "game": (GAME := play(Recipe("5x5/5", seed=3).puzzle(0), "random", keep_moves=True)),
    "move": GAME.moves[0],
    "comparison": compare("random", "local", Recipe("5x5/5", seed=3), games=3),
    "screening": screen(Recipe("9x9/10", seed=7).puzzle(0)),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("duplicate", [copy, deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_values_equal_their_copies_and_pickles(value: object, duplicate: Callable[[object], object]) -> None:
    assert duplicate(value) == value
    assert (value == "something else") is False
    assert all(value != other for other in VALUES.values() if other is not value)


@pytest.mark.parametrize("call", [solve, analyse, closure, probabilities, unavoidable_guesses, View])
def test_a_wrong_type_names_the_expected_one(call: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match=r"a Board shows every mine; expected board\.view\(opened\)"):
        call(BOARD)
    for wrong in ({}, None, 3):
        with pytest.raises(TypeError, match=f"a View, a Puzzle or a Game\\), got {type(wrong).__name__}"):
            call(wrong)
    with pytest.raises(TypeError, match="expected a Board or a Puzzle, got str"):
        Game("expert")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a preset, ROWSxCOLS/MINES or a Grid and a number of mines, got"):
        Recipe(BOARD, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("hidden", "#?_x")
def test_hidden_cells_have_several_notations(hidden: str) -> None:
    assert View.from_text(VIEW.to_text().replace("#", hidden).replace("2x5", "2X5")) == VIEW
    zeros = View.from_text("2x3/1\n0 1 #\n0 1 1")
    assert View.from_text(f"2x3/1\n.1{hidden}\n.11") == zeros


def test_a_dot_is_hidden_only_if_there_are_mines_and_no_other_mark() -> None:
    assert View.from_text("2x3/1\n01.\n011") == View.from_text("2x3/1\n01#\n011")
    assert View.from_text("1x3/0\n...") == View.from_text("1x3/0\n000")
    with pytest.raises(BoardError, match="'#' and 'x'; expected one"):
        View.from_text("1x3/1\n#1x")


def test_recipes_by_name() -> None:
    assert Recipe("Expert", seed=7) == Recipe("16x30/99", seed=7) == Recipe("16x30/99", seed=7)
    assert Recipe("9x9/10").click == (4, 4)
    assert Recipe("beginner", click="random", rule="safe").click is None
    with pytest.raises(BoardError, match="unknown preset 'exprt'"):
        Recipe("exprt")


def test_a_game_of_a_puzzle_starts_after_its_first_click() -> None:
    puzzle = Puzzle(BOARD, (0, 0))
    assert Game(puzzle).view == puzzle.view
    assert Game(BOARD).view == View.hidden(Grid(4, 4), 2)


def test_names_are_short() -> None:
    puzzle = Recipe("16x30/99", seed=7).puzzle(0)
    assert repr(puzzle) == f"<Puzzle {puzzle.id} 16x30/99 at (8, 15)>"
    assert repr(puzzle.board) == "<Board 16x30/99>"
    assert repr(VIEW) == "<View 2x5/2, 7 hidden>"
    assert repr(closure(VIEW)) == "<Deductions 5 safe, 2 mines>"
    assert repr(solve(VIEW)) == "<Solved 2x5/2: 5 safe, 2 mines, best (0, 0)>"
    assert repr(solve(GUESS)) == "<Solved 1x3/1: 0 safe, 0 mines, best guess (0, 0)>"
    assert repr(probabilities(GUESS)) == "<Probabilities of 2 cells, e^0.7 layouts>"
    assert "\n" not in repr(analyse(VIEW))
    recipe = Recipe("8x8/10", click=(3, 3), seed=5)
    assert repr(recipe) == "Recipe('8x8/10', click=(3, 3), rule='opening', seed=5)"
    assert eval(repr(recipe)) == recipe


FORMS = [lambda cell: cell, lambda cell: (np.int64(cell[0]), np.uint8(cell[1])), np.array, list]


@pytest.mark.parametrize("form", FORMS, ids=["tuple", "numbers", "array", "list"])
def test_cells_come_in_any_form(form) -> None:
    game = Game(BOARD)
    assert game.flag(form((2, 3))) is True
    assert game.flags == {(2, 3)}
    assert game.open(form((2, 3))) == []
    assert all(type(row) is int for row, _ in game.open(form((3, 2))))
    assert (2, 2) in game.chord(form((3, 2)))
    game = Game(BOARD)
    game.open(form((2, 3)))
    assert game.exploded == ((2, 3),)
    assert type(game.exploded[0][0]) is int
    puzzle = Puzzle(BOARD, form((0, 0)))
    assert puzzle == Puzzle(BOARD, (0, 0))
    assert puzzle.id == Puzzle(BOARD, (0, 0)).id
    assert Recipe("8x8/10", click=form((3, 3)), seed=5).click == (3, 3)
    assert Board.from_cells(Grid(2, 2), [form((0, 1))]) == Board.from_text(".*\n..")
    assert reason(VIEW, form((0, 0))) == reason(VIEW, (0, 0))
    assert counterexample(GUESS, form((0, 0))) == counterexample(GUESS, (0, 0))
    assert clue_probabilities(GUESS, form((0, 0)))[0] == pytest.approx(0.5)
    kaboom = Kaboom("5x5/5", seed=1)
    assert kaboom.click(form((2, 2))).cell == (2, 2)


@pytest.mark.parametrize("cell", [(1,), (1, 2, 3), (0.0, 1), "ab", 3])
def test_rejects_bad_cells(cell) -> None:
    with pytest.raises(BoardError, match=r"expected \(row, col\)"):
        Game(BOARD).open(cell)


def test_moves_after_the_end_do_nothing() -> None:
    lost = Game(BOARD)
    lost.open((3, 2))
    lost.open((2, 3))
    before = lost.view
    assert lost.open((0, 0)) == lost.chord((3, 2)) == []
    assert lost.flag((0, 0)) is False
    assert (lost.view, lost.status, lost.flags) == (before, Status.LOST, frozenset())
    won = Game(Board.from_text(".*"))
    won.open((0, 0))
    assert won.open((0, 1)) == []
    assert won.status is Status.WON
    with pytest.raises(BoardError, match="off the board"):
        won.open((5, 5))
