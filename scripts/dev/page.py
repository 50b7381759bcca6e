"""The page for programs that drive it: commands in child processes, and Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.scripts.commands.sweep import web_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def command_line(command: str, *options: str) -> list[str]:
    """Return the arguments of a process that runs a command of the toolkit."""
    start = f"from minesweeper.scripts.commands.{command} import main; main()"
    return [sys.executable, "-P", "-c", start, *options]


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Serve the page on a free port, and yield its address."""
    with subprocess.Popen(command_line("sweep", "--port", "0", *options), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()


def check_requirements(*modules: str) -> None:
    """Raise an error in one line unless modules of the extra ``test`` and the web server are installed.

    The module ``playwright`` also needs Chromium.
    """
    for module in modules:
        if find_spec(module) is None:
            raise click.ClickException(f"this program needs {module}: pip install 'minesweeper-toolkit[test]'")
    web_server()
    if "playwright" in modules and find_chromium() is None:
        raise click.ClickException("Chromium was not found; install it or set the variable CHROMIUM")


def find_chromium() -> str | None:
    """Return the browser in the variable CHROMIUM or on the path, preferring the quicker headless shell."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; see `check_requirements`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player, player.chromium.launch(executable_path=find_chromium(), args=FLAGS) as browser:
        yield browser


def open_tab(browser: Browser, address: str, **settings: Any) -> Page:
    """Return a tab for the page at an address, without the explanation that covers the board on a first visit."""
    page = browser.new_page(base_url=address, **settings)
    page.add_init_script("localStorage.setItem('sweep-welcomed', '1')")
    return page


def ask(page: Page, name: str, *arguments: Any) -> Any:
    """Return the answer of the page's engine to a call, see static/js/worker.js."""
    script = """async ([name, values]) => {
        const { $run } = await import(document.querySelector("script[type=module]").src);
        return (await $run("js/engine.js")).ask(name, ...values);
    }"""
    return page.evaluate(script, [name, arguments])
