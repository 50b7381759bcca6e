"""Proofs of the answers of tasks that share no code with the toolkit: python task_oracle.py < TASKS.

Only the text of each prompt is read. PySAT then decides every hidden cell, with the clues and the number of mines as
cardinality constraints. Where a move has no safe cell, the solver in docs/vectors counts layouts in exact fractions.
"""

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from pysat.card import CardEnc, EncType
from pysat.formula import IDPool
from pysat.solvers import Cadical153

sys.path.append(str(Path(__file__).parents[2] / "docs" / "vectors"))
from reference_solver import solve

Cell = tuple[int, int]
Position = dict[Cell, int | None]
"""The clue of each open cell, None for a hidden cell."""


def read(prompt: str) -> Position:
    """Read the position at the end of a prompt in any encoding; constraints name only the clues at hidden cells."""
    body = prompt.split("\n\n")[-1]
    cells: Position = {}
    if body.startswith("Open cells and"):
        opened, hidden = body.split("\n")
        cells |= {(int(r), int(c)): int(n) for r, c, n in re.findall(r"\[(\d+), (\d+)\] (\d)", opened)}
        cells |= {(int(r), int(c)): None for r, c in re.findall(r"\[(\d+), (\d+)\]", hidden)}
    elif body.startswith("Open cells, the mines"):
        *clues, hidden = body.split("\n")
        cells |= {(int(r), int(c)): None for r, c in re.findall(r"\[(\d+), (\d+)\]", hidden)}
        for line in clues[1:]:
            name, number, around = re.fullmatch(r"\[(\d+, \d+)\] (\d) of (.*)", line).groups()  # type: ignore[union-attr]
            row, col = map(int, name.split(", "))
            cells[row, col] = int(number)
            listed = [(int(r), int(c)) for r, c in re.findall(r"\[(\d+), (\d+)\]", around)]
            assert listed == [other for other in near((row, col), cells) if cells[other] is None]
    else:
        head, *rows = (line.split() for line in body.split("\n"))
        for row, *symbols in rows:
            assert len(symbols) == len(head)
            for col, symbol in zip(head, symbols, strict=True):
                cells[int(row), int(col)] = None if symbol == "#" else int(symbol)
    return cells


def near(cell: Cell, cells: Position) -> list[Cell]:
    """List the neighbours of a cell on the board."""
    row, col = cell
    around = [(row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return [other for other in around if other in cells]


def decided(cells: Position, mines: int) -> tuple[list[Cell], list[Cell]]:
    """Return the hidden cells that are safe, and those that are mines, in every layout."""
    pool = IDPool()
    variable = {cell: pool.id(cell) for cell, clue in cells.items() if clue is None}
    sums = [(list(variable.values()), mines)]
    for cell, clue in cells.items():
        if clue is not None:
            sums.append(([variable[other] for other in near(cell, cells) if other in variable], clue))
    answers: tuple[list[Cell], list[Cell]] = [], []
    with Cadical153() as solver:
        for literals, bound in sums:
            if literals:
                form = CardEnc.equals(lits=literals, bound=bound, vpool=pool, encoding=EncType.seqcounter)
                solver.append_formula(form.clauses)
            else:
                assert bound == 0
        assert solver.solve(), "no layout fits"
        model = set(solver.get_model())
        for cell, number in sorted(variable.items()):
            mine = number in model
            if not solver.solve(assumptions=[-number if mine else number]):
                answers[mine].append(cell)
    return answers


def check_turn(prompt: str, answer: dict[str, Any], rows: int, cols: int, mines: int) -> None:
    """Assert that the answer to one prompt is right and complete."""
    cells = read(prompt)
    whole = [(row, col) for row in range(rows) for col in range(cols)]
    assert sorted(cells) == [cell for cell in whole if cell in cells or "the mines around" not in prompt]
    safe, sure = decided(cells, mines)
    if "safe" in answer:
        assert (answer["safe"], answer["mines"]) == ([list(cell) for cell in safe], [list(cell) for cell in sure])
        return
    best, chance = safe, 0.0
    if not safe:
        # Constraints leave out open cells that touch no hidden one: none of them touches a mine.
        shown = {cell: "#" if clue is None else str(clue) for cell, clue in cells.items()}
        lines = ["".join(shown.get((r, c), "0") for c in range(cols)) for r in range(rows)]
        chances = solve(lines, mines)[1]
        chance = min(chances.values())
        best = sorted(cell for cell in chances if chances[cell] == chance)
    assert answer["open"] == [list(cell) for cell in best]
    assert abs(answer["chance"] - chance) < 1e-9


def check(task: dict[str, Any]) -> None:
    """Assert that the answer of a task is right and complete, and that the turns of a game follow from each other."""
    rows, cols, mines = task["rows"], task["cols"], task["mines"]
    assert f"{rows} rows, {cols} columns and {mines} mine" in task["prompt"]
    turns = task["answer"].get("turns") or [{"prompt": task["prompt"], **task["answer"]}]
    assert turns[0]["prompt"] == task["prompt"]
    for turn in turns:
        check_turn(turn["prompt"], turn, rows, cols, mines)
    for turn, following in pairwise(turns):
        before, after = read(turn["prompt"]), read(following["prompt"])
        opened = {cell for cell in before if before[cell] is None and after.get(cell, 0) is not None}
        assert opened >= set(map(tuple, turn["safe"])) != set()
        assert all(before[cell] in (None, after.get(cell, before[cell])) for cell in before)


if __name__ == "__main__":
    checked: Counter[str] = Counter()
    for line in sys.stdin:
        one = json.loads(line)
        try:
            check(one)
        except AssertionError:
            print("WRONG", one["id"])
            checked["wrong"] += 1
        checked[f"{one['kind']} {one['rows']}x{one['cols']}, grade {one['grade']}"] += 1
    print(*(f"{name}: {number}" for name, number in sorted(checked.items())), sep="\n")
    sys.exit(bool(checked["wrong"]) or not checked)
