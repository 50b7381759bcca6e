"""From a recipe to stored puzzles: sample, screen, certify, store.

Results are taken in order of index and stored as they come, together with the index to go on from, in one
transaction. So the puzzles kept depend on nothing but the recipe, and whatever stops a run, nothing stored is lost
and nothing is found twice.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, Protocol

from minesweeper.db.records import PuzzleRecord, Run, RunKey
from minesweeper.db.sql import PuzzleRow, column_index, puzzle_rows
from minesweeper.generator.certify import Certificate, certify
from minesweeper.generator.filters import NO_FILTER, PuzzleFilter
from minesweeper.generator.screening import FoundPuzzle, screen_range
from minesweeper.player.limits import OutOfTime, time_limit
from minesweeper.player.logic import choose_engine
from minesweeper.player.measure.puzzles import measures
from minesweeper.player.recipe import Recipe
from minesweeper.player.workers import Workers, available_workers, interruptible, map_together

log = logging.getLogger(__name__)

_ENDLESS: Final = 2**62
_GRACE: Final = 0.5
"""Seconds after the limit of a session in which candidates under way are finished: many usual ones, and no huge one."""
_NO_TIME: Final = 1e-9
_STORED_TOGETHER: Final = 8
"""Pieces of work that one transaction stores: a page of the index of ids is then written once for all of them."""
_INDEX: Final = column_index("sample_index")
_FEW: Final = 3
_ALONE: Final = 0.1
"""Seconds in which this process looks for a few puzzles by itself: most are found before others would have begun."""

Method = Literal["rejection", "repair"]
Ending = Literal["done", "candidates", "time", "exhausted", "interrupted"]


@dataclass(frozen=True)
class Task:
    """How puzzles are found: from which candidates, by which engine and method, and whether SAT must prove them.

    `rejection` keeps the candidates that are solvable; `repair` mends the others, and is not uniform. What is not
    `wanted` is passed over; that is part of what a run is, so that a seed still fixes its puzzles.
    """

    recipe: Recipe
    engine: str = "auto"
    certified: bool = True
    method: Method = "rejection"
    wanted: PuzzleFilter = NO_FILTER


@dataclass(frozen=True)
class Limits:
    """When to stop: with so many puzzles or candidates in the whole run, or after so many seconds of this session."""

    count: int
    max_candidates: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Summary:
    """What a session did.

    `run` is the whole run as stored now; `found` and `candidates` are the puzzles it gained and the candidates looked
    at in this session, in `seconds`. `ending` is why it ended: the count was reached, or a limit of candidates or of
    time; or every layout there is has been looked at; or it was interrupted.
    """

    run: Run
    found: int
    candidates: int
    seconds: float
    ending: Ending


class Destination(Protocol):
    """What stores puzzles: `db.store.Store`, or `db.parts.PartsFolder`."""

    def begin_run(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start a run or go on with it."""

    def add_rows(
        self, run_id: int, rows: Sequence[PuzzleRow], *, next_index: int, candidates: int, seconds: float
    ) -> Run:
        """Store puzzles and how far the run is."""


def generate(
    task: Task,
    limits: Limits,
    store: Destination,
    *,
    workers: Workers | None = None,
    arguments: Mapping[str, object] | None = None,
    report: Callable[[Run], None] = lambda _: None,
) -> Summary:
    """Store solvable puzzles until a limit is reached, going on where an earlier run of the same recipe stopped.

    Only puzzles that are new to the database count. `workers` are processes, as many as there are cores unless given,
    or a cluster. `arguments` are stored with the run. `report` is called after everything that is stored. Ctrl-C ends
    the session with all that was found; a second one does not wait for that. Raises `WorkerDied` if a worker is killed
    or the cluster is gone, `ProofFailed` if SAT does not confirm a solution, `DatabaseError` if storing fails,
    `EngineError` for an engine that is not there; what was stored before stays.
    """
    engine = choose_engine(task.engine)
    start = store.begin_run(_run_key(task), arguments or {}, engine)
    session = _Session(task, limits, store, engine, start)
    if start.kept < limits.count:
        with interruptible() as interrupted:
            session.go_on(interrupted, workers or available_workers(), report)
    return session.summary()


