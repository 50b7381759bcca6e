"""Deductions: cells decided together, with the clues that force them, and the reason as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minesweeper.player.core.board import View, hidden_cell
from minesweeper.player.core.errors import check_kind
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.steps import Tier
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic.sentences import ENGLISH, NamedClue, Sentence

Given = dict[Cell, bool]
"""Hidden cells that are known already: True for a mine, False for a safe cell."""


@dataclass(frozen=True, slots=True)
class Deduction:
    r"""Cells decided together, with the clues that force them; all cells are (row, col), in reading order.

    `tier` is 1 clue, 2 clues, more clues or the mine count. If `smallest`, no smaller set of clues forces any of the
    cells (none at all without the number of mines, if that is used); otherwise none of the clues can be left out.
    `given` are the cells around the clues taken as known, `because` is the reason as a sentence, and `view` is the
    position; a `SolutionPath` has none of them. Equality ignores the view.

    >>> ms.reason("2x5/2\n#121#\n#####", (1, 1)).mine
    True
    """

    tier: Tier
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    clues: tuple[Cell, ...]
    smallest: bool = True
    given: tuple[Cell, ...] = ()
    because: Sentence | None = field(default=None, repr=False)
    view: View | None = field(default=None, repr=False, compare=False)

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

    def in_words(self, language: str = ENGLISH) -> str:
        """Return a sentence: ``(0, 0) is safe: the clues at (0, 1) and (0, 2)``, or with the reason."""
        parts = (("step.safe", self.safe), ("step.mines", self.mines))
        decided = [_decided(name, cells) for name, cells in parts if cells]
        reasons = [Sentence("clues.at", count=len(self.clues), cells=list(self.clues))] * bool(self.clues)
        reasons += [Sentence("count.needed")] * self.mine_count
        return Sentence("step.because", decided=decided, because=self.because or reasons).in_words(language)

    @property
    def reason(self) -> Sentence:
        """The sentence about `cell` alone."""
        decided = _decided("step.mines" if self.mine else "step.safe", [self.cell])
        return Sentence("step.because", decided=decided, because=self.because)

    def _repr_html_(self) -> str | None:
        if self.view is None:
            return None
        from minesweeper.player.render.svg import deduction_in_html

        view, words = self.view, f"{self.in_words()}."
        return deduction_in_html(view.cells, view.title, view.grid, self.decided, self.clues, words)

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


def count_sentence(view: View) -> Sentence:
    """Return the number of mines of a view, or its range, as a reason."""
    most, spare, *_ = view.prior
    return Sentence("count.between", need=most - spare, mines=most) if spare else Sentence("count.number", mines=most)


def _decided(name: str, cells: Sequence[Cell]) -> Sentence:
    return Sentence(name, count=len(cells), cells=", ".join(map(str, cells)))


def reasons_of(view: View, clues: Sequence[Cell], *others: Sentence) -> dict[str, Any]:
    """Return the values of a sentence about clues and other reasons."""
    named = [_clue(view, at) for at in clues]
    reasons = [Sentence("clues.named", count=len(named), clues=named)] if named else []
    count = len(clues) + len(others)
    together = "" if count == 1 else Sentence("together.both" if count == 2 else "together.all")
    return {"reasons": [*reasons, *others], "together": together}


@dataclass(frozen=True)
class _Says:
    """The values of a sentence, as the kernel finds them."""

    name: str
    mines: int
    rest: int
    clue: int = -1
    other: int = -1
    count: int = 0
    need: int = 0
    places: Sequence[int] = ()


class Premises:
    """A view in which the cells `given` count as known: what a deduction follows from.

    Raises `BoardError` for a view of more than a million cells or an open given cell.
    """

    def __init__(self, view: View, given: Given) -> None:
        check_cells(view.grid.shape, "reasons")
        check_kind(given, dict, "given cells as {(row, col): True for a mine}")
        self.view = view
        self.given = dict(given)
        for cell in given:
            hidden_cell(view, cell)

    @property
    def marks(self) -> NDArray[np.uint8]:
        """An array with 1 for each given safe cell, and 2 for each given mine."""
        marks = np.zeros(self.view.cells.shape, dtype=np.uint8)
        for cell, mine in self.given.items():
            marks[cell] = 2 if mine else 1
        return marks

    def explained(self, step: Deduction, says: kernel.Sentence | _Says | None = None) -> Deduction:
        """Return a deduction with the given cells around its clues, and its reason.

        `says` is what the kernel finds to say: a template and its values. Without it, the reason is a proof by
        contradiction.
        """
        view, cols = self.view, self.view.cols
        around = {near for at in step.clues for near in view.grid.neighbours(at)}
        given = tuple(sorted(around & self.given.keys()))
        if says is None:
            alone = len(step.safe) + len(step.mines) == 1
            template = ("more.mine" if step.mine else "more.safe") if alone else "more.any"
            says = _Says(template, mines=view.prior.most - sum(self.given.values()), rest=len(self.given))
        left = Sentence("count.left", mines=says.mines) if says.rest and not view.prior.spare else count_sentence(view)
        counted = [left] * step.mine_count
        clues = (("clue", says.clue), ("other", says.other))
        because = Sentence(
            says.name,
            cell=step.cell,
            at=divmod(says.clue, cols),
            **{key: _clue(view, divmod(at, cols)) for key, at in clues if at >= 0},
            places=[divmod(cell, cols) for cell in says.places],
            count=says.count,
            need=says.need,
            mines=says.mines,
            rest=says.rest,
            **reasons_of(view, step.clues, *counted),
        )
        return replace(step, given=given, because=because, view=view)


def _clue(view: View, at: Cell) -> NamedClue:
    return NamedClue(int(view.cells[at]), at)
