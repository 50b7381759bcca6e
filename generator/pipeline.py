"""From a recipe to stored puzzles: sample, screen, certify, store.

Results are taken in order of index and stored as they come, together with the index to go on from, in one
transaction. So the puzzles kept depend on nothing but the recipe, and whatever stops a run, nothing stored is lost
and nothing is found twice.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from minesweeper.db.store import PuzzleRecord, Run, RunKey, Store
from minesweeper.generator.certify import Certificate, certify
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import Kept, screen_range
from minesweeper.generator.wanted import ANYTHING, Wanted
from minesweeper.player.logic import choose_engine
from minesweeper.player.measure.puzzles import measures
from minesweeper.player.recipe import Recipe
from minesweeper.player.workers import available_workers, interruptible, map_ranges

log = logging.getLogger(__name__)

_ENDLESS: Final = 2**62

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
    wanted: Wanted = ANYTHING


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
    recipe, engine = task.recipe, choose_engine(task.engine)
    start = run = store.begin_run(_run_key(task), arguments or {}, engine)
    exhausted_at = _enough_for_every_puzzle(recipe)
    last = min(limits.max_candidates or _ENDLESS, exhausted_at)
    ending: Ending = "done"

    def stop() -> bool:
        nonlocal ending
        if ending == "done" and interrupted():
            ending = "interrupted"
        if ending == "done" and limits.seconds is not None and time.monotonic() - began >= limits.seconds:
            ending = "time"
        return ending != "done"

    with interruptible() as interrupted:
        pieces = map_ranges(
            partial(find_puzzles, task),
            range(start.next_index, max(start.next_index, last)) if run.kept < limits.count else range(0),
            workers or available_workers(),
            stop=stop,
            wanted=lambda: _candidates_wanted(run, limits.count),
        )
        for piece, puzzles in pieces:
            while True:
                wanted = limits.count - run.kept
                portion, puzzles = puzzles[:wanted], puzzles[wanted:]
                next_index = portion[-1][0].index + 1 if len(portion) == wanted else piece.stop
                store.add_puzzles(
                    run.id,
                    [_record(task, engine, *puzzle) for puzzle in portion],
                    next_index=next_index,
                    candidates=next_index,
                    seconds=start.seconds + time.monotonic() - began,
                )
                run = store.run(run.id)
                # Puzzles that the database knew do not count, so a full portion may still be too few.
                if not puzzles or run.kept >= limits.count:
                    break
            report(run)
            if run.kept >= limits.count:
                pieces.close()
                break
    if run.kept >= limits.count:
        ending = "done"
    elif ending == "done":
        ending = "exhausted" if run.next_index >= exhausted_at else "candidates"
    return Summary(run, run.kept - start.kept, run.next_index - start.next_index, time.monotonic() - began, ending)


def find_puzzles(task: Task, numbers: range) -> list[tuple[Kept, Certificate | None]]:
    """Find the puzzles that come of candidates, each with its certificate. Raises `ProofFailed`."""
    find = screen_range if task.method == "rejection" else repair_range
    found = find(task.recipe, numbers.start, numbers.stop, task.engine)
    wanted = (kept for kept in found if task.wanted.accepts(kept.puzzle, kept.screening))
    puzzles = [(kept, certify(kept) if task.certified else None) for kept in wanted]
    log.info("candidates %d to %d: %d puzzles", numbers.start, numbers.stop - 1, len(puzzles))
    return puzzles


def pilot(recipe: Recipe, engine: str = "auto") -> tuple[int, int]:
    """Look at the first candidates of a recipe; return how many are solvable, and how many these were.

    Up to 100, fewer of large boards, but always the same ones, so that what is decided by it is reproducible.
    """
    candidates = max(5, min(100, 200_000 // (recipe.rows * recipe.cols)))
    return sum(1 for _ in screen_range(recipe, 0, candidates, engine)), candidates


def _candidates_wanted(run: Run, count: int) -> float:
    """Estimate how many more candidates a run needs, from its acceptance so far."""
    return 1.2 * (count - run.kept) * run.candidates / run.kept if run.kept else math.inf


def _enough_for_every_puzzle(recipe: Recipe) -> int:
    """The number of samples that leave any puzzle out with a chance of about e**-10; endless for real sizes."""
    log_puzzles = recipe.log_puzzles()
    return math.ceil(math.exp(log_puzzles) * (log_puzzles + 10)) if log_puzzles < 20 else _ENDLESS


def _run_key(task: Task) -> RunKey:
    return RunKey(task.recipe, ", ".join(filter(None, [task.method, task.wanted.name])))


def _record(task: Task, engine: str, kept: Kept, certificate: Certificate | None) -> PuzzleRecord:
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
        measured=measures(kept.puzzle),
    )
