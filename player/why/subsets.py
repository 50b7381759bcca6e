"""Smallest sets of clues that force the value of a cell.

Each clue is a group of clauses behind a selector variable. A set of clues forces the cell if and only if it intersects
every *correction set*: clues whose removal permits the other value. The search alternates: it takes a smallest *hitting
set* of the correction sets found so far; if that forces the cell, it is a smallest set, and otherwise it yields another
correction set (Ignatiev, Previti, Liffiton and Marques-Silva, *Smallest MUS extraction with minimal hitting set
dualization*, CP 2015).

Without the mine count, shared cells link the clues of a minimal set. So the search starts near the cell, and a set of k
clues found there bounds the distance of the clues of a smaller one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Cell
from minesweeper.player.limits import check_time
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, COUNT_SOLVER, between, exactly, new_solver, solve, solve_soon
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.why.clue_map import ClueMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_LAYERS: Final = 3
_CONFLICTS: Final = 200
_MANY: Final = 15
"""Largest set with the mine count that hitting sets reduce without the kernel."""
_EFFORT: Final = 100_000
_MOST_EFFORT: Final = 1_000_000


@dataclass(frozen=True)
class Forced:
    """The value of a cell, the clues that force it, and True if no smaller set of clues is known to force it."""

    mine: bool
    clues: tuple[Cell, ...]
    smallest: bool


class HittingSets(AbstractContextManager["HittingSets"]):
    """Smallest sets of clues that hit all correction sets and are linked with the cell, by PySAT's RC2."""

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

    def __exit__(self, *_: object) -> None:
        self._oracle.delete()

    def add(self, clues: Iterable[Cell]) -> None:
        """Add a correction set."""
        self._oracle.add_clause([self._number[at] for at in clues])

    def smallest(self) -> list[Cell]:
        """Return a smallest set that hits all correction sets."""
        return [self._at[literal - 1] for literal in self._oracle.compute() if 0 < literal <= len(self._at)]


def without_count(clues: ClueMap, cell: Cell, at_least: int, deadline: float) -> Forced | None:
    """Find as few clues as possible that force a cell; None if all clues together do not.

    The caller guarantees that fewer than `at_least` clues do not suffice. After `deadline`, a time of
    `time.perf_counter`, the set returned is only minimal by inclusion.
    """
    with _Search(clues, cell, deadline) as search:
        while True:
            grown = search.widen()
            if grown and len(search.layers) < _FIRST_LAYERS:
                continue
            mine = search.value()
            if mine is not None:
                return search.reduce(mine, at_least)
            if not grown:
                return None


def with_count(clues: ClueMap, cell: Cell, deadline: float) -> Forced | None:
    """Find as few clues as possible that force a cell together with the number of mines, as `without_count` does."""
    with _CountSearch(clues, cell, deadline) as search:
        search.widen()
        mine = search.value()
        return None if mine is None else search.reduce(mine, 0)


