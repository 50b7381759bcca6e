"""Is this puzzle solvable by logic alone?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generator.sampling import Recipe
from player.board import Board, Puzzle, count_neighbours
from player.game import Game
from player.logic import Step, Tier, choose_engine, native, reasoner

Tally = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class HardStep:
    """A step that took more than two clues or the mine count, with what it rests on.

    `undecided` is a (rows, cols) array of bool: the cells not yet known to be safe or mines when the step was taken.
    Every known safe cell was open at the time.
    """

    step: Step
    undecided: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Screening:
    """What complete logic makes of a puzzle.

    `solved` says whether it opens every safe cell. If so, `tally` counts the cells that each tier decided, from one
    clue to the mine count; it is a property of the puzzle, whatever the engine. Otherwise it is all zeros.
    `hard_steps` are in the order taken.
    """

    solved: bool
    tally: Tally
    hard_steps: tuple[HardStep, ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """A solvable puzzle found by sampling, and its place in the `Recipe`."""

    index: int
    puzzle: Puzzle
    screening: Screening


def screen(puzzle: Puzzle, engine: str = "auto") -> Screening:
    """Open by logic alone all that can be opened. Raises `EngineError` for an engine that is not there."""
    board = puzzle.board
    clues = board.clues.ravel().tolist()
    undecided = np.ones(board.rows * board.cols, dtype=np.bool_)
    claims = [0] * (max(Tier) + 1)
    hard_steps: list[HardStep] = []
    knowledge = reasoner(board.rows, board.cols, board.mines, engine)
    news = [row * board.cols + col for row, col in Game(board).open(puzzle.first_click)]
    to_open = len(clues) - board.mines
    while True:
        knowledge.learn(news, [clues[cell] for cell in news])
        undecided[news] = False
        to_open -= len(news)
        if not to_open:
            return Screening(True, _tally(puzzle, claims, undecided), tuple(hard_steps))
        steps = knowledge.advance()
        if not steps:
            return Screening(False, (0, 0, 0, 0), tuple(hard_steps))
        if steps[0].tier >= Tier.MORE_CLUES:
            before = undecided.reshape(board.mine_map.shape).copy()
            hard_steps += [HardStep(step, before) for step in steps]
        news = []
        for step in steps:
            claims[step.tier] += len(step.safe) + len(step.mines)
            undecided[list(step.mines)] = False
            news += step.safe


def screen_range(recipe: Recipe, start: int, stop: int, engine: str = "auto") -> Iterator[Kept]:
    """Sample the puzzles numbered `start` to `stop` - 1 and yield those that logic solves, in order."""
    if choose_engine(engine) == "native":
        yield from _screen_range_natively(recipe, start, stop)
        return
    for index in range(start, stop):
        puzzle = recipe.puzzle(index)
        screening = screen(puzzle, engine)
        if screening.solved:
            yield Kept(index, puzzle, screening)


def _screen_range_natively(recipe: Recipe, start: int, stop: int) -> Iterator[Kept]:
    """Let the kernel sample and screen, and decide here what was too wide for it."""
    size = recipe.rows, recipe.cols
    _, found, undecided = native.screen(size, recipe.mines, recipe.click, recipe.rule, recipe.seed, range(start, stop))
    kept = [
        Kept(
            index,
            Puzzle(Board.from_bytes(*size, mines), divmod(click, recipe.cols)),
            Screening(True, tally, tuple(_hard_step(size, moment) for moment in moments)),
        )
        for index, click, mines, tally, moments in found
    ]
    for index in undecided:
        puzzle = recipe.puzzle(index)
        screening = screen(puzzle, "native")
        if screening.solved:
            kept.append(Kept(index, puzzle, screening))
    yield from sorted(kept, key=lambda one: one.index)


def _hard_step(size: tuple[int, int], moment: native.Moment) -> HardStep:
    tier, safe, mines, clues, undecided = moment
    bits = np.unpackbits(np.frombuffer(undecided, dtype=np.uint8), count=size[0] * size[1])
    return HardStep(Step(Tier(tier), safe, mines, clues), bits.reshape(size).astype(np.bool_))


def _tally(puzzle: Puzzle, claims: list[int], undecided: NDArray[np.bool_]) -> Tally:
    """Count decided cells by tier; what no harder tier claimed and the first click did not open, one clue decides.

    Mines next to a safe cell are obvious at the end, even if the last cell was opened before anybody had to look.
    """
    board = puzzle.board
    first = len(Game(board).open(puzzle.first_click))
    seen_mines = board.mine_map & (count_neighbours(~board.mine_map) > 0)
    decided = ~board.mine_map | seen_mines | ~undecided.reshape(board.mine_map.shape)
    two, more, count = claims[Tier.TWO_CLUES], claims[Tier.MORE_CLUES], claims[Tier.MINE_COUNT]
    return int(np.count_nonzero(decided)) - first - two - more - count, two, more, count
