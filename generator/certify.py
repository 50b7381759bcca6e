"""Certificates: solution paths whose hard steps SAT has proved.

Steps from one or two clues are plain arithmetic. Every other step is proved by one unsatisfiability call: its clues
contradict "some claimed cell has the other value". The needs of the clues are computed from the board and the cells
undecided at the time, independently of the search that found the path. A certificate has the hash of the path.

Without the kernel there is no path: the proofs are those by which SAT found the hard steps of the screening.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Puzzle
from minesweeper.player.errors import BoardError, NotSolvable, ProofFailed as ProofFailed
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic.cnf import CLAUSE_SOLVER, Clause, contradictory
from minesweeper.player.steps import HardStep, Step, Tally, Tier

log = logging.getLogger(__name__)

_PATH: Final = ", path "
_TEXT: Final = re.compile(
    rf"(?P<solver>\w+, python-sat \w[\w.]*): (?P<proofs>\d+) proofs({_PATH}(?P<path>[0-9a-f]{{16}}))?", re.ASCII
)


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


def read_certificate(text: str) -> Certificate:
    """Return the certificate with this text. Raises `BoardError` for another text."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise BoardError(f"invalid certificate {text!r}; expected SOLVER: NUMBER proofs, path HASH")
    return Certificate(found["solver"], int(found["proofs"]), found["path"])


def certify(found: FoundPuzzle | Puzzle) -> Certificate:
    """Prove the solution of a puzzle.

    Raises `ProofFailed` for the first step that does not follow, and `NotSolvable` if logic does not solve the puzzle.

    >>> proof = ms.certify(next(ms.puzzles("expert", 1, difficulty="fiendish")))
    >>> proof.proofs, proof.path
    (2, '8ea4a3ab3fadc319')
    """
    if isinstance(found, Puzzle):
        found = FoundPuzzle(0, found, screen(found))
    if not found.screening.solved:
        raise NotSolvable(f"logic does not solve puzzle {found.puzzle.id}; expected a solvable puzzle")
    return next(certify_all([found]))


def certify_all(found: Sequence[FoundPuzzle]) -> Iterator[Certificate]:
    """Prove the solutions of screened puzzles, as `certify` does."""
    if not kernel_api.available():
        for one in found:
            proofs = len(one.screening.hard_steps)
            yield Certificate(_solver_name(), proofs, None, one.screening.clues_at_once)
        return
    for one, (solved, path, steps) in zip(found, hard_path_steps(one.puzzle for one in found), strict=True):
        if not solved:
            raise _failed(one, "the solution path ends early")
        board = one.puzzle.board
        for hard_step in steps:
            if not follows(board, hard_step):
                step = hard_step.step
                cells = [divmod(cell, board.cols) for cell in step.safe + step.mines]
                raise _failed(one, f"SAT does not confirm that {cells} follow (tier {step.tier})")
        clues = clues_on_path(one.screening.tally, steps)
        yield Certificate(
            _solver_name(), len(steps), f"{path:016x}", screen(one.puzzle).clues_at_once if clues is None else clues
        )


def hard_path_steps(puzzles: Iterable[Puzzle]) -> Iterator[tuple[bool, int, list[HardStep]]]:
    """Yield whether the path of each puzzle solves it, its hash, and its steps beyond two clues.

    Works without NumPy, which starts slowly.
    """
    for mine_maps, clicks in kernel_api.batches(puzzles):
        *_, unknown = parts = kernel.solution_paths(mine_maps, clicks, True)
        size = mine_maps.nbytes // len(mine_maps)
        before = iter([unknown[start : start + size] for start in range(0, len(unknown), size)])
        for solved, _, name, steps in kernel_api.paths(parts):
            hard = [HardStep(Step(Tier(tier), *cells), next(before), smallest) for tier, smallest, *cells in steps]
            yield solved, name, hard


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
    clauses = proof_clauses(board, hard_step)
    return clauses is not None and contradictory(clauses)


def proof_clauses(board: Board, hard_step: HardStep) -> list[Clause] | None:
    """Return clauses that contradict each other if a hard step follows.

    Returns None if a clue of the step was not open, or a claimed cell was decided or touches no clue.
    """
    step = hard_step.step
    counted = step.tier is Tier.MINE_COUNT
    return kernel.proof_clauses(
        board.rows, board.cols, board.cells, hard_step.undecided, counted, step.safe, step.mines, step.clues
    )
