"""Prove puzzles that others made, and find first clicks for boards that come without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

import numpy as np

from db.formats.format import NO_ENGINE, Found, imported
from db.records import PuzzleRecord
from generator.certify import certify
from generator.sampling import parse_click
from generator.screening import Kept, Tally, screen
from player.board import Board, BoardError, Cell, Puzzle
from player.game import Game
from player.logic import choose_engine
from player.metrics import Metrics, metrics
from player.workers import map_ranges

FIND: Final = "find"
_AT_A_TIME: Final = 4000
_WORTH_WORKERS: Final = 200
_CELLS_TRIED: Final = 400_000


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


@dataclass(frozen=True)
class Proof:
    """What a proof adds to a puzzle: its first click, its steps, the engine that found them, and what was asked for."""

    first_click: Cell
    steps: Tally
    engine: str
    certificate: str | None
    measured: Metrics | None


def prove(found: Found, how: Proving) -> PuzzleRecord:
    """Prove that logic solves a puzzle, or a board from its first click, and return it with its steps.

    Raises `NotProved` if it does not, or if the puzzle's record says otherwise than what is so, `BoardError` for a
    first click that can't be, `ProofFailed` if SAT does not confirm a step.
    """
    return _proved(found, _proof(found, how))


def _proof(found: Found, how: Proving) -> Proof:
    record = with_first_click(found, how)
    puzzle = record.puzzle
    row, col = puzzle.first_click
    if record.rule == "opening" and puzzle.board.mine_map[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2].any():
        clue = puzzle.board.clues[row, col]
        raise NotProved(f"expected an opening at the first click {row},{col}, found a {clue}: {record.id}")
    screening = screen(puzzle, how.engine, keep_hard_steps=how.certified)
    if screening.stuck_at is not None:
        cells = int(np.count_nonzero(screening.stuck_at))
        raise NotSolvable(f"expected a puzzle that logic solves, {cells} cells stay undecided: {record.id}")
    if record.steps not in (None, screening.tally):
        raise NotProved(f"expected steps {_steps(screening.tally)}, found {_steps(record.steps)}: {record.id}")
    certificate = str(certify(Kept(record.index or 0, puzzle, screening))) if how.certified else None
    measured = metrics(puzzle.board) if how.measured else None
    return Proof(puzzle.first_click, screening.tally, choose_engine(how.engine), certificate, measured)


def _proved(found: Found, proof: Proof) -> PuzzleRecord:
    """Add a proof to the record of a puzzle, or make one of a board."""
    record = found if isinstance(found, PuzzleRecord) else imported(Puzzle(found, proof.first_click))
    certificate = record.certificate if proof.certificate is None else proof.certificate
    engine = proof.engine if record.engine == NO_ENGINE else record.engine
    measured = proof.measured or record.measured
    return replace(record, steps=proof.steps, certificate=certificate, engine=engine, refuted=False, measured=measured)


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
    found: Iterable[tuple[str, Found]], how: Proving, workers: int
) -> Iterator[tuple[str, Found, PuzzleRecord | ValueError]]:
    """Prove many puzzles, each named by its place, and yield each with its proof or what `prove` raised, in order.

    Reads some thousand at a time. Raises `WorkerDied` and `ProofFailed`.
    """
    remaining = iter(found)
    while portion := list(islice(remaining, _AT_A_TIME)):
        puzzles = [puzzle for _, puzzle in portion]
        work = partial(_prove_range, puzzles, how)
        outcomes: list[Proof | ValueError] = []
        for _, proved in map_ranges(work, range(len(puzzles)), workers if len(puzzles) >= _WORTH_WORKERS else 1):
            outcomes += proved
        for (place, puzzle), outcome in zip(portion, outcomes, strict=True):
            yield place, puzzle, outcome if isinstance(outcome, ValueError) else _proved(puzzle, outcome)


def _prove_range(puzzles: list[Found], how: Proving, numbers: range) -> list[Proof | ValueError]:
    # Only what is new goes back to the process that asked.
    return [_outcome(puzzles[number], how) for number in numbers]


def _outcome(found: Found, how: Proving) -> Proof | ValueError:
    try:
        return _proof(found, how)
    except (NotProved, BoardError) as error:
        return error


def _first_clicks(board: Board, most: int) -> Iterator[Cell]:
    """Yield a cell of each opening, the largest first, then the cells that show a clue."""
    openings: list[tuple[int, Cell]] = []
    seen = np.zeros(board.mine_map.shape, dtype=np.bool_)
    for row, col in np.argwhere(board.clues == 0).tolist():
        if not seen[row, col] and len(openings) < most:
            opened = Game(board).open((row, col))
            seen[tuple(np.array(opened).T)] = True
            openings.append((-len(opened), (row, col)))
    yield from (cell for _, cell in sorted(openings))
    yield from ((row, col) for row, col in np.argwhere(board.clues > 0).tolist())


def _steps(steps: tuple[int, int, int, int] | None) -> str:
    return "unknown" if steps is None else "/".join(map(str, steps))
