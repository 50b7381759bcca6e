"""Tasks for language models: positions as text, with complete answers.

There are three kinds. ``deduce`` requests every cell that is safe, and every cell that is a mine, in all layouts.
``move`` requests a cell with the lowest probability of a mine. ``game`` requests all deductions of a no-guess game,
turn by turn. Positions come from games on random boards: logic opens all safe cells, and where none is certain, a
random one of them is opened.

The *grade* of a task follows from the `solution_path` of its view or game, for a move from the steps up
to the first safe cell: 1 for few steps, each of one clue, 2 for more of them, 3 if a step needs two clues, 4 if one
needs more, 5 if one needs the number of mines or, for a move, if no cell is safe. Few steps are at most one for every
4 cells of the board in a game, 8 in a position, and 16 for a move.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, count, islice
from typing import Any, Final, Literal, get_args

from minesweeper.player.core.board import HIDDEN, Board, View, cells_of
from minesweeper.player.core.errors import ConfigError, counted
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.recipe import Recipe, Stream
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.clues import reduced_clues
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.path import solution_path
from minesweeper.player.logic.probability import TooWide, probabilities

Kind = Literal["deduce", "move", "game"]
Encoding = Literal["grid", "cells", "constraints"]
TASK_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ENCODINGS: Final[tuple[Encoding, ...]] = get_args(Encoding)
GRADES: Final = (1, 2, 3, 4, 5)

_PURPOSE: Final = 4
_FEW_STEPS: Final[dict[Kind, int]] = {"game": 4, "deduce": 8, "move": 16}
_MOST_TRIED: Final = 2000
_SAME: Final = 1e-10
_DIGITS: Final = 12

_INTRODUCTION: Final = (
    "Minesweeper with {rows} rows, {cols} columns and {mines} on the whole board. A cell is [row, column]: rows are "
    "counted from 0 at the top, columns from 0 at the left. The number in an open cell is the number of mines in the "
    "{around} # is a hidden cell."
)
_AROUND: Final = "up to 8 cells around it, diagonals included."
_AROUND_HEXAGON: Final = (
    "up to 6 cells around it. The cells are hexagons, and odd rows lie half a cell to the right: [r, c] touches "
    "[r, c-1] and [r, c+1], and in the rows r-1 and r+1 the columns c-1 and c if r is even, c and c+1 if r is odd."
)
_WRAPS_ROWS: Final = " The first row touches the last row."
_WRAPS_COLS: Final = " The first column touches the last column."
_HOLES: Final[dict[Encoding, str]] = {
    "grid": " The grid has holes: - is no cell.",
    "cells": " The grid has holes: places that are not listed are no cells.",
    "constraints": " The grid has holes: places that are not listed are no cells.",
}
_QUESTIONS: Final[dict[Kind, str]] = {
    "deduce": "Find every hidden cell that is safe in all placements of the mines that fit the position, and every "
    "hidden cell that is a mine in all of them.",
    "move": "All placements of the mines that fit the position are equally likely. Choose the hidden cell with the "
    "lowest probability of a mine; if several have it, any of them.",
    "game": "This game needs no guess. Find every hidden cell that is safe in all placements of the mines that fit the "
    "position, and every hidden cell that is a mine in all of them. Then the safe cells are opened and you get the "
    "next position, until all safe cells are open. List all mines again in each turn.",
}
_LISTS: Final = '{"safe": [[row, column], ...], "mines": [[row, column], ...]}'
_FORMS: Final[dict[Kind, str]] = {"deduce": _LISTS, "move": '{"open": [row, column]}', "game": _LISTS}


@dataclass(frozen=True)
class Turn:
    """A prompt about a view, and the complete answer as plain data for JSON."""

    view: View
    prompt: str
    answer: dict[str, Any]


@dataclass(frozen=True)
class LogicTask:
    """A task: puzzle `index` of `recipe` after `turn` turns. A game has several `turns`, other kinds one."""

    recipe: Recipe
    index: int
    turn: int
    kind: Kind
    encoding: Encoding
    grade: int
    turns: tuple[Turn, ...]

    @property
    def id(self) -> str:
        """A name that is different for different tasks of one start rule and first click."""
        return f"{self.kind}-{self.recipe.name}-{self.recipe.seed}-{self.index}-{self.turn}-{self.encoding}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON. The answer of a game has all its turns."""
        first = self.turns[0]
        turns = [{"prompt": one.prompt, "view": one.view.lines, **one.answer} for one in self.turns]
        return {
            "id": self.id,
            "kind": self.kind,
            "encoding": self.encoding,
            "grade": self.grade,
            **self.recipe.to_json(),
            "index": self.index,
            "turn": self.turn,
            "view": first.view.lines,
            "prompt": first.prompt,
            "answer": {"turns": turns} if self.kind == "game" else first.answer,
        }


