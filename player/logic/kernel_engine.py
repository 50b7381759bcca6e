"""The fast engine: complete closure by exact enumeration in the kernel.

It is there only if the kernel is. A component too wide to enumerate within a memory bound goes to the SAT engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN
from minesweeper.player.limits import check_time
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import component_backbone, conflict, count_backbone
from minesweeper.player.steps import Step, Tier


class NativeReasoner:
    """One game's knowledge, by the kernel. Follows the `Reasoner` protocol."""

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
        return self._mine_count_by_sat() if found is None else found

    def _check(self) -> None:
        if self._game.inconsistent:
            raise conflict(self._cells.reshape(self._shape), self._mines)

    def _wide_components(self) -> list[Step]:
        """What follows in components that were found too wide just now."""
        steps = []
        for component in self._game.pop_wide_components():
            safe, mines = self._by_sat(component)
            if safe or mines:
                steps.append(_claims(Tier.MORE_CLUES, safe, mines, (clue.cell for clue in component)))
        for step in steps:
            self._settle(step)
        return steps

    def _by_sat(self, component: list[kernel_api.Clue]) -> tuple[list[int], list[int]]:
        try:
            safe, mines = component_backbone([([cell + 1 for cell in clue.unknown], clue.need) for clue in component])
        except Contradiction:
            raise conflict(self._cells.reshape(self._shape), self._mines) from None
        return [cell - 1 for cell in safe], [cell - 1 for cell in mines]

    def _mine_count_by_sat(self) -> list[Step]:
        game = self._game
        clues = [([cell + 1 for cell in clue.unknown], clue.need) for clue in game.frontier]
        sea = game.unconstrained
        try:
            safe, mines, sea_is = count_backbone(clues, len(sea), game.mines_left)
        except Contradiction:
            raise conflict(self._cells.reshape(self._shape), self._mines) from None
        safe, mines = [cell - 1 for cell in safe], [cell - 1 for cell in mines]
        if sea_is is not None:
            (mines if sea_is else safe).extend(sea)
        if not (safe or mines):
            return []
        step = _claims(Tier.MINE_COUNT, safe, mines)
        self._settle(step)
        return [step]

    def _settle(self, step: Step) -> None:
        self._game.settle(step.safe, mine=False)
        self._game.settle(step.mines, mine=True)


def _claims(tier: Tier, safe: Iterable[int], mines: Iterable[int], clues: Iterable[int] = ()) -> Step:
    return Step(tier, tuple(sorted(safe)), tuple(sorted(mines)), tuple(sorted(clues)))
