"""The page without its server: as a folder of static files, offline, and after an update."""

import csv
import gzip
import io
import json
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import LAPTOP, another, assist, click_on, new_page, serving, serving_files, visit
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from minesweeper.generator.screening import screen_range
from minesweeper.player.core.board import cells_of
from minesweeper.player.core.recipe import Recipe
from minesweeper.scripts.commands.review import main as review
from minesweeper.scripts.commands.sweep import main
from minesweeper.scripts.web import app, files
from minesweeper.scripts.web.files import STATIC
from minesweeper.scripts.web.settings import Settings

NO_SERVER = re.compile("ERR_CONNECTION_(REFUSED|RESET)")
REPLACED = """async old => {
    while ((await caches.keys()).includes(old)) await new Promise(resolve => setTimeout(resolve, 20));
}"""
SEED = 7


@pytest.fixture
def visitor_page(browser: Browser) -> Iterator[Page]:
    """A tab of a browser with a service worker, whose console may only report a missing server."""
    context = browser.new_context(**LAPTOP | {"service_workers": "allow", "accept_downloads": True})
    complaints: list[str] = []
    yield new_page(context, complaints)
    context.close()
    assert [complaint for complaint in complaints if not NO_SERVER.search(complaint)] == []


def visit_and_keep(page: Page, address: str) -> None:
    """Open the page, and wait until its files are cached."""
    visit(page, address)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def kept(page: Page) -> list[str]:
    names: list[str] = page.evaluate("caches.keys()")
    return names


def test_the_static_page_below_any_address_and_offline(visitor_page: Page, static_page: Path, tmp_path: Path) -> None:
    page = visitor_page
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "path").symlink_to(static_page)
    with serving_files(tmp_path) as (_, root):
        address = f"{root}some/path/"
        visit_and_keep(page, address)
        # The board that Python finds for the seed.
        another(page, mode="no-guess", preset="beginner", seed=SEED)
        recipe = Recipe("9x9/10", seed=SEED)
        found = (one for start in range(0, 10**5, 100) for one in screen_range(recipe, start, start + 100))
        for row, col in cells_of(~next(found).puzzle.board.mine_map):
            cell = page.locator(f"#board [data-index='{9 * row + col}']")
            if "hidden-cell" in (cell.get_attribute("class") or ""):
                click_on(cell)
        expect(page.locator("#ending")).to_contain_text("Won in")
        page.locator("#ending-review").click()
        expect(page.locator("#title")).to_have_text(re.compile("^No-guess beginner 9x9/10, won$"))
        page.get_by_role("link", name="Record").click()
        expect(page.locator("#games tbody tr")).to_have_count(1)
        with page.expect_download() as export:
            page.locator("#export").click()
        exported = tmp_path / "sweep-record.json"
        export.value.save_as(exported)
        (game,) = json.loads(exported.read_text())["games"]
        rows = list(csv.DictReader(io.StringIO(CliRunner().invoke(review, [str(exported), "--csv"]).stdout)))
        assert [float(row["seconds"]) for row in rows] == [seconds for seconds, *_ in game["recorded_clicks"]]
        assert {row["kind"] for row in rows} <= {"first click", "certain", "forced guess", "needless guess"}
        assert {row["survived"] for row in rows} == {"1"}
        page.locator("#delete").click()
        page.locator("#sure [value=delete]").click()
        expect(page.locator("#nothing")).to_contain_text("Nothing yet")
        page.locator("#import").set_input_files({"name": "no.json", "mimeType": "application/json", "buffer": b"{}"})
        expect(page.locator("#import-error")).to_contain_text("expected a file that Export has written")

    visit(page, address)
    another(page, mode="daily", preset="expert", date="2026-02-03")
    assist(page, "Cheat")
    expect(page.locator("#words")).to_contain_text("Cleared")
    page.get_by_role("link", name="Record").click()
    expect(page.locator("#games tbody tr")).to_have_count(1)
    page.locator("#import").set_input_files(exported)
    expect(page.locator("#games tbody tr")).to_have_count(2)
    for name in ("Analyse", "Watch", "Play"):
        page.get_by_role("link", name=name).click()
        expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
        expect(page.locator("#board [data-index]").first).to_be_visible()


