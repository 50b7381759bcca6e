"""The page as a folder of static files: whole games of every kind without a server of its own, and offline."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import assist, new_page, settle
from playwright.sync_api import Browser, Page, expect

from minesweeper.generator.screening import screen_range
from minesweeper.player.board import Puzzle
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.commands.sweep import main

PLACE = "/some/path/"
SEED = 7


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page below the folder that is served."""
    out = tmp_path_factory.mktemp("served") / PLACE.strip("/")
    done = CliRunner().invoke(main, ["--export", str(out)])
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture
def web_server(files: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Python's own web server, and the address of the page."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(files.parents[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        port = re.search(r"port (\d+)", server.stdout.readline())
        assert port is not None
        yield server, f"http://127.0.0.1:{port[1]}{PLACE}"
        server.terminate()


@pytest.fixture
def local_page(browser: Browser) -> Iterator[Page]:
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    yield new_page(context, complaints)
    context.close()
    assert complaints == []


def begin(page: Page, title: str, **request: Any) -> None:
    """Start a game by a request."""
    expect(page.locator("#title")).not_to_have_text("Loading")
    page.evaluate("request => sessionStorage.setItem('sweep-request', request)", json.dumps(request))
    page.keyboard.press("n")
    if page.locator("#leave").get_attribute("open") is not None:
        page.locator("#leave [value=leave]").click()
    expect(page.locator("#title")).to_have_text(re.compile(title))
    settle(page)


def click(page: Page, index: int) -> None:
    page.locator(f"#board [data-index='{index}']").click()
    settle(page)


def solvable() -> Puzzle:
    """Return the first solvable beginner board of the seed, as the page deals it."""
    recipe = Recipe("9x9/10", seed=SEED)
    return next(one for start in range(0, 10**5, 100) for one in screen_range(recipe, start, start + 100)).puzzle


def test_every_kind_of_game_without_a_server(local_page: Page, web_server: tuple[subprocess.Popen[str], str]) -> None:
    page, (server, address) = local_page, web_server
    page.goto(address)
    expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10, in this browser")
    # Without a seed, any first click opens an area.
    click(page, 0)
    expect(page.locator("#board [data-index='0']")).to_have_class("cell open n0")

    # A no-guess game by clicks, on the board that Python deals for the seed.
    begin(page, "No-guess beginner", mode="no-guess", preset="beginner", seed=SEED)
    board = solvable().board
    mines = [row * 9 + col for row in range(9) for col in range(9) if board.mine_map[row, col]]
    hidden = page.locator("#board .hidden-cell")
    while hidden.count() > 10:
        left = hidden.evaluate_all("cells => cells.map(cell => Number(cell.dataset.index))")
        click(page, next(index for index in left if index not in mines))
    expect(page.locator("#ending")).to_contain_text("Won in")
    expect(page.locator("#ending")).to_contain_text("3BV")
    expect(page.locator("#ending")).to_contain_text("Luck")
    expect(page.locator("#ending-review")).to_be_visible()

    # A loss: the reason, the undo, the rest by the cheat.
    page.locator("#ending-same").click()
    settle(page)
    click(page, mines[0])
    expect(page.locator("#words")).to_contain_text(re.compile("is a mine:|It was a guess"))
    page.locator("#undo").click()
    expect(page.locator("#words")).to_contain_text("undone")
    page.locator("#hint").click()
    expect(page.locator("#words")).to_contain_text("Easiest step")
    assist(page, "Cheat")
    expect(page.locator("#words")).to_contain_text("Cleared")

    # Other kinds, solved by the cheat.
    begin(page, "hard", mode="no-guess", preset="intermediate", difficulty="hard", seed=SEED)
    assist(page, "Cheat")
    expect(page.locator("#words")).to_contain_text("Cleared")
    begin(page, "^Daily .* expert 16x30/99", mode="daily", preset="expert")
    assist(page, "Cheat")
    expect(page.locator("#words")).to_contain_text("Cleared")
    begin(page, "^Classic", mode="classic", preset="beginner", start="safe", seed=SEED)
    click(page, 0)
    assist(page, "Chances")
    expect(page.locator("#words")).to_contain_text(re.compile("Chances of a mine|Nothing is certainly safe"))
    assist(page, "Chances")

    # Kaboom: the verdicts, a survived click, a fatal one.
    begin(page, "^Kaboom", mode="kaboom", rows=8, cols=8, mines=8, seed=SEED, rules={"mode": "cruelest"})
    token = page.url
    click(page, 27)
    expect(page.locator("#words")).to_contain_text("The first click is always safe.")
    assist(page, "Verdicts")
    expect(page.locator("#words")).to_contain_text("What a click would do")
    expect(page.locator("#board .is-mine").or_(page.locator("#board .refused")).first).to_be_visible()
    page.locator("#board .is-mine, #board .refused").first.click()
    expect(page.locator("#words")).to_contain_text(
        re.compile("certain to be a mine|not granted|only next to the clues")
    )
    page.locator("#undo").click()
    expect(page.locator("#words")).to_contain_text("undone")

    # A reload continues the game; a link recreates its kind.
    opened = page.locator("#board .open").count()
    page.reload()
    expect(page.locator("#board .open")).to_have_count(opened)
    page.evaluate("sessionStorage.clear()")
    page.goto(token)
    expect(page.locator("#title")).to_have_text(re.compile("^Kaboom 8x8/8"))
    expect(page.locator("#board .hidden-cell")).to_have_count(64)

    # Watch a whole game.
    page.get_by_role("link", name="Watch").click()
    page.locator("#preset").select_option("beginner")
    page.locator("#strategy").select_option("lookahead")
    expect(page.locator("#title")).to_have_text(re.compile("^lookahead beginner"))
    page.locator("#speed").evaluate("slider => { slider.value = slider.max; }")
    page.locator("#run").click()
    expect(page.locator("#words")).to_contain_text(re.compile("It won|It lost"))

    # Analyse the example, a contradiction, and text that is no position.
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator("#words")).to_contain_text("Certain: 21 safe cells, 9 mines")
    expect(page.locator("#steps li")).not_to_have_count(0)
    for text, words in (
        ("1x3/1\n#3#", "contradict"),
        ("chess", "Unknown format of a position"),
        ("1x3/1\n#1#", "The best guess is"),
    ):
        page.locator("#text").fill(text)
        page.locator("#read").click()
        expect(page.locator("#words")).to_contain_text(words)

    # The record of this browser.
    page.get_by_role("link", name="Record").click()
    expect(page.locator("#tiles")).to_contain_text("games in all")
    page.get_by_role("row").filter(has_text=re.compile("won.*No-guess beginner")).get_by_role("link").first.click()
    expect(page.locator("#title")).to_have_text(re.compile("^No-guess beginner .*, won$"))
    page.locator("#last").click()
    expect(page.locator("#words")).to_contain_text("The game was won")
    page.locator("#back").click()
    expect(page.locator("#words")).to_contain_text(re.compile("Certain|guess"))
    for name in ("Clicks", "3BV a click", "ZiNi a click", "Luck"):
        expect(page.locator("#stats")).to_contain_text(name)
    page.go_back()
    played = page.locator("#tiles .tile").nth(1).text_content() or ""
    with page.expect_download() as export:
        page.locator("#export").click()
    exported = export.value.path()
    assert f"{len(json.loads(exported.read_text())['games'])}games in all" == played
    page.locator("#delete").click()
    page.locator("#sure [value=delete]").click()
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")
    page.locator("#import").set_input_files({"name": "no.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(page.locator("#import-error")).to_contain_text("expected a file that Export has written")
    page.locator("#import").set_input_files(exported)
    expect(page.locator("#tiles .tile").nth(1)).to_have_text(played)

    # No page is wider than a phone.
    page.set_viewport_size({"width": 360, "height": 640})
    for name in ("Record", "Analyse", "Watch", "Play"):
        page.get_by_role("link", name=name).click()
        expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1280, "height": 720})

    # Offline: without the server the page still opens and deals.
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.terminate()
    server.wait()
    page.goto(address)
    begin(page, "^No-guess expert", mode="no-guess", preset="expert", seed=SEED)
    assist(page, "Cheat")
    expect(page.locator("#words")).to_contain_text("Cleared")


