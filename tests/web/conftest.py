"""A server to talk to, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from db.store import GameRecord, PuzzleRecord, RunKey, Sample, Store
from generator.sampling import Recipe
from generator.screening import screen_range
from player.web.app import create_app
from player.web.settings import Settings


class Browser:
    """One player's browser; `traffic` keeps everything that it was told."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.traffic: list[str] = []

    def get(self, path: str, status: int = 200) -> Any:
        return self._answer(self.client.get(f"/api{path}"), status)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        return self._answer(self.client.post(f"/api{path}", json=body), status)

    def new(self, **wanted: Any) -> Any:
        return self.post("/games", **wanted)

    def move(self, game: Any, verb: str, cell: tuple[int, int] | None = None, status: int = 200, **body: Any) -> Any:
        where = {} if cell is None else {"row": cell[0], "col": cell[1]}
        return self.post(f"/games/{game['id']}/{verb}", status, **where, **body)

    def ask(self, game: Any, question: str, status: int = 200) -> Any:
        return self.get(f"/games/{game['id']}/{question}", status)

    def _answer(self, response: Any, status: int) -> Any:
        assert response.status_code == status, response.text
        self.traffic.append(response.text)
        return response.json()


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with solvable puzzles and some results."""
    path = tmp_path_factory.mktemp("web") / "puzzles.db"
    recipe = Recipe(9, 9, 10, (4, 4), "opening", 5)
    kept = list(screen_range(recipe, 0, 60))
    with Store(path) as store:
        run = store.begin_run(RunKey(9, 9, 10, "4,4", "opening", 5), {}, "auto")
        records = [
            PuzzleRecord(one.puzzle, "opening", one.index, 5, "auto", "rejection", one.screening.tally) for one in kept
        ]
        store.add_puzzles(run.id, records, next_index=60, candidates=60, seconds=1.0)
        board = (9, 9, 10, (4, 4), "opening", 5)
        store.add_games(GameRecord("local", Sample(*board, index), index % 2 == 0, 30, 1, 0.1) for index in range(10))
    return path


@pytest.fixture(scope="session")
def client(database: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(database=database)), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def browser(client: TestClient) -> Browser:
    client.cookies.clear()
    return Browser(client)
