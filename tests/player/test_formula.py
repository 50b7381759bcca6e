"""The formula of a view has one model for each layout."""

from itertools import islice

import numpy as np
import oracle
import pytest
from pysat.formula import CNF
from pysat.solvers import Solver
from views import random_views

import minesweeper as ms
from minesweeper.player import HIDDEN, count_layouts
from minesweeper.player.core.errors import BoardError
from minesweeper.player.kernel_api import available


def models(formula: CNF) -> list[list[int]]:
    """Enumerate all models, over all variables."""
    with Solver("minisat22", bootstrap_with=formula) as solver:
        return list(solver.enum_models())


def test_every_model_is_a_layout_and_every_layout_a_model() -> None:
    contradictory = 0
    for view in islice(random_views(41, consistent=False), 200):
        formula = ms.cnf(view)
        assert formula.cells == [tuple(cell) for cell in np.argwhere(view.cells == HIDDEN).tolist()]
        found = models(formula)
        expected = {tuple(layout[view.cells == HIDDEN].tolist()) for layout in oracle.layouts(view)}
        assert {tuple(literal > 0 for literal in model[: len(formula.cells)]) for model in found} == expected
        assert len(found) == len(expected)
        contradictory += not found
        if available():
            assert count_layouts(view) == len(found)
    assert 10 < contradictory < 150


def test_dimacs_has_the_map_and_is_read_by_pysat() -> None:
    formula = ms.cnf("2x3/1\n1##\n1##")
    text = formula.to_dimacs()
    assert text.startswith("c Minesweeper 2x3/1: every model is a layout.")
    assert "\nc 3 = (1, 1)\n" in text
    assert CNF(from_string=text).clauses == formula.clauses


def test_too_many_variables_are_refused() -> None:
    with pytest.raises(BoardError, match="need too many variables"):
        ms.cnf(ms.View.hidden(ms.Grid(1000, 1000), 200_000))
