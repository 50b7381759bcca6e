"""Positions whose number of mines is not known, against brute force over all numbers that fit."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import minesweeper as ms
from minesweeper.db.formats.positions import read_position
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.mine_range import parse_mines
from minesweeper.player.logic.probability import clue_probabilities, count_layouts, sample_layouts
from minesweeper.player.logic.reasons import counterexample, easiest_steps, explanation
from minesweeper.scripts.commands.analyse import main

ROWS = "#121#\n#####"
OPEN = "1##\n###"
NAMES = ("3x4", "4x4", "2x7", "5x5 torus", "4x4 hex", "3x5 holes 5./2.#2./5.")
GRIDS = [Grid.named(name) for name in NAMES]


def random_views(count: int, seed: int) -> Iterator[ms.View]:
    """Yield small views with a range of the number of mines, mostly one that some layout fits."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        grid = GRIDS[rng.integers(len(GRIDS))]
        mine_map = (rng.random(grid.shape) < rng.choice([0.1, 0.25, 0.5])) & ~grid.hole_map
        opened = (rng.random(grid.shape) < rng.choice([0.3, 0.5, 0.7])) & ~mine_map & ~grid.hole_map
        cells = ms.Board(mine_map, grid).view(opened).cells
        hidden, mines = int((cells == ms.HIDDEN).sum()), int(mine_map.sum())
        if not 1 <= hidden <= 11:
            continue
        least, most = max(0, mines - int(rng.integers(0, 4))), mines + int(rng.integers(0, 4))
        density = rng.choice([None, 0.05, 0.2, 0.6])
        yield ms.View(cells, ms.MineRange(min(least, hidden), rng.choice([None, most]), density), grid)
        made += 1


