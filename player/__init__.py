"""Minesweeper as logic sees it: boards and views, what follows from a view and why, how likely mines are, and players.

A puzzle is drawn from a recipe, and a view says what its player sees::

    from minesweeper.player import Recipe, analyse, closure, probabilities

    puzzle = Recipe(16, 30, 99, (8, 15), "opening", seed=7).puzzle(0)
    closure(puzzle.view).safe_map        # a bool array: the cells that are safe in every layout
    probabilities(puzzle.view).chances  # the exact probability of a mine in every hidden cell
    analyse(puzzle.view).step            # the easiest deduction, with its reason

The names of this face are loaded when they are first used; what they are is in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
