"""Players from outside on the page: those that the server was given, and no others."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings

RANDOM = f"exec:sh {Path(__file__).parents[3] / 'docs' / 'examples' / 'players' / 'random.sh'}"


def test_only_players_that_the_server_was_given_are_run(tmp_path: Path) -> None:
    evil = f"exec:touch {tmp_path / 'evil'}"
    with TestClient(create_app(Settings(players=(RANDOM,))), base_url="http://127.0.0.1") as client:
        assert RANDOM in client.get("/api/options").json()["strategies"]
        wanted = {"mode": "watch", "preset": "beginner"}
        assert client.post("/api/games", json=wanted | {"strategy": RANDOM}).status_code == 200
        assert client.post("/api/games", json=wanted | {"strategy": evil}).status_code == 422
    assert not (tmp_path / "evil").exists()
