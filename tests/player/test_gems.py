"""Gem Hunter: algorithms against each other and against trying everything, text, and counting."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from itertools import combinations, islice, product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings, strategies as st
from pysat.formula import CNF
from pysat.solvers import Solver
from rectangle import count_neighbours

from minesweeper.player.core.errors import BoardError, InconsistentView
from minesweeper.player.core.grid import Grid
from minesweeper.player.gems.algorithms import brute_force_solutions, sat_solutions
from minesweeper.player.gems.clauses import dimacs, distributed
from minesweeper.player.gems.generating import generate
from minesweeper.player.gems.puzzle import GEM, TRAP, UNKNOWN_CELL as UNKNOWN, GemPuzzle
from minesweeper.player.gems.solving import ALGORITHMS, certain_cells, count_solutions, solutions as all_solutions
from minesweeper.player.gems.text import parse_puzzle, puzzle_text, read_puzzle, signed_list
from minesweeper.player.logic.clauses import exactly
from minesweeper.scripts.commands.gemhunter import main


@st.composite
def puzzles(draw: st.DrawFn, most: int = 10) -> GemPuzzle:
    """Generate puzzles with at most `most` unknown cells, given traps and gems, and sometimes a wrong clue."""
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    traps = np.array(draw(st.lists(st.booleans(), min_size=rows * cols, max_size=rows * cols))).reshape(rows, cols)
    cells = np.where(traps, TRAP, count_neighbours(traps)).astype(np.int8)
    places = draw(st.lists(st.integers(0, rows * cols - 1), unique=True, max_size=most))
    cells.reshape(-1)[places] = UNKNOWN
    for place in draw(st.lists(st.integers(0, rows * cols - 1), max_size=2)):
        value = cells.reshape(-1)[place]
        if value >= 0:
            cells.reshape(-1)[place] = draw(st.sampled_from([GEM, int(value), int(value), (int(value) + 1) % 9]))
    return GemPuzzle(cells)


CORNERS = {
    "all unknown": [[UNKNOWN] * 4] * 2,
    "no clues": [[TRAP, UNKNOWN], [GEM, UNKNOWN]],
    "nothing unknown": [[1, TRAP], [GEM, 1]],
    "nothing unknown, and wrong": [[1, TRAP], [GEM, 2]],
    "a wrong clue among right ones": [[0, UNKNOWN, 1], [0, 2, UNKNOWN]],
    "clues that clash far apart": [[1, UNKNOWN, UNKNOWN, UNKNOWN, 0], [UNKNOWN, 4, 0, UNKNOWN, 3]],
    "one cell": [[UNKNOWN]],
}


def with_corners(test: Callable[[GemPuzzle], None]) -> Callable[[GemPuzzle], None]:
    """Add the corner cases to the generated examples."""
    for cells in CORNERS.values():
        test = example(GemPuzzle(np.array(cells)))(test)
    return test


def try_everything(puzzle: GemPuzzle) -> set[bytes]:
    """All solutions, sharing no code with the algorithms."""
    unknown = np.argwhere(puzzle.cells == UNKNOWN).tolist()
    found = set()
    for values in product((False, True), repeat=len(unknown)):
        traps = puzzle.cells == TRAP
        for (row, col), value in zip(unknown, values, strict=True):
            traps[row, col] = value
        if (count_neighbours(traps) == puzzle.cells)[puzzle.cells >= 0].all():
            found.add(traps.tobytes())
    return found


@settings(max_examples=60)
@given(puzzles())
@with_corners
def test_every_algorithm_finds_all_solutions_once(puzzle: GemPuzzle) -> None:
    expected = try_everything(puzzle)
    for name, algorithm in ALGORITHMS.items():
        found = [traps.tobytes() for traps in all_solutions(puzzle, algorithm)]
        assert len(found) == len(expected), name
        assert set(found) == expected, name
    assert count_solutions(puzzle) == len(expected)


@settings(max_examples=60)
@given(puzzles())
@with_corners
def test_first_solutions_and_certain_cells(puzzle: GemPuzzle) -> None:
    expected = [np.frombuffer(one, dtype=np.bool_).reshape(puzzle.cells.shape) for one in try_everything(puzzle)]
    for name, algorithm in ALGORITHMS.items():
        traps = next(all_solutions(puzzle, algorithm), None)
        assert (traps is None) == (not expected), name
        assert traps is None or any(np.array_equal(traps, one) for one in expected), name
    if not expected:
        with pytest.raises(InconsistentView) as clash:
            certain_cells(puzzle)
        check_clash(puzzle, clash.value)
        return
    always, ever = np.all(expected, axis=0), np.any(expected, axis=0)
    wanted = np.where(always, TRAP, np.where(ever, UNKNOWN, GEM))
    assert np.array_equal(certain_cells(puzzle), np.where(puzzle.cells == UNKNOWN, wanted, puzzle.cells))


def check_clash(puzzle: GemPuzzle, clash: InconsistentView) -> None:
    """The clues named clash, and without any one of them they do not."""

    def with_clues(kept: tuple[tuple[int, int], ...]) -> GemPuzzle:
        cells = np.where(puzzle.cells >= 0, GEM, puzzle.cells).astype(np.int8)
        for cell in kept:
            cells[cell] = puzzle.cells[cell]
        return GemPuzzle(cells)

    assert clash.clues
    assert not try_everything(with_clues(clash.clues))
    for fewer in combinations(clash.clues, len(clash.clues) - 1):
        assert try_everything(with_clues(fewer))


@pytest.mark.parametrize("size", range(9))
def test_both_encodings_write_the_same_clauses(size: int) -> None:
    for count in range(-1, size + 2):
        variables = [3 * place + 2 for place in range(size)]
        binomial = {frozenset(clause) for clause in exactly(variables, count)}
        assert {frozenset(clause) for clause in distributed(variables, count)} == binomial
        assert len(distributed(variables, count)) == len(exactly(variables, count))


@settings(max_examples=30)
@given(
    puzzles(), st.sampled_from(["binomial", "distributed"]), st.sampled_from(["cadical153", "glucose4", "lingeling"])
)
def test_solvers_and_encodings_agree(puzzle: GemPuzzle, encoding: str, solver: str) -> None:
    found = all_solutions(puzzle, lambda part: sat_solutions(part, encoding=encoding, solver=solver))
    assert {traps.tobytes() for traps in found} == try_everything(puzzle)


@settings(max_examples=30)
@given(puzzles(), st.sampled_from(["binomial", "distributed"]))
def test_models_of_the_dimacs_are_signed_lists(puzzle: GemPuzzle, encoding: str) -> None:
    cnf = CNF(from_string=dimacs(puzzle, encoding))
    shape = puzzle.cells.shape
    expected = {tuple(signed_list(np.frombuffer(one, dtype=np.bool_).reshape(shape))) for one in try_everything(puzzle)}
    with Solver("cadical153", bootstrap_with=[*cnf.clauses, *([n, -n] for n in range(1, puzzle.cells.size + 1))]) as s:
        assert {tuple(model) for model in islice(s.enum_models(), 2000)} == expected


def test_the_corner_cases_are_what_they_are_called() -> None:
    counts = {name: len(try_everything(GemPuzzle(np.array(cells)))) for name, cells in CORNERS.items()}
    assert list(counts.values()) == [256, 4, 1, 0, 0, 0, 2]


@settings(max_examples=20)
@given(puzzles(), st.integers(1, 5))
def test_the_command_counts_and_lists_what_there_is(puzzle: GemPuzzle, limit: int) -> None:
    shape = puzzle.cells.shape
    expected = {str(signed_list(np.frombuffer(one, dtype=np.bool_).reshape(shape))) for one in try_everything(puzzle)}
    text = puzzle_text(puzzle)
    assert CliRunner().invoke(main, ["solve", "-", "--count"], input=text).stdout == f"{len(expected)}\n"
    for algorithm in ALGORITHMS:
        command = ["solve", "-", "--algorithm", algorithm, "--signed", "--all"]
        everything = CliRunner().invoke(main, command, input=text)
        assert everything.exit_code == (0 if expected else 1)
        assert sorted(everything.stdout.splitlines()) == sorted(expected)
        some = CliRunner().invoke(main, [*command, str(limit)], input=text).stdout.splitlines()
        assert len(set(some)) == len(some) == min(limit, len(expected))
        assert set(some) <= expected


def test_dpll_goes_back_to_what_made_a_clue_fail() -> None:
    # Going back one decision at a time, none of these ends: the search is far away when a clue fails.
    for seed in range(1):
        puzzle, _ = generate(Grid(50, 50), 1000, seed, gems=1050)
        traps = next(all_solutions(puzzle, ALGORITHMS["dpll"]), None)
        assert traps is not None
        shown = puzzle.cells >= 0
        assert np.array_equal(count_neighbours(traps)[shown], puzzle.cells[shown])


def test_signed_list() -> None:
    assert signed_list(np.array([[False, True], [True, False]])) == [1, -2, -3, 4]


@given(puzzles(most=25), st.booleans(), st.sampled_from([",", ", ", " ,"]), st.sampled_from(["", "\n", "\r\n\n"]))
def test_text_round_trip(puzzle: GemPuzzle, head: bool, separator: str, end: str) -> None:
    text = puzzle_text(puzzle).replace(",", separator) + end
    assert parse_puzzle(f"{puzzle.grid.rows} {puzzle.grid.cols}\n" * head + text) == puzzle
    assert read_puzzle(BytesIO(text.encode("utf-8-sig"))) == puzzle


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1, column 1: no text"),
        (b"\n \n", "line 3, column 1: no text"),
        (b"2 2\n", "line 2, column 1: no text"),
        (b"1,_\n1,_,1\n", "line 2, column 5: 3 cells; expected 2, as in line 1"),
        (b"1,_\n1\n", "line 2, column 3: 1 cell; expected 2, as in line 1"),
        (b"1,_\n\n1,_\n", "line 2, column 1: a blank line inside the grid; expected one grid"),
        (b"1,_\n1, x\n", "line 2, column 4: 'x'"),
        (b"1,9\n", "line 1, column 3: '9'"),
        (b"1,-4\n", "line 1, column 3: '-4'"),
        (b"1 _\n1 _ 1\n", "line 2, column 5: 3 cells; expected 2, as in line 1"),
        (b"1 1\n_ x\n", "line 2, column 3: 'x'"),
        (b"1 1\n_ _ _\n", "line 1, column 5: 2 cells; expected 3, as in line 2"),
        (b"1,_,\n", "line 1, column 5: ''"),
        (b"3 2\n1,_\n", "line 1, column 1: '3 2' is not the size of the rows, 1 2"),
        (b"1,_\n_,\xff\n", "line 2, column 3: byte 0xff; expected UTF-8 text"),
        (b",".join([b"_"] * 1001), "line 1, column 2001: 1001 cells; expected at most 1000"),
        (b"_\n" * 1001, "line 1001, column 1: too many rows; expected at most 1000"),
        (b"1,_\x0c_,1", "line 1, column 3: '_\\x0c_'"),
        (b"-2 2\n1,_", "line 2, column 1: '1,_'"),
        (b"1,_\r1,9\r", "line 2, column 3: '9'"),
        (b"0" * 5000 + b",1", "line 1, column 1: '" + "0" * 20 + "...'"),
        (b"_" * 100, "line 1, column 1: '" + "_" * 20 + "...'"),
        ("１,_".encode(), "line 1, column 1: '１'"),
    ],
)
def test_wrong_text_is_named_by_line_and_column(text: bytes, message: str) -> None:
    with pytest.raises(BoardError) as error:
        read_puzzle(BytesIO(text))
    assert message in str(error.value)


def test_too_long_text_is_refused() -> None:
    with pytest.raises(BoardError, match="line 100, column 2: the text continues; expected at most 100 bytes"):
        read_puzzle(BytesIO(b"\n" * 101), max_bytes=100)


@pytest.mark.parametrize("cells", [[[9]], [[-4]], [1, 2], [[0.5]]])
def test_values_that_are_no_cells(cells: list[object]) -> None:
    with pytest.raises(BoardError):
        GemPuzzle(np.array(cells))


def test_counting_large_numbers_exactly() -> None:
    rings = np.full((3, 300), UNKNOWN, dtype=np.int8)
    rings[1, 1::3] = 4
    assert count_solutions(GemPuzzle(rings)) == 70**100
    assert count_solutions(GemPuzzle(np.full((1000, 3), UNKNOWN, dtype=np.int8))) == 2**3000


def test_brute_force_gives_up_when_its_time_is_over() -> None:
    puzzle = parse_puzzle("\n".join([",".join("_" * 20), ",".join("1" * 20), ",".join("_" * 20)]))
    with pytest.raises(BoardError, match=r"more than 0.01 s for a part with 40 unknown cells"):
        next(all_solutions(puzzle, partial(brute_force_solutions, seconds=0.01)))


@pytest.mark.parametrize("text", ["1,1\n_,_", "1 1\n_ _\n", " 1  1\n\n-3 -3\n", "2 2\n1 1\n_ _", "2 2\n1,1\n-3,_"])
def test_cells_may_be_separated_by_blanks_and_written_as_numbers(text: str) -> None:
    assert parse_puzzle(text).cells.tolist() == [[1, 1], [UNKNOWN, UNKNOWN]]
    assert parse_puzzle("-1 -2\n1 T").cells.tolist() == [[TRAP, GEM], [1, TRAP]]


@settings(max_examples=40)
@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_generated_puzzles(rows: int, cols: int, data: st.DataObject) -> None:
    traps = data.draw(st.integers(0, rows * cols // 3))
    gems = data.draw(st.integers(0, rows * cols - traps))
    seed = data.draw(st.integers(0, 2**32))
    puzzle, trap_map = generate(Grid(rows, cols), traps, seed, gems=gems)
    assert np.count_nonzero(trap_map) == traps
    assert np.count_nonzero(puzzle.cells == UNKNOWN) == traps + gems
    assert np.array_equal(count_neighbours(trap_map)[puzzle.cells >= 0], puzzle.cells[puzzle.cells >= 0])
    assert generate(Grid(rows, cols), traps, seed, gems=gems)[0] == puzzle


@settings(max_examples=20)
@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2**32))
def test_unique_puzzles_have_one_solution_and_hide_all_they_can(rows: int, cols: int, seed: int) -> None:
    puzzle, trap_map = generate(
        Grid(rows, cols), rows * cols // 5, seed, gems=rows * cols - rows * cols // 5, unique=True
    )
    assert count_solutions(puzzle) == 1
    (only,) = all_solutions(puzzle, ALGORITHMS["dpll"])
    assert np.array_equal(only, trap_map)
    for cell in np.argwhere(puzzle.cells >= 0).tolist():
        cells = puzzle.cells.copy()
        cells[tuple(cell)] = UNKNOWN
        assert count_solutions(GemPuzzle(cells)) > 1


def test_a_trap_that_no_clue_can_see_makes_no_unique_puzzle() -> None:
    with pytest.raises(BoardError, match="fewer traps"):
        generate(Grid(3, 3), 9, 0, unique=True)
