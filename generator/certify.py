"""Prove with SAT what screening claims.

What one clue or two decide is plain arithmetic. Every step that took more is proved by one unsatisfiability call: the
clues it rests on, and "some claimed cell is otherwise", contradict each other. The clues come from the board and the
cells undecided at the time, not from the engine that made the claim.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version

import numpy as np

from minesweeper.generator.screening import Kept
from minesweeper.player.board import Board, neighbours
from minesweeper.player.limits import check_time
from minesweeper.player.logic.cnf import Clue, clue_formula, contradictory, count_formula
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
    step = hard_step.step
    # Bytes are read one by one much faster than arrays.
    undecided, mines = hard_step.undecided.tobytes(), board.mine_map.tobytes()
    near = _neighbour_numbers(board.rows, board.cols)
    clue_cells: Iterable[int] = step.clues
    if step.tier is Tier.MINE_COUNT:
        left = np.flatnonzero(hard_step.undecided).tolist()
        clue_cells = {clue for cell in left for clue in near[cell] if not undecided[clue] and not mines[clue]}
    variable: dict[int, int] = {}
    clues: list[Clue] = []
    for clue in clue_cells:
        if undecided[clue] or mines[clue]:
            return False  # Not an open clue at the time, so nothing can rest on it.
        around = [cell for cell in near[clue] if undecided[cell]]
        for cell in around:
            variable.setdefault(cell, len(variable) + 1)
        clues.append(([variable[cell] for cell in around], sum(mines[cell] for cell in around)))
    if step.tier is Tier.MINE_COUNT:
        sea, mines_left = len(left) - len(variable), sum(mines[cell] for cell in left)
        formula, mine_at_sea, safe_at_sea = count_formula(
            clues, range(1, len(variable) + 1), sea, mines_left, "totalizer"
        )
    else:
        formula, mine_at_sea, safe_at_sea = clue_formula(clues), None, None
    otherwise = []
    # The cells of the sea are all alike: claims about any of them are one claim.
    for claimed, sign, at_sea in ((step.safe, 1, mine_at_sea), (step.mines, -1, safe_at_sea)):
        otherwise += [sign * variable[cell] for cell in claimed if cell in variable]
        if any(cell not in variable for cell in claimed):
            if at_sea is None:
                return False  # About a cell that was decided before, or that no clue of the step sees.
            otherwise.append(at_sea)
    return contradictory([*formula.clauses, otherwise])


@lru_cache(maxsize=16)
def _neighbour_numbers(rows: int, cols: int) -> list[list[int]]:
    """The neighbours of every cell, all by number."""
    near: list[list[int]] = []
    for row in range(rows):
        check_time()
        near += ([r * cols + c for r, c in neighbours(rows, cols, (row, col))] for col in range(cols))
    return near
