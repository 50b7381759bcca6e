"""The storage of the browser: many games, a full or blocked storage, damaged values and returns."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import LAPTOP, click_on, new_page, settle, visit
from playwright.sync_api import Browser, Page, expect

from minesweeper.scripts.dev.page import ask

PAGES = ("", "?page=watch", "?page=analyse", "?page=record")
QUOTA = 5 * 2**20
"""The characters that Chromium stores for an address."""
WARNING = "kept only until the page closes"
# The keys of the page, in both storages.
KEYS = (
    *("sweep-game", "sweep-shared", "sweep-request", "sweep-welcomed", "sweep-settings", "sweep-new-game"),
    *("sweep-theme", "sweep-language", "sweep-position", "sweep-questions-x"),
    *("sweep-local-game-x", "sweep-local-record-x"),
)
# Play games of Kaboom with all certain cells, flags for the mines, and guesses where nothing is certain.
PLAY = """async ({ count, size }) => {
    const { ask } = await (await import(new URL("static/js/main.js", document.baseURI))).$run("js/engine.js");
    for (let i = 0; i < count; i++) {
        let game = await ask("newGame", { mode: "kaboom", ...size });
        const at = ([row, col]) => row * game.cols + col;
        const isHidden = ([row, col]) => game.cells[row][col] === "#";
        game = await ask("move", game.id, "open", at([Math.floor(game.rows / 2), Math.floor(game.cols / 2)]));
        while (game.status === "playing") {
            const { chances, best } = await ask("advise", "chances", game);
            const cells = game.cells.flatMap((row, r) => Array.from(row, (_, c) => [r, c])).filter(isHidden);
            const certain = (chance) => cells.filter(([row, col]) => chances?.[row][col] === chance);
            const isFlagged = (cell) => game.flags.some((flag) => `${flag}` === `${cell}`);
            for (const cell of certain(1).filter((mine) => !isFlagged(mine)).slice(0, 3))
                game = await ask("move", game.id, "flag", at(cell));
            const safe = certain(0);
            for (const cell of safe.length ? safe : [best ?? cells[i % cells.length]])
                if (isHidden(cell) && game.status === "playing") game = await ask("move", game.id, "open", at(cell));
        }
        if (game.status === "lost") await ask("reveal", game.id);
    }
    const stored = Object.entries(localStorage);
    return {
        characters: stored.reduce((sum, [key, text]) => sum + key.length + text.length, 0),
        finished: stored.filter(([key]) => key.startsWith("sweep-local-record-")).length,
        games: stored.filter(([key]) => key.startsWith("sweep-local-game-")).length,
        longest: Math.max(...stored.map(([, text]) => text.length)),
    };
}"""
FILL = """() => {
    for (let size = 2 ** 22, i = 0; size >= 1; i++) {
        try {
            localStorage.setItem(`foreign${i}`, "f".repeat(size));
        } catch {
            size = Math.floor(size / 2);
        }
    }
}"""
BLOCK = """for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });"""


@pytest.fixture
def page(local_page: Page) -> Page:
    return local_page


@pytest.fixture
def strict_page(browser: Browser, place: str, complaints: list[str]) -> Iterator[Page]:
    """A tab that the test helpers store nothing in; a first visit begins with an explanation."""
    context = browser.new_context(base_url=place, **LAPTOP)
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


def cell(page: Page, index: int) -> Any:
    return page.locator(f"#board [data-index='{index}']")


def click(page: Page, index: int) -> None:
    click_on(cell(page, index))


@pytest.mark.parametrize(
    "count", [2, pytest.param(19, marks=pytest.mark.long), pytest.param(200, marks=pytest.mark.long)]
)
def test_expert_games_of_kaboom_fit_the_storage(page: Page, count: int) -> None:
    """Each finished game took 270,000 characters once, so that every move of the 19th game failed."""
    visit(page, "")
    used = page.evaluate(PLAY, {"count": count, "size": {"preset": "expert"}})
    assert used["finished"] == count
    assert used["games"] <= 32
    assert used["longest"] < 25_000
    assert used["characters"] < QUOTA / 2
    page.goto("?page=record")
    expect(page.locator("#games tbody tr")).to_have_count(count)
    page.locator("#delete").click()
    page.locator("#sure").get_by_role("button", name=re.compile("Delete")).click()
    expect(page.locator("#nothing")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('record')).length") == 0


def test_a_storage_that_others_have_filled(strict_page: Page) -> None:
    page = strict_page
    visit(page, "?page=analyse")
    page.evaluate(FILL)
    visit(page, "")
    page.keyboard.press("Escape")
    expect(page.locator("#words")).to_contain_text(WARNING)
    click(page, 40)
    expect(page.locator("#board .open").first).to_be_visible()
    expect(page.locator("#words")).not_to_contain_text(WARNING)
    used = page.evaluate(PLAY, {"count": 3, "size": {"rows": 6, "cols": 6, "mines": 8}})
    assert used["finished"] == 0, "the storage has room for a game: it was not full"
    page.keyboard.press("n")
    settle(page)
    click(page, 40)


def test_a_blocked_storage(strict_page: Page) -> None:
    page = strict_page
    page.add_init_script(BLOCK)
    for path in PAGES:
        visit(page, path)
        before = page.locator("html").get_attribute("data-theme")
        page.locator("#theme").click()
        expect(page.locator("html")).not_to_have_attribute("data-theme", before or "")
    visit(page, "")
    page.keyboard.press("Escape")
    expect(page.locator("#words")).to_contain_text(WARNING)
    page.locator("#set-countdown").evaluate("field => field.click()")
    click(page, 40)
    expect(page.locator("#board .open").first).to_be_visible()
    page.locator("#language").select_option("de")
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.parametrize(
    "text",
    [
        "{{",
        '{"mode": 7}',
        *(pytest.param(text, marks=pytest.mark.long) for text in ("5", "[]", '"x"', "null", "{}", "")),
    ],
)
def test_damaged_values(page: Page, text: str, complaints: list[str]) -> None:
    visit(page, "")
    page.evaluate(
        """([keys, text]) => {
            for (const storage of [localStorage, sessionStorage]) for (const key of keys) storage.setItem(key, text);
        }""",
        [KEYS, text],
    )
    for path in reversed(PAGES):
        visit(page, path)
    click(page, 40)
    expect(page.locator("#board .open").first).to_be_visible()
    # The console has the cause where a stored game is gone.
    complaints[:] = [one for one in complaints if "at new Game" not in one]


def test_an_imported_game_with_a_click_off_the_board(page: Page) -> None:
    game = {
        "id": "off",
        "kind": "classic 3x7/2",
        "mode": "classic",
        "title": "Classic 3x7/2",
        "won": False,
        "seconds": 3,
        "clicks": 2,
        "unranked": "",
        "day": None,
        "ended": "2026-11-20 10:00:00",
        "puzzle": "board-3x7-0x0-AgAg",
        "recorded_clicks": [[0, [0, 0], [[0, 0]], 0], [3, [50, 50], [[50, 50]], 0]],
    }
    visit(page, "?page=record")
    for games, message in (([game], ""), ([game, {**game, "seconds": "3"}], "no record")):
        content = json.dumps({"games": games}).encode()
        file = {"name": "record.json", "mimeType": "application/json", "buffer": content}
        page.locator("#import").set_input_files(files=[file])  # type: ignore[list-item]
        expect(page.locator("#import-error")).to_contain_text(message)
    visit(page, "?page=record")
    expect(page.locator("#games tbody tr")).to_have_count(1)
    visit(page, "?page=review&id=off")
    expect(page.locator("#words")).to_contain_text("not in your record")


def test_the_unfinished_game_and_its_kind_wait_for_the_player(own_page: Page, complaints: list[str]) -> None:
    page, context = own_page, own_page.context
    visit(page, "")
    page.evaluate(
        "sessionStorage.setItem('sweep-request', JSON.stringify({ mode: 'classic', rows: 12, cols: 12, mines: 30 }))"
    )
    page.keyboard.press("n")
    expect(page.locator("#title")).to_have_text("Classic 12x12/30")
    click(page, 60)
    opened = page.locator("#board .open").count()
    page.close()
    later = new_page(context, complaints)
    visit(later, "")
    expect(later.locator("#title")).to_have_text("Classic 12x12/30")
    expect(later.locator("#board .open")).to_have_count(opened)
    later.keyboard.press("n")
    expect(later.locator("#board .open")).to_have_count(0)
    expect(later.locator("#title")).to_have_text("Classic 12x12/30")


def test_old_games_of_a_long_record_move_out_of_the_storage_of_texts(page: Page) -> None:
    """A click took longer with each recorded game, and some thousands filled the storage."""
    game = {"kind": "classic 9x9/10", "mode": "classic", "title": "Old", "won": True, "seconds": 5, "clicks": 9}
    games = [{"id": f"old-{day}", "unranked": "", "ended": "2020-01-01 00:00:00", **game} for day in range(5000)]
    visit(page, "?page=record")
    ask(page, "importRecord", {"games": games})
    kept = "() => Object.keys(localStorage).filter(key => key.startsWith('sweep-local-record-')).length"
    assert page.evaluate(kept) == 1000
    visit(page, "?page=record")
    expect(page.locator("#tiles")).to_contain_text("5000 of 5000")
    ask(page, "deleteRecord")
    visit(page, "?page=record")
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")
