"""Limits of connections, over real sockets."""

from __future__ import annotations

import fcntl
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import IO, Any, cast

import httpx2
import pytest
from blocked_job import LOCK, blocked_replay
from conftest import serving

from minesweeper.player.parallel.workers import available_workers
from minesweeper.scripts.web import connections, jobs
from minesweeper.scripts.web.connections import Connection, ConnectionLimit, client_of
from minesweeper.scripts.web.settings import MAX_RECORDING, Settings

pytestmark = pytest.mark.faults

SETTINGS = Settings(receive_seconds=600)
QUICK_TO_GIVE_UP = replace(SETTINGS, receive_seconds=0.2)


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


def test_a_head_without_end_is_cut_off() -> None:
    with serving(SETTINGS) as port, connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        sent = 0
        try:
            while sent < 60_000_000:
                sent += connection.send(b"x" * 100_000)
        except ConnectionError:
            pass
        # The rest was sent before the server closed.
        assert sent < 20_000_000


def test_a_recording_may_be_longer_than_other_requests() -> None:
    """The recording arrives in many parts."""
    data = "A" * 4 * (MAX_RECORDING // 3)
    with serving(SETTINGS) as port:
        status, _, answer = post(port, "/recording", name="long.mvf", data=data)
        assert (status, answer["error"]) == (422, "'long.mvf' is broken: expected a complete mvf file")
        with connect(port) as connection:
            head = f"POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
            connection.sendall(f"{head}Content-Type: application/json\r\n\r\n{data}".encode())
            assert b" 413 " in connection.recv(65536)


def test_a_long_head_is_refused() -> None:
    with serving(SETTINGS) as port, connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 17_000)
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: loc",
        b"POST /api/watch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_half_a_request_is_not_waited_for_without_end(half: bytes) -> None:
    with serving(QUICK_TO_GIVE_UP) as port, connect(port) as connection:
        connection.sendall(half)
        assert told(connection) == b""


def test_whoever_takes_no_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()
    monkeypatch.setattr(connections.Connection, "abort", lambda _: ended.set())
    with serving(replace(SETTINGS, send_seconds=0.2)) as port, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
        assert ended.wait(600)


def test_many_connections_of_one_client_keep_no_newcomer_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # All connections have the same address, so the oldest is closed.
    with serving(replace(SETTINGS, connections=5)) as port:
        idle = [connect(port) for _ in range(20)]
        status, _, answer = post(port, "/record/delete")
        assert (status, answer) == (200, {"deleted": True})
        assert told(idle[0]) == b""
        for one in idle:
            one.close()


class Idle:
    """A connection without a request."""

    is_working = False
    is_closed = False

    def abort(self) -> None:
        self.is_closed = True


class Working(Idle):
    """A connection that waits for its response."""

    is_working = True


@pytest.mark.parametrize("kind", [Idle, Working])
def test_a_network_with_many_addresses_keeps_no_newcomer_out(kind: type[Idle]) -> None:
    limit = ConnectionLimit(500)

    def arrive(made: Idle, address: str) -> Idle:
        limit.add(cast(Connection, made), client_of(address))
        return made

    flood = [arrive(kind(), f"2001:db8:0:{number:x}::1") for number in range(1100) for _ in range(2)]
    newcomers = [arrive(Working(), f"2001:db8:{number:x}::1") for number in range(1, 100)]
    newcomers += [arrive(Working(), f"192.0.2.{number}") for number in range(100)]
    assert not any(one.is_closed for one in newcomers)
    assert sum(not one.is_closed for one in flood) == 500 - len(newcomers)


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
    settings = replace(SETTINGS, database=own_database, waiting=waiting, job_seconds=600)
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
    with serving(replace(SETTINGS, database=own_database, job_seconds=0.2)) as port:
        status, _, answer = post(port, "/record", id="slow", **GAME)
    assert (status, answer["code"]) == (503, "too_slow")
    assert answer["error"] == "This takes more than 0.2 seconds and was stopped."


def test_clients_are_networks_of_ipv6_and_addresses_of_ipv4() -> None:
    assert client_of("203.0.113.9") == client_of("::ffff:203.0.113.9") == "203.0.113.9"
    assert client_of("2001:db8::1") == client_of("2001:db8:0:ffff::1") != client_of("2001:db8:1::1")
    assert client_of("testclient") == "testclient"