def test_a_game_outlives_its_engine(local_page: Page, web_server: tuple[subprocess.Popen[str], str]) -> None:
    page, (_, address) = local_page, web_server
    page.clock.install()
    page.add_init_script(
        """{
            const send = Worker.prototype.postMessage;
            Worker.prototype.postMessage = function (data) { if (data.question !== "hint") send.call(this, data); };
        }"""
    )
    page.goto(address)
    begin(page, "No-guess beginner", mode="no-guess", preset="beginner", seed=SEED)
    page.keyboard.press("h")
    expect(page.locator("#board")).to_have_attribute("aria-busy", "true")
    while "30 seconds" not in page.locator("#words").inner_text():
        page.clock.fast_forward(31_000)
    mine_map = solvable().board.mine_map.ravel()
    opened = page.locator("#board .open").count()
    hidden = page.locator("#board .hidden-cell").evaluate_all("cells => cells.map(cell => Number(cell.dataset.index))")
    click(page, next(index for index in hidden if not mine_map[index]))
    expect(page.locator("#board .open")).not_to_have_count(opened)


def test_the_browser_keeps_the_clicks_of_300_games(
    local_page: Page, web_server: tuple[subprocess.Popen[str], str]
) -> None:
    page, (_, address) = local_page, web_server
    game = {"kind": "classic 1x3/1", "title": "Old", "mode": "classic", "won": False, "seconds": 1.0, "clicks": 1}
    game |= {"recorded_clicks": [[0.5, [0, 0], [[0, 0]], 0]], "mines": ["*.."], "ended": "2026-01-01 00:00:00"}
    games = [{"id": f"old-{number}", **game} for number in range(301)]
    page.goto(f"{address}?page=record")
    record = {"name": "old.json", "mimeType": "application/json", "buffer": json.dumps({"games": games}).encode()}
    page.locator("#import").set_input_files(record)
    expect(page.locator("#tiles")).to_contain_text("301games in all")
    page.get_by_role("link", name="Play").click()
    begin(page, "^Classic", mode="classic", rows=1, cols=3, mines=2, start="safe", seed=SEED)
    click(page, 0)
    expect(page.locator("#ending")).to_contain_text("Won in")
    page.get_by_role("link", name="Record").click()
    with page.expect_download() as export:
        page.locator("#export").click()
    stored = json.loads(export.value.path().read_text())["games"]
    assert (len(stored), sum("recorded_clicks" in one for one in stored)) == (302, 300)


def test_the_folder_names_no_address_of_a_server(files: Path) -> None:
    text = (files / "index.html").read_text()
    assert not re.findall(r'(?:href|src)="/(?!api/record/export)', text)
    assert "leaderboard" not in text
    manifest = json.loads((files / "manifest.webmanifest").read_text())
    assert all((files / icon["src"]).exists() for icon in manifest["icons"])
    assert not list(files.rglob("leaderboard.js"))
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in files.rglob("*.*")]
    assert sum(sizes) < 300_000


def test_the_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    done = CliRunner().invoke(main, ["--export", str(tmp_path)])
    assert done.exit_code == 2
    assert "index.html" in done.output
    assert (tmp_path / "index.html").read_text() == "mine"
