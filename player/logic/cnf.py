"""A position as a formula in conjunctive normal form, for PySAT, model counters and lessons."""

from __future__ import annotations

from typing import Final

from pysat.formula import CNF

from minesweeper.player.core.board import HIDDEN, ViewLike, as_view
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.logic.clauses import exactly
from minesweeper.player.logic.clues import reduced_clues

MOST_VARIABLES: Final = 10**7


class ViewFormula(CNF):  # type: ignore[misc]
    """A `pysat.formula.CNF` with one model for each layout.

    Variable n, true for a mine, belongs to ``cells[n - 1]``. `comments` lists the cells, too, so that ``to_dimacs`` and
    ``to_file`` write them.
    """

    cells: list[Cell]


def cnf(view: ViewLike, *, mines: MinesLike | None = None) -> ViewFormula:
    """Encode a view: its clues binomially, the number of mines by a sequential counter.

    A hidden cell has a variable, true for a mine, in reading order from 1 on. The clue k of n hidden cells says: of
    every k + 1 cells one is safe, of every n - k + 1 one is a mine. The further variables count (Sinz, *Towards an
    optimal CNF encoding of Boolean cardinality constraints*, CP 2005). The cells determine them, so that every layout
    is one model. Raises `BoardError` for more than ten million variables.

    >>> formula = ms.cnf("2x3/1\\n1##\\n1##")
    >>> formula.cells
    [(0, 1), (0, 2), (1, 1), (1, 2)]
    >>> formula.clauses[:2]
    [[-1, -3], [1, 3]]
    """
    view = as_view(view, mines)
    clues, hidden = reduced_clues(view.grid, view.cells, view.cells == HIDDEN)
    most = view.prior.most
    if len(hidden) * most > MOST_VARIABLES:
        raise BoardError(f"{len(hidden)} hidden cells and {most} mines need too many variables for the count")
    clauses = [clause for cells, need in clues.values() for clause in exactly(cells, need)]
    formula = ViewFormula(from_clauses=[*clauses, *_count(len(hidden), most - view.prior.spare, most)])
    formula.nv = max(formula.nv, len(hidden))
    formula.cells = hidden
    formula.comments = [
        f"c Minesweeper {view.name}: every model is a layout. The variables of cells, true for a mine (in the formula",
        "c of gemhunter solve --dimacs, true for a gem), as variable = (row, column); the others count the mines:",
        *(f"c {number} = {cell}" for number, cell in enumerate(hidden, 1)),
    ]
    return formula


def _count(cells: int, least: int, most: int) -> list[list[int]]:
    """Encode that `least` to `most` of the variables 1 to `cells` are true; further variables follow them."""
    true = top = cells + 1
    clauses = [[true]]
    # at_least[k] holds if k of the cells so far are mines.
    at_least = [true] + [-true] * (most + 1)
    for cell in range(1, cells + 1):
        before = at_least.copy()
        for k in range(1, min(cell, most + 1) + 1):
            top += 1
            at_least[k] = top
            clauses += [[-before[k], top], [-cell, -before[k - 1], top]]
            clauses += [[-top, before[k], cell], [-top, before[k], before[k - 1]]]
    return [*clauses, [at_least[least]], [-at_least[most + 1]]]
