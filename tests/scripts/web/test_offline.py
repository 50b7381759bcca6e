"""The page without its server: it opens, plays classic games, and updates itself."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from conftest import assist, new_page, serving
from playwright.sync_api import Browser, BrowserContext, Page, expect
from starlette.testclient import TestClient

from minesweeper.scripts.web import app
from minesweeper.scripts.web.app import STATIC, service_worker
from minesweeper.scripts.web.settings import Settings

SAFE_AND_HIDDEN = "#board .hidden-cell:not(%s)"
NO_SERVER = "ERR_CONNECTION_REFUSED"
REPLACED = """async old => {
    while ((await caches.keys()).includes(old)) await new Promise(resolve => setTimeout(resolve, 20));
}"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without stored data."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def visitor_page(context: BrowserContext) -> Iterator[Page]:
    """A tab whose console may only report a missing server or game."""
    complaints: list[str] = []
    yield new_page(context, complaints)
    assert [complaint for complaint in complaints if NO_SERVER not in complaint and "404" not in complaint] == []


def visit(page: Page, port: int) -> None:
    """Open the page, and wait until its files are cached."""
    page.goto(f"http://127.0.0.1:{port}/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def kept(page: Page) -> list[str]:
    names: list[str] = page.evaluate("caches.keys()")
    return names


def cell(page: Page, index: int) -> None:
    page.locator(f"#board [data-index='{index}']").click()


def show_game(page: Page, **changes: Any) -> None:
    """Show a game that this tab has stored."""
    game = {"id": "offline-1", "rows": 9, "cols": 9, "mines": 10, "start": "safe", "flags": [], "exploded": []}
    game |= {"turn": 0, "seconds": 0, "began": None} | changes
    page.evaluate(
        """game => {
            sessionStorage.setItem("sweep-offline", game);
            sessionStorage.setItem("sweep-offline-game", "offline-1");
        }""",
        json.dumps(game),
    )
    page.reload()
    expect(page.locator("#board .hidden-cell")).to_have_count(game["rows"] * game["cols"] - len(changes["opened"]))


def left_by_its_server(page: Page) -> Page:
    """Open the page, stop its server, and reload."""
    with serving(Settings()) as port:
        visit(page, port)
    page.reload()
    expect(page.locator("#title")).to_contain_text("without the server")
    return page


def test_all_files_are_named_with_their_content(client: TestClient) -> None:
    answer = client.get("/service-worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.text == service_worker()
    files = json.loads(answer.text.partition("const FILES = ")[2].partition(";\n")[0])
    for path, digest in files.items():
        assert hashlib.sha256(client.get(path).content).hexdigest() == digest
    known = {f"/static/{path.relative_to(STATIC).as_posix()}" for path in STATIC.rglob("*.*") if path.is_file()}
    assert known - set(files) == {"/static/js/service-worker.js"}


def test_without_its_server_the_page_opens_and_deals_classic_games(visitor_page: Page) -> None:
    page = visitor_page
    with serving(Settings()) as port:
        visit(page, port)
        expect(page.locator("#title")).to_contain_text("No-guess")
    page.reload()
    expect(page.locator("#words")).to_contain_text("The server can't be reached")
    expect(page.locator("#title")).to_have_text("Classic 9x9/10, without the server")
    cell(page, 40)
    expect(page.locator("#board [data-index='40']")).to_have_class("cell open n0")
    mined = set(page.evaluate("JSON.parse(sessionStorage.getItem('sweep-offline')).mined"))
    assert len(mined) == 10
    assert not mined & {40, 30, 31, 32, 39, 41, 48, 49, 50}
    flagged = min(mined)
    page.locator(f"#board [data-index='{flagged}']").click(button="right")
    page.reload()
    # The game continues after a reload.
    expect(page.locator(f"#board [data-index='{flagged}']")).to_have_class("cell hidden-cell flag")
    # Help that needs the server is hidden.
    for name in ("Undo", "Hint", "Cheat", "May I guess?", "Share", "Analyse"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    while (hidden := page.locator(SAFE_AND_HIDDEN % ", ".join(f"[data-index='{mine}']" for mine in mined))).count():
        hidden.first.click()
    expect(page.locator("#ending")).to_contain_text("Won in")
    page.locator("#ending").get_by_role("button", name="Same board").click()
    expect(page.locator("#ending")).to_be_hidden()
    expect(page.locator("#board .flag")).to_have_count(0)
    cell(page, max(mined))
    expect(page.locator("#words")).to_contain_text("That was a mine")
    expect(page.locator("#board .mine")).to_have_count(9)
    for name in ("Why?", "Give up", "May I guess?"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#modes label")).to_have_text(["Classic"])
    expect(page.get_by_label("Seed")).to_be_hidden()
    page.get_by_role("radio", name="Expert 16").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("Classic 16x30/99, without the server")


def test_chords_without_the_server_open_what_is_not_flagged(visitor_page: Page) -> None:
    page = left_by_its_server(visitor_page)
    # A clue 2 surrounded by hidden cells.
    show_game(page, rows=3, cols=3, mines=2, mined=[0, 2], opened=[4], flags=[0])
    cell(page, 4)
    expect(page.locator("#board .hidden-cell")).to_have_count(8)
    page.locator("#board [data-index='2']").click(button="right")
    cell(page, 4)
    expect(page.locator("#ending")).to_contain_text("Won in")


def test_a_game_of_the_server_waits_until_the_server_is_back(visitor_page: Page) -> None:
    page = visitor_page
    settings = Settings()
    with serving(settings) as port:
        visit(page, port)
        name = page.evaluate("sessionStorage.getItem('sweep-game')")
    page.reload()
    expect(page.locator("#title")).to_contain_text("without the server")
    assert page.evaluate("sessionStorage.getItem('sweep-game')") == name
    with serving(settings, port):
        page.reload()
        expect(page.locator("#title")).to_contain_text("No-guess")


@pytest.mark.parametrize("width", [360, 1280])
def test_offline_screens_are_accessible_and_fit(
    browser: Browser, check_accessibility: Callable[[Page], None], width: int
) -> None:
    is_phone = width < 500
    context = browser.new_context(
        viewport={"width": width, "height": 740}, has_touch=is_phone, is_mobile=is_phone, reduced_motion="reduce"
    )
    complaints: list[str] = []
    page = new_page(context, complaints)

    def check(*, only_widths: bool = False) -> None:
        if not only_widths:
            check_accessibility(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # No text is wider than its button or choice.
        wide = "found => found.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
        assert page.locator("button:visible, .choice:visible").evaluate_all(wide) == []

    left_by_its_server(page)
    expect(page.locator("#words")).to_contain_text("The server can't be reached")
    check()
    # All safe cells are open but the last one.
    mined = [0, 10, 20, 30, 40, 50, 60, 70, 76, 78]
    safe = [index for index in range(81) if index not in mined]
    show_game(page, mined=mined, opened=safe[:-1])
    check()
    cell(page, 40)
    expect(page.locator("#ending")).to_contain_text("Lost after")
    # The card does not hide the exploded mine.
    card, mine = (page.locator(one).bounding_box() for one in ("#ending", "#board [data-index='40']"))
    assert card is not None
    assert mine is not None
    assert mine["y"] + mine["height"] <= card["y"] or card["y"] + card["height"] <= mine["y"]
    check()
    show_game(page, mined=mined, opened=safe[:-1])
    cell(page, safe[-1])
    expect(page.locator("#ending")).to_contain_text("Won in")
    check()
    page.locator("#ending-close").click()
    page.get_by_role("button", name="New game").click()
    check()
    page.get_by_role("radio", name="Expert 16").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "30")
    check(only_widths=True)
    for path in ("watch", "leaderboard", "analyse", "record", "review/1"):
        page.goto(urljoin(page.url, f"/{path}"))
        expect(page.locator("#main")).to_contain_text("you can play classic games")
        expect(page.locator("#main button:visible, #main input:visible")).to_have_count(0)
        check()
    assert [complaint for complaint in complaints if NO_SERVER not in complaint] == []
    context.close()


def test_without_its_server_another_game_is_one_that_can_be_dealt(visitor_page: Page) -> None:
    page = left_by_its_server(visitor_page)
    page.evaluate("""sessionStorage.setItem("sweep-request", '{"mode":"no-guess","preset":"expert"}')""")
    cell(page, 40)
    page.locator("#board [data-index='40'].open").wait_for()
    page.reload()
    assist(page, "Again")
    page.get_by_role("button", name="New board").click()
    expect(page.locator("#title")).to_have_text("Classic 9x9/10, without the server")
    expect(page.locator("#board .hidden-cell")).to_have_count(81)


def test_another_version_takes_the_place_of_the_one_that_was_kept(visitor_page: Page, tmp_path: Path) -> None:
    page = visitor_page
    with serving(Settings()) as port:
        visit(page, port)
        (first,) = kept(page)
    newer = tmp_path / "static"
    shutil.copytree(STATIC, newer)
    index = newer / "index.html"
    index.write_text(index.read_text().replace(">Sweep</span>", ">Newer</span>"))
    with serving(Settings(), port, newer):
        page.reload()
        # The new version is shown before the service worker has changed.
        expect(page.locator(".brand")).to_contain_text("Newer")
        page.evaluate(REPLACED, first)
    page.reload()
    expect(page.locator(".brand")).to_contain_text("Newer")
    expect(page.locator("#title")).to_contain_text("without the server")


def test_files_of_two_versions_are_not_kept_together(visitor_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = re.sub(r'("/static/js/play.js": ")[0-9a-f]{64}', r"\g<1>" + "0" * 64, service_worker())
    monkeypatch.setattr(app, "service_worker", lambda _: changed)
    page = visitor_page
    with serving(Settings()) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        state = page.evaluate(
            """() => navigator.serviceWorker.register("/service-worker.js").then(found => new Promise(resolve => {
                const worker = found.installing;
                if (!worker) return resolve("none");
                worker.onstatechange = () => worker.state === "redundant" && resolve(worker.state);
            }))"""
        )
        assert state in ("redundant", "none")
        assert kept(page) == []
