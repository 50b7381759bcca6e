"""Random puzzles: random traps, and a selection of the other cells with hidden clues."""

from __future__ import annotations

from random import Random
from typing import Final

from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Grid, grid_of
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.gems.puzzle import UNKNOWN_CELL, GemPuzzle
from minesweeper.player.logic.clauses import CLAUSE_SOLVER, exactly, new_solver, solve

_ATTEMPTS: Final = 200


def generate(
    grid: Grid, traps: int, seed: int, *, gems: int | None = None, unique: bool = False
) -> tuple[GemPuzzle, NDArray[np.bool_]]:
    """Generate the puzzle of a `seed` on a rectangle, and return it with its traps, an array of bool.

    The traps and `gems` other cells (default: half of them) are unknown; all others show their clues. With `unique`,
    the puzzle has one solution, and gems are hidden in random order only as long as it stays the only one, up to
    `gems`. Raises `BoardError` for impossible numbers, or without a unique puzzle.
    """
    cells = grid.cells
    if not 0 <= traps <= cells:
        raise BoardError(f"{traps} traps do not fit {grid.name}; expected 0 to {cells}")
    most = (cells - traps) // 2 if gems is None else gems
    if not 0 <= most <= cells - traps:
        raise BoardError(f"{most} gems do not fit beside {traps} traps; expected 0 to {cells - traps}")
    random = Random(seed)
    for _ in range(_ATTEMPTS if unique else 1):
        trap_map = np.zeros(grid.shape, dtype=np.bool_)
        trap_map.reshape(-1)[random.sample(range(cells), traps)] = True
        # A trap that touches only traps touches no clue, so it could be a gem.
        if not unique or (grid.count(~trap_map)[trap_map] > 0).all():
            break
    else:
        raise BoardError(
            f"{traps} traps are too many for a unique puzzle: some clue must touch each; expected fewer traps"
        )
    order = np.flatnonzero(~trap_map).tolist()
    random.shuffle(order)
    hidden = _hidden_gems(trap_map, order, most) if unique else order[:most]
    shown = np.where(trap_map, np.int8(UNKNOWN_CELL), grid.count(trap_map)).astype(np.int8)
    shown.reshape(-1)[hidden] = UNKNOWN_CELL
    return GemPuzzle(shown), trap_map


def _hidden_gems(traps: NDArray[np.bool_], order: list[int], most: int) -> list[int]:
    """Hide up to `most` clues of cells, in this order, whenever the rest still has one solution.

    Hiding more clues never removes a solution, so a cell that cannot be hidden now cannot be hidden later.
    """
    grid = grid_of(traps.shape)
    cols = grid.cols
    clues = grid.count(traps).ravel().tolist()
    # Variable n + 1 is true if the cell n is a trap. Two more for each cell: its clue is shown, and another solution
    # differs in it or next to it.
    solution = [cell if trap else -cell for cell, trap in enumerate(traps.ravel().tolist(), 1)]
    near = {cell: [r * cols + c for r, c in grid.neighbours(divmod(cell, cols))] for cell in order}
    shown = {cell: traps.size + cell + 1 for cell in order}
    hidden: list[int] = []
    with new_solver(CLAUSE_SOLVER) as solver:
        for cell in order:
            solver.add_clause([-shown[cell], solution[cell]])
            for clause in exactly([other + 1 for other in near[cell]], clues[cell]):
                solver.add_clause([-shown[cell], *clause])
        for place, cell in enumerate(order):
            if len(hidden) == most:
                break
            # Elsewhere, another solution would satisfy the hidden clue, too.
            differs = shown[cell] + traps.size
            solver.add_clause([-differs, *(-solution[other] for other in (cell, *near[cell]))])
            if solve(solver, [differs, *(shown[later] for later in order[place + 1 :])]):
                solver.add_clause([shown[cell]])
            else:
                solver.add_clause([-shown[cell]])
                hidden.append(cell)
    return hidden
