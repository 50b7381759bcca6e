"""The part of the server in help: it notes help and moves, reads and saves files, and runs players."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import crafted
import pytest
from conftest import Visitor
from starlette.testclient import TestClient

from minesweeper.db.formats.positions import read_position, read_shown
from minesweeper.player.board import Board, Puzzle, View
from minesweeper.player.game import Game, Status
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings
from minesweeper.scripts.web.share_links import board_token

# In the first row the middle cell is safe, its neighbours are mines, and the ends are safe.
PUZZLE = Puzzle(Board.from_text(".*.*.\n.....\n....."), (2, 0))
RANDOM = f"exec:sh {Path(__file__).parents[3] / 'docs' / 'examples' / 'players' / 'random.sh'}"


def shared(visitor: Visitor) -> Any:
    return visitor.new(mode="shared", token=board_token(PUZZLE))


def test_help_is_noted_and_makes_the_moves_of_the_engine(visitor: Visitor) -> None:
    game = shared(visitor)
    assert not game["helped"]
    noted = visitor.help(game)
    assert noted["helped"]
    assert noted["cells"] == game["cells"]
    game = visitor.help(visitor.move(game, "flag", (0, 0)), safe=[(0, 0), (0, 2)], mines=[(0, 1), (0, 3)])
    assert (game["status"], game["flags"]) == ("playing", [[0, 1], [0, 3]])
    assert game["cells"][0][:3] == "1#2"
    assert game["changed"] == [[0, 0], [0, 2]]
    assert visitor.get(f"/games/{game['id']}")["helped"]
    game = visitor.help(game, safe=[(0, 4)], mines=[(0, 4)])
    assert (game["status"], game["clicks"]) == ("won", 1)


def test_help_of_a_wrong_program_loses_and_ends_with_the_game(visitor: Visitor) -> None:
    game = visitor.help(shared(visitor), safe=[(0, 1)])
    assert (game["status"], game["exploded"], game["before"]) == ("lost", [[0, 1]], PUZZLE.view.lines)
    assert visitor.help(game, status=409)["code"] == "conflict"


@pytest.mark.parametrize("cells", [[15], [-1], [3000], ["0"], [True], [[0, 1]], list(range(3001)), 7])
def test_help_off_the_board_is_refused(visitor: Visitor, cells: Any) -> None:
    game = shared(visitor)
    for name in ("safe", "mines"):
        assert visitor.move(game, "help", status=422, **{name: cells})["code"] == "bad_input"
    assert not visitor.get(f"/games/{game['id']}")["helped"]


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


def test_only_players_that_the_server_was_given_are_run(tmp_path: Path) -> None:
    evil = f"exec:touch {tmp_path / 'evil'}"
    with TestClient(create_app(Settings(players=(RANDOM,))), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        assert RANDOM in visitor.get("/options")["strategies"]
        assert visitor.post("/watch", strategy=RANDOM, token=board_token(PUZZLE))["moves"]
        visitor.post("/watch", 422, strategy=evil, token=board_token(PUZZLE))
    assert not (tmp_path / "evil").exists()


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
    large = "\n".join(["#" * 60] * 60)
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
        elif one["name"] in ("jsonl", "csv", "sgt", "mine", "board", "mbf", "ptt", "path"):
            board = read_shown(data)
            assert (board.board if isinstance(board, Puzzle) else board) == Board.from_text("*.*.\n....\n....")
        else:
            assert b"<svg" in data
    saved(client, ["####", "1121", "0000"], 2, "mbf", 422)
    saved(client, ["####", "1121", "0000"], 2, "parquet", 422)
    saved(client, ["####", "1121", "0000"], 2, "nonsense", 422)
    saved(client, ["**", "**"], 4, "mbf", 422)
