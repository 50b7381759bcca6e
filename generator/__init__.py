"""A generator of no-guess puzzles: sample, screen, certify by SAT, repair and store.

Example:

    from minesweeper.generator import puzzles, save

    save(puzzles("expert", 10, difficulty="hard"), "ten.jsonl")

``__init__.pyi`` lists the public names; each is loaded on first use.
"""

from minesweeper.player.core.public_names import attach_names

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
