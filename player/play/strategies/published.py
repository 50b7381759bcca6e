"""The strategy `published`: the player of *On the Critical Density of Minesweeper Boards*, weaknesses included.

It makes every move by its own logic, like the program of its authors (github.com/fwyr/minesweeping; no code is copied):

* For each 3x3 square around an open cell or a known mine, it deduces the consequences of the clues in the square
  together. It never uses a whole component or the number of mines.
* A guess is the cell with the highest safety + 0.2 progress. At the frontier, safety is the mean, over the clues next
  to the cell, of 1 - (clue - mines known around it) / (cells unknown around it), as in `local`.
* At unconstrained cells, safety is 1 - (mines left - accounted) / (unknown cells - 1). *Accounted* sums, over all cells
  of the board, the written number less the mines known around the cell; the number is 0 on an unknown cell and -1 on a
  mine. A mine counts as often as clues see it, so this safety is no probability and can exceed 1. A safety of exactly 1
  is chosen at once.
* Progress at unconstrained cells is C(unknown - 1 - neighbours, mines left) / C(unknown - 1, mines left). At the
  frontier it is the share of clues after which some square gives a deduction, over the clues from the number of mines
  known around the cell to one less than the number of unknown cells around it. Impossible clues count as no progress.

The original breaks ties in the order of a hash table; here it is row by row. The strategy `local` is the corrected
player: complete logic, exact probabilities at unconstrained cells, progress among possible clues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from random import Random

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.play.strategies import Knowledge, Strategy

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
            board.assign(cell, _MINE)
        return divmod(self._guess(board), view.cols)

    def _guess(self, board: _Board) -> int:
        unknown = [cell for cell, value in enumerate(board.cells) if value == _UNKNOWN]
        left = board.mines - board.cells.count(_MINE)
        unconstrained = [cell for cell in unknown if all(board.cells[near] == _UNKNOWN for near in board.near[cell])]
        scores: dict[int, float] = {}
        if unconstrained:
            safety = 1 - (left - board.accounted()) / max(len(unknown) - 1, 1)
            if safety == 1:
                return unconstrained[0]
            ways = comb(len(unknown) - 1, left)
            # These numbers are huge, but there are only three: for inner cells, edges and corners.
            progress = {
                around: comb(len(unknown) - 1 - around, left) / ways if ways else 0.0
                for around in {len(board.near[cell]) for cell in unconstrained}
            }
            for cell in unconstrained:
                scores[cell] = safety + _PROGRESS_WEIGHT * progress[len(board.near[cell])]
        safeties = {cell: estimate for cell in unknown if (estimate := board.safety(cell)) is not None}
        best = max(scores.values(), default=float("-inf"))
        for cell in sorted(safeties, key=lambda cell: -safeties[cell]):
            # Cells from here on are too unsafe even with full progress.
            if safeties[cell] + _PROGRESS_WEIGHT < best:
                break
            scores[cell] = safeties[cell] + _PROGRESS_WEIGHT * board.progress(cell)
            best = max(best, scores[cell])
        if not scores:
            return self.random.choice(unknown)
        return min(scores, key=lambda cell: (-scores[cell], cell))


class _Board:
    """The knowledge of the player: a clue for each open cell, else `_UNKNOWN` or `_MINE`."""

    def __init__(self, view: View) -> None:
        self.cells = [_UNKNOWN] * view.cells.size
        self.mines = view.mines
        self.near = view.grid.numbered
        # The unknown cells around a clue and the number of mines among them, for clues unchanged since.
        self._needs: dict[int, tuple[list[int], int]] = {}
        # The squares that changed since their last deduction.
        self._changed: set[int] = set()
        self._shown = np.full_like(view.cells, HIDDEN)
        self.learn(view)

    def learn(self, view: View) -> bool:
        """Add newly opened cells; return False if this view does not extend the last one."""
        if not view.extends(self._shown):
            return False
        for cell in np.flatnonzero(self._shown != view.cells).tolist():
            self.assign(cell, int(view.cells.flat[cell]))
        self._shown = view.cells
        return True

    def deduce(self) -> list[int]:
        """Mark mines until a safe cell or nothing more is found; return the safe cells."""
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
                self.assign(mine, _MINE)
            if safe or not mines:
                return sorted(safe)

    def accounted(self) -> int:
        """Return the sum *accounted*, see above."""
        written = sum(-1 if value == _MINE else max(value, 0) for value in self.cells)
        return written - sum(len(self.near[cell]) for cell, value in enumerate(self.cells) if value == _MINE)

    def safety(self, cell: int) -> float | None:
        """Estimate how safe a frontier cell is; None if it touches no clue."""
        needs = [self._need(clue) for clue in self.near[cell] if self.cells[clue] >= 0]
        shares = [1 - need / len(unknown) for unknown, need in needs]
        return sum(shares) / len(shares) if shares else None

    def progress(self, cell: int) -> float:
        """Return the share of clues of a frontier cell after which some square gives a deduction."""
        clues = range(sum(self.cells[near] == _MINE for near in self.near[cell]), len(self._need(cell)[0]))
        # No square gave a deduction before, so only squares around this cell or its neighbours can.
        squares = {far for near in self.near[cell] for far in (near, *self.near[near])}
        changed = set(self._changed)
        helpful = 0
        for clue in clues:
            self.assign(cell, clue)
            found = [self._square(square) for square in squares]
            helpful += all(one is not None for one in found) and any(one is not None and any(one) for one in found)
        self.assign(cell, _UNKNOWN)
        self._changed = changed
        return helpful / max(len(clues), 1)

    def assign(self, cell: int, value: int) -> None:
        self.cells[cell] = value
        for changed in (cell, *self.near[cell]):
            self._needs.pop(changed, None)
            self._changed.update(self.near[changed])

    def _need(self, cell: int) -> tuple[list[int], int]:
        """Return the unknown cells around a cell, and for a clue the number of mines among them."""
        if cell not in self._needs:
            values = [(near, self.cells[near]) for near in self.near[cell]]
            unknown = [near for near, value in values if value == _UNKNOWN]
            self._needs[cell] = unknown, self.cells[cell] - sum(value == _MINE for _, value in values)
        return self._needs[cell]

    def _square(self, centre: int) -> tuple[set[int], set[int]] | None:
        """Return the safe cells and mines that the clues in the square around a known cell give; None if they clash."""
        safe: set[int] = set()
        mines: set[int] = set()
        if self.cells[centre] == _UNKNOWN:
            return safe, mines
        seen_by: dict[int, int] = {}
        needs: list[int] = []
        for clue in (centre, *self.near[centre]):
            if self.cells[clue] < 0:
                continue
            unknown, need = self._need(clue)
            if not unknown:
                continue
            for cell in unknown:
                seen_by[cell] = seen_by.get(cell, 0) | 1 << len(needs)
            needs.append(need)
        if not needs:
            return safe, mines
        boxes: dict[int, list[int]] = {}
        for cell, clues in seen_by.items():
            boxes.setdefault(clues, []).append(cell)
        order = sorted(boxes)
        bounds = _bounds(tuple((clues, len(boxes[clues])) for clues in order), tuple(needs))
        if bounds is None:
            return None
        for clues, (least, most) in zip(order, bounds, strict=True):
            if most == 0:
                safe.update(boxes[clues])
            if least == len(boxes[clues]):
                mines.update(boxes[clues])
        return safe, mines


@lru_cache(maxsize=1 << 17)
def _bounds(boxes: tuple[tuple[int, int], ...], needs: tuple[int, ...]) -> tuple[tuple[int, int], ...] | None:
    """Return the fewest and most mines of each box of cells, given as the clues that see it (bits) and its size.

    Return None if no assignment gives each clue the mines it needs.
    """
    counts = [0] * len(boxes)
    found: list[tuple[int, ...]] = []
    # For each box, the clues that see it, and for each of these the number of cells in later boxes that it sees.
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
