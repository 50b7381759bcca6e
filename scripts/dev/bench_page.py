"""Time from a click on the page to the repaint with its result, in Chromium, also over a slow connection."""

from __future__ import annotations

import json
import sys
from itertools import count
from typing import TYPE_CHECKING, Final

import click
import numpy as np

from minesweeper.player.board import HIDDEN, Puzzle
from minesweeper.player.game import Game
from minesweeper.player.recipe import Recipe, StartRule
from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import PRESS, advise, check_requirements, chromium, open_tab, serving, start_game
from minesweeper.scripts.web.share_links import board_token

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PAINTED: Final = """const painted = () => new Promise(resolve => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now());
    channel.port2.postMessage(null);
}));"""
# Milliseconds from the release of the button to the first frame after the board changed, by the clock of the browser.
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
    return await painted() - start;
}"""
)
_HINT: Final = """async () => {
    const { advise } = await import("/static/js/local.js");
    const game = await (await fetch(`/api/games/${sessionStorage.getItem("sweep-game")}`)).json();
    const start = performance.now();
    await advise("hint", game);
    return [performance.now() - start, game];
}"""
_NEW_GAME: Final = '{"mode": "kaboom", "preset": "expert", "rules": {"guess_anywhere": true}}'

# Clicks cells without waiting for responses. Each cell is drawn twice: first as pending, then with its content.
_LINE: Final = (
    f"async ([clicks, pause]) => {{ {PRESS} {_PAINTED}"
    """
    const board = document.querySelector("#board");
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
    for (const [index, button] of clicks) {
        const cell = board.querySelector(`[data-index="${index}"]`);
        const start = press(cell, button);
        if (button === 0) watching.push(watch(cell, start));
        await new Promise(resolve => setTimeout(resolve, pause));
    }
    await Promise.all(watching);
    const answer = await fetch(`/api/games/${sessionStorage.getItem("sweep-game")}`);
    return [times, await answer.json()];
}"""
)
_LEFT, _RIGHT = 0, 2
_PAUSE_MS: Final = 100
_CLICKS_A_BOARD: Final = 80
_FLAGGED: Final = 8
"""Every eighth cell is flagged, unflagged and opened, so that clicks in another order would leave it hidden."""


@click.command(cls=Command, epilog="Example: python scripts/dev/bench_page.py --clicks 200")
@click.option("--clicks", default=200, show_default=True, type=click.IntRange(min=1), help="Number of clicks.")
@click.option(
    "--round-trip",
    default=0,
    show_default=True,
    metavar="MS",
    type=click.IntRange(0, 5000),
    help="Delay of each request, there and back; ten clicks per second.",
)
def main(clicks: int, round_trip: int) -> None:
    """Measure clicks and hints of expert Kaboom in Chromium, with a server on this machine.

    With --round-trip, measure the time until a click is drawn as pending and until its result is drawn, over a slow
    connection. The exit status is 1 if a click was lost or executed out of order.
    """
    check_requirements("playwright")
    with serving() as (_, address), chromium() as browser:
        # Requests of a service worker would not be delayed.
        page = open_tab(browser, address, viewport={"width": 1280, "height": 720}, service_workers="block")
        if round_trip:
            delay = {"offline": False, "latency": round_trip, "downloadThroughput": -1, "uploadThroughput": -1}
            page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", delay)
            lost = _play_over_line(page, clicks)
        else:
            opened, hinted = _measure(page, clicks)
            _report("click to repaint", opened)
            _report("hint", hinted)
            lost = 0
    sys.exit(1 if lost else 0)


def _report(what: str, times: list[float]) -> None:
    p50, p95, p99 = np.quantile(times, (0.5, 0.95, 0.99))
    print(f"{what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, of {len(times)}")


def _play_over_line(page: Page, clicks: int) -> int:
    """Click ten times per second, print the drawing times, and return the number of lost clicks."""
    made: list[float] = []
    answered: list[float] = []
    lost = 0
    page.goto("/")
    for number in count():
        left = min(clicks - number * _CLICKS_A_BOARD, _CLICKS_A_BOARD)
        if left <= 0:
            break
        puzzle = Recipe(16, 30, 99, (8, 15), StartRule.OPENING, seed=7).puzzle(number)
        page.wait_for_selector('#board[aria-busy="false"]')
        request = json.dumps({"mode": "shared", "token": board_token(puzzle)})
        start_game(page, request)
        page.wait_for_selector('#board[aria-busy="false"][aria-colcount="30"]')
        cells = _clicks(puzzle, left)
        times, game = page.evaluate(_LINE, [cells, _PAUSE_MS])
        shown = "".join(game["cells"])
        missing = sum(shown[index] == "#" for index, button in cells if button == _LEFT)
        lost += missing + len(game["flags"]) + len(cells) - game["turn"]
        made += [pending for pending, _ in times if pending is not None]
        answered += [opened for _, opened in times if opened is not None]
    _report("click to pending", made)
    _report("click to result", answered)
    print(f"clicks lost or out of order: {lost}")
    return lost


def _clicks(puzzle: Puzzle, count: int) -> list[tuple[int, int]]:
    """Return clicks on safe cells next to mines, as (index, button); some cells are flagged and unflagged first."""
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
            opened.append(page.evaluate(_CLICK, todo.pop()))
            if page.locator("#board.is-won, #board.is-lost").count():
                break
            if not todo:
                milliseconds, game = page.evaluate(_HINT)
                hinted.append(milliseconds)
                certain = advise(page, "certain", game)
                row, col = certain["safe"][0] if certain["safe"] else certain["guess"]["cell"]
                todo = [row * 30 + col]
    return opened, hinted


if __name__ == "__main__":
    main()
