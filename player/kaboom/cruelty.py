"""The cruelest that a safe click may lead to: the view in which the fewest cells are open or certain."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Cell, View, neighbours
from minesweeper.player.logic import Deductions, Engine, choose_engine, closure, sat

MOST_VIEWS: Final = 400


@dataclass(frozen=True)
class _Branch:
    """A view on the way: how many cells are open or certain, and which cells its zeros open next."""

    view: View
    to_open: tuple[Cell, ...]
    deductions: Deductions

    @property
    def known(self) -> int:
        opened = np.count_nonzero(self.view.cells != HIDDEN)
        return int(opened + np.count_nonzero(self.deductions.safe_map) + np.count_nonzero(self.deductions.mine_map))


def cruelest(
    view: View, cell: Cell, *, opening: bool = False, random: Random, engine: Engine = "auto", most: int = MOST_VIEWS
) -> View:
    """Return the view, of all that opening a hidden cell may lead to, in which the fewest cells are open or certain.

    The cell may be safe, or even must show a zero if it is to be an `opening`; a zero opens its neighbours, and so on.
    Chance breaks ties. After `most` views the search stops: then the best found is returned, or a view in which not
    all that zeros open is open yet. Raises `InconsistentView` if no layout fits `view`.
    """
    best: _Branch | None = None
    branches = [_Branch(view, (cell,), closure(view, engine))]
    # Whoever is shown more knows no less, so what grows from a branch is no better than the branch.
    while branches and (most > 0 or best is None):
        branch = branches[-1]
        if most <= 0:
            return branch.view
        branches.pop()
        if best is not None and branch.known >= best.known:
            continue
        if not branch.to_open:
            best = branch
            continue
        grown = _grown(branch, only_zero=opening and branch.view is view, engine=engine)
        most -= len(grown)
        random.shuffle(grown)
        branches += sorted(grown, key=lambda one: -one.known)
    assert best is not None
    return best.view


def _fits(view: View, engine: Engine) -> bool:
    """Say whether any layout fits, without asking which clues clash if none does: that takes much longer."""
    if choose_engine(engine) == "native":
        clues = {index: clue for index, clue in enumerate(view.cells.ravel().tolist()) if clue != HIDDEN}
        found = kernel_api.fits((view.rows, view.cols), view.mines, (), (), clues)
        if found is not None:
            return found
    return sat.fits(view)


def _grown(branch: _Branch, *, only_zero: bool, engine: Engine) -> list[_Branch]:
    """Open the next cell: one branch for each clue that it may show."""
    view, known = branch.view, branch.deductions
    cell, *rest = branch.to_open
    around = [near for near in neighbours(view.rows, view.cols, cell) if view.cells[near] == HIDDEN]
    least = sum(bool(known.mine_map[near]) for near in around)
    most = len(around) - sum(bool(known.safe_map[near]) for near in around)
    grown = []
    for clue in range(1) if only_zero else range(least, most + 1):
        to_open = rest if clue else [*rest, *(near for near in around if near not in rest)]
        shown = view.showing(cell, clue)
        if _fits(shown, engine):
            grown.append(_Branch(shown, tuple(to_open), closure(shown, engine)))
    return grown
