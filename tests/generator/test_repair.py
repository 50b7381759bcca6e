"""Mended boards are solvable, reproducible, and not lopsided."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper.generator.certify import certify
from minesweeper.generator.repair import repair, repair_range
from minesweeper.generator.screening import screen
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "click", "rule"),
    [(9, 9, 25, (0, 0), "opening"), (8, 12, 30, None, "opening"), (8, 8, 18, (4, 4), "safe")],
)
def test_mended_boards_keep_their_mines_and_are_solvable(
    rows: int, cols: int, mines: int, click: tuple[int, int] | None, rule: StartRule
) -> None:
    recipe = Recipe(rows, cols, mines, click, rule, 3)
    mended = list(repair_range(recipe, 0, 25))
    assert len(mended) > 10
    for kept in mended:
        board = kept.puzzle.board
        assert board.mines == mines
        assert kept.puzzle.first_click == recipe.puzzle(kept.index).first_click
        assert not any(board.mine_map[cell] for cell in StartRule(rule).zone(rows, cols, kept.puzzle.first_click))
        assert screen(kept.puzzle, "sat").solved
        certify(kept)


def test_a_solvable_board_is_left_alone() -> None:
    recipe = Recipe(9, 9, 10, (4, 4), "opening", 3)
    for index in range(20):
        puzzle = recipe.puzzle(index)
        if screen(puzzle).solved:
            kept = repair(recipe, index)
            assert kept is not None
            assert kept.puzzle == puzzle


def test_engines_mend_alike() -> None:
    recipe = Recipe(9, 9, 25, (0, 0), "opening", 3)
    for index in range(6):
        by_sat, by_default = repair(recipe, index, "sat"), repair(recipe, index)
        assert (by_sat and by_sat.puzzle) == (by_default and by_default.puzzle)


def test_mines_do_not_pile_up_far_from_the_first_click() -> None:
    recipe = Recipe(10, 16, 48, (0, 0), "opening", 3)
    mended = list(repair_range(recipe, 0, 400))
    assert len(mended) > 200
    where = sum(kept.puzzle.board.mine_map.astype(float) for kept in mended) / len(mended)
    free = np.ones(where.shape, dtype=bool)
    free[tuple(np.transpose(StartRule.OPENING.zone(10, 16, (0, 0))))] = False
    uniform = 48 / free.sum()
    for axis in (0, 1):
        # Solvable boards of this density have a few more mines at the edges, also when drawn by rejection.
        density = np.where(free, where, 0).sum(axis=axis) / free.sum(axis=axis) / uniform
        assert density.min() > 0.85
        assert density.max() < 1.15


def test_nothing_is_handed_out_that_needs_a_guess() -> None:
    # One mine among the three neighbours of the first click can't be told from the other two, wherever it is moved.
    assert list(repair_range(Recipe(2, 2, 1, (0, 0), "safe", 0), 0, 20)) == []
