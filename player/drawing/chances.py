"""Mine probabilities as a grid that fits a terminal: percentages for cells near clues, one sign for the sea."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click
import numpy as np

from minesweeper.player.board import HIDDEN, View, count_neighbours
from minesweeper.player.logic import Deductions

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELL_WIDTH: Final = 4
# Backgrounds from green to red under black text, in the terminal's palette of 256: alike on light and dark screens.
_SHADES: Final = ((0.1, 120), (0.2, 157), (0.35, 229), (0.5, 222), (0.75, 216), (1.0, 210))
_BLACK: Final = 16


def draw_probabilities(
    view: View, mine: NDArray[np.float64], known: Deductions, *, colour: bool = False, width: int = 80
) -> str:
    """Draw the mine probabilities of cells that are not known, in percent, as blocks of columns that fit `width`.

    `mine` is as in `player.chance.probability.Probabilities`. Around these cells, ``s`` is known to be safe, ``*`` a
    mine and ``.`` open; ``~`` is a cell that touches no clue: these are all alike, and a last line says how likely.
    Only the part of the board near clues is drawn. Needs some cell that is not known.
    """
    grid = _Grid(view, mine, known, colour)
    undecided = (view.cells == HIDDEN) & ~known.safe_map & ~known.mine_map
    near = undecided & ~grid.sea
    shown = near if near.any() else undecided
    rows, cols = (_span(shown.any(axis=axis)) for axis in (1, 0))
    margin = len(str(rows[-1])) + 1
    blocks = -(-len(cols) // max(1, (width - margin) // _CELL_WIDTH))
    # Equal blocks, not full ones and a narrow rest.
    step = -(-len(cols) // blocks)
    parts = [grid.block(rows, cols[start : start + step], margin) for start in range(0, len(cols), step)]
    alike = undecided & grid.sea
    if alike.any():
        number = int(np.count_nonzero(alike))
        cells = f"each of the {number} cells" if number > 1 else "the one cell"
        parts.append(f"~ {percent(float(mine[alike][0]))}%: {cells} away from all clues")
    return "\n\n".join(parts)


def percent(probability: float) -> str:
    """Write the probability of something that is not certain in whole percent, never as 0 or 100."""
    rounded = round(100 * probability)
    if rounded < 1:
        return "<1"
    return ">99" if rounded > 99 else str(rounded)


@dataclass(frozen=True)
class _Grid:
    """A view with what is known and what is likely."""

    view: View
    mine: NDArray[np.float64]
    known: Deductions
    colour: bool

    @property
    def sea(self) -> NDArray[np.bool_]:
        """The hidden cells that touch no clue."""
        hidden: NDArray[np.bool_] = self.view.cells == HIDDEN
        sea: NDArray[np.bool_] = hidden & (count_neighbours(~hidden) == 0)
        return sea

    def block(self, rows: range, cols: range, margin: int) -> str:
        sea = self.sea
        lines = [self._dim(" " * margin + "".join(str(col).rjust(_CELL_WIDTH) for col in cols))]
        for row in rows:
            cells = (self._cell(row, col, bool(sea[row, col])) for col in cols)
            lines.append(self._dim(str(row).rjust(margin - 1) + " ") + "".join(cells))
        return "\n".join(lines)

    def _cell(self, row: int, col: int, at_sea: bool) -> str:
        known = self.known
        if self.view.cells[row, col] != HIDDEN:
            return self._dim(".".rjust(_CELL_WIDTH))
        if known.safe_map[row, col]:
            text = "s"
        elif known.mine_map[row, col]:
            text = "*"
        else:
            text = "~" if at_sea else percent(float(self.mine[row, col]))
        if not self.colour:
            return text.rjust(_CELL_WIDTH)
        shade = next(shade for limit, shade in _SHADES if self.mine[row, col] <= limit + 1e-9)
        # The gap stays unpainted, so that neighbouring numbers stay apart.
        return " " + click.style(text.rjust(_CELL_WIDTH - 1), fg=_BLACK, bg=shade)

    def _dim(self, text: str) -> str:
        return click.style(text, dim=True) if self.colour else text


def _span(marks: NDArray[np.bool_]) -> range:
    places = np.flatnonzero(marks)
    return range(int(places[0]), int(places[-1]) + 1)
