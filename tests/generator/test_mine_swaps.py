"""Mine swaps change no clue, and screening with them rejects no solvable puzzle."""

import numpy as np
import pytest

from minesweeper import Board, Puzzle, Recipe
from minesweeper.generator.screening import mine_swaps, screen, screen_range

pytestmark = pytest.mark.kernel

RECIPES = [
    Recipe("16x30/99", seed=21),
    Recipe("9x9/18", click=None, rule="safe", seed=22),
    Recipe("5x140/60", click=None, seed=23),
    Recipe("12x58/100", click=(0, 57), seed=24),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_mine_swap_changes_no_clue_of_other_safe_cells(recipe: Recipe) -> None:
    found = 0
    for index in range(150):
        puzzle = recipe.puzzle(index)
        before = puzzle.board
        for mines, safe in mine_swaps(puzzle):
            found += 1
            mine_map = before.mine_map.copy()
            assert before.mine_map.flat[list(mines)].all()
            assert not before.mine_map.flat[list(safe)].any()
            mine_map.flat[list(mines)] = False
            mine_map.flat[list(safe)] = True
            after = Board(mine_map)
            assert after.mines == before.mines
            assert not after.mine_map[puzzle.first_click]
            stays = ~before.mine_map & ~after.mine_map
            assert np.array_equal(before.clues[stays], after.clues[stays])
    assert found > 20


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_puzzle_with_a_mine_swap_is_not_solvable(recipe: Recipe) -> None:
    puzzles = [puzzle for puzzle in map(recipe.puzzle, range(400)) if mine_swaps(puzzle)]
    assert len(puzzles) > 30
    assert not any(screen(puzzle, "native").solved for puzzle in puzzles)


def test_finds_single_swaps_everywhere() -> None:
    # On a board full of mines, a safe cell and the mine next to it can trade places.
    for rows, cols in ((4, 4), (3, 70), (2, 130), (1, 3)):
        for row in range(rows):
            for col in range(2, cols - 1):
                mine_map = np.ones((rows, cols), dtype=np.bool_)
                mine_map[0, 0] = mine_map[row, col] = False
                swaps = mine_swaps(Puzzle(Board(mine_map), (0, 0)))
                swapped = {mines[0] for mines, safe in swaps if safe == (row * cols + col,)}
                assert row * cols + col + 1 in swapped
                assert {divmod(cell, cols) for cell in swapped} <= {
                    (r, c) for r in range(row - 2, row + 3) for c in range(col - 2, col + 3)
                }


@pytest.mark.parametrize("size", [(4, 4), (2, 30), (2, 130)])
def test_never_swaps_the_first_click(size: tuple[int, int]) -> None:
    for click in np.ndindex(size):
        mine_map = np.ones(size, dtype=np.bool_)
        mine_map[click] = False
        assert not mine_swaps(Puzzle(Board(mine_map), click))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_screening_finds_exactly_the_solvable_candidates(recipe: Recipe) -> None:
    kept = [kept.index for kept in screen_range(recipe, 1000, 1400, "native")]
    solvable = [index for index in range(1000, 1400) if screen(recipe.puzzle(index), "native").solved]
    assert kept == solvable
    assert len(kept) > 10
