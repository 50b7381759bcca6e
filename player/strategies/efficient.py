"""Win as often as `champion`, with fewer clicks.

Players compare how many clicks they need for the 3BV of a board: every click counts, those that set a flag too, and a
chord opens all other neighbours of a clue whose mines are flagged. This one knows no more of the mines than any player:
it looks for the click that saves most by what is certain, and by how likely openings are.

* Opening a cell is worth its click, but for the chance that it lies on the rim of an opening, which would open it too.
* A chord is worth what it opens, less itself, less the flags that it still needs; a flag is worth a little to each
  other clue around it. The cell to chord on may be closed yet: then it is opened first, a click of its own.

What is worth most is done first, so that cells that an opening may open wait. Where nothing is certain, it opens what
`champion` opens. This is the premium of ZiNi, which counts the clicks of a plan that knows all mines (see
`player.measure.metrics`), in expectation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Final, NamedTuple

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, numbered_neighbours
from minesweeper.player.logic import Engine, deduce, reasoner
from minesweeper.player.results import GameResult, PuzzleSource
from minesweeper.player.strategies import Knowledge
from minesweeper.player.strategies.champion import Champion

_WORTH_OF_FLAG: Final = 0.1
"""To each other clue around it, in clicks: found by trial, as clicks per 3BV over won expert games are lowest there."""


class Click(NamedTuple):
    """A click as `player.game.Game` takes it: ``open``, ``flag`` or ``chord``."""

    kind: str
    cell: Cell


class Efficient(Champion):
    """Opens what is certain with few clicks, by flags and chords; guesses as `champion` does.

    `clicks` are those of the game under way after its first one, which a game begins with.
    """

    name = "efficient"
    revision = 1
    plays_alone = True

    def begin(self, random: Random) -> None:
        super().begin(random)
        self.clicks: list[Click] = []
        self._table: _Table | None = None

    def moves(self, view: View) -> Sequence[Cell]:
        table = self._table
        if table is None or not table.learn(view):
            table = self._table = _Table(view)
        if not table.safe:
            guess = self.choose(view, table.knowledge(view))
            self.clicks.append(Click("open", guess))
            return [guess]
        best = table.best()
        self.clicks += [Click("flag", divmod(mine, view.cols)) for mine in table.flag(best.flags)]
        self.clicks.append(Click("chord" if best.chord else "open", divmod(best.place, view.cols)))
        return [divmod(cell, view.cols) for cell in best.opens]

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        return None


@dataclass(frozen=True)
class _Deed:
    """Where to click next, after which flags, what it opens, what it saves in all, and the chance of a zero there."""

    place: int
    opens: list[int]
    saves: float
    zero: float = 0.0
    flags: frozenset[int] = frozenset()
    chord: bool = False

    @property
    def rank(self) -> tuple[float, float, int]:
        """What saves more is greater, then what is likelier a zero, then what comes first row by row."""
        return self.saves, self.zero, -self.place


class _Table:
    """What lies on the table: cells by number, with what is known and flagged."""

    def __init__(self, view: View) -> None:
        self._near = numbered_neighbours(view.rows, view.cols)
        self._logic = reasoner(view.rows, view.cols, view.mines)
        self._shown = np.full_like(view.cells, HIDDEN)
        self._flags: set[int] = set()
        self._mines: set[int] = set()
        self.safe: set[int] = set()
        self.learn(view)

    def learn(self, view: View) -> bool:
        """Take over what has been opened, and what follows; return whether this view follows from that before."""
        if not view.extends(self._shown):
            return False
        fresh = np.flatnonzero(self._shown != view.cells).tolist()
        self._shown = view.cells
        self._cells: list[int] = view.cells.ravel().tolist()
        self.safe.difference_update(fresh)
        for step in deduce(self._logic, fresh, [self._cells[cell] for cell in fresh]):
            self.safe.update(step.safe)
            self._mines.update(step.mines)
        doubtful = self._cells.count(HIDDEN) - len(self.safe) - len(self._mines)
        self._free = 1 - (view.mines - len(self._mines)) / max(doubtful, 1)
        self._zeros: dict[int, float] = {}
        self._needs: dict[int, float] = {}
        return True

    def knowledge(self, view: View) -> Knowledge:
        """What logic knows, for a guess."""
        mines = np.zeros(view.cells.shape, dtype=np.bool_)
        mines.ravel()[list(self._mines)] = True
        return Knowledge(view, np.zeros_like(mines), mines)

    def flag(self, mines: frozenset[int]) -> list[int]:
        """Flag mines; return them in order."""
        self._flags |= mines
        return sorted(mines)

    def best(self) -> _Deed:
        """Find what saves most."""
        deeds = [_Deed(cell, [cell], self._need(cell) - 1, self._zero(cell)) for cell in self.safe]
        places = {place for cell in self.safe for place in (cell, *self._near[cell])} - self._mines
        deeds += [chord for place in places if (chord := self._chord(place)) is not None]
        return max(deeds, key=lambda deed: deed.rank)

    def _chord(self, place: int) -> _Deed | None:
        """Weigh a chord; None if it is not known to be one."""
        closed = self._cells[place] == HIDDEN
        around = {near for near in self._near[place] if self._cells[near] == HIDDEN}
        mines, safe = around & self._mines, around & self.safe
        if not mines or not safe or mines | safe != around or (closed and place not in self.safe):
            return None
        flags = frozenset(mines - self._flags)
        saves = sum(map(self._need, safe)) - 1 - sum(1 - self._helps(mine, place) for mine in flags)
        if closed:
            return _Deed(place, [place], saves + self._need(place) - 1)
        return _Deed(place, sorted(safe), saves, flags=flags, chord=True)

    def _helps(self, mine: int, place: int) -> float:
        """What a flag is worth to the other clues around it that have cells left which this chord does not open."""
        done = {*self._near[place], *self._mines}
        clues = set(self._near[mine]) - self._mines - {place}
        left = (any(self._cells[near] == HIDDEN and near not in done for near in self._near[clue]) for clue in clues)
        return _WORTH_OF_FLAG * sum(left)

    def _zero(self, cell: int) -> float:
        """The chance that a cell is a zero, as if each doubtful cell were a mine on its own."""
        chance = self._zeros.get(cell)
        if chance is None:
            square = [cell, *self._near[cell]]
            if self._cells[cell] != HIDDEN:
                chance = float(self._cells[cell] == 0)
            elif not self._mines.isdisjoint(square):
                chance = 0.0
            else:
                chance = self._free ** sum(self._cells[one] == HIDDEN and one not in self.safe for one in square)
            self._zeros[cell] = chance
        return chance

    def _need(self, cell: int) -> float:
        """The chance that a safe cell takes a click of its own: that it is a zero, or no neighbour is one."""
        need = self._needs.get(cell)
        if need is None:
            zero = self._zero(cell)
            need = zero + (1 - zero) * prod(1 - self._zero(near) for near in self._near[cell])
            self._needs[cell] = need
        return need
