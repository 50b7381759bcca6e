"""Clicks on a known board in plain Python, apart from the kernel: a checker of plans, and a search of all plans."""

from collections.abc import Iterable
from itertools import count

Cell = tuple[int, int]


class ClickedBoard:
    """A board with its neighbours and mines. Sets of cells are bits."""

    def __init__(self, near: dict[Cell, set[Cell]], mines: Iterable[Cell]) -> None:
        self.bit = {cell: 1 << place for place, cell in enumerate(near)}
        mine_set = set(mines)
        self.around = {cell: sum(self.bit[one] for one in near[cell]) for cell in near}
        self.mines = sum(self.bit[cell] for cell in mine_set)
        self.safe = [cell for cell in near if cell not in mine_set]
        self.all_safe = sum(self.bit[cell] for cell in self.safe)
        self.opens = {}
        for start in self.safe:  # the cells that a left click opens
            cells, zeros = {start}, [start]
            for zero in zeros:
                if not near[zero] & mine_set:
                    zeros += near[zero] - cells
                    cells |= near[zero]
            self.opens[start] = sum(self.bit[cell] for cell in cells)
        self.chords = {}
        for cell in self.safe:
            self.chords[cell] = 0
            for one in near[cell] - mine_set:
                self.chords[cell] |= self.opens[one]

    def play(self, clicks: Iterable[tuple[str, Cell]]) -> dict[str, int]:
        """Play clicks by the rules and count each kind. Raises `AssertionError` unless they are legal and clear all."""
        opened = flagged = 0
        counts = {"left": 0, "flag": 0, "chord": 0}
        for kind, cell in clicks:
            counts[kind] += 1
            if kind == "chord":
                assert self.bit[cell] & opened, "a chord on a closed cell"
                assert self.around[cell] & self.mines == self.around[cell] & flagged, "flags that do not fit"
                opened |= self.chords[cell]
                continue
            assert not self.bit[cell] & (opened | flagged), "a click on a cell that is open or flagged"
            if kind == "flag":
                flagged |= self.bit[cell]
            else:
                assert cell in self.opens, "a mine is opened"
                opened |= self.opens[cell]
        assert opened == self.all_safe, "cells stay closed"
        return counts

    def fewest(self, first: Cell | None = None, flag_price: int = 1) -> int:
        """Return the fewest clicks, by breadth-first search. Flags are set when a chord needs them."""
        start = (self.opens[first], 0) if first else (0, 0)
        levels: dict[int, set[tuple[int, int]]] = {int(first is not None): {start}}
        seen: set[tuple[int, int]] = set()
        best = 0 if start[0] == self.all_safe else len(self.safe)
        best += first is not None
        for price in count():
            if price + 1 >= best:
                return best
            for opened, flagged in levels.pop(price, set()) - seen:
                seen.add((opened, flagged))
                for cell in self.safe:
                    after, flags, paid = opened, flagged, price + 1
                    if not self.bit[cell] & opened:
                        after |= self.opens[cell]
                    else:
                        after |= self.chords[cell]
                        flags |= self.around[cell] & self.mines
                        paid += flag_price * (flags ^ flagged).bit_count()
                    if after == self.all_safe:
                        best = min(best, paid)
                    elif after != opened and paid + 1 < best:
                        levels.setdefault(paid, set()).add((after, flags))
        raise AssertionError
