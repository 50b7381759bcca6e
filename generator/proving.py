"""Proofs of imported puzzles, and first clicks for boards that have none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice, repeat
from typing import Any, Final, TypeVar

from minesweeper.db.columns import MEASURES, STEPS, first_is_zero, measures_of
from minesweeper.db.formats.format import NO_ENGINE, Portion, Readable, imported_record
from minesweeper.db.records import SOLVABLE, PuzzleRecord
from minesweeper.db.tables import SoundRows, Table, with_ratings
from minesweeper.generator.certify import Certificate, certify_all, read_certificate
from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import BoardError, NotSolvable, TooWide
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import StartRule, parse_click
from minesweeper.player.core.steps import Screening, Tally
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import choose_engine
from minesweeper.player.logic.effort import path_effort
from minesweeper.player.logic.metrics import Measures, PuzzleIds, ids_of_many, measure_all
from minesweeper.player.logic.path import solution_path
from minesweeper.player.parallel.workers import Workers, map_ranges, parallelism

_PORTION: Final = 1000
_PORTION_CELLS: Final = 2**24
_PORTION_IN_KERNEL: Final = 100
"""Small, because Python's garbage collector scans waiting puzzles repeatedly."""
_WORTH_WORKERS: Final = 200
_CELLS_TRIED: Final = 400_000

_T = TypeVar("_T")

ProofOutcome = PuzzleRecord | ValueError


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
    how: Proving,
    record: PuzzleRecord,
    proof: Screening,
    ids: PuzzleIds,
    certificate: Certificate | None,
    measured: Measures | None,
) -> PuzzleRecord:
    """Return a record with the solution added.

    Raises `NotSolvable` without one, and `BoardError` if it contradicts the record.
    """
    puzzle = record.puzzle
    if proof.stuck_at is not None:
        closed = np.count_nonzero(proof.stuck_at & ~puzzle.board.mine_map)
        raise NotSolvable(f"logic does not solve puzzle {record.id}: {closed} safe cells stay closed")
    if record.canonical_id not in (None, true := ids.canonical_id):
        raise BoardError(f"puzzle {record.id} claims the canonical id {record.canonical_id}; expected {true}")
    claimed = None if record.certificate is None else read_certificate(record.certificate)
    if claimed and certificate and claimed.proofs != certificate.proofs and claimed.path == certificate.path:
        raise BoardError(f"puzzle {record.id} claims {claimed.proofs} proofs; expected {certificate.proofs}")
    if how.paths:
        _check_path(record, None if claimed is None else claimed.path)
    if not StartRule.named(record.start).holds(puzzle):
        row, col = puzzle.first_click
        clue = puzzle.board.clues[row, col]
        raise BoardError(f"the first click {row},{col} of puzzle {record.id} is not an opening but a {clue}")
    if record.tally not in (None, proof.tally):
        raise BoardError(f"puzzle {record.id} claims steps {_steps(record.tally)}; expected {_steps(proof.tally)}")
    if record.clues_at_once is not None and proof.clues_at_once not in (None, record.clues_at_once):
        at_once = f"{record.clues_at_once} clues at once; expected {proof.clues_at_once}"
        raise BoardError(f"puzzle {record.id} claims {at_once}")
    engine = choose_engine(how.engine) if record.engine == NO_ENGINE else record.engine
    certified = record.certificate if certificate is None else str(certificate)
    return record.proved(proof.tally, proof.clues_at_once, engine, certified, measured or record.measured)


def _check_path(record: PuzzleRecord, claimed: str | None) -> None:
    """Raise `BoardError` if a record has another solution path, or claims the hash or measures of another one."""
    found = solution_path(record.puzzle)
    if claimed not in (None, found.hash):
        raise BoardError(f"puzzle {record.id} claims the solution path {claimed}; expected {found.hash}")
    if record.path is not None and record.path != found.steps_to_bytes():
        raise BoardError(f"the path stored with puzzle {record.id} is wrong; expected the path {found.hash}")
    if record.effort is not None and record.effort != (effort := path_effort(found)):
        raise BoardError(f"puzzle {record.id} claims a path of {record.effort}; expected {effort}")


