"""Drawings show every cell, in its place, within the width asked for."""

from __future__ import annotations

import re

import pytest

from minesweeper.player.board import Board, View
from minesweeper.player.drawing.text import draw

BOARD = Board.from_cells(3, 12, [(0, 3), (1, 4), (2, 11)])


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
    tens, units, _ = draw(Board.from_cells(1, 120, []), width=80).splitlines()
    for number in range(10, 120, 10):
        place = tens.index(str(number))
        assert units[place] == "0"
        assert place - 2 == number


def test_colours_change_no_character() -> None:
    coloured = draw(BOARD, colour=True, marked=[(1, 2)])
    assert "\x1b[7m1" in coloured.replace("\x1b[1m", "")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw(BOARD)
