"""Storage of puzzles, games and statistics in SQLite and Parquet, and file formats of puzzles.

Example:

    from minesweeper.db import Store, save

    with Store("minesweeper.db") as store:
        save(store.puzzles(mines=99, limit=10), "ten.jsonl")

``__init__.pyi`` lists the public names; each is loaded on first use.
"""

from minesweeper.player.core.public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