def with_first_click(found: Readable, how: Proving) -> PuzzleRecord:
    """Return the record of a puzzle unchanged; make one for a board, with its first click."""
    if isinstance(found, PuzzleRecord):
        return found
    if how.first_click == "find":
        return imported_record(Puzzle(found, find_first_click(found, how.engine)))
    click = parse_click(how.first_click, found.grid)
    if click is None:
        raise BoardError(
            f"the first click {how.first_click!r} is not one cell; expected find, center, corner or ROW,COL"
        )
    return imported_record(Puzzle(found, click))


def unsolved_record(found: Readable, *, refuted: bool) -> PuzzleRecord | None:
    """Return the record, with measures, of a puzzle that logic does not solve, or without `refuted` of an unproved one.

    A board gets a first click on its largest opening, which `find_first_click` tries first. None for one of mines only.
    """
    if isinstance(found, Board):
        click = next(_first_clicks(found, found.rows * found.cols), None)
        if click is None:
            return None
        found = imported_record(Puzzle(found, click))
    return found.without_proof(refuted=refuted).with_measures()


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
    raise NotSolvable(
        f"logic does not solve the board from any of {tried} first clicks; "
        "name one with --first-click, or keep it with packs import --unsolvable"
    )


def prove_all(
    found: Iterable[tuple[str, Readable | Portion[Any]]], how: Proving, workers: Workers
) -> Iterator[tuple[str, Any, ProofOutcome | Table]]:
    """Prove that logic solves many puzzles, and boards from their first clicks; each is named by its place.

    Yields each, in order, with its record and solution, or an error: `NotSolvable` if logic does not solve it, and
    `BoardError` for a wrong record or an impossible first click. Reads some thousand puzzles ahead. Raises
    `WorkerDied`, and `ProofFailed` if SAT does not confirm a step.

    Of a portion, yields the table of all puzzles with their solutions, or each puzzle if one fails. Portions need the
    kernel, and workers of this machine; they are not certified.
    """
    in_kernel = choose_engine(how.engine) == "native" and not how.certified and not how.paths
    pending: deque[tuple[list[tuple[str, Any]], Future[Any]]] = deque()
    portions = _portions(found, _PORTION_IN_KERNEL if in_kernel else _PORTION)
    with ThreadPoolExecutor(parallelism(workers)) as threads:
        while (portion := next(portions, [])) or pending:
            if portion:
                puzzles = [puzzle for _, puzzle in portion]
                prove, every = partial(_prove, how, puzzles), range(len(puzzles))
                work: Future[Any]
                if isinstance(puzzles[0], Portion):
                    work = threads.submit(_prove_rows, puzzles[0].rows, how)
                elif not isinstance(workers, int):
                    work = workers.submit(prove, every)
                elif in_kernel and all(isinstance(puzzle, PuzzleRecord) for puzzle in puzzles):
                    # The kernel releases the GIL, so threads are enough.
                    work = threads.submit(prove, every)
                else:
                    pieces = map_ranges(prove, every, workers if len(puzzles) >= _WORTH_WORKERS else 1)
                    work = Future()
                    work.set_result([outcome for _, proved in pieces for outcome in proved])
                pending.append((portion, work))
            if not portion or len(pending) > parallelism(workers):
                portion, work = pending.popleft()
                outcomes = work.result()
                if outcomes is None:
                    ((file, rows),) = portion
                    portion = [(f"{file}: {place}", record) for place, record in rows.records()]
                    outcomes = _prove(how, [record for _, record in portion], range(len(portion)))
                for (place, puzzle), outcome in zip(portion, outcomes, strict=True):
                    yield place, puzzle, outcome


def _portions(found: Iterable[tuple[str, Readable | Portion[Any]]], most: int) -> Iterator[list[tuple[str, Any]]]:
    """Yield each portion of a file alone, and other puzzles together."""
    for tabular, alike in groupby(found, lambda one: isinstance(one[1], Portion)):
        if tabular:
            yield from ([one] for one in alike)
        else:
            yield from iter(partial(_portion, alike, most), [])