def tasks(
    recipe: Recipe, kind: Kind = "deduce", *, grades: Sequence[int] = GRADES, encoding: Encoding = "grid"
) -> Iterator[LogicTask]:
    """Yield tasks without end, the same on every machine: one of each of `grades` in turn, no view twice in a grade.

    Raises `ConfigError` if 2000 puzzles in a row have no new position of a grade, and `EngineError` without the kernel.
    """
    each = [_tasks_of_grade(recipe, kind, grade, encoding) for grade in grades]
    while each:
        for one in each:
            yield next(one)


def _tasks_of_grade(recipe: Recipe, kind: Kind, grade: int, encoding: Encoding) -> Iterator[LogicTask]:
    seen: set[View] = set()
    tried = 0
    for index in count():
        found = [one for one in _graded(recipe, index, kind) if one[1] == grade and one[2][0][0] not in seen]
        tried += 1
        if found:
            turn, _, positions = found[Stream(recipe.seed, index, _PURPOSE).below(len(found))]
            seen.add(positions[0][0])
            turns = tuple(
                make_turn(view, known, kind, encoding, first=not at) for at, (view, known) in enumerate(positions)
            )
            yield LogicTask(recipe, index, turn, kind, encoding, grade, turns)
            tried = 0
        elif tried == _MOST_TRIED:
            raise ConfigError(
                f"no new task of kind {kind} and grade {grade} in {_MOST_TRIED} puzzles of {recipe.name} in a row; "
                "expected fewer tasks, a larger board or another grade"
            )


_Positions = list[tuple[View, Deductions]]


def _graded(recipe: Recipe, index: int, kind: Kind) -> Iterator[tuple[int, int, _Positions]]:
    """Yield turn, grade and positions of all tasks of a puzzle."""
    puzzle = recipe.puzzle(index)
    cells = recipe.grid.cells
    turns = positions(puzzle.board, puzzle.view, recipe.seed, index)
    with suppress(TooWide):
        if kind == "game":
            path = solution_path(puzzle)
            if path.solved and path.steps:
                yield 0, _grade(path.steps, kind, cells), list(turns)
            return
        for turn, (view, known) in enumerate(turns):
            steps = solution_path(view).steps
            if kind == "move":
                first = next((at for at, step in enumerate(steps, 1) if step.safe), None)
                grade = GRADES[-1] if first is None else _grade(steps[:first], kind, cells)
                yield turn, grade, [(view, known)]
            elif steps:
                yield turn, _grade(steps, kind, cells), [(view, known)]


def positions(board: Board, view: View, seed: int, index: int) -> Iterator[tuple[View, Deductions]]:
    """Yield the views of a game from `view` on, each with its closure, until every safe cell is open.

    Each turn opens the safe cells of the closure, or without any a random safe cell, which (seed, index) determine.
    """
    stream = Stream(seed, index, _PURPOSE)
    opened = view.cells != HIDDEN
    while np.count_nonzero(~opened) > board.mines:
        view = board.view(opened)
        known = closure(view)
        yield view, known
        cells = cells_of(known.safe_map)
        if not cells:
            safe = cells_of(~opened & ~board.mine_map)
            cells = (safe[stream.below(len(safe))],)
        opened = opened.copy()
        for cell in cells:
            opened.ravel()[board.opening(cell)] = True


def _around(grid: Grid) -> str:
    """Describe the neighbours of a cell on a grid of squares where some are missing."""
    steps = grid.steps[0]
    near = (f"[r{down:+d}, c{right:+d}]".replace("+0", "") for down, right in steps)
    return f"up to {len(steps)} cells that [r, c] touches: {', '.join(near)}."