def test_without_its_server_the_page_plays_and_says_what_is_missing(visitor_page: Page) -> None:
    page = visitor_page
    with serving(Settings()) as port:
        address = f"http://127.0.0.1:{port}/"
        visit_and_keep(page, address)
        click_on(page.locator("#board [data-index='40']"))
        opened = page.locator("#board .open").count()

    page.reload()
    expect(page.locator("#board .open")).to_have_count(opened)
    page.locator("#hint").click()
    expect(page.locator("#words")).to_contain_text("Easiest step")
    assist(page, "Cheat")
    expect(page.locator("#ending")).to_contain_text("Won with help")
    review = page.locator("#ending-review").get_attribute("href") or ""
    page.locator("#ending-close").click()
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#modes")).not_to_contain_text("From a pack")
    for path, words in {
        "watch": "is ready to play",
        "analyse": "Certain: 21 safe cells",
        "record": "these are the games",
        "leaderboard": "The server does not answer",
        "review/1": "The server does not answer",
        review.strip("/"): "3BV a second",
    }.items():
        page.goto(f"{address}{path}")
        expect(page.locator("#main")).to_contain_text(words)


def test_a_server_that_does_not_answer_delays_nothing(visitor_page: Page) -> None:
    """The page was blank for as long as the server took, although all its files were there."""
    page = visitor_page
    with serving(Settings()) as port:
        visit_and_keep(page, f"http://127.0.0.1:{port}/")
    with socket.create_server(("127.0.0.1", port)):
        page.reload(wait_until="commit")
        click_on(page.locator("#board [data-index='40']"))
        expect(page.locator("#board .open").first).to_be_visible()


def test_another_version_takes_the_place_of_the_one_that_was_kept(visitor_page: Page, tmp_path: Path) -> None:
    page = visitor_page
    with serving(Settings()) as port:
        visit_and_keep(page, f"http://127.0.0.1:{port}/")
        (first,) = kept(page)
    newer = tmp_path / "static"
    shutil.copytree(STATIC, newer)
    index = newer / "index.html"
    index.write_text(index.read_text().replace(">Sweep</span>", ">Newer</span>"))
    with serving(Settings(), port, newer):
        page.reload()
        expect(page.locator(".brand")).to_contain_text("Sweep")
        page.evaluate(REPLACED, first)
        expect(page.locator("#words")).to_contain_text("There is a new version of this page.")
        page.get_by_role("button", name="Reload").click()
        expect(page.locator(".brand")).to_contain_text("Newer")
    page.reload()
    expect(page.locator(".brand")).to_contain_text("Newer")
    expect(page.locator("#board [data-index]").first).to_be_visible()


def test_files_of_two_versions_are_not_kept_together(visitor_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    served = files.served_files()
    script = re.sub(rb'(/js/more.js": ")[^"]{16}', rb"\g<1>" + b"0" * 16, served[files.SERVICE_WORKER])
    assert script != served[files.SERVICE_WORKER]
    monkeypatch.setattr(app, "served_files", lambda _: served | {files.SERVICE_WORKER: script})
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


def test_the_folder_names_no_address_of_a_server(static_page: Path) -> None:
    text = (static_page / "index.html").read_text()
    assert not re.findall(r'(?:href|src)="/', text)
    assert "leaderboard" not in text
    manifest = json.loads((static_page / "manifest.webmanifest").read_text())
    assert all((static_page / icon["src"]).exists() for icon in manifest["icons"])
    # iOS reads no SVG.
    (touch,) = re.findall(r'rel="apple-touch-icon" href="([^"]+)"', (static_page / "index.html").read_text())
    with Image.open(static_page / touch) as icon:
        assert icon.size == (180, 180)
    assert not [path for path in static_page.rglob("*.js") if "/api/leaderboard" in path.read_text()]
    texts = [path for path in static_page.rglob("*.*") if path.suffix != ".gz"]
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in texts}
    later = sizes["more.wasm.gzip"]
    assert sum(sizes.values()) - later < 340_000
    assert later < 122_500


def test_each_text_of_the_folder_is_compressed_beside_it(static_page: Path) -> None:
    packed = {path.with_suffix(""): gzip.decompress(path.read_bytes()) for path in static_page.rglob("*.gz")}
    texts = [path for path in static_page.rglob("*.*") if path.suffix in (".html", ".css", ".js", ".json", ".svg")]
    assert packed == {path: path.read_bytes() for path in texts}


def test_the_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    done = CliRunner().invoke(main, ["--export", str(tmp_path)])
    assert done.exit_code == 2
    assert "index.html" in done.output
    assert (tmp_path / "index.html").read_text() == "mine"
