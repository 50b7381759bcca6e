"""Records of players: stored, summed up, reviewed, exported and deleted; and secret from other players."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Visitor, cheat
from recordings import record
from starlette.testclient import TestClient

from minesweeper.db.people import HumanGame
from minesweeper.db.store import Store
from minesweeper.player.board import Board, Puzzle, View
from minesweeper.player.logic import closure
from minesweeper.player.play import recorded_games
from minesweeper.player.play.recorded_games import RecordedClick, record_game, review_recording
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.server import digest
from minesweeper.scripts.web.settings import MAX_BODY, Settings, max_body
from minesweeper.scripts.web.share_links import board_token

# The first click proves the mine (0, 3). One of the six cells after it is a mine; the guess (0, 6) decides which.
BOARD = Board.from_text("...*....*.")


@pytest.fixture(autouse=True)
def work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs in this process."""

    async def run(_: WorkerPool, __: float, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    monkeypatch.setattr(WorkerPool, "run", run)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    Store(tmp_path / "minesweeper.db").close()
    return tmp_path / "minesweeper.db"


@pytest.fixture
def player(database: Path) -> Iterator[Visitor]:
    with TestClient(create_app(Settings(database=database)), base_url="http://127.0.0.1") as client:
        yield Visitor(client)


def deal(player: Visitor, board: Board = BOARD) -> Any:
    return player.new(mode="shared", token=board_token(Puzzle(board, (0, 0))))


def play(player: Visitor, *cells: tuple[int, int], board: Board = BOARD) -> Any:
    game = deal(player, board)
    for cell in cells:
        game = player.move(game, "open", cell)
    return game


WIN = ((0, 6), (0, 9))


def test_a_win_is_kept_with_its_figures_and_reviewed(player: Visitor) -> None:
    game = play(player, *WIN)
    assert game["status"] == "won"
    clicks = [RecordedClick(0, cell, (cell,)) for cell in ((0, 0), *WIN)]
    expected = review_recording(record_game(BOARD, clicks, 1, 2, "sweep"))
    told = player.ask(game, "stats")
    assert (told["won"], told["clicks"], told["bbbv"]) == (True, 2, expected.measures.bbbv)
    assert told["luck"] == pytest.approx(expected.luck)
    review = player.get(f"/record/{game['id']}/review")
    assert [one["verdict"] for one in review["judgements"]] == [one.verdict for one in expected.judgements]
    assert [one["safety"] for one in review["judgements"]] == [one.safety for one in expected.judgements]
    record = player.get("/record")
    (kind,) = record["kinds"]
    assert kind["kind"] == "shared 1x10/2"
    assert kind["ranked"] == {"games": 1, "wins": 1}
    assert kind["best_seconds"] == pytest.approx(told["seconds"])
    assert [one["id"] for one in record["games"]] == [game["id"]]


def test_a_lost_game_that_could_go_on_tells_nothing_of_its_mines(player: Visitor) -> None:
    game = play(player, (0, 6), (0, 8))
    assert game["status"] == "lost"
    told = player.ask(game, "stats")
    assert (told["forced"], told["needless"], told["luck"]) == (1, 0, 0)
    assert "bbbv" not in told
    player.get(f"/record/{game['id']}/review", 409)
    assert "mines" not in player.get("/record/export")["games"][0]
    player.move(game, "reveal")
    assert player.get(f"/record/{game['id']}/review")["board"] == ["...*....*."]
    assert player.get("/record/export")["games"][0]["mines"] == ["...*....*."]


def test_a_game_counts_by_its_first_end(player: Visitor) -> None:
    game = play(player, (0, 6), (0, 8))
    game = player.move(game, "undo")
    for cell in WIN[1:]:
        game = player.move(game, "open", cell)
    assert game["status"] == "won"
    (kind,) = player.get("/record")["kinds"]
    assert kind["ranked"] == {"games": 1, "wins": 0}
    assert kind["help"]["games"] == 0


def test_help_and_boards_met_before_are_kept_apart(player: Visitor) -> None:
    play(player, *WIN)
    play(player, *WIN)
    helped = deal(player, Board.from_text("....*.*..."))
    player.help(helped)
    for cell in ((0, 5), (0, 8)):
        helped = player.move(helped, "open", cell)
    (kind,) = player.get("/record")["kinds"]
    assert [kind[group]["games"] for group in ("ranked", "repeat", "help")] == [1, 1, 1]
    assert (kind["streak"], kind["longest_streak"]) == (1, 1)
    assert [game["unranked"] for game in player.get("/record")["games"]] == ["help", "repeat", ""]


def test_a_board_met_before_is_told_only_when_the_game_is_over(player: Visitor) -> None:
    play(player, *WIN)
    game = play(player, (0, 6), (0, 8))
    assert player.ask(game, "stats")["unranked"] == ""
    assert [one["unranked"] for one in player.get("/record")["games"]] == ["", ""]
    player.move(game, "reveal")
    assert [one["unranked"] for one in player.get("/record")["games"]] == ["repeat", ""]


def test_what_a_finished_game_costs_does_not_grow_with_the_record(
    player: Visitor, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a game once read the player's whole record."""
    connect = sqlite3.connect
    steps = 0

    class Counting(sqlite3.Connection):
        def set_progress_handler(self, *_: Any) -> None:
            """Count every step, instead of the calls of the deadline of the database."""
            super().set_progress_handler(count, 1)

    def count() -> None:
        nonlocal steps
        steps += 1

    def counting(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options, factory=Counting)
        connection.set_progress_handler()
        return connection

    monkeypatch.setattr(sqlite3, "connect", counting)

    def cost(game: Any) -> int:
        before = steps
        player.ask(game, "stats")
        return steps - before

    few = cost(play(player, *WIN))
    recipe = Recipe(9, 9, 10, (4, 4), "opening", 7)
    boards = [recipe.puzzle(index).board for index in range(300)]
    with Store(database) as store:
        name = digest(player.client.cookies["sweep_session"])
        store.add_human_games(
            (name, HumanGame(f"old{i}", "shared", "", board, (), True, 9.0, 20, "2026-01-01 00:00:00"))
            for i, board in enumerate(boards)
        )
    many = cost(play(player, (0, 3), (0, 6), board=Board.from_text("..*.*.....")))
    assert many < 2 * few


def test_the_cheat_is_part_of_the_review(player: Visitor) -> None:
    game = player.move(player.new(mode="no-guess", preset="beginner"), "open", (0, 8))
    game = cheat(player, game)
    assert game["status"] == "won"
    review = player.get(f"/record/{game['id']}/review")
    assert [one["helped"] for one in review["judgements"]] == [False] + [True] * (len(review["judgements"]) - 1)
    assert {one["verdict"] for one in review["judgements"]} == {"first click", "certain"}


def test_kaboom_is_reviewed_on_the_layout_that_it_settled_on(player: Visitor) -> None:
    game = player.new(mode="kaboom", preset="beginner")
    game = player.move(game, "open", (4, 4))
    game = cheat(player, game, guess=True)
    assert game["status"] == "won"
    review = player.get(f"/record/{game['id']}/review")
    assert review["won"]
    assert review["luck"] is None
    assert all(one["survived"] for one in review["judgements"])


def test_the_record_and_a_running_game_outlive_a_restart(database: Path) -> None:
    settings = Settings(database=database)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        player = Visitor(client)
        won = play(player, *WIN)
        running = play(player, WIN[0], board=Board.from_text("....*.*..."[::-1]))
        cookies = dict(client.cookies)
    with TestClient(create_app(settings), base_url="http://127.0.0.1", cookies=cookies) as client:
        player = Visitor(client)
        assert player.get(f"/record/{won['id']}/review")["won"]
        running = player.move(running, "open", (0, 3))
        assert running["status"] == "lost"
        player.move(running, "reveal")
        # The first clicks, made on another server, are in the record.
        assert len(player.get(f"/record/{running['id']}/review")["judgements"]) == 3
        assert len(player.get("/record")["games"]) == 2
    with TestClient(create_app(settings), base_url="http://127.0.0.1", cookies={"sweep_session": "other"}) as client:
        stranger = Visitor(client)
        stranger.get(f"/record/{won['id']}/review", 404)
        assert stranger.get("/record")["games"] == []
    with Store(database) as store:
        assert {game.name for game in store.human_games()} == {won["id"], running["id"]}
        assert store.human_game(f"play:{store.human_games()[0].number}").name == running["id"]


def test_a_player_deletes_all_that_is_known_of_them(player: Visitor, database: Path) -> None:
    play(player, *WIN)
    running = play(player, (0, 6))
    player.post("/record/delete")
    assert player.get("/record")["games"] == []
    # The running game continues but no longer counts.
    running = player.move(running, "open", (0, 8))
    assert player.get("/record")["games"] == []
    with Store(database) as store:
        assert store.human_games() == []


def recording_of(board: Board, tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "game.evf"
    record(path, board, [(0, 0), *WIN])
    return {"name": "mine.evf", "data": b64encode(path.read_bytes()).decode()}


def test_a_game_of_another_program_is_reviewed(player: Visitor, tmp_path: Path) -> None:
    review = player.post("/recording", **recording_of(BOARD, tmp_path))
    assert (review["title"], review["won"], review["board"]) == ("mine.evf", True, ["...*....*."])
    assert [one["verdict"] for one in review["judgements"]] == ["first click", "forced guess", "certain"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"name": "mine.txt", "data": ""}, "'mine.txt' is no recorded game: expected a .avf, .evf, .mvf, .rmv file"),
        ({"name": "mine.mvf", "data": "AAAA"}, "'mine.mvf' is broken: expected a complete mvf file"),
        ({"name": "mine.mvf", "data": "é"}, "The data is not base64."),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(player: Visitor, sent: dict[str, str], words: str) -> None:
    assert player.post("/recording", 422, **sent) == {"error": words, "code": "bad_input"}


def test_without_ms_toollib_a_recording_is_refused_in_one_line(
    player: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = recording_of(BOARD, tmp_path)
    monkeypatch.setattr(recorded_games, "find_spec", lambda _: None)
    words = player.post("/recording", 422, **sent)["error"]
    assert words == "reading 'mine.evf' needs ms_toollib: pip install 'minesweeper-toolkit[replays]'"


def test_recordings_may_be_larger_than_other_requests_up_to_a_limit(player: Visitor) -> None:
    some, many = "A" * 4 * (MAX_BODY // 4 + 1), "A" * (max_body("/api/recording") + 1)
    assert "complete mvf" in player.post("/recording", 422, name="mine.mvf", data=some)["error"]
    player.post("/recording", 413, name="mine.mvf", data=many)
    player.post("/position", 413, text=some)


def test_without_a_database_games_are_reviewed_as_long_as_the_server_knows_them() -> None:
    with TestClient(create_app(Settings()), base_url="http://127.0.0.1") as client:
        player = Visitor(client)
        assert player.get("/record")["keeps"] is False
        game = play(player, *WIN)
        assert player.get(f"/record/{game['id']}/review")["won"]
        assert player.get("/record")["games"] == []
        player.post("/record/delete", 404)


def test_every_click_of_a_page_game_is_judged_as_its_view_is_analysed(player: Visitor) -> None:
    game = player.new(mode="classic", preset="beginner")
    game = player.move(game, "open", (4, 4))
    game = cheat(player, game, guess=True)
    if game["status"] == "lost":
        player.move(game, "reveal")
    review = player.get(f"/record/{game['id']}/review")
    assert len(review["judgements"]) > 2
    for one in review["judgements"][1:]:
        known = closure(View.from_text("\n".join(one["view"]), review["mines"]), "sat")
        certain = all(known.safe_map[tuple(cell)] for cell in one["cells"])
        assert (one["verdict"] == "certain") == certain
        assert (one["verdict"] == "forced guess") == (not known.safe_map.any())
