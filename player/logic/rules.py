"""The knowledge of one game, and the two easy tiers: one clue, two clues.

Cells are stored in flat lists with a border of one cell, so every cell has eight neighbours and no edge needs a test.
Each cell has a byte-sized `mask`, the directions of its undecided neighbours, and `need`, its clue minus the known
mines around it. One look-up table for each offset intersects the masks of two clues, so the cost of a pair does not
depend on the size of the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from minesweeper.player.errors import OutOfTime
from minesweeper.player.limits import check_time

UNKNOWN: Final = 0
SAFE: Final = 1
MINE: Final = 2
OPEN: Final = 3
BORDER: Final = 4

DIRECTIONS: Final = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
BITS: Final = [mask.bit_count() for mask in range(256)]
_PLACES: Final = [[place for place in range(8) if mask >> place & 1] for mask in range(256)]


class Contradiction(Exception):
    """Clues that contradict each other."""


def _seen_from(row: int, col: int) -> list[int]:
    """Map each mask of a clue at offset (row, col) to the cells next to both clues, as a mask of this clue."""
    places = {direction: place for place, direction in enumerate(DIRECTIONS)}
    shared = [places.get((row + r, col + c)) for r, c in DIRECTIONS]
    return [sum(1 << here for there in _PLACES[mask] if (here := shared[there]) is not None) for mask in range(256)]


@lru_cache(maxsize=16)
def _empty_board(rows: int, cols: int) -> tuple[bytes, tuple[int, ...]]:
    """Return the state and the mask of every cell of an unopened board, border included."""
    stride = cols + 2
    # One more row and cell, so that offsets of two cells stay inside.
    state = bytearray([BORDER]) * ((rows + 3) * stride + 1)
    for row in range(1, rows + 1):
        state[row * stride + 1 : row * stride + 1 + cols] = bytes([UNKNOWN]) * cols
    mask = [0] * len(state)
    for cell, value in enumerate(state):
        if value == UNKNOWN:
            for place, (r, c) in enumerate(DIRECTIONS):
                if state[cell + r * stride + c] == UNKNOWN:
                    mask[cell] |= 1 << place
    return bytes(state), tuple(mask)


class Position:
    """The knowledge of one game. Cells are places in the bordered board; `number` and `place` convert.

    `unknown` and `mines` count the undecided cells and the mines among them.
    """

    def __init__(self, rows: int, cols: int, mines: int) -> None:
        self.rows, self.cols = rows, cols
        self.stride = stride = cols + 2
        state, mask = _empty_board(rows, cols)
        self.state = bytearray(state)
        self.mask = list(mask)
        self.need = [0] * len(mask)
        self.unknown = rows * cols
        self.mines = mines
        self.around = [r * stride + c for r, c in DIRECTIONS]
        self._towards = [(step, 255 - (1 << (7 - place))) for place, step in enumerate(self.around)]
        self._overlaps = [
            (r * stride + c, _OVERLAP[r, c], _OVERLAP[-r, -c])
            for r in range(-2, 3)
            for c in range(-2, 3)
            if (r, c) != (0, 0)
        ]
        self._new: list[int] = []
        self._changed: set[int] = set()

    def place(self, number: int) -> int:
        """Return the place in the bordered board of cell ``row * cols + col``."""
        row, col = divmod(number, self.cols)
        return (row + 1) * self.stride + col + 1

    def number(self, place: int) -> int:
        """Return the cell number of a place in the bordered board."""
        row, col = divmod(place, self.stride)
        return (row - 1) * self.cols + col - 1

    def learn(self, place: int, clue: int) -> None:
        """Open a cell that is not known to be a mine."""
        state = self.state[place]
        if state == OPEN:
            return
        if state == MINE:
            raise Contradiction
        if state == UNKNOWN:
            self.decide((place,), False)
        self.state[place] = OPEN
        self.need[place] += clue
        self._new.append(place)
        self._changed.add(place)

    def decide(self, places: Iterable[int], mine: bool) -> None:
        """Mark undecided cells as mines or as safe, and update the clues around them."""
        state, mask, need, new, changed = self.state, self.mask, self.need, self._new, self._changed
        for place in places:
            state[place] = MINE if mine else SAFE
            self.unknown -= 1
            self.mines -= mine
            for step, rest in self._towards:
                near = place + step
                mask[near] &= rest
                need[near] -= mine
                if state[near] == OPEN:
                    new.append(near)
                    changed.add(near)

    def cells(self, place: int, mask: int) -> list[int]:
        """Return the places of the cells in a mask of a clue."""
        around = self.around
        return [place + around[direction] for direction in _PLACES[mask]]

    def one_clue(self) -> tuple[list[int], list[int]]:
        """Decide cells by single clues until nothing more follows; return the safe cells and the mines.

        Out of time, return the cells decided so far, if any; the next call raises `OutOfTime` at once.
        """
        mask, need, new = self.mask, self.need, self._new
        safe: list[int] = []
        mines: list[int] = []
        while new:
            try:
                check_time()
            except OutOfTime:
                if safe or mines:
                    break
                raise
            clue = new.pop()
            around, left = mask[clue], need[clue]
            if left == 0:
                if around:
                    found = self.cells(clue, around)
                    self.decide(found, False)
                    safe += found
            elif left == BITS[around]:
                found = self.cells(clue, around)
                self.decide(found, True)
                mines += found
            elif left < 0 or left > BITS[around]:
                raise Contradiction
        return safe, mines

    def two_clues(self) -> tuple[set[int], set[int]]:
        """Return the safe cells and the mines that pairs of overlapping clues force, without deciding them.

        Call `take_changed` afterwards. Two clues need a and b mines among p cells of the first alone, q shared cells
        and r of the second alone. The shared cells hold at least max(0, a - p, b - r) and at most min(q, a, b) mines.
        A part is decided if these bounds leave it one value.
        """
        state, mask, need = self.state, self.mask, self.need
        safe: set[int] = set()
        mines: set[int] = set()
        for first in self._changed:
            check_time()
            around, a = mask[first], need[first]
            if not around:
                continue
            for step, towards, back in self._overlaps:
                second = first + step
                if state[second] != OPEN:
                    continue
                shared = around & towards[mask[second]]
                if not shared:
                    continue
                b = need[second]
                only_first = around & ~shared
                only_second = mask[second] & ~back[around]
                p, q, r = BITS[only_first], BITS[shared], BITS[only_second]
                least = max(0, a - p, b - r)
                most = min(q, a, b)
                if most < least:
                    raise Contradiction
                if most == 0:
                    safe.update(self.cells(first, shared))
                elif least == q:
                    mines.update(self.cells(first, shared))
                if p:
                    if a == least:
                        safe.update(self.cells(first, only_first))
                    elif a - most == p:
                        mines.update(self.cells(first, only_first))
                if r:
                    if b == least:
                        safe.update(self.cells(second, only_second))
                    elif b - most == r:
                        mines.update(self.cells(second, only_second))
        if not safe.isdisjoint(mines):
            raise Contradiction
        return safe, mines

    def take_changed(self) -> set[int]:
        """Return the clues that changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def component(self, clue: int) -> list[int]:
        """Return the component of a clue with undecided cells, the clue itself first."""
        state, mask = self.state, self.mask
        found = [clue]
        seen = {clue}
        for first in found:
            around = mask[first]
            for step, towards, _ in self._overlaps:
                second = first + step
                if second not in seen and state[second] == OPEN and around & towards[mask[second]]:
                    seen.add(second)
                    found.append(second)
        return found

    def open_clues(self) -> Iterator[int]:
        """Yield the open clues with undecided neighbours."""
        mask = self.mask
        return (place for place, state in enumerate(self.state) if state == OPEN and mask[place])


_OVERLAP: Final = {(r, c): _seen_from(r, c) for r in range(-2, 3) for c in range(-2, 3)}
