"""Unavoidable guesses: uncertain cells that no further clue can ever decide, so the player may as well guess at once.

A set of uncertain cells is *closed* if its layouts always hold equally many mines, and every cell outside that may be
opened touches equally many of these mines in each of them. Then neither the clues outside nor the number of mines can
ever distinguish its layouts, and each of them combines with each layout of the rest. The intersection of two closed
sets is closed, so the smallest closed sets share no cell. The search has two stages:

* The layouts of the view are a product of *blocks*, sets of cells whose mines are independent of each other. Cells that
  the same clues touch are in one block, and layouts are listed by the number of mines in such a group of cells.
* A closed set that contains a cell of a block contains the whole block, and every block with a cell whose clue, once
  opened, would depend on the block: the block *affects* it. So a smallest closed set is a block together with all
  blocks reachable from it in this way, if each of them reaches the others and no safe cell is reachable.

A smallest closed set is an unavoidable guess if its own cells reveal nothing either: each that is safe touches equally
many of its mines in every layout. Otherwise a guess in the set starts a game of its own. Every unavoidable guess is
found whose part of the position has few enough layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from math import comb, prod
from random import Random
from typing import Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Board, Cell, View, ViewLike, as_view, cells_of, neighbours
from minesweeper.player.limits import check_time
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.clues import Clue, components, groups_of, reduced_clues
from minesweeper.player.logic.sat import some_layout

MOST_LAYOUTS: Final = 5_000
"""Largest number of layouts listed of a part of a position; parts with more are not searched."""
_BITS: Final = 16
_GROUP: Final = (1 << _BITS) - 1

_Cells = tuple[Cell, ...]


@dataclass(frozen=True)
class UnavoidableGuess:
    """Cells in reading order, and two layouts that differ only in them; no clue can ever distinguish the two."""

    cells: _Cells
    layouts: tuple[Board, Board]

    def in_words(self) -> str:
        """Return a sentence with advice for the player."""
        names = ", ".join(map(str, self.cells[:-1])) + f" and {self.cells[-1]}"
        return f"no further clue can tell which of {names} hold the mines: guess early"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; each layout is the list of its mines."""
        mines = [[list(cell) for cell in cells_of(layout.mine_map)] for layout in self.layouts]
        return {"cells": [list(cell) for cell in self.cells], "layouts": mines, "words": self.in_words()}


def unavoidable_guesses(
    view: ViewLike, known: Deductions | None = None, *, most_layouts: int = MOST_LAYOUTS
) -> tuple[UnavoidableGuess, ...]:
    """Find the unavoidable guesses, in reading order.

    `known` is the closure of the view, if the caller has it. Parts of the position with more than `most_layouts`
    layouts are not searched. Raises `InconsistentView`; `OutOfTime` if a limit of the caller runs out.
    """
    view = as_view(view)
    known = closure(view) if known is None else known
    blocks = [block for block in _blocks(view, known, most_layouts) if block.count > 1]
    block_of = {cell: block for block in blocks for cell in block.cells}
    # Cells that may be opened but are in no block: safe ones, and parts with too many layouts.
    others = set(cells_of((view.cells == HIDDEN) & ~known.mine_map)).difference(block_of)
    affected = {block: _affected(block, view, block_of, others) for block in blocks}
    reached = {block: _reached(block, affected) for block in blocks}
    smallest = {found for found in reached.values() if found and all(reached[block] == found for block in found)}
    guesses = []
    for found in smallest:
        cells = tuple(sorted(cell for block in found for cell in block.cells))
        if prod(block.count for block in found) <= most_layouts:
            ways = [frozenset(chain.from_iterable(mines)) for mines in product(*(block.ways for block in found))]
            if _reveals_nothing(cells, ways, view):
                guesses.append(UnavoidableGuess(cells, _two_layouts(view, cells, ways)))
    return tuple(sorted(guesses, key=lambda guess: guess.cells))


