"""The way of a puzzle from a recipe to the database: sample, screen, filter, certify, store.

Results are stored in the order of their index. One transaction stores puzzles together with the index to resume from.
So the puzzles depend only on the recipe, method and filter, and a run that stops for any reason loses no stored puzzle
and repeats none.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from functools import partial
from itertools import repeat
from typing import Any, Final, Literal, Protocol

from minesweeper.db.columns import EFFORT, MEASURES, STEPS, WRITTEN, Columns, measures_of
from minesweeper.db.records import SOLVABLE, Run, RunKey
from minesweeper.generator.certify import Certificate, certify_all, proof_failed, solver_name
from minesweeper.generator.filters import NO_FILTER, PuzzleFilter
from minesweeper.generator.repair import MOST_CHANGES
from minesweeper.generator.screening import screen_range
from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Puzzle
from minesweeper.player.errors import BoardError, OutOfTime, TooWide
from minesweeper.player.kernel_api import kernel
from minesweeper.player.limits import MOST_CELLS, time_limit
from minesweeper.player.logic import choose_engine
from minesweeper.player.logic.cnf import contradictory
from minesweeper.player.measure.difficulty import Difficulty, difficulty
from minesweeper.player.measure.metrics import Measures, ids_of_many, measure_all
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import Tally
from minesweeper.player.why.path import solution_path
from minesweeper.player.workers import Workers, available_workers, interruptible, map_ranges

log = logging.getLogger(__name__)

_ENDLESS: Final = 2**62
_GRACE: Final = 0.5
"""Seconds after the time limit in which workers may finish their current candidates."""
_SHORTEST_LIMIT: Final = 1e-9
_SECONDS_PER_TRANSACTION: Final = 1.0
"""Large transactions write each page of the id index once."""
_MOST_WAITING: Final = 5_000
"""Puzzles that wait take memory, and small ones are found quickly."""
_INDEX: Final = WRITTEN.index("sample_index")
_FEW: Final = 3
_SECONDS_ALONE: Final = 0.25
"""A few puzzles are first searched for in this process, because starting others takes longer than finding most."""

_FOUND: Final = (
    *("sample_index", "first_row", "first_col", "id", "canonical_id", "mine_bits"),
    *(*STEPS, "clues_at_once", *MEASURES, "path_hash", "proofs"),
)
Found = Sequence[Sequence[Any]]
"""Solvable puzzles, column by column: those of `_FOUND`. The last two belong to certificates, None without one."""
Method = Literal["rejection", "repair"]
Ending = Literal["done", "candidates", "time", "exhausted", "interrupted"]


@dataclass(frozen=True)
class Task:
    """A search for puzzles: the candidates, the engine, the method, the filter, whether SAT proves each puzzle, and
    whether whole solution paths and their measures are stored.

    The method `rejection` keeps the solvable candidates; `repair` changes the others until they are solvable, which is
    not uniform. Puzzles that the filter rejects are skipped. Method and filter are part of the run key, so a seed still
    determines the puzzles. Raises `BoardError` for a filter that no board of the recipe passes, and
    `EngineError` for repair and for filters on measures without the kernel.
    """

    recipe: Recipe
    engine: str = "auto"
    certified: bool = True
    method: Method = "rejection"
    filter: PuzzleFilter = NO_FILTER
    paths: bool = False

    def __post_init__(self) -> None:
        if self.method == "repair" or self.filter.needs_difficulty or self.filter.min_bbbv is not None:
            kernel_api.require("repair, or a filter on the difficulty, the score or the 3BV,")
        if (self.filter.min_bbbv or 0) > self.safe_cells:
            raise BoardError(
                f"no {self.recipe.name} board has a 3BV of {self.filter.min_bbbv}: it has {self.safe_cells} safe cells"
            )

    @property
    def safe_cells(self) -> int:
        """The number of safe cells of each board."""
        return self.recipe.grid.cells - self.recipe.mines


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


class Destination(Protocol):
    """A store of puzzles: `db.store.Store` or `db.parts.PartsFolder`."""

    @staticmethod
    def prepare(columns: Columns) -> Any:
        """Convert columns, in a worker, to a form that the store reads quickly."""

    @staticmethod
    def join(prepared: list[Any]) -> Any:
        """Return the rows of several results of `prepare`, with a length and slices."""

    def begin_run(self, key: RunKey, arguments: Mapping[str, Any], engine: str) -> Run:
        """Start a run or resume it."""

    def add_rows(self, run_id: int, rows: Any, *, next_index: int, candidates: int, seconds: float) -> Run:
        """Store puzzles together with the progress of the run, and return its new state."""


def generate(
    task: Task,
    limits: Limits,
    store: Destination,
    *,
    workers: Workers | None = None,
    arguments: Mapping[str, object] | None = None,
    report: Callable[[Run], None] = lambda _: None,
) -> Summary:
    """Store solvable puzzles until a limit is reached. A run with the same recipe, method and filter is resumed.

    Only puzzles that are new to the database count.

    :param workers: the number of processes, or a cluster; all cores by default
    :param arguments: stored with the run
    :param report: called after each transaction

    The first Ctrl-C ends the session and keeps all puzzles found; a second one ends it at once. Stored puzzles stay
    when this raises `WorkerDied` for a killed worker or a lost cluster, `ProofFailed` if SAT does not confirm a
    solution, `DatabaseError` if storing fails, or `EngineError` for a missing engine.
    """
    key = RunKey(task.recipe, ", ".join(filter(None, [task.method, task.filter.name])))
    session = _Session(task, limits, store, store.begin_run(key, arguments or {}, choose_engine(task.engine)), report)
    session.search(workers or available_workers())
    return session.summary()


class _Session:
    """A search that adds to a run until a limit stops it."""

    def __init__(
        self, task: Task, limits: Limits, store: Destination, start: Run, report: Callable[[Run], None]
    ) -> None:
        self._task, self._limits, self._store, self._report = task, limits, store, report
        self._start = self._run = start
        self._began = time.monotonic()
        self._waiting: list[tuple[range, Sequence[int], Any]] = []
        self._next_transaction = self._began + _SECONDS_PER_TRANSACTION
        self._exhausted_at = enough_for_every_puzzle(task.recipe)
        self._stopped: Ending | None = None

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def _missing(self) -> int:
        return self._limits.count - self._run.kept

    def search(self, workers: Workers) -> None:
        """Search until enough puzzles are stored or a limit is reached."""
        if self._missing <= 0:
            return
        with interruptible() as interrupted:
            if self._missing <= _FEW and workers != 1:
                alone = time.monotonic() + _SECONDS_ALONE
                self._search(1, lambda: self._should_stop(interrupted) or time.monotonic() > alone)
            if self._missing > 0 and not self._should_stop(interrupted):
                self._search(workers, lambda: self._should_stop(interrupted))

    def _search(self, workers: Workers, stop: Callable[[], bool]) -> None:
        first = self._run.next_index
        last = min(self._limits.max_candidates or _ENDLESS, self._exhausted_at)
        deadline = None
        # The machines of a cluster have other clocks, so only local workers are given a deadline.
        if self._limits.seconds is not None and isinstance(workers, int):
            deadline = self._began + self._limits.seconds + _GRACE
        pieces = map_ranges(
            partial(_columns_in_time, deadline, self._store.prepare, self._task, self._start.id),
            range(first, max(first, last)),
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

    def _wanted(self) -> float:
        candidates = self._run.candidates + sum(len(candidates) for candidates, *_ in self._waiting)
        return _candidates_needed(self._limits.count, self._found, candidates)

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
        rows = self._store.join([prepared for *_, prepared in pieces])
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
        self._run = self._store.add_rows(
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


def _candidates_needed(count: int | None, found: int, tried: int) -> float:
    """Estimate from the acceptance so far how many more candidates a search for `count` puzzles needs."""
    if count is None:
        return math.inf
    missing = max(count - found, 0)
    return (missing + math.sqrt(missing)) * tried / found if found else missing + 3 * tried


def _columns_in_time(
    deadline: float | None, prepare: Callable[[Columns], Any], task: Task, run_id: int, numbers: range
) -> tuple[Sequence[int], Any] | None:
    """Return the indices of found puzzles and their prepared columns, or None at the deadline of `time.monotonic`."""
    try:
        with time_limit(None if deadline is None else max(deadline - time.monotonic(), _SHORTEST_LIMIT)):
            columns = find_columns(task, run_id, numbers)
            return columns[_INDEX], prepare(columns)
    except OutOfTime:
        log.info("candidates %d to %d: given up at the time limit", numbers.start, numbers.stop - 1)
        return None


def find_puzzles(task: Task, numbers: range) -> Found:
    """Find the puzzles to keep among some candidates. Raises `ProofFailed`."""
    by_kernel = task.method == "repair" or choose_engine(task.engine) == "native"
    found = (_find_by_kernel if by_kernel else _find_by_sat)(task, numbers)
    log.info("candidates %d to %d: %d puzzles", numbers.start, numbers.stop - 1, len(found[0]))
    return found


def _find_by_kernel(task: Task, numbers: range) -> Found:
    def accepts(tally: tuple[int, int, int, int], clues_at_once: int | None) -> bool:
        return task.filter.accepts_solution(task.safe_cells, Tally(*tally), clues_at_once)

    rows = kernel.find(
        kernel_api.native_recipe(task.recipe, numbers),
        numbers.start,
        numbers.stop,
        most_changes=MOST_CHANGES if task.method == "repair" else 0,
        certified=task.certified,
        # A certificate counts the clues with less work.
        count_clues=not task.certified or task.filter.needs_difficulty,
        min_bbbv=task.filter.min_bbbv or 0,
        max_buried=task.filter.most_buried(task.recipe.mines),
        accepts=accepts if task.filter.depends_on_solution else None,
    )
    for row in rows:
        if not all(map(contradictory, row["clauses"])):
            raise proof_failed(row["id"], row["sample_index"])
    return [[row[name] for row in rows] for name in _FOUND]


def _find_by_sat(task: Task, numbers: range) -> Found:
    found = list(filter(task.filter.accepts, screen_range(task.recipe, numbers.start, numbers.stop, task.engine)))
    puzzles = [one.puzzle for one in found]
    certificates = certify_all(found) if task.certified else repeat(None, len(found))
    rows: list[tuple[Any, ...]] = []
    for one, ids, measured, proof in zip(found, ids_of_many(puzzles), measure_all(puzzles), certificates, strict=True):
        proved = (proof.path, proof.proofs) if proof else (None, None)
        clues = proof.clues_at_once if proof else one.screening.clues_at_once
        solution = *one.screening.tally, clues
        rows.append((one.index, *one.puzzle.first_click, *ids, *solution, *measures_of(measured), *proved))
    return list(zip(*rows, strict=True)) or [()] * len(_FOUND)


def find_columns(task: Task, run_id: int, numbers: range) -> Columns:
    """Find the puzzles to keep among some candidates, as columns of the database."""
    recipe, found = task.recipe, find_puzzles(task, numbers)
    columns: dict[str, Sequence[Any]] = dict(zip(_FOUND, found, strict=True))
    tallies = list(map(Tally, *(columns[name] for name in STEPS)))
    ratings = [difficulty(*pair, task.safe_cells) for pair in zip(tallies, columns["clues_at_once"], strict=True)]
    alike: dict[str, Any] = {
        "run_id": run_id,
        "rows": recipe.rows,
        "cols": recipe.cols,
        "grid": recipe.shape.label,
        "mines": recipe.mines,
        "rule": recipe.rule,
        "verdict": SOLVABLE,
        "method": task.method,
        "engine": choose_engine(task.engine),
        "seed": recipe.seed,
    }
    columns |= {name: [value] * len(tallies) for name, value in alike.items()}
    columns |= {
        "needs_mine_count": [int(tally.mine_count > 0) for tally in tallies],  # sqlite3 takes longer for a bool
        "hardest_tier": [tally.hardest.title for tally in tallies],
        "difficulty": [rating.score for rating in ratings],
        "difficulty_word": [rating.word for rating in ratings],
        "certificate": list(map(_certificate_text, columns["proofs"], columns["path_hash"])),
    }
    if task.paths:
        paths = [_path_values(RatedPuzzle(recipe, row)) for row in zip(*found, strict=True)]
        columns |= zip((*EFFORT, "path"), zip(*paths, strict=True), strict=False)
    return [columns[name] for name in WRITTEN if name in columns]


def _certificate_text(proofs: int | None, path: str | None) -> str | None:
    return None if proofs is None else str(Certificate(solver_name(), proofs, path))


def _path_values(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return the measures of the solution path and its steps, or None for each if a component is too wide."""
    from minesweeper.player.measure.effort import path_effort

    try:
        path = solution_path(puzzle)
    except TooWide:
        return (None,) * (len(EFFORT) + 1)
    return *astuple(path_effort(path)), path.steps_to_bytes()


