"""The benchmarks: plausible numbers, and no assertion about speed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minesweeper.db.formats.format import imported_record
from minesweeper.db.store import Import, Store
from minesweeper.player.core.recipe import Recipe
from minesweeper.scripts.dev.page import serving
from minesweeper.scripts.dev.revisions import unexplained

pytestmark = pytest.mark.faults

TOOLS = Path(__file__).parents[3] / "scripts" / "dev"


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOLS / script), *options], capture_output=True, text=True)


def output(script: str, *options: str) -> str:
    result = run(script, *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def bench(*options: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(output("bench.py", "--seconds", "0", "--scale", "0.01", "--json", *options))
    return rows


@pytest.mark.kernel
def test_every_benchmark_gives_a_plausible_row() -> None:
    rows = bench()
    assert [f"{row['work']}: {row['program']}" for row in rows] == output("bench.py", "--list").splitlines()
    assert {"native", "native, certified", "sat", "SQLite", "2 workers"} < {row["program"] for row in rows}
    first_rates: dict[str, float] = {}
    for row in rows:
        first = first_rates.setdefault(row["work"], row["rate"])
        assert 0 < row["rate"] < 1e12
        assert row["pieces"] > 0
        assert row["each"] * row["rate"] == pytest.approx(1e6)
        assert row["ratio"] * row["rate"] == pytest.approx(first)
        assert re.fullmatch("[0-9a-f]{12}", row["digest"])


@pytest.mark.kernel
def test_benchmarks_repeat_their_results() -> None:
    works = ("--work", "packs import", "--work", "16x30/99, certified", "--work", "a game of")
    first, second = ([(row["work"], row["digest"]) for row in bench(*works)] for _ in range(2))
    assert first == second
    assert first[0] == first[1]  # by one worker and by two


FIGURE = re.compile("<!--=(.+?)-->(.*?)<!--/-->")


@pytest.mark.kernel
def test_figures_are_measured_and_written_into_every_page(tmp_path: Path) -> None:
    root = TOOLS.parents[1]
    pages = [path for path in (root / "README.md", *(root / "docs").rglob("*.md")) if FIGURE.search(path.read_text())]
    for page in pages:
        copy = tmp_path / page.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(FIGURE.sub(r"<!--=\1-->?<!--/-->", page.read_text()))
    result = run("figures.py", str(tmp_path), "--seconds", "0", "--scale", "0.01", "--no-build")
    if "not installed" in result.stderr:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    for page in pages:
        text = (tmp_path / page.relative_to(root)).read_text()
        assert FIGURE.sub("", text) == FIGURE.sub("", page.read_text())
        assert {name for name, value in FIGURE.findall(text) if value == "?"} <= {"build minutes"}


def test_figures_of_all_pages_agree() -> None:
    root = TOOLS.parents[1]
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    found = {figure for page in pages for figure in FIGURE.findall(page.read_text())}
    assert len({name for name, _ in found}) == len(found) > 10


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--instructions"], "--instructions needs --against REVISION"),
        (["--fail-above", "5"], "--fail-above needs --against REVISION"),
        (["--work", "no such work"], "no benchmark has 'no such work' in its name; see --list"),
        (["--against", "no-such-revision"], "has no revision 'no-such-revision'"),
    ],
)
def test_bench_rejects_impossible_requests_in_one_line(options: list[str], message: str) -> None:
    result = run("bench.py", *options)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_a_slower_benchmark_needs_a_line_that_explains_it() -> None:
    rows = [{"name": name, "ratio": ratio} for name, ratio in (("a: x", 0.9), ("b: y", 0.96), ("c: z", 0.95))]
    assert unexplained(rows, 5, "") == ["a: x", "c: z"]
    assert unexplained(rows, 5, "Subject\n\nSlower: a: x: exact counts\nSlower: c: z\n") == ["c: z"]
    assert unexplained(rows, 12, "") == []


@pytest.mark.long
@pytest.mark.skipif(shutil.which("locust") is None, reason="needs pip install locust")
def test_requests_of_many_players_are_timed(tmp_path: Path) -> None:
    with Store(tmp_path / "load.db") as store, Import(store) as batch:
        batch.add([imported_record(Recipe("beginner", seed=7).puzzle(0))])
    with serving("--db", str(tmp_path / "load.db")) as address:
        options = ("--host", address.rstrip("/"), "--users", "3", "--spawn-rate", "3", "--run-time", "8s")
        command = ["locust", "-f", TOOLS / "locustfile.py", *options, "--headless", "--json", "--skip-log"]
        result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr  # 1 if a request failed
    requests = {(row["method"], row["name"]) for row in json.loads(result.stdout)}
    assert {("GET", "/static"), ("GET", "/api/puzzle"), ("POST", "/api/record")} < requests
