"""Solution paths against their definition by SAT, and against the checker of the documentation."""

import copy
import json
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import forced, reduced
from views import random_views

from minesweeper.generator import puzzles
from minesweeper.generator.screening import screen
from minesweeper.player import Board, Cell, Game, Puzzle, Recipe, View, closure, solution_path
from minesweeper.player.core.errors import FormatError, InconsistentView
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.path import solution_paths
from minesweeper.player.logic.path_check import check_path

pytestmark = pytest.mark.kernel
CHECKER = Path(__file__).parents[2] / "docs" / "checker" / "check_path.py"
check: Callable[[dict[str, Any]], None] = runpy.run_path(str(CHECKER))["check"]


def easiest_step(view: View, given: dict[Cell, bool]) -> Deduction | None:
    """Find the first step of a position by its definition: try all sets of clues, small ones first."""
    clues, cells = reduced(view, given)
    for count in (False, True):
        if not cells or not any(forced(view, given, clues, count=count)):
            continue
        for size in range(len(clues) + 1):
            for chosen in combinations(clues, size):
                safe, mines = forced(view, given, chosen, count=count)
                if safe or mines:
                    return Deduction(Tier.MINE_COUNT if count else Tier(min(size, 3)), safe, mines, chosen)
    return None


def steps_of(puzzle: Puzzle) -> Iterator[Deduction]:
    """Yield the steps of a puzzle by their definition."""
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    mines: dict[Cell, bool] = {}
    while game.view.cells.min() < 0 and np.count_nonzero(game.view.cells < 0) > puzzle.board.mines:
        step = easiest_step(game.view, mines)
        if step is None:
            return
        yield step
        mines |= dict.fromkeys(step.mines, True)
        for cell in step.safe:
            if game.view.cells[cell] < 0:
                game.open(cell)


@pytest.mark.parametrize("board", ["4x4/6", "3x6/7", "5x5/8", "5x5/10", "2x9/7", "1x9/3"])
def test_the_path_of_a_puzzle_is_defined_by_its_position_alone(board: str) -> None:
    for puzzle in puzzles(Recipe(board, rule="safe", seed=3), 12):
        path = solution_path(puzzle)
        assert path.solved
        assert list(path.steps) == list(steps_of(puzzle))


def test_the_path_of_a_view_is_its_closure(share: float) -> None:
    for view in islice(random_views(5), int(150 * share)):
        known: dict[Cell, bool] = {}
        for step in solution_path(view).steps:
            assert step == easiest_step(view, known)
            known |= dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
        found = closure(view, "sat")
        expected = {(row, col): bool(found.mine_map[row, col]) for row, col in np.argwhere(found.tiers > 0).tolist()}
        assert known == expected


def test_an_inconsistent_view_names_its_clues() -> None:
    with pytest.raises(InconsistentView, match=r"the clue at \(0, 1\)"):
        solution_path("1x3/2\n#1#")


def test_a_puzzle_that_logic_does_not_solve_has_a_path_that_ends_early() -> None:
    recipe = Recipe("expert", seed=1)
    for puzzle in map(recipe.puzzle, range(20)):
        path = solution_path(puzzle)
        solved = screen(puzzle)
        assert solved is not None
        assert path.solved == solved.solved


def test_the_checker_confirms_paths() -> None:
    boards = {"9x9/10": 20, "5x5/9": 30, "40x3/24": 8, "expert": 8}
    for board, number in boards.items():
        for path in solution_paths(puzzles(Recipe(board, rule="safe", seed=2), number)):
            check(path.to_json())


Json = dict[str, Any]


def _unseen_cell(steps: list[Json], at: int) -> list[int]:
    """Return a cell that a later step decides and that no clue of step `at` touches."""
    later = (cell for step in steps[at + 1 :] for cell in step["safe"] + step["mines"])
    near = steps[at]["clues"]
    return next(cell for cell in later if all(max(abs(cell[0] - r), abs(cell[1] - c)) > 1 for r, c in near))


def _plant(fault: str, path: Json, at: int) -> None:
    """Plant a fault at a step of a path."""
    steps, step = path["steps"], path["steps"][at]
    match fault:
        case "a step claims both":
            step["safe"] = step["mines"] = step["safe"] + step["mines"]
        case "a clue less":
            step["clues"].pop()
        case "a closed clue":
            step["clues"][0] = _unseen_cell(steps, at)
        case "safe cells and mines exchanged":
            step["safe"], step["mines"] = step["mines"], step["safe"]
        case "another cell":
            (step["safe"] or step["mines"])[0] = _unseen_cell(steps, at)
        case "a cell more":
            row, col = _unseen_cell(steps, at)
            step["mines" if path["board"][row][col] == "*" else "safe"].append([row, col])
        case "a step before its clues are open":
            start = Puzzle(Board.from_text("\n".join(path["board"])), tuple(path["first_click"])).view.cells
            late = (n for n in range(at, len(steps)) if any(start[tuple(clue)] < 0 for clue in steps[n]["clues"]))
            steps.insert(0, steps.pop(next(late)))
        case "a step twice":
            steps.insert(at, step)
        case "another tier":
            step["tier"] = step["tier"] % 4 + 1
        case "no end":
            del steps[at:]
        case "a mine less":
            path["board"][0] = path["board"][0].replace("*", ".", 1)
            path["mines"] += "*" not in path["board"][0]
        case _:
            raise ValueError(fault)


