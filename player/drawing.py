"""Boards and views as a terminal shows them: rulers at the sides, digits in their usual colours."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import click

from player.board import HIDDEN, Board, Cell, View

_MINE: Final = 9
_GLYPHS: Final = {HIDDEN: "#", 0: ".", _MINE: "*"} | {clue: str(clue) for clue in range(1, 9)}
_STYLES: Final[dict[int, dict[str, Any]]] = {
    HIDDEN: {"fg": "bright_black"},
    0: {"fg": "bright_black"},
    1: {"fg": "bright_blue"},
    2: {"fg": "green"},
    3: {"fg": "bright_red"},
    4: {"fg": "magenta"},
    5: {"fg": "yellow"},
    6: {"fg": "cyan"},
    7: {},
    8: {"bold": True},
    _MINE: {"fg": "black", "bg": "red"},
}


def draw(shown: View | Board, *, colour: bool = False, width: int = 80, marked: Collection[Cell] = ()) -> str:
    """Draw a view, or a board with its mines and clues, as lines of text.

    ``#`` is hidden, ``.`` an open cell that touches no mine, ``*`` a mine; rows and columns are numbered from 0. Cells
    stand two characters apart if that fits in `width` characters, and side by side if not. With `colour` there are
    ANSI codes, and the `marked` cells are shown inverted.
    """
    if isinstance(shown, View):
        cells = shown.cells.tolist()
    else:
        cells = [[_MINE if clue < 0 else clue for clue in row] for row in shown.clues.tolist()]
    margin = len(str(shown.rows - 1)) + 1
    gap = " " if margin + 2 * shown.cols - 1 <= width else ""
    lines = [_dim(line, colour) for line in _column_ruler(shown.cols, margin, gap)]
    for row, values in enumerate(cells):
        glyphs = [_glyph(value, colour, (row, col) in marked) for col, value in enumerate(values)]
        lines.append(_dim(str(row).rjust(margin - 1), colour) + " " + gap.join(glyphs))
    return "\n".join(lines)


def _column_ruler(cols: int, margin: int, gap: str) -> list[str]:
    """Number the columns: their last digits, and above them 10, 20 and so on where there are so many."""
    units = " " * margin + gap.join(str(col % 10) for col in range(cols))
    tens = " " * margin
    for col in range(10, cols, 10):
        tens = tens.ljust(margin + col * (1 + len(gap))) + str(col)
    return [tens, units] if cols > 10 else [units]


def _glyph(value: int, colour: bool, marked: bool) -> str:
    glyph = _GLYPHS[value]
    if not colour:
        return glyph
    return click.style(glyph, reverse=True, bold=True) if marked else click.style(glyph, **_STYLES[value])


def _dim(text: str, colour: bool) -> str:
    return click.style(text, dim=True) if colour else text
