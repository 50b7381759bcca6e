"""Smallest sets of clues that meet every correction set, by PySAT's RC2."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minesweeper.player.board import Cell
from minesweeper.player.logic.cnf import CLAUSE_SOLVER


class HittingSets:
    """Smallest sets of clues that meet all correction sets, and hang together with the cell."""

    def __init__(self, selectors: dict[Cell, int], layers: list[list[tuple[Cell, list[Cell]]]]) -> None:
        self._number = {at: number for number, at in enumerate(selectors, 1)}
        self._at = list(selectors)
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        formula = WCNF()
        for number in self._number.values():
            formula.append([-number], weight=1)
        for nearer, layer in zip([[], *layers], layers, strict=False):
            for at, linked in layer:
                if nearer:
                    formula.append([-self._number[at], *(self._number[near] for near in linked)])
                    formula.append([-self._number[at], *(self._number[near] for near, _ in nearer)])
        if layers:
            formula.append([self._number[at] for at, _ in layers[0]])
        self._oracle: Any = RC2(formula, solver=CLAUSE_SOLVER)

    def __enter__(self) -> HittingSets:
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.delete()

    def add(self, clues: Iterable[Cell]) -> None:
        """Take note of another correction set."""
        self._oracle.add_clause([self._number[at] for at in clues])

    def smallest(self) -> list[Cell]:
        """A smallest set that meets them all."""
        return [self._at[literal - 1] for literal in self._oracle.compute() if 0 < literal <= len(self._at)]
