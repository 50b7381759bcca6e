"""Solution paths: the deductions that solve a puzzle, or find the closure of a view, in order, each with its reason.

``docs/reference/paths.md`` defines them, their JSON and their hash, with a check. The definition names
no engine and no order of search, so a path depends only on the puzzle.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Puzzle, View, ViewLike, as_view
from minesweeper.player.core.errors import TooWide
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.limits import check_cells, check_time
from minesweeper.player.core.steps import Tier
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.probability import explained

_T = TypeVar("_T")
_TIERS: Final = tuple(Tier)

NumberedStep = tuple[int, bool, Sequence[int], Sequence[int], Sequence[int]]
"""The tier of a step, whether no smaller set of clues decides a cell, its safe cells, mines and clues, all as
``row * cols + col``."""

PATH_VERSION: Final = 1
"""The version of `SolutionPath.to_json`."""


@dataclass(frozen=True)
class SolutionPath:
    """The steps from the first click of a puzzle, or from a view, as far as logic leads.

    `solved` is True if they open every safe cell of the puzzle; for a view it is False. `hash` has 16 hexadecimal
    digits: the 64-bit hash FNV-1a of these numbers, in place of bytes: `PATH_VERSION`, rows, columns, and for each step
    its tier, the number of its safe cells, these cells (as ``row * cols + col``), and the same of its mines and clues.
    `numbered` has these numbers, and `steps` deductions, which are made on first use.

    >>> ms.solution_path(ms.Recipe("beginner", seed=7).puzzle(0)).steps[0].mines
    ((2, 2),)
    """

    start: Puzzle | View
    solved: bool
    hash: str
    numbered: Sequence[NumberedStep] = field(repr=False)

    @cached_property
    def steps(self) -> tuple[Deduction, ...]:
        """The deductions in order. Raises `OutOfTime` at the end of a time limit."""
        cols = self.start.cols if isinstance(self.start, View) else self.start.board.cols

        def cells(numbers: Iterable[int]) -> tuple[Cell, ...]:
            return tuple([divmod(number, cols) for number in numbers])

        return tuple(
            Deduction(_TIERS[tier], cells(safe), cells(mines), cells(clues), smallest)
            for tier, smallest, safe, mines, clues in _in_time(self.numbered)
        )

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
            "version": PATH_VERSION,
            **board.size_to_json(),
            **shown,
            "solved": self.solved,
            "hash": self.hash,
            "steps": [step.to_json() for step in self.steps],
        }


def solution_path(start: ViewLike, *, mines: int | None = None) -> SolutionPath:
    """Find the path of a puzzle from its first click, or of a view.

    `start` and `mines` are a position in any form that `View` takes. Raises `InconsistentView` if no layout fits the
    view, `TooWide` if a component is too wide to enumerate, and `EngineError` without the kernel.

    >>> path = ms.solution_path(ms.Recipe("beginner", seed=7).puzzle(0))
    >>> path.solved, len(path.steps), path.hash
    (True, 22, '16c7e48f5f68962c')
    >>> path.steps[0].mines, path.steps[0].clues
    (((2, 2),), ((3, 3),))
    """
    kernel_api.require("a solution path")
    if isinstance(start, Puzzle) and mines is None:
        return next(solution_paths([start]))
    view = as_view(start, mines)
    check_cells(view.grid.shape, "the path of a view")
    with explained(view):
        return _path(view, kernel_api.native_view(view).path())


def solution_paths(puzzles: Iterable[Puzzle]) -> Iterator[SolutionPath]:
    """Yield the path of each puzzle. Raises as `solution_path` does."""
    kernel_api.require("a solution path")
    for grid, alike in kernel_api.batches(puzzles):
        for puzzle, path in zip(alike, kernel_api.native_puzzles(grid, alike).paths(), strict=True):
            yield _path(puzzle, path)


def _path(start: Puzzle | View, path: kernel.Path) -> SolutionPath:
    if path.too_wide:
        raise TooWide("a component is too wide to enumerate")
    return SolutionPath(start, path.solved, path.hash, path.steps)


def _in_time(items: Iterable[_T]) -> Iterator[_T]:
    """Yield items until the end of a time limit, then raise `OutOfTime`."""
    for item in items:
        check_time()
        yield item
