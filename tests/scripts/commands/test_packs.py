"""The command `packs`."""

import csv
import io
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line, run, words
from sample_records import filled, sampled

from minesweeper import Board, Recipe, Store, View, solution_path
from minesweeper.db.formats import jsonl
from minesweeper.db.formats.registry import FORMATS
from minesweeper.db.records import GameRecord, Sample
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.effort import path_effort
from minesweeper.player.logic.fewest_clicks import fixed_plan
from minesweeper.player.logic.paper import Generosity, paper_forms
from minesweeper.scripts.commands import autoplay, generate, leaderboard
from minesweeper.scripts.commands.packs.command import main

PUZZLES = 40


@pytest.fixture(autouse=True)
def database(folder: Path) -> Path:
    """Create the default database of the current folder, with some puzzles."""
    return filled(folder / "minesweeper.db", PUZZLES)


def packs(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def output(*arguments: str) -> str:
    return ended(packs(*arguments)).stdout


def drawn(text: str) -> str:
    """Return the rows of a drawing without its rulers."""
    return "\n".join(line.split(maxsplit=1)[1] for line in text.splitlines()[1:10])


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_help_ends_with_an_example(name: str) -> None:
    text = output(name, "-h")
    assert text == output(name, "--help")
    assert text.splitlines()[-1].strip().startswith(f"Example: packs {name} ")
    assert max(map(len, text.splitlines())) <= 80


def test_prints_help_without_arguments() -> None:
    assert output() == output("-h") == output("--help")


def test_a_table_fits_80_columns() -> None:
    lines = output("list").splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == 1 + 20 + 2
    assert lines[-1] == f"20 of {PUZZLES} puzzles"
    assert all(sampled(index).id.startswith(lines[index + 1].split()[0]) for index in range(20))
    assert output("list", "--tier", "2 clues", "--limit", "3").splitlines()[-1].startswith("3 of ")


def test_a_puzzle_has_one_json_spelling() -> None:
    listed = json.loads(output("list", "--json"))
    assert listed == [json.loads(line) for line in output("export", "-").splitlines()]
    assert listed[3] == json.loads(output("show", sampled(3).id, "--json"))
    assert output("list", "--csv") == output("export", "-", "--format", "csv")


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_files_with_all_columns_come_back_through_import(name: str) -> None:
    ended(CliRunner().invoke(generate.main, ["--preset", "beginner", "--count", "5", "--seed", "7", "--db", "made.db"]))
    output("export", f"all.{name}", "--db", "made.db")
    imported = output("import", f"all.{name}", "--db", "copy.db")
    assert imported == "5 puzzles imported, 0 skipped as duplicates\n"

    def columns(database: str) -> list[dict[str, object]]:
        listed = json.loads(output("list", "--json", "--db", database))
        return [{key: row[key] for key in row if key not in ("run", "created")} for row in listed]

    assert columns("copy.db") == columns("made.db")


def test_json_and_csv_agree() -> None:
    listed = json.loads(output("list", "--json"))
    assert [row["id"] for row in listed] == [sampled(index).id for index in range(PUZZLES)]
    assert listed[9] | {"steps_1_clue": 40, "steps_2_clues": 4, "sample_index": 9} == listed[9]
    assert listed[9]["certificate"] is None
    lines = list(csv.DictReader(io.StringIO(output("list", "--csv"))))
    for row, texts in zip(listed, lines, strict=True):
        row["first_row"], row["first_col"] = row.pop("first_click")
        row["board"] = "/".join(row["board"])
        plain = {key: int(value) if isinstance(value, bool) else value for key, value in row.items()}
        assert texts == {key: "" if value is None else str(value) for key, value in plain.items()}
    assert json.loads(output("list", "--json", "--size", "8x8")) == []


def test_selects_puzzles() -> None:
    def chosen(*options: str) -> list[int]:
        return [row["sample_index"] for row in json.loads(output("list", "--json", *options))]

    everything = ["--size", "9x9", "--mines", "10", "--start", "opening", "--run", "1"]
    assert chosen(*everything) == list(range(PUZZLES))
    assert chosen("--where", "sample_index > 36", "--limit", "2") == [37, 38]
    assert chosen("--run", "2") == []
    shuffled = chosen("--random", "--seed", "3")
    assert sorted(shuffled) == list(range(PUZZLES)) != shuffled
    assert chosen("--random", "--seed", "3", "--limit", "5") == shuffled[:5]
    assert sorted(chosen("--random")) == list(range(PUZZLES))


@pytest.mark.kernel
@pytest.mark.parametrize("place", ["minesweeper.db", "parts"])
@pytest.mark.parametrize("clues", ["minimal", "easy"])
def test_puzzles_are_sorted_and_chosen_by_their_paper_form(place: str, clues: Generosity) -> None:
    if place == "parts":
        output("merge", "minesweeper.db", "--into", "parts")
    forms = dict(enumerate(paper_forms([sampled(index).puzzle for index in range(PUZZLES)], clues)))

    def listed(*options: str) -> list[int]:
        rows = json.loads(output("list", "--json", "--db", place, "--clues", str(clues), *options))
        return [row["sample_index"] for row in rows]

    by_tier = sorted(forms, key=lambda index: (forms[index].hardest, -sum(forms[index].tally), index))
    assert listed("--sort", "paper_tier,-paper_cells") == by_tier
    easy = [index for index in forms if forms[index].hardest == Tier.ONE_CLUE]
    assert 0 < len(easy) < PUZZLES
    assert listed("--paper-tier", "1 clue") == listed("--where", "paper_tier = '1 clue'") == easy


@pytest.mark.kernel
def test_puzzles_are_sorted_and_chosen_by_their_efficiency() -> None:
    plans = [fixed_plan(sampled(index).puzzle.board) for index in range(PUZZLES)]
    limit = sorted(plan.count for plan in plans)[PUZZLES // 2]
    found = json.loads(output("list", "--json", "--sort=-efficiency", "--where", f"fewest_clicks < {limit}"))
    short = sorted((plan.efficiency for plan in plans if plan.count < limit), reverse=True)
    assert 0 < len(short) < PUZZLES
    assert [plans[row["sample_index"]].efficiency for row in found] == short


@pytest.mark.kernel
def test_a_table_shows_the_columns_that_sort_it() -> None:
    scores = [float(line.split()[-1]) for line in output("list", "--sort", "paper_score").splitlines()[1:21]]
    assert scores == sorted(scores)
    assert "unknown column 'papr_score' (did you mean 'paper_score'?)" in packs("list", "--sort", "papr_score").stderr


def test_a_condition_may_use_every_stored_column_of_a_line() -> None:
    (row,) = json.loads(output("list", "--json", "--limit", "1"))
    computed = {"first_click", "board", "efficiency_bound", "first_is_zero"}
    for name in row.keys() - computed:
        assert len(json.loads(output("list", "--json", "--where", f"{name} IS NOT NULL OR 1"))) == PUZZLES


def test_a_condition_may_use_score_and_word() -> None:
    for condition in ("difficulty > 0 AND difficulty_word != 'fiendish'", "difficulty > '0' OR difficulty < bbbv"):
        assert json.loads(output("list", "--json", "--where", condition))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("list --size 8x8", "no match among 40 puzzles in minesweeper.db; packs stats shows the values that occur"),
        ("stats --size 8x8", "no match among 40 puzzles in minesweeper.db; packs stats shows the values that occur"),
        ("list --db empty.db", "no puzzles in empty.db; generate and packs import add some"),
        ("stats --db empty.db", "no puzzles in empty.db; generate and packs import add some"),
        ("games", "no games in minesweeper.db; autoplay --db minesweeper.db records some"),
        ("games --people", "no games of people in minesweeper.db; sweep --db minesweeper.db records some"),
        (
            "people",
            "no games of people on puzzles that logic solves in minesweeper.db; sweep --db minesweeper.db records some",
        ),
    ],
)
def test_a_list_without_rows_says_why(arguments: str, reason: str) -> None:
    Store("empty.db").close()
    assert output(*arguments.split()) == f"{reason}\n"


