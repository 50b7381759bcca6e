"""Limits of connections, over real sockets."""

from __future__ import annotations

import fcntl
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import IO, Any

import pytest
from blocked_job import LOCK, blocked_puzzle
from conftest import serving

from minesweeper.scripts.web import boards, connections
from minesweeper.scripts.web.connections import client_of
from minesweeper.scripts.web.settings import MAX_HEAD, MAX_RECORDING, Settings

pytestmark = pytest.mark.faults

SETTINGS = Settings(receive_seconds=600)
QUICK_TO_GIVE_UP = replace(SETTINGS, receive_seconds=0.2)


@pytest.fixture(autouse=True, params=["h11", "httptools"])
def protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with both HTTP parsers of uvicorn."""
    module = pytest.importorskip(f"uvicorn.protocols.http.{request.param}_impl")
    chosen = module.H11Protocol if request.param == "h11" else module.HttpToolsProtocol
    monkeypatch.setattr(connections, "AutoHTTPProtocol", chosen)


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
            connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
            assert b" 413 " in connection.recv(65536)


def test_a_long_head_is_refused() -> None:
    with serving(SETTINGS) as port:
        for end in (b"", b"\r\n\r\n"):
            with connect(port) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * (MAX_HEAD + 100) + end)
                # h11 has its own limit.
                assert connection.recv(100).startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 "))


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: loc",
        b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_half_a_request_is_not_waited_for_without_end(half: bytes) -> None:
    with serving(QUICK_TO_GIVE_UP) as port, connect(port) as connection:
        connection.sendall(half)
        answer = told(connection)
    assert (b"408" in answer) == half.startswith(b"GET")


def test_whoever_takes_no_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()
    monkeypatch.setattr(connections.Connection, "abort", lambda _: ended.set())
    with serving(replace(SETTINGS, send_seconds=0.2)) as port, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.sendall(b"GET /static/js/board.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
        assert ended.wait(600)


def test_many_connections_of_one_client_keep_no_newcomer_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # All connections have the same address, so the oldest is closed.
    with serving(replace(SETTINGS, connections=5)) as port:
        idle = [connect(port) for _ in range(20)]
        status, _, game = post(port, "/games", mode="classic", preset="beginner")
        assert (status, game["status"]) == (200, "ready")
        assert told(idle[0]) == b""
        for one in idle:
            one.close()


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[str]]:
    """A locked file: until it is unlocked, no board with more than 500 mines is found."""
    path = tmp_path / "lock"
    monkeypatch.setenv(LOCK, str(path))
    monkeypatch.setattr(boards, "solvable_puzzle", blocked_puzzle)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def test_a_dense_board_blocks_no_other_game(lock: IO[str]) -> None:
    with serving(replace(SETTINGS, study_seconds=600)) as port, ThreadPoolExecutor(3) as threads:
        dense = [threads.submit(post, port, "/games", mode="no-guess", rows=30, cols=50, mines=700) for _ in range(2)]
        for _ in range(3):
            status, _, game = post(port, "/games", mode="no-guess", preset="beginner")
            assert (status, game["mines"]) == (200, 10)
        assert not any(one.done() for one in dense)
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert [one.result()[0] for one in dense] == [200, 200]


def test_a_board_that_is_not_found_is_one_clear_sentence(lock: IO[str]) -> None:
    with serving(replace(SETTINGS, study_seconds=0.2)) as port:
        status, _, answer = post(port, "/games", mode="no-guess", rows=30, cols=50, mines=700)
    assert (status, answer["code"]) == (503, "too_slow")
    assert answer["error"] == "No solvable board was found in 0.2 seconds. Try fewer mines."


def test_clients_are_networks_of_ipv6_and_addresses_of_ipv4() -> None:
    assert client_of("203.0.113.9") == client_of("::ffff:203.0.113.9") == "203.0.113.9"
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:1") != client_of("2001:db8:0:1::1")
    assert client_of("testclient") == "testclient"
