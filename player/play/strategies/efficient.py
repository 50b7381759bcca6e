"""The strategy `efficient`, which wins as often as `champion` with fewer clicks.

Players compare the number of clicks that they need for the 3BV of a board. Every click counts, also those that set a
flag; a chord opens all other neighbours of a clue whose mines are flagged. This strategy makes the click that saves
most, by deductions and exact chances:

* Opening a cell saves its 3BV click, unless the cell lies at the border of an opening, which would open it too.
* A chord saves the clicks on the cells that it opens, less its own click and those of the missing flags. A flag also
  has a small value for each other clue next to it.
* An opened cell may be chorded next: the clicks that this chord would save count with the probability that all mines
  around the cell are known ones.

The best click goes first, so cells that an opening may open are left for later. Where nothing is certain, it guesses
like `champion`. The value of a click is the expectation of the premium of ZiNi, which counts the clicks of a plan that
knows all mines (see `player.logic.metrics`). David Hill's JSMinesweeper also weighs the chance of a chord.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Final, NamedTuple

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.results import GameResult, PuzzleSource
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.play.strategies import Knowledge
from minesweeper.player.play.strategies.champion import Champion

# Chosen for the fewest clicks per 3BV on expert boards.
_FLAG_VALUE: Final = 0.12
"""Clicks that a flag saves at each other clue next to it."""
_PRICE: Final = 0.85
"""Share of the click on a cell that remains to be saved, because another chord may open the cell."""
_NEXT: Final = 0.75
"""Share of the value of the next chord that counts."""


class Action(NamedTuple):
    """A click: the name of a method of `player.core.game.Game` (``open``, ``flag`` or ``chord``) and its cell."""

    kind: str
    cell: Cell


class Efficient(Champion):
    """Guesses like `champion`, and opens certain cells with few clicks, by flags and chords.

    `clicks` are the clicks of the current game after its first click.
    """

    name = "efficient"
    revision = 3
    plays_alone = True

    def begin(self, random: Random) -> None:
        super().begin(random)
        self.clicks: list[Action] = []
        self._flags: set[int] = set()

    def moves(self, view: View) -> Sequence[Cell]:
        known = closure(view, chances=True)
        if not known.safe_map.any():
            guess = self.choose(view, Knowledge(view, known.safe_map, known.mine_map))
            self.clicks.append(Action("open", guess))
            return [guess]
        best = _Position(view, known, self._flags).best()
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
    """A position with the deductions of logic, the chances and the flags; cells are numbers."""

    def __init__(self, view: View, known: Deductions, flags: Collection[int]) -> None:
        self._near = view.grid.numbered
        self._cells: list[int] = view.cells.ravel().tolist()
        self._flags = flags
        self._safe = set(np.flatnonzero(known.safe_map).tolist())
        self._mines = set(np.flatnonzero(known.mine_map).tolist())
        self._chances = self._chances_of(view, known)
        self._zeros: dict[int, float] = {}
        self._prices: dict[int, float] = {}
        self._around: dict[int, tuple[list[int], list[int]]] = {}

    def _chances_of(self, view: View, known: Deductions) -> list[float]:
        """Return the probability of a mine in each cell; where layouts were not counted, all uncertain cells share."""
        if known.chances is not None:
            return [*known.chances.ravel().tolist()]
        decided = self._safe | self._mines
        share = (view.mines - len(self._mines)) / max(self._cells.count(HIDDEN) - len(decided), 1)
        return [float(cell in self._mines) if cell in decided else share for cell in range(len(self._cells))]

    def best(self) -> _Candidate:
        """Return the click that saves most; of equals the most likely zero, then the first in reading order."""
        candidates = [
            _Candidate(cell, [cell], self._price(cell) - 1 + _NEXT * self._next_chord(cell), self._zero(cell))
            for cell in self._safe
        ]
        places = {near for cell in self._safe for near in self._near[cell] if self._cells[near] != HIDDEN}
        candidates += [chord for place in places if (chord := self._chord(place)) is not None]
        return max(candidates, key=lambda one: (one.saves, one.zero, -one.place))

    def _hidden(self, place: int) -> tuple[list[int], list[int]]:
        """Return the hidden neighbours of a cell: the known mines, and all others."""
        found = self._around.get(place)
        if found is None:
            hidden = [near for near in self._near[place] if self._cells[near] == HIDDEN]
            mines = [near for near in hidden if near in self._mines]
            found = self._around[place] = mines, [near for near in hidden if near not in self._mines]
        return found

    def _chord(self, place: int) -> _Candidate | None:
        """Evaluate a chord on a clue; return None unless all its hidden neighbours are known."""
        mines, safe = self._hidden(place)
        if not mines or not safe or not self._safe.issuperset(safe):
            return None
        flags = frozenset(mines).difference(self._flags)
        following = max(self._next_chord(cell, safe, flags) for cell in safe)
        saves = self._saved(place, safe, flags) + _NEXT * following
        return _Candidate(place, sorted(safe), saves, flags=flags, chord=True)

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
        chance = self._zeros.get(cell)
        if chance is None:
            if self._cells[cell] != HIDDEN:
                chance = float(self._cells[cell] == 0)
            else:
                square = (one for one in (cell, *self._near[cell]) if self._cells[one] == HIDDEN)
                chance = prod(1 - self._chances[one] for one in square)
            self._zeros[cell] = chance
        return chance

    def _price(self, cell: int) -> float:
        """Estimate the value of opening a cell by a chord: the probability that it is a zero or borders none."""
        price = self._prices.get(cell)
        if price is None:
            safe = 1 - self._chances[cell]
            zero = self._zero(cell) / safe if safe else 0.0
            own = zero + (1 - zero) * prod(1 - self._zero(near) for near in self._near[cell])
            price = self._prices[cell] = _PRICE * own
        return price
