"""The player of *On the Critical Density of Minesweeper Boards* as it was published, weaknesses and all.

It plays every move by itself, as its authors' program does (github.com/fwyr/minesweeping; nothing is copied from it):

* It deduces what the clues in a square of 3x3 cells say together, for each square around an open cell or a known mine;
  never from a whole component, and never from the number of mines: it could, but is called so that it does not.
* A guess is the cell with the highest safety + 0.2 progress. At the frontier, safety is the mean, over the clues that
  the cell touches, of 1 - (clue - mines known around it) / (cells unknown around it), as in `local`.
* At sea, safety is 1 - (mines left - accounted) / (unknown cells - 1). *Accounted* adds up, over all cells of the
  board, what is written there less the mines known around: 0 is written on an unknown cell, -1 on a mine. So mines
  count as often as clues see them, and this safety is no probability; it is not capped either. One of just 1 is taken
  at once.
* Progress at sea is C(unknown - 1 - neighbours, mines left) / C(unknown - 1, mines left). At the frontier it is the
  share of clues that the cell might show after which a square says anything, where these go from the mines known around
  the cell to one less than the unknown cells around it; a clue that cannot be counts as no progress.

The program's order of equals is that of a hash table; here it is row by row. `local` is the corrected player: complete
logic, true chances at sea, progress among possible clues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from random import Random

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, numbered_neighbours
from minesweeper.player.strategies import Knowledge, Strategy

_PROGRESS_WEIGHT = 0.2
_UNKNOWN, _MINE = -1, -2


class Published(Strategy):
    """Plays alone: opens what its squares prove safe, else guesses by the published formulas."""

    name = "published"
    plays_alone = True

    def begin(self, random: Random) -> None:
        super().begin(random)
        self._board: _Board | None = None

    def moves(self, view: View) -> Sequence[Cell]:
        board = self._board
        if board is None or not board.learn(view):
            board = self._board = _Board(view)
        return [divmod(cell, view.cols) for cell in board.deduce() or [self._guess(board)]]

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        board = _Board(view)
        for cell in knowledge.mine_map.ravel().nonzero()[0].tolist():
            board.mark(cell)
        return divmod(self._guess(board), view.cols)

    def _guess(self, board: _Board) -> int:
        unknown = [cell for cell, value in enumerate(board.cells) if value == _UNKNOWN]
        left = board.mines - board.cells.count(_MINE)
        sea = [cell for cell in unknown if all(board.cells[near] == _UNKNOWN for near in board.near[cell])]
        scores: dict[int, float] = {}
        if sea:
            safety = 1 - (left - board.accounted()) / max(len(unknown) - 1, 1)
            if safety == 1:
                return sea[0]
            ways = comb(len(unknown) - 1, left)
            # These numbers are huge, but few: inside, at an edge, in a corner.
            progress = {
                around: comb(len(unknown) - 1 - around, left) / ways if ways else 0.0
                for around in {len(board.near[cell]) for cell in sea}
            }
            for cell in sea:
                scores[cell] = safety + _PROGRESS_WEIGHT * progress[len(board.near[cell])]
        safeties = {cell: looks for cell in unknown if (looks := board.safety(cell)) is not None}
        best = max(scores.values(), default=float("-inf"))
        for cell in sorted(safeties, key=lambda cell: -safeties[cell]):
            # From here on, not even the certainty of going on could win.
            if safeties[cell] + _PROGRESS_WEIGHT < best:
                break
            scores[cell] = safeties[cell] + _PROGRESS_WEIGHT * board.progress(cell)
            best = max(best, scores[cell])
        if not scores:
            return self.random.choice(unknown)
        return min(scores, key=lambda cell: (-scores[cell], cell))


class _Board:
    """What the program knows: a clue for each open cell, else `_UNKNOWN` or `_MINE`."""

    def __init__(self, view: View) -> None:
        self.cells = [_UNKNOWN] * view.cells.size
        self.mines = view.mines
        self.near = numbered_neighbours(view.rows, view.cols)
        # The unknown cells around a clue, and how many mines it needs among them; of clues looked at since a change.
        self._looked_at: dict[int, tuple[list[int], int]] = {}
        # The squares where something has changed since they were asked: others have nothing more to say.
        self._changed: set[int] = set()
        self._shown = np.full_like(view.cells, HIDDEN)
        self.learn(view)

    def learn(self, view: View) -> bool:
        """Take over what has been opened; return whether this view follows from that before."""
        if not view.extends(self._shown):
            return False
        for cell in np.flatnonzero(self._shown != view.cells).tolist():
            self._set(cell, int(view.cells.flat[cell]))
        self._shown = view.cells
        return True

    def deduce(self) -> list[int]:
        """Mark mines until a safe cell is found or nothing follows any more; return the safe cells."""
        while True:
            safe: set[int] = set()
            mines: set[int] = set()
            squares, self._changed = self._changed, set()
            for square in squares:
                found = self._square(square)
                if found is not None:
                    safe |= found[0]
                    mines |= found[1]
            for mine in mines:
                self.mark(mine)
            if safe or not mines:
                return sorted(safe)

    def accounted(self) -> int:
        """Add up what is written on each cell less the mines known around it."""
        written = sum(-1 if value == _MINE else max(value, 0) for value in self.cells)
        return written - sum(len(self.near[cell]) for cell, value in enumerate(self.cells) if value == _MINE)

    def safety(self, cell: int) -> float | None:
        """Estimate how safe a frontier cell is; None if it touches no clue."""
        looks = [self._look_at(clue) for clue in self.near[cell] if self.cells[clue] >= 0]
        shares = [1 - need / len(unknown) for unknown, need in looks]
        return sum(shares) / len(shares) if shares else None

    def progress(self, cell: int) -> float:
        """Return the share of clues on a frontier cell after which a square would say anything."""
        clues = range(sum(self.cells[near] == _MINE for near in self.near[cell]), len(self._look_at(cell)[0]))
        # No square said anything before, so only those that see this cell or a clue around it can.
        squares = {far for near in self.near[cell] for far in (near, *self.near[near])}
        changed = set(self._changed)
        going_on = 0
        for clue in clues:
            self._set(cell, clue)
            found = [self._square(square) for square in squares]
            going_on += all(one is not None for one in found) and any(one is not None and any(one) for one in found)
        self._set(cell, _UNKNOWN)
        self._changed = changed
        return going_on / max(len(clues), 1)

    def mark(self, cell: int) -> None:
        """Take a cell as a mine."""
        self._set(cell, _MINE)

    def _set(self, cell: int, value: int) -> None:
        self.cells[cell] = value
        for changed in (cell, *self.near[cell]):
            self._looked_at.pop(changed, None)
            self._changed.update(self.near[changed])

    def _look_at(self, cell: int) -> tuple[list[int], int]:
        """Return the unknown cells around a cell, and how many mines are among them if it shows a clue."""
        if cell not in self._looked_at:
            values = [(near, self.cells[near]) for near in self.near[cell]]
            unknown = [near for near, value in values if value == _UNKNOWN]
            self._looked_at[cell] = unknown, self.cells[cell] - sum(value == _MINE for _, value in values)
        return self._looked_at[cell]

    def _square(self, centre: int) -> tuple[set[int], set[int]] | None:
        """What the clues in the square around a known cell say together: safe cells and mines; None if they clash."""
        if self.cells[centre] == _UNKNOWN:
            return set(), set()
        seen_by: dict[int, int] = {}
        needs: list[int] = []
        for clue in (centre, *self.near[centre]):
            if self.cells[clue] < 0:
                continue
            unknown, need = self._look_at(clue)
            if not unknown:
                continue
            for cell in unknown:
                seen_by[cell] = seen_by.get(cell, 0) | 1 << len(needs)
            needs.append(need)
        if not needs:
            return set(), set()
        boxes: dict[int, list[int]] = {}
        for cell, clues in seen_by.items():
            boxes.setdefault(clues, []).append(cell)
        order = sorted(boxes)
        bounds = _bounds(tuple((clues, len(boxes[clues])) for clues in order), tuple(needs))
        if bounds is None:
            return None
        safe = {cell for clues, (_, most) in zip(order, bounds, strict=True) if most == 0 for cell in boxes[clues]}
        mines = {
            cell
            for clues, (least, _) in zip(order, bounds, strict=True)
            if least == len(boxes[clues])
            for cell in boxes[clues]
        }
        return safe, mines


@lru_cache(maxsize=1 << 17)
def _bounds(boxes: tuple[tuple[int, int], ...], needs: tuple[int, ...]) -> tuple[tuple[int, int], ...] | None:
    """Find the fewest and most mines of each box of cells, given as the clues that see it (bits) and its size.

    None if there is no way to give each clue the mines it needs.
    """
    counts = [0] * len(boxes)
    found: list[tuple[int, ...]] = []
    # For each box, which clues see it, and how many cells of later boxes each of these sees.
    seeing = [[clue for clue in range(len(needs)) if clues >> clue & 1] for clues, _ in boxes]
    later = [
        [(clue, sum(cells for other, cells in boxes[place + 1 :] if other >> clue & 1)) for clue in those]
        for place, those in enumerate(seeing)
    ]

    def fill(place: int, left: list[int]) -> None:
        if place == len(boxes):
            if not any(left):
                found.append(tuple(counts))
            return
        most = min(boxes[place][1], *(left[clue] for clue in seeing[place]))
        least = max(0, *(left[clue] - cells for clue, cells in later[place]))
        for number in range(least, most + 1):
            counts[place] = number
            rest = left.copy()
            for clue in seeing[place]:
                rest[clue] -= number
            fill(place + 1, rest)

    if min(needs) >= 0:
        fill(0, list(needs))
    return tuple((min(column), max(column)) for column in zip(*found, strict=True)) if found else None
