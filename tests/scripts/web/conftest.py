"""Fixtures: a server with a small database, and Debian's Chromium."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from sample_records import add_puzzles
from starlette.testclient import TestClient

from minesweeper.db.records import GameRecord, PuzzleRecord, RunKey, Sample
from minesweeper.db.store import Store
from minesweeper.generator.screening import screen_range
from minesweeper.player.board import Cell, Puzzle, View, cells_of
from minesweeper.player.kaboom.game import Kaboom, Rules
from minesweeper.player.logic import closure
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import Tally
from minesweeper.player.why.analysis import solve
from minesweeper.scripts.dev.page import FLAGS, find_chromium
from minesweeper.scripts.web.app import STATIC, create_app
from minesweeper.scripts.web.connections import configuration
from minesweeper.scripts.web.settings import Settings

ROOT = Path(__file__).parents[3]
PATIENCE_MS = 30_000
_BLOCKED = "Service Worker registration blocked by Playwright"
"""The console message of pages without a service worker, as most tests use them."""
expect.set_options(timeout=PATIENCE_MS)


class Visitor:
    """A player; `traffic` collects all responses with their headers and cookies."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.traffic: list[str] = []

    def get(self, path: str, status: int = 200) -> Any:
        return self._answer(self.client.get(f"/api{path}"), status)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        return self._answer(self.client.post(f"/api{path}", json=body), status)

    def new(self, **wanted: Any) -> Any:
        return self.post("/games", **wanted)

    def move(self, game: Any, verb: str, cell: tuple[int, int] | None = None, status: int = 200, **body: Any) -> Any:
        where = {} if cell is None else {"row": cell[0], "col": cell[1]}
        return self.post(f"/games/{game['id']}/{verb}", status, **where, **body)

    def help(self, game: Any, safe: Iterable[Cell] = (), mines: Iterable[Cell] = (), status: int = 200) -> Any:
        """Note help, and open and flag cells."""
        opening, flagging = ([row * game["cols"] + col for row, col in cells] for cells in (safe, mines))
        return self.post(f"/games/{game['id']}/help", status, safe=opening, mines=flagging)

    def ask(self, game: Any, question: str, status: int = 200) -> Any:
        return self.get(f"/games/{game['id']}/{question}", status)

    def _answer(self, response: Any, status: int) -> Any:
        assert response.status_code == status, response.text
        self.traffic.append(f"{response.status_code} {response.headers.items()} {response.text}")
        return response.json()


def view_of(game: Any) -> View:
    """Return the view in the state of a game."""
    return View.from_text("\n".join(game["cells"]), game["mines"])


def kaboom_of(game: Any) -> Kaboom:
    """Return a game of Kaboom with the position and the rules in the state of a game."""
    kaboom = Kaboom(game["rows"], game["cols"], game["mines"], rules=Rules(**game["rules"]), seed=0)
    kaboom.resume(view_of(game))
    return kaboom


