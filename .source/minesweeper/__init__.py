"""No-guess Minesweeper puzzles, an exact solver with explanations, and automatic players.

Example:

    import minesweeper as ms

    position = ms.solve("2x5/2\\n#121#\\n#####")
    position.safe_map                         # bool array: the cells that are safe in every layout
    position.chances                          # the exact probability of a mine in every cell
    ms.analyse(position.view).step            # the easiest deduction, with its reason

    recipe = ms.Recipe("expert", seed=7)
    for puzzle in ms.puzzles(recipe, 3):      # no-guess puzzles, proved by SAT
        print(puzzle)
    print(ms.compare("champion", "safest", recipe, games=200))

Names are loaded on first use. `minesweeper.player`, `minesweeper.db` and `minesweeper.generator` offer more.
"""

from minesweeper.player.core.public_names import attach_names
from minesweeper.player.version import VERSION as __version__

__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
__all__ += ["__version__"]
