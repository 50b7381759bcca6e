"""A server of the page in a process of its own, for what measures, watches or draws it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(*options: str, folder: Path | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve the page on a free port, from a folder if one is given; give the process and the address."""
    command = [sys.executable, "-P", "-m", "minesweeper.scripts.commands.sweep", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().split()[-1]
        finally:
            server.terminate()
