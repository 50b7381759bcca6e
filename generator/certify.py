"""Certificates: solution paths whose hard steps SAT has proved.

Steps from one or two clues are plain arithmetic. Every other step is proved by one unsatisfiability call: its clues
contradict "some claimed cell has the other value". The needs of the clues are computed from the board and the cells
undecided at the time, independently of the search that found the path. A certificate has the hash of the path.

Without the kernel there is no path: the proofs are those by which SAT found the hard steps of the screening.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import BoardError, NotSolvable, ProofFailed as ProofFailed, check_kind
from minesweeper.player.logic.clauses import CLAUSE_SOLVER, contradictory

log = logging.getLogger(__name__)

_PATH: Final = ", path "
_TEXT: Final = re.compile(
    rf"(?P<solver>\w+, python-sat \w[\w.]*): (?P<proofs>\d+) proofs({_PATH}(?P<path>[0-9a-f]{{16}}))?", re.ASCII
)


class Certificate(NamedTuple):
    """The proof of a puzzle.

    `solver` is the name and version of the SAT solver, and `proofs` the number of steps that it proved. `path` is the
    hash of the solution path, see `player.logic.path.SolutionPath`; None without a path. `clues_at_once` is the number
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
    check_kind(found, (Puzzle, FoundPuzzle), "a Puzzle")
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
            yield Certificate(solver_name(), proofs, None, one.screening.clues_at_once)
        return
    remaining = iter(found)
    for grid, puzzles in kernel_api.batches(one.puzzle for one in found):
        alike = [next(remaining) for _ in puzzles]
        easy_clues = [one.screening.tally.easy_clues for one in alike]
        for one, made in zip(alike, kernel_api.native_puzzles(grid, puzzles).certify(easy_clues), strict=True):
            if not all(map(contradictory, made.proofs)):
                raise proof_failed(one.puzzle.id, one.index)
            yield Certificate(solver_name(), len(made.proofs), made.path, made.clues_at_once)


def proof_failed(name: str, index: int) -> ProofFailed:
    """Return the error for a puzzle, by its id, with a step that SAT does not confirm."""
    log.info("proof failed: puzzle %s, candidate %d", name, index)
    return ProofFailed(
        f"SAT does not confirm the solution path of puzzle {name}, candidate {index}, which is not stored; this is a "
        "defect of the engine, please report it"
    )


@cache
def solver_name() -> str:
    """Return the name and version of the SAT solver in certificates."""
    from pysat import __version__

    return f"{CLAUSE_SOLVER}, python-sat {__version__}"
