"""Measure the page in a real browser: from a click on an expert Kaboom board to the repaint that shows its result."""

from __future__ import annotations

import statistics
from typing import Final

import click
from playwright.sync_api import Page, sync_playwright

from minesweeper.scripts.chromium import FLAGS, find_chromium
from minesweeper.scripts.serving import serving

# From the release of the button to the first frame after the board has changed, as the browser's own clock has it.
_CLICK: Final = """async index => {
    const cell = document.querySelector(`#board [data-index="${index}"]`);
    const { x, y, width, height } = cell.getBoundingClientRect();
    const at = {bubbles: true, pointerType: "mouse", button: 0, clientX: x + width / 2, clientY: y + height / 2};
    const board = document.querySelector("#board");
    const changed = new Promise(resolve => {
        const watcher = new MutationObserver(() => {
            if (board.getAttribute("aria-busy") === "true") return;
            watcher.disconnect();
            resolve();
        });
        watcher.observe(board, {attributes: true, childList: true, subtree: true});
    });
    cell.dispatchEvent(new PointerEvent("pointerdown", at));
    const start = performance.now();
    cell.dispatchEvent(new PointerEvent("pointerup", at));
    await changed;
    await new Promise(resolve => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = resolve;
        channel.port2.postMessage(null);
    }));
    return performance.now() - start;
}"""
_HINT: Final = """async () => {
    const id = sessionStorage.getItem("sweep-game");
    const start = performance.now();
    const answer = await fetch(`/api/games/${id}/hint`,
        {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"});
    const hint = await answer.json();
    return [performance.now() - start, hint];
}"""
_AGAIN: Final = '{"mode": "kaboom", "preset": "expert", "rules": {"guess_anywhere": true}}'


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]}, epilog="Example: scripts/bench_page.py --clicks 200"
)
@click.option("--clicks", default=200, show_default=True, type=click.IntRange(min=1), help="Clicks to measure.")
@click.option("--chromium", default=find_chromium, help="The browser's executable.")
def main(clicks: int, chromium: str | None) -> None:
    """Measure clicks and hints on expert Kaboom in Chromium, over HTTP from a server of its own."""
    if chromium is None:
        raise click.UsageError("expected Chromium on the path or in the variable CHROMIUM, or --chromium FILE")
    with serving() as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 720})
        opened, hinted = _measure(page, clicks)
        browser.close()
    for what, times in (("click to repaint", opened), ("hint", hinted)):
        cuts = statistics.quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
        print(f"{what}: p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms, of {len(times)}")


def _measure(page: Page, clicks: int) -> tuple[list[float], list[float]]:
    """Play as the hints say, and the best guess where there is none; return milliseconds of clicks and of hints."""
    opened: list[float] = []
    hinted: list[float] = []
    page.goto("/")
    page.wait_for_selector('#board[aria-busy="false"]')
    page.evaluate("request => sessionStorage.setItem('sweep-request', request)", _AGAIN)
    while len(opened) < clicks:
        page.keyboard.press("n")
        if page.locator("#leave[open]").count():
            page.locator("#leave [value=leave]").click()
        page.wait_for_selector('#board[aria-busy="false"][aria-colcount="30"]')
        page.wait_for_function("document.querySelectorAll('#board .hidden-cell').length === 480")
        todo = [8 * 30 + 15]
        while todo and len(opened) < clicks:
            opened.append(page.evaluate(_CLICK, todo.pop()))
            if page.locator("#board.is-won, #board.is-lost").count():
                break
            if not todo:
                milliseconds, hint = page.evaluate(_HINT)
                hinted.append(milliseconds)
                todo = _next_cells(page, hint)
    return opened, hinted


def _next_cells(page: Page, hint: dict[str, list[list[int]]]) -> list[int]:
    """The cell to open after a hint: one that it shows to be safe, or else the one least likely to be a mine."""
    if hint["found"] and hint["safe"]:
        return [row * 30 + col for row, col in hint["safe"][:1]]
    chances = page.evaluate(
        "async () => (await fetch(`/api/games/${sessionStorage.getItem('sweep-game')}/probabilities`)).json()"
    )
    flat = [chance for row in chances["mine"] for chance in row]
    return [min((chance, index) for index, chance in enumerate(flat) if chance is not None)[1]]
