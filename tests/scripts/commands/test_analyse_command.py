"""The command `analyse`: its output for positions solved by hand."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line
from pysat.formula import CNF
from sample_records import filled, sampled

from minesweeper.player import Game, Recipe, View, closure, cnf, kernel_api
from minesweeper.scripts.commands.analyse import main

ONE_TWO_ONE = "2x5/2\n#121#\n#####\n"
FIFTY_FIFTY = "1x6/2\n#1##0#\n".replace("0", "1")


def run(text: str, *options: str, status: int = 0) -> Result:
    return ended(CliRunner().invoke(main, ["-", *options], input=text, env={"COLUMNS": "80"}), status)


def test_prints_a_deduction() -> None:
    assert run(ONE_TWO_ONE).output == (
        "2x5/2: 5 safe (s), 2 mines (*)\n"
        "  0 1 2 3 4\n"
        "0 s 1 2 1 s\n"
        "1 s * s * s\n"
        "\n"
        "next: [2 clues] (0, 0), (1, 0) are safe: the clues 2 at (0, 2) and 1 at (0, 1)\n"
        "      share 2 cells, which hold at least 1 mine, all that the clue at (0, 1)\n"
        "      needs\n"
    )


def test_all_prints_every_step() -> None:
    output = run(ONE_TWO_ONE, "--all").output
    steps = [int(number) for number in re.findall(r"^(\d+)\. \[", output, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) > 2
    for cell in ("(0, 0)", "(0, 4)", "(1, 0)", "(1, 1)", "(1, 2)", "(1, 3)", "(1, 4)"):
        assert cell in output


def test_prints_probabilities_and_a_guess() -> None:
    result = run(FIFTY_FIFTY, "--strategy", "local")
    assert result.output == (
        "1x6/2: 4 not known (#)\n"
        "  0 1 2 3 4 5\n"
        "0 # 1 # # 1 #\n"
        "\n"
        "mine probabilities in percent:\n"
        "     0   1   2   3   4   5\n"
        "0   50   .  50  50   .  50\n"
        "\n"
        "layouts that fit: 4\n"
        "best guess by local: (0, 2) safe 50.0%\n"
        "guess       safe  then logic  then a guess  to win\n"
        "(0, 2)      50.0        50.0          50.0    50.0\n"
        "(0, 0)      50.0         0.0          25.0    25.0\n"
        "(0, 3)      50.0        50.0          50.0    50.0\n"
        "(0, 5)      50.0         0.0          25.0    25.0\n"
        "with (0, 0), perfect play wins in 25.0 % of the layouts, with (0, 2) in 50.0 %\n"
    )


def test_names_unavoidable_guesses() -> None:
    text = "2x3/1\n#10\n#10\n"
    assert "no further clue can tell which of (0, 0) and (1, 0) hold the mines: guess early" in run(text).output
    (guess,) = json.loads(run(text, "--json").output)["unavoidable"]
    assert guess["cells"] == [[0, 0], [1, 0]]
    assert sorted(guess["layouts"]) == [["*..", "..."], ["...", "*.."]]


def test_without_the_kernel_closure_and_reasons_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_api, "available", lambda: False)
    output = " ".join(run(ONE_TWO_ONE, "--all").output.split())
    assert "5 safe (s), 2 mines (*)" in output
    words = "if (0, 0) were a mine, the clues 1 at (0, 1) and 2 at (0, 2) could not both be true"
    assert f"1. [2 clues] (0, 0) is safe: {words}" in output
    output = " ".join(run("2x3/1\n#10\n#10\n").output.split())
    assert "mine probabilities need the native engine" in output


def test_why_explains_a_known_cell() -> None:
    words = "(1, 1) is a mine: the clues 1 at (0, 3) and 2 at (0, 2) share 2 cells"
    assert words in run(ONE_TWO_ONE, "--why", "1,1").output
    data = json.loads(run(ONE_TWO_ONE, "--why", "1,1", "--json").output)
    assert data["known"] is True
    assert data["mine"] is True
    assert data["clues"] == [[0, 2], [0, 3]]


def test_why_shows_that_a_cell_is_unknown() -> None:
    result = run(FIFTY_FIFTY, "--why", "0,0")
    assert result.output == (
        "(0, 0) is not known: two layouts fit and differ in 2 cells\n"
        "\n"
        "(0, 0) safe:\n"
        "  0 1 2 3 4 5\n"
        "0 s 1 * # 1 #\n"
        "\n"
        "(0, 0) a mine:\n"
        "  0 1 2 3 4 5\n"
        "0 * 1 s # 1 #\n"
    )
    data = json.loads(run(FIFTY_FIFTY, "--why", "0,0", "--json").output)
    assert data["known"] is False
    assert data["layouts"][0][0].startswith("..*")
    assert data["layouts"][1][0].startswith("*..")


@pytest.mark.parametrize("options", [(), ("--why", "0,0"), ("--all",)])
def test_a_contradiction_names_the_clues_and_exits_with_1(options: tuple[str, ...]) -> None:
    text = "1x6/1\n#1##1#\n"
    words = "the clues 1 at (0, 1) and 1 at (0, 4) and the number of mines, 1, cannot all be true"
    assert " ".join(run(text, *options, status=1).output.split()).endswith(words)
    assert json.loads(run(text, *options, "--json", status=1).output)["clash"]["clues"] == [[0, 1], [0, 4]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", (), "no position in empty input"),
        ("2x2/1\n##\n##\n", ("--mines", "2"), "given number of mines, 2"),
        (ONE_TWO_ONE, ("--why", "a1"), "'a1' is not a cell"),
        (ONE_TWO_ONE, ("--why", "7,7"), "(7, 7) is off the board"),
        (ONE_TWO_ONE, ("--why", "0,1"), "(0, 1) is open"),
        (ONE_TWO_ONE, ("--think", "0"), "0 is not in the range"),
    ],
)
def test_errors_are_one_line(text: str, options: tuple[str, ...], message: str) -> None:
    assert message in error_line(run(text, *options, status=2))


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    path.write_text(ONE_TWO_ONE)
    assert CliRunner().invoke(main, [str(path)], env={"COLUMNS": "80"}).output == run(ONE_TWO_ONE).output
    assert "none.txt" in error_line(CliRunner().invoke(main, [str(tmp_path / "none.txt")]))


def test_nothing_hidden() -> None:
    assert run("1x2/0\n00\n").output == "1x2/0: nothing is hidden\n  0 1\n0 . .\n"


@pytest.mark.parametrize("text", ["16x30/99\n" + ("#" * 30 + "\n") * 16, None])
def test_expert_boards_fit_80_columns(text: str | None) -> None:
    if text is None:
        puzzle = Recipe("16x30/99", seed=5).puzzle(3)
        game = Game(puzzle.board)
        game.open(puzzle.first_click)
        text = game.view.to_text()
        assert closure(View.from_text(text)).mine_map.any()
    result = run(text, "--strategy", "local")
    assert max(map(len, result.output.splitlines())) <= 80
    assert "~" in result.output


HARD = "6x6/9\n######\n######\n##2###\n######\n######\n######\n"


@pytest.mark.kernel
def test_think_prints_win_probabilities_with_intervals() -> None:
    words = run(HARD, "--think", "0.3").output
    assert "win probability, from " in words
    assert re.search(r"\(\d, \d\) \d+\.\d% ±\d+\.\d", words)
    thoughts = json.loads(run(HARD, "--think", "0.3", "--json").output)["thoughts"]
    assert all(one["win_percent_low"] < one["win_percent"] < one["win_percent_high"] for one in thoughts)
    # No guess is rated if a cell is safe.
    assert json.loads(run(ONE_TWO_ONE, "--think", "5", "--json").output)["thoughts"] == []


TYPED = {
    "header": "3x5/2\n00000\n11211\n#####",
    "no header": "00000\n11211\n#####",
    "question marks": "00000\n11211\n?????",
    "underscores": "00000\n11211\n_____",
    "crosses": "00000\n11211\nxxxxx",
    "blanks": "0 0 0 0 0\n1 1 2 1 1\n# # # # #",
    "commas": "0,0,0,0,0\n1,1,2,1,1\n#,#,#,#,#",
    "squares": "00000\n11211\n\u25a0\u25a0\u25a0\u25a0\u25a0",
    "emoji": "00000\n11211\n\u2b1c\u2b1c\u2b1c\u2b1c\u2b1c",
    "bars": "|0|0|0|0|0|\n|1|1|2|1|1|\n|#|#|#|#|#|",
    "zeros as dots": ".....\n11211\n#####",
    "hidden as dots": "00000\n11211\n.....",
    "letters": "00000\n11211\nhf?mx",
}


@pytest.mark.parametrize("way", TYPED)
def test_positions_are_read_as_people_type_them(way: str) -> None:
    expected = View.from_text("3x5/2\n00000\n11211\n#####")
    given = [] if way == "header" else ["--mines", "2"]
    result = run(TYPED[way], *given, "--json")
    found = json.loads(result.stdout)
    assert View.from_text("\n".join(found["view"]), found["mines"]) == expected
    notes = {"zeros as dots": "read as the clue 0", "hidden as dots": "read as a hidden cell"}
    assert (notes[way] in result.stderr) if way in notes else not result.stderr


@pytest.mark.parametrize(
    ("typed", "cause"),
    [
        ("#121#\n#####", "no number of mines"),
        ("#121@\n#####", "'@' in row 1"),
        ("#12\n#####", "row 2 of the view has 5 cells"),
        ("9121#\n#####", "'9' in row 1"),
        ("2x5/3\n#121#\n####", "row 2 of the view has 4 cells"),
    ],
)
def test_other_ways_are_answered_with_their_own_example(typed: str, cause: str) -> None:
    given = ["--mines", "3"] if "no number" not in cause and "/" not in typed else []
    first, words, head, *rows = run(typed, *given, status=2).stderr.splitlines()
    assert cause in first
    assert words.startswith("use # for hidden cells and 0 to 8 for clues")
    assert "--mines" in words
    example = View.from_text("\n".join([head, *rows]))
    shown = [line for line in typed.splitlines() if "/" not in line]
    assert example.rows == len(shown)
    for row, line in zip(rows, shown, strict=True):
        assert all(cell == mark or cell == "#" for cell, mark in zip(row, line, strict=False))


def test_the_formula_has_the_models_of_the_position() -> None:
    result = run("2x3/1\n1##\n1##", "--dimacs")
    assert CNF(from_string=result.stdout).clauses == cnf("2x3/1\n1##\n1##").clauses
    assert "true for a gem" in result.stdout
    other = run("2x3/1\n1##\n1##", "--dimacs", "--encoding", "totalizer")
    assert CNF(from_string=other.stdout).clauses == cnf("2x3/1\n1##\n1##", encoding="totalizer").clauses
    assert "a model, restricted to the cells, is a layout" in other.stdout
    assert "expected both" in run("2x3/1\n1##\n1##", "--encoding", "totalizer", status=2).stderr


def test_short_ids_name_stored_puzzles(tmp_path: Path) -> None:
    database = filled(tmp_path / "minesweeper.db")
    name = sampled(0).id[:3]
    result = CliRunner().invoke(main, [name, "--db", str(database), "--json"])
    assert json.loads(result.stdout)["mines"] == sampled(0).puzzle.board.mines
