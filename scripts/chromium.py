"""Where Chromium is, and how it is begun by what measures, watches or draws the page."""

from __future__ import annotations

import os
import shutil
from typing import Final

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The browser named in the variable CHROMIUM, or on the path: the shell without windows first, which is quicker."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
