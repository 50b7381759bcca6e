"""Make arrays of puzzles.

`puzzles` yields boards that logic solves from the first click, each proved by SAT. A recipe determines the same boards
on every machine. `mine_maps` returns random boards, solvable or not, as one array, tens of thousands per second.
"""

import numpy as np

from minesweeper.generator import puzzles
from minesweeper.player import Recipe, mine_maps

recipe = Recipe(rows=16, cols=16, mines=40, click=(7, 7), rule="opening", seed=7)
solvable = np.array([puzzle.board.mine_map for puzzle in puzzles(recipe, 50)])
drawn = mine_maps(recipe, range(10_000))
print("solvable", solvable.shape, solvable.dtype, "drawn", drawn.shape)
print("mines in a corner:", solvable[:, 0, 0].mean(), "of solvable boards,", drawn[:, 0, 0].mean(), "of all boards")
