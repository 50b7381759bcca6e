"""Limits, headers, pages, sessions and worker processes."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Visitor, best_cells
from starlette.testclient import TestClient

from minesweeper.db.store import Store
from minesweeper.player.board import View
from minesweeper.player.errors import InconsistentView
from minesweeper.player.logic import closure
from minesweeper.scripts.web.app import PAGES, STATIC, create_app
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.server import Sessions
from minesweeper.scripts.web.settings import ApiError, ErrorKind, Settings


def test_every_page_has_a_strict_policy_and_no_inline_script(client: TestClient) -> None:
    for path in PAGES:
        response = client.get(path.replace("{token}", "daily-2026-01-01-beginner"))
        assert response.status_code == 200
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        # WebAssembly may be compiled; no text may become a script.
        assert "unsafe" not in policy.replace("wasm-unsafe-eval", "")
        assert "style=" not in response.text
        assert "<style" not in response.text
        assert "onclick=" not in response.text
        assert response.headers["x-content-type-options"] == "nosniff"


def test_files_outside_the_page_are_not_served(client: TestClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/docs", "/openapi.json", "/nothing"):
        response = client.get(path)
        assert response.status_code == 404
        assert response.text == (STATIC / "index.html").read_text() or response.json()["code"] == "not_found"


def test_other_names_other_pages_and_other_types_are_refused(client: TestClient) -> None:
    body = {"mode": "classic", "preset": "beginner"}
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:8123"}).status_code == 200
    assert client.post("/api/games", json=body, headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.post("/api/games", json=body, headers={"Origin": "http://127.0.0.1"}).status_code == 200
    assert client.post("/api/games", data=body).status_code == 415


@pytest.mark.parametrize(("path", "most"), [("games", 16_384), ("recording", 540_672)])
@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("has_length", [True, False])
def test_larger_bodies_are_refused_with_and_without_a_length(
    client: TestClient, path: str, most: int, more: int, has_length: bool
) -> None:
    body = b" " * (most + more)
    headers = {"Content-Type": "application/json"}
    response = client.post(f"/api/{path}", content=body if has_length else iter([body]), headers=headers)
    assert response.status_code == (413 if more else 422)


def test_what_can_be_played_is_told(visitor: Visitor) -> None:
    options = visitor.get("/options")
    assert {"name": "expert", "rows": 16, "cols": 30, "mines": 99, "standard": True} in options["presets"]
    assert options["default_strategy"] in options["strategies"]
    assert options["database"]
    assert options["packs"][0]["puzzles"] == options["puzzles"] > 0


def test_the_leaderboard_comes_from_the_database(visitor: Visitor) -> None:
    (row,) = visitor.get("/leaderboard")["rows"]
    assert (row["strategy"], row["games"], row["wins"], row["win_rate_percent"]) == ("local", 10, 5, 50.0)
    assert row["low"] < 50 < row["high"]


def test_without_a_database_the_server_says_so() -> None:
    with TestClient(create_app(Settings(database=Path("nothing.db"))), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        assert not visitor.get("/options")["database"]
        assert visitor.get("/leaderboard", 404)["code"] == "no_database"
        assert visitor.post("/games", 404, mode="pack")["code"] == "no_database"


def test_an_empty_database_has_an_empty_leaderboard(tmp_path: Path) -> None:
    database = tmp_path / "empty.db"
    Store(database).close()
    with TestClient(create_app(Settings(database=database)), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        assert visitor.get("/leaderboard")["rows"] == []
        assert visitor.get("/options")["puzzles"] == 0
        assert visitor.post("/games", 404, mode="pack")["code"] == "not_found"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_sessions_are_forgotten_when_nobody_uses_them() -> None:
    clock = Clock()
    sessions = Sessions(Settings(session_seconds=100), clock)
    first, second = sessions.begin(), sessions.begin()
    clock.now = 60
    assert sessions.find(first.key) is first
    clock.now = 120
    assert sessions.find(second.key) is None
    assert sessions.find(first.key) is first
    assert len(sessions) == 1
    assert sessions.find(None) is None


def test_a_full_server_drops_idle_sessions_and_refuses_if_there_are_none() -> None:
    clock = Clock()
    sessions = Sessions(Settings(sessions=2), clock)
    first, _ = sessions.begin(client="one"), sessions.begin(client="two")
    with pytest.raises(ApiError, match="Too many people"):
        sessions.begin(client="three")
    clock.now = 700
    third = sessions.begin(client="three")
    assert sessions.find(first.key) is None
    assert sessions.find(third.key) is third
    assert len(sessions) == 2


def test_many_sessions_of_one_client_lock_no_newcomer_out() -> None:
    sessions = Sessions(Settings(sessions=20))
    player = sessions.begin(client="player")
    neighbour = sessions.begin(client="flood")
    assert sessions.find(neighbour.key) is neighbour
    for _ in range(100):
        sessions.begin(client="flood")
    newcomers = [sessions.begin(client=f"newcomer {n}") for n in range(10)]
    # Active players stay, even with the address of the flood.
    for kept in (player, neighbour, *newcomers):
        assert sessions.find(kept.key) is kept
    assert len(sessions) == 20


def test_an_active_player_is_not_evicted_for_a_client_that_would_have_as_many_sessions() -> None:
    sessions = Sessions(Settings(sessions=3))
    for client in ("two", "two", "one"):
        player = sessions.begin(client=client)
        assert sessions.find(player.key) is player
    with pytest.raises(ApiError, match="Too many people"):
        sessions.begin(client="one")


def test_players_of_one_address_do_not_lose_their_games_to_each_other() -> None:
    sessions = Sessions(Settings(sessions=3))
    players = [sessions.begin(client="school") for _ in range(3)]
    for player in players:
        assert sessions.find(player.key) is player
    with pytest.raises(ApiError, match="Too many people"):
        sessions.begin(client="school")
    # A client with another address gets one of the three sessions.
    assert sessions.begin(client="home")
    assert [player for player in players if sessions.find(player.key)] == players[1:]


def with_pool(work: Callable[[WorkerPool], Coroutine[Any, Any, None]], **limits: Any) -> None:
    """Run a coroutine in a new thread: the browser tests leave an event loop running in this one."""

    async def run() -> None:
        pool = WorkerPool(1, **limits)
        try:
            await work(pool)
        finally:
            await pool.close()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, run()).result()


def test_work_that_takes_too_long_is_cut_off_and_the_next_is_done() -> None:
    async def work(pool: WorkerPool) -> None:
        with pytest.raises(ApiError, match=r"This takes more than 0\.05 seconds"):
            await pool.run(0.05, signal.pause)
        assert await pool.run(60, print, "This is no part of the result.") is None
        assert await pool.run(60, abs, -3) == 3
        with pytest.raises(InconsistentView):
            await pool.run(60, closure, View.from_text("1x2/1\n0#"))
        with pytest.raises(ApiError, match="ended before the job was done"):
            await pool.run(60, os._exit, 1)
        assert await asyncio.gather(*(pool.run(60, abs, -n) for n in range(5))) == list(range(5))

    with_pool(work, waiting=4)


def test_work_that_is_cut_off_ends_with_all_that_it_has_begun(tmp_path: Path) -> None:
    """A subprocess that reads a recorded game once survived the end of its worker."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def work(pool: WorkerPool) -> None:
        asked = asyncio.create_task(pool.run(600, os.system, f"sleep 600 < {pipe}"))
        opened = await asyncio.to_thread(os.open, pipe, os.O_WRONLY)
        asked.cancel()
        await asyncio.wait([asked])
        # The pipe closes when no process has it open.
        closed = select.poll()
        closed.register(opened, 0)
        assert closed.poll(60_000)
        os.close(opened)

    with_pool(work, waiting=4)


