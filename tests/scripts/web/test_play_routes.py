"""Games over HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from conftest import Visitor, best_cells, cheat, view_of
from starlette.testclient import TestClient

from minesweeper.generator.screening import screen
from minesweeper.player.board import HIDDEN, Board, Puzzle, View, cells_of, neighbours
from minesweeper.player.logic import closure
from minesweeper.player.measure.difficulty import difficulty
from minesweeper.player.recipe import Preset, standard_presets
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.boards import solvable_puzzle
from minesweeper.scripts.web.live_games import BoardGame, KaboomGame, restored, saved
from minesweeper.scripts.web.settings import Settings
from minesweeper.scripts.web.share_links import board_token, read_board_token

BEGINNER = {"preset": "beginner"}


def truth_of(client: TestClient, game: Any) -> Board:
    """Return the board of a game from the server's memory."""
    for session in client.app.state.server.sessions._sessions.values():  # type: ignore[attr-defined]
        if game["id"] in session.games:
            play = session.games[game["id"]]
            assert isinstance(play, BoardGame)
            assert play.puzzle is not None
            return play.puzzle.board
    raise AssertionError("no such game")


def a_mine(board: Board) -> tuple[int, int]:
    row, col = np.argwhere(board.mine_map)[0].tolist()
    return row, col


def test_a_classic_game_is_played_to_its_win(visitor: Visitor, client: TestClient) -> None:
    game = visitor.new(mode="classic", **BEGINNER)
    assert (game["status"], game["rows"], game["cols"], game["mines"]) == ("ready", 9, 9, 10)
    game = visitor.move(game, "open", (4, 4))
    assert game["status"] == "playing"
    assert game["cells"][4][4] == "0"
    assert len(game["changed"]) >= 9
    board = truth_of(client, game)
    for row, col in np.argwhere(~board.mine_map).tolist():
        if game["status"] == "playing":
            assert game["mine_map"] is None
            game = visitor.move(game, "open", (row, col))
    assert game["status"] == "won"
    assert game["mine_map"] == np.argwhere(board.mine_map).tolist()
    token = visitor.ask(game, "share")["token"]
    assert read_board_token(token).board == board
    again = visitor.new(mode="shared", token=token)
    assert view_of(again).cells[4, 4] == 0
    visitor.move(game, "open", (0, 0), status=409)


def test_a_death_shows_one_mine_until_all_are_wanted_and_can_be_taken_back(
    visitor: Visitor, client: TestClient
) -> None:
    game = visitor.move(visitor.new(mode="classic", **BEGINNER), "open", (4, 4))
    mine = a_mine(truth_of(client, game))
    lost = visitor.move(game, "open", mine)
    assert (lost["status"], lost["exploded"], lost["mine_map"], lost["can_undo"]) == ("lost", [list(mine)], None, True)
    back = visitor.move(game, "undo")
    assert (back["status"], back["cells"], back["undos"], back["helped"]) == ("playing", game["cells"], 1, True)
    visitor.move(game, "undo", status=409)
    visitor.move(game, "reveal", status=409)
    visitor.move(game, "open", mine)
    shown = visitor.move(game, "reveal")
    assert list(mine) in shown["mine_map"]
    back = visitor.move(game, "undo")
    assert (back["status"], back["mine_map"], back["cells"]) == ("playing", None, game["cells"])
    visitor.ask(game, "share", 409)


def test_flags_and_chords(visitor: Visitor, client: TestClient) -> None:
    game = visitor.move(visitor.new(mode="classic", **BEGINNER), "open", (4, 4))
    board = truth_of(client, game)
    mine = a_mine(board)
    assert visitor.move(game, "flag", mine)["flags"] == [list(mine)]
    assert visitor.move(game, "open", mine)["status"] == "playing"
    assert visitor.move(game, "flag", mine)["flags"] == []
    for row, col in np.argwhere(board.mine_map).tolist():
        game = visitor.move(game, "flag", (row, col))
    for row, col in np.argwhere(view_of(game).cells > 0).tolist():
        if game["status"] == "playing":
            game = visitor.move(game, "chord", (row, col))
    assert game["status"] in ("playing", "won")
    assert len(game["flags"]) == 10


def test_a_chord_with_a_wrong_flag_is_taken_back_but_not_what_it_opened(visitor: Visitor, client: TestClient) -> None:
    for _ in range(30):
        game = visitor.move(visitor.new(mode="classic", **BEGINNER), "open", (4, 4))
        board, view = truth_of(client, game), view_of(game)
        for clue, wrong in wrong_chords(board, view):
            visitor.move(game, "flag", wrong)
            lost = visitor.move(game, "chord", clue)
            assert lost["status"] == "lost"
            back = visitor.move(game, "undo")
            assert back["cells"] == lost["cells"]
            assert back["status"] == "playing"
            return
    raise AssertionError("expected a clue 1 with a hidden safe neighbour in one of 30 games")