STEP = {"tier": 1, "safe": [[2, 2]], "mines": [], "clues": [[1, 1]], "count": False}
FAULTS = [
    *("a step claims both", "a clue less", "a closed clue", "safe cells and mines exchanged", "another cell"),
    *("a cell more", "a step before its clues are open", "a step twice", "another tier", "no end", "a mine less"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checker_refuses_planted_faults(fault: str) -> None:
    rng = np.random.default_rng(4)
    for path in solution_paths(puzzles(Recipe("16x16/45", seed=6), 3)):
        for at in rng.choice(len(path.steps) // 2, 6, replace=False).tolist():
            faulty = copy.deepcopy(path.to_json())
            _plant(fault, faulty, at)
            with pytest.raises(ValueError, match=r"step|mines"):
                check(faulty)
            del faulty["hash"]
            with pytest.raises(FormatError, match=r"^(step|mines is|solved is)"):
                check_path(faulty, Board.from_text("\n".join(faulty["board"])))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version is 2; expected 1"),
        ({"cols": 3}, "cols is 3; expected 4, as on the board"),
        ({"first_click": [1, 3]}, r"first_click: first click \(1, 3\) is a mine; expected a safe cell"),
        ({"first_click": "a1"}, r"first_click: 'a1' is no cell; expected \[row, col\]"),
        ({"first_click": [0, 4]}, r"first_click: cell \(0, 4\) is off the board; expected a cell of 3x4"),
        ({"steps": None}, "steps is None; expected a list of objects"),
        ({"steps": [7]}, "step 1: it is 7; expected an object"),
        ({"steps": [{"tier": 1}]}, r"step 1: safe is None; expected a list of cells \[row, col\]"),
        ({"steps": [STEP | {"clues": [[0, True]]}]}, r"step 1: \[0, True\] is no cell; expected \[row, col\]"),
        ({"steps": [STEP | {"tier": 2}]}, "step 1: tier is 2; expected 1 for 1 clue"),
        ({"steps": [STEP | {"safe": []}]}, "step 1 decides no cell; expected a safe cell or a mine"),
        ({"steps": [STEP | {"safe": [[0, 0]]}]}, r"step 1 decides \(0, 0\), which is known before it"),
        ({"steps": [STEP | {"clues": [[2, 2]]}]}, r"step 1 uses the clue at \(2, 2\), which is not open before it"),
        ({"steps": [STEP]}, r"step 1 claims that \(2, 2\) is safe; the clues that it names allow both"),
        ({"steps": []}, "solved is True, but the steps leave 4 safe cells closed"),
        ({"hash": "0"}, "hash is '0'; expected [0-9a-f]{16} for these steps"),
    ],
)
def test_a_path_of_a_stranger_is_refused_in_one_line(change: Json, message: str) -> None:
    board = Board.from_text("....\n...*\n*...")
    path = solution_path(Puzzle(board, (0, 0))).to_json()
    assert check_path(path, board) == Puzzle(board, (0, 0))
    with pytest.raises(FormatError, match=rf"^{message}$"):
        check_path(path | change, board)


def test_a_path_may_differ_from_the_canonical_one() -> None:
    """The order of cells does not matter, and most keys may be missing."""
    for path in solution_paths(puzzles(Recipe("4x4/6", rule="safe", seed=3), 30)):
        data = path.to_json()
        steps = [{key: step[key] for key in STEP if key in step} for step in data["steps"]]
        merged = [step | {"safe": step["safe"][::-1]} for step in steps]
        assert check_path({"first_click": data["first_click"], "steps": merged}, path.start.board) == path.start


def test_the_checker_refuses_a_mine_count_step_without_the_mine_count() -> None:
    refused = 0
    for path in solution_paths(puzzles(Recipe("4x4/6", rule="safe", seed=3), 40)):
        for at, step in enumerate(path.steps):
            faulty = path.to_json()
            faulty["steps"][at] |= {"count": False, "tier": min(len(step.clues), 3)}
            if step.mine_count:
                refused += 1
                with pytest.raises(ValueError, match="step"):
                    check(faulty)
    assert refused > 10


def test_the_hash_covers_every_step() -> None:
    for path in solution_paths(puzzles("intermediate", 10)):
        board = path.to_json()
        numbers = [1, board["rows"], board["cols"]]
        for step in path.steps:
            numbers.append(step.tier)
            for cells in (step.safe, step.mines, step.clues):
                numbers += [len(cells), *(row * 16 + col for row, col in cells)]
        found = 0xCBF29CE484222325
        for number in numbers:
            found = (found ^ number) * 0x100000001B3 % 2**64
        assert path.hash == f"{found:016x}"


def test_the_checker_reads_files_and_says_how_many_paths_hold(tmp_path: Path) -> None:
    def run(*arguments: object, given: str = "") -> tuple[int, str, str]:
        words = [sys.executable, str(CHECKER), *map(str, arguments)]
        done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    path = json.dumps(next(solution_paths(puzzles(Recipe("9x9/10", seed=6), 1))).to_json())
    (tmp_path / "good.path").write_text(f"{path}\n{path}\n")
    (tmp_path / "bad.path").write_text("{}\n")
    assert run(tmp_path / "good.path") == (0, "2 paths confirmed\n", "")
    assert run(given=path) == (0, "1 path confirmed\n", "")
    assert run() == (1, "0 paths confirmed\n", "")
    for name in ("bad.path", "missing.path"):
        code, printed, said = run(tmp_path / name)
        assert (code, printed) == (1, "")
        assert said.startswith(f"{tmp_path / name}, line 1: ")
        assert said.count("\n") == 1
