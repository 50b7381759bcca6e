"""Proofs of imported puzzles, and first clicks for boards that have none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat
from typing import Final, TypeGuard

import numpy as np

from minesweeper.db.formats.format import NO_ENGINE, Found, imported_record
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator.certify import Certificate, certify_all, path_in
from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Cell, Puzzle
from minesweeper.player.errors import BoardError, NotSolvable, TooWide
from minesweeper.player.logic import choose_engine
from minesweeper.player.measure.effort import path_effort
from minesweeper.player.measure.metrics import Measures, measure_all
from minesweeper.player.recipe import StartRule, parse_click
from minesweeper.player.steps import Screening, Tally
from minesweeper.player.why.path import solution_path
from minesweeper.player.workers import Workers, map_ranges, parallelism

_PORTION: Final = 1000
_PORTION_CELLS: Final = 2**24
_PORTION_IN_KERNEL: Final = 100
"""Small, because Python's garbage collector scans waiting puzzles repeatedly."""
_WORTH_WORKERS: Final = 200
_CELLS_TRIED: Final = 400_000


Outcome = PuzzleRecord | ValueError


@dataclass(frozen=True)
class Proving:
    """Options for proving puzzles.

    `first_click` is used for boards without one: ``find``, ``center``, ``corner`` or ``ROW,COL``. With `certified`, SAT
    proves every hard step; with `paths`, solution paths are compared with the stored paths, hashes and measures; with
    `measured`, the boards are measured too.
    """

    first_click: str = "find"
    certified: bool = False
    paths: bool = False
    measured: bool = False
    engine: str = "auto"


def _with_proof(
    how: Proving, record: PuzzleRecord, proof: Screening, certificate: Certificate | None, measured: Measures | None
) -> PuzzleRecord:
    """Return a record with the solution added.

    Raises `NotSolvable` without one, and `BoardError` if it contradicts the record.
    """
    puzzle = record.puzzle
    if proof.stuck_at is not None:
        closed = np.count_nonzero(proof.stuck_at & ~puzzle.board.mine_map)
        raise NotSolvable(f"logic does not solve puzzle {record.id}: {closed} safe cells stay closed")
    if how.paths:
        _check_path(record)
    if not StartRule.named(record.rule).holds(puzzle):
        row, col = puzzle.first_click
        clue = puzzle.board.clues[row, col]
        raise BoardError(f"the first click {row},{col} of puzzle {record.id} is not an opening but a {clue}")
    if record.tally not in (None, proof.tally):
        raise BoardError(f"puzzle {record.id} claims steps {_steps(record.tally)}; expected {_steps(proof.tally)}")
    if record.clues_at_once is not None and proof.clues_at_once not in (None, record.clues_at_once):
        claimed, found = record.clues_at_once, proof.clues_at_once
        raise BoardError(f"puzzle {record.id} claims {claimed} clues at once; expected {found}")
    engine = choose_engine(how.engine) if record.engine == NO_ENGINE else record.engine
    certified = record.certificate if certificate is None else str(certificate)
    return record.proved(proof.tally, proof.clues_at_once, engine, certified, measured or record.measured)


def _check_path(record: PuzzleRecord) -> None:
    """Raise `BoardError` if a record has another solution path, or the hash or measures of another one."""
    claimed, found = path_in(record.certificate), solution_path(record.puzzle)
    if claimed not in (None, found.hash):
        raise BoardError(f"puzzle {record.id} claims the solution path {claimed}; expected {found.hash}")
    if record.path is not None and record.path != found.steps_to_bytes():
        raise BoardError(f"the path stored with puzzle {record.id} is wrong; expected the path {found.hash}")
    if record.effort is not None and record.effort != (effort := path_effort(found)):
        raise BoardError(f"puzzle {record.id} claims a path of {record.effort}; expected {effort}")


def with_first_click(found: Found, how: Proving) -> PuzzleRecord:
    """Return the record of a puzzle unchanged; make one for a board, with its first click."""
    if isinstance(found, PuzzleRecord):
        return found
    if how.first_click == "find":
        return imported_record(Puzzle(found, find_first_click(found, how.engine)))
    click = parse_click(how.first_click, found.rows, found.cols)
    if click is None:
        raise BoardError(
            f"the first click {how.first_click!r} is not one cell; expected find, center, corner or ROW,COL"
        )
    return imported_record(Puzzle(found, click))