@pytest.mark.parametrize("extension", [known.extensions[0] for known in FORMATS])
def test_an_export_without_puzzles_says_why_and_keeps_the_file(extension: str) -> None:
    file = Path(f"good{extension}")
    output("export", str(file), "--limit", "1")
    before = file.read_bytes()
    result = packs("export", str(file), "--size", "8x8")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("nothing is written: no match among 40 puzzles in minesweeper.db")
    assert file.read_bytes() == before
    assert packs("export", f"none{extension}", "--size", "8x8").exit_code == 1
    assert not Path(f"none{extension}").exists()


def test_show_draws_the_view_or_the_solution() -> None:
    record = sampled(2)
    hidden = output("show", record.id[:8])
    view = View.from_text(drawn(hidden), record.puzzle.board.mines)
    assert (view.cells[record.puzzle.first_click], (view.cells >= 0).sum() > 8) == (0, True)
    assert "*" not in hidden
    solved = output("show", record.id, "--solved")
    assert Board.from_text(drawn(solved)) == record.puzzle.board
    assert ["puzzle", record.id] in [line.split() for line in solved.splitlines()]
    assert "\x1b" not in hidden + solved


def test_show_prints_the_solution_path() -> None:
    record = sampled(2)
    lines = output("show", record.id, "--path").splitlines()
    path = solution_path(record.puzzle)
    steps = [f"[{step.tier.title}] {step.in_words()}" for step in path.steps]
    assert lines[:-2] == [f"{number:>4}  {step}" for number, step in enumerate(steps, 1)]
    assert lines[-2] == ("every safe cell is open" if path.solved else "logic leads no further")
    assert lines[-1] == str(path_effort(path))
    assert steps[0].startswith("[1 clue] (")


