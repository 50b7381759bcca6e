"""Somebody who talks to the server in this process, without a page."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient


class Visitor:
    """One player who talks to the server; `traffic` keeps everything that it was told, headers and cookies included."""

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
        self.traffic.append(f"{response.status_code} {response.headers.items()} {response.text}")
        return response.json()