@dataclass(frozen=True, eq=False)
class _Block:
    """Groups of cells, and the possible numbers of mines in them; within a group any arrangement is possible."""

    groups: tuple[_Cells, ...]
    numbers: tuple[tuple[int, ...], ...]

    @cached_property
    def cells(self) -> frozenset[Cell]:
        return frozenset(chain.from_iterable(self.groups))

    @cached_property
    def count(self) -> int:
        """The number of layouts."""
        return sum(prod(map(comb, map(len, self.groups), numbers)) for numbers in self.numbers)

    @property
    def ways(self) -> Iterator[_Cells]:
        """The mines of each layout."""
        for numbers in self.numbers:
            for mines in product(*map(combinations, self.groups, numbers)):
                yield tuple(chain.from_iterable(mines))

    @property
    def totals(self) -> set[int]:
        """The possible total numbers of mines."""
        return set(map(sum, self.numbers))

    def affects(self, around: frozenset[Cell]) -> bool:
        """Return True if the layouts have different numbers of mines among the cells `around` a cell."""
        shares = [len(around.intersection(cells)) for cells in self.groups]
        sums = set()
        for numbers in self.numbers:
            for cells, share, mines in zip(self.groups, shares, numbers, strict=True):
                if 0 < share < len(cells) and 0 < mines < len(cells):
                    return True
            # A group touched in part is all mines or all safe here.
            sums.add(sum(min(pair) for pair in zip(shares, numbers, strict=True)))
        return len(sums) > 1


def _affected(block: _Block, view: View, block_of: dict[Cell, _Block], others: set[Cell]) -> frozenset[_Block] | None:
    """Return the other blocks that a block affects; None if it affects any of the `others`."""
    found = set()
    nearby = frozenset().union(*(_around(view, cell) for cell in block.cells))
    for cell in nearby - block.cells:
        if (cell in others or cell in block_of) and block.affects(_around(view, cell)):
            if cell in others:
                return None
            found.add(block_of[cell])
    return frozenset(found)


def _reached(block: _Block, affected: dict[_Block, frozenset[_Block] | None]) -> frozenset[_Block] | None:
    """Return a block and all blocks that it affects, directly or not; None if a cell outside all blocks is affected."""
    found = [block]
    for one in found:
        further = affected[one]
        if further is None:
            return None
        found += [other for other in further if other not in found]
    return frozenset(found)


def _blocks(view: View, known: Deductions, most: int) -> Iterator[_Block]:
    """Split the listed layouts of the uncertain cells into the smallest independent blocks."""
    undecided = (view.cells == HIDDEN) & ~known.safe_map & ~known.mine_map
    by_cell, cell_of = reduced_clues(view.cells, undecided, known.mine_map)
    clues = [clue for clue in by_cell.values() if clue[0]]
    total = mines_left = view.mines - int(np.count_nonzero(known.mine_map))
    uneven: list[_Block] = []
    frontier: set[Cell] = set()
    is_listed = True
    for component in components(clues):
        chosen = [clues[place] for place in component]
        frontier.update(cell_of[variable - 1] for variables, _ in chosen for variable in variables)
        part = _list(chosen, cell_of, most)
        if part is None:
            is_listed = False
            continue
        for block in _factors(part):
            if len(block.totals) == 1:
                total -= block.totals.pop()
                yield block
            else:
                uneven.append(block)
    unconstrained = tuple(cell for cell in cell_of if cell not in frontier)
    if unconstrained:
        most_mines = min(len(unconstrained), mines_left)
        uneven.append(_Block((unconstrained,), tuple((mines,) for mines in range(most_mines + 1))))
    # The number of mines links these.
    joint = _join(uneven, total, most) if is_listed else None
    if joint is not None:
        yield from _factors(joint)


