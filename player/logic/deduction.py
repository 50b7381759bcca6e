"""Deductions: cells decided together, with the clues that force them, as values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minesweeper.player.core.board import HIDDEN, View, hidden_cell
from minesweeper.player.core.errors import counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.steps import Tier

Given = dict[Cell, bool]
"""Hidden cells that are known already: True for a mine, False for a safe cell."""


@dataclass(frozen=True, slots=True)
class Deduction:
    """Cells decided together, with the clues that force them; all cells are (row, col), in reading order.

    `tier` is 1 clue, 2 clues, more clues or the mine count. If `smallest`, no smaller set of clues forces any of the
    cells (none at all without the number of mines, if that is used); otherwise none of the clues can be left out.
    `given` are the cells around the clues taken as known, and `because` is the reason in words; a `SolutionPath` has
    neither.
    """

    tier: Tier
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    clues: tuple[Cell, ...]
    smallest: bool = True
    given: tuple[Cell, ...] = ()
    because: str = field(default="", repr=False)

    @property
    def mine_count(self) -> bool:
        """True if the deduction needs the number of mines."""
        return self.tier is Tier.MINE_COUNT

    @property
    def mine(self) -> bool:
        """The value of `cell`."""
        return not self.safe

    @property
    def cell(self) -> Cell:
        """The first safe cell or, without one, the first mine."""
        return (self.safe or self.mines)[0]

    @property
    def decided(self) -> Given:
        """The cells with their values, True for a mine."""
        return dict.fromkeys(self.safe, False) | dict.fromkeys(self.mines, True)

    def in_words(self) -> str:
        """Return a sentence: ``(0, 0) is safe: the clues at (0, 1) and (0, 2)``, or with the reason in words."""
        kinds = ((self.safe, "is safe", "are safe"), (self.mines, "is a mine", "are mines"))
        parts = [(", ".join(map(str, cells)), one if len(cells) == 1 else many) for cells, one, many in kinds if cells]
        reasons = [f"the clue{'s' * (len(self.clues) > 1)} at {listed(list(map(str, self.clues)))}"] * bool(self.clues)
        reasons += ["the number of mines"] * self.mine_count
        return f"{' and '.join(f'{cells} {verb}' for cells, verb in parts)}: {self.because or listed(reasons)}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON: a step in the format of ``packs export --format path``."""
        return {
            "tier": int(self.tier),
            "safe": list(map(list, self.safe)),
            "mines": list(map(list, self.mines)),
            "clues": list(map(list, self.clues)),
            "count": self.mine_count,
            "smallest": self.smallest,
        }


def listed(parts: Sequence[str]) -> str:
    """Join parts with commas and *and*."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


class ClueMap:
    """The clues of a view in which the cells `given` are known, and sentences about them.

    Raises `BoardError` for a view of more than a million cells or an open given cell.
    """

    def __init__(self, view: View, given: Given) -> None:
        check_cells(view.grid.shape, "reasons")
        self.view = view
        self.given = dict(given)
        self._cells: list[list[int]] = view.cells.tolist()
        for cell in given:
            hidden_cell(view, cell)

    def explained(self, step: Deduction) -> Deduction:
        """Return a deduction with the given cells around its clues, and its reason in words."""
        given = {near for at in step.clues for near in self._around(at) if near in self.given}
        if step.tier > Tier.TWO_CLUES:
            because = self._explain_more(step)
        else:
            at = next(at for at in step.clues if step.cell in self._unknown(at))
            others = [other for other in step.clues if other != at]
            because = self._explain_two(others[0], at, step.mine) if others else self._explain_one(at)
        return replace(step, given=tuple(sorted(given)), because=because)

    def _around(self, at: Cell) -> Iterator[Cell]:
        return self.view.grid.neighbours(at)

    def _unknown(self, at: Cell) -> set[Cell]:
        """Return the hidden cells around `at` that are not given."""
        cells, given = self._cells, self.given
        return {near for near in self._around(at) if cells[near[0]][near[1]] == HIDDEN and near not in given}

    def _known_mines(self, at: Cell) -> list[Cell]:
        return [near for near in self._around(at) if self.given.get(near)]

    def _need(self, at: Cell) -> int:
        """Return the number of mines among the unknown cells of the clue at `at`."""
        return self._cells[at[0]][at[1]] - len(self._known_mines(at))

    def _name(self, at: Cell) -> str:
        """Return a clue and its cell: ``1 at (3, 4)``."""
        return f"{self.view.cells[at]} at {at}"

    def _explain_one(self, at: Cell) -> str:
        """Explain a clue that needs none of its unknown cells, or all."""
        name = f"the clue {self._name(at)}"
        unknown, need, mines = len(self._unknown(at)), self._need(at), self._known_mines(at)
        places = listed(list(map(str, mines)))
        if need == 0:
            number = len(mines)
            mines_there = "mine" if number == 1 else f"{number} mines"
            return f"{name} already touches its {mines_there} at {places}" if mines else f"{name} touches no mine"
        if not mines:
            return f"{name} touches only {counted(unknown, 'cell')} where a mine can be"
        found = f"{counted(len(mines), 'known mine')} at {places}"
        return f"{name} touches {found} and needs {need} more, with {counted(unknown, 'cell')} left"

    def _explain_two(self, other: Cell, at: Cell, mine: bool) -> str:
        """Explain two overlapping clues that decide the cells that only the second, `at`, touches."""
        first, second = self._unknown(other), self._unknown(at)
        a, b = self._need(other), self._need(at)
        shared, rest = len(first & second), len(second - first)
        share = (
            f"the clues {self._name(other)} and {self._name(at)} share {counted(shared, 'cell')}, which "
            f"{'holds' if shared == 1 else 'hold'}"
        )
        if mine:
            most = min(shared, a)
            at_most = f"at most {counted(most, 'mine')}" if most < shared else counted(most, "mine")
            others = "its other cell" if rest == 1 else f"each of its other {rest} cells"
            return f"{share} {at_most}; the clue at {at} needs {b}, so {others} must be a mine"
        least = max(0, a - len(first - second))
        return f"{share} at least {counted(least, 'mine')}, all that the clue at {at} needs"

    def _explain_more(self, step: Deduction) -> str:
        """Explain by contradiction the value of a cell, or of several."""
        mines = self.view.mines
        left = mines - sum(self.given.values())
        if not step.clues:
            if left == 0:
                return f"all {counted(mines, 'mine')} are found" if self.given else "there is no mine"
            unknown = int(np.count_nonzero(self.view.cells == HIDDEN)) - len(self.given)
            return f"{counted(unknown, 'cell')} and {counted(left, 'mine')} are left"
        reasons = [f"the clue{'s' * (len(step.clues) > 1)} {listed(list(map(self._name, step.clues)))}"]
        if step.mine_count:
            reasons.append(f"the {left} mines left" if self.given else f"the number of mines, {mines},")
        both = "both " if len(step.clues) + step.mine_count == 2 else "all "
        alone = len(step.safe) + len(step.mines) == 1
        supposed = f"{step.cell} were {'safe' if step.mine else 'a mine'}" if alone else "any of them were otherwise"
        return f"if {supposed}, {listed(reasons)} could not {both}be true"
