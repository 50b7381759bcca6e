"""The routes for puzzles of the database, strategies to watch, and positions as files."""

from base64 import b64encode
from pathlib import Path

import crafted
import numpy as np
import pytest
from conftest import Visitor
from starlette.testclient import TestClient

from minesweeper import Board, Grid, Puzzle, Store, View
from minesweeper.db.formats.positions import read_position, read_shown
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.recipe import Preset
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.puzzles import board_token, read_board_token
from minesweeper.scripts.web.settings import MAX_TOKEN, Settings

# In the first row the middle cell is safe, its neighbours are mines, and the ends are safe.
PUZZLE = Puzzle(Board.from_text(".*.*.\n.....\n....."), (2, 0))
RANDOM = f"exec:sh {Path(__file__).parents[3] / 'docs' / 'examples' / 'players' / 'random.sh'}"


def test_the_options_name_what_the_server_adds_to_the_page(visitor: Visitor) -> None:
    options = visitor.get("/options")
    assert {"name": "expert", "rows": 16, "cols": 30, "mines": 99} in options["sizes"]
    assert options["default_strategy"] in options["strategies"]
    assert "local" in options["strategies"]
    assert options["keeps"]
    assert options["results"]
    (pack,) = options["packs"]
    assert (pack["rows"], pack["cols"], pack["mines"]) == (9, 9, 10)
    assert pack["puzzles"] > 0
    assert options["begins_with"] is None


def test_the_sizes_are_those_of_the_command_line() -> None:
    settings = Settings(sizes={"tiny/5x5": Preset(Grid(5, 5), 3)}, begins_with="tiny/5x5")
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        options = Visitor(client).get("/options")
    assert options["sizes"] == [{"name": "tiny/5x5", "rows": 5, "cols": 5, "mines": 3}]
    assert (options["begins_with"], options["keeps"], options["packs"]) == ("tiny/5x5", False, [])
    assert not options["results"]


def test_a_puzzle_of_the_database_is_found_by_its_size_its_tier_and_its_id(visitor: Visitor, pack: Path) -> None:
    found = visitor.get("/puzzle?rows=9&cols=9&mines=10")
    puzzle = read_board_token(found["token"])
    assert puzzle.id == found["id"]
    assert visitor.get(f"/puzzle?id={found['id'][:12].upper()}") == found
    with Store(pack) as store:
        assert store.puzzle(found["id"]).puzzle == puzzle
        tiers = {record.tally.hardest.title for record in store.puzzles() if record.tally is not None}
    for tier in tiers:
        visitor.get(f"/puzzle?tier={tier}")
    assert visitor.get("/puzzle?rows=10", 404)["code"] == "not_found"
    assert visitor.get("/puzzle?rows=9&cols=9&mines=10&grid=torus", 404)["code"] == "not_found"
    assert visitor.get("/puzzle?rows=9&cols=9&mines=10&grid=")["token"]
    assert visitor.get("/puzzle?id=ffff00001111", 404)["code"] == "not_found"


@pytest.mark.parametrize(
    "query", ["rows=0", "rows=101", "rows=x", f"rows={'9' * 5000}", "mines=-1", "tier=nonsense", "id=xyz", "seed=1"]
)
def test_a_query_for_a_puzzle_is_checked(visitor: Visitor, query: str) -> None:
    answer = visitor.get(f"/puzzle?{query}", 422)
    assert answer["code"] == "bad_input"
    assert "\n" not in answer["error"]