def wrong_chords(board: Board, view: View) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the clues 1 with a hidden safe neighbour."""
    return [
        ((row, col), near)
        for row, col in np.argwhere(view.cells == 1).tolist()
        for near in neighbours(9, 9, (row, col))
        if view.cells[near] == HIDDEN and not board.mine_map[near]
    ]


def test_no_response_ever_holds_a_mine_that_the_player_may_not_know(visitor: Visitor, client: TestClient) -> None:
    """No response during a game contains the board."""
    game = visitor.move(visitor.new(mode="no-guess", **BEGINNER), "open", (0, 0))
    board = truth_of(client, game)
    packed = board_token(Puzzle(board, (0, 0))).split("-", 3)[3]
    told: set[tuple[int, int]] = set()
    while game["status"] == "playing":
        view = view_of(game)
        known = closure(view, "sat")
        told |= set(cells_of(known.mine_map))
        game = visitor.help(game, cells_of(known.safe_map), cells_of(known.mine_map))
        assert game["mine_map"] is None or game["status"] == "won"
    assert game["status"] == "won"
    assert {tuple(cell) for cell in np.argwhere(board.mine_map).tolist()} >= told
    before_the_win = "".join(visitor.traffic[:-1])
    assert packed not in before_the_win
    assert 'mine_map":[' not in before_the_win
    assert "seed" not in before_the_win


def test_kaboom_tells_why_a_click_was_survived_or_not(visitor: Visitor) -> None:
    game = visitor.new(mode="kaboom", **BEGINNER)
    assert game["rules"] == {
        "opening_start": True,
        "guess_anywhere": False,
        "outside_counts": True,
        "mode": "uniform",
    }
    game = visitor.move(game, "open", (0, 0))
    assert game["verdict"]["why"] == "first_click"
    while game["status"] == "playing":
        assert game["mine_map"] is None
        view = view_of(game)
        known = closure(view)
        safe = cells_of(known.safe_map)
        if safe:
            for cell in cells_of((view.cells == HIDDEN) & ~known.safe_map)[:1]:
                dead = visitor.move(game, "open", cell)
                assert dead["verdict"]["why"] in ("needless_guess", "proven_mine")
                assert not dead["verdict"]["survived"]
                layout = Board.from_cells(9, 9, map(tuple, dead["mine_map"]))
                shown = view.cells != HIDDEN
                assert (layout.clues[shown] == view.cells[shown]).all()
                assert visitor.move(game, "undo")["verdict"] is None
            game = visitor.move(game, "open", safe[0])
            assert game["verdict"]["why"] == "proven_safe"
        else:
            game = visitor.move(game, "open", best_cells(game)[0])
            assert game["verdict"]["why"] == "forced_guess"
            assert game["verdict"]["survived"]
    assert visitor.new(mode="shared", token=visitor.ask(game, "share")["token"])["rules"] == game["rules"]


def test_boards_of_the_servers_own_have_names_but_no_daily() -> None:
    """Daily boards are equal on all servers, so they exist only in the standard sizes."""
    own = {"tiny/5x5": Preset(5, 5, 3), "beginner": Preset(9, 9, 10)}
    with TestClient(create_app(Settings(sizes=own)), base_url="http://127.0.0.1") as client:
        told = client.get("/api/options").json()["presets"]
        assert [(one["name"], one["standard"]) for one in told] == [("tiny/5x5", False), ("beginner", True)]
        visitor = Visitor(client)
        assert visitor.new(mode="classic", preset="tiny/5x5")["title"] == "Classic 5x5/3"
        answer = client.post("/api/games", json={"mode": "daily", "preset": "tiny/5x5"})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_input")
        answer = client.post("/api/games", json={"mode": "classic", "preset": "expert"})
        assert answer.json()["error"] == "Unknown preset 'expert'; presets: tiny/5x5, beginner."


def test_the_daily_board_is_the_same_for_everybody_and_solvable(visitor: Visitor) -> None:
    game = visitor.new(mode="daily", preset="beginner", date="2026-02-03")
    token = visitor.ask(game, "share")["token"]
    assert token == "daily-2026-02-03-beginner"
    again = visitor.new(mode="shared", token=token)
    assert game["cells"] == again["cells"]
    puzzle = solvable_puzzle(standard_presets()["beginner"], None, 20260203)
    assert view_of(game).cells[puzzle.first_click] == 0
    today = visitor.new(mode="daily", preset="beginner")
    assert visitor.ask(today, "share")["token"] == f"daily-{datetime.now(UTC).date()}-beginner"
    assert cheat(visitor, game)["status"] == "won"


def test_a_stored_puzzle_is_played_and_shared_by_its_id(visitor: Visitor) -> None:
    game = visitor.new(mode="pack", rows=9, cols=9, mines=10)
    token = visitor.ask(game, "share")["token"]
    assert token.startswith("puzzle-")
    assert visitor.new(mode="shared", token=token)["cells"] == game["cells"]
    assert visitor.new(mode="pack", puzzle=token[7:])["cells"] == game["cells"]
    assert cheat(visitor, game)["status"] == "won"
    visitor.post("/games", 404, mode="pack", rows=10)
    visitor.post("/games", 404, mode="pack", puzzle="ffff00001111")


def test_a_session_is_a_cookie_that_scripts_and_other_pages_cannot_use(visitor: Visitor, client: TestClient) -> None:
    response = client.post("/api/games", json={"mode": "classic", "preset": "beginner"})
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    game = response.json()
    assert visitor.get(f"/games/{game['id']}")["id"] == game["id"]
    client.cookies.clear()
    assert visitor.get(f"/games/{game['id']}", 404)["code"] == "not_found"


def test_a_session_keeps_its_newest_games_only(visitor: Visitor) -> None:
    games = [visitor.new(mode="classic", **BEGINNER) for _ in range(Settings.games_per_session + 2)]
    for game in games[2:]:
        visitor.get(f"/games/{game['id']}")
    for game in games[:2]:
        visitor.get(f"/games/{game['id']}", 404)


def test_large_boards_can_be_played_and_shared(visitor: Visitor, client: TestClient) -> None:
    game = visitor.new(mode="classic", rows=30, cols=100, mines=500)
    game = visitor.move(game, "open", (29, 99))
    token = board_token(Puzzle(truth_of(client, game), (29, 99)))
    assert visitor.new(mode="shared", token=token)["cols"] == 100


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "chess"},
        {"mode": "classic"},
        {"mode": "classic", "preset": "enormous"},
        {"mode": "classic", "rows": 101, "cols": 2, "mines": 1},
        {"mode": "classic", "rows": 100, "cols": 31, "mines": 1},
        {"mode": "classic", "rows": 4, "cols": 4, "mines": 8},
        {"mode": "classic", "rows": "4", "cols": 4, "mines": 2},
        {"mode": "kaboom", "rows": 4, "cols": 4, "mines": 8},
        {"mode": "kaboom", "preset": "beginner", "rules": {"mode": "kind"}},
        {"mode": "classic", "preset": "beginner", "cheat": True},
        {"mode": "daily", "preset": "beginner", "date": "yesterday"},
        {"mode": "watch", "preset": "beginner"},
        {"mode": "shared", "token": "board-9x9-0x0-!!!"},
        {"mode": "shared", "token": "board-9x9"},
        {"mode": "shared", "token": "board-900x900-0x0-AA"},
        {"mode": "shared", "token": "kaboom-9x9-10-111-kind"},
        {"mode": "shared", "token": "daily-2026-99-99-beginner"},
        {"mode": "shared", "token": "nonsense"},
    ],
)
def test_bad_requests_are_refused_in_one_sentence(visitor: Visitor, body: dict[str, Any]) -> None:
    answer = visitor.post("/games", 422, **body)
    assert answer["code"] == "bad_input"
    assert answer["error"]
    assert "\n" not in answer["error"]


def test_moves_off_the_board_are_refused(visitor: Visitor) -> None:
    game = visitor.new(mode="classic", **BEGINNER)
    visitor.move(game, "open", (9, 0), status=422)
    visitor.move(game, "open", (-1, 0), status=422)
    visitor.move(game, "open", status=422)


def test_the_same_board_is_played_again_apart_from_the_record(visitor: Visitor, client: TestClient) -> None:
    game = visitor.new(mode="classic", **BEGINNER)
    visitor.post("/games", 409, mode="again", game=game["id"])
    game = visitor.move(game, "open", (4, 4))
    again = visitor.new(mode="again", game=game["id"])
    assert again["id"] != game["id"]
    assert (again["cells"], again["title"], again["mode"]) == (game["cells"], game["title"], "classic")
    board = truth_of(client, game)
    assert truth_of(client, again) == board
    for row, col in np.argwhere(~board.mine_map).tolist():
        if again["status"] == "playing":
            again = visitor.move(again, "open", (row, col))
    assert visitor.ask(again, "stats")["unranked"] == "repeat"
    visitor.post("/games", 404, mode="again", game="nonsense")


def opened_by_rules(visitor: Visitor, game: Any) -> tuple[Any, list[Any]]:
    """Let the automatic player finish a game of Kaboom; return the last state and all views."""
    seen = []
    while game["status"] in ("ready", "playing"):
        game = visitor.help(game, best_cells(game))
        seen.append(game["cells"])
    return game, seen


def test_kaboom_answers_the_same_clicks_alike_in_a_game_played_again_and_with_a_seed(visitor: Visitor) -> None:
    wanted: dict[str, Any] = {"mode": "kaboom", "rows": 8, "cols": 8, "mines": 16, "rules": {"opening_start": False}}
    game, seen = opened_by_rules(visitor, visitor.new(**wanted))
    again = visitor.new(mode="again", game=game["id"])
    assert (again["status"], again["title"], again["rules"]) == ("ready", game["title"], game["rules"])
    assert opened_by_rules(visitor, again)[1] == seen
    seeded = [opened_by_rules(visitor, visitor.new(seed=seed, **wanted)) for seed in (7, 7, 8)]
    assert seeded[0][1] == seeded[1][1] != seeded[2][1]


def test_a_game_of_kaboom_that_may_be_known_is_counted_apart(visitor: Visitor) -> None:
    wanted: dict[str, Any] = {"mode": "kaboom", "rows": 1, "cols": 5, "mines": 1, "rules": {"opening_start": False}}
    first = visitor.new(**wanted)
    games = [first, visitor.new(mode="again", game=first["id"]), visitor.new(seed=7, **wanted), visitor.new(**wanted)]
    unranked = []
    for game in games:
        cells = iter([(0, 2), (0, 1), (0, 3), (0, 0), (0, 4)])
        while game["status"] in ("ready", "playing"):
            game = visitor.move(game, "open", next(cells))
        if game["status"] == "lost":
            visitor.move(game, "reveal")
        unranked.append(visitor.ask(game, "stats")["unranked"])
    assert unranked[:3] == ["repeat"] * 3


@pytest.mark.parametrize("mode", ["classic", "no-guess"])
def test_the_same_seed_deals_the_same_board(visitor: Visitor, client: TestClient, mode: str) -> None:
    boards = []
    for seed in (7, 7, 8):
        game = visitor.new(mode=mode, seed=seed, **BEGINNER)
        if mode == "classic":
            game = visitor.move(game, "open", (4, 4))
        boards.append(truth_of(client, game))
    assert boards[0] == boards[1] != boards[2]
    visitor.post("/games", 422, mode=mode, seed=-1, **BEGINNER)


def test_no_guess_boards_are_as_hard_as_wanted(visitor: Visitor, client: TestClient) -> None:
    game = visitor.new(mode="no-guess", difficulty="medium", tier="2 clues", seed=7, **BEGINNER)
    assert game["title"].endswith(", medium, hardest step: 2 clues")
    board = truth_of(client, game)
    found = screen(Puzzle(board, (4, 4)))
    assert found.tally.hardest.title == "2 clues"
    assert difficulty(found.tally, found.clues_at_once, board.safe_cells).word == "medium"
    visitor.post("/games", 422, mode="no-guess", difficulty="nonsense", **BEGINNER)
    visitor.post("/games", 422, mode="no-guess", tier="nonsense", **BEGINNER)


def test_kaboom_takes_any_move_back(visitor: Visitor) -> None:
    game = visitor.new(mode="kaboom", rows=6, cols=6, mines=9, rules={"opening_start": False})
    shown = [game["cells"]]
    assert not game["can_undo"]
    game = visitor.move(game, "open", (0, 0))
    while game["status"] == "playing" and len(shown) < 3:
        shown.append(game["cells"])
        game = visitor.help(game, best_cells(game)[:1])
    assert game["status"] == "playing"
    for before in reversed(shown):
        assert game["can_undo"]
        game = visitor.move(game, "undo")
        assert game["cells"] == before
    assert (game["status"], game["can_undo"], game["undos"]) == ("ready", False, len(shown))
    assert game["guesses"]["count"] == 0
    assert visitor.move(game, "open", (5, 5))["verdict"]["why"] == "first_click"


def test_what_is_known_of_a_game_is_kept_over_a_restart(visitor: Visitor, client: TestClient) -> None:
    for wanted in ({"mode": "classic", "seed": 7}, {"mode": "kaboom", "rules": {"opening_start": False}}):
        game = visitor.move(visitor.new(**wanted, **BEGINNER), "open", (4, 4))
        game = visitor.help(game, best_cells(game)[:1])
        sessions = client.app.state.server.sessions._sessions.values()  # type: ignore[attr-defined]
        play = next(session.games[game["id"]] for session in sessions if game["id"] in session.games)
        kept = saved(play)
        assert kept is not None
        again = restored(play.id, json.loads(json.dumps(kept)))
        assert again.is_repeat == ("seed" in wanted)
        told = json.loads(json.dumps(again.state()))
        for key in ("cells", "guesses", "flags", "undos"):
            assert told[key] == game[key]
        if isinstance(play, KaboomGame):
            assert isinstance(again, KaboomGame)
            assert again.kaboom.seed == play.kaboom.seed
