"""Drawings show every cell or its probability, in its place, within the width asked for."""

import re
from dataclasses import replace

import numpy as np
import pytest

from minesweeper import HIDDEN, Board, Grid, View, analyse, closure, probabilities, solve
from minesweeper.player.render.svg import chances_in_html, percent
from minesweeper.player.render.text import draw, draw_probabilities

BOARD = Board.from_cells(Grid(3, 12), [(0, 3), (1, 4), (2, 11)])


def test_a_small_board_is_drawn_like_this() -> None:
    assert draw(BOARD) == "\n".join(
        [
            "                      10",
            "  0 1 2 3 4 5 6 7 8 9 0 1",
            "0 . . 1 * 2 1 . . . . . .",
            "1 . . 1 2 * 1 . . . . 1 1",
            "2 . . . 1 1 1 . . . . 1 *",
        ]
    )


def test_a_view_hides_what_is_hidden() -> None:
    view = View.from_text("2x3/1\n#1.\n#10")
    assert draw(view) == "  0 1 2\n0 # 1 .\n1 # 1 ."


@pytest.mark.parametrize("width", [24, 25])
def test_cells_move_together_when_the_terminal_is_narrow(width: int) -> None:
    lines = draw(BOARD, width=width).splitlines()
    assert max(map(len, lines)) == {24: 14, 25: 25}[width]
    assert [line[2:].replace(" ", "") for line in lines[2:]] == BOARD.to_text(clues=True).splitlines()


def test_columns_are_numbered_past_a_hundred() -> None:
    tens, units, _ = draw(Board.from_cells(Grid(1, 120), []), width=80).splitlines()
    for number in range(10, 120, 10):
        place = tens.index(str(number))
        assert units[place] == "0"
        assert place - 2 == number


def test_colours_change_no_character() -> None:
    coloured = draw(BOARD, colour=True, marked=[(1, 2)])
    assert "\x1b[7m1" in coloured.replace("\x1b[1m", "")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw(BOARD)


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
    view = View.hidden(Grid(2, 30), 6)
    lines = grid(view, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == [str(col) for col in range(15)]
    assert lines[4].split() == [str(col) for col in range(15, 30)]
    assert lines[-1] == "~ 10%: each of the 60 cells away from all clues"
    assert len(grid(view, width=130).splitlines()) == 5


def test_colours_change_no_probability() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        cells = np.full((4, 6), HIDDEN, dtype=np.int8)
        cells[rng.integers(4), rng.integers(6)] = 1
        view = View(cells, 4)
        coloured = grid(view, colour=True)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == grid(view)


def test_notebooks_show_the_probabilities_in_colours() -> None:
    text = "5x8/9\n########\n#3223###\n#1002#31\n#2101110\n##100000"
    for found in (solve(text), analyse(text)):
        html = found._repr_html_()
        assert html.count("hsl(") == int(np.count_nonzero(found.view.cells < 0)) == 17
        assert html.count("hsl(120 ") == html.count(">0</text>") == 1
        assert html.count("hsl(0 ") == html.count(">100</text>") == 4
        assert html.count(">29</text>") == 4
        assert html.count('stroke="#000"') == 1
        assert html.count("<figcaption>") == html.count("0 and 100 are certain.</figcaption>") == 1
    hidden = solve("2x2/1\n##\n##")._repr_html_()
    assert hidden.count("hsl(90 65% 75%)") == hidden.count(">25</text>") == 4
    assert "best guess is (0, 0)" in hidden
    wrong = analyse("2x2/1\n1#\n0#")._repr_html_()
    assert "hsl(" not in wrong
    assert "no layout of mines fits" in wrong
    over = replace(solve(text), chances=None)._repr_html_()
    assert over.count("hsl(") == 5
    assert "&lt;1</text>" in chances_in_html(
        np.full((1, 2), HIDDEN), "", np.array([[0.001, 0.999]]), None, "", Grid(1, 2)
    )
