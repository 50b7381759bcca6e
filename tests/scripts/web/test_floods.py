"""Requests that are too large, too many or too slow, over real sockets."""

import fcntl
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import IO, Any

import httpx2
import pytest
from blocked_job import LOCK, blocked_replay
from conftest import serving

from minesweeper.player.parallel.workers import available_workers
from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import Settings

pytestmark = pytest.mark.faults


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def told(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    told = b""
    try:
        while part := connection.recv(65536):
            told += part
    except ConnectionError:  # The server may close before it has read everything.
        pass
    return told


def post(port: int, path: str, cookie: str = "", **body: Any) -> tuple[int, str, Any]:
    """Send one request over a new connection; return the status, the cookie and the response."""
    content = json.dumps(body).encode()
    with connect(port) as connection:
        connection.sendall(
            f"POST /api{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head, _, answer = told(connection).partition(b"\r\n\r\n")
    given = [line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"set-cookie")]
    return int(head.split()[1]), given[0].decode().partition(";")[0] if given else cookie, json.loads(answer)


def test_a_long_head_is_refused() -> None:
    with serving(Settings()) as port, connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 17_000)
        assert told(connection).startswith(b"HTTP/1.1 400 ")


@pytest.fixture
def own_database(database: Path, tmp_path: Path) -> Path:
    """A database with a puzzle and without games of people."""
    path = tmp_path / "own.db"
    path.write_bytes(database.read_bytes())
    return path


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[str]]:
    """A locked file: until it is unlocked, no replay on a board ends."""
    path = tmp_path / "lock"
    monkeypatch.setenv(LOCK, str(path))
    monkeypatch.setattr(jobs, "replay_on_board", blocked_replay)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


GAME: dict[str, Any] = {
    "mode": "classic",
    "title": "Classic 1x8/1",
    "token": "board-1x8-0x0-AQ",
    "unranked": "",
    "seconds": 0,
    "clicks": 1,
    "recorded_clicks": [[0, [0, 0], [[0, 0]], 0]],
}


def test_a_flood_of_finished_games_stops_no_other_request(lock: IO[str], own_database: Path) -> None:
    waiting, processes = 4, max(2, available_workers())
    sent = waiting + processes + 3
    settings = Settings(database=own_database, waiting=waiting, job_seconds=600)
    with serving(settings) as port, ThreadPoolExecutor(sent) as threads:
        games = [threads.submit(post, port, "/record", id=f"flood-{number}", **GAME) for number in range(sent)]
        refused = [one.result() for one in islice(as_completed(games), 3)]
        assert {(status, answer["code"]) for status, _, answer in refused} == {(429, "too_busy")}
        for path in ("/", "/api/options", "/api/leaderboard", "/api/record", "/api/puzzle"):
            assert httpx2.get(f"http://127.0.0.1:{port}{path}", timeout=600).status_code == 200
        status, _, answer = post(port, "/watch", strategy="local", token=GAME["token"])
        assert (status, len(answer["moves"])) == (200, 1)
        status, _, answer = post(port, "/record", id="late", **GAME)
        assert (status, answer["code"]) == (429, "too_busy")
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert sum(one.result()[0] == 200 for one in games) >= processes


def test_a_replay_that_takes_too_long_is_one_clear_sentence(lock: IO[str], own_database: Path) -> None:
    with serving(Settings(database=own_database, job_seconds=0.2)) as port:
        status, _, answer = post(port, "/record", id="slow", **GAME)
    assert (status, answer["code"]) == (503, "too_slow")
    assert answer["error"] == "This takes more than 0.2 seconds and was stopped."
