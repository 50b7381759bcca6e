"""A position as a formula in conjunctive normal form, for PySAT, model counters and lessons."""

from __future__ import annotations

from math import comb
from typing import Final, get_args

from pysat.formula import CNF

from minesweeper.player.core.board import HIDDEN, ViewLike, as_view
from minesweeper.player.core.errors import BoardError, did_you_mean
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.logic.clauses import CardinalityEncoding, between, exactly
from minesweeper.player.logic.clues import reduced_clues

MOST_VARIABLES: Final = 10**7


class ViewFormula(CNF):  # type: ignore[misc]
    """A `pysat.formula.CNF` whose models, restricted to the cells, are the layouts.

    Variable n, true for a mine, belongs to ``cells[n - 1]``. `comments` lists the cells, too, so that ``to_dimacs`` and
    ``to_file`` write them.
    """

    cells: list[Cell]


def cnf(view: ViewLike, *, mines: MinesLike | None = None, encoding: CardinalityEncoding | None = None) -> ViewFormula:
    """Encode a view: by default its clues binomially, the number of mines by a sequential counter.

    A hidden cell has a variable, true for a mine, in reading order from 1 on. The clue k of n hidden cells says: of
    every k + 1 cells one is safe, of every n - k + 1 one is a mine. The further variables count (Sinz, *Towards an
    optimal CNF encoding of Boolean cardinality constraints*, CP 2005). The cells determine them, so that every layout
    is one model. Raises `BoardError` for more than ten million variables.

    `encoding` encodes the clues and the number of mines alike: ``"binomial"``, as a ``"sequential"`` counter (Sinz), a
    ``"totalizer"`` (Bailleux and Boufkhad, *Efficient CNF encoding of Boolean cardinality constraints*, CP 2003) or a
    cardinality ``"network"`` (Asín, Nieuwenhuis, Oliveras and Rodríguez-Carbonell, *Cardinality networks*, Constraints
    16, 2011). Their further variables are not always determined, so that a layout can be several models. Raises
    `BoardError` for more than 3162 hidden cells, or ten million binomial clauses for the number of mines.

    >>> formula = ms.cnf("2x3/1\\n1##\\n1##")
    >>> formula.cells
    [(0, 1), (0, 2), (1, 1), (1, 2)]
    >>> formula.clauses[:2]
    [[-1, -3], [1, 3]]
    >>> ms.cnf("2x3/1\\n1##\\n1##", encoding="sequential").nv
    7
    """
    names = get_args(CardinalityEncoding)
    if encoding is not None and encoding not in names:
        raise BoardError(f"unknown encoding {encoding!r}{did_you_mean(encoding, names)}; encodings: {', '.join(names)}")
    view = as_view(view, mines)
    clues, hidden = reduced_clues(view.grid, view.cells, view.cells == HIDDEN)
    cells, most = len(hidden), view.prior.most
    least = most - view.prior.spare
    if cells * (cells if encoding else most) > MOST_VARIABLES:
        raise BoardError(f"{cells} hidden cells and {most} mines need too many variables for the count")
    if encoding == "binomial" and comb(cells, most + 1) + comb(cells, cells - least + 1) > MOST_VARIABLES:
        raise BoardError(f"{most} mines in {cells} cells need too many binomial clauses; expected another encoding")
    if encoding is None:
        clauses = [clause for variables, need in clues.values() for clause in exactly(variables, need)]
        clauses += _count(cells, least, most)
    else:
        clauses, top = [], cells
        count = range(1, cells + 1), least, most
        for variables, low, high in (*((near, need, need) for near, need in clues.values()), count):
            part, top = between(variables, low, high, top, encoding)
            clauses += part.clauses
    formula = ViewFormula(from_clauses=clauses)
    formula.nv = max(formula.nv, cells)
    formula.cells = hidden
    models = "a model, restricted to the cells," if encoding else "every model"
    formula.comments = [
        f"c Minesweeper {view.name}: {models} is a layout. The variables of cells, true for a mine (in the formula",
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
