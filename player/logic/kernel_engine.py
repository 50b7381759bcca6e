"""The fast engine: complete closure by exact enumeration in the kernel.

Components too wide to enumerate within a memory bound go to the SAT engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN
from minesweeper.player.limits import check_cells, check_time
from minesweeper.player.logic.clues import Clue
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, conflict, count_backbone
from minesweeper.player.steps import Step, Tier

_WIDE = "the sat engine, which a component too wide for the kernel needs"


class NativeReasoner:
    """The `Reasoner` of the kernel."""

    def __init__(self, rows: int, cols: int, mines: int) -> None:
        self._game = kernel_api.IncrementalClosure(rows, cols, mines)
        self._mines = mines
        self._shape = rows, cols
        self._cells = np.full(rows * cols, HIDDEN, dtype=np.int8)

    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None:
        self._game.learn(cells, clues)
        self._cells[cells] = clues
        self._check()

    def advance(self) -> list[Step]:
        check_time()
        steps = self._game.local_round()
        self._check()
        steps += self._wide_components()
        if steps:
            return steps
        found = self._game.mine_count_round()
        self._check()
        if found is None:
            found = self._mine_count_by_sat()
        return found

    def _check(self) -> None:
        if self._game.inconsistent:
            raise conflict(self._cells.reshape(self._shape), self._mines)

    def _wide_components(self) -> list[Step]:
        """Deduce by SAT from the components that the last round found too wide. Raises `BoardError` on large boards."""
        steps = []
        for component in self._game.pop_wide_components():
            check_cells(*self._shape, _WIDE)
            try:
                safe, mines = component_backbone(_reduced(component))
            except Contradiction:
                raise conflict(self._cells.reshape(self._shape), self._mines) from None
            steps += self._claim(Tier.MORE_CLUES, safe, mines, (clue.cell for clue in component))
        return steps

    def _mine_count_by_sat(self) -> list[Step]:
        check_cells(*self._shape, _WIDE)
        game = self._game
        others = [cell + 1 for cell in game.unconstrained]
        try:
            safe, mines, others_are = count_backbone(_reduced(game.frontier), len(others), game.mines_left)
        except Contradiction:
            raise conflict(self._cells.reshape(self._shape), self._mines) from None
        if others_are is not None:
            (mines if others_are else safe).extend(others)
        return self._claim(Tier.MINE_COUNT, safe, mines)

    def _claim(self, tier: Tier, safe: Iterable[int], mines: Iterable[int], clues: Iterable[int] = ()) -> list[Step]:
        """Return the claims about variables as one step, which the kernel learns; none if there are no claims."""
        safe_cells, mine_cells = (tuple(sorted(variable - 1 for variable in found)) for found in (safe, mines))
        step = Step(tier, safe_cells, mine_cells, tuple(sorted(clues)))
        if not (step.safe or step.mines):
            return []
        self._game.mark(step.safe, mine=False)
        self._game.mark(step.mines, mine=True)
        return [step]


def _reduced(component: Iterable[kernel_api.Clue]) -> list[Clue]:
    """Number cells from 1, as SAT needs."""
    return [([cell + 1 for cell in clue.unknown], clue.need) for clue in component]
