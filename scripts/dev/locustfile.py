"""Players for Locust, which prints the response times of a `sweep` server: each plays the puzzles of its database.

generate --preset expert --count 50 --db load.db && sweep --db load.db
locust --locustfile scripts/dev/locustfile.py --host http://127.0.0.1:8123 --headless --users 200 --run-time 30s
"""

from __future__ import annotations

import re
import uuid
from functools import lru_cache
from typing import Any, Final

from locust import FastHttpUser, between, task

from minesweeper.player.core.board import cells_of
from minesweeper.player.core.game import Game
from minesweeper.scripts.web.puzzles import read_board_token

_FILE: Final = re.compile(r'(?:href|src)="(/static/[^"]+)"')


class Player(FastHttpUser):
    """Opens the page and its files, then gets puzzles and sends each as a finished game."""

    wait_time = between(1, 3)

    def on_start(self) -> None:
        """Load the page."""
        for path in _FILE.findall(self.client.get("/").content.decode()):
            self.client.get(path, name="/static")
        self.client.get("/api/options")

    @task
    def play(self) -> None:
        """Play a puzzle."""
        puzzle = self.client.get("/api/puzzle").json()
        self.client.post("/api/record", json=_finished(**puzzle) | {"id": uuid.uuid4().hex})
        self.client.get("/api/record")


@lru_cache
def _finished(id: str, token: str) -> dict[str, Any]:
    """Return a won game on a puzzle, one click a second, as the page sends it."""
    puzzle = read_board_token(token)
    game = Game(puzzle.board)
    opening = [cell for cell in (puzzle.first_click, *cells_of(puzzle.board.safe_map)) if game.open(cell)]
    clicks = [(second, cell, [cell], 0) for second, cell in enumerate(opening)]
    about = {"mode": "pack", "title": "Pack", "token": f"puzzle-{id}", "unranked": ""}
    return about | {"seconds": len(clicks), "clicks": len(clicks), "recorded_clicks": clicks}
