"""A search among the candidates of a recipe: sample, screen or repair, filter, and certify."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from itertools import compress, repeat
from typing import Any, Final, Literal

from minesweeper.db.columns import EFFORT, MEASURES, STEPS, WRITTEN, Columns, measures_of
from minesweeper.db.records import SOLVABLE
from minesweeper.generator.certify import Certificate, certify_all, proof_failed, solver_name
from minesweeper.generator.filters import NO_FILTER, PuzzleFilter
from minesweeper.generator.repair import MOST_CHANGES
from minesweeper.generator.screening import screen_range
from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.difficulty import rate_solution
from minesweeper.player.core.errors import BoardError, TooWide
from minesweeper.player.core.limits import MOST_CELLS
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.steps import Tally
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import choose_engine
from minesweeper.player.logic.clauses import contradictory
from minesweeper.player.logic.metrics import ids_of_many, measure_all

log = logging.getLogger(__name__)

FOUND: Final = (
    *("sample_index", "first_row", "first_col", "id", "canonical_id", "mine_bits"),
    *(*STEPS, "clues_at_once", *MEASURES, "path_hash", "proofs"),
)
"""Values of a found puzzle: columns of the database, and the two of a certificate, None without one."""
Found = Mapping[str, Sequence[Any]]
"""Solvable puzzles, by the names `FOUND`; a task with paths adds the columns of the paths."""
Method = Literal["rejection", "repair"]
ENDLESS: Final = 2**62


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
        chosen = self.filter
        measured = chosen.needs_difficulty or chosen.needs_plan or (chosen.min_bbbv, chosen.max_bbbv) != (None, None)
        if self.method == "repair" or measured:
            kernel_api.require("repair, or a filter on the difficulty, the score, the 3BV or the efficiency,")
        if (chosen.min_bbbv or 0) > self.safe_cells:
            raise BoardError(
                f"no {self.recipe.name} board has a 3BV of {chosen.min_bbbv}: it has {self.safe_cells} safe cells"
            )
        _matching([], self.filter)

    @property
    def safe_cells(self) -> int:
        """The number of safe cells of each board."""
        return self.recipe.grid.cells - self.recipe.mines


@dataclass(frozen=True)
class Trial:
    """The first candidates of a task up to a solvable one, or `most` of them.

    `pieces` are their puzzles, with which a run begins; none with a filter, which may reject all solvable puzzles.
    """

    task: Task
    most: int
    solvable: bool
    pieces: tuple[tuple[range, Found], ...]


def try_first(task: Task, most: int = 100, limit: int | None = None) -> Trial:
    """Search the first candidates of a task until one is solvable.

    Their largest number is `most`, less for large boards, and at most `limit`. It does not depend on the time, so that
    the result is reproducible.
    """
    cells = task.recipe.rows * task.recipe.cols
    most = max(5 if cells <= MOST_CELLS else 1, min(most, 2000 * most // cells))
    most = min(most, limit or most)
    pieces: list[tuple[range, Found]] = []
    solvable, numbers = False, range(1)
    while numbers and not solvable:
        if task.filter.name:
            kept = screen_range(task.recipe, numbers.start, numbers.stop, task.engine, count_clues=False)
            solvable = next(kept, None) is not None
        else:
            pieces.append((numbers, find_puzzles(task, numbers)))
            solvable = len(pieces[-1][1]["id"]) > 0
        numbers = range(numbers.stop, min(2 * numbers.stop + 1, most))
    return Trial(task, most, solvable, tuple(pieces))


def find_puzzles(task: Task, numbers: range) -> Found:
    """Find the puzzles to keep among some candidates. Raises `ProofFailed`."""
    by_kernel = task.method == "repair" or choose_engine(task.engine) == "native"
    found = dict(zip(FOUND, (_find_by_kernel if by_kernel else _find_by_sat)(task, numbers), strict=True))
    if task.paths:
        places = zip(found["mine_bits"], found["first_row"], found["first_col"], strict=True)
        paths = [_path_values(task.recipe, *place) for place in places]
        found |= zip((*EFFORT, "path"), zip(*paths, strict=True), strict=False)
    if task.filter.where is not None:
        matching = _matching(columns_of(task, 0, found), task.filter)
        kept = [name in matching for name in found["id"]]
        found = {name: list(compress(values, kept)) for name, values in found.items()}
    log.info("candidates %d to %d: %d puzzles", numbers.start, numbers.stop - 1, len(found["id"]))
    return found


def _matching(columns: Columns, chosen: PuzzleFilter) -> set[str]:
    """Return the ids of puzzles that meet the SQL condition of a filter. Raises `DatabaseError` for an invalid one."""
    if chosen.where is None:
        return set()
    # Only this condition needs SQLite.
    from minesweeper.db.store import ids_where

    return ids_where(columns, chosen.where)


def _find_by_kernel(task: Task, numbers: range) -> Sequence[Sequence[Any]]:
    def accepts(solution: kernel.Solution) -> bool:
        return task.filter.accepts_solution(task.safe_cells, Tally._make(solution.tally), solution.clues_at_once)

    kept = kernel_api.native_recipe(task.recipe, numbers).find(
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
    rows: list[tuple[Any, ...]] = []
    filtered = task.filter != NO_FILTER
    for one in kept:
        values = one.values
        index, _, _, name, _, mine_bits, *_ = values
        board = partial(Board.from_bytes, task.recipe.grid, mine_bits)
        if filtered and not task.filter.accepts_metrics(one.metrics, board):
            continue
        if values[-1] and not all(map(contradictory, one.proofs)):
            raise proof_failed(name, index)
        proved = values[-2:] if task.certified else (None, None)
        rows.append((*values[:-2], *measures_of(one.metrics), *proved))
    return _columns(rows)


def _find_by_sat(task: Task, numbers: range) -> Sequence[Sequence[Any]]:
    found = list(filter(task.filter.accepts, screen_range(task.recipe, numbers.start, numbers.stop, task.engine)))
    puzzles = [one.puzzle for one in found]
    certificates = certify_all(found) if task.certified else repeat(None, len(found))
    rows: list[tuple[Any, ...]] = []
    for one, ids, measured, proof in zip(found, ids_of_many(puzzles), measure_all(puzzles), certificates, strict=True):
        proved = (proof.path, proof.proofs) if proof else (None, None)
        clues = proof.clues_at_once if proof else one.screening.clues_at_once
        solution = *one.screening.tally, clues
        rows.append((one.index, *one.puzzle.first_click, *ids, *solution, *measures_of(measured), *proved))
    return _columns(rows)


def _columns(rows: list[tuple[Any, ...]]) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) or [()] * len(FOUND)


def columns_of(task: Task, run: int, found: Found) -> Columns:
    """Return puzzles that a task found as columns of the database."""
    recipe = task.recipe
    tallies = list(map(Tally, *(found[name] for name in STEPS)))
    ratings = [rate_solution(*pair, task.safe_cells) for pair in zip(tallies, found["clues_at_once"], strict=True)]
    alike: dict[str, Any] = {
        "run": run,
        "rows": recipe.rows,
        "cols": recipe.cols,
        "grid": recipe.grid.label,
        "mines": recipe.mines,
        "start": recipe.rule,
        "verdict": SOLVABLE,
        "method": task.method,
        "engine": choose_engine(task.engine),
        "seed": recipe.seed,
    }
    columns: dict[str, Sequence[Any]] = {
        **found,
        **{name: [value] * len(tallies) for name, value in alike.items()},
        "needs_mine_count": [int(tally.mine_count > 0) for tally in tallies],  # sqlite3 takes longer for a bool
        "hardest_tier": [tally.hardest.title for tally in tallies],
        "difficulty": [rating.score for rating in ratings],
        "difficulty_word": [rating.word for rating in ratings],
        "certificate": [
            None if proofs is None else str(Certificate(solver_name(), proofs, path))
            for proofs, path in zip(found["proofs"], found["path_hash"], strict=True)
        ],
    }
    return [columns[name] for name in WRITTEN if name in columns]


def _path_values(recipe: Recipe, mine_bits: bytes, row: int, col: int) -> tuple[Any, ...]:
    """Return the measures of the solution path and its steps, or None for each if a component is too wide."""
    from minesweeper.player.logic.effort import path_effort
    from minesweeper.player.logic.path import solution_path

    puzzle = Puzzle(Board.from_bytes(recipe.grid, mine_bits), (row, col))
    try:
        path = solution_path(puzzle)
    except TooWide:
        return (None,) * (len(EFFORT) + 1)
    return *astuple(path_effort(path)), path.steps_to_bytes()


def candidates_needed(count: int | None, found: int, tried: int) -> float:
    """Estimate from the acceptance so far how many more candidates a search for `count` puzzles needs."""
    if count is None:
        return math.inf
    missing = max(count - found, 0)
    return (missing + math.sqrt(missing)) * tried / found if found else missing + 3 * tried


def enough_for_every_puzzle(recipe: Recipe) -> int:
    """Return a number of samples that misses any puzzle with a probability of about e**-10; 2**62 for real sizes."""
    log_puzzles = recipe.log_puzzles()
    return math.ceil(math.exp(log_puzzles) * (log_puzzles + 10)) if log_puzzles < 20 else ENDLESS