class RatedPuzzle(Puzzle):
    """A puzzle that logic solves, with its rating. It equals a `Puzzle` with the same board and first click.

    `difficulty` is a score and a word, `tally` counts the cells that each tier decides, `clues_at_once` is the number
    of clues that the hardest step combines, `metrics` are 3BV and others, and `certificate` is None if the puzzle was
    not certified. `index` is its number in the recipe.
    """

    index: int
    difficulty: Difficulty
    tally: Tally
    clues_at_once: int | None
    metrics: Measures | None
    certificate: Certificate | None

    def __init__(self, recipe: Recipe, row: Sequence[Any]) -> None:
        """Build a puzzle from the values of `Found`."""
        index, first_row, first_col, name, _, mine_bits, one, two, more, count, clues, *measured, path, proofs = row
        board = Board.from_bytes(recipe.rows, recipe.cols, mine_bits, recipe.shape)
        tally = Tally(one, two, more, count)
        vars(self).update(
            board=board,
            first_click=(first_row, first_col),
            id=name,
            index=index,
            difficulty=difficulty(tally, clues, board.safe_cells),
            tally=tally,
            clues_at_once=clues,
            metrics=None if None in measured else Measures(*measured),
            certificate=None if proofs is None else Certificate(solver_name(), proofs, path, clues),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Puzzle) and (self.board, self.first_click) == (other.board, other.first_click)

    __hash__ = Puzzle.__hash__


