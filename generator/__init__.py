"""A generator of no-guess puzzles: sample, screen, certify by SAT, repair and store.

Example:

    from minesweeper.generator import certify, screen_range
    from minesweeper.player import Recipe

    for kept in screen_range(Recipe("16x30/99", seed=7), 0, 100):
        print(kept.puzzle.id, kept.screening.tally, certify(kept))

``__init__.pyi`` lists the public names; each is loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
