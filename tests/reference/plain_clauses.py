"""Hard steps of solution paths and their clauses, from the definition in `minesweeper.generator.certify`."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import compress, count

from minesweeper import Board, Cell, Game, Puzzle, solution_path
from minesweeper.player.core.steps import HardStep, Step, Tier
from minesweeper.player.kernel_api import native_grid
from minesweeper.player.logic.clauses import Clause, clue_formula, contradictory, count_formula
from minesweeper.player.logic.clues import Clue


def hard_path_steps(puzzle: Puzzle) -> list[HardStep]:
    """Return the steps of a solution path beyond two clues."""
    game, cols = Game(puzzle.board), puzzle.board.cols
    undecided = bytearray(b"\1" * len(puzzle.board.cells))
    found = []

    def decide(cells: Iterable[Cell]) -> None:
        for row, col in cells:
            undecided[row * cols + col] = 0

    decide(game.open(puzzle.first_click))
    for step in solution_path(puzzle).steps:
        if step.tier > Tier.TWO_CLUES:
            numbers = ([row * cols + col for row, col in cells] for cells in (step.safe, step.mines, step.clues))
            found.append(HardStep(Step(step.tier, *map(tuple, numbers)), bytes(undecided)))
        decide(step.mines)
        for cell in step.safe:
            decide(game.open(cell))
    return found


def follows(board: Board, hard_step: HardStep) -> bool:
    """Return whether the clues of a step force every cell that it claims; all clues at tier 4 if it names none."""
    clauses = kernel_clauses(board, hard_step)
    return clauses is not None and contradictory(clauses)


def kernel_clauses(board: Board, hard_step: HardStep) -> list[Clause] | None:
    """Return the clauses that the kernel makes, None for an impossible claim."""
    step, undecided = hard_step.step, hard_step.undecided
    counted = step.tier is Tier.MINE_COUNT
    grid = native_grid(board.grid)
    return grid.proof_clauses(board.cells, undecided, counted, step.safe, step.mines, step.clues)


def clauses_of(board: Board, hard_step: HardStep) -> list[Clause] | None:
    """Return the clauses of `kernel_clauses`, prepared in Python."""
    step, undecided = hard_step.step, hard_step.undecided
    near = board.grid.numbered
    if step.tier is Tier.MINE_COUNT and not step.clues:
        touching = set[int]().union(*map(near.__getitem__, compress(count(), undecided)))
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
