"""Fixtures: a server with a small database, and Debian's Chromium."""

import json
import re
import secrets
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect, sync_playwright
from sample_records import RECIPE, filled, sampled
from starlette.testclient import TestClient

from minesweeper import Puzzle, Recipe, Store
from minesweeper.db.records import GameRecord, Sample
from minesweeper.generator import Limits, Task, generate
from minesweeper.scripts.dev.page import FLAGS, find_chromium
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.files import STATIC, export
from minesweeper.scripts.web.serving import configuration
from minesweeper.scripts.web.settings import Settings

ROOT = Path(__file__).parents[3]
PATIENCE_MS = 30_000
_EXPECTED = re.compile(
    "Service Worker registration blocked by Playwright|was preloaded using link preload but not used"
)
"""Console messages of pages without a service worker, as most tests use them, and of pages that need no options."""
expect.set_options(timeout=PATIENCE_MS)


class Visitor:
    """A player, as the server sees a browser."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def get(self, path: str, status: int = 200) -> Any:
        return self._answer(self.client.get(f"/api{path}"), status)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        return self._answer(self.client.post(f"/api{path}", json=body), status)

    def _answer(self, response: Any, status: int) -> Any:
        assert response.status_code == status, response.text
        return response.json()


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
    return sampled(0).puzzle


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = filled(tmp_path_factory.mktemp("web") / "minesweeper.db", 1)
    with Store(path) as store:
        store.add_games(
            GameRecord(strategy, Sample(RECIPE, game), won=game < wins, opened=50, guesses=1, seconds=0.01)
            for strategy, wins in (("champion", 40), ("local", 25))
            for game in range(50)
        )
    return path


@contextmanager
def serving(settings: Settings, port: int = 0, static: Path = STATIC) -> Iterator[int]:
    """Serve in a thread, and yield the port."""
    server = uvicorn.Server(configuration(create_app(settings, static), host="127.0.0.1", port=port))
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


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Keep the tests' output readable."""


@contextmanager
def serving_files(folder: Path) -> Iterator[tuple[ThreadingHTTPServer, str]]:
    """Serve a folder as any web server does; yield the server and its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server, f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def static_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the static page."""
    out = tmp_path_factory.mktemp("page")
    export(out)
    return out


