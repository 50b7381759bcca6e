"""Check public Minesweeper tasks: python audit.py SYNLOGIC INTERNBOOTCAMP, the folders of their checkouts.

It needs the toolkit and TextArena: pip install minesweeper-toolkit textarena. README.md describes the figures.
"""

import contextlib
import io
import json
import random
import re
import sys
from pathlib import Path

import numpy as np
from pysat.card import CardEnc
from pysat.formula import IDPool
from pysat.solvers import Cadical153

import minesweeper as ms
from minesweeper.generator.screening import screen

SIZES, STEPS, EACH, BOARDS = range(4, 17), 10, 10, 2000


def near(row, col, cells):
    """List the neighbours of a cell among `cells`."""
    around = [(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    return [cell for cell in around if cell in cells and cell != (row, col)]


def certain_mines(grid):
    """Return the hidden cells (X) that are mines in every placement that fits the numbers; no mine count is given."""
    symbols = {(row, col): symbol for row, line in enumerate(grid) for col, symbol in enumerate(line)}
    pool = IDPool()
    hidden = {cell: pool.id(cell) for cell, symbol in symbols.items() if symbol == "X"}
    with Cadical153() as solver:
        for cell, symbol in symbols.items():
            around = [hidden[other] for other in near(*cell, symbols) if other in hidden]
            if symbol != "X" and around:
                solver.append_formula(CardEnc.equals(around, bound=int(symbol), vpool=pool).clauses)
        return {cell for cell, number in hidden.items() if not solver.solve(assumptions=[-number])}


def audit_synlogic(folder):
    """Compare the labels of generated puzzles with all certain mines."""
    sys.path.insert(0, folder)
    from games.tasks.minesweeper.scripts.minesweeper import Minesweeper

    random.seed(0)
    incomplete = {True: [], False: []}
    for size in SIZES:
        for step in range(STEPS):
            share = 0.3 + 0.1 * step / (STEPS - 1)
            with contextlib.redirect_stdout(io.StringIO()):
                puzzles = Minesweeper(size, share, share).generate(EACH)
            for puzzle in puzzles:
                labels = set(map(tuple, puzzle.metadata["current_mines"]))
                certain = certain_mines(puzzle.metadata["revealed_grid"])
                assert labels <= certain
                one_step = "one-step" in puzzle.question or "一步" in puzzle.question
                incomplete[one_step].append(labels != certain)
    for one_step, found in incomplete.items():
        about = "ask for one-step deductions" if one_step else "ask for all cells that must be mines"
        print(f"SynLogic: labels incomplete in {sum(found)} of {len(found)} puzzles whose prompts {about}")


def audit_internbootcamp(folder):
    """Answer each evaluation puzzle with the cells that its prompt does not list."""
    lines = Path(folder, "examples/data/InternBootcamp_eval/minesweeper.jsonl").read_text().splitlines()
    solved = 0
    for puzzle in map(json.loads, lines):
        listed = {(int(row), int(col)) for row, col in re.findall(r"\((\d+), (\d+)\): ", puzzle["prompt"])}
        truth = puzzle["ground_truth"]
        every = {(row, col) for row in range(truth["rows"]) for col in range(truth["cols"])}
        solved += every - listed == set(map(tuple, truth["mines"]))
    print(f"InternBootcamp: {solved} of {len(lines)} puzzles solved by the cells that the prompt does not list")


def audit_textarena():
    """Solve the boards of each variant by logic, play them, and open a mine."""
    import textarena

    for name in ("-small", "", "-medium", "-hard"):
        puzzles, continued = [], 0
        for seed in range(BOARDS):
            env = textarena.make(f"Minesweeper-v0{name}")
            env.reset(num_players=1, seed=seed)
            inner = env
            while hasattr(inner, "env"):
                inner = inner.env
            click = inner.rows // 2, inner.cols // 2
            env.step(f"[{click[0]} {click[1]}]")
            mines = np.array(inner.grid) == -1
            puzzles.append(ms.Puzzle(ms.Board(mines), click))
            row, col = np.argwhere(mines)[0]
            continued += not env.step(f"[{row} {col}]")[0]
        logic = sum(screen(puzzle).solved for puzzle in puzzles)
        won = sum(
            result.won for result in ms.play_many(ms.player.PuzzleList(puzzles), range(BOARDS), "champion", workers=1)
        )
        print(
            f"TextArena: {puzzles[0].board.name}: logic solves {100 * logic / BOARDS:.1f}%, champion wins "
            f"{100 * won / BOARDS:.1f}% of {BOARDS}; {continued} games go on after the first opened mine"
        )


if __name__ == "__main__":
    audit_internbootcamp(sys.argv[2])
    audit_textarena()
    audit_synlogic(sys.argv[1])
