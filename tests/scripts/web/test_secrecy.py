"""The server keeps hidden mines secret.

The same visit is repeated on two boards that differ only in cells that it never opens. If all responses are equal byte
for byte, with headers and cookies, then no response depends on hidden mines.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import Visitor, best_cells, view_of
from starlette.testclient import TestClient

from minesweeper.db.store import Store
from minesweeper.player.board import HIDDEN, Board, Cell, Puzzle, View, cells_of
from minesweeper.player.chance.probability import sample_layouts
from minesweeper.player.logic import closure
from minesweeper.scripts.web import boards, live_games
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.live_games import BoardGame
from minesweeper.scripts.web.pool import WorkerPool
from minesweeper.scripts.web.settings import Settings
from minesweeper.scripts.web.share_links import board_token

Context = Callable[[Visitor], tuple[Any, set[Cell]]]

CLICK = (4, 4)
# Boards on which a visit leaves hidden cells and hits a mine.
BOARDS = (0, 3)
MODES: dict[str, dict[str, Any]] = {
    "classic": {"preset": "beginner"},
    "no-guess": {"preset": "beginner"},
    "pack": {"rows": 9},
    "daily": {"preset": "beginner"},
}


@cache
def an_empty_database() -> bytes:
    """Return the bytes of an empty database."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "minesweeper.db"
        Store(path).close()
        return path.read_bytes()


