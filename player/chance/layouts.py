"""Exact counting of layouts in whole numbers.

The definition that the fast kernel is held to, and what `player.chance.probability` uses where the kernel is not built.
Slower, but without rounding: every count is a Python integer.

A count by number of mines is a polynomial whose coefficient of x**k counts layouts with k mines. It is kept as one
integer, its value at x = 2**width with coefficients below 2**width (Kronecker substitution), so that adding and
multiplying polynomials is adding and multiplying integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from minesweeper.player.board import HIDDEN, Cell, View, cells_of, neighbours
from minesweeper.player.kernel_api import TooWide
from minesweeper.player.limits import check_time

MAX_BYTES: Final = 2**29

# What the clues of a component still need, as far as they are not finished.
_State = tuple[int, ...]


@dataclass
class _Component:
    """Hidden cells and clues that share no cell with any other clue.

    `clues_of[i]` are the numbers of the clues that see cell i. After `i` cells have been filled, the state is what the
    clues still need; `prefix[i]` counts the ways to reach each state, `suffix[i]` the ways to go on from there.
    """

    cells: list[Cell]
    clues_of: list[list[int]]
    needs: list[int]
    prefix: list[dict[_State, int]] = field(default_factory=list)
    suffix: list[dict[_State, int]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The number of bits for each coefficient of this component's own polynomials."""
        return len(self.cells) + 1

    def sweep(self) -> None:
        """Count forward, then backward. Raises `TooWide`."""
        width = self.width
        room = [sum(clue in clues for clues in self.clues_of) for clue in range(len(self.needs))]
        fits = all(0 <= need <= cells for need, cells in zip(self.needs, room, strict=True))
        self.prefix = [{tuple(self.needs): 1} if fits else {}]
        size = 0
        for filled, clues in enumerate(self.clues_of, 1):
            for clue in clues:
                room[clue] -= 1
            reached: dict[_State, int] = defaultdict(int)
            for state, ways in self.prefix[-1].items():
                check_time()
                for mine in (0, 1):
                    after = self.after(state, clues, mine)
                    if all(0 <= after[clue] <= room[clue] for clue in clues):
                        reached[after] += ways << width * mine
            # Both sweeps keep a number for every state, and all needs.
            size += len(reached) * (filled * width // 4 + 8 * len(self.needs))
            if size > MAX_BYTES:
                raise TooWide(f"expected components that can be counted in {MAX_BYTES} bytes: {len(self.cells)} cells")
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
        """The number of ways to fill the component, by number of mines."""
        return self.suffix[0].get(tuple(self.needs), 0)

    def mine_total(self, number: int) -> int:
        """The number of ways in which cell `number` is a mine, by number of mines."""
        clues, going_on = self.clues_of[number], self.suffix[number + 1]
        return (
            sum(ways * going_on.get(self.after(state, clues, 1), 0) for state, ways in self.prefix[number].items())
            << self.width
        )

    @staticmethod
    def after(state: _State, clues: list[int], mine: int) -> _State:
        """What the clues still need once a cell that `clues` see is filled."""
        if not mine:
            return state
        needs = list(state)
        for clue in clues:
            needs[clue] -= 1
        return tuple(needs)


class Layouts:
    """The layouts of mines that fit a view, counted.

    Raises `TooWide`.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._width = view.cells.size + 1
        self._components = list(_components(view))
        seen = {cell for component in self._components for cell in component.cells}
        self._sea = [cell for cell in cells_of(view.cells == HIDDEN) if cell not in seen]
        self._product = (1 + (1 << self._width)) ** len(self._sea)
        for component in self._components:
            component.sweep()
            self._product *= self._spread(component.total, component)
        self.total = self._coefficient(self._product, view.mines)

    def mine_counts(self) -> dict[Cell, int]:
        """In how many layouts each hidden cell is a mine. Needs at least one layout."""
        counts: dict[Cell, int] = {}
        for component in self._components:
            rest = self._product // self._spread(component.total, component)
            for number, cell in enumerate(component.cells):
                mine_total = self._spread(component.mine_total(number), component)
                counts[cell] = self._coefficient(mine_total * rest, self._view.mines)
        in_sea = self._view.mines * self.total - sum(counts.values())
        counts.update((cell, in_sea // len(self._sea)) for cell in self._sea)
        return counts

    def draw(self, random: Random) -> list[Cell]:
        """Draw one layout uniformly and return its mines. Needs at least one layout."""
        mines: list[Cell] = []
        rest = self._product
        for component in self._components:
            total = self._spread(component.total, component)
            rest //= total
            left = self._view.mines - len(mines)
            weights = [
                self._coefficient(total, inside) * self._coefficient(rest, left - inside)
                for inside in range(min(left, len(component.cells)) + 1)
            ]
            mines += self._walk(component, _draw(random, weights), random)
        return mines + random.sample(self._sea, self._view.mines - len(mines))

    def _walk(self, component: _Component, mines: int, random: Random) -> Iterator[Cell]:
        state = tuple(component.needs)
        for cell, clues, going_on in zip(component.cells, component.clues_of, component.suffix[1:], strict=True):
            choices = [component.after(state, clues, mine) for mine in (0, 1)]
            weights = [
                _coefficient(going_on.get(choice, 0), mines - mine, component.width)
                for mine, choice in enumerate(choices)
            ]
            mine = _draw(random, weights)
            state = choices[mine]
            mines -= mine
            if mine:
                yield cell

    def _coefficient(self, polynomial: int, power: int) -> int:
        return _coefficient(polynomial, power, self._width)

    def _spread(self, polynomial: int, component: _Component) -> int:
        """A component's polynomial with the width that holds all layouts of the board."""
        return sum(
            _coefficient(polynomial, power, component.width) << self._width * power for power in range(component.width)
        )


def _coefficient(polynomial: int, power: int, width: int) -> int:
    return (polynomial >> width * power) & ((1 << width) - 1) if power >= 0 else 0


def _draw(random: Random, weights: list[int]) -> int:
    """Draw a position with probability in proportion to its weight."""
    left = random.randrange(sum(weights))
    for position, weight in enumerate(weights):
        if left < weight:
            return position
        left -= weight
    raise AssertionError("a number below the sum of the weights falls on one of them")


def _components(view: View) -> Iterator[_Component]:
    """Walk from clue to cell to clue, finishing clues soon. A clue that sees no hidden cell is a component, too."""
    visited: set[Cell] = set()
    for start in cells_of(view.cells != HIDDEN):
        if start in visited:
            continue
        clues = {start: 0}
        cells: dict[Cell, list[int]] = {}
        queue = [start]
        for clue in queue:
            for cell in neighbours(view.rows, view.cols, clue):
                if view.cells[cell] != HIDDEN or cell in cells:
                    continue
                seen_by = [near for near in neighbours(view.rows, view.cols, cell) if view.cells[near] != HIDDEN]
                queue += [near for near in seen_by if near not in clues]
                for near in seen_by:
                    clues.setdefault(near, len(clues))
                cells[cell] = [clues[near] for near in seen_by]
        visited.update(clues)
        yield _Component(list(cells), list(cells.values()), [int(view.cells[clue]) for clue in clues])
