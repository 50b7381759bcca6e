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

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.results import GameResult, PuzzleSource
from minesweeper.player.core.steps import Engine
from minesweeper.player.kernel_api import native_view
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.play.strategies import Knowledge
from minesweeper.player.play.strategies.champion import Champion


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
        self._flags: list[int] = []

    def moves(self, view: View) -> Sequence[Cell]:
        known = closure(view, chances=True)
        if not known.safe_map.any():
            guess = self.choose(view, Knowledge(view, known.safe_map, known.mine_map))
            self.clicks.append(Action("open", guess))
            return [guess]
        chances = _chances_of(view, known)
        best = native_view(view).efficient_click(known.safe_map, known.mine_map, chances, self._flags)
        self.clicks += [Action("flag", divmod(mine, view.cols)) for mine in best.flags]
        self._flags += best.flags
        self.clicks.append(Action("chord" if best.chord else "open", divmod(best.place, view.cols)))
        return [divmod(cell, view.cols) for cell in best.opens]

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        return None


def _chances_of(view: View, known: Deductions) -> NDArray[np.float64]:
    """Return the probability of a mine in each cell; where layouts were not counted, all uncertain cells share."""
    if known.chances is not None:
        return known.chances
    decided = known.safe_map | known.mine_map
    uncertain = np.count_nonzero((view.cells == HIDDEN) & ~decided)
    share = (view.mines - np.count_nonzero(known.mine_map)) / max(int(uncertain), 1)
    return np.where(decided, known.mine_map, share)