def _portion(remaining: Iterator[tuple[str, Any]], most: int) -> list[tuple[str, Any]]:
    """Return the next puzzles, fewer than `most` if they are large."""
    portion, cells = [], 0
    for place, found in islice(remaining, most):
        portion.append((place, found))
        cells += len((found if isinstance(found, Board) else found.puzzle.board).cells)
        if cells > _PORTION_CELLS:
            break
    return portion


def _prove(how: Proving, found: Sequence[Readable], numbers: range) -> list[ProofOutcome]:
    """Return a record with its solution, or an error, for each of some puzzles, which share a few kernel calls."""
    claims = [_attempt(with_first_click, found[number], how) for number in numbers]
    puzzles = [claim.puzzle for claim in claims if isinstance(claim, PuzzleRecord)]
    native = choose_engine(how.engine) == "native"
    screened: Iterator[Screening | None] = kernel_api.solve_all(puzzles) if native else repeat(None)
    # `screen` raises for a puzzle that is too wide.
    proofs = [
        (one if (one := next(screened)) else _attempt(screen, claim.puzzle, how.engine))
        if isinstance(claim, PuzzleRecord)
        else claim
        for claim in claims
    ]
    proved = [
        (claim, proof)
        for claim, proof in zip(claims, proofs, strict=True)
        if isinstance(claim, PuzzleRecord) and isinstance(proof, Screening)
    ]
    solved = [FoundPuzzle(record.sample_index or 0, record.puzzle, proof) for record, proof in proved if proof.solved]
    certificates: Iterator[Certificate | None] = certify_all(solved) if how.certified else repeat(None)
    measured = measure_all([one.puzzle for one in solved]) if how.measured else repeat(None)
    extras = zip(certificates, measured, strict=False)
    names = ids_of_many([record.puzzle for record, _ in proved])
    records = (
        _attempt(_with_proof, how, record, proof, ids, *(next(extras) if proof.solved else (None, None)))
        for (record, proof), ids in zip(proved, names, strict=True)
    )
    return [next(records) if isinstance(proof, Screening) else proof for proof in proofs]


def _prove_rows(rows: SoundRows, how: Proving) -> list[Table] | None:
    """Return a table with solutions and measures, or None if a puzzle has none or contradicts it."""
    table = rows.table
    solutions, measured = rows.puzzles.solve(), rows.puzzles.measure()
    if any(solution.verdict != kernel.Verdict.SOLVED for solution in solutions):
        return None
    tallies = zip(*(solution.tally for solution in solutions), strict=True)
    proof: dict[str, list[Any]] = dict(zip(STEPS, map(list, tallies), strict=True))
    claimed = table["verdict"][0] == SOLVABLE
    if claimed and any(proof[name] != table[name] for name in STEPS):
        return None
    proof["clues_at_once"] = clues = [solution.clues_at_once for solution in solutions]
    if any(claim not in (None, true) for claim, true in zip(table["clues_at_once"], clues, strict=True)):
        return None
    starts = zip(table["start"], measured, table["first_row"], table["first_col"], strict=True)
    for start, one, row, col in starts:
        if start == StartRule.OPENING and not first_is_zero(one.first_opening, rows.grid, (row, col)):
            return None
    if any(isinstance(_attempt(read_certificate, text), ValueError) for text in filter(None, table["certificate"])):
        return None
    engine = choose_engine(how.engine)
    proof["engine"] = [engine if one == NO_ENGINE else one for one in table["engine"]]
    proof |= zip(MEASURES, map(list, zip(*map(measures_of, measured), strict=True)), strict=True)
    if claimed and clues == table["clues_at_once"]:
        return [{**table, **proof}]
    return [with_ratings({**table, **proof, "verdict": [SOLVABLE] * len(clues)})]


def _attempt(call: Callable[..., _T], *arguments: Any) -> _T | ValueError:
    """Call a function, and return the error of a puzzle that cannot be proved."""
    try:
        return call(*arguments)
    except (NotSolvable, BoardError, TooWide) as error:
        return error


def _first_clicks(board: Board, most: int) -> Iterator[Cell]:
    """Yield one cell of each opening, the largest opening first, then the cells that show a clue."""
    openings: list[tuple[int, Cell]] = []
    zeros = (board.safe_map & (board.clues == 0)).ravel()
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