def test_whoever_comes_first_is_served_first() -> None:
    async def work(pool: WorkerPool) -> None:
        served: list[int] = []

        async def ask(number: int) -> None:
            # A client that returns at once must not overtake those who wait.
            for turn in range(2):
                await pool.run(60, abs, number)
                served.append(turn)

        await pool.start()
        await asyncio.gather(*(ask(number) for number in range(20)))
        assert served == [0] * 20 + [1] * 20

    with_pool(work, waiting=100)


def test_an_answer_that_nobody_waits_for_is_not_given_to_the_next(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def work(pool: WorkerPool) -> None:
        await pool.start()
        asked = asyncio.create_task(pool.run(60, pipe.read_text))
        # A pipe opens for writing when the job reads from it; closing it ends the job.
        opened = await asyncio.to_thread(pipe.open, "w")
        asked.cancel()
        opened.close()
        assert await pool.run(60, abs, -3) == 3

    with_pool(work, waiting=4)


def test_no_more_work_waits_than_is_allowed() -> None:
    async def work(pool: WorkerPool) -> None:
        answers = await asyncio.gather(*(pool.run(60, abs, -n) for n in range(5)), return_exceptions=True)
        assert sum(isinstance(answer, ApiError) and answer.kind is ErrorKind.TOO_BUSY for answer in answers) == 2
        assert [answer for answer in answers if isinstance(answer, int)] == [0, 1, 2]

    with_pool(work, waiting=2)


def test_head_is_answered_and_no_pattern_is_shown_to_people(client: TestClient, visitor: Visitor) -> None:
    assert client.head("/").status_code == 200
    assert visitor.new(mode="pack", puzzle="not hex", status=422)["error"].endswith(
        "Only digits and the letters a to f are allowed."
    )


def test_games_that_are_over_or_not_begun_make_room_first(visitor: Visitor) -> None:
    begun = visitor.new(mode="classic", preset="beginner")
    visitor.move(begun, "open", (4, 4), turn=0)
    for _ in range(Settings.games_per_session):
        visitor.new(mode="classic", preset="beginner")
    assert visitor.get(f"/games/{begun['id']}")["status"] in ("playing", "won")


def test_moves_that_overtake_each_other_are_made_in_turn(visitor: Visitor) -> None:
    game = visitor.move(visitor.new(mode="classic", preset="expert"), "open", (8, 15), turn=0)
    hidden = next(divmod(at, 30) for at, code in enumerate("".join(game["cells"])) if code == "#")
    with ThreadPoolExecutor(2) as threads:
        late = threads.submit(visitor.move, game, "open", hidden, turn=2)
        flagged = visitor.move(game, "flag", hidden, turn=1)
        assert flagged["turn"] == 2
        # The flag has the lower turn, so the cell stays closed although the click arrived first.
        assert late.result()["cells"] == game["cells"]
    # A move that arrives after later ones leaves the counter.
    assert visitor.move(game, "flag", hidden, turn=0)["turn"] == 3


def test_games_are_kept_over_a_restart(pack: Path, tmp_path: Path) -> None:
    database = tmp_path / "kept.db"
    database.write_bytes(pack.read_bytes())
    settings = Settings(database=database)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        visitor = Visitor(client)
        kaboom = visitor.move(visitor.new(mode="kaboom", preset="beginner"), "open", (4, 4), turn=0)
        classic = visitor.move(visitor.new(mode="classic", preset="expert"), "open", (8, 15), turn=0)
        classic = visitor.move(classic, "flag", (0, 0), turn=1)
        cookies = dict(client.cookies)
    with TestClient(create_app(settings), base_url="http://127.0.0.1", cookies=cookies) as client:
        visitor = Visitor(client)
        for game in (kaboom, classic):
            found = visitor.get(f"/games/{game['id']}")
            for same in ("cells", "flags", "status", "title", "turn", "helped"):
                assert found[same] == game[same]
        assert visitor.move(kaboom, "open", best_cells(kaboom)[0], turn=1)["status"] != "lost"
    with TestClient(create_app(settings), base_url="http://127.0.0.1", cookies={"sweep_session": "other"}) as client:
        Visitor(client).get(f"/games/{classic['id']}", 404)
    assert next(iter(cookies.values())).encode() not in database.read_bytes()
