"""The benchmarks: that they come out with numbers that can be. How fast anything is, no test asks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minesweeper.player import kernel_api
from minesweeper.scripts.dev.chromium import find_chromium

pytestmark = pytest.mark.faults

SCRIPTS = Path(__file__).parents[2] / "scripts"

needs_kernel = pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")


def output(script: str, *options: str) -> str:
    command = [sys.executable, str(SCRIPTS / script), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@needs_kernel
def test_the_race_of_the_engines_has_a_row_for_everybody_and_everything() -> None:
    rows: list[dict[str, Any]] = json.loads(output("bench.py", "--seconds", "0.001", "--json"))
    works: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        works.setdefault(row["work"], []).append(row)
    assert {work.split(" ")[0] for work in works} == {
        *("solvable", "candidates", "mine", "closure", "generate", "storing", "a", "games", "start-up"),
    }
    assert len(works) == 17
    for entrants in works.values():
        first = entrants[0]
        assert first["program"].split(",")[0] in ("kernel", "SQLite")
        assert first["ratio"] == 1
        assert len({row["program"] for row in entrants}) == len(entrants)
        for row in entrants:
            assert 0 < row["rate"] < 1e12
            assert row["each"] * row["rate"] == pytest.approx(1e6)
            assert row["ratio"] * row["rate"] == pytest.approx(first["rate"])
            assert row["unit"].endswith("/s")
    assert {"sat", "kernel, certified"} < {row["program"] for row in rows}


@needs_kernel
def test_a_lap_has_every_work_and_comes_to_the_same_again(tmp_path: Path) -> None:
    def lap(scale: str, *works: str) -> dict[str, tuple[int, float, str]]:
        command = [sys.executable, str(SCRIPTS / "speed" / "lap.py"), "", scale, *works]
        lines = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout.splitlines()
        return {name: tuple(rest) for name, *rest in map(json.loads, lines)}

    names, once = lap("0"), lap("0.01")
    assert [*names] == [*once]
    for pieces, seconds, digest in once.values():
        assert pieces > 0
        assert seconds > 0
        assert re.fullmatch("[0-9a-f]{12}", digest)
    again = lap("0.01", *[*once][-4:])
    assert {name: found[2] for name, found in again.items()} == {name: once[name][2] for name in [*once][-4:]}
    assert list(tmp_path.iterdir()) == []


@needs_kernel
def test_works_and_instructions_are_asked_for_beside_a_revision_only() -> None:
    for options, said in (
        (["--instructions"], "expected --against REVISION"),
        (["--work", "packs"], "expected --against REVISION"),
        (["--against", "HEAD", "--work", "no such work"], "candidate 16x30/99, candidate 30x50/300"),
    ):
        result = subprocess.run([sys.executable, str(SCRIPTS / "bench.py"), *options], capture_output=True, text=True)
        assert result.returncode == 2
        assert said in result.stderr.splitlines()[-1]


@needs_kernel
def test_a_revision_that_is_not_there_is_refused_in_one_line() -> None:
    command = [sys.executable, str(SCRIPTS / "bench.py"), "--against", "no-such-revision"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert "expected a revision of" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_the_search_for_reasons_is_timed_for_every_known_cell() -> None:
    rows = {
        row.pop("reasons"): row
        for row in json.loads(output("bench_reasons.py", "--games", "1", "--seed", "4", "--json"))
    }
    everything = rows.pop("all")
    assert sum(row["cells"] for row in rows.values()) == everything["cells"] > 100
    assert everything["worst"] == max(row["worst"] for row in rows.values())
    assert everything["most_clues"] == max(row["most_clues"] for row in rows.values())
    assert (rows["one clue"]["most_clues"], rows["two clues"]["most_clues"]) == (1, 2)
    for row in rows.values():
        assert 0 <= row["median"] <= row["p99"] <= row["worst"]
        assert 0 <= float(row["smallest"].removesuffix("%")) <= 100


def test_clicks_and_hints_on_the_page_are_timed() -> None:
    if find_chromium() is None:
        pytest.skip("expected Chromium: apt-get install chromium-headless-shell, or its path in the variable CHROMIUM")
    lines = output("bench_page.py", "--clicks", "3").splitlines()
    found = [
        re.fullmatch(r"(.*): p50 (\d+\.\d) ms, p95 (\d+\.\d) ms, p99 (\d+\.\d) ms, of (\d+)", line) for line in lines
    ]
    clicks, hints = [one.groups() for one in found if one is not None]
    assert (clicks[0], clicks[4]) == ("click to repaint", "3")
    assert (hints[0], int(hints[4]) > 0) == ("hint", True)
    for _, *cuts, _ in (clicks, hints):
        assert 0 < float(cuts[0]) <= float(cuts[1]) <= float(cuts[2])


def test_clicks_over_a_slow_line_are_timed_and_none_is_lost() -> None:
    if find_chromium() is None:
        pytest.skip("expected Chromium: apt-get install chromium-headless-shell, or its path in the variable CHROMIUM")
    lines = output("bench_page.py", "--clicks", "9", "--round-trip", "20").splitlines()
    for line, what in zip(lines, ("being made", "its answer"), strict=False):
        assert re.fullmatch(rf"click to {what}: p50 [\d.]+ ms, p95 [\d.]+ ms, p99 [\d.]+ ms, of 9", line)
    assert lines[2:] == ["clicks lost or out of turn: 0"]


def test_players_of_a_server_play_without_an_error_and_are_measured() -> None:
    options = ("--players", "3", "--seconds", "1", "--think", "0", "--preset", "beginner", "--runs", "2")
    runs = output("load.py", *options).split("request ")[1:]
    assert len(runs) == 2
    for run in runs:
        table = re.findall(r"(?m)^(click|hint|new|undo|all) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", run)
        numbers = {kind: int(number) for kind, number, *_ in table}
        # However slow the server is, each of the three begins a game.
        assert numbers["new"] >= 3
        assert numbers.pop("all") == sum(numbers.values())
        for _, _, *milliseconds in table:
            assert sorted(map(float, milliseconds)) == [*map(float, milliseconds)]
        assert re.search(r"(?m)^processor time a request: \d+\.\d\d ms server, \d+\.\d\d ms workers$", run)
        assert re.search(r"(?m)^memory: \d+ MB server, \d+ MB workers$", run)
        assert "errors: 0\n" in run