def best_cells(game: Any) -> tuple[Cell, ...]:
    """Return all certainly safe cells; without one, a cell to guess, in Kaboom one that is granted."""
    if game["status"] == "ready":
        return ((game["rows"] // 2, game["cols"] // 2),)
    view = view_of(game)
    known = closure(view)
    if known.safe_map.any():
        return cells_of(known.safe_map)
    if game["rules"]:
        return cells_of(kaboom_of(game).guessable)[:1]
    best = solve(view).best
    assert best is not None
    return (best,)


def cheat(visitor: Visitor, game: Any, *, guess: bool = False) -> Any:
    """Open all certainly safe cells until none is left; with `guess`, play to the end. Return the last state."""
    while game["status"] == "playing" and (guess or closure(view_of(game)).safe_map.any()):
        game = visitor.help(game, best_cells(game))
    return game


class Advise:
    """A process that answers as the worker of the page does."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._asked, self._answers = process.stdin, process.stdout

    def __call__(self, question: str, position: Any, **more: Any) -> Any:
        self._asked.write(json.dumps({"question": question, "position": position, "more": more}) + "\n")
        self._asked.flush()
        return json.loads(self._answers.readline())


@pytest.fixture(scope="session")
def advise() -> Iterator[Advise]:
    """The help of the page, in Node instead of a worker of the browser."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node")
    command = [node, str(Path(__file__).with_name("advise.mjs"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Advise(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(autouse=True)
def fixed_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the random boards equal in every run: some boards start without a certain cell, or end at once."""
    dice = Random(11)
    monkeypatch.setattr(secrets, "randbelow", dice.randrange)
    monkeypatch.setattr(secrets, "randbits", dice.getrandbits)


@pytest.fixture(scope="session")
def stored_puzzle() -> Puzzle:
    """A beginner puzzle that is in the database."""
    return Recipe(9, 9, 10, (4, 4), "opening", 7).puzzle(0)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory, stored_puzzle: Puzzle) -> Path:
    path = tmp_path_factory.mktemp("web") / "minesweeper.db"
    key = RunKey(Recipe(9, 9, 10, (4, 4), "opening", 7))
    record = PuzzleRecord(stored_puzzle, "opening", 0, 7, "sat", "rejection", Tally(60, 2, 0, 0))
    with Store(path) as store:
        run = store.begin_run(key, {}, "sat")
        add_puzzles(store, run.id, [record], next_index=1, candidates=1, seconds=0.1)
        store.add_games(
            GameRecord(
                strategy,
                Sample(key.recipe, game),
                won=game < wins,
                opened=50,
                guesses=1,
                seconds=0.01,
            )
            for strategy, wins in (("champion", 40), ("local", 25))
            for game in range(50)
        )
    return path


@contextmanager
def serving(settings: Settings, port: int = 0, static: Path = STATIC) -> Iterator[int]:
    """Serve in a thread, and yield the port."""
    server = uvicorn.Server(configuration(create_app(settings, static), settings, host="127.0.0.1", port=port))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.02)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def address(database: Path) -> Iterator[str]:
    """The address of a server that listens on a port."""
    with serving(Settings(database=database)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        pytest.skip("no Chromium: apt-get install chromium-headless-shell, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


def new_page(context: BrowserContext, complaints: list[str]) -> Page:
    """Open a tab that collects the errors of its console."""

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and message.text != _BLOCKED:
            complaints.append(message.text)

    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    # Not the first visit, which begins with an explanation. A page without an address has no storage.
    page.add_init_script("if (location.protocol !== 'about:') localStorage.setItem('sweep-welcomed', '1')")
    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def settle(page: Page) -> None:
    """Wait until the server has answered every move."""
    expect(page.locator("#board")).to_have_attribute("aria-busy", "false")


def visit(page: Page, path: str = "/") -> None:
    """Open a page and wait until it has started."""
    page.goto(path)
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")


def begin(page: Page, request: dict[str, object]) -> None:
    """Open the Play page and start a game by the request."""
    visit(page)
    page.evaluate("request => sessionStorage.setItem('sweep-request', request)", json.dumps(request))
    with page.expect_response(lambda response: response.url.endswith("/api/games")):
        page.keyboard.press("n")
    settle(page)


def assist(page: Page, name: str) -> None:
    """Click a button of the Assistant drawer."""
    drawer = page.locator("#assistant")
    if drawer.get_attribute("open") is None:
        drawer.locator("summary").click()
    drawer.get_by_role("button", name=name).click()


def forgive(complaints: list[str], status: str) -> None:
    """Remove the errors that the browser logs for responses with this status; fail if there are others."""
    assert all(status in complaint for complaint in complaints)
    complaints.clear()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """The errors of the console; a test fails if there are any."""
    errors: list[str] = []
    yield errors
    assert errors == []


@pytest.fixture
def page(browser: Browser, address: str, complaints: list[str]) -> Iterator[Page]:
    """A tab in the size of a laptop, in India."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": 1280, "height": 720},
        reduced_motion="reduce",
        service_workers="block",
        timezone_id="Asia/Kolkata",
    )
    yield new_page(context, complaints)
    context.close()


@pytest.fixture
def phone(browser: Browser, address: str, complaints: list[str]) -> Iterator[Page]:
    """A tab in the size of a narrow phone, with a touch screen."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        service_workers="block",
    )
    yield new_page(context, complaints)
    context.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, from node_modules or downloaded with npm."""
    installed = ROOT / "node_modules/axe-core/axe.min.js"
    if installed.exists():
        return installed.read_text()
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no axe-core, and no npm to download it: npm install axe-core")
    folder = tmp_path_factory.mktemp("axe")
    subprocess.run([npm, "install", "--silent", "--prefix", str(folder), "axe-core"], check=True, timeout=120)
    return (folder / "node_modules/axe-core/axe.min.js").read_text()


@pytest.fixture(scope="session")
def check_accessibility(axe: str) -> Callable[[Page], None]:
    """A function that fails if axe-core finds a fault of the page in the light or the dark theme."""

    def check(page: Page) -> None:
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe)
        themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for theme in themes:
            page.emulate_media(color_scheme=theme)
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
            faults = page.evaluate("axe.run().then(result => result.violations)")
            assert [(theme, one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in faults] == []

    return check


@pytest.fixture(scope="session")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with solvable puzzles and some results."""
    path = tmp_path_factory.mktemp("pack") / "puzzles.db"
    recipe = Recipe(9, 9, 10, (4, 4), "opening", 5)
    kept = list(screen_range(recipe, 0, 60))
    with Store(path) as store:
        run = store.begin_run(RunKey(recipe), {}, "auto")
        records = [
            PuzzleRecord(one.puzzle, "opening", one.index, 5, "auto", "rejection", one.screening.tally) for one in kept
        ]
        add_puzzles(store, run.id, records, next_index=60, candidates=60, seconds=1.0)
        store.add_games(GameRecord("local", Sample(recipe, index), index % 2 == 0, 30, 1, 0.1) for index in range(10))
    return path


@pytest.fixture(scope="session")
def client(pack: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(database=pack)), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    client.cookies.clear()
    return Visitor(client)
