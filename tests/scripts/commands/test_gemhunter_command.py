"""The command `gemhunter`."""

import re
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line

from minesweeper import Grid, Recipe, paper_form
from minesweeper.player.gems.generating import generate
from minesweeper.player.gems.solving import ALGORITHMS
from minesweeper.scripts.commands.gemhunter import main

TWO_WAYS = "1,1,_\n_,_,G\n"


def gemhunter(*arguments: str, text: str | bytes = "", status: int = 0) -> Result:
    return ended(CliRunner().invoke(main, arguments, input=text), status)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_only_solution(algorithm: str, tmp_path: Path) -> None:
    (tmp_path / "puzzle.txt").write_text("2,_,2\n2,_,_\n1,1,1")
    result = gemhunter("solve", str(tmp_path / "puzzle.txt"), "--algorithm", algorithm)
    assert (result.stdout, result.stderr) == ("2,T,2\n2,T,G\n1,1,1\n", "the only solution\n")


def test_marks_cells_that_all_solutions_share() -> None:
    result = gemhunter("solve", "-", text=TWO_WAYS)
    assert result.stdout in ("1,1,G\nt,g,G\n", "1,1,G\ng,t,G\n")
    assert result.stderr == "one of 2 solutions: 2 cells differ\n"


@pytest.mark.parametrize("options", [(), ("--all",), ("--signed",)])
def test_names_contradicting_clues(options: tuple[str, ...]) -> None:
    result = gemhunter("solve", "-", *options, text="0,_,_\n_,_,_\n_,_,8\n_,_,_\n_,_,_", status=1)
    assert (result.stdout, result.stderr) == ("", "no solution fits the clue at (2, 2)\n")
    gemhunter("solve", "-", *options, text="1,_,2,_,_,1\n_,_,_,_,_,_\n1,_,_,_,_,1")
    result = gemhunter("solve", "-", *options, text="1,2\n_,_\n", status=1)
    assert result.stderr == "no solution fits the clue at (0, 0) and the clue at (0, 1)\n"
    assert gemhunter("solve", "-", "--count", text="1,2\n_,_\n").stdout == "0\n"


def test_long_numbers_of_solutions() -> None:
    empty = "\n".join([",".join("_" * 200)] * 100)
    limit = sys.get_int_max_str_digits()
    with localcontext(prec=7000):
        assert Decimal(gemhunter("solve", "-", "--count", text=empty).stdout.strip()) == Decimal(2) ** 20_000
    assert "one of about 10^6021 solutions: 20000 cells" in gemhunter("solve", "-", text=empty).stderr
    assert sys.get_int_max_str_digits() == limit


def test_dimacs() -> None:
    lines = gemhunter("solve", "-", "--dimacs", text="1,_\n_,T").stdout.splitlines()
    assert lines[1:] == ["p cnf 4 4", "1 0", "-4 0", "2 0", "3 0"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"\x00\xff", "line 1, column 2"),
        (b"_," * 10_000_000, "line 1, column 2001"),
        (b"_,_\n" * 5_000_000, "line 1001, column 1"),
    ],
)
def test_hostile_input_is_one_line_with_the_place(text: bytes, place: str) -> None:
    line = error_line(gemhunter("solve", "-", text=text, status=2))
    assert place in line
    assert len(line) < 200


def test_generated_puzzles_can_be_solved() -> None:
    arguments = ("generate", "--size", "20x20", "--traps", "80", "--seed", "7", "--unique")
    puzzle, solution = gemhunter(*arguments).stdout, gemhunter(*arguments, "--solution").stdout
    for algorithm in ("sat", "dpll"):
        result = gemhunter("solve", "-", "--algorithm", algorithm, text=puzzle)
        assert (result.stdout, result.stderr) == (solution, "the only solution\n")


@pytest.mark.kernel
@pytest.mark.parametrize("algorithm", ["sat", "dpll", "backtracking"])
def test_paper_forms_are_solved(algorithm: str) -> None:
    for seed in range(3):
        puzzle = Recipe("beginner", seed=seed).puzzle(0)
        result = gemhunter("solve", "-", "--algorithm", algorithm, text=paper_form(puzzle).to_text())
        traps = [[cell == "T" for cell in row.split(",")] for row in result.stdout.splitlines()]
        assert traps == puzzle.board.mine_map.tolist()
        assert result.stderr == "the only solution\n"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_view_with_several_layouts_is_solved_with_a_note(mark: str) -> None:
    result = gemhunter("solve", "-", text=f"{mark}1x3/1\n#1#")
    assert "the number of mines, 1, leaves cells open" in result.stderr


def test_unique_grids_are_printed(tmp_path: Path) -> None:
    book = tmp_path / "gems.html"
    words = ("generate", "--size", "8x8", "--traps", "12", "--seed", "3", "--book", str(book), "--count", "2")
    assert "a printed puzzle needs one solution" in error_line(gemhunter(*words, status=2))
    gemhunter(*words, "--unique", "--paper", "Letter")
    puzzles, solutions = book.read_text().split("Solutions</h1>")
    assert "how hard" not in puzzles  # it was announced, but not printed
    assert puzzles.count("<figure ") == solutions.count("<figure ") == 2
    assert (puzzles.count("<circle"), solutions.count("<circle")) == (0, 24)
    puzzle, traps = generate(Grid(8, 8), 12, 4, unique=True)
    shown = re.findall(r">(\d)</text>", puzzles.split("<figure ")[2])
    assert sorted(shown) == sorted(map(str, puzzle.cells[puzzle.cells >= 0].tolist()))
    assert traps.sum() == 12
