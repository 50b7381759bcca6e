"""Boards and views, logic and its reasons, exact probabilities, and automatic players.

Example:

    from minesweeper.player import Recipe, analyse, closure, probabilities

    puzzle = Recipe("16x30/99", seed=7).puzzle(0)
    closure(puzzle.view).safe_map       # bool array: the cells that are safe in every layout
    probabilities(puzzle.view).chances  # the exact probability of a mine in every hidden cell
    analyse(puzzle.view).step           # the easiest deduction, with its reason

``__init__.pyi`` lists the public names; each is loaded on first use.
"""

from minesweeper.player.core.public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
