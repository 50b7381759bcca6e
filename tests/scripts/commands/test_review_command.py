"""The command `review`."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product, takewhile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line
from pyarrow import parquet
from recordings import record, record_played
from rectangle import neighbours
from sample_records import human_game

from minesweeper import Board, Cell, OutOfTime, Puzzle, Recipe, Store, View
from minesweeper.db.people import clicks_to_json
from minesweeper.player.play.click_rows import CLICK_COLUMNS, ClickRow, click_rows
from minesweeper.player.play.recorded_games import Recording, read_recording
from minesweeper.scripts.commands.packs.command import games
from minesweeper.scripts.commands.review import main
from minesweeper.scripts.web.puzzles import board_token


def review(*arguments: object, status: int = 0) -> Result:
    return ended(CliRunner().invoke(main, list(map(str, arguments))), status)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.evf"
    record(path, Board.from_text("...*....*."), [(0, 0), (0, 6), (0, 3)])
    return path


def test_a_review_is_a_table_with_reasons(game: Path) -> None:
    result = review(game, "--layouts")
    assert "1x10/2 by a tester, recorder: lost in 0.0" in result.output
    assert "clicks that opened: 1 first click, 1 forced guess, 1 known mine" in result.output
    assert "luck: 0.00%" in result.output
    assert "% to win" in result.output
    assert "nothing was certain: (0, 6) is safe in one layout that fits, a mine in another" in result.output
    assert "(0, 3) is a mine in every layout" in result.output
    assert "...*" in result.output.splitlines()[-3]


def test_a_review_as_json(game: Path) -> None:
    found = json.loads(review(game, "--json").output)
    assert found["verdicts"]["forced guess"] == 1
    assert [one["verdict"] for one in found["judgements"]] == ["first click", "forced guess", "known mine"]
    assert found["judgements"][1]["safety"] == pytest.approx(5 / 6)
    assert len(found["judgements"][1]["layouts"]) == 2
    guess = found["judgements"][1]["guess"]
    assert (guess["kind"], guess["safety"]) == ("win_probability", pytest.approx(5 / 6))
    assert guess["value"] <= guess["best_value"] <= guess["best_safety"]


def test_all_lists_certain_clicks(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    record_played(path, Recipe("8x8/10", click=(3, 3), seed=4), 0)
    assert "certain" in review(path, "--all").output.split("luck")[1]


def test_writes_a_page(game: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    assert review(game, "--html", page).stderr == f"written to {page}\n"
    assert "forced guess" in page.read_text()
    error_line(review(game, "--html", tmp_path / "none" / "game.html", status=2))


def test_the_layouts_of_a_forced_guess_have_captions(game: Path) -> None:
    lines = review(game, "--layouts").output.splitlines()
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
    result = review("play:1", "--db", database)
    assert "1x10/2, sweep: won in 2.50 s" in result.output
    assert "luck: 83.33%" in result.output


def test_every_click_of_many_games_is_a_row(game: Path, tmp_path: Path) -> None:
    record_played(tmp_path / "inner.evf", Recipe("8x8/10", click=(3, 3), seed=4), 0)
    (tmp_path / "broken.rmv").write_bytes(b"*rmv")
    result = review(tmp_path, "--csv", status=1)
    assert "broken.rmv' is broken" in result.stderr
    assert result.stderr.endswith("1 game of 3 left out, in whole or in part\n")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == [column.name for column in CLICK_COLUMNS]
    assert {row["recording"] for row in rows} == {str(game), str(tmp_path / "inner.evf")}
    lost = [row for row in rows if row["recording"] == str(game)]
    assert [row["kind"] for row in lost] == ["first click", "forced guess", "known mine"]
    assert [row["distance"] for row in lost] == ["", "6.0", "3.0"]
    assert [row["survived"] for row in lost] == ["1", "1", "0"]
    assert float(lost[1]["safety"]) == pytest.approx(5 / 6)


def test_reasons_are_as_small_as_enumeration_finds(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    record_played(path, Recipe("5x5/5", seed=4), 0)
    recording = read_recording(path)
    checked = 0
    for row, view in zip(click_rows("game", recording), recording.views, strict=True):
        cell = (row["row"], row["col"])
        clues = [(int(one[0]), int(one[1])) for one in np.argwhere(view.cells >= 0)]
        decided = (
            size
            for size in range(1, len(clues) + 1)
            if any(_decides(view, chosen, cell) for chosen in combinations(clues, size))
        )
        if row["kind"] == "certain" and row["opens"] == 1 and row["tier"] < 4:
            checked += 1
            assert row["reason"] == next(decided)
    assert checked > 3


def _decides(view: View, clues: Sequence[Cell], cell: Cell) -> bool:
    """Return whether a cell is safe in every layout that fits these clues, by enumeration of the cells around them."""
    hidden = sorted({near for clue in clues for near in neighbours(*view.cells.shape, clue) if view.cells[near] < 0})
    for mines in product((0, 1), repeat=len(hidden)):
        mine = dict(zip(hidden, mines, strict=True))
        if (mine.get(cell, 1)) and all(
            sum(mine.get(near, 0) for near in neighbours(*view.cells.shape, clue)) == view.cells[clue] for clue in clues
        ):
            return False
    return True


def test_a_game_over_its_time_keeps_its_first_rows(game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(name: str, recording: Recording) -> Iterator[ClickRow]:
        yield from islice(click_rows(name, recording), 2)
        raise OutOfTime("the time limit is over")

    monkeypatch.setattr(sys.modules["minesweeper.player.play.click_rows"], "click_rows", slow)
    result = review(game, "--parquet", tmp_path / "clicks.parquet", status=1)
    assert result.stdout == ""
    assert "game.evf: 2 of 3 clicks after 20 s; allow more with --time-limit" in result.stderr
    table = parquet.read_table(tmp_path / "clicks.parquet")
    assert table.schema.names == [column.name for column in CLICK_COLUMNS]
    assert table.column("kind").to_pylist() == ["first click", "forced guess"]


def test_rows_need_their_option_and_a_recording(game: Path, tmp_path: Path) -> None:
    assert "2 games; expected one, or --csv" in error_line(review(game, game, status=2))
    assert "No such file" in error_line(review(tmp_path / "none.evf", "--csv", status=2))
    game.unlink()
    assert "no recorded game in" in error_line(review(tmp_path, "--csv", status=2))


def test_the_record_of_the_page_is_read_without_kaboom(tmp_path: Path) -> None:
    path, stored = tmp_path / "sweep-record.json", human_game()
    game = {
        "id": "one",
        "mode": "classic",
        "puzzle": board_token(Puzzle(stored.board, stored.recorded_clicks[0].cell)),
        "seconds": stored.seconds,
        "clicks": stored.clicks,
        "recorded_clicks": clicks_to_json(stored.recorded_clicks),
    }
    kaboom = game | {"mode": "kaboom", "id": "two"}
    as_rows = {**game, "id": "three", "puzzle": None, "mines": stored.board.to_text().splitlines()}
    path.write_text(json.dumps({"games": [game, kaboom, as_rows, {"mode": "classic", "id": "without clicks"}]}))
    rows = list(csv.DictReader(io.StringIO(review(path, "--csv").stdout)))
    assert list(dict.fromkeys(row["recording"] for row in rows)) == [f"{path}:one", f"{path}:three"]
    expected = list(click_rows("game", stored.recording))
    assert [row["kind"] for row in rows] == 2 * [row["kind"] for row in expected]
    for broken in ("{", "[]", '{"games": [{"mode": "classic", "recorded_clicks": [1]}]}', '{"games": [7]}'):
        path.write_text(broken)
        assert "is no record; expected a file that Export" in error_line(review(path, "--csv", status=2))


def test_one_game_of_the_record_is_reviewed_on_its_own_grid(tmp_path: Path) -> None:
    path = tmp_path / "sweep-record.json"
    torus = {"grid": "torus", "mines": ["....*", ".....", "..*..", ".....", "....."]}
    game = {"id": "one", "mode": "classic", "seconds": 2.0, "clicks": 2, **torus}
    clicks = {"recorded_clicks": [[0.0, [0, 0], [[0, 0]], False], [2.0, [2, 2], [[2, 2]], False]]}
    path.write_text(json.dumps({"games": [game | clicks]}))
    result = review(path, "--json")
    # The clue counts the mine across the seam; on a rectangle the cell is a zero.
    assert json.loads(result.stdout)["last_view"][0] == "1####"
    path.write_text(json.dumps({"games": [game | clicks, game | clicks]}))
    assert "2 games; expected one, or --csv" in error_line(review(path, status=2))
