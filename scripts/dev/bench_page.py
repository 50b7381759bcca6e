"""Time from a click on the page to the repaint with its result, and of a hint."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click
import numpy as np

from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import (
    PRESS,
    ask,
    check_requirements,
    chromium,
    current_game,
    open_tab,
    serving,
    start_game,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PAINTED: Final = """const painted = () => new Promise(resolve => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now());
    channel.port2.postMessage(null);
}));"""
# Clicks on a cell; returns the time of the release and that of the first frame after the board changed.
_CLICK: Final = (
    f"async index => {{ {PRESS} {_PAINTED}"
    """
    const board = document.querySelector("#board");
    const changed = new Promise(resolve => {
        const watcher = new MutationObserver(() => {
            if (board.getAttribute("aria-busy") === "true") return;
            watcher.disconnect();
            resolve();
        });
        watcher.observe(board, {attributes: true, childList: true, subtree: true});
    });
    const start = press(board.querySelector(`[data-index="${index}"]`));
    await changed;
    return [start, await painted()];
}"""
)
# Returns the milliseconds of a hint, by the clock of the browser.
_HINT: Final = """async game => {
    const { ask } = await import(new URL("engine.js", document.querySelector("script[type=module]").src));
    const start = performance.now();
    await ask("advise", "hint", game);
    return performance.now() - start;
}"""
_NEW_GAME: Final = '{"mode": "kaboom", "preset": "expert", "rules": {"guess_anywhere": true}}'


@click.command(cls=Command, epilog="Example: python scripts/dev/bench_page.py --clicks 200")
@click.option("--clicks", default=200, show_default=True, type=click.IntRange(min=1), help="Number of clicks.")
def main(clicks: int) -> None:
    """Measure clicks and hints of expert Kaboom in Chromium, with a server on this machine."""
    check_requirements("playwright")
    with serving() as address, chromium() as browser:
        page = open_tab(browser, address, viewport={"width": 1280, "height": 720})
        opened, hinted = _measure(page, clicks)
    _report("click to repaint", opened)
    _report("hint", hinted)


def _report(what: str, times: list[float]) -> None:
    p50, p95, p99 = np.quantile(times, (0.5, 0.95, 0.99))
    print(f"{what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, of {len(times)}")


def _measure(page: Page, clicks: int) -> tuple[list[float], list[float]]:
    """Play certain cells or else the best guess; return the milliseconds of clicks and of hints."""
    opened: list[float] = []
    hinted: list[float] = []
    page.goto("/")
    page.wait_for_selector('#board[aria-busy="false"]')
    while len(opened) < clicks:
        start_game(page, _NEW_GAME)
        page.wait_for_selector('#board[aria-busy="false"][aria-colcount="30"]')
        page.wait_for_function("document.querySelectorAll('#board .hidden-cell').length === 480")
        todo = [8 * 30 + 15]
        while todo and len(opened) < clicks:
            start, end = page.evaluate(_CLICK, todo.pop())
            opened.append(end - start)
            if page.locator("#board.is-won, #board.is-lost").count():
                break
            if not todo:
                game = ask(page, "game", json.loads(current_game(page) or ""))
                hinted.append(page.evaluate(_HINT, game))
                certain = ask(page, "advise", "certain", game)
                row, col = certain["safe"][0] if certain["safe"] else certain["guess"]["cell"]
                todo = [row * 30 + col]
    return opened, hinted


if __name__ == "__main__":
    main()