def _list(clues: Sequence[Clue], cell_of: Sequence[Cell], most: int) -> _Block | None:
    """List the possible numbers of mines in the groups of a component; None if there are more than `most`."""
    groups = groups_of(clues)
    room = [len(variables) for variables, _ in clues]
    begun: list[tuple[tuple[int, ...], list[int]]] = [((), [need for _, need in clues])]
    listed = 0
    for touched, variables in groups.items():
        check_time()
        for clue in touched:
            room[clue] -= len(variables)
        longer = []
        for numbers, needs in begun:
            for mines in range(len(variables) + 1):
                if all(0 <= needs[clue] - mines <= room[clue] for clue in touched):
                    after = needs.copy()
                    for clue in touched:
                        after[clue] -= mines
                    longer.append(((*numbers, mines), after))
        begun = longer
        listed += len(begun)
        if listed > most:
            return None
    cells = tuple(tuple(cell_of[variable - 1] for variable in variables) for variables in groups.values())
    return _Block(cells, tuple(numbers for numbers, _ in begun))


def _join(blocks: Sequence[_Block], total: int, most: int) -> _Block | None:
    """Combine blocks that hold `total` mines together; None if there are more than `most` combinations."""
    joint: list[tuple[int, ...]] = [()]
    for place, block in enumerate(blocks, 1):
        least_after = sum(min(after.totals) for after in blocks[place:])
        most_after = sum(max(after.totals) for after in blocks[place:])
        joint = [
            (*before, *numbers)
            for before in joint
            for numbers in block.numbers
            if least_after <= total - sum(before) - sum(numbers) <= most_after
        ]
        if len(joint) > most:
            return None
    return _Block(tuple(chain.from_iterable(block.groups for block in blocks)), tuple(joint))


def _factors(block: _Block) -> Iterator[_Block]:
    """Split a block into the smallest independent blocks.

    Groups are added one by one. The blocks found so far stay apart unless the new group makes them dependent on the
    rest; these become one block with it. That suffices because the sets of groups that are independent of the rest are
    closed under union, intersection and complement.
    """
    rows = [sum(mines << _BITS * place for place, mines in enumerate(numbers)) for numbers in block.numbers]

    def count(mask: int) -> int:
        return len({row & mask for row in rows})

    masks: list[int] = []
    every = 0
    for place in range(len(block.groups)):
        check_time()
        joined = _GROUP << _BITS * place
        every |= joined
        number, stay = count(every), []
        for mask in masks:
            if count(mask) * count(every ^ mask) == number:
                stay.append(mask)
            else:
                joined |= mask
        masks = [*stay, joined]
    for mask in masks:
        places = [place for place in range(len(block.groups)) if mask >> _BITS * place & 1]
        numbers = dict.fromkeys(tuple(one[place] for place in places) for one in block.numbers)
        yield _Block(tuple(block.groups[place] for place in places), tuple(numbers))


def _reveals_nothing(cells: _Cells, ways: Sequence[frozenset[Cell]], view: View) -> bool:
    """Return True if each cell touches equally many of the mines in all layouts in which it is safe."""
    around = {cell: _around(view, cell) for cell in cells}
    return all(len({len(near & mines) for mines in ways if cell not in mines}) == 1 for cell, near in around.items())


def _around(view: View, cell: Cell) -> frozenset[Cell]:
    return frozenset(neighbours(view.rows, view.cols, cell))


def _two_layouts(view: View, cells: _Cells, ways: Sequence[frozenset[Cell]]) -> tuple[Board, Board]:
    """Return two layouts that differ in the first cell, and otherwise as much as possible, but only in these cells."""
    one = next(mines for mines in ways if cells[0] in mines)
    other = max((mines for mines in ways if cells[0] not in mines), key=lambda mines: len(one ^ mines))
    layout = some_layout(view, Random(0), mines_at=one, safe_at=set(cells) - one)
    swapped = layout.mine_map.copy()
    for cell in one ^ other:
        swapped[cell] ^= True
    return layout, Board(swapped)
