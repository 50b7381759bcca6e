"""Many random boards at once, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.recipe import Recipe

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mine_maps(recipe: Recipe, indices: range) -> NDArray[np.bool_]:
    """Draw the boards that `indices` numbers, which follow one another from 0 or more.

    Returns an (n, rows, cols) array of bool, True at mines; number `i` is ``recipe.puzzle(indices[i]).board.mine_map``.
    Raises `ValueError` for other indices.
    """
    if indices.step != 1 or indices.start < 0:
        raise ValueError(f"expected indices from 0 on, one after the other, of {recipe.name}: {indices}")
    if kernel_api.available():
        return kernel_api.mine_maps(recipe, indices)
    maps = np.zeros((len(indices), recipe.rows, recipe.cols), dtype=np.bool_)
    for place, index in enumerate(indices):
        maps[place] = recipe.puzzle(index).board.mine_map
    return maps
