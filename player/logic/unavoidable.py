"""Unavoidable guesses: uncertain cells that no further clue can ever decide, so the player may as well guess at once.

A set of uncertain cells is *closed* if its layouts always hold equally many mines, and every cell outside that may be
opened touches equally many of these mines in each of them. Then neither the clues outside nor the number of mines can
ever distinguish its layouts, and each of them combines with each layout of the rest. The intersection of two closed
sets is closed, so the smallest closed sets share no cell. The search, ``explain/closed_sets.cpp`` of the kernel, has
two stages:

* The layouts of the view are a product of *blocks*, sets of cells whose mines are independent of each other. Cells that
  the same clues touch are in one block, and layouts are listed by the number of mines in such a group of cells.
* A closed set that contains a cell of a block contains the whole block, and every block with a cell whose clue, once
  opened, would depend on the block: the block *affects* it. So a smallest closed set is a block together with all
  blocks reachable from it in this way, if each of them reaches the others and no safe cell is reachable.

A smallest closed set is an unavoidable guess if its own cells reveal nothing either: each that is safe touches equally
many of its mines in every layout. Otherwise a guess in the set starts a game of its own. Every unavoidable guess is
found whose part of the position has few enough layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, ViewLike, as_view, cells_of
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.limits import check_cells
from minesweeper.player.logic.probability import explained
from minesweeper.player.logic.sentences import ENGLISH, Sentence

MOST_LAYOUTS: Final = 5_000
"""Largest number of layouts listed of a part of a position; parts with more are not searched."""


@dataclass(frozen=True)
class UnavoidableGuess:
    """Cells in reading order, and two layouts that differ only in them; no clue can ever distinguish the two."""

    cells: tuple[Cell, ...]
    layouts: tuple[Board, Board]

    def in_words(self, language: str = ENGLISH) -> str:
        """Return a sentence with advice for the player."""
        return Sentence("guess.early", cells=list(self.cells)).in_words(language)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; each layout is the list of its mines."""
        mines = [[list(cell) for cell in cells_of(layout.mine_map)] for layout in self.layouts]
        return {"cells": [list(cell) for cell in self.cells], "layouts": mines, "words": self.in_words()}


def unavoidable_guesses(view: ViewLike, *, most_layouts: int = MOST_LAYOUTS) -> tuple[UnavoidableGuess, ...]:
    """Find the unavoidable guesses, in reading order.

    Parts of the position with more than `most_layouts` layouts, which is at most 100,000, are not searched. Raises
    `InconsistentView`; `TooWide` if a component is too wide to count; `OutOfTime` if a limit of the caller runs out;
    `EngineError` without the kernel.
    """
    view = as_view(view)
    check_cells(view.grid.shape, "unavoidable guesses")
    kernel_api.require("the search for unavoidable guesses")
    with explained(view):
        found = kernel_api.native_view(view).unavoidable_guesses(most_layouts)
    guesses = []
    for guess in found:
        one, other = (Board.unchecked(view.grid, cells) for cells in guess.layouts)
        guesses.append(UnavoidableGuess(tuple(divmod(cell, view.cols) for cell in guess.cells), (one, other)))
    return tuple(guesses)
