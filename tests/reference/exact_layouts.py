"""Exact counts of layouts in Python integers.

They are the definition against which the kernel is tested: slower, but without rounding.

The counts by number of mines are a polynomial: the coefficient of x**k counts layouts with k mines. A polynomial is
stored as one integer, its value at x = 2**width with coefficients below 2**width (Kronecker substitution), so addition
and multiplication of polynomials are those of integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from minesweeper.player.board import HIDDEN, Cell, View
from minesweeper.player.logic.clues import Clue, clues_of_variables, components, reduced_clues

_State = tuple[int, ...]
"""The mines that each clue of a component still needs."""


@dataclass
class _Component:
    """A component of the frontier.

    `clues_of[i]` are the numbers of the clues that touch cell i. The cells are filled in order; the state is the number
    of mines that each clue still needs. `prefix[i]` counts the ways to reach each state after `i` cells, `suffix[i]`
    the ways to continue from there.
    """

    cells: list[Cell]
    clues_of: list[list[int]]
    needs: list[int]
    prefix: list[dict[_State, int]] = field(default_factory=list)
    suffix: list[dict[_State, int]] = field(default_factory=list)

    @classmethod
    def of(cls, clues: Sequence[Clue], cell_of: Sequence[Cell]) -> _Component:
        """Build a component from its clues, in the order of a walk so that clues finish soon."""
        clues_of = clues_of_variables(clues)
        cells = [cell_of[variable - 1] for variable in clues_of]
        return cls(cells, list(clues_of.values()), [need for _, need in clues])

    @property
    def width(self) -> int:
        """The number of bits of each coefficient of this component's polynomials."""
        return len(self.cells) + 1

    def sweep(self) -> None:
        """Count forward, then backward."""
        width = self.width
        room = [0] * len(self.needs)
        for clue in chain.from_iterable(self.clues_of):
            room[clue] += 1
        fits = all(0 <= need <= cells for need, cells in zip(self.needs, room, strict=True))
        self.prefix = [{tuple(self.needs): 1} if fits else {}]
        for clues in self.clues_of:
            for clue in clues:
                room[clue] -= 1
            reached: dict[_State, int] = defaultdict(int)
            for state, ways in self.prefix[-1].items():
                for mine in (0, 1):
                    after = self.after(state, clues, mine)
                    if all(0 <= after[clue] <= room[clue] for clue in clues):
                        reached[after] += ways << width * mine
            self.prefix.append(dict(reached))
        self.suffix = [dict.fromkeys(self.prefix[-1], 1)]
        for clues, reached in zip(reversed(self.clues_of), reversed(self.prefix[:-1]), strict=True):
            going_on = self.suffix[-1]
            counts = {
                state: sum(going_on.get(self.after(state, clues, mine), 0) << width * mine for mine in (0, 1))
                for state in reached
            }
            self.suffix.append({state: ways for state, ways in counts.items() if ways})
        self.suffix.reverse()

    @property
    def total(self) -> int:
        """The polynomial of ways to fill the component."""
        return self.suffix[0].get(tuple(self.needs), 0)

    def mine_total(self, number: int) -> int:
        """Return the polynomial of ways in which cell `number` is a mine."""
        clues, going_on = self.clues_of[number], self.suffix[number + 1]
        return (
            sum(ways * going_on.get(self.after(state, clues, 1), 0) for state, ways in self.prefix[number].items())
            << self.width
        )

    @staticmethod
    def after(state: _State, clues: list[int], mine: int) -> _State:
        """Return the state after filling a cell that `clues` touch."""
        if not mine:
            return state
        needs = list(state)
        for clue in clues:
            needs[clue] -= 1
        return tuple(needs)


class Layouts:
    """The number of layouts that fit a view, and how many of them have a mine in each cell."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._width = view.cells.size + 1
        by_cell, hidden = reduced_clues(view.cells, view.cells == HIDDEN)
        clues = list(by_cell.values())
        # A clue without hidden neighbours is a component, too: its need must be 0.
        self._components = [_Component.of([clues[at] for at in places], hidden) for places in components(clues)]
        frontier = {cell for component in self._components for cell in component.cells}
        self._unconstrained = [cell for cell in hidden if cell not in frontier]
        self._product = (1 + (1 << self._width)) ** len(self._unconstrained)
        for component in self._components:
            component.sweep()
            self._product *= self._spread(component.total, component)
        self.total = self._coefficient(self._product, view.mines)

    def mine_counts(self) -> dict[Cell, int]:
        """Return the number of layouts in which each hidden cell is a mine. Requires at least one layout."""
        counts: dict[Cell, int] = {}
        for component in self._components:
            rest = self._product // self._spread(component.total, component)
            for number, cell in enumerate(component.cells):
                mine_total = self._spread(component.mine_total(number), component)
                counts[cell] = self._coefficient(mine_total * rest, self._view.mines)
        others = self._view.mines * self.total - sum(counts.values())
        counts.update((cell, others // len(self._unconstrained)) for cell in self._unconstrained)
        return counts

    def _coefficient(self, polynomial: int, power: int) -> int:
        return _coefficient(polynomial, power, self._width)

    def _spread(self, polynomial: int, component: _Component) -> int:
        """Widen a component's polynomial to hold all layouts of the board."""
        return sum(
            _coefficient(polynomial, power, component.width) << self._width * power for power in range(component.width)
        )


def _coefficient(polynomial: int, power: int, width: int) -> int:
    return (polynomial >> width * power) & ((1 << width) - 1) if power >= 0 else 0
