"""Solution paths: the deductions that solve a puzzle, or find the closure of a view, in order, each with its reason.

Every step is the easiest deduction of its position. A set of clues *forces* a cell if the cell has the same value in
every placement of mines on the unknown cells that fits these clues. A step is

* without the number of mines if any clues alone force a cell;
* then, of the smallest sets of clues that force some cell, the first in reading order (a set is sorted row by row, and
  sets are compared clue by clue);
* all cells that this set forces.

After a step of a puzzle, its safe cells are opened, and a zero opens its opening as in the game. In a view they become
known and stay closed. The definition names no engine and no order of search, so a path depends only on the puzzle.

If no set of up to 12 clues forces a cell, the step rests on a minimal set: all clues of the component (all clues of the
board with the number of mines) without each clue that can be dropped, tried from the farthest from the first decided
cell to the nearest. Such a step is not `smallest`.

A checker needs no solver. It processes the unknown cells around the clues of a step one by one, clue by linked clue,
and keeps the set of states: the mines that each clue still needs, the mines placed, and whether a claim is violated.
The step holds if and only if no state with a violated claim survives; the unknown cells around no clue of the step can
take any number of the remaining mines from zero to their own number. States of the same time differ only in the clues
begun and not finished and in the mines placed. So their number is at most 9 to the power of the clues open at once,
times twice the number of mines: polynomial for a bounded width, however many clues the number of mines links.
``docs/checker/check_path.py`` is such a checker.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeVar

from minesweeper.player import kernel_api
from minesweeper.player.board import Puzzle, View, ViewLike, as_view
from minesweeper.player.chance.probability import explained
from minesweeper.player.errors import TooWide
from minesweeper.player.kernel_api import PathArrays
from minesweeper.player.limits import check_time
from minesweeper.player.steps import Tier
from minesweeper.player.why.deduction import Deduction

_T = TypeVar("_T")

VERSION: Final = 1
"""The version of `SolutionPath.to_json`."""


@dataclass(frozen=True)
class SolutionPath:
    """The steps from the first click of a puzzle, or from a view, as far as logic leads.

    `solved` is True if they open every safe cell of the puzzle; for a view it is False. `hash` has 16 hexadecimal
    digits: the 64-bit hash FNV-1a of these numbers, in place of bytes: `VERSION`, rows, columns, and for each step its
    tier, the number of its safe cells, these cells (as ``row * cols + col``), and the same of its mines and clues.
    """

    start: Puzzle | View
    steps: tuple[Deduction, ...]
    solved: bool
    hash: str

    def in_words(self) -> str:
        """Return a numbered line for each step, and one about the end."""
        lines = [f"{number:>4}  [{step.tier.title}] {step.in_words()}" for number, step in enumerate(self.steps, 1)]
        if isinstance(self.start, Puzzle):
            lines.append("every safe cell is open" if self.solved else "logic leads no further")
        return "\n".join(lines)

    def steps_to_bytes(self) -> bytes:
        """Return the steps of `to_json` as JSON, compressed by zlib: the column ``path`` of a database.

        Raises `OutOfTime` at the end of a time limit.
        """
        encode = json.JSONEncoder(separators=(",", ":")).encode
        return zlib.compress(f"[{','.join([encode(step.to_json()) for step in _in_time(self.steps)])}]".encode())

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON: the format of ``packs export --format path``."""
        start = self.start
        board = start.board if isinstance(start, Puzzle) else start
        shown: dict[str, Any] = {"view": board.lines} if isinstance(board, View) else {"board": str(board).splitlines()}
        if isinstance(start, Puzzle):
            shown["first_click"] = [*start.first_click]
        return {
            "version": VERSION,
            "rows": board.rows,
            "cols": board.cols,
            "mines": board.mines,
            **shown,
            "solved": self.solved,
            "hash": self.hash,
            "steps": [step.to_json() for step in self.steps],
        }


def solution_path(start: ViewLike) -> SolutionPath:
    """Find the path of a puzzle from its first click, or of a view.

    `start` may be the text of a view, as `View.from_text` reads it. Raises `InconsistentView` if no layout fits the
    view, `TooWide` if a component is too wide to enumerate, and `EngineError` without the kernel.

    >>> path = ms.solution_path(ms.Recipe("beginner", seed=7).puzzle(0))
    >>> path.solved, len(path.steps), path.hash
    (True, 22, '16c7e48f5f68962c')
    >>> path.steps[0].mines, path.steps[0].clues
    (((2, 2),), ((3, 3),))
    """
    kernel_api.require("a solution path")
    if isinstance(start, Puzzle):
        return next(solution_paths([start]))
    view = as_view(start)
    with explained(view):
        return _path(kernel_api.view_path(view), 0, view)


def solution_paths(puzzles: Iterable[Puzzle]) -> Iterator[SolutionPath]:
    """Yield the path of each puzzle. Raises as `solution_path` does."""
    kernel_api.require("a solution path")
    for alike, found in kernel_api.solution_paths(puzzles):
        for place, puzzle in enumerate(alike):
            yield _path(found, place, puzzle)


def path_arrays(puzzles: Sequence[Puzzle]) -> PathArrays:
    """Return the paths of puzzles of one size in a few arrays.

    Raises `ValueError` for several sizes, and `EngineError` without the kernel.
    """
    kernel_api.require("a solution path")
    batches = [found for _, found in kernel_api.solution_paths(puzzles)]
    if len(batches) != 1:
        raise ValueError(f"puzzles of {len(batches)} sizes; expected one or more of one size")
    return batches[0]


def _path(found: PathArrays, place: int, start: Puzzle | View) -> SolutionPath:
    if found.too_wide[place]:
        raise TooWide("a component is too wide to enumerate")
    cols = start.board.cols if isinstance(start, Puzzle) else start.cols
    first, last = found.first_step[place : place + 2].tolist()
    bounds = found.bounds[3 * first : 3 * last + 1].tolist()
    cells = [divmod(number, cols) for number in found.cells[bounds[0] : bounds[-1]].tolist()]
    pieces = iter([tuple(cells[begin - bounds[0] : end - bounds[0]]) for begin, end in pairwise(bounds)])
    kinds = _in_time(zip(found.tier[first:last].tolist(), found.smallest[first:last].tolist(), strict=True))
    steps = tuple(Deduction(Tier(tier), next(pieces), next(pieces), next(pieces), smallest) for tier, smallest in kinds)
    return SolutionPath(start, steps, bool(found.solved[place]), f"{found.hash[place]:016x}")


def _in_time(items: Iterable[_T]) -> Iterator[_T]:
    """Yield items until the end of a time limit, then raise `OutOfTime`."""
    for item in items:
        check_time()
        yield item
