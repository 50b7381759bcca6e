"""Write vectors.txt or grids.txt: positions with exact figures, each computed in two independent ways.

    python docs/vectors/vectors.py [--grids] [FILE]

Layouts and chances come from the toolkit (the kernel's probabilities, exact counts in Python, the closure of both
engines) and from reference_solver.py, and where ms_toollib can count from that, too. Sizes of smallest
reasons come from the toolkit and from OptUx, PySAT's search for smallest unsatisfiable subsets. If two ways disagree,
nothing is written. The file depends only on this script.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from random import Random
from runpy import run_path
from typing import Any, Final

import click
import numpy as np
from pysat.card import CardEnc, EncType
from pysat.examples.optux import OptUx
from pysat.formula import WCNF
from pysat.solvers import Solver
from tqdm import tqdm

from minesweeper.generator.screening import screen_by_sat, screen_range
from minesweeper.player.core.board import HIDDEN, Board, View, cells_of
from minesweeper.player.core.errors import InconsistentView
from minesweeper.player.core.game import Game
from minesweeper.player.core.grid import KINDS, Cell, Grid, grid_of
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import count_layouts, probabilities
from minesweeper.player.logic.reasons import reason
from minesweeper.scripts.console.terminal import Command

HERE: Final = Path(__file__).resolve().parent
reference_solve: Final = run_path(str(HERE / "reference_solver.py"))["solve"]

HEAD: Final = """\
# Minesweeper positions with exact figures, to test solvers. README.md describes the lines; check_vectors.py runs a
# solver on all positions. Positions are separated by empty lines.
#   position NAME
#   mines NUMBER                the mines on the board
#   layouts NUMBER              the placements of the mines that fit the position; 0 if it contradicts itself
#   view ROW                    one line for each row: a clue 0 to 8, # for a hidden cell or - for a hole of the grid
#   chance FRACTION CELL...     the hidden cells, as row,column from 0, with this probability of a mine;
#                               those with 0 are safe in every layout, those with 1 are mines in every layout
#   reason CLUES CELL...        the safe cells and mines that follow from this number of clues and no fewer;
#                               with +count, no set of clues suffices without the number of mines on the board
"""

BY_HAND: Final = """
nothing-hidden 0 00/00
one-safe-cell 0 #
one-mine 1 #
only-mines-hidden 2 ##/22
all-around-a-clue 3 3#/##
all-eight-neighbours 8 ###/#8#/###
no-mines-left 0 0##/###
no-mines-at-all 0 ###/###
nothing-but-mines 6 ###/###
fifty-fifty 1 #1#
one-of-five 1 #1#/###
one-of-eight 1 ###/#1#/###
dead-cells 3 111###/1#2###/112###
count-leaves-one-way 2 #1#1#
count-clears-the-rest 1 #1##
count-fills-the-rest 3 #1###
count-fits-the-parity 3 #1#1#1##
count-needs-every-minimum 4 #4#/###/###
count-binds-two-clues 3 #####/#3#2#/#####
count-does-not-bind 4 ######/#2##2#/######
count-opens-a-ring 8 #####/#212#/#1#1#/#212#/#####
island-behind-mines 4 001#/002#/113#/##3#/####
inconsistent-too-few-cells 2 3#/2#
inconsistent-clue-8-at-the-edge 5 #8#/###
inconsistent-zero-clue 2 01#/013/##0
inconsistent-clue-alone 1 10#/00#
inconsistent-neighbours 2 1#/3#/1#
inconsistent-needs-more-mines 1 #1##1#
inconsistent-leaves-mines-over 5 #1#/###
inconsistent-parity 3 #1#1#1#
"""

# Boards of patterns: `.` is an open cell, `#` a hidden safe cell, `*` a mine.
PATTERNS: Final = """
1-1-at-the-edge ..../*##*
1-1-with-more-behind ...../...../*##*#/#####
1-2-1 #...#/#*#*#
1-2-1-in-the-open ......./......./##*#*##
1-2-2-1 #....#/##**##
1-2-2-1-with-more-behind #....#/##**##/#*##*#
1-3-1-corner ...../...*#/..*##/..##*
2-1-after-a-known-mine ......./...*.../#*##*##
hole-of-one ...../..*../..#../.....
triangle ...../....*/...*#/..*##
fifty-fifty-corner *#../#*../..*./....
fifty-fifty-twice *#..#*/#*..*#/..**../......
three-cells-two-clues ...../.*#*./.....
last-mines-on-islands *#...#*/......./#*...*#
closed-box *****/*###*/*#.#*/*###*/*****
comb #*#*#*#*/......../*#*#*#*#
"""

# Games of `champion` on boards of seed 1: preset, index, and its guesses up to the one that lost.
LOST: Final[list[tuple[str, int, list[Cell]]]] = [
    ("16x30/99", 0, [(8, 4), (9, 4), (9, 5), (14, 3)]),
    ("16x30/99", 1, [(14, 4), (0, 4), (15, 0)]),
    ("16x30/99", 2, [(11, 29), (15, 24), (15, 25), (5, 29)]),
    ("16x30/99", 3, [(1, 1)]),
    ("16x30/99", 5, [(0, 7)]),
    ("16x30/99", 12, [(10, 20), (14, 20), (12, 21), (1, 29)]),
    ("16x30/99", 14, [(11, 25), (15, 26), (14, 5)]),
    ("16x30/99", 19, [(0, 18)]),
    ("16x16/40", 8, [(0, 15)]),
    ("16x16/40", 14, [(14, 2)]),
    ("16x16/40", 26, [(1, 5)]),
    ("9x9/10", 30, [(7, 1), (7, 0)]),
    ("9x9/10", 34, [(7, 6)]),
    ("9x9/10", 57, [(7, 8)]),
]


def all_positions() -> Iterator[tuple[str, View]]:
    """Yield the name and view of every position."""
    for line in BY_HAND.split("\n")[1:-1]:
        name, mines, rows = line.split(" ")
        yield name, View.from_text(rows.replace("/", "\n"), int(mines))
    for line in PATTERNS.split("\n")[1:-1]:
        name, rows = line.split(" ")
        board = Board.from_text(rows.replace("/", "\n").replace("#", "."))
        opened = [(r, c) for r, row in enumerate(rows.split("/")) for c, symbol in enumerate(row) if symbol == "."]
        yield f"pattern-{name}", opening(board, opened)
    small = ["1x1/0", "1x7/3", "7x1/3", "2x2/1", "2x3/3", "3x3/4", "5x5/5"]
    for size in (*small, "1x40/13", "40x1/13", "9x9/10", "16x16/40", "16x30/99", "30x50/300"):
        tall, wide, number = map(int, size.replace("/", "x").split("x"))
        yield f"all-hidden-{size.replace('/', '-')}", View.hidden(Grid(tall, wide), number)
    yield from random_positions()
    yield from sparse_positions()
    yield from game_positions()


def grid_positions() -> Iterator[tuple[str, View]]:
    """Yield views of other grids: small random boards, and games with their first click and where logic stops."""
    for name in [*filter(None, KINDS), "holes", "torus holes", "hex holes"]:
        random, label = Random(name), name.replace(" ", "-")
        for rows, cols in ((6, 5), (6, 7), (8, 6), (8, 8)):
            grid = grid_named(rows, cols, name)
            places = [divmod(number, cols) for number in grid.numbers]
            board = Board.from_cells(grid, random.sample(places, grid.cells // 4))
            opened = [place for place in places if random.random() < 0.6]
            yield f"random-{label}-{rows}x{cols}", opening(board, opened)
        grid = grid_named(12, 12, name)
        recipe = Recipe(grid, grid.cells * (24 if "hex" in name else 28) // 100, seed=2)
        yield f"game-{label}", recipe.puzzle(0).view
        found = (after(recipe, index, []) for index in range(1, 1000))
        stuck = (view for view in found if (view.cells == HIDDEN).sum() > view.mines)
        for place, view in enumerate(islice(stuck, 2), 1):
            yield f"stuck-{label}-{place}", view


def grid_named(rows: int, cols: int, name: str) -> Grid:
    """Return a grid; ``holes`` in its name are about a fifth of its cells."""
    kind, holes, _ = name.partition("holes")
    random = Random(rows * cols)
    hole_map = np.array([[random.random() < 0.2 * bool(holes) for _ in range(cols)] for _ in range(rows)])
    return Grid(rows, cols, kind.strip()).with_holes(hole_map)


def random_positions() -> Iterator[tuple[str, View]]:
    """Yield views of random boards: single rows and columns, small shapes, and some made inconsistent."""
    for place, (rows, cols) in enumerate([(1, 9), (9, 1), (1, 25), (25, 1), (1, 60), (60, 1), (2, 30), (30, 2)] * 2):
        yield f"line-{rows}x{cols}-{place + 1}", shown(Random(place), rows, cols, 0.3, 0.5)
    random = Random(11)
    for place in range(60):
        rows, cols = random.randint(2, 8), random.randint(2, 8)
        view = shown(random, rows, cols, random.uniform(0.1, 0.5), random.uniform(0.2, 0.9))
        yield f"random-{rows}x{cols}-{place + 1}", view
    random, found = Random(12), 0
    while found < 16:
        view = shown(random, random.randint(2, 6), random.randint(2, 6), 0.3, 0.6)
        opened = cells_of(view.cells != HIDDEN)
        if opened and view.mines:
            cell = random.choice(opened)
            wrong = view.showing(cell, max(0, int(view.cells[cell]) + random.choice((-1, 1))))
            # Every other one contradicts only the number of mines.
            if found % 2:
                wrong = View(view.cells, view.mines - 1)
            if count_layouts(wrong) == 0:
                found += 1
                yield f"inconsistent-{view.rows}x{view.cols}-{found}", wrong


def sparse_positions() -> Iterator[tuple[str, View]]:
    """Yield views with many components that the mine count links, or with large unconstrained areas."""
    for rows, cols, clue in ((1, 13, 1), (4, 13, 2), (7, 7, 3), (10, 10, 2)):
        alone = [(row, col) for row in range(rows > 3, rows, 3) for col in range(1, cols, 3)]
        others = rows * cols - len(alone) - sum(len([*grid_of((rows, cols)).neighbours(cell)]) for cell in alone)
        for name, more in (("fewest", 0), ("one-more", 1), ("most", others)):
            mines = clue * len(alone) + more
            yield f"separate-clues-{rows}x{cols}-{name}", with_clues(rows, cols, mines, dict.fromkeys(alone, clue))
    for size, seed in ((7, 1), (9, 2), (11, 3)):
        board = random_board(Random(seed), size, size, 0.35, lambda row, col: row % 2 == col % 2 == 1)
        opened = [(row, col) for row in range(1, size, 2) for col in range(1, size, 2)]
        for more in (-1, 0, 2):
            yield f"lattice-{size}x{size}{more:+}", opening(board, opened, board.mines + more)
    for size, seed in ((8, 1), (12, 2)):
        board = random_board(Random(seed), size, size, 0.5, lambda row, col: row % 2 == 1)
        opened = [(row, col) for row in range(1, size, 2) for col in range(size)]
        yield f"stripes-{size}x{size}", opening(board, opened)
    for size in (10, 14):
        wire = Board.from_cells(
            Grid(size, size), ((row, col) for row in range(1, size, 4) for col in range(0, size, 3))
        )
        second = {(row, col + 1) for row in range(1, size, 4) for col in range(0, size - 1, 3)}
        cells = {(row, col) for row in range(size) for col in range(size) if not wire.mine_map[row, col]} - second
        yield f"wires-{size}x{size}", opening(wire, sorted(cells))
    for rows, cols, mines, clues in (
        (20, 20, 60, {(0, 0): 1}),
        (30, 30, 150, {(10, 10): 3, (20, 20): 2}),
        (40, 40, 320, {(0, 0): 2, (20, 20): 8, (39, 0): 1}),
        (12, 12, 135, {(5, 5): 8, (5, 8): 7, (0, 0): 3}),
        (16, 30, 1, {(8, 15): 1}),
    ):
        yield f"unconstrained-{rows}x{cols}-{mines}", with_clues(rows, cols, mines, clues)


def game_positions() -> Iterator[tuple[str, View]]:
    """Yield views of games: early and late, before the hardest step of a no-guess puzzle, and before a lost guess."""
    for preset in ("9x9/10", "16x16/40", "16x30/99", "24x30/160", "30x50/300"):
        recipe, name = Recipe(preset, seed=2), preset.replace("/", "-")
        for index, rounds in enumerate((0, 1, 3, 5)):
            game = Game(recipe.puzzle(index).board)
            game.open(recipe.puzzle(index).first_click)
            for _ in range(rounds):
                open_safe(game)
            yield f"game-{name}-{index}-round-{rounds}", game.view
        stuck = 0
        for index in range(100, 200):
            view = after(recipe, index, [])
            if (view.cells == HIDDEN).sum() > view.mines and stuck < (5 if recipe.cols <= 30 else 1):
                stuck += 1
                yield f"stuck-{name}-{index}", view
    for preset, count in (("9x9/10", 4), ("16x16/40", 8), ("16x30/99", 8), ("24x30/160", 4)):
        found = screen_range(Recipe(preset, seed=3), 0, 1000)
        hard = [one for one in found if one.screening.tally.hardest > Tier.TWO_CLUES]
        hard.sort(key=lambda one: (-one.screening.tally.hardest, one.index))
        for one in (hard[: count // 2] + hard[count // 2 - count :])[:count]:
            step = max(screen_by_sat(one.puzzle).hard_steps, key=lambda step: step.step.tier)
            board = one.puzzle.board
            opened = [divmod(cell, board.cols) for cell, unknown in enumerate(step.undecided) if not unknown]
            yield f"no-guess-{preset.replace('/', '-')}-{one.index}", opening(board, opened)
    for preset, index, guesses in LOST:
        yield f"lost-{preset.replace('/', '-')}-{index}", after(Recipe(preset, seed=1), index, guesses[:-1])


def random_board(random: Random, rows: int, cols: int, share: float, safe: Any) -> Board:
    """Place mines at random except where `safe(row, col)`."""
    drawn = [(row, col) for row in range(rows) for col in range(cols) if random.random() < share]
    return Board.from_cells(Grid(rows, cols), [cell for cell in drawn if not safe(*cell)])


def shown(random: Random, rows: int, cols: int, share: float, shows: float) -> View:
    """Show some safe cells of a random board."""
    board = random_board(random, rows, cols, share, lambda row, col: False)
    return opening(board, [(row, col) for row in range(rows) for col in range(cols) if random.random() < shows])


def opening(board: Board, opened: Sequence[Cell], mines: int | None = None) -> View:
    """Return the view of a board with cells open, except mines."""
    clues = {cell: int(board.clues[cell]) for cell in opened if not board.mine_map[cell]}
    view = with_clues(board.rows, board.cols, board.mines if mines is None else mines, clues)
    return View(view.cells, view.mines, board.grid)


def with_clues(rows: int, cols: int, mines: int, clues: dict[Cell, int]) -> View:
    """Return the view with these clues."""
    cells = View.hidden(Grid(rows, cols), 0).cells.copy()
    for cell, clue in clues.items():
        cells[cell] = clue
    return View(cells, mines)


def open_safe(game: Game) -> bool:
    """Open all cells that are safe in every layout; return False if no cell is."""
    cells = cells_of(closure(game.view).safe_map)
    for cell in cells:
        game.open(cell)
    return bool(cells)


def after(recipe: Recipe, index: int, guesses: list[Cell]) -> View:
    """Return the view of a game after these guesses, where logic finds nothing more."""
    puzzle = recipe.puzzle(index)
    game = Game(puzzle.board)
    for cell in (puzzle.first_click, *guesses):
        game.open(cell)
        while open_safe(game):
            pass
    return game.view


class Disagreement(Exception):
    """Two ways of computing one figure with different results."""


def agree(name: str, figure: str, *values: object) -> None:
    """Raise `Disagreement` unless all values of a figure are equal."""
    if any(value != values[0] for value in values[1:]):
        raise Disagreement(f"{name}: {figure}: {' against '.join(map(repr, values))}")


def chances_of(name: str, view: View) -> tuple[int, dict[Cell, Fraction]]:
    """Return the number of layouts and the mine probability of each hidden cell, from all ways."""
    layouts, chances = reference_solve(view.lines, view.mines, view.grid.label)
    agree(name, "layouts", layouts, count_layouts(view))
    if not layouts:
        for engine in ("native", "sat"):
            try:
                agree(name, f"closure by {engine}", "inconsistent", closure(view, engine))
            except InconsistentView:
                continue
        return layouts, chances
    for engine in ("native", "sat"):
        known = closure(view, engine)
        for value, marks in ((0, known.safe_map), (1, known.mine_map)):
            agree(
                name, f"closure by {engine}", cells_of(marks), tuple(sorted(c for c in chances if chances[c] == value))
            )
    found = probabilities(view)
    counts = {"the kernel": (found.chances, 1e-11)}
    if view.cells.size <= 480 and not view.grid.label:
        import ms_toollib

        theirs, _ = ms_toollib.cal_probability_onboard(np.where(view.cells < 0, 10, view.cells).tolist(), view.mines)
        counts["ms_toollib"] = (np.array(theirs), 1e-9)
    agree(
        name, "log of layouts", True, math.isclose(found.log_layouts, math.log(layouts), rel_tol=1e-12, abs_tol=1e-12)
    )
    for source, (grid, error) in counts.items():
        for cell, chance in chances.items():
            if not abs(grid[cell] - chance) <= error:
                agree(name, f"chance at {cell} by {source}", float(chance), float(grid[cell]))
    return layouts, chances


def reasons_of(name: str, view: View, known: dict[Cell, bool]) -> dict[Cell, str]:
    """Return the size of the smallest reason of each known cell, from both ways."""
    sizes: dict[frozenset[Cell], str] = {}
    touched = {cell: frozenset(at for at in view.grid.neighbours(cell) if view.cells[at] != HIDDEN) for cell in known}
    for cell, mine in known.items():
        # Cells that touch the same clues are interchangeable, so their reasons are equally large.
        if touched[cell] not in sizes:
            found = reason(view, cell, seconds=600)
            size = f"{len(found.clues)}{'+count' * found.mine_count}"
            agree(name, f"value of {cell}", found.mine, mine)
            agree(name, f"proof that the reason of {cell} is smallest", found.smallest, True)
            agree(name, f"reason of {cell}", size, smallest_by_optux(view, cell, mine))
            sizes[touched[cell]] = size
    return {cell: sizes[touched[cell]] for cell in known}


@lru_cache(1)
def encoded(view: View) -> tuple[dict[Cell, int], list[list[int]], list[int], int]:
    """Encode the clues of a view, each behind a selector: the variables, clauses, selectors and highest variable."""
    variables = {at: place for place, at in enumerate(cells_of(view.cells == HIDDEN), 1)}
    clauses: list[list[int]] = []
    selectors, top = [], len(variables)
    for at in cells_of(view.cells != HIDDEN):
        if near := [variables[one] for one in view.grid.neighbours(at) if one in variables]:
            selectors.append(top + 1)
            clue = CardEnc.equals(near, int(view.cells[at]), top + 1, encoding=EncType.seqcounter)
            clauses += [[-selectors[-1], *clause] for clause in clue.clauses]
            top = max(top + 1, clue.nv)
    return variables, clauses, selectors, top


def smallest_by_optux(view: View, cell: Cell, mine: bool) -> str:
    """Return the size of the smallest reason: the smallest unsatisfiable set of clues if the cell is the opposite."""
    variables, clauses, selectors, top = encoded(view)
    hard = [*clauses, [-variables[cell] if mine else variables[cell]]]
    for ending in ("", "+count"):
        if ending:
            hard += CardEnc.equals([*variables.values()], view.mines, top, encoding=EncType.totalizer).clauses
        with Solver("cadical153", bootstrap_with=hard) as solver:
            if not solver.solve():
                return f"0{ending}"
            if solver.solve(assumptions=selectors):
                continue
        formula = WCNF()
        formula.extend(hard)
        formula.extend([[selector] for selector in selectors], weights=[1] * len(selectors))
        with OptUx(formula) as search:
            return f"{len(search.compute())}{ending}"
    raise Disagreement(f"{cell} does not follow from the clues and the mine count of {view}")


def block(position: tuple[str, View]) -> str:
    """Return the lines of a position."""
    name, view = position
    layouts, chances = chances_of(name, view)
    agree(name, "consistent", layouts > 0, "inconsistent" not in name)
    reasons = reasons_of(
        name, view, {cell: bool(chance) for cell, chance in sorted(chances.items()) if chance in (0, 1)}
    )
    lines = [f"position {name}", f"mines {view.mines}", f"layouts {layouts}", *(f"view {row}" for row in view.lines)]
    lines += [f"grid {view.grid.label}"] * bool(view.grid.label)
    for key, values in (("chance", chances), ("reason", reasons)):
        cells = defaultdict(list)
        for cell in sorted(values):
            cells[values[cell]].append("{},{}".format(*cell))
        lines += [f"{key} {value} {' '.join(cells[value])}" for value in sorted(cells)]
    return "\n".join(lines) + "\n"


@click.command(cls=Command)
@click.option("--grids", is_flag=True, help="The positions on other grids than the rectangle.")
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path), required=False)
def main(target: Path | None, grids: bool) -> None:
    """Compute the exact figures of all positions in two ways each, and write them to TARGET.

    The default is docs/vectors/vectors.txt, or grids.txt there with --grids. If two ways disagree, nothing is written.
    It takes ten minutes, or seconds with --grids.
    """
    positions = list(grid_positions() if grids else all_positions())
    target = target or HERE / ("grids.txt" if grids else "vectors.txt")
    agree("all positions", "number of names", len(positions), len({name for name, _ in positions}))
    try:
        with Pool() as pool:
            blocks = list(tqdm(pool.imap(block, positions), total=len(positions), disable=False))
    except Disagreement as error:
        raise click.ClickException(f"nothing written: {error}") from error
    target.write_text("\n".join([HEAD, *blocks]))


if __name__ == "__main__":
    main()
