"""The values of a notebook, drawn as the last line of a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import minesweeper as ms
from minesweeper.db.series import SeriesKey
from minesweeper.scripts.console.arena import Entrant, continue_series

VIEW = ms.View("2x5/2\n#121#\n#####")
PUZZLE = ms.Puzzle(ms.Board.from_text("...*\n....\n*..."), (0, 0))


def played() -> ms.Game:
    game = ms.Game(PUZZLE)
    game.flag((0, 3))
    game.open((2, 0))
    return game


VALUES: dict[str, tuple[Any, list[str]]] = {
    "board": (PUZZLE.board, ["3x4/2", ">1<"]),
    "view": (VIEW, ["2x5/2", ">2<"]),
    "puzzle": (PUZZLE, ["3x4/2", ">1<"]),
    "game": (played(), ["3x4/2", ">F<", "<circle"]),
    "solution": (ms.solve(VIEW), ["2x5/2", ">100<", "The next safe cell is (0, 0)."]),
    "unknown": (ms.solve("1##\n###", mines=0.2), ["2x3/?@0.2", ">33<", "The best guess is (0, 2)."]),
    "deduction": (ms.reason(VIEW, (0, 0)), [">s<", "(0, 0) is safe: the clues 2 at (0, 2)", "yellow: the clues"]),
    "comparison": (
        ms.compare("random", "local", ms.Recipe("5x5/5", seed=3), games=20),
        ["20 games on the same boards", "<td>random</td>", "<circle", "random - local"],
    ),
    "puzzles": (ms.PuzzleList([PUZZLE] * 14), ["3x4/2", "and 2 more"]),
}


@pytest.mark.parametrize(("value", "texts"), VALUES.values(), ids=VALUES)
def test_values_are_drawn(value: Any, texts: list[str]) -> None:
    drawn = value._repr_html_() if hasattr(value, "_repr_html_") else value._repr_svg_()
    for text in texts:
        assert text in drawn, drawn
    for part in drawn.split("<svg")[1:]:
        ElementTree.fromstring(f"<svg{part.partition('</svg>')[0]}</svg>")
    assert "object at 0x" not in repr(value)


def test_a_deduction_of_a_path_has_no_position() -> None:
    assert ms.solution_path(VIEW).steps[0]._repr_html_() is None


def test_a_leaderboard_is_drawn(tmp_path: Path) -> None:
    recipe = ms.Recipe("5x5/5", seed=3)
    with ms.Store(tmp_path / "games.db") as store:
        for name in ("random", "local"):
            entrant = Entrant.from_text(name)
            continue_series(store, entrant, recipe, 10, engine="auto", workers=1, stop=lambda: False)
        won = store.series.results(SeriesKey("local", recipe)).wins
        found = store.leaderboard()
    drawn = found._repr_html_()
    assert drawn.count("<table>") == 1
    assert f"<td>local (10 games)</td><td>{10 * won:.2f}%</td>" in drawn
    assert "5x5/5" in drawn
