"""The npm package minesweeper-kernel, from its packed file: in Node, TypeScript and Chromium, as it is and bundled."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import serving_files
from playwright.sync_api import Browser

from minesweeper.player.version import VERSION

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "scripts/web/static/kernel"
TOOLS = ROOT / "node_modules"

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
with_tools = pytest.mark.skipif(
    not (TOOLS / "webpack").exists(), reason="needs TypeScript and the bundlers: see npm install in .ci/run"
)

# Write the result into the title of the page.
SOLVES = """
import { Grid, loadKernel, viewOf } from "minesweeper-kernel";
import { KernelWorker } from "minesweeper-kernel/worker";
import { loadKernel as loadGames } from "minesweeper-kernel/deal";
import { KernelWorker as GameWorker } from "minesweeper-kernel/deal-worker";
const kernel = await loadKernel();
const recipe = { grid: new Grid(9, 9), mines: 10, click: 40, seed: 7 };
const view = viewOf("1x3/1\\n01#");
const worker = new KernelWorker();
// No board has so many mines: the search does not end by itself.
const nameOf = (error) => error.name;
const hopeless = { ...recipe, mines: 79, start: "safe" };
const ended = worker.deal(hopeless, { signal: AbortSignal.timeout(100) }).catch(nameOf);
const wrong = worker.call("closure", [{ ...view, mines: 3 }]).catch(nameOf);
const hard = await worker.deal(recipe, { difficulty: "hard" });
const games = [(await loadGames()).findSolvable(recipe), await new GameWorker().deal(recipe)];
const found = [kernel.findSolvable(recipe), await worker.deal(recipe), ...games, hard];
const texts = found.map(({ index, difficulty, grid }) => [index, difficulty, grid.name].join(" "));
const known = [kernel.closure(view), await worker.call("closure", [view])];
document.title = [...known, await ended, await wrong, ...texts].join(", ");
"""
SOLVED = "0,0,2, 0,0,2, TimeoutError, InconsistentView, " + "0 easy 9x9, " * 4 + "28 hard 9x9"
WEBPACK = f"""
const options = {{ mode: "production", performance: {{ hints: false }}, entry: "./main.js" }};
require("{TOOLS}/webpack")({{ ...options, output: {{ path: `${{process.cwd()}}/webpack` }} }}, (error, stats) =>
  process.stdout.write(error?.stack ?? stats.toString({{ all: false, errors: true, warnings: true }})));
"""
# Each writes a folder of its name, and prints only warnings and errors.
BUNDLERS = {
    "webpack": ["node", "--eval", WEBPACK],
    "esbuild": [
        f"{TOOLS}/.bin/esbuild",
        "main=main.js",
        "worker-thread=minesweeper-kernel/worker-thread",
        "deal-thread=minesweeper-kernel/deal-thread",
        "--bundle",
        "--format=esm",
        "--outdir=esbuild",
        "--log-level=warning",
    ],
    "vite": [f"{TOOLS}/.bin/vite", "build", "--base=./", "--outDir=vite", "--logLevel=warn"],
}
TYPED = """
import { Grid, InconsistentView, type View, loadKernel, viewOf } from "minesweeper-kernel";
const view: View = viewOf("1x3/1\\n01#");
const kernel = await loadKernel(new Uint8Array(8));
const known: Uint8Array = kernel.closure(view);
const recipe = { grid: new Grid(9, 9), mines: 10, click: 40, seed: 7n };
export const found: number = kernel.findSolvable({ ...recipe, start: "safe" })?.index ?? known[0]!;
// @ts-expect-error
kernel.deal({ ...recipe, start: "Safe" });
import { loadKernel as loadGames } from "minesweeper-kernel/deal";
const games = await loadGames();
games.hint(view);
// @ts-expect-error
games.probabilities(view);
export const isError = new InconsistentView() instanceof Error;
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the packed file is installed."""
    folder = tmp_path_factory.mktemp("npm")

    def npm(*words: str) -> str:
        return subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, check=True).stdout

    (packed,) = json.loads(npm("pack", "--json", str(PACKAGE)))
    modules = {
        "calls",
        "deal",
        "deal-thread",
        "deal-worker",
        "grids",
        "index",
        "kernel",
        "messages",
        "worker",
        "worker-thread",
    }
    typed = {"calls", "deal", "deal-worker", "index", "worker"}
    names = {"README.md", "package.json", *(f"{name}.wasm" for name in ("deal", "kernel", "more"))}
    names |= {f"{name}.js" for name in modules} | {f"{name}.d.ts" for name in typed}
    assert {file["path"] for file in packed["files"]} == names
    assert packed["version"] == VERSION
    (folder / "package.json").write_text("{}")
    npm("install", "--offline", "--no-audit", "--no-fund", f"./{packed['filename']}")
    return folder


def test_the_packed_file_passes_its_tests_in_node(project: Path) -> None:
    tests = ROOT / "tests/player/wasm/kernel.test.mjs"
    installed = project / "node_modules/minesweeper-kernel/index.js"
    environment = os.environ | {"MINESWEEPER_KERNEL": installed.as_uri()}
    done = subprocess.run(["node", "--test", tests], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    by_name = "import { loadKernel } from 'minesweeper-kernel'; console.log(typeof (await loadKernel()).closure)"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", by_name], cwd=project, capture_output=True, text=True, check=True
    )
    assert done.stdout == "function\n"


def title_of(browser: Browser, project: Path, page_path: str) -> str:
    """Open a page of the folder, and return its title once a script has written one."""
    with serving_files(project) as (_, address):
        page = browser.new_page()
        page.goto(f"{address}/{page_path}")
        page.wait_for_function("document.title")
        title = page.title()
        page.close()
    return title


def test_a_plain_page_works_in_chromium(project: Path, browser: Browser) -> None:
    files = {"": "index", "/worker": "worker", "/deal": "deal", "/deal-worker": "deal-worker"}
    folder = "minesweeper-kernel"
    paths = {folder + name: f"/node_modules/{folder}/{file}.js" for name, file in files.items()}
    imports = json.dumps({"imports": paths})
    script = f'<script type="importmap">{imports}</script><script type="module">{SOLVES}</script>'
    (project / "plain.html").write_text(f"<!doctype html>{script}")
    assert title_of(browser, project, "plain.html") == SOLVED


@with_tools
@pytest.mark.parametrize("name", BUNDLERS)
def test_a_bundle_has_no_warning_and_works_in_chromium(project: Path, browser: Browser, name: str) -> None:
    (project / "main.js").write_text(SOLVES)
    page = '<!doctype html><script type="module" src="./main.js"></script>'
    (project / "index.html").write_text(page)
    done = subprocess.run(BUNDLERS[name], cwd=project, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    if name != "vite":
        (project / name / "index.html").write_text(page)
    if name == "esbuild":
        for module in ("kernel.wasm", "deal.wasm"):
            shutil.copy(project / "node_modules/minesweeper-kernel" / module, project / name)
    assert title_of(browser, project, f"{name}/index.html") == SOLVED


@with_tools
def test_types_need_no_dom_library(project: Path) -> None:
    (project / "typed.mts").write_text(TYPED)
    options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022", "--module", "nodenext"]
    done = subprocess.run(
        [TOOLS / ".bin/tsc", *options, "--types", "", "typed.mts"], cwd=project, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
