"""Certificates: solution paths whose hard steps SAT has proved.

Steps from one or two clues are plain arithmetic. Every other step is proved by one unsatisfiability call: its clues
contradict "some claimed cell has the other value". The needs of the clues are computed from the board and the cells
undecided at the time, independently of the kernel, which found the path. A certificate has the hash of the path.

Without the kernel, and for a component too wide for it, there is no path: SAT proves the hard steps of the screening.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, count
from typing import Final

from minesweeper.generator.screening import FoundPuzzle, screen, screen_by_rounds
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, numbered_neighbours
from minesweeper.player.errors import ProofFailed
from minesweeper.player.logic.clues import Clue
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, Clause, clue_formula, contradictory, count_formula
from minesweeper.player.steps import HardStep, Tally, Tier

log = logging.getLogger(__name__)

_PATH: Final = ", path "


@dataclass(frozen=True)
class Certificate:
    """The proof of a puzzle.

    `solver` is the name and version of the SAT solver, and `proofs` the number of steps that it proved. `path` is the
    hash of the solution path, see `player.why.path.SolutionPath`; None without a path. `clues_at_once` is the number
    that `Screening` describes.
    """

    solver: str
    proofs: int
    path: str | None = None
    clues_at_once: int | None = None

    def __str__(self) -> str:
        return f"{self.solver}: {self.proofs} proofs" + ("" if self.path is None else f"{_PATH}{self.path}")


def path_in(certificate: str | None) -> str | None:
    """Return the hash of the path in the text of a certificate, or None without one."""
    return (certificate or "").partition(_PATH)[2] or None


def certify(found: FoundPuzzle) -> Certificate:
    """Prove the solution of a screened puzzle. Raises `ProofFailed` for the first step that does not follow."""
    return next(certify_all([found]))


def certify_all(found: Sequence[FoundPuzzle]) -> Iterator[Certificate]:
    """Prove the solutions of screened puzzles, as `certify` does."""
    if not found or not kernel_api.available():
        yield from (_prove(one, one.screening.hard_steps, one.screening.clues_at_once) for one in found)
        return
    paths = kernel_api.hard_path_steps(one.puzzle for one in found)
    for one, (end, steps) in zip(found, paths, strict=True):
        if end.too_wide:
            yield _prove(one, screen_by_rounds(one.puzzle).hard_steps, screen(one.puzzle).clues_at_once)
            continue
        if not end.solved:
            raise _failed(one, "the solution path ends early")
        clues = clues_on_path(one.screening.tally, steps)
        yield _prove(one, steps, screen(one.puzzle).clues_at_once if clues is None else clues, f"{end.hash:016x}")


def _prove(
    found: FoundPuzzle, hard_steps: Iterable[HardStep], clues: int | None, path: str | None = None
) -> Certificate:
    proofs = 0
    for hard_step in hard_steps:
        step = hard_step.step
        if not follows(found.puzzle.board, hard_step):
            cells = [divmod(cell, found.puzzle.board.cols) for cell in step.safe + step.mines]
            raise _failed(found, f"SAT does not confirm that {cells} follow (tier {step.tier})")
        proofs += 1
    return Certificate(_solver_name(), proofs, path, clues)


def clues_on_path(tally: Tally, hard_steps: Iterable[HardStep]) -> int | None:
    """Return the number of clues that a puzzle requires at once if the hard steps of its path show it, else None.

    The steps of a path use the fewest clues, so the largest number of clues of a step is the number. After a step with
    the mine count this holds only if the later steps need no more clues and no mine count: the path takes some of the
    cells that the count decides, and `player.measure.effort` takes all of them.
    """
    most, counted = tally.easy_clues, False
    for step in hard_steps:
        clues = len(step.step.clues)
        if not step.smallest or (counted and (clues > most or step.step.tier is Tier.MINE_COUNT)):
            return None
        most = max(most, clues)
        counted = counted or step.step.tier is Tier.MINE_COUNT
    return most


def _failed(found: FoundPuzzle, why: str) -> ProofFailed:
    log.info("proof failed: puzzle %s, candidate %d", found.puzzle.id, found.index)
    return ProofFailed(
        f"{why} in puzzle {found.puzzle.id}, candidate {found.index}, which is not stored; this is a defect of the "
        "engine, please report it"
    )


@cache
def _solver_name() -> str:
    from pysat import __version__

    return f"{CLAUSE_SOLVER}, python-sat {__version__}"


def follows(board: Board, hard_step: HardStep) -> bool:
    """Return whether the clues of a step force every cell that it claims; all clues at tier 4 if it names none."""
    clauses = kernel_api.proof_clauses(board, hard_step) if kernel_api.available() else clauses_of(board, hard_step)
    return clauses is not None and contradictory(clauses)


def clauses_of(board: Board, hard_step: HardStep) -> list[Clause] | None:
    """Return the same clauses as `kernel_api.proof_clauses`, without the kernel."""
    step, undecided = hard_step.step, hard_step.undecided
    near = numbered_neighbours(board.rows, board.cols)
    if step.tier is Tier.MINE_COUNT and not step.clues:
        touching = set[int]().union(*compress(near, undecided))
        clue_cells = sorted(clue for clue in touching if not undecided[clue] and not board.cells[clue])
    else:
        clue_cells = list(step.clues)
    variable: defaultdict[int, int] = defaultdict(count(1).__next__)
    clues: list[Clue] = []
    for clue in clue_cells:
        if undecided[clue] or board.cells[clue]:
            return None
        around = [cell for cell in near[clue] if undecided[cell]]
        clues.append((tuple(variable[cell] for cell in around), sum(board.cells[cell] for cell in around)))
    if step.tier is Tier.MINE_COUNT:
        frontier, unconstrained = range(1, len(variable) + 1), undecided.count(1) - len(variable)
        mines = sum(compress(board.cells, undecided))
        formula, other_mine, other_safe = count_formula(clues, frontier, unconstrained, mines, "totalizer")
    else:
        formula, other_mine, other_safe = clue_formula(clues), None, None
    negation: set[int] = set()
    for claimed, sign, other in ((step.safe, 1, other_mine), (step.mines, -1, other_safe)):
        for cell in claimed:
            literal = sign * variable[cell] if cell in variable else other
            if literal is None or not undecided[cell]:
                return None
            negation.add(literal)
    return [*formula.clauses, sorted(negation)]
