"""Prove puzzles that others made, and find first clicks for boards that come without one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat
from typing import Final

import numpy as np

from minesweeper.db.formats.format import NO_ENGINE, Found, imported
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator.certify import certify
from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, BoardError, Cell, Puzzle, cells_of
from minesweeper.player.game import StartRule
from minesweeper.player.logic import choose_engine
from minesweeper.player.measure.metrics import Measures, measure_all, measures
from minesweeper.player.recipe import parse_click
from minesweeper.player.steps import Screening, Tally
from minesweeper.player.words import FIND
from minesweeper.player.workers import Workers, map_ranges, parallelism

_AT_A_TIME: Final = 1000
_AT_A_TIME_IN_KERNEL: Final = 100
"""Fewer, as what waits is looked through by Python's collector again and again."""
_WORTH_WORKERS: Final = 200
_CELLS_TRIED: Final = 400_000


Outcome = PuzzleRecord | ValueError


class NotProved(ValueError):
    """A puzzle that logic does not solve, or of which a file claims what is not so."""


class NotSolvable(NotProved):
    """A puzzle that logic does not solve."""


@dataclass(frozen=True)
class Proving:
    """How puzzles are proved.

    `first_click` is for boards that come without one: ``find``, ``center``, ``corner`` or ``ROW,COL``. With
    `certified`, SAT proves every hard step; with `measured`, boards are measured too.
    """

    first_click: str = FIND
    certified: bool = False
    measured: bool = False
    engine: str = "auto"


def prove(found: Found, how: Proving) -> PuzzleRecord:
    """Prove that logic solves a puzzle, or a board from its first click, and return it with its steps.

    Raises `NotProved` if it does not, or if the puzzle's record says otherwise than what is so, `BoardError` for a
    first click that can't be, `ProofFailed` if SAT does not confirm a step.
    """
    record = with_first_click(found, how)
    puzzle = record.puzzle
    screening = screen(puzzle, how.engine, keep_hard_steps=how.certified)
    certified = how.certified and screening.solved
    certificate = str(certify(FoundPuzzle(record.index or 0, puzzle, screening))) if certified else None
    measured = measures(puzzle) if how.measured and screening.solved else None
    return _proved(record, screening, choose_engine(how.engine), certificate, measured)


def _proved(
    record: PuzzleRecord, proof: Screening, engine: str, certificate: str | None, measured: Measures | None
) -> PuzzleRecord:
    """Add a proof to the record of a puzzle; raises `NotProved` if it is none, or if the record says otherwise."""
    puzzle = record.puzzle
    if proof.stuck_at is not None:
        closed = np.count_nonzero(proof.stuck_at & ~puzzle.board.mine_map)
        raise NotSolvable(f"expected a puzzle that logic solves, {closed} safe cells stay closed: {record.id}")
    if not puzzle.satisfies(StartRule.named(record.rule)):
        row, col = puzzle.first_click
        clue = puzzle.board.clues[row, col]
        raise NotProved(f"expected an opening at the first click {row},{col}, found a {clue}: {record.id}")
    if record.tally not in (None, proof.tally):
        raise NotProved(f"expected steps {_steps(proof.tally)}, found {_steps(record.tally)}: {record.id}")
    if record.clues_at_once is not None and proof.clues_at_once not in (None, record.clues_at_once):
        claim = f"{proof.clues_at_once} clues at once, found {record.clues_at_once}"
        raise NotProved(f"expected {claim}: {record.id}")
    engine = engine if record.engine == NO_ENGINE else record.engine
    certificate = record.certificate if certificate is None else certificate
    measured = measured or record.measured
    known = (record.tally, record.clues_at_once, record.engine, record.certificate, record.measured)
    if known == (proof.tally, proof.clues_at_once, engine, certificate, measured):
        return record
    return record.proved(proof.tally, proof.clues_at_once, engine, certificate, measured)


def with_first_click(found: Found, how: Proving) -> PuzzleRecord:
    """Return a puzzle as it is, and for a board the puzzle with its first click."""
    if isinstance(found, PuzzleRecord):
        return found
    if how.first_click == FIND:
        return imported(Puzzle(found, find_first_click(found, how.engine)))
    click = parse_click(how.first_click, found.rows, found.cols)
    if click is None:
        raise BoardError(f"expected the first click as find, center, corner or ROW,COL: {how.first_click!r}")
    return imported(Puzzle(found, click))


