"""The clicks of the strategy `efficient` and what each saves, in plain Python."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.logic import Deductions

# Chosen for the fewest clicks per 3BV on expert boards.
_FLAG_VALUE: Final = 0.12
"""Clicks that a flag saves at each other clue next to it."""
_PRICE: Final = 0.85
"""Share of the click on a cell that remains to be saved, because another chord may open the cell."""
_NEXT: Final = 0.75
"""Share of the value of the next chord that counts."""


@dataclass(frozen=True)
class PlainClick:
    """A possible click, the cells that it opens, the clicks that it saves, the probability of a zero, and its flags."""

    place: int
    opens: list[int]
    saves: float
    zero: float = 0.0
    flags: frozenset[int] = frozenset()
    chord: bool = False


class PlainClicks:
    """A position with the deductions of logic, the chances and the flags; cells are numbers."""

    def __init__(self, view: View, known: Deductions, flags: Collection[int]) -> None:
        self._near = view.grid.numbered
        self._cells: list[int] = view.cells.ravel().tolist()
        self._flags = flags
        self._safe = set(np.flatnonzero(known.safe_map).tolist())
        self._mines = set(np.flatnonzero(known.mine_map).tolist())
        assert known.chances is not None
        self._chances: list[float] = known.chances.ravel().tolist()

    def all(self) -> list[PlainClick]:
        """Return the possible clicks."""
        candidates = [
            PlainClick(cell, [cell], self._price(cell) - 1 + _NEXT * self._next_chord(cell), self._zero(cell))
            for cell in self._safe
        ]
        places = {near for cell in self._safe for near in self._near[cell] if self._cells[near] != HIDDEN}
        return candidates + [chord for place in places if (chord := self._chord(place)) is not None]

    def _hidden(self, place: int) -> tuple[list[int], list[int]]:
        """Return the hidden neighbours of a cell: the known mines, and all others."""
        hidden = [near for near in self._near[place] if self._cells[near] == HIDDEN]
        mines = [near for near in hidden if near in self._mines]
        return mines, [near for near in hidden if near not in self._mines]

    def _chord(self, place: int) -> PlainClick | None:
        """Evaluate a chord on a clue; return None unless all its hidden neighbours are known."""
        mines, safe = self._hidden(place)
        if not mines or not safe or not self._safe.issuperset(safe):
            return None
        flags = frozenset(mines).difference(self._flags)
        following = max(self._next_chord(cell, safe, flags) for cell in safe)
        saves = self._saved(place, safe, flags) + _NEXT * following
        return PlainClick(place, sorted(safe), saves, flags=flags, chord=True)

    def _saved(self, place: int, opens: Collection[int], flags: Collection[int]) -> float:
        """Return the clicks that a chord saves which opens these cells and needs these flags."""
        return sum(map(self._price, opens)) - 1 - sum(1 - self._flag_value(mine, place) for mine in flags)

    def _next_chord(self, cell: int, opened: Collection[int] = (), flagged: Collection[int] = ()) -> float:
        """Return the clicks that a chord on a safe cell is expected to save once it is open, 0 or more.

        `opened` and `flagged` are the other cells and the mines of the click that opens it.
        """
        mines, others = self._hidden(cell)
        opens = [other for other in others if other not in opened]
        if not mines or not opens:
            return 0.0
        saves = self._saved(cell, opens, [mine for mine in mines if mine not in self._flags and mine not in flagged])
        return saves * prod(1 - self._chances[other] for other in others) if saves > 0 else 0.0

    def _flag_value(self, mine: int, place: int) -> float:
        """Return the value of a flag at other clues that have hidden cells left after this chord."""
        done = {place, *self._near[place]}
        clues = (near for near in self._near[mine] if near != place and near not in self._mines)
        return _FLAG_VALUE * sum(
            1 if self._cells[clue] != HIDDEN else 1 - self._chances[clue]
            for clue in clues
            if not done.issuperset(self._hidden(clue)[1])
        )

    def _zero(self, cell: int) -> float:
        """Estimate the probability that a cell is a zero, as if the chances of its neighbours were independent."""
        if self._cells[cell] != HIDDEN:
            return float(self._cells[cell] == 0)
        square = (one for one in (cell, *self._near[cell]) if self._cells[one] == HIDDEN)
        return prod(1 - self._chances[one] for one in square)

    def _price(self, cell: int) -> float:
        """Estimate the value of opening a cell by a chord: the probability that it is a zero or borders none."""
        zero = self._zero(cell) / (1 - self._chances[cell])
        return _PRICE * (zero + (1 - zero) * prod(1 - self._zero(near) for near in self._near[cell]))
