"""Cells whose value nothing will ever tell: a toss that may as well be made at once.

A set of uncertain cells is *sealed* if every cell outside of it that may be opened touches as many of its mines in one
layout as in any other, and it always holds equally many. Then no clue outside, nor the number of mines, ever tells its
layouts apart; and each of them goes with each layout of the rest. What two sealed sets have in common is sealed as
well, so the smallest ones share no cell. They are found like this:

* The layouts are a product of *blocks*: sets of cells that hold mines independently of each other. Cells that the same
  clues touch are in one block, so layouts are listed by the number of mines of such a *class*.
* Whatever sealed set has a cell of a block has all of it, and all blocks with a cell that it *tells*: whose clue, if
  that is opened, depends on what the block holds. So a smallest sealed set is a block with all that can be reached from
  it in this way, if each of those reaches it in turn; and there is none where a cell that is safe can be reached.

A smallest sealed set is a *toss* if its own cells tell nothing either: each that is safe touches as many of its mines,
whatever the others are. Where they do, a guess in the set is the beginning of a game of its own, no toss; at last all
that is hidden is one. Every toss is found whose part of the position has few enough layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from math import comb, prod
from random import Random
from typing import Any, Final

from minesweeper.player.board import Board, Cell, View, cells_of, neighbours
from minesweeper.player.limits import check_time
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.sat import some_layout
from minesweeper.player.why.clue_map import ClueMap

_MOST: Final = 5_000
"""Layouts, begun ones included, that are listed of a part of a position; one with more is not searched for tosses."""
_BITS: Final = 16
_CLASS: Final = (1 << _BITS) - 1

_Cells = tuple[Cell, ...]


@dataclass(frozen=True)
class UnavoidableGuess:
    """The `cells`, in reading order, and two layouts that differ in them alone: nothing will tell which is true."""

    cells: _Cells
    layouts: tuple[Board, Board]

    def in_words(self) -> str:
        """Say what it is, and what to do."""
        names = ", ".join(map(str, self.cells[:-1])) + f" and {self.cells[-1]}"
        return f"no further clue can tell which of {names} hold the mines: guess early"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON; each layout is the list of its mines."""
        mines = [[list(cell) for cell in cells_of(layout.mine_map)] for layout in self.layouts]
        return {"cells": [list(cell) for cell in self.cells], "layouts": mines, "words": self.in_words()}


def unavoidable_guesses(view: View, known: Deductions | None = None) -> tuple[UnavoidableGuess, ...]:
    """Find the sealed tosses, in reading order. `known` is the closure of the view, if it is at hand.

    Raises `InconsistentView`, and `OutOfTime` if a limit of the caller's is over, see `player.limits`.
    """
    known = closure(view) if known is None else known
    given = dict.fromkeys(cells_of(known.safe_map), False) | dict.fromkeys(cells_of(known.mine_map), True)
    clues = ClueMap(view, given)
    blocks = [block for block in _blocks(clues) if block.is_uncertain]
    block_of = {cell: block for block in blocks for cell in block.cells}
    # All others are safe, or of a part that has too many layouts; or mines, which are never opened.
    others = {cell for cell in chain(cells_of(known.safe_map), clues.all_unknown) if cell not in block_of}
    told = {block: _told(block, view, block_of, others) for block in blocks}
    reached = {block: _reached(block, told) for block in blocks}
    smallest = {every for every in reached.values() if every and all(reached[block] == every for block in every)}
    tosses = []
    for every in smallest:
        cells = tuple(sorted(cell for block in every for cell in block.cells))
        if prod(block.count for block in every) <= _MOST:
            ways = [frozenset(chain.from_iterable(mines)) for mines in product(*(block.ways for block in every))]
            if _tell_nothing(cells, ways, view):
                tosses.append(UnavoidableGuess(cells, _two_layouts(view, cells, ways)))
    return tuple(sorted(tosses, key=lambda toss: toss.cells))


@dataclass(frozen=True, eq=False)
class _Block:
    """Classes of cells, and the numbers of mines that they hold together, of which any arrangement is possible."""

    classes: tuple[_Cells, ...]
    numbers: tuple[tuple[int, ...], ...]

    @cached_property
    def cells(self) -> frozenset[Cell]:
        return frozenset(chain.from_iterable(self.classes))

    @property
    def count(self) -> int:
        """The number of layouts."""
        return sum(prod(map(comb, map(len, self.classes), numbers)) for numbers in self.numbers)

    @property
    def ways(self) -> Iterator[_Cells]:
        """The mines of each layout."""
        for numbers in self.numbers:
            for mines in product(*map(combinations, self.classes, numbers)):
                yield tuple(chain.from_iterable(mines))

    @property
    def totals(self) -> set[int]:
        """The numbers of mines that it may hold."""
        return set(map(sum, self.numbers))

    @property
    def is_uncertain(self) -> bool:
        return self.count > 1

    def tells(self, around: frozenset[Cell]) -> bool:
        """Say whether the layouts have different numbers of mines among the cells around another one."""
        shares = [len(around.intersection(cells)) for cells in self.classes]
        sums = set()
        for numbers in self.numbers:
            for cells, share, mines in zip(self.classes, shares, numbers, strict=True):
                if 0 < share < len(cells) and 0 < mines < len(cells):
                    return True
            # What is touched in part is full or empty.
            sums.add(sum(min(pair) for pair in zip(shares, numbers, strict=True)))
        return len(sums) > 1


def _told(block: _Block, view: View, block_of: dict[Cell, _Block], others: set[Cell]) -> frozenset[_Block] | None:
    """The other blocks that one tells; None if it tells any of the `others`."""
    told = set()
    nearby = frozenset().union(*(_around(view, cell) for cell in block.cells))
    for cell in nearby - block.cells:
        if (cell in others or cell in block_of) and block.tells(_around(view, cell)):
            if cell in others:
                return None
            told.add(block_of[cell])
    return frozenset(told)


