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

from player.board import Cell, Puzzle
from player.game import Game, Status
from player.logic import Tier, native
from player.logic.reasons import easiest_step, reason
from player.logic.sat import SatReasoner

Tally = tuple[int, int, int, int]


def clues_at_once(puzzle: Puzzle, tally: Tally) -> int | None:
    """Count the clues that the hardest step of a solvable puzzle needs at once, by SAT; None if that can't be proved.

    `tally` counts the cells that each tier decides.
    """
    if not _is_hard(tally):
        return _easy(tally)
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    mines: dict[Cell, bool] = {}
    most = 0
    while (step := easiest_step(game.view, given=mines, seconds=inf)) is not None:
        reasons = [step.reason]
        decided = dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
        if step.tier is Tier.MINE_COUNT:
            if game.status is not Status.PLAYING:
                break
            decided = _decided_by_mine_count(game)
            reasons = [reason(game.view, cell, given=mines, seconds=inf) for cell in decided if cell not in mines]
        if not all(found.smallest for found in reasons):
            return None
        most = max(most, min(len(found.clues) for found in reasons))
        mines |= {cell: True for cell, mine in decided.items() if mine}
        for cell in (cell for cell, mine in decided.items() if not mine):
            if game.status is Status.PLAYING:
                game.open(cell)
    return most


def clues_at_once_of_many(puzzles: Sequence[Puzzle], tallies: Sequence[Tally | None]) -> list[int | None]:
    """Count the same for many puzzles in the kernel; None for those that are not solvable and have no tally, and,
    if the kernel was not built, for those that need more than two clues.
    """
    hard = [puzzle for puzzle, tally in zip(puzzles, tallies, strict=True) if tally is not None and _is_hard(tally)]
    searched = (one.clues_at_once for one in native.solve_all(hard)) if native.available() else repeat(None)
    return [None if tally is None else next(searched) if _is_hard(tally) else _easy(tally) for tally in tallies]


def _is_hard(tally: Tally) -> bool:
    return tally[2] + tally[3] > 0


def _easy(tally: Tally) -> int:
    return 2 if tally[1] else min(tally[0], 1)


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
