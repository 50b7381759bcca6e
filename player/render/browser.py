"""Print pages as PDF and draw them as PNG by an installed Chromium, Chrome or Edge."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from minesweeper.player.core.errors import ConfigError

VARIABLE: Final = "MINESWEEPER_BROWSER"
_NAMES: Final = (
    *("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_MOST_SECONDS: Final = 600
_DATE: Final = re.compile(rb"(?<=\(D:)\d{14}")
_NO_DATE: Final = b"20000101000000"


def print_pdf(page: bytes) -> bytes:
    """Print a page of HTML as PDF, without the time. Raises `ConfigError` without a browser, or if it fails."""
    return _DATE.sub(_NO_DATE, _made(page, "print-to-pdf", "pdf", "--no-pdf-header-footer"))


def draw_png(page: bytes, width: int, height: int) -> bytes:
    """Draw a page of this size in CSS pixels as PNG with four times as many. Raises `ConfigError` as `print_pdf`."""
    size = f"--window-size={width},{height}"
    return _made(page, "screenshot", "png", size, "--force-device-scale-factor=2", "--hide-scrollbars")


def _made(page: bytes, output: str, extension: str, *options: str) -> bytes:
    browser = _browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "page.html"), Path(folder, f"made.{extension}")
        source.write_bytes(page)
        # Chromium refuses to run as root in its sandbox.
        root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        profile = f"--user-data-dir={Path(folder, 'profile')}"
        command = [browser, "--headless", profile, *root, *options, f"--{output}={target}"]
        try:
            subprocess.run([*command, source.as_uri()], capture_output=True, timeout=_MOST_SECONDS, check=True)
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise ConfigError(f"{browser} cannot print ({error}); export to .html and print that") from error


def _browser() -> str:
    names = [os.environ[VARIABLE]] if os.environ.get(VARIABLE) else _NAMES
    for name in names:
        if found := shutil.which(name):
            return found
    raise ConfigError(
        f"no browser that prints: {names[0]} is not installed; expected Chromium, Chrome or Edge, or its path in "
        f"{VARIABLE}; or export to .html and print that"
    )