def test_without_a_database_there_are_no_puzzles() -> None:
    with TestClient(create_app(Settings(database=Path("nothing.db"))), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        assert not visitor.get("/options")["keeps"]
        for path in ("/puzzle", "/leaderboard"):
            assert visitor.get(path, 501)["code"] == "no_database"


def test_an_empty_database_has_no_puzzles_and_an_empty_leaderboard(player: Visitor) -> None:
    assert player.get("/leaderboard")["rows"] == []
    assert player.get("/options")["packs"] == []
    assert player.get("/puzzle", 404)["code"] == "not_found"


def test_the_leaderboard_comes_from_the_database(visitor: Visitor) -> None:
    (row,) = visitor.get("/leaderboard")["rows"]
    assert (row["strategy"], row["games"], row["wins"], row["win_rate_percent"]) == ("local", 10, 5, 50.0)
    assert row["low"] < 50 < row["high"]


def test_other_players_are_watched_by_their_moves(visitor: Visitor) -> None:
    token = board_token(PUZZLE)
    moves = visitor.post("/watch", strategy="local", token=token)["moves"]
    assert moves[0] == {"reason": "first click", "cells": [[2, 0]], "mines": []}
    game = Game(PUZZLE.board)
    for move in moves:
        for row, col in move["cells"]:
            game.open((row, col))
    assert game.status is Status.WON
    for bad in ({"strategy": "local", "token": "board-9x9"}, {"strategy": "os:system", "token": token}):
        assert visitor.post("/watch", 422, **bad)["code"] == "bad_input"


def test_boards_of_strangers_are_decoded_outside_the_process_of_the_server(
    player: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = board_token(PUZZLE)

    def read_here(*_: object) -> None:
        raise AssertionError("the server reads a board")

    for kind, reader in ((Board, "from_bytes"), (View, "from_text")):
        monkeypatch.setattr(kind, reader, read_here)
    assert player.post("/watch", strategy="local", token=token)["moves"]
    game = {"id": "game-1", "mode": "shared", "title": "", "token": token, "unranked": "", "seconds": 0, "clicks": 1}
    refused = player.post("/record", 422, **game, recorded_clicks=[[0, [2, 0], [[2, 0]], 0]])
    assert "the clicks do not end the game" in refused["error"]
    assert saved(player.client, ["#*", "11"], 1, "text") == b"2x2/1\n##\n11"


@pytest.mark.parametrize(
    ("token", "cause"),
    [
        ("board-1x8-0x0-gA", "first click (0, 0) is a mine; expected a safe cell."),
        ("board-4x4~torus-0x0-AAA", "4x4 torus has 4 rows that wrap; expected 5 or more"),
    ],
)
def test_a_refused_token_was_called_incomplete_whatever_its_fault(visitor: Visitor, token: str, cause: str) -> None:
    error = visitor.post("/watch", 422, strategy="local", token=token)["error"]
    assert error.startswith(f"This share link is damaged or incomplete: {cause}")


def test_only_players_that_the_server_was_given_are_run(tmp_path: Path) -> None:
    evil = f"exec:touch {tmp_path / 'evil'}"
    with TestClient(create_app(Settings(players=(RANDOM,))), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        assert RANDOM in visitor.get("/options")["strategies"]
        assert visitor.post("/watch", strategy=RANDOM, token=board_token(PUZZLE))["moves"]
        visitor.post("/watch", 422, strategy=evil, token=board_token(PUZZLE))
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "token",
    [
        "",
        "board-9x9",
        "board-9x9-0x0-!!!",
        "board-9x9-0x0-AA",
        "board-900x900-0x0-AA",
        "board-101x1-0x0-AAAAAAAAAAAAAAAAAA",
        f"board-{'9' * 500}x1-0x0-AA",
        "board-1x8-0x9-AA",
        "board-1x8-0x0-gA",
        "bored-1x8-0x0-AA",
        "board-1x8~moebius-0x0-AA",
        "board-1x8~~gA-0x0-AA",  # The first click is a hole,
        "board-1x8~~AQ-0x0-AQ",  # a mine is in a hole,
        "board-1x8~~_w-0x0-AA",  # every cell is a hole.
        "board-1x8~~gAA-0x0-AA",
        "board-1x8~holes.#-0x0-AA",
        "nonsense",
    ],
)
def test_a_damaged_token_is_refused_in_one_sentence(visitor: Visitor, token: str) -> None:
    answer = visitor.post("/watch", 422, strategy="local", token=token)
    assert answer["code"] == "bad_input"
    assert "\n" not in answer["error"]


def test_the_largest_board_has_a_token() -> None:
    hole_map = np.indices((100, 100)).sum(0) % 2 == 1
    for grid in Grid(100, 100), Grid(100, 100, "hex torus").with_holes(hole_map):
        puzzle = Puzzle(Board.from_cells(grid, [(0, 0), (99, 97)]), (99, 99))
        assert len(board_token(puzzle)) <= MAX_TOKEN
        assert read_board_token(board_token(puzzle)) == puzzle


@pytest.mark.parametrize(
    "text",
    [
        "2x3/1\n1##\n1##",
        "3x2x1\n1HH\n1HH",
        "# MINESWEEPER-BOARD v0.1\nrows: 2\ncolumns: 3\nmines: 1\n\n[view]\n1UU\n1UU\n",
    ],
)
def test_every_text_format_is_read(visitor: Visitor, text: str) -> None:
    position = visitor.post("/position", text=text)
    assert position == {"rows": 2, "cols": 3, "mines": 1, "cells": ["1##", "1##"]}


def test_files_that_are_no_position_or_too_large_are_refused(visitor: Visitor) -> None:
    assert visitor.post("/position", 422, text="what?")["code"] == "bad_input"
    assert visitor.post("/position", 422, text="?", base64=True)["error"] == "The data is not base64."
    large = "#" * 101
    assert "1 to 100 rows" in visitor.post("/position", 422, text=large, mines=3)["error"]


def test_packs_in_files_are_refused(client: TestClient, tmp_path: Path) -> None:
    database, repeated = crafted.database(tmp_path / "a.db"), crafted.repeated_rows(tmp_path / "a.parquet", 1)
    for path, cause in ((database, "a file of SQLite"), (repeated, "a file of Parquet")):
        body = {"text": b64encode(path.read_bytes()[:9000]).decode(), "base64": True}
        answer = client.post("/api/position", json=body)
        assert answer.status_code == 422
        assert cause in answer.json()["error"], answer.json()


def saved(client: TestClient, cells: list[str], mines: int, name: str, status: int = 200) -> bytes:
    body = {"cells": cells, "mines": mines, "format": name}
    response = client.post("/api/position/save", json=body)
    assert response.status_code == status, response.text
    return response.content


def test_positions_are_saved_in_every_format(visitor: Visitor, client: TestClient) -> None:
    view = View.from_text("3x4/2\n####\n1121\n0000")
    formats = visitor.get("/options")["formats"]
    assert {"text", "view.board", "mbf", "sgt", "jsonl", "svg"} <= {one["name"] for one in formats}
    for one in formats:
        data = saved(client, ["*#*#", "1121", "0000"], 2, one["name"])
        if one["name"] in ("text", "view.board", "view.mine"):
            assert read_position(data) == view
        elif one["name"] in ("jsonl", "json", "csv", "sgt", "mine", "board", "mbf", "ptt", "path"):
            board = read_shown(data)
            assert (board.board if isinstance(board, Puzzle) else board) == Board.from_text("*.*.\n....\n....")
        elif one["name"] == "link":
            assert data.startswith(b"https://puzz.link/p?mines/4/3/")
        else:
            assert b"<svg" in data
    saved(client, ["####", "1121", "0000"], 2, "mbf", 422)
    saved(client, ["####", "1121", "0000"], 2, "parquet", 422)
    saved(client, ["####", "1121", "0000"], 2, "nonsense", 422)
    saved(client, ["**", "**"], 4, "mbf", 422)
