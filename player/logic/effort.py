"""The effort of solving a puzzle: the number of clues that it requires at once, and measures of its solution path.

Clues at once: a player repeatedly opens and marks everything that follows from the fewest clues. The result is the
largest number of clues used together. Every order of deductions needs as many, because a consequence of some clues
stays one when more is known. The number of mines is used only where no clues alone decide a cell. The count there is
that of the clues needed besides the mine count for the easiest cell, and everything that the mine count decides is
taken. So puzzles of the tier 1 clue have 1, of the tier 2 clues 2, of the tier more clues 3 or more; with the mine
count any number is possible.

The kernel computes the number along with a solution, in well under a millisecond, and `generator.certify` reads it off
a solution path.
"""

from __future__ import annotations

from collections.abc import Iterable

from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import TooWide
from minesweeper.player.core.limits import check_time
from minesweeper.player.core.steps import PathEffort, Tally, Tier
from minesweeper.player.kernel_api import available, solve_all
from minesweeper.player.logic.path import SolutionPath, solution_path


def clues_at_once(puzzle: Puzzle, tally: Tally) -> int | None:
    """Return the number for a solvable puzzle; None without the kernel if it is more than two."""
    if tally.hardest <= Tier.TWO_CLUES:
        return tally.easy_clues
    found = next(solve_all([puzzle])) if available() else None
    return None if found is None else found.clues_at_once


def path_effort(path: SolutionPath) -> PathEffort:
    """Measure the path of a puzzle. Raises `OutOfTime` at the end of a time limit."""
    if not isinstance(path.start, Puzzle):
        raise TypeError("the path of a view; expected that of a puzzle")
    board = path.start.board
    near, clues = board.grid.numbered, board.clues.ravel().tolist()
    known_at: list[int | None] = [None] * len(clues)

    def learn(cells: Iterable[int], moment: int) -> None:
        waiting = [*cells]
        while waiting:
            cell = waiting.pop()
            if known_at[cell] is None:
                known_at[cell] = moment
                if clues[cell] == 0:
                    check_time()
                    waiting += near[cell]

    for cell in board.opening(path.start.first_click).tolist():  # most cells of a sparse board
        known_at[cell] = 0
    waits = []
    hard = 0
    for made, (tier, _, safe, mines, places) in enumerate(path.numbered):
        check_time()
        around = (known_at[cell] or 0 for clue in places for cell in (clue, *near[clue]))
        waits.append(0 if tier == Tier.MINE_COUNT else made - max(around))
        learn((*safe, *mines), made + 1)
        hard += tier > Tier.TWO_CLUES
    # Every step is open for its wait and for the step that makes it.
    mean = round(1 + sum(waits) / len(waits), 3) if waits else 0.0
    return PathEffort(len(waits), hard, mean, max(waits, default=0))


def effort_of(puzzle: Puzzle) -> PathEffort | None:
    """Find the solution path of a puzzle and measure it; None if a component is too wide to enumerate.

    Raises `EngineError` without the kernel.
    """
    try:
        return path_effort(solution_path(puzzle))
    except TooWide:
        return None
