"""Prove with SAT what screening claims.

What one clue or two decide is plain arithmetic. Every step that took more is proved by one unsatisfiability call: the
clues it rests on, and "some claimed cell is otherwise", contradict each other. The clues come from the board and the
cells undecided at the time, not from the engine that made the claim.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Final, NamedTuple

from minesweeper.generator.screening import FoundPuzzle
from minesweeper.player.board import Board, numbered_neighbours
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, Clue, clue_formula, contradictory, count_formula
from minesweeper.player.steps import HardStep, Tier

log = logging.getLogger(__name__)

_MarksNear = Callable[[bytes], tuple[int, ...]]

_WORTH_REMEMBERING: Final = 16
"""Undecided cells next to the clues of the largest steps whose proofs are remembered."""


class ProofFailed(RuntimeError):
    """SAT does not confirm a step of a solution: a defect of the engine. The puzzle must not be kept."""


@dataclass(frozen=True)
class Certificate:
    """What proved a puzzle solvable: the solver with its version, and how many steps it had to prove."""

    solver: str
    proofs: int

    def __str__(self) -> str:
        return f"{self.solver}: {self.proofs} proofs"


def certify(kept: FoundPuzzle) -> Certificate:
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
    from pysat import __version__

    return f"{CLAUSE_SOLVER}, python-sat {__version__}"


def follows(board: Board, hard_step: HardStep) -> bool:
    """Say whether the clues of a step force every cell that it claims."""
    step, undecided = hard_step.step, hard_step.undecided
    near = numbered_neighbours(board.rows, board.cols)
    by_count = step.tier is Tier.MINE_COUNT
    if by_count:
        touching = {clue for cell, mark in enumerate(undecided) if mark for clue in near[cell]}
        clue_cells = sorted(clue for clue in touching if not undecided[clue] and not board.cells[clue])
    else:
        clue_cells = list(step.clues)
    variable: defaultdict[int, int] = defaultdict(count(1).__next__)
    clues: list[Clue] = []
    for clue in clue_cells:
        if undecided[clue] or board.cells[clue]:
            return False  # Not an open clue at the time, so nothing can rest on it.
        around = [cell for cell in near[clue] if undecided[cell]]
        clues.append((tuple(variable[cell] for cell in around), sum(board.cells[cell] for cell in around)))
    counted = None
    if by_count:
        mines = sum(mine for mine, mark in zip(board.cells, undecided, strict=True) if mark)
        counted = _Counted(len(variable), undecided.count(1) - len(variable), mines)
    safe = frozenset(map(variable.get, step.safe))
    mined = frozenset(map(variable.get, step.mines))
    return _force(tuple(clues), counted, safe, mined)


class _Counted(NamedTuple):
    """A step that needs the mine count: cells of the frontier, and of the sea, and how many of both are mines."""

    frontier: int
    sea: int
    mines: int


def _force(
    clues: tuple[Clue, ...], counted: _Counted | None, safe: frozenset[int | None], mined: frozenset[int | None]
) -> bool:
    """Say whether the clues, and the mine count if it counts, leave no layout in which a claimed cell is otherwise."""
    if counted is None:
        formula, mine_at_sea, safe_at_sea = clue_formula(clues), None, None
    else:
        formula, mine_at_sea, safe_at_sea = count_formula(
            clues, range(1, counted.frontier + 1), counted.sea, counted.mines, "totalizer"
        )
    otherwise = []
    for claimed, sign, at_sea in ((safe, 1, mine_at_sea), (mined, -1, safe_at_sea)):
        for cell in claimed:
            literal = at_sea if cell is None else sign * cell
            if literal is None:
                return False  # About a cell that was decided before, or that no clue of the step sees.
            otherwise.append(literal)
    return contradictory([*formula.clauses, otherwise])
