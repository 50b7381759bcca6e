"""Reasons in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minesweeper.player.errors import counted

if TYPE_CHECKING:
    from minesweeper.player.board import Cell
    from minesweeper.player.why.clue_map import ClueMap


def name_clue(clues: ClueMap, at: Cell) -> str:
    """Return a clue and its cell: ``1 at (3, 4)``."""
    return f"{clues.clue(at)} at {at}"


def listed(parts: Sequence[str]) -> str:
    """Join parts with commas and *and*."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def decided(safe: Sequence[Cell], mines: Sequence[Cell]) -> str:
    """Return a clause with safe cells and mines: ``(0, 0), (1, 0) are safe and (1, 3) is a mine``."""
    kinds = ((safe, "is safe", "are safe"), (mines, "is a mine", "are mines"))
    parts = [(", ".join(map(str, cells)), one if len(cells) == 1 else many) for cells, one, many in kinds if cells]
    return " and ".join(f"{cells} {verb}" for cells, verb in parts)


def explain_one(clues: ClueMap, at: Cell) -> str:
    """Explain a clue that needs none of its unknown cells, or all."""
    name = f"the clue {name_clue(clues, at)}"
    unknown, need = len(clues.unknown(at)), clues.need(at)
    mines = clues.given_around(at, mine=True)
    places = listed([str(mine) for mine in mines])
    if need == 0:
        if not mines:
            return f"{name} touches no mine"
        number = clues.clue(at)
        return f"{name} already touches its {'mine' if number == 1 else f'{number} mines'} at {places}"
    if not mines:
        return f"{name} touches only {counted(unknown, 'cell')} where a mine can be"
    found = f"{counted(len(mines), 'known mine')} at {places}"
    return f"{name} touches {found} and needs {need} more, with {counted(unknown, 'cell')} left"


def explain_two(clues: ClueMap, other: Cell, at: Cell, mine: bool) -> str:
    """Explain two overlapping clues that decide the cells that only the second, `at`, touches."""
    first, second = clues.unknown(other), clues.unknown(at)
    a, b = clues.need(other), clues.need(at)
    shared = len(first & second)
    share = (
        f"the clues {name_clue(clues, other)} and {name_clue(clues, at)} share {counted(shared, 'cell')}, which "
        f"{'holds' if shared == 1 else 'hold'}"
    )
    rest = len(second - first)
    if mine:
        most = min(shared, a)
        at_most = f"at most {counted(most, 'mine')}" if most < shared else counted(most, "mine")
        others = "its other cell" if rest == 1 else f"each of its other {rest} cells"
        return f"{share} {at_most}; the clue at {at} needs {b}, so {others} must be a mine"
    least = max(0, a - len(first - second))
    return f"{share} at least {counted(least, 'mine')}, all that the clue at {at} needs"


def explain_more(clues: ClueMap, chosen: Sequence[Cell], cell: Cell | None, mine: bool, mine_count: bool) -> str:
    """Explain by contradiction the value of a cell, or of several cells for None."""
    left = clues.mines_left
    unknown = len(clues.all_unknown)
    if mine_count and not chosen:
        if left == 0:
            return f"all {counted(clues.view.mines, 'mine')} are found" if clues.given else "there is no mine"
        return f"{counted(unknown, 'cell')} and {counted(left, 'mine')} are left"
    named = [name_clue(clues, at) for at in chosen]
    said = [f"the clue{'s' * (len(named) > 1)} {listed(named)}"]
    if mine_count:
        said.append(f"the number of mines, {clues.view.mines}," if not clues.given else f"the {left} mines left")
    both = "both " if len(chosen) + mine_count == 2 else "all "
    supposed = "any of them were otherwise" if cell is None else f"{cell} were {'safe' if mine else 'a mine'}"
    return f"if {supposed}, {listed(said)} could not {both}be true"