def test_export_round_trips() -> None:
    result = packs("export", "pack.jsonl", "--limit", "7")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "7 puzzles written to pack.jsonl\n")
    with open("pack.jsonl", "rb") as stream:
        assert list(jsonl.read(stream)) == [sampled(index) for index in range(7)]
    result = packs("export", "-", "--limit", "7")
    assert result.stdout_bytes == Path("pack.jsonl").read_bytes()
    assert result.stderr == "7 puzzles written to stdout\n"


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("minesweeper.db").rename("other.db")
    assert packs("list").exit_code == 2
    monkeypatch.setenv("MINESWEEPER_DB", "other.db")
    assert output("list").splitlines()[-1] == f"20 of {PUZZLES} puzzles"


def test_a_process_prints_the_same() -> None:
    done = run("packs", "list", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (0, output("list", "--json"), "")


@pytest.mark.parametrize("target", ["minesweeper.db", "other.db"])
def test_an_export_never_replaces_a_database_in_use(target: str) -> None:
    """Its runs and games would be lost, and with a selection most of its puzzles."""
    Store("other.db").close()
    output("export", "pack.db", "--limit", "2")
    output("export", "pack.db", "--limit", "3")
    before = Path(target).read_bytes()
    for arguments in (["export", target, "--limit", "2"], ["export", target, "--format", "jsonl"]):
        complaint = f"this is a database in use; expected another file, or packs merge to add puzzles: {target!r}"
        assert complaint in error_line(packs(*arguments))
    assert Path(target).read_bytes() == before
    assert sorted(os.listdir()) == ["minesweeper.db", "other.db", "pack.db"]


@pytest.mark.parametrize("arguments", [["list"], ["export", "-"]])
def test_a_closed_pipe_is_no_error(arguments: Sequence[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(words("packs", *arguments), stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.listdir() == ["minesweeper.db"]


def test_lists_forfeited_games() -> None:
    Path("broken.sh").write_text("""read -r line; echo '{"name": "broken", "plays": "moves"}'""")
    boards = ["--strategy", "exec:sh broken.sh", "--board", "8x8/12", "--games", "2", "--workers", "1", "--seed", "1"]
    assert CliRunner().invoke(autoplay.main, [*boards, "--first-click", "4,4"]).exit_code == 0
    assert output("games").count("forfeited: broke off") == 2
    ranking = CliRunner().invoke(leaderboard.main, boards)
    assert ranking.stdout.splitlines()[1].endswith("forfeits"), ranking.output
    assert ranking.stdout.splitlines()[2].endswith("2")
    again = CliRunner().invoke(leaderboard.main, [*boards, "--json"])
    assert [row["forfeits"] for row in json.loads(again.stdout)] == [2]


def test_games_explain_revisions() -> None:
    with Store("minesweeper.db") as store:
        store.add_games([GameRecord("champion#2", Sample(Recipe("4x4/2", click=(0, 0), seed=1), 0), True, 14, 0, 0.1)])
    assert "champion#2: revision 2 of the strategy" in output("games")
