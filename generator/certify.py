"""Certificates: SAT proofs of the steps that screening claims.

Steps from one or two clues are plain arithmetic. Every other step is proved by one unsatisfiability call: its clues
contradict "some claimed cell has the other value". The clues are computed from the board and the cells undecided at the
time, independently of the engine that made the claim.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import compress, count

from minesweeper.generator.screening import FoundPuzzle
from minesweeper.player.board import Board, numbered_neighbours
from minesweeper.player.logic.clues import Clue
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, clue_formula, contradictory, count_formula
from minesweeper.player.steps import HardStep, Tier

log = logging.getLogger(__name__)


class ProofFailed(RuntimeError):
    """A step of a solution that SAT does not confirm: a defect of the engine. The puzzle must not be stored."""


@dataclass(frozen=True)
class Certificate:
    """The proof of a puzzle: the name and version of the solver, and the number of steps that it proved."""

    solver: str
    proofs: int

    def __str__(self) -> str:
        return f"{self.solver}: {self.proofs} proofs"


def certify(found: FoundPuzzle) -> Certificate:
    """Prove every hard step of a screened puzzle. Raises `ProofFailed` for the first step that does not follow."""
    board = found.puzzle.board
    for hard_step in found.screening.hard_steps:
        if not follows(board, hard_step):
            step = hard_step.step
            log.info("proof failed: puzzle %s, candidate %d, tier %d", found.puzzle.id, found.index, step.tier)
            cells = [divmod(cell, board.cols) for cell in step.safe + step.mines]
            raise ProofFailed(
                f"SAT does not confirm that {cells} follow (tier {step.tier}) in puzzle {found.puzzle.id}, candidate "
                f"{found.index}, which is not stored; this is a defect of the engine, please report it"
            )
    return Certificate(_solver_name(), len(found.screening.hard_steps))


@cache
def _solver_name() -> str:
    from pysat import __version__

    return f"{CLAUSE_SOLVER}, python-sat {__version__}"


def follows(board: Board, hard_step: HardStep) -> bool:
    """Return whether the clues of a step force every cell that it claims."""
    step, undecided = hard_step.step, hard_step.undecided
    near = numbered_neighbours(board.rows, board.cols)
    if step.tier is Tier.MINE_COUNT:
        touching = set[int]().union(*compress(near, undecided))
        clue_cells = sorted(clue for clue in touching if not undecided[clue] and not board.cells[clue])
    else:
        clue_cells = list(step.clues)
    variable: defaultdict[int, int] = defaultdict(count(1).__next__)
    clues: list[Clue] = []
    for clue in clue_cells:
        if undecided[clue] or board.cells[clue]:
            return False  # The cell was not an open clue at the time.
        around = [cell for cell in near[clue] if undecided[cell]]
        clues.append((tuple(variable[cell] for cell in around), sum(board.cells[cell] for cell in around)))
    if step.tier is Tier.MINE_COUNT:
        mines = sum(compress(board.cells, undecided))
        frontier, unconstrained = range(1, len(variable) + 1), undecided.count(1) - len(variable)
        formula, other_mine, other_safe = count_formula(clues, frontier, unconstrained, mines, "totalizer")
    else:
        formula, other_mine, other_safe = clue_formula(clues), None, None
    negation: set[int] = set()
    for claimed, sign, other in ((step.safe, 1, other_mine), (step.mines, -1, other_safe)):
        for cell in claimed:
            literal = sign * variable[cell] if cell in variable else other
            if literal is None:
                return False  # The cell was already decided, or touches no clue of the step.
            negation.add(literal)
    return contradictory([*formula.clauses, sorted(negation)])
