"""The effort of solving a puzzle: the number of clues that it requires at once, and measures of its solution path.

Clues at once: a player repeatedly opens and marks everything that follows from the fewest clues. The result is the
largest number of clues used together. Every order of deductions needs as many, because a consequence of some clues
stays one when more is known. The number of mines is used only where no clues alone decide a cell. The count there is
that of the clues needed besides the mine count for the easiest cell, and everything that the mine count decides is
taken. So puzzles of the tier 1 clue have 1, of the tier 2 clues 2, of the tier more clues 3 or more; with the mine
count any number is possible.

The kernel computes the number along with a solution, in well under a millisecond; `clues_at_once` uses SAT; and
`generator.certify` reads it off a solution path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from math import inf

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, Puzzle, cells_of
from minesweeper.player.errors import TooWide
from minesweeper.player.game import Game, Status
from minesweeper.player.limits import check_time
from minesweeper.player.logic import closure
from minesweeper.player.logic.rules import Position
from minesweeper.player.steps import PathEffort, Tally, Tier
from minesweeper.player.why.deduction import Deduction
from minesweeper.player.why.path import SolutionPath, solution_path
from minesweeper.player.why.reasons import easiest_step, reason


def clues_at_once(puzzle: Puzzle, tally: Tally) -> int | None:
    """Return the number of clues that a solvable puzzle requires at once, by SAT; None if it cannot be proved.

    `tally` counts the cells that each tier decides.
    """
    if not _is_hard(tally):
        return tally.easy_clues
    game = Game(puzzle.board)
    position = Position(puzzle.board.rows, puzzle.board.cols, puzzle.board.mines)
    mines: dict[Cell, bool] = {}
    most = 0
    opened_cells = game.open(puzzle.first_click)
    while game.status is Status.PLAYING:
        for cell in opened_cells:
            position.learn(_place(position, cell), int(puzzle.board.clues[cell]))
        decided, clues = _by_one_or_two_clues(position)
        if not decided:
            decided, reasons = _by_more(game, mines)
            if not all(found.smallest for found in reasons):
                return None
            clues = min(len(found.clues) for found in reasons)
            for cell, mine in decided.items():
                position.decide([_place(position, cell)], mine)
        most = max(most, clues)
        mines |= {cell: True for cell, mine in decided.items() if mine}
        opened_cells = []
        for cell in (cell for cell, mine in decided.items() if not mine):
            if game.status is Status.PLAYING:
                opened_cells += game.open(cell)
    return most


def clues_at_once_of_many(puzzles: Sequence[Puzzle], tallies: Sequence[Tally | None]) -> list[int | None]:
    """Return the number for many puzzles, by the kernel; None for puzzles without a tally, which are not solvable.

    Without the kernel the result is None for puzzles that need more than two clues.
    """
    hard = [puzzle for puzzle, tally in zip(puzzles, tallies, strict=True) if tally is not None and _is_hard(tally)]
    searched = kernel_api.solve_all(hard) if kernel_api.available() else repeat(None)
    found = (None if one is None else one.clues_at_once for one in searched)
    return [None if tally is None else next(found) if _is_hard(tally) else tally.easy_clues for tally in tallies]


def _is_hard(tally: Tally) -> bool:
    return tally.hardest > Tier.TWO_CLUES


def _by_one_or_two_clues(position: Position) -> tuple[dict[Cell, bool], int]:
    """Decide cells by single clues, or else by pairs; return whether they are mines, and the number of clues."""
    safe, mines = position.one_clue()
    clues = 1
    if not safe and not mines:
        two_safe, two_mines = position.two_clues()
        safe, mines, clues = list(two_safe), list(two_mines), 2
        position.take_changed()
        position.decide(safe, False)
        position.decide(mines, True)
    cells = {divmod(position.number(place), position.cols): False for place in safe}
    return cells | {divmod(position.number(place), position.cols): True for place in mines}, clues


def _by_more(game: Game, mines: dict[Cell, bool]) -> tuple[dict[Cell, bool], list[Deduction]]:
    """Decide cells by the fewest clues of three or more, or else by the mine count; return them with the reasons."""
    step = easiest_step(game.view, given=mines)
    if step is None:
        raise ValueError("the puzzle is not solvable by logic")
    if step.tier is not Tier.MINE_COUNT:
        return dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True), [step]
    known = closure(game.view, "sat")
    by_count = known.tiers == Tier.MINE_COUNT
    decided = dict.fromkeys(cells_of(known.safe_map & by_count), False)
    decided |= {mine: True for mine in cells_of(known.mine_map & by_count) if mine not in mines}
    return decided, [reason(game.view, cell, given=mines, seconds=inf) for cell in decided]


def _place(position: Position, cell: Cell) -> int:
    return position.place(cell[0] * position.cols + cell[1])


def path_effort(path: SolutionPath) -> PathEffort:
    """Measure the path of a puzzle. Raises `OutOfTime` at the end of a time limit."""
    if not isinstance(path.start, Puzzle):
        raise TypeError("the path of a view; expected that of a puzzle")
    board = path.start.board
    # With a border, every cell has eight neighbours.
    width = board.cols + 2
    near = (-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1)
    border = [0] * width
    clues = [*border, *chain.from_iterable([0, *row, 0] for row in board.clues.tolist()), *border]
    known_at: list[int | None] = [*border, *([0, *[None] * board.cols, 0] * board.rows), *border]

    def learn(cells: Iterable[Cell], moment: int) -> None:
        waiting = [(row + 1) * width + col + 1 for row, col in cells]
        while waiting:
            cell = waiting.pop()
            if known_at[cell] is None:
                known_at[cell] = moment
                if clues[cell] == 0:
                    waiting += [cell + step for step in near]

    learn([path.start.first_click], 0)
    waits = []
    for made, step in enumerate(path.steps):
        check_time()
        places = [(row + 1) * width + col + 1 for row, col in step.clues]
        around = (known_at[clue + offset] or 0 for clue in places for offset in (0, *near))
        waits.append(0 if step.mine_count else made - max(around))
        learn(step.safe + step.mines, made + 1)
    hard = sum(step.tier > Tier.TWO_CLUES for step in path.steps)
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
