"""Exact counts of solutions, without listing them."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from minesweeper.player.gems.puzzle import GemError, Part
from minesweeper.player.logic.clues import clues_of_variables

MAX_STATES: Final = 1_000_000


class TooWide(GemError):
    """A part with too many states to count its solutions."""


def count_part(part: Part) -> int:
    """Count the solutions of a part exactly. Raises `TooWide`.

    The cells are filled in the part's order. Partial solutions with the same remaining needs of the unfinished clues
    have the same continuations, so they are counted together.
    """
    left = [len(variables) for variables, _ in part.clues]
    if any(not 0 <= need <= cells for (_, need), cells in zip(part.clues, left, strict=True)):
        return 0
    active: list[int] = []
    ways: dict[tuple[int, ...], int] = {(): 1}
    for clues in clues_of_variables(part.clues).values():
        new = [clue for clue in clues if clue not in active]
        active += new
        needs = tuple(part.clues[clue][1] for clue in new)
        spots = [(active.index(clue), left[clue] - 1) for clue in clues]
        for clue in clues:
            left[clue] -= 1
        stay = [spot for spot, clue in enumerate(active) if left[clue]]
        after: dict[tuple[int, ...], int] = defaultdict(int)
        for state, number in ways.items():
            for trap in (0, 1):
                filled = [*state, *needs]
                for spot, room in spots:
                    filled[spot] -= trap
                    if not 0 <= filled[spot] <= room:
                        break
                else:
                    after[tuple(filled[spot] for spot in stay)] += number
        ways = after
        if len(ways) > MAX_STATES:
            raise TooWide(f"a part of {part.size} cells is too wide to count its solutions")
        active = [active[spot] for spot in stay]
    return ways.get((), 0)
