"""Worst-case positions: the closure is correct or reported as incomplete, in bounded time and memory."""

import json
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from pathological import KINDS, closure_by_pysat, main
from pysat.solvers import Solver

from minesweeper.player import Cell, View, closure, explanation, kernel_api
from minesweeper.player.core.errors import BoardError, InconsistentView
from minesweeper.player.logic.cnf import cnf


@pytest.mark.parametrize("kind", KINDS)
def test_closures_are_those_of_one_plain_formula(kind: str, engine: str) -> None:
    for size in (2, 5, 8, 11):
        view = KINDS[kind](size)
        safe, mines = closure_by_pysat(view)
        found = closure(view, engine)
        assert found.complete
        assert (found.safe_map == safe).all(), view
        assert (found.mine_map == mines).all(), view


# Circuits after Richard Kaye, "Minesweeper is NP-complete" (Mathematical Intelligencer 22, 2000): hidden cells carry
# signals, a mine being true. Each circuit has its ends and their possible values.
WIRE: Final = ("#1#1#1#1#", [(0, 0), (0, 8)], {(0, 0), (1, 1)})
NOT: Final = ("#1#1#1#", [(0, 0), (0, 6)], {(0, 1), (1, 0)})
SPLITTER: Final = ("#1#1#1#1#", [(0, 4), (0, 0), (0, 8)], {(0, 0, 0), (1, 1, 1)})
AND: Final = ("1##\n##2\n1##\n###\n##1", [(0, 2), (2, 2), (1, 0)], {(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)})


def _possible_by_sat(view: View, ends: dict[Cell, int]) -> bool:
    formula = cnf(view)
    signals = [(1 if mine else -1) * (formula.cells.index(cell) + 1) for cell, mine in ends.items()]
    with Solver("minisat22", bootstrap_with=formula) as solver:
        return bool(solver.solve(assumptions=signals))


def _possible_by_kernel(view: View, ends: dict[Cell, int]) -> bool:
    try:
        # Ends that do not fit contradict the clues at the latest when everything else is deduced.
        list(explanation(view, given={cell: bool(mine) for cell, mine in ends.items()}))
    except (BoardError, InconsistentView):
        return False
    return True


@pytest.mark.parametrize(("text", "ends", "table"), [WIRE, NOT, SPLITTER, AND], ids=["wire", "not", "splitter", "and"])
def test_circuits_compute_what_they_should(text: str, ends: list[Cell], table: set[tuple[int, ...]]) -> None:
    rows = text.split("\n")
    possible = [_possible_by_sat, *([_possible_by_kernel] if kernel_api.available() else [])]
    seen: list[set[tuple[int, ...]]] = [set() for _ in possible]
    for mines in range(text.count("#") + 1):
        view = View.from_text(f"{len(rows)}x{len(rows[0])}/{mines}\n{text}")
        for signals in product((0, 1), repeat=len(ends)):
            for ask, values in zip(possible, seen, strict=True):
                if ask(view, dict(zip(ends, signals, strict=True))):
                    values.add(signals)
    assert all(values == table for values in seen)


@pytest.mark.long
@pytest.mark.parametrize("size", [20, 40, 100, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_time_and_memory_are_bounded(kind: str, size: int, engine: str) -> None:
    report = _report(kind, size, engine, 300)
    print(report)
    assert report is not None
    assert report["megabytes"] < 2500
    assert report["complete"] or report["safe"] + report["mines"] < report["hidden"]
    if size > 100 or not report["complete"]:
        return
    plain = _report(kind, size, "pysat", 90)
    print(plain and f"the plain formula agrees after {plain['seconds']} s")
    assert plain is None or plain["digest"] == report["digest"]


@cache
def _report(kind: str, size: int, engine: str, most: int) -> dict[str, Any] | None:
    """Run the script in a process, which can be killed during a computation; return its report, None after `most` s."""
    script = Path(__file__).with_name("pathological.py")
    words = [sys.executable, str(script), kind, str(size), engine, "30"]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=most)
    except subprocess.TimeoutExpired:
        return None
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    return report


def test_script_reports_time_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    main("all_but_one", "5", "sat", "10")
    report = json.loads(capsys.readouterr().out)
    assert (report["complete"], report["safe"], report["mines"], report["hidden"]) == (True, 0, 24, 24)