def brute_force(view: ms.View) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return all layouts that fit, one row for each, True for a mine in each hidden cell; and their weights."""
    hidden = [tuple(cell) for cell in np.argwhere(view.cells == ms.HIDDEN).tolist()]
    most, spare, odds, _ = view.prior
    codes = np.arange(2 ** len(hidden))
    layouts = codes[:, None] >> np.arange(len(hidden)) & 1 == 1
    mines = layouts.sum(axis=1)
    fits = (most - spare <= mines) & (mines <= most)
    for row, col in np.argwhere(view.opened).tolist():
        around = [hidden.index(near) for near in view.grid.neighbours((row, col)) if near in hidden]
        fits &= layouts[:, around].sum(axis=1) == view.cells[row, col]
    return layouts[fits], odds ** mines[fits].astype(float)


def check(view: ms.View) -> None:
    layouts, weights = brute_force(view)
    at = view.cells == ms.HIDDEN
    known = ms.closure(view, chances=True)
    assert known.chances is not None
    assert np.array_equal(known.safe_map[at], ~layouts.any(axis=0))
    assert np.array_equal(known.mine_map[at], layouts.all(axis=0))
    assert known.chances[at] == pytest.approx(weights @ layouts / weights.sum(), abs=1e-9)
    assert known.log_layouts == pytest.approx(math.log(len(layouts)), abs=1e-9)
    assert count_layouts(view) == len(layouts)
    by_sat = ms.closure(view, "sat")
    assert np.array_equal(by_sat.safe_map, known.safe_map)
    assert np.array_equal(by_sat.mine_map, known.mine_map)
    assert np.array_equal(by_sat.tiers, known.tiers)


@pytest.mark.kernel
def test_what_follows_and_the_chances_are_those_of_brute_force() -> None:
    for view in random_views(250, seed=11):
        check(view)


@pytest.mark.kernel
def test_reasons_and_steps_decide_the_closure() -> None:
    for view in random_views(80, seed=12):
        known = ms.closure(view)
        decided = dict.fromkeys(map(tuple, np.argwhere(known.safe_map).tolist()), False)
        decided |= dict.fromkeys(map(tuple, np.argwhere(known.mine_map).tolist()), True)
        for steps in (explanation(view), easiest_steps(view)):
            found: dict[ms.Cell, bool] = {}
            for step in steps:
                found |= step.decided
                assert step.in_words()
            assert found == decided
        for cell, mine in decided.items():
            why = ms.reason(view, cell)
            assert why.mine == mine
            others = [place for place in map(tuple, np.argwhere(view.opened).tolist()) if place not in why.clues]
            assert cell in forced(view, others, why.mine_count)
            if why.smallest and why.clues and why.tier > 2:
                assert all(cell not in forced(view, [*others, clue], why.mine_count) for clue in why.clues)


def forced(view: ms.View, dropped: list[ms.Cell], counted: bool) -> set[ms.Cell]:
    """Return the hidden cells that the clues decide without some of them, or without the number of mines."""
    hidden = [tuple(cell) for cell in np.argwhere(view.cells == ms.HIDDEN).tolist()]
    most, spare, _, _ = view.prior
    layouts = np.arange(2 ** len(hidden))[:, None] >> np.arange(len(hidden)) & 1 == 1
    mines = layouts.sum(axis=1)
    fits = (most - spare <= mines) & (mines <= most) if counted else mines >= 0
    for place in map(tuple, np.argwhere(view.opened).tolist()):
        if place not in dropped:
            around = [hidden.index(near) for near in view.grid.neighbours(place) if near in hidden]
            fits &= layouts[:, around].sum(axis=1) == view.cells[place]
    same = layouts[fits].all(axis=0) | ~layouts[fits].any(axis=0)
    return {cell for cell, one in zip(hidden, same, strict=True) if one}


@pytest.mark.kernel
def test_a_contradiction_of_clues_with_a_range_names_them_all() -> None:
    with pytest.raises(ms.InconsistentView) as raised:
        ms.closure("1x6/0-1\n#1##1#", engine="sat")
    assert (raised.value.clues, raised.value.mine_count) == (((0, 1), (0, 4)), True)


def test_samples_and_chances_of_clues_are_weighted() -> None:
    view = ms.View(OPEN, ms.MineRange(1, 4, 0.3))
    layouts, weights = brute_force(view)
    drawn = sample_layouts(view, 4000, seed=1)[:, view.cells == ms.HIDDEN]
    assert drawn.mean(axis=0) == pytest.approx(weights @ layouts / weights.sum(), abs=0.04)
    safe = 1 - ms.probabilities(view).chances[0, 1]
    shares = clue_probabilities(view, (0, 1))
    assert shares.sum() == pytest.approx(safe)
    clues = layouts[:, [1, 2, 3, 4]].sum(axis=1)  # the neighbours of (0, 1) among the hidden cells
    by_hand = [(weights * (~layouts[:, 0] & (clues == clue))).sum() / weights.sum() for clue in range(9)]
    assert shares.tolist() == pytest.approx(by_hand)


@pytest.mark.kernel
def test_a_range_of_one_number_is_that_number() -> None:
    exact = ms.probabilities(ROWS, mines=2)
    found = ms.probabilities(ROWS, mines=range(2, 3))
    assert np.array_equal(found.chances, exact.chances, equal_nan=True)
    assert found.assumed_density is None


FORMS: dict[str, tuple[Any, str]] = {
    "unknown": ("unknown", "2x5/?"),
    "a range": (range(1, 4), "2x5/1-3"),
    "a density": (0.15, "2x5/?@0.15"),
    "a number of NumPy": (np.float64(0.15), "2x5/?@0.15"),
    "a range with a density": (ms.MineRange(1, 3, 0.15), "2x5/1-3@0.15"),
    "a least number": (ms.MineRange(1), "2x5/1-?"),
}


@pytest.mark.kernel
@pytest.mark.parametrize(("mines", "name"), FORMS.values(), ids=FORMS)
def test_the_number_of_mines_in_every_form(mines: Any, name: str) -> None:
    view = ms.View(ROWS, mines)
    assert view.name == name
    assert view == ms.View(view.to_text()) == ms.View(view) == ms.View(view, mines) == read_position(view.to_text())
    assert view == read_position(ROWS, mines) == ms.View(f"{name}\n{ROWS}")
    assert view.showing((0, 0), 1).mine_count == view.mine_count
    for call in (ms.closure, ms.probabilities, ms.solve, ms.analyse):
        assert call(ROWS, mines=mines) == call(view)
    assert ms.cnf(ROWS, mines=mines).clauses == ms.cnf(view).clauses
    assert ms.reason(ROWS, (0, 0), mines=mines) == ms.reason(view, (0, 0))
    both = ms.solve_many([ROWS, ROWS], mines)
    assert both == ms.solve_many([view, view]) == ms.solve_many([view.cells, view.cells], mines)
    assert np.array_equal(both.safe_map[1], ms.closure(view).safe_map)
    assert both.best.tolist() == [[0, 0], [0, 0]]
    with pytest.raises(BoardError, match=r"the number of mines is not known \(.*\); expected one number for this"):
        print(view.mines)


def test_the_density_is_given_or_the_answer_says_what_was_assumed() -> None:
    for mines, assumed in (("unknown", 0.2), (range(1, 4), 2 / 6), (ms.MineRange(1, 3, 0.15), None), (0.15, None)):
        found = ms.analyse(OPEN, mines=mines)
        assert found.known is not None
        assert found.known.assumed_density == ms.solve(OPEN, mines=mines).assumed_density == assumed
        assert found.to_json()["assumed_density"] == assumed
        assert ("not known" in found.in_words()) is (assumed is not None)
        assert found.guess is not None
        assert found.guess.strategy == "safest"
        assert found.guess.best.cell == ms.solve(OPEN, mines=mines).best
        assert found.guess.best.safety == pytest.approx(1 - np.nanmin(ms.probabilities(OPEN, mines=mines).chances))


WRONG: dict[str, Any] = {
    "5 mines or more; expected at most 4, the hidden cells": lambda: ms.View("1#\n##\n#1", ms.MineRange(5)),
    "3 to 2 mines; expected a range of numbers from 0 on": lambda: ms.MineRange(3, 2),
    "-1 to 2 mines; expected a range of numbers from 0 on": lambda: ms.MineRange(-1, 2),
    "invalid density 1.5; expected a number between 0 and 1": lambda: ms.MineRange(density=1.5),
    "'a' is no number of mines; expected a whole number": lambda: ms.MineRange("a"),  # type: ignore[arg-type]
    "range(2, 2) is no number of mines; expected a whole number": lambda: ms.View(OPEN, range(2, 2)),
    "0.0 is no number of mines; expected a whole number": lambda: ms.View(OPEN, 0.0),
    "3 mines given; the position has 1-2": lambda: ms.View(ms.View(OPEN, range(1, 3)), 3),
    "'3-2-1' is no number of mines; expected e.g. 99, 90-110, ? or ?@0.2": lambda: parse_mines("3-2-1"),
    "'0-3@x' is no number of mines; expected e.g. 99, 90-110, ? or ?@0.2": lambda: parse_mines("0-3@x"),
    "1-2 mines given; the position has 2": lambda: ms.View(ms.View(OPEN, 2), range(1, 3)),
}


@pytest.mark.parametrize(("message", "call"), WRONG.items(), ids=WRONG)
def test_a_wrong_range_gets_a_line(message: str, call: Any) -> None:
    with pytest.raises(BoardError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.kernel
@pytest.mark.parametrize("call", [lambda view, cell: ms.judge(view, cell).verdict, counterexample])
def test_what_needs_one_number_says_so(call: Any) -> None:
    with pytest.raises(ValueError, match="expected a view with one number of mines"):
        call(ms.View(OPEN, "unknown"), (0, 1))
    with pytest.raises(ValueError, match="expected a view with one number of mines"):
        ms.solve(OPEN, mines="unknown", strategy="champion")


def test_a_contradiction_names_the_range() -> None:
    with pytest.raises(ms.InconsistentView) as caught:
        ms.solve(ROWS, mines=range(3, 6))
    assert caught.value.mine_count
    assert not ms.analyse(ROWS, mines=range(3, 6)).complete or ms.analyse(ROWS, mines=range(3, 6)).clash is not None


def analysed(*arguments: str, text: str = OPEN) -> str:
    result = CliRunner().invoke(main, ["-", *arguments], input=text)
    assert result.exit_code in (0, 1), result.output
    return result.output


@pytest.mark.kernel
def test_analyse_reads_and_prints_a_range() -> None:
    output = analysed("--mines", "1-3")
    assert output.startswith("2x3/1-3: 5 not known (#)\n")
    assumed = "The number of mines is not known: chances assume that 33.3 % of the cells are mines."
    assert assumed in " ".join(output.split())
    assert "best guess by safest: (0, 1) safe 66.7%" in output
    assert "best guess by safest: (0, 2) safe 80.0%" in analysed("--mines", "?@0.2")
    assert analysed(text=output) == output == analysed(text=f"2x3/1-3\n{OPEN}")
    found = json.loads(analysed("--mines", "?@0.2", "--json"))
    assert (found["mines"], found["assumed_density"]) == ("?@0.2", None)
    assert ms.View(read_position(json.dumps(found))).mine_count == ms.MineRange(density=0.2)
    assert "no layout of mines fits" in analysed("--mines", "4-5", text="#1#\n###")
