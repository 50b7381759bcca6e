"""A generator of no-guess puzzles: sample, screen, certify by SAT, repair and store.

Example:

    from minesweeper.generator import puzzles, save

    save(puzzles("expert", 10, difficulty="hard"), "ten.jsonl")

``__init__.pyi`` lists the public names; each is loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
