"""Where Chromium is, and how it is begun by what measures, watches or draws the page."""

from __future__ import annotations

import os
import shutil
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


def find_chromium() -> str | None:
    """The browser named in the variable CHROMIUM, or on the path: the shell without windows first, which is quicker."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


def deal(page: Page, request: str) -> None:
    """Have the page ask for another game, a request as its server takes it, and leave the one that goes on."""
    page.evaluate("request => sessionStorage.setItem('sweep-request', request)", request)
    with page.expect_response(lambda answer: answer.url.endswith("/api/games")):
        page.keyboard.press("n")
        if page.locator("#leave[open]").count():
            page.locator("#leave [value=leave]").click()
