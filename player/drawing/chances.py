"""Mine probabilities in percent: a grid for a terminal, and a picture for notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

import click
import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, cells_of, count_neighbours
from minesweeper.player.drawing.text import dim
from minesweeper.player.logic import Deductions
from minesweeper.player.svg import draw_svg

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELL_WIDTH: Final = 4
# Backgrounds from green to red under black text, in the palette of 256 colours: the same on light and dark screens.
_SHADES: Final = ((0.1, 120), (0.2, 157), (0.35, 229), (0.5, 222), (0.75, 216), (1.0, 210))
_BLACK: Final = 16


def draw_probabilities(
    view: View, chances: NDArray[np.float64], known: Deductions, *, colour: bool = False, width: int = 80
) -> str:
    """Draw the mine probabilities of unknown cells, in percent, as blocks of columns that fit `width`.

    `chances` is as in `player.chance.probability.Probabilities`. ``s`` is known to be safe, ``*`` a known mine and
    ``.`` open; ``~`` is an unconstrained cell: these have one probability, given in a last line. Only the part of the
    board near clues is drawn. Requires at least one unknown cell.
    """
    grid = _Grid(view, chances, known, colour)
    undecided = (view.cells == HIDDEN) & ~known.safe_map & ~known.mine_map
    near = undecided & ~grid.unconstrained
    shown = near if near.any() else undecided
    rows, cols = (_span(shown.any(axis=axis)) for axis in (1, 0))
    margin = len(str(rows[-1])) + 1
    blocks = -(-len(cols) // max(1, (width - margin) // _CELL_WIDTH))
    # Equal blocks instead of full ones and a narrow rest.
    step = -(-len(cols) // blocks)
    parts = [grid.block(rows, cols[start : start + step], margin) for start in range(0, len(cols), step)]
    alike = undecided & grid.unconstrained
    if alike.any():
        number = int(np.count_nonzero(alike))
        cells = f"each of the {number} cells" if number > 1 else "the one cell"
        parts.append(f"~ {percent(float(chances[alike][0]))}%: {cells} away from all clues")
    return "\n\n".join(parts)


def chances_in_html(view: View, chances: NDArray[np.float64], best: Cell | None, words: str) -> str:
    """Draw the mine probabilities of hidden cells in percent, from green to red, with `words` below.

    `chances` is 0 and 1 in cells that are certain, and NaN in cells that stay grey. The cell `best` has a frame.
    """
    fills = {}
    for cell in cells_of(~np.isnan(chances)):
        chance = float(chances[cell])
        text = f"{chance:.0%}"[:-1] if chance in (0, 1) else escape(percent(chance))
        fills[cell] = f"hsl({120 * (1 - chance):.0f} 65% 75%)", text
    if fills:
        words = (
            f"{words} Numbers in coloured cells: the probability of a mine in percent; 0 and 100 are certain.".strip()
        )
    drawing = draw_svg(view.cells, view.name, marked=best, fills=fills)
    return f"<figure>{drawing}<figcaption>{escape(words)}</figcaption></figure>"


def percent(probability: float) -> str:
    """Return an uncertain probability in whole percent, never as 0 or 100."""
    rounded = round(100 * probability)
    if rounded < 1:
        return "<1"
    return ">99" if rounded > 99 else str(rounded)


@dataclass(frozen=True)
class _Grid:
    """A view with its known cells and probabilities."""

    view: View
    chances: NDArray[np.float64]
    known: Deductions
    colour: bool

    @property
    def unconstrained(self) -> NDArray[np.bool_]:
        """The hidden cells that touch no clue."""
        hidden: NDArray[np.bool_] = self.view.cells == HIDDEN
        unconstrained: NDArray[np.bool_] = hidden & (count_neighbours(~hidden) == 0)
        return unconstrained

    def block(self, rows: range, cols: range, margin: int) -> str:
        unconstrained = self.unconstrained
        lines = [dim(" " * margin + "".join(str(col).rjust(_CELL_WIDTH) for col in cols), self.colour)]
        for row in rows:
            cells = (self._cell(row, col, bool(unconstrained[row, col])) for col in cols)
            lines.append(dim(str(row).rjust(margin - 1) + " ", self.colour) + "".join(cells))
        return "\n".join(lines)

    def _cell(self, row: int, col: int, is_unconstrained: bool) -> str:
        known = self.known
        if self.view.cells[row, col] != HIDDEN:
            return dim(".".rjust(_CELL_WIDTH), self.colour)
        if known.safe_map[row, col]:
            text = "s"
        elif known.mine_map[row, col]:
            text = "*"
        else:
            text = "~" if is_unconstrained else percent(float(self.chances[row, col]))
        if not self.colour:
            return text.rjust(_CELL_WIDTH)
        shade = next(shade for limit, shade in _SHADES if self.chances[row, col] <= limit + 1e-9)
        # The gap has no background, so neighbouring numbers stay apart.
        return " " + click.style(text.rjust(_CELL_WIDTH - 1), fg=_BLACK, bg=shade)


def _span(marks: NDArray[np.bool_]) -> range:
    places = np.flatnonzero(marks)
    return range(int(places[0]), int(places[-1]) + 1)