@pytest.fixture(scope="session")
def place(static_page: Path) -> Iterator[str]:
    with serving_files(static_page) as (_, address):
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        pytest.skip("no Chromium: apt-get install chromium-headless-shell, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


_EXACTLY: Final = """{
    // Not the first visit, which has one more line. A page without an address has no storage.
    if (location.protocol !== "about:") localStorage.setItem("sweep-welcomed", "1");
    const send = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (data) {
        if (data.name === "newGame" && window.wanted) {
            data.args = [window.wanted];
            delete window.wanted;
        }
        send.call(this, data);
    };
}"""
"""Starts exactly the game that a test wants: another game of the same kind would have another seed."""


def new_page(context: BrowserContext, complaints: list[str]) -> Page:
    """Open a tab that collects the errors of its console."""

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _EXPECTED.search(message.text):
            complaints.append(message.text)

    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.add_init_script(_EXACTLY)
    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def settle(page: Page) -> None:
    """Wait until the engine has answered every move."""
    expect(page.locator("#board")).to_have_attribute("aria-busy", "false")


def click_on(target: Any, **options: Any) -> None:
    """Click an element, and wait until the engine has answered."""
    target.click(**options)
    settle(target.page)


def box_of(target: Any) -> Any:
    """Return the place of an element that is drawn."""
    box = target.bounding_box()
    assert box is not None
    return box


def open_tab(browser: Browser, complaints: list[str], **options: Any) -> Iterator[Page]:
    """Yield a tab of a context of its own, which collects the errors of its console."""
    context = browser.new_context(**options)
    yield new_page(context, complaints)
    context.close()


def visit(page: Page, path: str = "/") -> None:
    """Open a page and wait until it has started."""
    page.goto(path)
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")


def choose_game(page: Page, *labels: str) -> None:
    """Open the Play page and its dialog of new games, and check these labels."""
    visit(page)
    page.get_by_role("button", name="New game").click()
    for label in labels:
        page.locator("#new-game").get_by_label(label).check()


def another(page: Page, **request: Any) -> None:
    """Start another game on the Play page by the request."""
    page.evaluate(
        """request => {
            window.wanted = request;
            // In a field, the key would be a letter.
            document.activeElement.blur();
            sessionStorage.setItem("sweep-request", JSON.stringify(request));
        }""",
        request,
    )
    page.keyboard.press("n")
    settle(page)


def begin(page: Page, **request: Any) -> None:
    """Open the Play page and start a game by the request."""
    visit(page)
    another(page, **request)


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


@pytest.fixture(scope="session")
def console() -> list[str]:
    """The errors in the consoles of the tabs that tests share."""
    return []


@pytest.fixture
def complaints(console: list[str]) -> Iterator[list[str]]:
    """The errors of the console; a test fails if there are any."""
    console.clear()
    yield console
    assert console == []


LAPTOP: Final[dict[str, Any]] = {
    "viewport": {"width": 1280, "height": 720},
    "reduced_motion": "reduce",
    "service_workers": "block",
}
PHONE: Final[dict[str, Any]] = LAPTOP | {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


@pytest.fixture(scope="session")
def laptop(browser: Browser, address: str, console: list[str]) -> Iterator[Page]:
    yield from open_tab(browser, console, base_url=address, timezone_id="Asia/Kolkata", **LAPTOP)


@pytest.fixture(scope="session")
def handset(browser: Browser, address: str, console: list[str]) -> Iterator[Page]:
    yield from open_tab(browser, console, base_url=address, **PHONE)


def _as_new(page: Page, address: str, size: ViewportSize) -> Iterator[Page]:
    """Yield a tab without stored data, and clean it up. A new browser for each test would take half of its time."""
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": address.rstrip("/"), "storageTypes": "all"})
    session.detach()
    # The call above leaves the storage of the tab. For a document without an icon, Chromium requests one.
    empty = f"{address.rstrip('/')}/empty"
    page.route(empty, lambda route: route.fulfill(content_type="text/html", body='<link rel="icon" href="data:,">'))
    page.goto(empty)
    page.evaluate("sessionStorage.clear()")
    page.unroute(empty)
    yield page
    for other in page.context.pages:
        if other != page:
            other.close()
    page.unroute_all()
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")
    page.goto("about:blank")


@pytest.fixture
def page(laptop: Page, address: str, complaints: list[str]) -> Iterator[Page]:
    """A tab in the size of a laptop, in India."""
    yield from _as_new(laptop, address, {"width": 1280, "height": 720})


@pytest.fixture
def phone(handset: Page, address: str, complaints: list[str]) -> Iterator[Page]:
    """A tab in the size of a narrow phone, with a touch screen."""
    yield from _as_new(handset, address, {"width": 360, "height": 740})


@pytest.fixture(scope="session")
def static_tab(browser: Browser, place: str, console: list[str]) -> Iterator[Page]:
    yield from open_tab(browser, console, base_url=place, **LAPTOP)


@pytest.fixture
def local_page(static_tab: Page, place: str, complaints: list[str]) -> Iterator[Page]:
    yield from _as_new(static_tab, place, {"width": 1280, "height": 720})


@pytest.fixture
def own_page(browser: Browser, address: str, complaints: list[str]) -> Iterator[Page]:
    """A tab of a browser of its own, for scripts before those of the page and for another clock."""
    yield from open_tab(browser, complaints, base_url=address, **LAPTOP)


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
            # The dark theme changes colours alone.
            only = [] if theme == "light" else ["color-contrast", "link-in-text-block"]
            script = "only => axe.run(only.length ? {runOnly: only} : {}).then(result => result.violations)"
            faults = page.evaluate(script, only)
            assert [(theme, one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in faults] == []

    return check


@pytest.fixture(scope="session")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with solvable puzzles and some results."""
    path = tmp_path_factory.mktemp("pack") / "puzzles.db"
    recipe = Recipe("9x9/10", seed=5)
    with Store(path) as store:
        generate(Task(recipe, certified=False), Limits(1000, max_candidates=60), store, workers=1)
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


@pytest.fixture
def database_of_people(tmp_path: Path) -> Path:
    """A database without games."""
    path = tmp_path / "people.db"
    Store(path).close()
    return path


@pytest.fixture
def player(database_of_people: Path) -> Iterator[Visitor]:
    """A player on a server whose record is empty."""
    app = create_app(Settings(database=database_of_people))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Visitor(client)
