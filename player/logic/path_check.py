"""Solution paths from other programs: reading them from JSON, and checking each step by SAT.

A valid path need not be the canonical one of `player.logic.path`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import KINDS, Cell, cell_of, is_cell
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.path import PATH_VERSION
from minesweeper.player.logic.sat import component_backbone, count_backbone


def check_path(data: Mapping[str, Any], board: Board) -> Puzzle:
    """Check a path in JSON, as `SolutionPath.to_json` writes it, and return its puzzle. Raises `FormatError`.

    `data` must have `first_click` and `steps`. Other keys may be missing; if there, they must be right. Every step is
    proved. `board` is the board that `data` names.
    """
    if data.get("version", PATH_VERSION) != PATH_VERSION:
        raise FormatError(f"version is {data['version']!r:.60}; expected {PATH_VERSION}")
    for key, true in board.size_to_json().items():
        if data.get(key, true) != true:
            raise FormatError(f"{key} is {data[key]!r:.60}; expected {true}, as on the board")
    try:
        puzzle = Puzzle(board, _cell(data.get("first_click"), board))
    except ValueError as error:
        raise FormatError(f"first_click: {error}") from None
    if not isinstance(data.get("steps"), list):
        raise FormatError(f"steps is {data.get('steps')!r:.60}; expected a list of objects")
    steps = [_step(step, number, board) for number, step in enumerate(data["steps"], 1)]
    closed = _prove(puzzle, steps)
    if data.get("solved", not closed) != (not closed):
        raise FormatError(
            f"solved is {data['solved']!r:.60}, but the steps leave {counted(closed, 'safe cell')} closed"
        )
    if data.get("hash", name := path_hash(board, steps)) != name:
        raise FormatError(f"hash is {data['hash']!r:.60}; expected {name} for these steps")
    return puzzle


def path_hash(board: Board, steps: Iterable[Deduction]) -> str:
    """Compute `SolutionPath.hash`."""
    grid = board.grid
    numbers = [PATH_VERSION, *grid.shape, *([KINDS[grid.kind]] if grid.kind or grid.holes else [])]
    numbers += [cell for cell, hole in enumerate(grid.holes) if hole]
    for step in steps:
        numbers.append(step.tier)
        for cells in (step.safe, step.mines, step.clues):
            numbers += [len(cells), *(row * board.cols + col for row, col in cells)]
    value = 0xCBF29CE484222325
    for number in numbers:
        value = (value ^ number) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def _step(data: Any, number: int, board: Board) -> Deduction:
    try:
        if not isinstance(data, dict):
            raise ValueError(f"it is {data!r:.60}; expected an object")
        parts: list[tuple[Cell, ...]] = []
        for key in ("safe", "mines", "clues"):
            if not isinstance(data.get(key), list):
                raise ValueError(f"{key} is {data.get(key)!r:.60}; expected a list of cells [row, col]")
            parts.append(tuple(sorted(_cell(cell, board) for cell in data[key])))
        tier = Tier.MINE_COUNT if data.get("count") else Tier(min(len(parts[2]), Tier.MORE_CLUES))
        if data.get("tier") != tier:
            needs = counted(len(parts[2]), "clue") + " and the mine count" * bool(data.get("count"))
            raise ValueError(f"tier is {data.get('tier')!r:.60}; expected {int(tier)} for {needs}")
    except ValueError as error:
        raise FormatError(f"step {number}: {error}") from None
    safe, mines, clues = parts
    return Deduction(tier, safe, mines, clues, bool(data.get("smallest")))


def _cell(cell: Any, board: Board) -> Cell:
    if not is_cell(cell):
        raise ValueError(f"{cell!r:.60} is no cell; expected [row, col]")
    return cell_of(board.grid, cell)


def _prove(puzzle: Puzzle, steps: Iterable[Deduction]) -> int:
    """Prove every step; return the number of safe cells left closed. Raises `FormatError` for the first fault."""
    board, cols = puzzle.board, puzzle.board.cols
    near = board.grid.numbered
    opened = set(board.opening(puzzle.first_click).tolist())
    unknown = set(board.grid.numbers) - opened
    for number, step in enumerate(steps, 1):
        safe, mines, clues = ([row * cols + col for row, col in part] for part in (step.safe, step.mines, step.clues))
        if not safe + mines:
            raise FormatError(f"step {number} decides no cell; expected a safe cell or a mine")
        if len({*safe, *mines}) < len(safe + mines):
            raise FormatError(f"step {number} decides a cell twice; expected each cell once")
        for cell in chain(safe, mines):
            if cell not in unknown:
                raise FormatError(f"step {number} decides {divmod(cell, cols)}, which is known before it")
        for clue in clues:
            if clue not in opened:
                raise FormatError(f"step {number} uses the clue at {divmod(clue, cols)}, which is not open before it")
        # Variables are cell numbers from 1.
        around = [[cell + 1 for cell in near[clue] if cell in unknown] for clue in clues]
        reduced = [(tuple(cells), sum(board.cells[cell - 1] for cell in cells)) for cells in around if cells]
        forced_safe, forced_mines = _forced(reduced, unknown, board, count=step.mine_count)
        for claimed, forced, value in ((safe, forced_safe, "safe"), (mines, forced_mines, "a mine")):
            for cell in claimed:
                if cell not in forced:
                    source = "the clues that it names" + " and the number of mines" * step.mine_count
                    raise FormatError(f"step {number} claims that {divmod(cell, cols)} is {value}; {source} allow both")
        for cell in safe:
            opened.update(board.opening(divmod(cell, cols)).tolist())
        unknown -= opened.union(mines)
    return sum(not board.cells[cell] for cell in unknown)


def _forced(
    reduced: list[tuple[tuple[int, ...], int]], unknown: set[int], board: Board, *, count: bool
) -> tuple[set[int], set[int]]:
    """Return the safe cells and the mines that reduced clues force, alone or with the number of mines."""
    if count:
        others = {cell + 1 for cell in unknown}.difference(*(cells for cells, _ in reduced))
        safe, mines, others_are = count_backbone(reduced, len(others), sum(board.cells[cell] for cell in unknown))
        if others_are is not None:
            (mines if others_are else safe).extend(others)
    else:
        safe, mines = component_backbone(reduced)
    return {cell - 1 for cell in safe}, {cell - 1 for cell in mines}