@dataclass
class _Search(AbstractContextManager["_Search"]):
    """Clues in a solver, added in `layers` by their distance from the cell."""

    clues: ClueMap
    cell: Cell
    deadline: float
    layers: list[list[Cell]] = field(default_factory=list)
    solver: Any = field(default_factory=lambda: new_solver(CLAUSE_SOLVER))
    variables: dict[Cell, int] = field(default_factory=dict)
    top: int = 0
    _selectors: dict[Cell, int] = field(default_factory=dict)
    _seen: set[tuple[frozenset[Cell], int]] = field(default_factory=set)
    _known: set[Cell] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.variable(self.cell)

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    @property
    def late(self) -> bool:
        """True after the deadline."""
        return time.perf_counter() > self.deadline

    def next_layer(self) -> list[Cell]:
        """Return the clues linked to those added so far."""
        return self.clues.linked(self._known) if self.layers else list(self.clues.touching(self.cell))

    def widen(self) -> bool:
        """Add the next layer of clues; return False if it is empty."""
        layer = self.next_layer()
        self._known.update(layer)
        taken = [at for at in layer if self._add(at)]
        if taken:
            self.layers.append(taken)
        return bool(taken)

    def _add(self, at: Cell) -> bool:
        """Add a clue and return True, unless an equal clue was added."""
        unknown, need = reduced = self.clues.unknown(at), self.clues.need(at)
        if reduced in self._seen:
            return False
        self._seen.add(reduced)
        cells = [self.variable(cell) for cell in sorted(unknown)]
        self.top += 1
        self._selectors[at] = self.top
        for clause in exactly(cells, need):
            self.solver.add_clause([-self._selectors[at], *clause])
        return True

    def variable(self, cell: Cell) -> int:
        """Return the variable of a cell, a new one if necessary."""
        if cell not in self.variables:
            self.top += 1
            self.variables[cell] = self.top
        return self.variables[cell]

    def value(self) -> bool | None:
        """Return the value that all added clues force, True for a mine; None if either is possible.

        Raises `Contradiction` if neither is possible.
        """
        could_be = {mine: self.possible(self._selectors, mine) for mine in (False, True)}
        if not any(could_be.values()):
            raise Contradiction
        return None if all(could_be.values()) else could_be[True]

    def possible(self, chosen: Collection[Cell], mine: bool) -> bool:
        """Return True if the chosen clues permit a mine in the cell, or a safe cell if not `mine`."""
        return solve(self.solver, self._assumptions(chosen, mine))

    def model(self) -> Sequence[int] | None:
        """Return the model of the last possible choice."""
        model: Sequence[int] = self.solver.get_model()
        return model

    def core(self) -> list[Cell]:
        """Return the clues in the proof that the last choice is impossible, the farthest first."""
        used = set(self.solver.get_core() or ())
        return [at for layer in reversed(self.layers) for at in layer if self._selectors[at] in used]

    def reduce(self, mine: bool, at_least: int) -> Forced:
        """Find as few clues as possible that force the value found by `value`."""
        self.possible(self._selectors, not mine)
        best = self.minimal(self.core(), mine)
        # Add all clues that a smaller set could contain.
        while len(self.layers) < len(best) - 1 and self.widen():
            pass
        smallest = len(best) <= at_least
        if not smallest:
            best, smallest = self.smallest(best, mine)
        return Forced(mine, tuple(sorted(best)), smallest)

    def minimal(self, left: list[Cell], mine: bool) -> list[Cell]:
        """Drop clues, the first ones first, until each is needed."""
        needed: list[Cell] = []
        while left:
            at, *left = left
            if self.possible([*needed, *left], not mine):
                needed.append(at)
            else:
                used = set(self.core())
                left = [other for other in left if other in used]
        return needed

    def smallest(self, best: list[Cell], mine: bool) -> tuple[list[Cell], bool]:
        """Reduce a minimal set until it is smallest, or until the deadline; return it, and True if it is smallest."""
        with HittingSets(self._selectors, self.linked_layers()) as hitting:
            while not self.late:
                chosen = hitting.smallest()
                if len(chosen) >= len(best):
                    return best, True
                possible = self.possible(chosen, not mine)
                if not possible:
                    return chosen, True
                # Disjoint correction sets raise the size of hitting sets fastest.
                while possible and not self.late:
                    correction = self._correction_set(chosen, mine)
                    hitting.add(correction)
                    chosen = [*chosen, *correction]
                    possible = self.possible(chosen, not mine)
                if not possible:
                    core = self.core()
                    # A slightly larger core may shrink below the best set.
                    if len(core) < len(best) + 2:
                        best = min(best, self.minimal(core, mine), key=len)
        return best, False

    def _correction_set(self, chosen: Collection[Cell], mine: bool) -> list[Cell]:
        """Add clues to `chosen` as long as they permit the other value, and return the rest."""
        kept = set(chosen)
        out: list[Cell] = []
        waiting = [at for layer in self.layers for at in layer if at not in kept]
        while True:
            model = self.model()
            if model is not None:
                true = {at for at in waiting if self._holds(at, model)}
                kept |= true
                waiting = [at for at in waiting if at not in true]
            while waiting:
                at = waiting.pop(0)
                if self.possible([*kept, at], not mine):
                    kept.add(at)
                    break
                out.append(at)
            else:
                return out

    def _holds(self, at: Cell, model: Sequence[int]) -> bool:
        mines = sum(model[self.variables[cell] - 1] > 0 for cell in self.clues.unknown(at))
        return mines == self.clues.need(at)

    def _assumptions(self, chosen: Iterable[Cell], mine: bool) -> list[int]:
        variable = self.variables[self.cell]
        return [*(self._selectors[at] for at in chosen), variable if mine else -variable]

    def linked_layers(self) -> list[list[tuple[Cell, list[Cell]]]]:
        """Return the clues of each layer, each with the added clues that share a cell with it."""
        return [
            [(at, [near for near in self.clues.linked([at]) if near in self._selectors]) for at in layer]
            for layer in self.layers
        ]


