"""Clues reduced to their undecided cells, and the components that shared cells link them to.

Layout counting, SAT, reasons, unavoidable guesses and Gem Hunter all start from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import check_cells

Clue = tuple[Sequence[int], int]
"""A reduced clue: the variables of its undecided neighbours, and the number of mines among them."""


def reduced_clues(
    grid: Grid, cells: NDArray[np.int8], undecided: NDArray[np.bool_], mine_map: NDArray[np.bool_] | None = None
) -> tuple[dict[Cell, Clue], list[Cell]]:
    """Reduce every clue of the cells of a grid, where a clue is a number from 0.

    `undecided` marks the cells that get a variable, and `mine_map` the known mines. Returns the clues by cell, in
    reading order, and the cells of the variables: variable n, from 1 on in reading order, belongs to place n - 1.
    Raises `BoardError` for more than a million cells.
    """
    check_cells(grid.shape, "logic in Python")
    need = cells if mine_map is None else cells - grid.count(mine_map)
    places: list[list[int]] = np.argwhere(undecided).tolist()
    variables = np.zeros(undecided.size, dtype=np.intp)
    variables[undecided.ravel()] = range(1, len(places) + 1)
    numbers = variables.tolist()
    clues: dict[Cell, Clue] = {}
    for row, col in np.argwhere(cells >= 0).tolist():
        near = map(numbers.__getitem__, grid.numbered[row * grid.cols + col])
        clues[row, col] = (list(filter(None, near)), int(need[row, col]))
    return clues, [(row, col) for row, col in places]


def components(clues: Sequence[Clue]) -> Iterator[list[int]]:
    """Yield the components as lists of places in `clues`.

    The order is that of a breadth-first walk over shared variables, so neighbours stay close to each other.
    """
    touching = clues_of_variables(clues)
    visited: set[int] = set()
    for start in range(len(clues)):
        if start in visited:
            continue
        visited.add(start)
        found = [start]
        for place in found:
            for variable in clues[place][0]:
                # Each variable links its clues once.
                further = [near for near in touching.pop(variable, ()) if near not in visited]
                visited.update(further)
                found += further
        yield found


def groups_of(clues: Sequence[Clue]) -> dict[tuple[int, ...], list[int]]:
    """Group the variables of clues by the places of the clues that touch them; a group is interchangeable."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for variable, places in clues_of_variables(clues).items():
        groups.setdefault(tuple(places), []).append(variable)
    return groups


def variables_of(clues: Iterable[Clue]) -> list[int]:
    """List the variables of clues in the order of their first occurrence."""
    return list(dict.fromkeys(variable for variables, _ in clues for variable in variables))


def clues_of_variables(clues: Sequence[Clue]) -> dict[int, list[int]]:
    """Map each variable, in the order of first occurrence, to the places of the clues that touch it."""
    touching: dict[int, list[int]] = {}
    for place, (variables, _) in enumerate(clues):
        for variable in variables:
            touching.setdefault(variable, []).append(place)
    return touching
