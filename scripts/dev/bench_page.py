"""Measure the page in a real browser: from a click to the repaint that shows its result, also over a slow line."""

from __future__ import annotations

import json
import statistics
import sys
from contextlib import ExitStack
from itertools import count
from typing import Final

import click
import numpy as np
from playwright.sync_api import Page, sync_playwright

from minesweeper.player.board import HIDDEN, Puzzle
from minesweeper.player.game import Game, StartRule
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.dev.chromium import FLAGS, deal, find_chromium
from minesweeper.scripts.dev.serving import serving
from minesweeper.scripts.dev.slow_proxy import slow_line
from minesweeper.scripts.terminal import Command
from minesweeper.scripts.web.share_links import board_token

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


# Clicks cells one by one, whatever has been answered; each is drawn twice, as being opened and with what it holds.
_LINE: Final = """async ([acts, pause]) => {
    const board = document.querySelector("#board");
    const painted = () => new Promise(resolve => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(null);
    }));
    const times = [];
    const watch = async (cell, start) => {
        let pending = null;
        for (;;) {
            const now = await painted() - start;
            const opened = !cell.matches(".hidden-cell");
            if (opened || cell.matches(".pending")) pending ??= now;
            if (opened || now > 10000) return times.push([pending, opened ? now : null]);
        }
    };
    const watching = [];
    for (const [index, button] of acts) {
        const cell = board.querySelector(`[data-index="${index}"]`);
        const { x, y, width, height } = cell.getBoundingClientRect();
        const middle = {clientX: x + width / 2, clientY: y + height / 2};
        const at = {bubbles: true, isPrimary: true, pointerType: "mouse", ...middle};
        cell.dispatchEvent(new PointerEvent("pointerdown", {...at, button}));
        const start = performance.now();
        cell.dispatchEvent(new PointerEvent("pointerup", {...at, button}));
        if (button === 0) watching.push(watch(cell, start));
        await new Promise(resolve => setTimeout(resolve, pause));
    }
    await Promise.all(watching);
    const answer = await fetch(`/api/games/${sessionStorage.getItem("sweep-game")}`);
    return [times, await answer.json()];
}"""
_LEFT: Final = 0
_RIGHT: Final = 2
_PAUSE_MS: Final = 100
_CLICKS_A_BOARD: Final = 80
_FLAGGED: Final = 8
"""Every so many cells are flagged, freed and then opened: in any other order they would stay shut."""


@click.command(cls=Command, epilog="Example: python scripts/dev/bench_page.py --clicks 200")
@click.option("--clicks", default=200, show_default=True, type=click.IntRange(min=1), help="Clicks to measure.")
@click.option(
    "--round-trip",
    default=0,
    show_default=True,
    metavar="MS",
    type=click.IntRange(0, 5000),
    help="Play over a line that takes so long there and back, ten clicks a second.",
)
@click.option("--chromium", default=find_chromium, help="The browser's executable.")
def main(clicks: int, round_trip: int, chromium: str | None) -> None:
    """Measure the page in Chromium, over HTTP from a server of its own: clicks and hints on expert Kaboom.

    With --round-trip, how long it takes over a slow line until a click is drawn as being made, and for good. The exit
    code is 1 if a click was lost or done out of its turn.
    """
    if chromium is None:
        raise click.UsageError("expected Chromium on the path or in the variable CHROMIUM, or --chromium FILE")
    with ExitStack() as stack:
        _, address = stack.enter_context(serving())
        if round_trip:
            address = stack.enter_context(slow_line(address, round_trip / 1000))
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 720})
        if round_trip:
            lost = _play_over_line(page, clicks)
        else:
            opened, hinted = _measure(page, clicks)
            _report("click to repaint", opened)
            _report("hint", hinted)
            lost = 0
        browser.close()
    sys.exit(1 if lost else 0)


def _report(what: str, times: list[float]) -> None:
    cuts = statistics.quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
    print(f"{what}: p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms, of {len(times)}")


def _play_over_line(page: Page, clicks: int) -> int:
    """Click ten times a second, print the milliseconds that the drawing took, and return how many clicks were lost."""
    made: list[float] = []
    answered: list[float] = []
    lost = 0
    page.goto("/")
    for number in count():
        wanted = min(clicks - number * _CLICKS_A_BOARD, _CLICKS_A_BOARD)
        if wanted <= 0:
            break
        puzzle = Recipe(16, 30, 99, (8, 15), StartRule.OPENING, seed=7).puzzle(number)
        page.wait_for_selector('#board[aria-busy="false"]')
        request = json.dumps({"mode": "shared", "token": board_token(puzzle)})
        deal(page, request)
        page.wait_for_selector('#board[aria-busy="false"][aria-colcount="30"]')
        acts = _acts(puzzle, wanted)
        times, game = page.evaluate(_LINE, [acts, _PAUSE_MS])
        shown = "".join(game["cells"])
        missing = sum(shown[index] == "#" for index, button in acts if button == _LEFT)
        lost += missing + len(game["flags"]) + len(acts) - game["turn"]
        made += [pending for pending, _ in times if pending is not None]
        answered += [opened for _, opened in times if opened is not None]
    _report("click to being made", made)
    _report("click to its answer", answered)
    print(f"clicks lost or out of turn: {lost}")
    return lost


def _acts(puzzle: Puzzle, count: int) -> list[tuple[int, int]]:
    """Choose safe cells that open alone, as (index, button): some are flagged and freed before they are opened."""
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    hidden = (game.view.cells == HIDDEN) & ~puzzle.board.mine_map & (puzzle.board.clues > 0)
    cells = np.flatnonzero(hidden)[:count].tolist()
    return [
        (index, button)
        for number, index in enumerate(cells)
        for button in ([_RIGHT, _RIGHT, _LEFT] if number % _FLAGGED == 0 else [_LEFT])
    ]


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
    flat = [chance for row in chances["chances"] for chance in row]
    return [min((chance, index) for index, chance in enumerate(flat) if chance is not None)[1]]


if __name__ == "__main__":
    main()
