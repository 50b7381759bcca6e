"""Solvable puzzles one after the other, without a database."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from functools import partial

from minesweeper.generator.filters import PuzzleFilter
from minesweeper.generator.pipeline import Task, enough_for_every_puzzle, find_puzzles
from minesweeper.player.board import Puzzle
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.recipe import Recipe
from minesweeper.player.workers import available_workers, map_ranges


def puzzles(
    recipe: Recipe,
    count: int,
    *,
    difficulty: str | None = None,
    needs_mine_count: bool | None = None,
    min_bbbv: int | None = None,
    min_score: int | None = None,
    certified: bool = True,
    engine: str = "auto",
    workers: int | None = 1,
) -> Generator[Puzzle, None, None]:
    """Yield the first `count` different puzzles of a recipe that logic solves: those that `generate` would store.

    The conditions are those of `PuzzleFilter`. Unless `certified` is False, SAT proves each. `workers` is the number of
    processes, None for all cores; it does not change the puzzles. Fewer come only once every layout there is has been
    looked at. Raises `ValueError` for a count below 0 or an unknown difficulty, `ProofFailed`, `WorkerDied`, and
    `EngineError` for an engine that is not there.
    """
    if count < 0:
        raise ValueError(f"expected a number of puzzles, 0 or more: {count}")
    if difficulty is not None and difficulty not in WORDS:
        raise ValueError(f"expected a difficulty, {', '.join(WORDS)}: {difficulty!r}")
    task = Task(recipe, engine, certified, wanted=PuzzleFilter(difficulty, needs_mine_count, min_bbbv, min_score))
    # A generator of its own, so that wrong arguments are refused at once.
    return _puzzles(task, count, available_workers() if workers is None else workers)


def _puzzles(task: Task, count: int, workers: int) -> Generator[Puzzle, None, None]:
    if not count:
        return
    found: set[str] = set()
    candidates = range(enough_for_every_puzzle(task.recipe))
    with closing(map_ranges(partial(_look_at, task), candidates, workers)) as pieces:
        for _, kept in pieces:
            for puzzle in kept:
                if puzzle.id in found:
                    continue
                found.add(puzzle.id)
                yield puzzle
                if len(found) == count:
                    return


def _look_at(task: Task, numbers: range) -> list[Puzzle]:
    return [kept.puzzle for kept, _ in find_puzzles(task, numbers)]