@contextmanager
def dealt(board: Board, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """Yield a client of a new server whose games all have this board, with fixed ids and a stopped clock."""
    puzzle = Puzzle(board, CLICK)
    names = count()
    record = SimpleNamespace(puzzle=puzzle, id=puzzle.id)

    async def run(_: WorkerPool, __: float, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    with monkeypatch.context() as patch:
        patch.setattr(secrets, "token_urlsafe", lambda size: f"{next(names):0{size}}")
        patch.setattr(WorkerPool, "run", run)
        patch.setattr(live_games.LiveGame, "seconds", 0.0)
        patch.setattr(live_games, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC))
        patch.setattr(live_games, "random_puzzle", lambda *_: puzzle)
        for name in ("random_puzzle", "solvable_puzzle", "daily_puzzle"):
            patch.setattr(boards, name, lambda *_: puzzle)
        patch.setattr(boards, "stored_puzzle", lambda *_, **__: record)
        with TemporaryDirectory() as folder:
            database = Path(folder) / "minesweeper.db"
            database.write_bytes(an_empty_database())
            with TestClient(create_app(Settings(database=database)), base_url="http://127.0.0.1") as client:
                yield Visitor(client)


def ask_everything(visitor: Visitor, game: Any) -> None:
    """Send all requests about a running game."""
    visitor.help(game)
    visitor.get(f"/games/{game['id']}")
    ask_of_the_record(visitor, game)
    visitor.ask(game, "stats", 200 if game["undos"] else 409)
    visitor.move(game, "undo", status=409)
    visitor.move(game, "reveal", status=409)
    visitor.new(mode="again", game=game["id"])
    visitor.move(game, "open", (50, 0), status=422)
    visitor.move(game, "help", status=422, safe=[2000])
    visitor.ask(game, "nothing", 404)


def ask_of_the_record(visitor: Visitor, game: Any) -> None:
    """Send all requests about ended games while this one can continue."""
    visitor.get(f"/record/{game['id']}/review", 409)
    visitor.get("/record")
    visitor.get("/record/export")


def a_visit(mode: str, seed: int, turns: int) -> Context:
    """Play with every request: flags and risks at random, chords, losses, undos and help."""

    def visit(visitor: Visitor) -> tuple[Any, set[Cell]]:
        random = Random(seed)
        exploded: set[Cell] = set()
        visitor.get("/options")
        game = visitor.new(mode=mode, **MODES[mode])
        if game["status"] == "ready":
            game = visitor.move(game, "open", CLICK)
        for _ in range(turns):
            if game["status"] != "playing":
                break
            ask_everything(visitor, game)
            if mode in ("classic", "no-guess"):
                visitor.ask(game, "share", 409)
            hidden = [tuple(cell) for cell in np.argwhere(view_of(game).cells == HIDDEN).tolist()]
            flag = random.choice(hidden)
            game = visitor.move(game, "flag", flag)
            act = random.choice(["certain", "certain", "risk", "risk", "chord", "help", "risk with help"])
            known = closure(view_of(game))
            safe = [cell for cell in cells_of(known.safe_map) if list(cell) not in game["flags"]]
            if act == "help":
                game = visitor.help(game, safe[:3], cells_of(known.mine_map)[:3])
            elif act == "risk with help":
                game = visitor.help(game, [random.choice(hidden)], [flag])
            elif act == "chord":
                opened = [tuple(cell) for cell in np.argwhere(view_of(game).cells > 0).tolist()]
                game = visitor.move(game, "chord", random.choice(opened))
            else:
                game = visitor.move(game, "open", random.choice(safe if act == "certain" and safe else hidden))
            if game["status"] == "lost":
                exploded |= {tuple(cell) for cell in game["exploded"]}
                ask_of_the_record(visitor, game)
                visitor.ask(game, "stats")
                visitor.get(f"/games/{game['id']}")
                visitor.help(game, status=409)
                if mode in ("classic", "no-guess"):
                    visitor.ask(game, "share", 409)
                game = visitor.move(game, "undo")
        return game, exploded

    return visit


def random_board(seed: int) -> Board:
    """Return a beginner board with a zero in the middle."""
    view = View.hidden(9, 9, 10)
    cells = view.cells.copy()
    cells[CLICK] = 0
    return Board(sample_layouts(View(cells, 10), 1, seed)[0])


def others_that_fit(board: Board, game: Any, exploded: set[Cell]) -> list[Board]:
    """Yield other boards that fit everything the visit saw."""
    drawn = {Board(layout) for layout in sample_layouts(view_of(game), 30, 1)}
    fit = [other for other in drawn - {board} if all(other.mine_map[cell] for cell in exploded)]
    return sorted(fit, key=Board.to_bytes)[:2]


def visit_twice(mode: str, monkeypatch: pytest.MonkeyPatch, boards: Sequence[int]) -> tuple[int, int, int]:
    """Compare visits on pairs of boards; return the pairs, those with a loss, and those with different traffic."""
    compared = deaths = told_apart = 0
    for seed in boards:
        board = random_board(seed)
        visit = a_visit(mode, seed, 3)
        with dealt(board, monkeypatch) as visitor:
            game, exploded = visit(visitor)
        if game["status"] != "playing":
            continue
        for other in others_that_fit(board, game, exploded):
            with dealt(other, monkeypatch) as again:
                visit(again)
            compared += 1
            deaths += bool(exploded)
            told_apart += again.traffic != visitor.traffic
    return compared, deaths, told_apart


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("boards", [BOARDS, pytest.param(range(8), marks=pytest.mark.long)], ids=["some", "many"])
def test_nothing_that_the_server_says_depends_on_what_is_hidden(
    mode: str, boards: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, deaths, told_apart = visit_twice(mode, monkeypatch, boards)
    assert compared >= 4
    assert deaths
    assert told_apart == 0


def test_a_leak_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted leak of the mines in one row is noticed."""
    told = BoardGame.state

    def telling(play: BoardGame, *changed: Any) -> dict[str, Any]:
        if play.puzzle is None:
            return told(play, *changed)
        return told(play, *changed) | {"title": f"{play.puzzle.board.mine_map[0].sum()}"}

    monkeypatch.setattr(BoardGame, "state", telling)
    assert visit_twice("no-guess", monkeypatch, BOARDS[:2])[2] > 0


def named_as_mines(answer: Any) -> Iterator[Cell]:
    """Return all cells that a response calls mines."""
    match answer:
        case {"mine": list(rows)}:
            yield from ((r, c) for r, row in enumerate(rows) for c, chance in enumerate(row) if chance == 1)
        case dict():
            for key, value in answer.items():
                if key in ("mines", "mine_map", "exploded") and isinstance(value, list):
                    yield from (tuple(cell) for cell in value)
                elif key != "layouts":
                    yield from named_as_mines(value)
        case list():
            for value in answer:
                yield from named_as_mines(value)


@pytest.mark.parametrize("mode", [*MODES, "kaboom"])
def test_no_mines_are_named_before_the_end(visitor: Visitor, mode: str) -> None:
    game = visitor.new(mode=mode, preset="beginner")
    if game["status"] == "ready":
        game = visitor.move(game, "open", CLICK)
    while game["status"] == "playing":
        assert set(named_as_mines([game, visitor.get(f"/games/{game['id']}")])) == set()
        game = visitor.help(game, best_cells(game)[:1])
    assert game["mine_map"] is None or mode == "kaboom" or game["status"] == "won"


def test_a_link_with_the_mines_is_given_only_to_whoever_asks(visitor: Visitor) -> None:
    board = random_board(3)
    token = board_token(Puzzle(board, CLICK))
    game = visitor.new(mode="shared", token=token)
    visitor.get(f"/games/{game['id']}")
    stored = visitor.new(mode="pack")
    visitor.help(stored)
    name = visitor.client.app.state.server.sessions  # type: ignore[attr-defined]
    session = next(one for one in name._sessions.values() if stored["id"] in one.games)
    play = session.games[stored["id"]]
    assert isinstance(play, BoardGame)
    assert play.puzzle is not None
    traffic = "".join(visitor.traffic)
    assert token.split("-", 3)[3] not in traffic
    assert play.puzzle.id not in traffic
    assert visitor.ask(game, "share")["token"] == token
    assert visitor.ask(stored, "share")["token"] == f"puzzle-{play.puzzle.id}"