def puzzles(
    recipe: Recipe | str,
    count: int | None,
    *,
    certified: bool = True,
    engine: str = "auto",
    workers: int | None = 1,
    **conditions: Any,
) -> Generator[RatedPuzzle, None, None]:
    """Yield the first `count` different solvable puzzles of a recipe, the same that `generate` stores.

    :param recipe: a recipe, or a preset or board such as ``"expert"`` or ``"9x9/10"`` for the recipe with seed 0
    :param count: the number of puzzles, None for an endless stream
    :param certified: prove each with SAT
    :param workers: the number of processes, None for all cores; the puzzles do not depend on it
    :param conditions: the fields of `PuzzleFilter`, e.g. ``difficulty="hard", min_bbbv=20``

    A recipe with fewer puzzles yields all of them, once each. Raises `ValueError` for a negative count or a value that
    `PuzzleFilter` rejects; while it yields, `ProofFailed`, `WorkerDied`, or `EngineError` for a missing engine.

    >>> puzzle = next(ms.puzzles("expert", 1, difficulty="hard"))
    >>> puzzle
    <Puzzle a7fd9b478f4bd575483f 16x30/99 at (8, 15)>
    >>> puzzle.difficulty.word
    'hard'
    """
    if count is not None and count < 0:
        raise ValueError(f"negative number of puzzles: {count}")
    if not isinstance(recipe, Recipe | str):
        raise TypeError(f"{recipe!r} is no recipe; expected a Recipe, or a board such as 'expert' or '9x9/10'")
    task = Task(
        Recipe(recipe) if isinstance(recipe, str) else recipe, engine, certified, filter=PuzzleFilter(**conditions)
    )
    # The generator is a second function, so that this one raises for wrong arguments when it is called.
    return _puzzles(task, count, available_workers() if workers is None else workers)


