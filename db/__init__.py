"""Puzzles, games and their statistics in one SQLite file, and the formats in which puzzles are shared.

::

    from minesweeper.db import Store, save

    with Store("minesweeper.db") as store:
        save(store.puzzles(mines=99, limit=10), "ten.jsonl")

The names of this face are loaded when they are first used; what they are is in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
