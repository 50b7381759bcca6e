"""The cruelest result of a safe click: the view in which the fewest cells are open or certain."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Cell, View, neighbours
from minesweeper.player.logic import Deductions, choose_engine, closure, sat
from minesweeper.player.steps import Engine

MOST_VIEWS: Final = 400


@dataclass(frozen=True)
class _Branch:
    """A partial result of a click: a view, and the cells that its zeros still open."""

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
    """Return the view after opening a hidden cell in which the fewest cells are open or certain.

    The cell must be safe, and show a zero if it is to be an `opening`; a zero opens its neighbours, and so on. `random`
    breaks ties. The search stops after `most` views and returns the best one found, or a view in which some neighbours
    of zeros are still hidden. Raises `InconsistentView` if no layout fits `view`.
    """
    best: _Branch | None = None
    branches = [_Branch(view, (cell,), closure(view, engine))]
    # Revealing more never reduces knowledge, so a branch bounds its children (branch and bound).
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
    """Return True if any layout fits. Much faster than `closure`, which finds the clues that contradict each other."""
    if choose_engine(engine) == "native":
        clues = {index: clue for index, clue in enumerate(view.cells.ravel().tolist()) if clue != HIDDEN}
        found = kernel_api.fits((view.rows, view.cols), view.mines, (), (), clues)
        if found is not None:
            return found
    return sat.fits(view)


def _grown(branch: _Branch, *, only_zero: bool, engine: Engine) -> list[_Branch]:
    """Open the next cell; return a branch for each clue that it may show."""
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
