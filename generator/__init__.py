"""Puzzles that pure logic solves: sampled, screened, certified by SAT, mended where they are rare, and stored.

::

    from minesweeper.generator import certify, screen_range
    from minesweeper.player import Recipe

    for kept in screen_range(Recipe(16, 30, 99, (8, 15), "opening", seed=7), 0, 100):
        print(kept.puzzle.id, kept.screening.tally, certify(kept))

The names of this face are loaded when they are first used; what they are is in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
