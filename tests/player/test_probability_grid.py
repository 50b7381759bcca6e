"""The grid of probabilities shows the unknown cells within the given width."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minesweeper.player.board import HIDDEN, View
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.drawing.chances import draw_probabilities, percent
from minesweeper.player.logic import closure


def grid(view: View, **options: object) -> str:
    return draw_probabilities(view, probabilities(view).chances, closure(view), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("probability", "text"), [(1e-9, "<1"), (0.004, "<1"), (0.006, "1"), (0.5, "50"), (0.994, "99"), (0.996, ">99")]
)
def test_only_certainty_is_written_as_0_or_100(probability: float, text: str) -> None:
    assert percent(probability) == text


def test_known_cells_and_the_sea_have_their_own_signs() -> None:
    view = View.from_text("2x7/3\n#2#####\n#######")
    assert grid(view) == (
        "     0   1   2\n0   40   .  40\n1   40  40  40\n\n~ 12%: each of the 8 cells away from all clues"
    )
    ruler = "".join(str(col).rjust(4) for col in range(9))
    for text, sign in (("1x9/4\n#1##2##1#", "*"), ("1x9/2\n#1##0##1#", "s")):
        row = f"  50   .  50   {sign}   .   {sign}  50   .  50"
        assert grid(View.from_text(text)) == f"  {ruler}\n0 {row}"


def test_a_wide_board_is_drawn_in_equal_blocks() -> None:
    view = View.hidden(2, 30, 6)
    lines = grid(view, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == [str(col) for col in range(15)]
    assert lines[4].split() == [str(col) for col in range(15, 30)]
    assert lines[-1] == "~ 10%: each of the 60 cells away from all clues"
    assert len(grid(view, width=130).splitlines()) == 5


def test_colours_change_no_character() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        cells = np.full((4, 6), HIDDEN, dtype=np.int8)
        cells[rng.integers(4), rng.integers(6)] = 1
        view = View(cells, 4)
        coloured = grid(view, colour=True)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == grid(view)
