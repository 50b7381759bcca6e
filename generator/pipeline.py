"""The run of a search: puzzles stored in the order of their index, until a limit is reached.

One transaction stores puzzles together with the index to resume from. So the puzzles depend only on the recipe, method
and filter, and a run that stops for any reason loses no stored puzzle and repeats none.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from minesweeper.db.columns import Columns
from minesweeper.db.records import Run, RunKey
from minesweeper.generator.search import (
    ENDLESS,
    Found,
    Task,
    Trial,
    candidates_needed,
    columns_of,
    enough_for_every_puzzle,
    find_puzzles,
)
from minesweeper.player.core.errors import OutOfTime
from minesweeper.player.core.limits import time_limit
from minesweeper.player.logic import choose_engine
from minesweeper.player.parallel.workers import Workers, available_workers, interruptible, map_ranges

if TYPE_CHECKING:
    from minesweeper.db.parts import PartsFolder
    from minesweeper.db.runs import Runs
    from minesweeper.db.store import Store

log = logging.getLogger(__name__)

_GRACE: Final = 0.5
"""Seconds after the time limit in which workers may finish their current candidates."""
_SHORTEST_LIMIT: Final = 1e-9
_SECONDS_PER_TRANSACTION: Final = 1.0
"""Large transactions write each page of the id index once."""
_MOST_WAITING: Final = 5_000
"""Puzzles that wait take memory, and small ones are found quickly."""
_FEW: Final = 3
_SECONDS_ALONE: Final = 0.25
"""A few puzzles are first searched for in this process, because starting others takes longer than finding most."""
Ending = Literal["done", "candidates", "time", "exhausted", "interrupted"]


@dataclass(frozen=True)
class Limits:
    """The end of a session: total puzzles and candidates of the run, or seconds of this session."""

    count: int
    max_candidates: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Summary:
    """The result of a session.

    `run` is the state of the whole run. `found` puzzles and `candidates` were added in this session, in `seconds`.
    `ending` is ``done`` if the count was reached, ``candidates`` or ``time`` if that limit was, ``exhausted`` if every
    layout of the recipe has been tried, or ``interrupted``.
    """

    run: Run
    found: int
    candidates: int
    seconds: float
    ending: Ending


def generate(
    task: Task,
    limits: Limits,
    store: Store | PartsFolder,
    *,
    workers: Workers | None = None,
    arguments: Mapping[str, object] | None = None,
    report: Callable[[Run], None] = lambda _: None,
    trial: Trial | None = None,
) -> Summary:
    """Store solvable puzzles until a limit is reached. A run with the same recipe, method and filter is resumed.

    Only puzzles that are new to the database count.

    :param workers: the number of processes, or a cluster; all cores by default
    :param arguments: stored with the run
    :param report: called after each transaction
    :param trial: the beginning of the search, if the task was tried before

    The first Ctrl-C ends the session and keeps all puzzles found; a second one ends it at once. Stored puzzles stay
    when this raises `WorkerDied` for a killed worker or a lost cluster, `ProofFailed` if SAT does not confirm a
    solution, `DatabaseError` if storing fails, or `EngineError` for a missing engine.
    """
    key = RunKey(task.recipe, ", ".join(filter(None, [task.method, task.filter.name])))
    run = store.runs.begin(key, arguments or {}, choose_engine(task.engine))
    session = _Session(task, limits, store.runs, run, report)
    if trial is not None and trial.task == task:
        session.begin(trial.pieces)
    session.search(workers or available_workers())
    return session.summary()


class _Session:
    """A search that adds to a run until a limit stops it."""

    def __init__(
        self, task: Task, limits: Limits, runs: Runs | PartsFolder, start: Run, report: Callable[[Run], None]
    ) -> None:
        self._task, self._limits, self._runs, self._report = task, limits, runs, report
        self._start = self._run = start
        self._began = time.monotonic()
        self._waiting: list[tuple[range, Sequence[int], Any]] = []
        self._next_transaction = self._began + _SECONDS_PER_TRANSACTION
        self._exhausted_at = enough_for_every_puzzle(task.recipe)
        self._last = min(limits.max_candidates or ENDLESS, self._exhausted_at)
        self._stopped: Ending | None = None

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def _missing(self) -> int:
        return self._limits.count - self._run.kept

    def begin(self, pieces: Sequence[tuple[range, Found]]) -> None:
        """Take the results of the first candidates, unless an earlier session has stored them."""
        for numbers, found in pieces:
            if numbers.start == self._next_index and numbers.stop <= self._last and self._found < self._limits.count:
                columns = columns_of(self._task, self._run.id, found)
                self._waiting.append((numbers, found["sample_index"], self._runs.prepare(columns)))

    def search(self, workers: Workers) -> None:
        """Search until enough puzzles are stored or a limit is reached."""
        if self._found >= self._limits.count:
            self._store_waiting()
        if self._missing <= 0:
            return
        with interruptible() as interrupted:
            if self._missing <= _FEW and workers != 1:
                alone = time.monotonic() + _SECONDS_ALONE
                self._search(1, lambda: self._should_stop(interrupted) or time.monotonic() > alone)
            if self._missing > 0 and not self._should_stop(interrupted):
                self._search(workers, lambda: self._should_stop(interrupted))
        self._store_waiting()

    def _search(self, workers: Workers, stop: Callable[[], bool]) -> None:
        deadline = None
        # The machines of a cluster have other clocks, so only local workers are given a deadline.
        if self._limits.seconds is not None and isinstance(workers, int):
            deadline = self._began + self._limits.seconds + _GRACE
        pieces = map_ranges(
            partial(_columns_in_time, deadline, self._runs.prepare, self._task, self._start.id),
            range(self._next_index, max(self._next_index, self._last)),
            workers,
            stop=stop,
            wanted=self._wanted,
        )
        with closing(pieces):
            try:
                for candidates, found in pieces:
                    if found is None:
                        # Storing the pieces after one that ran out of time would leave a gap.
                        self._stopped = self._stopped or "time"
                        break
                    self._waiting.append((candidates, *found))
                    enough = min(self._limits.count, self._run.kept + _MOST_WAITING)
                    if self._found >= enough or time.monotonic() >= self._next_transaction:
                        self._store_waiting()
                    if self._missing <= 0:
                        break
            finally:
                self._store_waiting()

    @property
    def _found(self) -> int:
        """The number of stored puzzles and of those that wait, which may be duplicates."""
        return self._run.kept + sum(len(indices) for _, indices, _ in self._waiting)

    @property
    def _next_index(self) -> int:
        """The index of the first candidate that is not done."""
        return self._waiting[-1][0].stop if self._waiting else self._run.next_index

    def _wanted(self) -> float:
        candidates = self._run.candidates + sum(len(candidates) for candidates, *_ in self._waiting)
        return candidates_needed(self._limits.count, self._found, candidates)

    def _should_stop(self, interrupted: Callable[[], bool]) -> bool:
        """Return whether the session has to end early, and note the first reason."""
        if self._stopped is None:
            if interrupted():
                self._stopped = "interrupted"
            elif self._limits.seconds is not None and self._seconds >= self._limits.seconds:
                self._stopped = "time"
        return self._stopped is not None

    def _store_waiting(self) -> None:
        """Store the puzzles that wait, but no more new ones than the limit allows, and report.

        Duplicates do not count, so several transactions may be needed to reach the limit exactly.
        """
        # A transaction that fails must not be followed by one that stores only the progress.
        pieces, self._waiting = self._waiting, []
        if not pieces:
            return
        indices = [index for _, piece, _ in pieces for index in piece]
        rows = self._runs.join([prepared for *_, prepared in pieces])
        while len(rows) >= (missing := self._missing) > 0:
            self._store_rows(rows[:missing], indices[missing - 1] + 1)
            rows, indices = rows[missing:], indices[missing:]
        if self._missing > 0:
            self._store_rows(rows, pieces[-1][0].stop)
        self._next_transaction = time.monotonic() + _SECONDS_PER_TRANSACTION
        self._report(self._run)

    def _store_rows(self, rows: Any, next_index: int) -> None:
        """Store puzzles; the run has then done all candidates before `next_index`."""
        seconds = self._start.seconds + self._seconds
        self._run = self._runs.add_rows(
            self._run.id, rows, next_index=next_index, candidates=next_index, seconds=seconds
        )

    def summary(self) -> Summary:
        """Return the result of the session."""
        run, start = self._run, self._start
        ending: Ending = "exhausted" if run.next_index >= self._exhausted_at else "candidates"
        if self._missing <= 0:
            ending = "done"
        elif self._stopped is not None:
            ending = self._stopped
        return Summary(run, run.kept - start.kept, run.next_index - start.next_index, self._seconds, ending)


def _columns_in_time(
    deadline: float | None, prepare: Callable[[Columns], Any], task: Task, run: int, numbers: range
) -> tuple[Sequence[int], Any] | None:
    """Return the indices of found puzzles and their prepared columns, or None at the deadline of `time.monotonic`."""
    try:
        with time_limit(None if deadline is None else max(deadline - time.monotonic(), _SHORTEST_LIMIT)):
            found = find_puzzles(task, numbers)
            return found["sample_index"], prepare(columns_of(task, run, found))
    except OutOfTime:
        log.info("candidates %d to %d: given up at the time limit", numbers.start, numbers.stop - 1)
        return None
