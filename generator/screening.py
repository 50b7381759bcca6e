"""Screening: solve puzzles by logic alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import TooWide
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.steps import NOTHING, HardStep, Screening as Screening, Tally, Tier
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic import choose_engine, reasoner


@dataclass(frozen=True, eq=False)
class FoundPuzzle:
    """A solvable puzzle, its index in the `Recipe`, and its solution."""

    index: int
    puzzle: Puzzle
    screening: Screening


class MineSwap(NamedTuple):
    """Mines and safe cells, by number, that can trade places without changing the clue of any cell that stays safe."""

    mines: tuple[int, ...]
    safe: tuple[int, ...]


def screen(puzzle: Puzzle, engine: str = "auto") -> Screening:
    """Open every cell that logic can open.

    Raises `EngineError` for a missing engine, and `TooWide` if the kernel cannot enumerate a component.
    """
    native = choose_engine(engine) == "native"
    found = next(kernel_api.solve_all([puzzle])) if kernel_api.available() else None
    if not native:
        by_sat = screen_by_sat(puzzle)
        return by_sat if found is None else replace(by_sat, clues_at_once=found.clues_at_once)
    if found is None:
        raise TooWide(f"puzzle {puzzle.id} has a component too wide to enumerate")
    return found


def screen_by_sat(puzzle: Puzzle) -> Screening:
    """Return the result of `screen` with all hard steps; `clues_at_once` is None if one step needs more than two."""
    board = puzzle.board
    clues = board.clues.ravel().tolist()
    undecided = ~board.grid.hole_map.ravel()
    claims = [0] * (max(Tier) + 1)
    hard_steps: list[HardStep] = []
    knowledge = reasoner(board.grid, board.mines, "sat")
    news = board.opening(puzzle.first_click).tolist()
    to_open = board.safe_cells
    while True:
        knowledge.learn(news, [clues[cell] for cell in news])
        undecided[news] = False
        to_open -= len(news)
        if not to_open:
            tally = _tally(puzzle, claims, undecided)
            at_once = tally.easy_clues if tally.hardest <= Tier.TWO_CLUES else None
            return Screening(tally, tuple(hard_steps), None, at_once)
        steps = knowledge.advance()
        if not steps:
            return Screening(NOTHING, tuple(hard_steps), undecided.reshape(board.grid.shape))
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

    Without `count_clues` the kernel leaves out `Screening.clues_at_once`, which takes a seventh of the time. It skips
    boards with a component too wide to enumerate.
    """
    if choose_engine(engine) == "native":
        native = kernel_api.native_recipe(recipe, range(start, stop))
        yield from found_puzzles(recipe, native.screen(start, stop, 0, count_clues))
        return
    for index in range(start, stop):
        puzzle = recipe.puzzle(index)
        screening = screen(puzzle, engine)
        if screening.solved:
            yield FoundPuzzle(index, puzzle, screening)


def found_puzzles(recipe: Recipe, found: list[kernel.FoundPuzzle]) -> Iterator[FoundPuzzle]:
    """Convert the solvable puzzles that the kernel found. They have no hard steps."""
    grid, cols = recipe.grid, recipe.cols
    for one in found:
        puzzle = one.puzzle
        screening = kernel_api.screening(one.solution, grid)
        assert screening is not None
        board = Board.unchecked(grid, puzzle.mine)
        yield FoundPuzzle(one.index, Puzzle.unchecked(board, divmod(puzzle.click, cols)), screening)


def mine_swaps(puzzle: Puzzle) -> list[MineSwap]:
    """List the mine swaps of known small shapes. Each proves that logic cannot solve the puzzle."""
    found = kernel_api.native_puzzles(puzzle.board.grid, [puzzle]).mine_swaps()
    return [MineSwap(tuple(swap.mines), tuple(swap.safe)) for swap in found]


def _tally(puzzle: Puzzle, claims: list[int], undecided: NDArray[np.bool_]) -> Tally:
    """Count the decided cells by tier. One clue decides the cells that no harder tier and no first click decided.

    Every mine next to a safe cell counts as decided, because the opened board shows it.
    """
    board = puzzle.board
    first = len(board.opening(puzzle.first_click))
    seen_mines = board.mine_map & (board.grid.count(~board.mine_map) > 0)
    decided = ~board.mine_map | seen_mines | ~undecided.reshape(board.mine_map.shape)
    two, more, count = claims[Tier.TWO_CLUES], claims[Tier.MORE_CLUES], claims[Tier.MINE_COUNT]
    return Tally(int(np.count_nonzero(decided)) - first - two - more - count, two, more, count)
