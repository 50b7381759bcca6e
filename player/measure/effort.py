"""How many clues at once does a puzzle take?

A player who opens and marks whatever follows from the fewest clues, and begins again each time, has to look at some
number of clues at once where the puzzle is hardest. No order of deductions gets by with fewer: what follows from some
clues still follows when more is known. The number of mines is left out for as long as clues alone decide anything;
where nothing but the mine count does, what counts is how many clues it needs besides for the easiest cell, and
everything that it decides is taken. So a puzzle that one clue at a time solves has 1, one of the next tier 2, one that
needs more clues 3 or more; one that needs the mine count may have any number.

The kernel finds this with every solution, in well under a millisecond; `clues_at_once` is the same by SAT.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from math import inf

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, Puzzle
from minesweeper.player.game import Game, Status
from minesweeper.player.logic.rules import Position
from minesweeper.player.logic.sat import SatReasoner
from minesweeper.player.steps import Tally, Tier
from minesweeper.player.why.reasons import Reason, easiest_step, reason


def clues_at_once(puzzle: Puzzle, tally: Tally) -> int | None:
    """Count the clues that the hardest step of a solvable puzzle needs at once, by SAT; None if that can't be proved.

    `tally` counts the cells that each tier decides.
    """
    if not _is_hard(tally):
        return _easy(tally)
    game = Game(puzzle.board)
    position = Position(puzzle.board.rows, puzzle.board.cols, puzzle.board.mines)
    mines: dict[Cell, bool] = {}
    most = 0
    news = game.open(puzzle.first_click)
    while game.status is Status.PLAYING:
        for cell in news:
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
        news = []
        for cell in (cell for cell, mine in decided.items() if not mine):
            if game.status is Status.PLAYING:
                news += game.open(cell)
    return most


def clues_at_once_of_many(puzzles: Sequence[Puzzle], tallies: Sequence[Tally | None]) -> list[int | None]:
    """Count the same for many puzzles in the kernel; None for those that are not solvable and have no tally, and,
    if the kernel was not built, for those that need more than two clues.
    """
    hard = [puzzle for puzzle, tally in zip(puzzles, tallies, strict=True) if tally is not None and _is_hard(tally)]
    searched = kernel_api.solve_all(hard) if kernel_api.available() else repeat(None)
    found = (None if one is None else one.clues_at_once for one in searched)
    return [None if tally is None else next(found) if _is_hard(tally) else _easy(tally) for tally in tallies]


def _is_hard(tally: Tally) -> bool:
    return tally.hardest > Tier.TWO_CLUES


def _easy(tally: Tally) -> int:
    return 2 if tally.two_clues else min(tally.one_clue, 1)


def _by_one_or_two_clues(position: Position) -> tuple[dict[Cell, bool], int]:
    """Decide what single clues do, or else pairs of them: whether cells are mines, and how many clues it took."""
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


def _by_more(game: Game, mines: dict[Cell, bool]) -> tuple[dict[Cell, bool], list[Reason]]:
    """What the fewest clues of more than two decide, and why; or else the mine count, and why for each new cell."""
    step = easiest_step(game.view, given=mines, seconds=inf)
    if step is None:
        raise ValueError("expected a puzzle that logic solves")
    if step.tier is not Tier.MINE_COUNT:
        return dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True), [step.reason]
    decided = {cell: mine for cell, mine in _decided_by_mine_count(game).items() if cell not in mines}
    return decided, [reason(game.view, cell, given=mines, seconds=inf) for cell in decided]


def _place(position: Position, cell: Cell) -> int:
    return position.place(cell[0] * position.cols + cell[1])


def _decided_by_mine_count(game: Game) -> dict[Cell, bool]:
    """What the mine count decides in a position where clues alone decide only mines that are known."""
    view = game.view
    knowledge = SatReasoner(view.rows, view.cols, view.mines)
    cells = view.cells.ravel().tolist()
    opened = [number for number, clue in enumerate(cells) if clue >= 0]
    knowledge.learn(opened, [cells[number] for number in opened])
    step = next(step for steps in iter(knowledge.advance, []) for step in steps if step.tier is Tier.MINE_COUNT)
    found = dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
    return {divmod(number, view.cols): mine for number, mine in found.items()}
