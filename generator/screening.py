"""Screening: solve puzzles by logic alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import merge
from typing import TYPE_CHECKING

from minesweeper.player import kernel_api
from minesweeper.player.board import Puzzle, count_neighbours
from minesweeper.player.kernel_api import FoundPuzzle as FoundPuzzle
from minesweeper.player.logic import choose_engine, reasoner
from minesweeper.player.recipe import Recipe
from minesweeper.player.steps import NOTHING, HardStep, Screening as Screening, Tally, Tier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    from minesweeper.player import lazy_numpy as np


def screen(puzzle: Puzzle, engine: str = "auto") -> Screening:
    """Open every cell that logic can open. Raises `EngineError` for a missing engine."""
    engine = choose_engine(engine)
    if engine == "native":
        found = kernel_api.solve(puzzle)
        if found is not None:
            return found
    from minesweeper.player.measure.effort import clues_at_once

    screening = screen_by_rounds(puzzle, engine)
    clues = clues_at_once(puzzle, screening.tally) if screening.solved else None
    return replace(screening, clues_at_once=clues)


def screen_by_rounds(puzzle: Puzzle, engine: str = "auto") -> Screening:
    """Return the result of `screen` with all hard steps and without clues at once. Takes longer with the kernel."""
    board = puzzle.board
    shape = board.rows, board.cols
    clues = board.clues.ravel().tolist()
    undecided = np.ones(board.rows * board.cols, dtype=np.bool_)
    claims = [0] * (max(Tier) + 1)
    hard_steps: list[HardStep] = []
    knowledge = reasoner(board.rows, board.cols, board.mines, choose_engine(engine))
    news = board.opening(puzzle.first_click).tolist()
    to_open = len(clues) - board.mines
    while True:
        knowledge.learn(news, [clues[cell] for cell in news])
        undecided[news] = False
        to_open -= len(news)
        if not to_open:
            return Screening(_tally(puzzle, claims, undecided), tuple(hard_steps))
        steps = knowledge.advance()
        if not steps:
            return Screening(NOTHING, tuple(hard_steps), undecided.reshape(shape))
        if steps[0].tier >= Tier.MORE_CLUES:
            before = undecided.tobytes()
            hard_steps += [HardStep(step, before) for step in steps]
        news = []
        for step in steps:
            claims[step.tier] += len(step.safe) + len(step.mines)
            undecided[list(step.mines)] = False
            news += step.safe


def screen_range(
    recipe: Recipe, start: int, stop: int, engine: str = "auto", *, count_clues: bool = True
) -> Iterator[FoundPuzzle]:
    """Sample the puzzles with the indices `start` to `stop` - 1 and yield those that logic solves, in order.

    Without `count_clues` the kernel leaves out `Screening.clues_at_once`.
    """
    if choose_engine(engine) != "native":
        yield from _screen_each(recipe, range(start, stop), engine)
        return
    found, undecided = kernel_api.screen(recipe, range(start, stop), count_clues=count_clues)
    # The kernel leaves out boards with components that are too wide for it.
    wide = list(_screen_each(recipe, undecided, "native"))
    yield from merge(found, wide, key=lambda one: one.index) if wide else found


def _screen_each(recipe: Recipe, indices: Iterable[int], engine: str) -> Iterator[FoundPuzzle]:
    for index in indices:
        puzzle = recipe.puzzle(index)
        screening = screen(puzzle, engine)
        if screening.solved:
            yield FoundPuzzle(index, puzzle, screening)


def _tally(puzzle: Puzzle, claims: list[int], undecided: NDArray[np.bool_]) -> Tally:
    """Count the decided cells by tier. One clue decides the cells that no harder tier and no first click decided.

    Every mine next to a safe cell counts as decided, because the opened board shows it.
    """
    board = puzzle.board
    first = len(board.opening(puzzle.first_click))
    seen_mines = board.mine_map & (count_neighbours(~board.mine_map) > 0)
    decided = ~board.mine_map | seen_mines | ~undecided.reshape(board.mine_map.shape)
    two, more, count = claims[Tier.TWO_CLUES], claims[Tier.MORE_CLUES], claims[Tier.MINE_COUNT]
    return Tally(int(np.count_nonzero(decided)) - first - two - more - count, two, more, count)