class _Session:
    """One go at a run: how far it is, and why it stops."""

    def __init__(self, task: Task, limits: Limits, store: Destination, engine: str, start: Run) -> None:
        self._task, self._limits, self._store, self._engine = task, limits, store, engine
        self._start = self._run = start
        self._began = time.monotonic()
        self._exhausted_at = enough_for_every_puzzle(task.recipe)
        self._stopped: Ending | None = None

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def _complete(self) -> bool:
        return self._run.kept >= self._limits.count

    def go_on(self, interrupted: Callable[[], bool], workers: Workers, report: Callable[[Run], None]) -> None:
        """Look at candidates and store the puzzles among them, until there are enough or it is time to stop."""
        if self._limits.count - self._start.kept <= _FEW and workers != 1:
            until = self._seconds + _ALONE
            self._look(lambda: self._should_stop(interrupted) or self._seconds > until, 1, report)
        if not self._complete and not self._should_stop(interrupted):
            self._look(lambda: self._should_stop(interrupted), workers, report)

    def _look(self, stop: Callable[[], bool], workers: Workers, report: Callable[[Run], None]) -> None:
        first = self._run.next_index
        last = min(self._limits.max_candidates or _ENDLESS, self._exhausted_at)
        find = partial(find_rows, self._task, self._engine, self._start.id)
        groups = map_together(
            partial(_in_time, self._end(workers), find),
            range(first, max(first, last)),
            workers,
            _STORED_TOGETHER,
            stop=stop,
            wanted=lambda: _candidates_wanted(self._run, self._limits.count),
        )
        for group in groups:
            # What comes after a piece that was given up would leave a gap.
            pieces = []
            for candidates, rows in group:
                if rows is None:
                    self._stopped = self._stopped or "time"
                    break
                pieces.append((candidates, rows))
            if pieces:
                self._store_all(pieces)
                report(self._run)
            if self._complete or len(pieces) < len(group):
                groups.close()
                break

    def _end(self, workers: Workers) -> float | None:
        """When the workers give up what they are at. Other machines have other clocks: a cluster is not waited for."""
        if self._limits.seconds is None or not isinstance(workers, int):
            return None
        return self._began + self._limits.seconds + _GRACE

    def _should_stop(self, interrupted: Callable[[], bool]) -> bool:
        """Say whether the session has to end early, and remember the first reason for it."""
        if self._stopped is None:
            if interrupted():
                self._stopped = "interrupted"
            elif self._limits.seconds is not None and self._seconds >= self._limits.seconds:
                self._stopped = "time"
        return self._stopped is not None

    def _store_all(self, pieces: list[tuple[range, list[PuzzleRow]]]) -> None:
        """Store the puzzles found among some candidates, but no more new ones than are wanted.

        Puzzles that the database knew do not count, so as many as are wanted may be too few.
        """
        rows = [row for _, piece in pieces for row in piece]
        while len(rows) >= (wanted := self._limits.count - self._run.kept):
            head, rows = rows[:wanted], rows[wanted:]
            self._store_rows(head, int(head[-1][_INDEX]) + 1)
            if self._complete:
                return
        self._store_rows(rows, pieces[-1][0].stop)

    def _store_rows(self, rows: list[PuzzleRow], next_index: int) -> None:
        """Store puzzles, and that the run has done all candidates before `next_index`."""
        seconds = self._start.seconds + self._seconds
        self._run = self._store.add_rows(
            self._run.id, rows, next_index=next_index, candidates=next_index, seconds=seconds
        )

    def summary(self) -> Summary:
        """Sum the session up."""
        run, start = self._run, self._start
        ending: Ending = "exhausted" if run.next_index >= self._exhausted_at else "candidates"
        if self._complete:
            ending = "done"
        elif self._stopped is not None:
            ending = self._stopped
        return Summary(run, run.kept - start.kept, run.next_index - start.next_index, self._seconds, ending)


def find_rows(task: Task, engine: str, run_id: int, numbers: range) -> list[PuzzleRow]:
    """Find the puzzles that come of candidates, measured and named, as rows of the database."""
    records = (_record(task, engine, kept, certificate) for kept, certificate in find_puzzles(task, numbers))
    return puzzle_rows(records, run_id)


def _in_time(until: float | None, find: Callable[[range], list[PuzzleRow]], numbers: range) -> list[PuzzleRow] | None:
    """Find puzzles; None if that is not done by the time `until` of `time.monotonic`."""
    try:
        with time_limit(None if until is None else max(until - time.monotonic(), _NO_TIME)):
            return find(numbers)
    except OutOfTime:
        log.info("candidates %d to %d: given up, as time is over", numbers.start, numbers.stop - 1)
        return None


def find_puzzles(task: Task, numbers: range) -> Iterator[tuple[FoundPuzzle, Certificate | None]]:
    """Find the puzzles that come of candidates, each with its certificate. Raises `ProofFailed`."""
    if task.method == "rejection":
        find = screen_range
    else:
        from minesweeper.generator.repair import repair_range as find
    found = find(task.recipe, numbers.start, numbers.stop, task.engine)
    count = 0
    for kept in found:
        if task.wanted.accepts(kept.puzzle, kept.screening):
            count += 1
            yield kept, certify(kept) if task.certified else None
    log.info("candidates %d to %d: %d puzzles", numbers.start, numbers.stop - 1, count)


def pilot(recipe: Recipe, engine: str = "auto") -> tuple[int, int]:
    """Look at the first candidates of a recipe; return how many are solvable, and how many these were.

    Up to 100, fewer of large boards, but always the same ones, so that what is decided by it is reproducible.
    """
    candidates = max(5, min(100, 200_000 // (recipe.rows * recipe.cols)))
    return sum(1 for _ in screen_range(recipe, 0, candidates, engine)), candidates


def _candidates_wanted(run: Run, count: int) -> float:
    """Estimate how many more candidates a run needs, from its acceptance so far."""
    return 1.2 * (count - run.kept) * run.candidates / run.kept if run.kept else math.inf


def enough_for_every_puzzle(recipe: Recipe) -> int:
    """The number of samples that leave any puzzle out with a chance of about e**-10; endless for real sizes."""
    log_puzzles = recipe.log_puzzles()
    return math.ceil(math.exp(log_puzzles) * (log_puzzles + 10)) if log_puzzles < 20 else _ENDLESS


def _run_key(task: Task) -> RunKey:
    return RunKey(task.recipe, ", ".join(filter(None, [task.method, task.wanted.name])))


def _record(task: Task, engine: str, kept: FoundPuzzle, certificate: Certificate | None) -> PuzzleRecord:
    return PuzzleRecord(
        puzzle=kept.puzzle,
        rule=task.recipe.rule,
        index=kept.index,
        seed=task.recipe.seed,
        engine=engine,
        method=task.method,
        tally=kept.screening.tally,
        certificate=None if certificate is None else str(certificate),
        clues_at_once=kept.screening.clues_at_once,
        measured=kept.measured or measures(kept.puzzle),
    )