def find_first_click(board: Board, engine: str = "auto") -> Cell:
    """Find a first click from which logic solves a board: openings first, the largest of them first, then clues.

    Raises `NotProved` if there is none. On boards of more than a thousand cells only some are tried.
    """
    most = max(20, _CELLS_TRIED // (board.rows * board.cols))
    tried = 0
    for click in islice(_first_clicks(board, most), most):
        tried += 1
        if screen(Puzzle(board, click), engine, keep_hard_steps=False).solved:
            return click
    raise NotSolvable(f"expected a board that logic solves from some first click, it does from none of {tried} tried")


def prove_all(
    found: Iterable[tuple[str, Found]], how: Proving, workers: Workers
) -> Iterator[tuple[str, Found, Outcome]]:
    """Prove many puzzles, each named by its place, and yield each with its proof or what `prove` raised, in order.

    Reads some thousand ahead. Raises `WorkerDied` and `ProofFailed`.
    """
    remaining = iter(found)
    in_kernel = choose_engine(how.engine) == "native" and not how.certified
    with ThreadPoolExecutor(parallelism(workers)) as threads:
        pending: deque[tuple[list[tuple[str, Found]], Future[list[Outcome]]]] = deque()
        while portion := list(islice(remaining, _AT_A_TIME_IN_KERNEL if in_kernel else _AT_A_TIME)):
            puzzles = [puzzle for _, puzzle in portion]
            records = [puzzle for puzzle in puzzles if isinstance(puzzle, PuzzleRecord)]
            work: Future[list[Outcome]]
            if not isinstance(workers, int):
                work = workers.submit(_prove_portion, puzzles, how)
            elif in_kernel and len(records) == len(puzzles):
                # The kernel needs no Python while it works, so threads will do.
                work = threads.submit(_prove_in_kernel, records, how)
            else:
                work = Future()
                work.set_result(_prove_in_processes(puzzles, how, workers))
            pending.append((portion, work))
            if len(pending) > parallelism(workers):
                yield from _with_outcomes(*pending.popleft())
        while pending:
            yield from _with_outcomes(*pending.popleft())


def _with_outcomes(
    portion: list[tuple[str, Found]], work: Future[list[Outcome]]
) -> Iterator[tuple[str, Found, Outcome]]:
    for (place, puzzle), outcome in zip(portion, work.result(), strict=True):
        yield place, puzzle, outcome


def _prove_in_kernel(records: list[PuzzleRecord], how: Proving) -> list[Outcome]:
    puzzles = [record.puzzle for record in records]
    measured: Iterable[Measures | None] = repeat(None)
    if how.measured:
        measured = measure_all(puzzles)
    outcomes: list[Outcome] = []
    for record, solved, found in zip(records, kernel_api.solve_all(puzzles), measured, strict=False):
        try:
            outcomes.append(prove(record, how) if solved is None else _proved(record, solved, "native", None, found))
        except (NotProved, BoardError) as error:
            outcomes.append(error)
    return outcomes


def _prove_portion(puzzles: list[Found], how: Proving) -> list[Outcome]:
    """Prove puzzles in one process, somewhere on a cluster."""
    records = [puzzle for puzzle in puzzles if isinstance(puzzle, PuzzleRecord)]
    if choose_engine(how.engine) == "native" and not how.certified and len(records) == len(puzzles):
        return _prove_in_kernel(records, how)
    return _prove_range(puzzles, how, range(len(puzzles)))


def _prove_in_processes(puzzles: list[Found], how: Proving, workers: int) -> list[Outcome]:
    work = partial(_prove_range, puzzles, how)
    pieces = map_ranges(work, range(len(puzzles)), workers if len(puzzles) >= _WORTH_WORKERS else 1)
    return [outcome for _, proved in pieces for outcome in proved]


def _prove_range(puzzles: list[Found], how: Proving, numbers: range) -> list[Outcome]:
    return [_outcome(partial(prove, puzzles[number], how)) for number in numbers]


def _outcome(proof: Callable[[], PuzzleRecord]) -> Outcome:
    try:
        return proof()
    except (NotProved, BoardError) as error:
        return error


def _first_clicks(board: Board, most: int) -> Iterator[Cell]:
    """Yield a cell of each opening, the largest first, then the cells that show a clue."""
    openings: list[tuple[int, Cell]] = []
    seen = np.zeros(board.mine_map.shape, dtype=np.bool_)
    for row, col in np.argwhere(board.clues == 0).tolist():
        if not seen[row, col] and len(openings) < most:
            opened = board.opening((row, col))
            seen.ravel()[opened] = True
            openings.append((-len(opened), (row, col)))
    yield from (cell for _, cell in sorted(openings))
    yield from cells_of(board.clues > 0)


def _steps(tally: Tally | None) -> str:
    return "unknown" if tally is None else "/".join(map(str, tally))
