"""The clauses of proofs in Python, from the definition in `minesweeper.generator.certify`."""

from __future__ import annotations

from collections import defaultdict
from itertools import compress, count

from minesweeper.player.board import Board, numbered_neighbours
from minesweeper.player.logic.clues import Clue
from minesweeper.player.logic.cnf import Clause, clue_formula, count_formula
from minesweeper.player.steps import HardStep, Tier


def clauses_of(board: Board, hard_step: HardStep) -> list[Clause] | None:
    """Return the clauses of `minesweeper.generator.certify.proof_clauses`."""
    step, undecided = hard_step.step, hard_step.undecided
    near = numbered_neighbours(board.rows, board.cols)
    if step.tier is Tier.MINE_COUNT and not step.clues:
        touching = set[int]().union(*compress(near, undecided))
        clue_cells = sorted(clue for clue in touching if not undecided[clue] and not board.cells[clue])
    else:
        clue_cells = list(step.clues)
    variable: defaultdict[int, int] = defaultdict(count(1).__next__)
    clues: list[Clue] = []
    for clue in clue_cells:
        if undecided[clue] or board.cells[clue]:
            return None
        around = [cell for cell in near[clue] if undecided[cell]]
        clues.append((tuple(variable[cell] for cell in around), sum(board.cells[cell] for cell in around)))
    if step.tier is Tier.MINE_COUNT:
        frontier, unconstrained = range(1, len(variable) + 1), undecided.count(1) - len(variable)
        mines = sum(compress(board.cells, undecided))
        formula, other_mine, other_safe = count_formula(clues, frontier, unconstrained, mines, "totalizer")
    else:
        formula, other_mine, other_safe = clue_formula(clues), None, None
    negation: set[int] = set()
    for claimed, sign, other in ((step.safe, 1, other_mine), (step.mines, -1, other_safe)):
        for cell in claimed:
            literal = sign * variable[cell] if cell in variable else other
            if literal is None or not undecided[cell]:
                return None
            negation.add(literal)
    return [*formula.clauses, sorted(negation)]
