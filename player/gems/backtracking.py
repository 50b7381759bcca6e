"""The algorithm ``backtracking``: fill cell by cell, gem first; go back as soon as a clue cannot be satisfied."""

from __future__ import annotations

from collections.abc import Iterator

from minesweeper.player.gems.puzzle import Part
from minesweeper.player.logic.clues import clues_of_variables


def backtracking_solutions(part: Part) -> Iterator[list[bool]]:
    """Yield all solutions of a part, each a list of bool by variable."""
    size = part.size
    seen_by = list(clues_of_variables(part.clues).values())
    need = [count for _, count in part.clues]
    left = [len(variables) for variables, _ in part.clues]
    if any(not 0 <= count <= cells for count, cells in zip(need, left, strict=True)):
        return
    traps = [False] * size
    tried = [0] * (size + 1)  # number of values tried in each cell
    cell = 0
    while cell >= 0:
        if cell == size:
            yield traps.copy()
        elif tried[cell] < 2:
            trap = tried[cell] == 1
            tried[cell] += 1
            traps[cell] = trap
            possible = True
            for clue in seen_by[cell]:
                left[clue] -= 1
                need[clue] -= trap
                possible &= 0 <= need[clue] <= left[clue]
            cell += 1
            if possible:
                tried[cell] = 0
                continue
        # Both values tried: undo the previous cell.
        cell -= 1
        if cell >= 0:
            for clue in seen_by[cell]:
                left[clue] += 1
                need[clue] += traps[cell]
