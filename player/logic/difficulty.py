"""The difficulty of a puzzle."""

from __future__ import annotations

from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.difficulty import Difficulty, rate_solution
from minesweeper.player.core.errors import NotSolvable, check_kind
from minesweeper.player.core.steps import Tally
from minesweeper.player.kernel_api import solve_all


def difficulty(tally: Tally | Puzzle, clues_at_once: int | None = None, safe_cells: int = 0) -> Difficulty:
    """Rate a puzzle, or the numbers of its solution, as `player.core.difficulty.rate_solution` describes.

    :param tally: a puzzle, which the kernel solves, or the numbers of cells that each tier decides
    :param clues_at_once: the number of clues its hardest step needs, see `player.logic.effort`; None counts as 2
    :param safe_cells: the number of safe cells
    :raises NotSolvable: for a puzzle that logic does not solve
    :raises EngineError: for a puzzle, without the kernel

    >>> ms.difficulty(ms.Recipe("beginner", seed=7).puzzle(0))
    Difficulty(score=0.66, word='easy')
    """
    check_kind(tally, (Puzzle, tuple), "a Puzzle or a Tally")
    if isinstance(tally, Puzzle):
        puzzle = tally
        (solution,) = solve_all([puzzle])
        if solution is None or not solution.solved:
            raise NotSolvable(f"logic does not solve puzzle {puzzle.id}; expected a solvable puzzle")
        tally, clues_at_once, safe_cells = solution.tally, solution.clues_at_once, puzzle.board.safe_cells
    return rate_solution(tally, clues_at_once, safe_cells)