class _CountSearch(_Search):
    """The search with the number of mines, which links all clues, so there is one layer.

    Sums of many clues are hard for SAT solvers and easy for the kernel, which takes over the hard questions. Without
    the kernel, a hard question counts as "possible", and the set found may be larger than necessary.
    """

    def __init__(self, clues: ClueMap, cell: Cell, deadline: float) -> None:
        super().__init__(clues, cell, deadline, solver=new_solver(COUNT_SOLVER))
        self._doubtful = False
        self._chosen: Collection[Cell] | None = None
        view = clues.view
        known = dict(clues.given)
        known.update(((row, col), False) for row, col in np.argwhere(view.cells != HIDDEN).tolist())
        self._safe, self._mined = (
            [row * view.cols + col for (row, col), mine in known.items() if mine is value] for value in (False, True)
        )
        for at in clues.all:
            for near in sorted(clues.unknown(at)):
                self.variable(near)
        # Unconstrained cells need no variables: they hold the mines that the others leave over.
        frontier = list(self.variables.values())
        others = len(clues.all_unknown) - len(frontier)
        formula, self.top = between(frontier, clues.mines_left - others, clues.mines_left, self.top)
        for clause in formula.clauses:
            self.solver.add_clause(clause)
        for literals, bound in formula.at_most:
            self.solver.add_atmost(literals, bound)

    def next_layer(self) -> list[Cell]:
        return [] if self.layers else self.clues.all

    def possible(self, chosen: Collection[Cell], mine: bool) -> bool:
        check_time()
        answer = solve_soon(self.solver, _CONFLICTS, self._assumptions(chosen, mine))
        self._chosen = None
        if answer is None:
            answer = self._ask_kernel(chosen, mine)
            self._chosen = chosen
        if answer is None:
            self._doubtful = answer = True
        return bool(answer)

    def _ask_kernel(self, chosen: Collection[Cell], mine: bool) -> bool | None:
        if not kernel_api.available():
            return None
        view = self.clues.view
        asked = self.cell[0] * view.cols + self.cell[1]
        (mined, safe) = ([*self._mined, asked], self._safe) if mine else (self._mined, [*self._safe, asked])
        shown = {row * view.cols + col: self.clues.clue((row, col)) for row, col in chosen}
        return kernel_api.fits((view.rows, view.cols), view.mines, safe, mined, shown)

    def model(self) -> Sequence[int] | None:
        return super().model() if self._chosen is None else None

    def core(self) -> list[Cell]:
        return super().core() if self._chosen is None else list(self._chosen)

    def reduce(self, mine: bool, at_least: int) -> Forced:
        found = self._smallest_by_kernel(mine) if kernel_api.available() else None
        return super().reduce(mine, at_least) if found is None else Forced(mine, tuple(sorted(found)), True)

    def _smallest_by_kernel(self, mine: bool) -> list[Cell] | None:
        """Return a smallest set that forces the cell; None if time runs out.

        The kernel finds correction sets by small changes to one layout that fits, much faster than SAT.
        """
        layout = self._layout(mine)
        if layout is None:
            return None
        corrections = kernel_api.Corrections(self.clues.view, layout, self.clues.given, self.cell)
        with HittingSets(self._selectors, []) as hitting:
            while not self.late:
                chosen = hitting.smallest()
                correction = corrections.find(chosen, _EFFORT)
                if correction is None and self._ask_kernel(chosen, not mine) is False:
                    correction = []
                if correction is None:
                    correction = corrections.find(chosen, _MOST_EFFORT)
                if not correction:
                    return chosen if correction == [] else None
                while correction:
                    hitting.add(correction)
                    chosen = [*chosen, *correction]
                    correction = corrections.find(chosen, _EFFORT)
        return None

    def _layout(self, mine: bool) -> NDArray[np.bool_] | None:
        """Return a layout that fits all clues and the mine count; None if the solver found none within its budget."""
        self.possible(self._selectors, mine)
        model = self.model()
        if model is None:
            return None
        layout = np.zeros(self.clues.view.cells.shape, dtype=np.bool_)
        for cell, variable in self.variables.items():
            layout[cell] = model[variable - 1] > 0
        others = [cell for cell in self.clues.all_unknown if cell not in self.variables]
        for cell in others[: self.clues.mines_left - int(np.count_nonzero(layout))]:
            layout[cell] = True
        return layout

    def smallest(self, best: list[Cell], mine: bool) -> tuple[list[Cell], bool]:
        if len(best) > _MANY:
            return best, False
        best, smallest = super().smallest(best, mine)
        return best, smallest and not self._doubtful

    def linked_layers(self) -> list[list[tuple[Cell, list[Cell]]]]:
        return []
