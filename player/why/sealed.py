"""Cells whose value nothing will ever tell: a toss that may as well be made at once.

A *sealed toss* is a set of hidden cells with two ways to hold mines, of which one is true in every layout. Trading one
way for the other changes no clue of any other cell that is safe or may be: each such cell touches as many mines either
way. So no cell that is ever opened outside of the set, nor the number of mines, can tell the two ways apart.

Looked for are two cells, anywhere, and the four of a square, two of which, across, are mines. No larger ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Board, Cell, View, cells_of, neighbours
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import some_layout

_REACH: Final = 2
"""Cells further apart have no neighbour in common."""


@dataclass(frozen=True)
class SealedToss:
    """The `cells`, in reading order, and two layouts that differ in them alone: nothing will tell which is true."""

    cells: tuple[Cell, ...]
    layouts: tuple[Board, Board]

    def in_words(self) -> str:
        """Say what it is, and what to do."""
        names = ", ".join(map(str, self.cells[:-1])) + f" and {self.cells[-1]}"
        return f"nothing will ever tell which of {names} hold the mines: toss early"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; each layout is the list of its mines."""
        mines = [[list(cell) for cell in cells_of(layout.mine_map)] for layout in self.layouts]
        return {"cells": [list(cell) for cell in self.cells], "layouts": mines, "words": self.in_words()}


def sealed_tosses(view: View, known: Deductions | None = None) -> tuple[SealedToss, ...]:
    """Find the sealed tosses of two cells, and of squares. `known` is the closure of the view, if it is at hand.

    Raises `InconsistentView`.
    """
    known = closure(view) if known is None else known
    uncertain = (view.cells == HIDDEN) & ~known.safe & ~known.mines
    cells = cells_of(uncertain)
    # What is certainly a mine is never opened, so it never tells anything.
    tellers = {
        cell: frozenset(near for near in neighbours(view.rows, view.cols, cell) if not known.mines[near])
        for cell in cells
    }
    found = []
    for one, other in _ways(cells, tellers):
        layouts = _two_layouts(view, one, other)
        if layouts is not None:
            found.append(SealedToss(tuple(sorted(one + other)), layouts))
    return tuple(found)


_Cells = tuple[Cell, ...]


def _ways(cells: Iterable[Cell], tellers: dict[Cell, frozenset[Cell]]) -> Iterator[tuple[_Cells, _Cells]]:
    """Yield pairs of sets of cells that touch every other cell which may be opened equally often."""
    alone = [cell for cell in cells if not tellers[cell]]
    yield from (((one,), (other,)) for one, other in combinations(alone, 2))
    for row, col in cells:
        steps = product(range(_REACH + 1), range(-_REACH, _REACH + 1))
        for other in ((row + down, col + right) for down, right in steps if (down, right) > (0, 0)):
            if other in tellers and tellers[row, col] and _tells_nothing(((row, col),), (other,), tellers):
                yield ((row, col),), (other,)
        one, other_way = ((row, col), (row + 1, col + 1)), ((row, col + 1), (row + 1, col))
        if all(cell in tellers for cell in one + other_way) and _tells_nothing(one, other_way, tellers):
            yield one, other_way


def _tells_nothing(one: _Cells, other: _Cells, tellers: dict[Cell, frozenset[Cell]]) -> bool:
    counts: dict[Cell, int] = {}
    for way, sign in ((one, 1), (other, -1)):
        for cell in way:
            for near in tellers[cell]:
                counts[near] = counts.get(near, 0) + sign
    return not any(count for near, count in counts.items() if near not in one + other)


def _two_layouts(view: View, one: _Cells, other: _Cells) -> tuple[Board, Board] | None:
    """Give a layout for each way; None if there is a layout in which the mines are neither all here nor all there."""
    every = one + other
    random = Random(0)
    for mines in product((False, True), repeat=len(every)):
        mined = tuple(cell for cell, mine in zip(every, mines, strict=True) if mine)
        if mined not in (one, other):
            try:
                some_layout(view, random, mines_at=mined, safe_at=tuple(set(every) - set(mined)))
            except Contradiction:
                continue
            return None
    layout = some_layout(view, random, mines_at=one, safe_at=other)
    swapped = layout.mine_map.copy()
    swapped[tuple(np.transpose(every))] ^= True
    return layout, Board(swapped)
