"""The npm package minesweeper-kernel, from its packed file: in Node and in Chromium."""

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

pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")

SOLVED = """async () => {
  const { Grid, loadKernel, viewOf } = await import("/node_modules/minesweeper-kernel/index.js");
  const kernel = await loadKernel();
  const { index } = kernel.findSolvable({ grid: new Grid(9, 9), mines: 10, click: 40, seed: 7 });
  return [[...kernel.closure(viewOf("1x3/1\\n01#"))], index];
}"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the packed file is installed."""
    folder = tmp_path_factory.mktemp("npm")

    def npm(*words: str) -> str:
        return subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, check=True).stdout

    (packed,) = json.loads(npm("pack", "--json", str(PACKAGE)))
    names = {"README.md", "grids.js", "index.d.ts", "index.js", "kernel.wasm", "package.json"}
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


def test_the_packed_file_works_in_chromium(project: Path, browser: Browser) -> None:
    (project / "index.html").write_text("<!doctype html><title>npm</title>")
    with serving_files(project) as (_, address):
        page = browser.new_page()
        page.goto(address)
        known, index = page.evaluate(SOLVED)
        page.close()
    assert known == [0, 0, 2]
    assert index >= 0
