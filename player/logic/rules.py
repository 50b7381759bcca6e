"""The knowledge of one game, and the two easy tiers, written to be read: one clue, two clues."""

from __future__ import annotations

from collections.abc import Iterable

from minesweeper.player.core.errors import MinesweeperError, OutOfTime
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.limits import check_time


class Contradiction(MinesweeperError):
    """Clues that contradict each other."""


class Position:
    """The knowledge of one game.

    Cells are numbered ``row * cols + col``; `near` lists the neighbours of each. `known` has the decided cells, True
    for a mine. Each open clue has its `unknown` neighbours and the number of mines among them that it still `needs`.
    `undecided` and `mines` count the undecided cells and the mines among them. `two_clues` adds the clues that it has
    compared to those `unexamined` by harder tiers.
    """

    def __init__(self, grid: Grid, mines: int) -> None:
        self.near = grid.numbered
        self.undecided, self.mines = grid.rows * grid.cols, mines
        self.known: dict[int, bool] = {}
        self.unknown: dict[int, set[int]] = {}
        self.needs: dict[int, int] = {}
        self._new: list[int] = []
        self._changed: set[int] = set()
        self.unexamined: set[int] = set()
        for cell, hole in enumerate(grid.holes):
            if hole:
                self.learn(cell, 0)

    def learn(self, cell: int, clue: int) -> None:
        """Open a cell that is not known to be a mine."""
        if cell in self.unknown:
            return
        if self.known.get(cell):
            raise Contradiction
        if cell not in self.known:
            self.decide((cell,), False)
        around = self.near[cell]
        self.unknown[cell] = {near for near in around if near not in self.known}
        self.needs[cell] = clue - sum(self.known.get(near, False) for near in around)
        self._touch(cell)

    def decide(self, cells: Iterable[int], mine: bool) -> None:
        """Mark undecided cells as mines or as safe, and update the clues around them."""
        for cell in cells:
            self.known[cell] = mine
            self.undecided -= 1
            self.mines -= mine
            for clue in self.near[cell]:
                if clue in self.unknown:
                    self.unknown[clue].remove(cell)
                    self.needs[clue] -= mine
                    self._touch(clue)

    def _touch(self, clue: int) -> None:
        self._new.append(clue)
        self._changed.add(clue)

    def one_clue(self) -> tuple[list[int], list[int]]:
        """Decide cells by single clues until nothing more follows; return the safe cells and the mines.

        Out of time, return the cells decided so far, if any; the next call raises `OutOfTime` at once.
        """
        safe: list[int] = []
        mines: list[int] = []
        while self._new:
            try:
                check_time()
            except OutOfTime:
                if safe or mines:
                    break
                raise
            clue = self._new.pop()
            unknown, need = self.unknown[clue], self.needs[clue]
            if not 0 <= need <= len(unknown):
                raise Contradiction
            if unknown and need in (0, len(unknown)):
                cells = list(unknown)
                self.decide(cells, need > 0)
                (mines if need else safe).extend(cells)
        return safe, mines

    def two_clues(self) -> tuple[set[int], set[int]]:
        """Return the safe cells and the mines that pairs of overlapping clues force, without deciding them.

        Two clues need a and b mines among p cells of the first alone, q shared cells
        and r of the second alone. The shared cells hold at least max(0, a - p, b - r) and at most min(q, a, b) mines.
        A part is decided if these bounds leave it one value.
        """
        safe: set[int] = set()
        mines: set[int] = set()
        for first in self._changed:
            check_time()
            for second in self.overlapping(first):
                if second < first and second in self._changed:
                    continue
                shared = self.unknown[first] & self.unknown[second]
                only_first, only_second = self.unknown[first] - shared, self.unknown[second] - shared
                a, b = self.needs[first], self.needs[second]
                least = max(0, a - len(only_first), b - len(only_second))
                most = min(len(shared), a, b)
                if most < least:
                    raise Contradiction
                for cells, low, high in (
                    (shared, least, most),
                    (only_first, a - most, a - least),
                    (only_second, b - most, b - least),
                ):
                    if high == 0:
                        safe |= cells
                    elif low == len(cells):
                        mines |= cells
        if not safe.isdisjoint(mines):
            raise Contradiction
        self.unexamined |= self._changed
        self._changed = set()
        return safe, mines

    def overlapping(self, clue: int) -> set[int]:
        """Return the other clues that share an undecided cell with this one."""
        return {near for cell in self.unknown[clue] for near in self.near[cell] if near in self.unknown} - {clue}

    def component(self, clue: int) -> list[int]:
        """Return the component of a clue with undecided cells, the clue itself first."""
        found = {clue: None}
        waiting = [clue]
        for first in waiting:
            new = [second for second in self.overlapping(first) if second not in found]
            found |= dict.fromkeys(new)
            waiting += new
        return waiting
