"""Entry points of the installed programs: `minesweeper` with all commands, and the short form of seven of them."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Final

_INTERRUPTED: Final = 130


def run(name: str = "") -> None:
    """Run the command `name`, or `minesweeper` itself, with the arguments of this process.

    Modules are imported here, so Ctrl-C while they load ends the program without a traceback.
    """
    # OpenBLAS starts a thread per core when NumPy is imported; no command needs them. Worker processes inherit this.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from minesweeper.scripts.commands import load, main

        command = load(name) if name else main
        command()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


generate, autoplay, review, analyse, packs, sweep, gemhunter = (
    partial(run, name) for name in ("generate", "autoplay", "review", "analyse", "packs", "sweep", "gemhunter")
)
