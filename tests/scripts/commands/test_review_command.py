"""The command `review`."""

from __future__ import annotations

import json
from itertools import takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner
from processes import error_line
from recordings import record, record_played
from sample_records import human_game

from minesweeper.db.store import Store
from minesweeper.player.board import Board
from minesweeper.player.play import recorded_games
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.commands.packs.command import games
from minesweeper.scripts.commands.review import main


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.evf"
    record(path, Board.from_text("...*....*."), [(0, 0), (0, 6), (0, 3)])
    return path


def test_a_review_is_a_table_with_reasons(game: Path) -> None:
    result = CliRunner().invoke(main, [str(game), "--layouts"])
    assert result.exit_code == 0, result.output
    assert "1x10/2 by a tester, recorder: lost in 0.0" in result.output
    assert "clicks that opened: 1 first click, 1 forced guess, 1 known mine" in result.output
    assert "luck: 0.00%" in result.output
    assert "% to win" in result.output
    assert "nothing was certain: (0, 6) is safe in one layout that fits, a mine in another" in result.output
    assert "(0, 3) is a mine in every layout" in result.output
    assert "...*" in result.output.splitlines()[-3]


def test_a_review_as_json(game: Path) -> None:
    result = CliRunner().invoke(main, [str(game), "--json"])
    review = json.loads(result.output)
    assert review["verdicts"]["forced guess"] == 1
    assert [one["verdict"] for one in review["judgements"]] == ["first click", "forced guess", "known mine"]
    assert review["judgements"][1]["safety"] == pytest.approx(5 / 6)
    assert len(review["judgements"][1]["layouts"]) == 2
    guess = review["judgements"][1]["guess"]
    assert (guess["kind"], guess["safety"]) == ("win_probability", pytest.approx(5 / 6))
    assert guess["value"] <= guess["best_value"] <= guess["best_safety"]


def test_all_lists_certain_clicks(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    record_played(path, Recipe(8, 8, 10, (3, 3), "opening", seed=4), 0)
    assert "certain" in CliRunner().invoke(main, [str(path), "--all"]).output.split("luck")[1]


def test_names_the_missing_package(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_games, "find_spec", lambda _: None)
    assert "pip install" in error_line(CliRunner().invoke(main, [str(game)]))


def test_writes_a_page(game: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    result = CliRunner().invoke(main, [str(game), "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "forced guess" in page.read_text()
    assert result.stderr == f"written to {page}\n"
    error_line(CliRunner().invoke(main, [str(game), "--html", str(tmp_path / "none" / "game.html")]))


def test_the_layouts_of_a_forced_guess_have_captions(game: Path) -> None:
    lines = CliRunner().invoke(main, [str(game), "--layouts"]).output.splitlines()
    start = next(place for place, line in enumerate(lines) if line.split() == ["safe", "a", "mine"])
    pairs = takewhile(lambda row: len(row) == 2, (line.split() for line in lines[start + 1 :]))
    assert any((left, right) == (".", "*") for pair in pairs for left, right in zip(*pair, strict=True))


def test_lists_and_reviews_stored_games(tmp_path: Path) -> None:
    database = str(tmp_path / "minesweeper.db")
    with Store(database) as store:
        store.people.add([("somebody", human_game())])
    listed = json.loads(CliRunner().invoke(games, ["--people", "--json", "--db", database]).output)
    assert [(one["id"], one["title"], one["won"], one["unranked"]) for one in listed] == [
        ("play:1", "Classic", True, None)
    ]
    result = CliRunner().invoke(main, ["play:1", "--db", database])
    assert "1x10/2, sweep: won in 2.50 s" in result.output
    assert "luck: 83.33%" in result.output
