"""The command `sweep`."""

from __future__ import annotations

import socket
import subprocess
import sys

import httpx
from click.testing import CliRunner

from player.web.cli import main


def test_it_serves_on_loopback_and_prints_the_address() -> None:
    command = [sys.executable, "-m", "player.web.cli", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            assert httpx.get(address, timeout=60).status_code == 200
            assert httpx.get(f"{address}api/options", timeout=60).json()["database"] is False
        finally:
            server.terminate()
    assert server.returncode is not None


def test_a_port_in_use_and_a_missing_database_are_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["--port", str(port)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert str(port) in result.stderr
    result = CliRunner().invoke(main, ["--db", "nothing.db"])
    assert result.exit_code == 2
    assert "nothing.db" in result.stderr
