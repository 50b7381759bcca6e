"""Boards, views and probabilities as text for a terminal: rulers at the sides, digits in their usual colours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import click

from minesweeper.player.core.board import HIDDEN, MINE_DRAWN, Board, View
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.logic import Deductions
from minesweeper.player.render.svg import percent


@dataclass(frozen=True)
class Glyph:
    """A character for a cell, and its style: keyword arguments of `click.style`."""

    text: str
    style: Mapping[str, Any] = field(default_factory=dict)


_RULER_LINES: Final = 2
_CELL_WIDTH: Final = 4
# Backgrounds from green to red under black text, in the palette of 256 colours: the same on light and dark screens.
_SHADES: Final = ((0.1, 120), (0.2, 157), (0.35, 229), (0.5, 222), (0.75, 216), (1.0, 210))
_BLACK: Final = 16
_GLYPHS: Final = {
    HIDDEN: Glyph("#", {"fg": "bright_black"}),
    0: Glyph(".", {"fg": "bright_black"}),
    1: Glyph("1", {"fg": "bright_blue"}),
    2: Glyph("2", {"fg": "green"}),
    3: Glyph("3", {"fg": "bright_red"}),
    4: Glyph("4", {"fg": "magenta"}),
    5: Glyph("5", {"fg": "yellow"}),
    6: Glyph("6", {"fg": "cyan"}),
    7: Glyph("7"),
    8: Glyph("8", {"bold": True}),
    MINE_DRAWN: Glyph("*", {"fg": "black", "bg": "red"}),
}
_HOLE: Final = Glyph("-", {"dim": True})


@dataclass(frozen=True)
class Window:
    """The visible part of a board larger than the terminal."""

    rows: range
    cols: range

    @classmethod
    def around(cls, board: View | Board, cell: Cell, height: int, width: int) -> Window:
        """Return the part that fits `height` lines of `width` characters, with `cell` near its middle."""
        margin = _margin(board.rows)
        room = width - margin
        rows = _around(cell[0], max(1, height - _RULER_LINES), board.rows)
        return cls(rows, _around(cell[1], max(1, room if 2 * board.cols - 1 > room else board.cols), board.cols))


def draw(
    shown: View | Board,
    *,
    colour: bool = False,
    width: int = 80,
    marked: Collection[Cell] = (),
    glyphs: Mapping[Cell, Glyph] | None = None,
    window: Window | None = None,
) -> str:
    """Draw a view, or a board with its mines and clues, as lines of text.

    ``#`` is hidden, ``.`` an open cell that touches no mine, ``*`` a mine; `glyphs` replace these. ``-`` is a hole.
    Rows and columns are numbered from 0. A blank separates cells if that fits `width` characters; odd rows of hexagons
    then lie half a cell to the right. `colour` adds ANSI codes, with the `marked` cells inverted. A `window` selects
    the part to draw.
    """
    cells, holes = shown.cells if isinstance(shown, View) else shown.shown, shown.grid.hole_map
    window = window or Window(range(shown.rows), range(shown.cols))
    glyphs = glyphs or {}
    margin = _margin(shown.rows)
    gap = " " if margin + 2 * len(window.cols) - 1 <= width else ""
    lines = [dim(line, colour) for line in _column_ruler(window.cols, margin, gap)]
    for row in window.rows:
        drawn = [
            _glyph(
                _HOLE if holes[row, col] else glyphs.get((row, col)) or _GLYPHS[int(cells[row, col])],
                colour,
                (row, col) in marked,
            )
            for col in window.cols
        ]
        lines.append(
            dim(str(row).rjust(margin - 1), colour)
            + " "
            + " " * round(2 * shown.grid.indent(row)) * len(gap)
            + gap.join(drawn)
        )
    return "\n".join(lines)


def _margin(rows: int) -> int:
    return len(str(rows - 1)) + 1


def _around(centre: int, size: int, whole: int) -> range:
    """Return `size` numbers below `whole`, or all of them, with `centre` as near their middle as possible."""
    first = max(0, min(centre - size // 2, whole - size))
    return range(first, min(first + size, whole))


def _column_ruler(cols: range, margin: int, gap: str) -> list[str]:
    """Return the lines that number the columns: their last digits, and above them 10, 20 and so on if needed."""
    units = " " * margin + gap.join(str(col % 10) for col in cols)
    tens = " " * margin
    for place, col in enumerate(cols):
        if col and col % 10 == 0:
            tens = tens.ljust(margin + place * (1 + len(gap))) + str(col)
    return [tens, units] if cols.stop > 10 else [units]


def _glyph(glyph: Glyph, colour: bool, marked: bool) -> str:
    if not colour:
        return glyph.text
    return click.style(glyph.text, reverse=True, bold=True) if marked else click.style(glyph.text, **glyph.style)


def dim(text: str, colour: bool) -> str:
    """Return text in a dim style if in colour."""
    return click.style(text, dim=True) if colour else text


def draw_probabilities(
    view: View, chances: NDArray[np.float64], known: Deductions, *, colour: bool = False, width: int = 80
) -> str:
    """Draw the mine probabilities of unknown cells, in percent, as blocks of columns that fit `width`.

    `chances` is as in `player.logic.probability.Probabilities`. ``s`` is known to be safe, ``*`` a known mine and
    ``.`` open; ``~`` is an unconstrained cell: these have one probability, given in a last line. Only the part of the
    board near clues is drawn. Requires at least one unknown cell.
    """
    hidden, holes = view.cells == HIDDEN, view.grid.hole_map
    undecided = hidden & ~known.safe_map & ~known.mine_map
    unconstrained = hidden & (view.grid.count(~hidden) == 0)

    def cell(place: Cell) -> str:
        if not hidden[place]:
            return dim(("-" if holes[place] else ".").rjust(_CELL_WIDTH), colour)
        certain = "s" if known.safe_map[place] else "*" if known.mine_map[place] else ""
        text = certain or ("~" if unconstrained[place] else percent(float(chances[place])))
        if not colour:
            return text.rjust(_CELL_WIDTH)
        shade = next(shade for limit, shade in _SHADES if chances[place] <= limit + 1e-9)
        # The gap has no background, so neighbouring numbers stay apart.
        return " " + click.style(text.rjust(_CELL_WIDTH - 1), fg=_BLACK, bg=shade)

    near = undecided & ~unconstrained
    shown = near if near.any() else undecided
    down, across = (_span(shown.any(axis=axis)) for axis in (1, 0))
    margin = _margin(down.stop)
    blocks = -(-len(across) // max(1, (width - margin) // _CELL_WIDTH))
    # Equal blocks instead of full ones and a narrow rest.
    step = -(-len(across) // blocks)
    parts = []
    for part in (across[start : start + step] for start in range(0, len(across), step)):
        lines = [dim(" " * margin + "".join(str(col).rjust(_CELL_WIDTH) for col in part), colour)]
        for row in down:
            number = dim(str(row).rjust(margin - 1) + " ", colour)
            lines.append(number + "".join(cell((row, col)) for col in part))
        parts.append("\n".join(lines))
    alike = undecided & unconstrained
    if alike.any():
        count = int(np.count_nonzero(alike))
        cells = f"each of the {count} cells" if count > 1 else "the one cell"
        parts.append(f"~ {percent(float(chances[alike][0]))}%: {cells} away from all clues")
    return "\n\n".join(parts)


def _span(marks: NDArray[np.bool_]) -> range:
    places = np.flatnonzero(marks)
    return range(int(places[0]), int(places[-1]) + 1)