def _puzzles(task: Task, count: int | None, workers: int) -> Generator[RatedPuzzle, None, None]:
    candidates = range(0 if count == 0 else enough_for_every_puzzle(task.recipe))
    found = tried = 0
    seen: set[str] = set()

    def wanted() -> float:
        return _candidates_needed(count, found, tried)

    with closing(map_ranges(partial(_rated_puzzles, task), candidates, workers, wanted=wanted)) as pieces:
        for numbers, several in pieces:
            tried += len(numbers)
            for puzzle in several:
                if puzzle.id in seen:
                    continue
                if task.recipe.may_repeat:
                    seen.add(puzzle.id)
                found += 1
                yield puzzle
                if found == count:
                    return


def _rated_puzzles(task: Task, numbers: range) -> list[RatedPuzzle]:
    return [RatedPuzzle(task.recipe, row) for row in zip(*find_puzzles(task, numbers), strict=True)]


def pilot(recipe: Recipe, engine: str = "auto", most: int = 100) -> tuple[int, int]:
    """Return how many of the first candidates of a recipe are solvable, and the number of these candidates.

    The number is `most`, less for large boards, and depends only on the size, so that the result is reproducible.
    """
    cells = recipe.rows * recipe.cols
    candidates = max(5 if cells <= MOST_CELLS else 1, min(most, 2000 * most // cells))
    return sum(1 for _ in screen_range(recipe, 0, candidates, engine, count_clues=False)), candidates


def enough_for_every_puzzle(recipe: Recipe) -> int:
    """Return a number of samples that misses any puzzle with a probability of about e**-10; 2**62 for real sizes."""
    log_puzzles = recipe.log_puzzles()
    return math.ceil(math.exp(log_puzzles) * (log_puzzles + 10)) if log_puzzles < 20 else _ENDLESS
