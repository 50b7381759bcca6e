"""Entry points of the installed programs: `minesweeper` with all commands, and the short form of seven of them.

PyPI has another package `minesweeper`, so they are in a package whose name no other has.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Final

_INTERRUPTED: Final = 130
_HIDDEN: Final = 2
_REPAIR: Final = (
    "to repair it: pip uninstall minesweeper, then install minesweeper-toolkit again with --force-reinstall"
)
_REPLACED: Final = (
    "Warning: another package named 'minesweeper' replaced files of this one, so `import minesweeper` offers other "
    f"names; {_REPAIR}"
)


def run(name: str = "") -> None:
    """Run the command `name`, or `minesweeper` itself, with the arguments of this process.

    Modules are imported here, so Ctrl-C while they load ends the program without a traceback.
    """
    # OpenBLAS starts a thread per core when NumPy is imported; no command needs them. Worker processes inherit this.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        import minesweeper
        from minesweeper.player.version import VERSION
        from minesweeper.scripts.commands import load, main

        if getattr(minesweeper, "__version__", None) != VERSION:
            print(_REPLACED, file=sys.stderr)

        command = load(name) if name else main
        command()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("minesweeper."):
            raise
        print(f"Error: another package named 'minesweeper' hides this one ({error}); {_REPAIR}", file=sys.stderr)
        sys.exit(_HIDDEN)


generate, autoplay, review, analyse, packs, sweep, gemhunter = (
    partial(run, name) for name in ("generate", "autoplay", "review", "analyse", "packs", "sweep", "gemhunter")
)
