"""The page without its server: it opens, plays with the engine of the browser, and updates itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from conftest import assist, new_page, serving, settle
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

from minesweeper.scripts.web import app
from minesweeper.scripts.web.app import STATIC, service_worker
from minesweeper.scripts.web.settings import Settings

NO_SERVER = "ERR_CONNECTION_REFUSED"
REPLACED = """async old => {
    while ((await caches.keys()).includes(old)) await new Promise(resolve => setTimeout(resolve, 20));
}"""


@pytest.fixture
def visitor_page(browser: Browser) -> Iterator[Page]:
    """A tab of a browser without stored data, whose console may only report a missing server or game."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    complaints: list[str] = []
    yield new_page(context, complaints)
    context.close()
    assert [complaint for complaint in complaints if NO_SERVER not in complaint and "404" not in complaint] == []


def visit(page: Page, port: int) -> None:
    """Open the page, and wait until its files are cached."""
    page.goto(f"http://127.0.0.1:{port}/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def kept(page: Page) -> list[str]:
    names: list[str] = page.evaluate("caches.keys()")
    return names


def click(page: Page, index: int) -> None:
    page.locator(f"#board [data-index='{index}']").click()
    settle(page)


def test_all_files_are_named_with_their_content(client: TestClient) -> None:
    answer = client.get("/service-worker.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.text == service_worker()
    files = json.loads(answer.text.partition("const FILES = ")[2].partition(";\n")[0])
    assert "/static/kernel/kernel.wasm" in files
    for path, digest in files.items():
        assert base64.b64encode(hashlib.sha256(client.get(path).content).digest()).decode()[:16] == digest
    known = {f"/static/{path.relative_to(STATIC).as_posix()}" for path in STATIC.rglob("*.*") if path.is_file()}
    assert known - set(files) == {"/static/js/service-worker.js"}


def test_without_its_server_the_page_plays_helps_watches_and_analyses(visitor_page: Page) -> None:
    page = visitor_page
    with serving(Settings()) as port:
        visit(page, port)
        expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10")
        name = page.evaluate("sessionStorage.getItem('sweep-game')")

    page.reload()
    expect(page.locator("#words")).to_contain_text("The server can't be reached")
    expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10, in this browser")
    click(page, 40)
    page.locator("#hint").click()
    expect(page.locator("#words")).to_contain_text("Easiest step")
    assist(page, "Cheat")
    expect(page.locator("#ending")).to_contain_text("Won with help")
    review = page.locator("#ending-review").get_attribute("href") or ""

    # Every kind of game that needs no database.
    page.locator("#ending-close").click()
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#modes label")).to_have_text(["No guess", "Classic", "Kaboom", "Daily"])
    page.get_by_role("radio", name="Kaboom").check()
    page.get_by_role("radio", name="Expert 16").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("Kaboom expert 16x30/99, in this browser")
    local = page.evaluate("sessionStorage.getItem('sweep-local-game')")

    for path, words in {
        "watch": "is ready to play",
        "analyse": "Certain: 21 safe cells",
        "record": "these are the games",
        "leaderboard": "needs a server",
        "review/1": "The server does not answer",
        review: "3BV a second",
    }.items():
        page.goto(urljoin(page.url, f"/{path.strip('/')}"))
        expect(page.locator("#main")).to_contain_text(words)

    # The game of the server waits for it, and that of the browser is still there afterwards.
    assert page.evaluate("sessionStorage.getItem('sweep-game')") == name
    with serving(Settings(), port):
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10")
        assert page.evaluate("name => `sweep-local-game-${name}` in localStorage", local)


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
    expect(page.locator("#title")).to_contain_text("in this browser")


def test_files_of_two_versions_are_not_kept_together(visitor_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = re.sub(r'("/static/js/play.js": ")[^"]{16}', r"\g<1>" + "0" * 16, service_worker())
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