def find_first_click(board: Board, engine: str = "auto") -> Cell:
    """Find a first click from which logic solves a board. Openings are tried first, largest first, then clues.

    Raises `NotSolvable` if no click works. On boards of more than a thousand cells only some clicks are tried.
    """
    most = max(20, _CELLS_TRIED // (board.rows * board.cols))
    tried = 0
    for click in islice(_first_clicks(board, most), most):
        tried += 1
        if screen(Puzzle(board, click), engine).solved:
            return click
    raise NotSolvable(f"logic does not solve the board from any of {tried} first clicks; name one with --first-click")


def prove_all(
    found: Iterable[tuple[str, Found]], how: Proving, workers: Workers
) -> Iterator[tuple[str, Found, Outcome]]:
    """Prove that logic solves many puzzles, and boards from their first clicks; each is named by its place.

    Yields each, in order, with its record and solution, or an error: `NotSolvable` if logic does not solve it, and
    `BoardError` for a wrong record or an impossible first click. Reads some thousand puzzles ahead. Raises
    `WorkerDied`, and `ProofFailed` if SAT does not confirm a step.
    """
    remaining = iter(found)
    in_kernel = choose_engine(how.engine) == "native" and not how.certified and not how.paths
    with ThreadPoolExecutor(parallelism(workers)) as threads:
        pending: deque[tuple[list[tuple[str, Found]], Future[list[Outcome]]]] = deque()
        while portion := _portion(remaining, _PORTION_IN_KERNEL if in_kernel else _PORTION):
            puzzles = [puzzle for _, puzzle in portion]
            work: Future[list[Outcome]]
            if not isinstance(workers, int):
                work = workers.submit(_prove_portion, how, puzzles)
            elif in_kernel and _are_records(puzzles):
                # The kernel releases the GIL, so threads are enough.
                work = threads.submit(_prove_portion, how, puzzles)
            else:
                prove_range = partial(_prove_range, how, puzzles)
                pieces = map_ranges(prove_range, range(len(puzzles)), workers if len(puzzles) >= _WORTH_WORKERS else 1)
                work = Future()
                work.set_result([outcome for _, proved in pieces for outcome in proved])
            pending.append((portion, work))
            if len(pending) > parallelism(workers):
                yield from _with_outcomes(*pending.popleft())
        while pending:
            yield from _with_outcomes(*pending.popleft())


def _portion(remaining: Iterator[tuple[str, Found]], most: int) -> list[tuple[str, Found]]:
    """Return the next puzzles, fewer than `most` if they are large."""
    portion, cells = [], 0
    for place, found in islice(remaining, most):
        portion.append((place, found))
        cells += len((found if isinstance(found, Board) else found.puzzle.board).cells)
        if cells > _PORTION_CELLS:
            break
    return portion


def _with_outcomes(
    portion: list[tuple[str, Found]], work: Future[list[Outcome]]
) -> Iterator[tuple[str, Found, Outcome]]:
    for (place, puzzle), outcome in zip(portion, work.result(), strict=True):
        yield place, puzzle, outcome


def _are_records(puzzles: Sequence[Found]) -> TypeGuard[Sequence[PuzzleRecord]]:
    return all(isinstance(puzzle, PuzzleRecord) for puzzle in puzzles)


def _prove_range(how: Proving, puzzles: list[Found], numbers: range) -> list[Outcome]:
    return _prove_portion(how, puzzles[numbers.start : numbers.stop])


def _prove_portion(how: Proving, found: Sequence[Found]) -> list[Outcome]:
    """Prove some puzzles, in a few calls of the kernel if it can do all of it."""
    if choose_engine(how.engine) == "native" and _are_records(found):
        return _outcomes(how, found, kernel_api.solve_all([record.puzzle for record in found]))
    outcomes: list[Outcome] = []
    for one in found:
        try:
            record = with_first_click(one, how)
            outcomes += _outcomes(how, [record], [screen(record.puzzle, how.engine)])
        except (NotSolvable, BoardError, TooWide) as error:
            outcomes.append(error)
    return outcomes


def _outcomes(how: Proving, records: Sequence[PuzzleRecord], found: Iterable[Screening | None]) -> list[Outcome]:
    """Return records with the solutions found, as far as these are what the records claim."""
    proofs = list(zip(records, found, strict=True))
    solved = [FoundPuzzle(one.index or 0, one.puzzle, proof) for one, proof in proofs if proof and proof.solved]
    certificates: Iterator[Certificate | None] = certify_all(solved) if how.certified else repeat(None)
    measured = measure_all([one.puzzle for one in solved]) if how.measured else repeat(None)
    outcomes: list[Outcome] = []
    for record, proof in proofs:
        try:
            # `screen` raises for a puzzle that is too wide.
            proof = proof or screen(record.puzzle, how.engine)
            extras = (next(certificates), next(measured)) if proof.solved else (None, None)
            outcomes.append(_with_proof(how, record, proof, *extras))
        except (NotSolvable, BoardError, TooWide) as error:
            outcomes.append(error)
    return outcomes


def _first_clicks(board: Board, most: int) -> Iterator[Cell]:
    """Yield one cell of each opening, the largest opening first, then the cells that show a clue."""
    openings: list[tuple[int, Cell]] = []
    zeros = (board.clues == 0).ravel()
    start = 0
    while len(openings) < most and zeros[start:].any():
        start += int(zeros[start:].argmax())
        cell = divmod(start, board.cols)
        opened = board.opening(cell)
        zeros[opened] = False
        openings.append((-len(opened), cell))
    yield from (cell for _, cell in sorted(openings))
    yield from (divmod(int(number), board.cols) for number in np.flatnonzero(board.clues > 0))


def _steps(tally: Tally | None) -> str:
    return "unknown" if tally is None else "/".join(map(str, tally))
