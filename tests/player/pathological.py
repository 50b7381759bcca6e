"""Worst-case positions for the engines, and an independent closure.

``python tests/player/pathological.py stripes 100 native 10`` prints the closure of one within ten seconds, with the
time and memory used. The engine ``pysat`` is the independent closure, which has no time limit.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

from minesweeper import View, closure

Marks = NDArray[np.bool_]


def view_of(mine_map: Marks, open_map: Marks, more: int = 0) -> View:
    """Return the view of a board with these cells open, except mines; its mine count is `more` too high."""
    rows, cols = mine_map.shape
    clues = np.zeros((rows, cols), dtype=np.int8)
    wide = np.pad(mine_map, 1).astype(np.int8)
    for row in range(3):
        for col in range(3):
            clues += wide[row : row + rows, col : col + cols]
    return View(np.where(open_map & ~mine_map, clues, -1).astype(np.int8), int(mine_map.sum()) + more)


def _random(shape: tuple[int, int], share: float, seed: int) -> Marks:
    return np.random.default_rng(seed).random(shape) < share


def frontiers_121(size: int) -> View:
    """Hide every fourth row, with mines that make clues 1-2-1 along it."""
    mine_map = np.zeros((size, size), dtype=np.bool_)
    mine_map[::4, 1::5] = mine_map[::4, 3::5] = True
    hidden = np.zeros_like(mine_map)
    hidden[::4] = True
    return view_of(mine_map, ~hidden)


def snake_121(size: int) -> View:
    """Make one such frontier: hidden cells along every fourth row, linked along the sides."""
    hidden = np.zeros((size, size), dtype=np.bool_)
    hidden[::4] = True
    for row in range(0, size - 4, 4):
        hidden[row : row + 5, -1 if row % 8 == 0 else 0] = True
    mine_map = hidden & _random((size, size), 0.4, 3)
    return view_of(mine_map, ~hidden)


def stripes(size: int) -> View:
    """Hide every other row, half of it mines."""
    hidden = np.zeros((size, size), dtype=np.bool_)
    hidden[::2] = True
    return view_of(hidden & _random((size, size), 0.5, 1), ~hidden)


def isolated_clues(size: int) -> View:
    """Open every other cell of every other row; larger views claim three mines more than there are."""
    open_map = np.zeros((size, size), dtype=np.bool_)
    open_map[1::2, 1::2] = True
    return view_of(_random((size, size), 0.3, 0) & ~open_map, open_map, 3 if size > 12 else 0)


def lonely_clues(size: int) -> View:
    """Open clues that share no cell, with exactly the mines that they need."""
    cells = np.full((size, size), -1, dtype=np.int8)
    cells[1::3, 1::3] = 2
    return View(cells, 2 * int((cells >= 0).sum()))


def one_row(size: int) -> View:
    """Make a board of one row."""
    mine_map = _random((1, size), 0.3, 2)
    return view_of(mine_map, _random((1, size), 0.5, 5))


def one_column(size: int) -> View:
    """Make a board of one column."""
    row = one_row(size)
    return View(np.ascontiguousarray(row.cells.T), row.mines)


def all_but_one(size: int) -> View:
    """Fill the board with mines except for one open cell."""
    open_map = np.zeros((size, size), dtype=np.bool_)
    open_map[size // 2, size // 2] = True
    return view_of(~open_map, open_map)


def all_but_two(size: int) -> View:
    """Fill the board with mines except for two cells, one of them open."""
    open_map = np.zeros((size, size), dtype=np.bool_)
    open_map[size // 2, size // 2] = True
    mine_map = ~open_map
    mine_map[0, 0] = False
    return view_of(mine_map, open_map)


def half_mines(size: int) -> View:
    """Make half the cells mines, and open half of the others."""
    return view_of(_random((size, size), 0.5, 4), _random((size, size), 0.5, 6))


def wires(size: int) -> View:
    """Lay Richard Kaye's wires across the board in every fourth row; each carries either signal."""
    # This width leaves their ends undecided.
    mine_map = np.zeros((size, size - (size - 2) % 3), dtype=np.bool_)
    hidden = mine_map.copy()
    hidden[1::4, ::3] = hidden[1::4, 1::3] = True
    mine_map[1::4, ::3] = True
    return view_of(mine_map, ~hidden)


KINDS: Final[dict[str, Callable[[int], View]]] = {
    kind.__name__: kind
    for kind in (
        frontiers_121,
        snake_121,
        stripes,
        isolated_clues,
        lonely_clues,
        one_row,
        one_column,
        all_but_one,
        all_but_two,
        half_mines,
        wires,
    )
}


def closure_by_pysat(view: View) -> tuple[Marks, Marks]:
    """Return the safe cells and the mines of a view by definition: one formula, and a proof for each cell."""
    names = np.zeros(view.cells.shape, dtype=int)
    hidden = np.argwhere(view.cells < 0)
    names[tuple(hidden.T)] = range(1, len(hidden) + 1)
    top = len(hidden)
    with Solver("cadical153") as solver:
        sums = [
            (names[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2].ravel(), int(view.cells[r, c]))
            for r, c in np.argwhere(view.cells >= 0).tolist()
        ]
        for cells, mines in [*sums, (names.ravel(), view.mines)]:
            among = [int(name) for name in cells if name]
            if not among:
                continue
            kind = EncType.pairwise if mines == 1 else EncType.seqcounter
            if len(among) > 8:
                # A totalizer of some thousand cells would take gigabytes.
                kind = EncType.totalizer if len(among) < 1000 else EncType.cardnetwrk
            encoded = CardEnc.equals(among, mines, top_id=top, encoding=kind)
            top = max(top, encoded.nv)
            solver.append_formula(encoded.clauses)
        if not solver.solve():
            raise ValueError("no layout fits")
        same = set(solver.get_model()[: len(hidden)])
        backbone = set()
        while same:
            literal = same.pop()
            if solver.solve(assumptions=[-literal]):
                same &= set(solver.get_model()[: len(hidden)])
            else:
                backbone.add(literal)
    safe = np.isin(names, [-literal for literal in backbone if literal < 0])
    mine = np.isin(names, [literal for literal in backbone if literal > 0])
    return safe, mine


def main(kind: str, size: str, engine: str, seconds: str) -> None:
    """Print the closure of a position as JSON."""
    view = KINDS[kind](int(size))
    before, began, used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter(), time.process_time()
    if engine == "pysat":
        (safe, mines), complete = closure_by_pysat(view), True
    else:
        found = closure(view, engine, time_limit=float(seconds))
        safe, mines, complete = found.safe_map, found.mine_map, found.complete
    report = {
        "view": view.name,
        "engine": engine,
        "complete": complete,
        "safe": int(safe.sum()),
        "mines": int(mines.sum()),
        "hidden": int((view.cells < 0).sum()),
        "digest": sha256(safe.tobytes() + mines.tobytes()).hexdigest()[:12],
        "seconds": round(time.perf_counter() - began, 2),
        "cpu": round(time.process_time() - used, 2),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "megabytes_before": round(before / 1024),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
