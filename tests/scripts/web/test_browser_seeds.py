"""New games in browsers that have never seen the page: no two of them are on the same board."""

import json
from typing import Any

import pytest
from conftest import LAPTOP, choose_game, click_on, new_page, settle, visit
from playwright.sync_api import Browser, Page, expect

BROWSERS = 3
KINDS = [
    *((mode, size) for mode in ("no-guess", "classic", "kaboom") for size in ("beginner", "expert")),
    ("practice", None),
    ("watch", None),
]


def start(page: Page, mode: str, size: str | None) -> None:
    """Start a game by the dialog, and click the cell in the centre unless cells are open."""
    choose_game(page)
    page.locator(f"[name=mode][value={mode}]").check()
    if size is not None:
        page.locator(f"[name=size][value={size}]").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#new-game")).to_be_hidden()
    settle(page)
    if page.locator("#board .open").count() == 0:
        click_on(page.locator("#board [tabindex='0']"))


def log_of(page: Page) -> dict[str, Any]:
    """Return the game on the page as the browser stores it."""
    script = 'localStorage.getItem("sweep-local-game-" + JSON.parse(sessionStorage.getItem("sweep-game")))'
    log: dict[str, Any] = json.loads(page.evaluate(script))
    return log


def shown(page: Page) -> str:
    """Return what the cells of the board show."""
    cells = page.locator("#board [role=gridcell]")
    texts: list[str] = cells.evaluate_all("cells => cells.map(cell => `${cell.className} ${cell.textContent}`)")
    return "\n".join(texts)


def watched(page: Page) -> str:
    """Return the position of a watched game after eight moves, or of its last one."""
    visit(page)
    page.get_by_role("link", name="Watch").click()
    page.locator("#preset").select_option("expert")
    expect(page.locator("#title")).to_contain_text("expert")
    expect(page.locator("#step")).to_be_enabled()
    for _ in range(8):
        if page.locator("#step").is_disabled():
            break
        before = page.locator("#board").inner_html()
        page.locator("#step").click()
        page.wait_for_function("before => document.querySelector('#board').innerHTML !== before", arg=before)
    return shown(page)


def board_of(page: Page, mode: str, size: str | None) -> str:
    """Return the board of a new game; in Kaboom, which has none, its seed."""
    if mode == "watch":
        return watched(page)
    start(page, mode, size)
    if mode == "practice":
        return shown(page)
    log = log_of(page)
    assert not log["repeat"]
    return f"{log.get('seed') if mode == 'kaboom' else log['puzzle']}"


@pytest.mark.parametrize("where", ["address", "place"])
def test_new_browsers_began_classic_games_and_kaboom_on_the_same_board(
    browser: Browser, where: str, complaints: list[str], request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue(where)
    found: dict[tuple[str, str | None], list[str]] = {}
    for _ in range(BROWSERS):
        context = browser.new_context(base_url=address, **LAPTOP)
        page = new_page(context, complaints)
        for kind in KINDS:
            found.setdefault(kind, []).append(board_of(page, *kind))
        context.close()
    assert [kind for kind, boards in found.items() if len(set(boards)) < BROWSERS] == []