def make_turn(view: View, known: Deductions, kind: Kind, encoding: Encoding, *, first: bool = True) -> Turn:
    """Return the prompt and the answer for a view and its closure. Only the `first` prompt of a game has the rules.

    Raises `TooWide` for a move if the layouts cannot be counted.
    """
    size = {"rows": view.rows, "cols": view.cols, "mines": counted(view.mines, "mine")}
    grid = view.grid
    around = _AROUND_HEXAGON if grid.hexagons else _AROUND if len(grid.steps[0]) == 8 else _around(grid)
    around += _WRAPS_ROWS * grid.wraps_rows + _WRAPS_COLS * grid.wraps_cols + _HOLES[encoding] * bool(grid.holes)
    rules = [
        _INTRODUCTION.format(**size, around=around),
        _QUESTIONS[kind],
        f"End your reply with one JSON object: {_FORMS[kind]}",
    ]
    prompt = "\n\n".join([*(rules if first else ["The next position:"]), encode(view, encoding)])
    if kind != "move":
        return Turn(view, prompt, {"safe": _lists(known.safe_map), "mines": _lists(known.mine_map)})
    chances = probabilities(view).chances
    least = np.nanmin(chances)
    best = chances <= least + _SAME
    return Turn(view, prompt, {"open": _lists(best), "chance": round(float(least), _DIGITS)})


def encode(view: View, encoding: Encoding) -> str:
    """Write a view as a grid with the numbers of its rows and columns, as lists of cells, or as constraints.

    A constraint is a number that touches hidden cells, with these cells.
    """
    hidden = _named(view.cells == HIDDEN)
    if encoding == "constraints":
        clues, cells = reduced_clues(view.grid, view.cells, view.cells == HIDDEN)
        constraints = [
            f"[{row}, {col}] {need} of {', '.join(str(list(cells[variable - 1])) for variable in variables)}"
            for (row, col), (variables, need) in clues.items()
            if variables
        ]
        return "\n".join(["Open cells, the mines around each, and the hidden cells around it:", *constraints, hidden])
    if encoding == "cells":
        opened = ", ".join(f"[{row}, {col}] {view.cells[row, col]}" for row, col in cells_of(view.opened))
        return f"Open cells and their numbers: {opened or 'none'}\n{hidden}"
    width = len(str(max(view.rows, view.cols) - 1))
    lines = [("", map(str, range(view.cols))), *((str(row), line) for row, line in enumerate(view.lines))]
    return "\n".join(f"{head:>{width}}  {' '.join(f'{cell:>{width}}' for cell in cells)}" for head, cells in lines)


def _named(hidden: NDArray[np.bool_]) -> str:
    return f"Hidden cells: {', '.join(str(list(cell)) for cell in cells_of(hidden))}"


def _lists(cells: NDArray[np.bool_]) -> list[list[int]]:
    return [list(cell) for cell in cells_of(cells)]


def _grade(steps: Sequence[Deduction], kind: Kind, cells: int) -> int:
    hardest = max(step.tier for step in steps)
    return 1 + hardest if hardest > Tier.ONE_CLUE or len(steps) > cells // _FEW_STEPS[kind] else 1


BUNDLED: Final[tuple[tuple[Kind, str, Encoding, int], ...]] = (
    ("deduce", "6x6/8", "grid", 30),
    ("deduce", "9x9/10", "cells", 40),
    ("deduce", "16x16/40", "grid", 40),
    ("deduce", "16x30/99", "grid", 40),
    ("move", "9x9/10", "grid", 50),
    ("move", "16x16/40", "cells", 40),
    ("game", "6x6/8", "grid", 30),
    ("game", "9x9/10", "cells", 30),
)
"""The parts of the bundled set: kind, board, encoding and number of tasks, all with seed 1."""
BUNDLED_HASH: Final = "6850d5f342446dfadfa10e6b35a89f1893a282e63756b2139c1a77c0018c17f0"
"""The SHA-256 of the lines of the bundled set."""


def bundled_tasks() -> list[str]:
    """Return the 300 tasks of the bundled set as lines of JSON. Raises `ConfigError` if their hash is wrong."""
    parts = (
        islice(tasks(Recipe(board, seed=1), kind, encoding=encoding), number)
        for kind, board, encoding, number in BUNDLED
    )
    lines = [json.dumps(task.to_json()) for task in chain.from_iterable(parts)]
    found = sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    if found != BUNDLED_HASH:
        raise ConfigError(f"the bundled tasks have the SHA-256 {found}; expected {BUNDLED_HASH}")
    return lines
