"""The puzzles of a recipe, one by one, without a database."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from minesweeper.db import formats
from minesweeper.db.columns import MEASURES, STEPS
from minesweeper.db.formats.format import imported_record
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator.certify import Certificate, solver_name
from minesweeper.generator.filters import PuzzleFilter
from minesweeper.generator.search import Task, candidates_needed, enough_for_every_puzzle, find_puzzles
from minesweeper.player.core import limits
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.difficulty import Difficulty, rate_solution
from minesweeper.player.core.errors import BoardError, check_kind
from minesweeper.player.core.grid import CellLike, Grid, as_number
from minesweeper.player.core.recipe import MAX_SEED, Recipe, RuleName, StartRule
from minesweeper.player.core.steps import Engine, Tally
from minesweeper.player.logic import choose_engine
from minesweeper.player.logic.metrics import Measures
from minesweeper.player.parallel.workers import available_workers, map_ranges

_CANDIDATES: Final = 20_000
"""After this many unsolvable boards, boards are repaired instead."""
_REPAIRS: Final = 1000
_BATCH: Final = 20


class RatedPuzzle(Puzzle):
    """A puzzle that logic solves, with its rating. It equals a `Puzzle` with the same board and first click.

    `difficulty` is a score and a word, `tally` counts the cells that each tier decides, `clues_at_once` is the number
    of clues that the hardest step combines, `metrics` are 3BV and others, and `certificate` is None if the puzzle was
    not certified. `index` is its number in the recipe, and `record` has everything for files.
    """

    index: int
    difficulty: Difficulty
    tally: Tally
    clues_at_once: int | None
    metrics: Measures | None
    certificate: Certificate | None
    record: PuzzleRecord

    def __init__(self, task: Task, engine: Engine, found: Mapping[str, Any]) -> None:
        """Build a puzzle from its values by the names `search.FOUND`."""
        recipe = task.recipe
        board = Board.from_bytes(recipe.grid, found["mine_bits"])
        tally, clues = Tally(*(found[name] for name in STEPS)), found["clues_at_once"]
        measured = [found[name] for name in MEASURES]
        certificate = None
        if found["proofs"] is not None:
            certificate = Certificate(solver_name(), found["proofs"], found["path_hash"], clues)
        metrics = None if None in measured else Measures(*measured)
        vars(self).update(
            board=board,
            first_click=(found["first_row"], found["first_col"]),
            id=found["id"],
            index=found["sample_index"],
            difficulty=rate_solution(tally, clues, board.safe_cells),
            tally=tally,
            clues_at_once=clues,
            metrics=metrics,
            certificate=certificate,
            record=PuzzleRecord(
                self,
                *(recipe.rule, found["sample_index"], recipe.seed, engine, task.method, tally),
                certificate=None if certificate is None else str(certificate),
                clues_at_once=clues,
                measured=metrics,
                canonical_id=found["canonical_id"],
            ),
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
    if count is not None and (count := as_number(count, "number of puzzles")) < 0:
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
        return candidates_needed(count, found, tried)

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
    found, engine = find_puzzles(task, numbers), choose_engine(task.engine)
    rows = (dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True))
    return [RatedPuzzle(task, engine, row) for row in rows]


def deal(
    board: Grid | str,
    mines: int | None = None,
    click: CellLike | str = "center",
    *,
    rule: StartRule | RuleName = StartRule.OPENING,
    seed: int | None = None,
    time_limit: float | None = None,
    **conditions: Any,
) -> RatedPuzzle:
    """Make one puzzle for a game whose player has clicked: a board that logic solves from there, without a guess.

    Boards are sampled until one is solvable; after 20,000 others, which only dense boards need, they are repaired.
    Other threads run meanwhile: ``await asyncio.to_thread(ms.deal, "expert")`` keeps a window alive.

    :param board: as of `Recipe`, like `mines` and `rule`
    :param click: the cell that the player has clicked
    :param seed: equal seeds give equal puzzles; None for a random one
    :param time_limit: seconds after which `OutOfTime` is raised, None for none
    :param conditions: the fields of `PuzzleFilter`, e.g. ``difficulty="hard"``
    :raises BoardError: for an impossible board, or if no puzzle is found
    :raises EngineError: for a board that must be repaired, without the kernel

    >>> ms.deal("expert", click=(0, 0), seed=7)
    <Puzzle f848d8eed4d6a535a6e7 16x30/99 at (0, 0)>
    """
    recipe = Recipe(board, mines, click, rule, secrets.randbelow(MAX_SEED + 1) if seed is None else seed)
    task = Task(recipe, certified=False, filter=PuzzleFilter(**conditions))
    with limits.time_limit(time_limit):
        for search, numbers in _searches(task):
            limits.check_time()
            if found := _rated_puzzles(search, numbers):
                return found[0]
    tried = f"{_CANDIDATES:,} boards of {recipe.title} and {_REPAIRS} repaired ones"
    raise BoardError(f"no puzzle among {tried}; expected fewer mines" + " or other conditions" * bool(conditions))


def _searches(task: Task) -> Iterator[tuple[Task, range]]:
    for start in range(0, _CANDIDATES, _BATCH):
        yield task, range(start, start + _BATCH)
    repairs = replace(task, method="repair")
    for index in range(_REPAIRS):
        yield repairs, range(index, index + 1)


def save(puzzles: Iterable[Puzzle], path: str | Path) -> int:
    """Write puzzles to a file in the format of its extension, and return their number.

    Those of `ms.puzzles` keep their rating and certificate. The file replaces an older one, and ``packs import`` adds
    its puzzles to a database. Raises `FormatError` for an unknown extension and `OSError` if writing fails.

    >>> ms.save(ms.puzzles("expert", 2), "two.jsonl")
    2
    """
    check_kind(puzzles, Iterable, "a list of puzzles")
    records = (one.record if isinstance(one, RatedPuzzle) else imported_record(one) for one in puzzles)
    return formats.save(records, path)
