"""The page for programs that drive it: a server in a child process, and Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def serving(*options: str, folder: Path | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve the page on a free port, in a working folder; yield the process and the address."""
    command = [sys.executable, "-P", "-m", "minesweeper.scripts.commands.sweep", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def find_chromium() -> str | None:
    """Return the browser in the variable CHROMIUM or on the path, preferring the quicker headless shell."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


def start_game(page: Page, request: str) -> None:
    """Start a new game on the page with a request in JSON, and leave the current one."""
    page.evaluate("request => sessionStorage.setItem('sweep-request', request)", request)
    with page.expect_response(lambda answer: answer.url.endswith("/api/games")):
        page.keyboard.press("n")
        if page.locator("#leave[open]").count():
            page.locator("#leave [value=leave]").click()
