"""The strategy `efficient`, which wins as often as `champion` with fewer clicks.

Players compare the number of clicks that they need for the 3BV of a board. Every click counts, also those that set a
flag; a chord opens all other neighbours of a clue whose mines are flagged. This strategy uses only deductions and
estimates of how likely openings are, and makes the click that saves most:

* Opening a cell saves its 3BV click, unless the cell lies at the border of an opening, which would open it too.
* A chord saves the clicks on the cells that it opens, less its own click and those of the missing flags. A flag also
  has a small value for each other clue next to it. A chord on a closed cell needs one more click, to open the cell.

The best click goes first, so cells that an opening may open are left for later. Where nothing is certain, it guesses
like `champion`. The value of a click is the expectation of the premium of ZiNi, which counts the clicks of a plan that
knows all mines (see `player.measure.metrics`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Final, NamedTuple

from minesweeper.player.board import HIDDEN, Cell, View, numbered_neighbours
from minesweeper.player.lazy_numpy import NDArray, np
from minesweeper.player.logic import closure
from minesweeper.player.results import GameResult, PuzzleSource
from minesweeper.player.steps import Engine
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.champion import Champion

_FLAG_VALUE: Final = 0.1
"""Clicks that a flag saves at each other clue next to it; chosen for the fewest clicks per 3BV on expert boards."""


class Action(NamedTuple):
    """A click: the name of a method of `player.game.Game` (``open``, ``flag`` or ``chord``) and its cell."""

    kind: str
    cell: Cell


class Efficient(Champion):
    """Guesses like `champion`, and opens certain cells with few clicks, by flags and chords.

    `clicks` are the clicks of the current game after its first click.
    """

    name = "efficient"
    revision = 2
    plays_alone = True

    def begin(self, random: Random) -> None:
        super().begin(random)
        self.clicks: list[Action] = []
        self._flags: set[int] = set()

    def moves(self, view: View) -> Sequence[Cell]:
        known = closure(view)
        if not known.safe_map.any():
            guess = self.choose(view, Knowledge(view, known.safe_map, known.mine_map))
            self.clicks.append(Action("open", guess))
            return [guess]
        best = _Position(view, known.safe_map, known.mine_map, self._flags).best()
        self.clicks += [Action("flag", divmod(mine, view.cols)) for mine in sorted(best.flags)]
        self._flags |= best.flags
        self.clicks.append(Action("chord" if best.chord else "open", divmod(best.place, view.cols)))
        return [divmod(cell, view.cols) for cell in best.opens]

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        return None


@dataclass(frozen=True)
class _Candidate:
    """A possible click, the cells that it opens, the clicks that it saves, the probability of a zero, and its flags."""

    place: int
    opens: list[int]
    saves: float
    zero: float = 0.0
    flags: frozenset[int] = frozenset()
    chord: bool = False


class _Position:
    """A position with the deductions of logic and the flags; cells are numbers."""

    def __init__(
        self, view: View, safe_map: NDArray[np.bool_], mine_map: NDArray[np.bool_], flags: Collection[int]
    ) -> None:
        self._near = numbered_neighbours(view.rows, view.cols)
        self._cells: list[int] = view.cells.ravel().tolist()
        self._flags = flags
        self._safe = set(np.flatnonzero(safe_map).tolist())
        self._mines = set(np.flatnonzero(mine_map).tolist())
        uncertain = self._cells.count(HIDDEN) - len(self._safe) - len(self._mines)
        self._free = 1 - (view.mines - len(self._mines)) / max(uncertain, 1)
        self._zeros: dict[int, float] = {}
        self._own_clicks: dict[int, float] = {}

    def best(self) -> _Candidate:
        """Return the click that saves most; of equals the most likely zero, then the first in reading order."""
        candidates = [_Candidate(cell, [cell], self._own_click(cell) - 1, self._zero(cell)) for cell in self._safe]
        places = {place for cell in self._safe for place in (cell, *self._near[cell])} - self._mines
        candidates += [chord for place in places if (chord := self._chord(place)) is not None]
        return max(candidates, key=lambda one: (one.saves, one.zero, -one.place))

    def _chord(self, place: int) -> _Candidate | None:
        """Evaluate a chord; return None unless all its hidden neighbours are known."""
        closed = self._cells[place] == HIDDEN
        around = {near for near in self._near[place] if self._cells[near] == HIDDEN}
        mines, safe = around & self._mines, around & self._safe
        if not mines or not safe or mines | safe != around or (closed and place not in self._safe):
            return None
        flags = frozenset(mines.difference(self._flags))
        saves = sum(map(self._own_click, safe)) - 1 - sum(1 - self._flag_value(mine, place) for mine in flags)
        if closed:
            return _Candidate(place, [place], saves + self._own_click(place) - 1)
        return _Candidate(place, sorted(safe), saves, flags=flags, chord=True)

    def _flag_value(self, mine: int, place: int) -> float:
        """Return the value of a flag at other clues that have hidden cells left after this chord."""
        done = {*self._near[place], *self._mines}
        clues = set(self._near[mine]) - self._mines - {place}
        left = (any(self._cells[near] == HIDDEN and near not in done for near in self._near[clue]) for clue in clues)
        return _FLAG_VALUE * sum(left)

    def _zero(self, cell: int) -> float:
        """Estimate the probability that a cell is a zero, as if uncertain cells were mines independently."""
        chance = self._zeros.get(cell)
        if chance is None:
            square = [cell, *self._near[cell]]
            if self._cells[cell] != HIDDEN:
                chance = float(self._cells[cell] == 0)
            elif not self._mines.isdisjoint(square):
                chance = 0.0
            else:
                chance = self._free ** sum(self._cells[one] == HIDDEN and one not in self._safe for one in square)
            self._zeros[cell] = chance
        return chance

    def _own_click(self, cell: int) -> float:
        """Estimate the probability that a safe cell needs its own click: it is a zero, or no neighbour is one."""
        if cell not in self._own_clicks:
            zero = self._zero(cell)
            self._own_clicks[cell] = zero + (1 - zero) * prod(1 - self._zero(near) for near in self._near[cell])
        return self._own_clicks[cell]
