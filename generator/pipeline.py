"""From a recipe to stored puzzles: sample, screen, certify, store.

Results are taken in order of index and stored as they come, together with the index to go on from, in one
transaction. So the puzzles kept depend on nothing but the recipe, and whatever stops a run, nothing stored is lost
and nothing is found twice.
"""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Literal

from db.store import PuzzleRecord, Run, RunKey, Store
from generator.certify import Certificate
from generator.sampling import Recipe
from generator.screening import Kept
from generator.workers import Screening, Task, worker_pool
from player.logic import choose_engine

Ending = Literal["done", "candidates", "time", "exhausted", "interrupted"]


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


def generate(
    task: Task,
    limits: Limits,
    store: Store,
    *,
    workers: int | None = None,
    arguments: Mapping[str, object] | None = None,
    report: Callable[[Run], None] = lambda _: None,
) -> Summary:
    """Store solvable puzzles until a limit is reached, going on where an earlier run of the same recipe stopped.

    Only puzzles that are new to the database count. `workers` is the number of processes, all cores unless given.
    `arguments` are stored with the run. `report` is called after everything that is stored. Ctrl-C ends the session
    with all that was found; a second one does not wait for that. Raises `WorkerDied` if a worker is killed,
    `ProofFailed` if SAT does not confirm a solution, `DatabaseError` if storing fails, `EngineError` for an engine
    that is not there; what was stored before stays.
    """
    began = time.monotonic()
    engine = choose_engine(task.engine)
    start = run = store.begin_run(_run_key(task.recipe), arguments or {}, engine)
    exhausted_at = _enough_for_every_layout(task.recipe)
    stop = min(limits.max_candidates or exhausted_at, exhausted_at)
    workers = workers or os.cpu_count() or 1
    ending: Ending = "done"
    with _interruptible() as interrupted, worker_pool(workers) as pool:
        screening = Screening(task, pool, workers, start.next_index, None if math.isinf(stop) else math.ceil(stop))
        while run.kept < limits.count:
            if ending == "done":
                if interrupted():
                    ending = "interrupted"
                elif limits.seconds is not None and time.monotonic() - began >= limits.seconds:
                    ending = "time"
                if ending != "done":
                    screening.stop()
            chunk = screening.next_chunk(_candidates_needed(run, limits.count))
            if chunk is None:
                if ending == "done":
                    ending = "exhausted" if run.next_index >= exhausted_at else "candidates"
                break
            puzzles = chunk.puzzles
            while True:
                wanted = limits.count - run.kept
                portion, puzzles = puzzles[:wanted], puzzles[wanted:]
                next_index = portion[-1][0].index + 1 if len(portion) == wanted else chunk.stop
                store.add_puzzles(
                    run.id,
                    [_record(task.recipe, engine, *puzzle) for puzzle in portion],
                    next_index=next_index,
                    candidates=next_index,
                    seconds=start.seconds + time.monotonic() - began,
                )
                run = store.run(run.id)
                # Puzzles that the database knew do not count, so a full portion may still be too few.
                if not puzzles or run.kept >= limits.count:
                    break
            report(run)
    return Summary(run, run.kept - start.kept, run.next_index - start.next_index, time.monotonic() - began, ending)


def _candidates_needed(run: Run, count: int) -> float:
    """Estimate how many more candidates a run needs, from its acceptance so far."""
    return 1.2 * (count - run.kept) * run.candidates / run.kept if run.kept else math.inf


def _enough_for_every_layout(recipe: Recipe) -> float:
    """The number of samples that leave any puzzle out with a chance of about e**-10; infinite for real sizes."""
    log_puzzles = recipe.log_puzzles()
    return math.exp(log_puzzles) * (log_puzzles + 10) if log_puzzles < 20 else math.inf


def _run_key(recipe: Recipe) -> RunKey:
    return RunKey(recipe.rows, recipe.cols, recipe.mines, recipe.click_name, recipe.rule, recipe.seed, "rejection")


def _record(recipe: Recipe, engine: str, kept: Kept, certificate: Certificate | None) -> PuzzleRecord:
    return PuzzleRecord(
        puzzle=kept.puzzle,
        rule=recipe.rule,
        index=kept.index,
        seed=recipe.seed,
        engine=engine,
        method="rejection",
        steps=kept.screening.tally,
        certificate=None if certificate is None else str(certificate),
    )


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a question that can be asked between two pieces of work."""
    caught = False

    def note(signal_number: int, frame: FrameType | None) -> None:
        nonlocal caught
        caught = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: caught
    finally:
        signal.signal(signal.SIGINT, before)