def _reached(block: _Block, told: dict[_Block, frozenset[_Block] | None]) -> frozenset[_Block] | None:
    """A block with all that it tells and those tell, and so on; None if that has no end within the blocks."""
    found = [block]
    for one in found:
        further = told[one]
        if further is None:
            return None
        found += [other for other in further if other not in found]
    return frozenset(found)


def _blocks(clues: ClueMap) -> Iterator[_Block]:
    """Split what is listed of the uncertain cells into blocks, as small as can be."""
    seen: set[Cell] = set()
    uneven: list[_Block] = []
    total, is_listed = clues.mines_left, True
    for start in clues.all:
        if start in seen:
            continue
        seen.add(start)
        component = [start]
        for clue in component:
            further = [other for other in clues.linked([clue]) if other not in seen]
            component += further
            seen.update(further)
        part = _list(clues, component)
        if part is None:
            is_listed = False
            continue
        for block in _factors(part):
            if len(block.totals) == 1:
                total -= block.totals.pop()
                yield block
            else:
                uneven.append(block)
    frontier = {cell for clue in seen for cell in clues.unknown(clue)}
    sea = tuple(cell for cell in clues.all_unknown if cell not in frontier)
    if sea:
        uneven.append(_Block((sea,), tuple((mines,) for mines in range(min(len(sea), clues.mines_left) + 1))))
    # These are linked by the number of mines.
    joint = _join(uneven, total) if is_listed else None
    if joint is not None:
        yield from _factors(joint)


def _list(clues: ClueMap, component: list[Cell]) -> _Block | None:
    """List what the classes of a component hold; None if that is too much."""
    classes: dict[_Cells, list[Cell]] = {}
    for cell in dict.fromkeys(cell for clue in component for cell in sorted(clues.unknown(clue))):
        classes.setdefault(tuple(clues.touching(cell)), []).append(cell)
    room = {clue: len(clues.unknown(clue)) for clue in component}
    begun: list[tuple[tuple[int, ...], dict[Cell, int]]] = [((), {clue: clues.need(clue) for clue in component})]
    listed = 0
    for touched, cells in classes.items():
        check_time()
        for clue in touched:
            room[clue] -= len(cells)
        begun = [
            ((*numbers, mines), after)
            for numbers, needs in begun
            for mines in range(len(cells) + 1)
            if all(0 <= needs[clue] - mines <= room[clue] for clue in touched)
            for after in [needs | {clue: needs[clue] - mines for clue in touched}]
        ]
        listed += len(begun)
        if listed > _MOST:
            return None
    return _Block(tuple(map(tuple, classes.values())), tuple(numbers for numbers, _ in begun))


def _join(blocks: Sequence[_Block], total: int) -> _Block | None:
    """All that blocks hold together if that is so many mines; None if that is too much."""
    joint: list[tuple[int, ...]] = [()]
    for place, block in enumerate(blocks, 1):
        least = sum(min(after.totals) for after in blocks[place:])
        most = sum(max(after.totals) for after in blocks[place:])
        joint = [
            (*before, *numbers)
            for before in joint
            for numbers in block.numbers
            if least <= total - sum(before) - sum(numbers) <= most
        ]
        if len(joint) > _MOST:
            return None
    return _Block(tuple(chain.from_iterable(block.classes for block in blocks)), tuple(joint))


def _factors(block: _Block) -> Iterator[_Block]:
    """Split a block into blocks, as small as can be, that have nothing to do with each other.

    Class by class: the blocks of those before stay, but for those that are not independent of the rest with the new
    class; these are one block with it. That is so because what is independent of the rest is closed under union,
    intersection and complement.
    """
    rows = [sum(mines << _BITS * place for place, mines in enumerate(numbers)) for numbers in block.numbers]

    def count(mask: int) -> int:
        return len({row & mask for row in rows})

    masks: list[int] = []
    every = 0
    for place in range(len(block.classes)):
        check_time()
        joined = _CLASS << _BITS * place
        every |= joined
        number, stay = count(every), []
        for mask in masks:
            if count(mask) * count(every ^ mask) == number:
                stay.append(mask)
            else:
                joined |= mask
        masks = [*stay, joined]
    for mask in masks:
        places = [place for place in range(len(block.classes)) if mask >> _BITS * place & 1]
        numbers = dict.fromkeys(tuple(one[place] for place in places) for one in block.numbers)
        yield _Block(tuple(block.classes[place] for place in places), tuple(numbers))


def _tell_nothing(cells: _Cells, ways: Sequence[frozenset[Cell]], view: View) -> bool:
    """Say whether each of the cells touches equally many of the mines, whenever it is safe."""
    around = {cell: _around(view, cell) for cell in cells}
    return all(len({len(near & mines) for mines in ways if cell not in mines}) == 1 for cell, near in around.items())


def _around(view: View, cell: Cell) -> frozenset[Cell]:
    return frozenset(neighbours(view.rows, view.cols, cell))


def _two_layouts(view: View, cells: _Cells, ways: Sequence[frozenset[Cell]]) -> tuple[Board, Board]:
    """Give two layouts that differ in the first of the cells, and as widely as can be, and not outside of the cells."""
    one = next(mines for mines in ways if cells[0] in mines)
    other = max((mines for mines in ways if cells[0] not in mines), key=lambda mines: len(one ^ mines))
    layout = some_layout(view, Random(0), mines_at=one, safe_at=set(cells) - one)
    swapped = layout.mine_map.copy()
    for cell in one ^ other:
        swapped[cell] ^= True
    return layout, Board(swapped)
