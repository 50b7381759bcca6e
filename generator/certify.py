"""Prove with SAT what screening claims.

What one clue or two decide is plain arithmetic. Every step that took more is proved by one unsatisfiability call: the
clues it rests on, and "some claimed cell is otherwise", contradict each other. The clues come from the board and the
cells undecided at the time, not from the engine that made the claim.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

import numpy as np

from minesweeper.generator.screening import Kept
from minesweeper.player.board import Board, count_neighbours, neighbours
from minesweeper.player.logic.cnf import Clue, clue_formula, count_formula, new_solver, solve
from minesweeper.player.steps import HardStep, Tier

log = logging.getLogger(__name__)

SOLVER = "glucose4"


class ProofFailed(RuntimeError):
    """SAT does not confirm a step of a solution: a defect of the engine. The puzzle must not be kept."""


@dataclass(frozen=True)
class Certificate:
    """What proved a puzzle solvable: the solver with its version, and how many steps it had to prove."""

    solver: str
    proofs: int

    def __str__(self) -> str:
        return f"{self.solver}: {self.proofs} proofs"


def certify(kept: Kept) -> Certificate:
    """Prove every hard step of a screened puzzle. Raises `ProofFailed` naming the first that does not follow."""
    for hard_step in kept.screening.hard_steps:
        if not follows(kept.puzzle.board, hard_step):
            step = hard_step.step
            log.info("proof refused: puzzle %s, candidate %d, tier %d", kept.puzzle.id, kept.index, step.tier)
            cells = [divmod(cell, kept.puzzle.board.cols) for cell in step.safe + step.mines]
            raise ProofFailed(
                f"SAT does not confirm that {cells} follow (tier {step.tier}) in puzzle {kept.puzzle.id}, candidate "
                f"{kept.index}, which is not stored; this is a defect of the engine, please report it"
            )
    return Certificate(_solver_name(), len(kept.screening.hard_steps))


@cache
def _solver_name() -> str:
    return f"{SOLVER}, python-sat {version('python-sat')}"


def follows(board: Board, hard_step: HardStep) -> bool:
    """Say whether the clues of a step force every cell that it claims."""
    step, undecided = hard_step.step, hard_step.undecided
    clue_cells = [divmod(cell, board.cols) for cell in step.clues]
    if step.tier is Tier.MINE_COUNT:
        bordering = ~undecided & ~board.mine_map & (count_neighbours(undecided) > 0)
        clue_cells = [(row, col) for row, col in np.argwhere(bordering).tolist()]
    clues: list[Clue] = []
    for cell in clue_cells:
        if undecided[cell] or board.mine_map[cell]:
            return False  # Not an open clue at the time, so nothing can rest on it.
        around = [near for near in neighbours(board.rows, board.cols, cell) if undecided[near]]
        variables = [row * board.cols + col + 1 for row, col in around]
        clues.append((variables, sum(bool(board.mine_map[near]) for near in around)))
    frontier = sorted({variable for variables, _ in clues for variable in variables})
    otherwise = [cell + 1 for cell in step.safe] + [-(cell + 1) for cell in step.mines]
    if step.tier is Tier.MINE_COUNT:
        sea = int(np.count_nonzero(undecided)) - len(frontier)
        mines = int(np.count_nonzero(undecided & board.mine_map))
        formula, mine_at_sea, safe_at_sea = count_formula(clues, frontier, sea, mines, "totalizer")
        known = set(frontier)
        otherwise = [literal for literal in otherwise if abs(literal) in known]
        # The cells of the sea are all alike: claims about any of them are one claim.
        if mine_at_sea is not None and safe_at_sea is not None:
            otherwise += [mine_at_sea] * any(cell + 1 not in known for cell in step.safe)
            otherwise += [safe_at_sea] * any(cell + 1 not in known for cell in step.mines)
    else:
        formula = clue_formula(clues)
    with new_solver(SOLVER, [*formula.clauses, otherwise]) as solver:
        return not solve(solver)
