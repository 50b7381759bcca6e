"""The routes of the page: what the server offers, people's records, the leaderboard, and files."""

from __future__ import annotations

import re
import secrets
from base64 import b64decode
from collections.abc import Callable, Coroutine
from datetime import UTC, date as Date, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from minesweeper.db.formats.positions import POSITION_FORMATS, write_drawn
from minesweeper.db.formats.registry import FORMATS
from minesweeper.db.people import HumanGame, Unranked, clicks_from_json, clicks_to_json
from minesweeper.db.store import Store
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.grid import grid_of
from minesweeper.player.core.recipe import Preset
from minesweeper.player.core.steps import Tier
from minesweeper.player.play.kaboom import Rules
from minesweeper.player.play.stats import wilson
from minesweeper.player.play.strategies.loading import default_strategy, playable_strategies
from minesweeper.scripts.web import jobs, puzzles
from minesweeper.scripts.web.server import Server, digest
from minesweeper.scripts.web.settings import (
    MAX_PAGE_CELLS,
    MAX_PAGE_SEED,
    MAX_PAGE_SIDE,
    MAX_RECORDING,
    MAX_TOKEN,
    ApiError,
)

COOKIE: Final = "sweep_session"
_KEY: Final = re.compile(r"[\w-]{32}", re.ASCII)
_YEAR: Final = 365 * 24 * 3600
_ROUNDING: Final = 0.001
"""Times are rounded to milliseconds, so the last click may seem to follow the end."""

Side = Annotated[int, Field(ge=1, le=MAX_PAGE_SIDE)]
Mines = Annotated[int, Field(ge=0, le=MAX_PAGE_CELLS)]


Seconds = Annotated[float, Field(ge=0, le=1e8)]
Place = Annotated[int, Field(ge=0, lt=MAX_PAGE_SIDE)]
CellPair = tuple[Place, Place]
Click = tuple[Seconds, CellPair, Annotated[list[CellPair], Field(max_length=MAX_PAGE_CELLS)], Literal[0, 1]]


class Body(BaseModel):
    """The JSON body of a request; without fields, an empty one."""

    model_config = ConfigDict(extra="forbid", strict=True)


api: list[Route] = []
"""The routes below ``/api``."""

Result = dict[str, Any] | Response
"""Data to send as JSON, or a complete response."""
_Endpoint = Callable[..., Coroutine[Any, Any, Result]]


def route(path: str, body: type[Body] | None = None) -> Callable[[_Endpoint], _Endpoint]:
    """Return a decorator for a function of the request and, in a POST route, of its body."""

    def add(function: _Endpoint) -> _Endpoint:
        async def endpoint(request: Request) -> Response:
            given = [] if body is None else [body.model_validate_json(await request.body())]
            result = await function(request, *given)
            return result if isinstance(result, Response) else json_response(result)

        api.append(Route(path, endpoint, methods=["GET" if body is None else "POST"]))
        return function

    return add


def json_response(content: dict[str, Any]) -> Response:
    """Return a response with JSON."""
    return Response(to_json(content), media_type="application/json")


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def server_of(request: Request) -> Server:
    """Return the server of a request."""
    server: Server = request.app.state.server
    return server


def key_of(request: Request) -> str | None:
    """Return the key in the cookie of a request, which identifies a player; None without a cookie of this server."""
    key = request.cookies.get(COOKIE, "")
    return key if _KEY.fullmatch(key) else None


@route("/options")
async def options(request: Request) -> Response:
    """Return what the server adds to the page: strategies, packs, sizes, formats and a record.

    The answer names a new player, because the page may be left before the answer to its first finished game arrives.
    """
    server = server_of(request)
    settings = server.settings
    offered = {
        "strategies": [*playable_strategies(), *settings.players],
        "default_strategy": default_strategy(),
        "packs": await server.query(puzzles.list_packs) if server.keeps else [],
        "sizes": [{"name": name, **size.size_to_json()} for name, size in settings.sizes.items()],
        "begins_with": settings.begins_with,
        "keeps": server.keeps,
        "results": server.keeps and await server.query(lambda store: bool(store.games(limit=1))),
        "formats": [
            *(
                {"name": name, "title": form.title, "ending": form.extension, "mines": False}
                for name, form in POSITION_FORMATS.items()
            ),
            *(
                {"name": pack.name, "title": pack.title, "ending": pack.extensions[0], "mines": True}
                for pack in FORMATS
                if not pack.in_file
            ),
        ],
    }
    response = json_response(offered)
    if server.keeps:
        _remember(response, key_of(request) or _new_key())
    return response


def _new_key() -> str:
    return secrets.token_urlsafe(24)


def _remember(response: Response, key: str) -> None:
    """Let the browser keep the key of its player."""
    response.set_cookie(COOKIE, key, httponly=True, samesite="strict", path="/", max_age=_YEAR)


class PuzzleQuery(BaseModel):
    """A query for a puzzle of the database: the beginning of its id, or its size and its hardest step."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(pattern="^[0-9a-fA-F]{1,20}$")] | None = None
    rows: Side | None = None
    cols: Side | None = None
    mines: Mines | None = None
    grid: str | None = None
    tier: Annotated[str, AfterValidator(lambda title: Tier.titled(title).title)] | None = None


@route("/puzzle")
async def puzzle(request: Request) -> dict[str, Any]:
    """Return a puzzle of the database, a random one unless an id is given."""
    query = PuzzleQuery.model_validate(dict(request.query_params))
    filters = query.model_dump(exclude={"id"})
    if query.grid and query.rows and query.cols:
        filters["grid"] = grid_of((query.rows, query.cols), query.grid).label
    found = await server_of(request).query(lambda store: puzzles.stored_puzzle(store, query.id, **filters))
    return {"id": found.id, "token": puzzles.board_token(found)}


class KaboomRules(Body):
    """The options of a Kaboom game, see `player.play.kaboom.Rules`."""

    opening_start: bool
    guess_anywhere: bool
    outside_counts: bool
    unavoidable_early: bool = False
    mode: Literal["uniform", "cruelest"]


def _printable(title: str) -> str:
    if not title.isprintable():
        raise ValueError("Control characters are not allowed")
    return title


class FinishedGame(Body):
    """A finished game: its clicks, and its board by a token or, for Kaboom, by size, grid, rules and seed.

    `day` is the date of a daily puzzle that was played on its day. `clicks` counts all clicks, also for flags;
    `recorded_clicks` are those of `clicks_to_json`.
    """

    id: Annotated[str, Field(pattern="^[0-9A-Za-z_-]{1,40}$")]
    mode: Literal["classic", "no-guess", "pack", "daily", "kaboom", "shared"]
    title: Annotated[str, Field(max_length=200), AfterValidator(_printable)]
    token: Annotated[str, Field(max_length=MAX_TOKEN)] | None = None
    rows: Side | None = None
    cols: Side | None = None
    mines: Mines | None = None
    grid: str = ""
    rules: KaboomRules | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_PAGE_SEED)] | None = None
    day: Annotated[Date, Field(strict=False)] | None = None
    unranked: Annotated[Unranked, Field(strict=False)]
    seconds: Seconds
    clicks: Annotated[int, Field(ge=0, le=10**6)]
    recorded_clicks: Annotated[list[Click], Field(min_length=1, max_length=MAX_PAGE_CELLS)]


@route("/record")
async def record(request: Request) -> dict[str, Any]:
    """Return the player's newest games, the last one first."""
    key = key_of(request)
    games = [] if key is None else await server_of(request).games(digest(key))
    return {"games": [game.to_json() for game in games]}


@route("/record", FinishedGame)
async def add_game(request: Request, sent: FinishedGame) -> Response:
    """Replay a finished game, store the result, and return the stored game; begin a record if necessary."""
    server = server_of(request)
    if not server.keeps:
        raise ApiError(puzzles.NO_DATABASE, 501)
    key = key_of(request) or _new_key()
    game, best = await server.add_game(digest(key), await _replayed(server, sent))
    response = json_response(game.to_json() | {"best_before": best})
    _remember(response, key)
    return response


async def _replayed(server: Server, sent: FinishedGame) -> HumanGame:
    """Return a game as its replay shows it. Raises `ApiError` and `BoardError`."""
    clicks = clicks_from_json(list(click) for click in sent.recorded_clicks)
    latest = sent.seconds + _ROUNDING
    if sent.day is not None:
        is_daily = sent.token is not None and sent.token.startswith("daily-")
        if not is_daily or puzzles.read_daily_token(sent.token or "")[1] != sent.day:
            raise ApiError("The day is not that of a daily puzzle.")
        if abs((sent.day - now().date()).days) > 1:
            raise ApiError("The day is not today.")
    if sent.mode == "kaboom":
        if sent.rows is None or sent.cols is None or sent.mines is None or sent.rules is None or sent.seed is None:
            raise ApiError("A game of Kaboom needs rows, cols, mines, rules and a seed.")
        size = Preset(grid_of((sent.rows, sent.cols), sent.grid), sent.mines)
        puzzles.check_fits(size.grid)
        rules = Rules(**sent.rules.model_dump())
        board, won = await server.check(jobs.replay_kaboom, size, rules, sent.seed, clicks, latest)
    else:
        board = (await server.puzzle(sent.token or "")).board
        won = await server.check(jobs.replay_on_board, board, clicks, latest)
    helped = any(click.helped for click in clicks)
    return HumanGame(
        sent.id,
        sent.mode,
        sent.title,
        board,
        clicks,
        won=won,
        seconds=sent.seconds,
        clicks=sent.clicks,
        ended=f"{now():%Y-%m-%d %H:%M:%S}",
        unranked=Unranked.HELP if helped else sent.unranked,
        day=None if sent.day is None else f"{sent.day}",
    )


@route("/record/delete", Body)
async def delete_record(request: Request, _: Body) -> dict[str, Any]:
    """Delete the player's record."""
    key = key_of(request)
    if key is not None:
        await server_of(request).query(lambda store: store.people.delete(digest(key)))
    return {"deleted": True}


@route("/record/{id}")
async def recorded_game(request: Request) -> dict[str, Any]:
    """Return a game of the player's record with its clicks and mines."""
    game = await server_of(request).game(request.path_params["id"], digest(key_of(request) or ""))
    mines, clicks = game.board.to_text().splitlines(), clicks_to_json(game.recorded_clicks)
    grid = {"grid": game.board.grid.label} if game.board.grid.label else {}
    return game.to_json() | {"recorded_clicks": clicks, "mines": mines, **grid}


class RecordingRequest(Body):
    """A recorded game of another program: its bytes in base64; the suffix of its name gives the format."""

    name: Annotated[str, Field(max_length=200)]
    data: Annotated[str, Field(max_length=MAX_RECORDING * 4 // 3 + 4)]


@route("/recording", RecordingRequest)
async def read_recording(request: Request, recording: RecordingRequest) -> dict[str, Any]:
    """Return a recorded game of another program."""
    return await server_of(request).study(jobs.read_recorded, _decoded(recording.data), recording.name)


@route("/leaderboard")
async def leaderboard(request: Request) -> dict[str, Any]:
    """Return the results of strategies on the same boards."""
    return {"rows": await server_of(request).query(_leaderboard)}


def _leaderboard(store: Store) -> list[dict[str, Any]]:
    rows = store.leaderboard()
    for row in rows:
        rate = wilson(row["wins"], row["games"])
        row["low"], row["high"] = round(100 * rate.low, 2), round(100 * rate.high, 2)
    return rows


class WatchRequest(Body):
    """A puzzle, as the token of a share link, and the strategy that plays it."""

    token: Annotated[str, Field(max_length=MAX_TOKEN)]
    strategy: Annotated[str, Field(max_length=1000)]


@route("/watch", WatchRequest)
async def watch(request: Request, watched: WatchRequest) -> dict[str, Any]:
    """Return all moves of a strategy on a puzzle; the engine in the browser plays its own strategies."""
    server = server_of(request)
    # A request must not choose the files and commands that the server runs.
    known = [*playable_strategies(), *server.settings.players]
    if watched.strategy not in known:
        message = f"Unknown strategy {watched.strategy!r}; strategies: {', '.join(known)}."
        raise ApiError(message)
    moves = await server.study(jobs.moves_of, watched.token, watched.strategy)
    return {"moves": [{"reason": move.reason, "cells": move.cells, "mines": move.mines} for move in moves]}


class PositionRequest(Body):
    """A position in any format; with `base64`, the text is base64 of the file's bytes."""

    text: Annotated[str, Field(min_length=1, max_length=14_000)]
    base64: bool = False
    mines: Mines | None = None


@route("/position", PositionRequest)
async def read_position(request: Request, file: PositionRequest) -> dict[str, Any]:
    """Return the position in a text or file, which may be from a stranger."""
    data = _decoded(file.text) if file.base64 else file.text
    try:
        view = await server_of(request).study(jobs.read_pasted, data, file.mines)
    except FormatError as error:
        cause = f"{error}".removeprefix("unknown format: ").partition("; expected")[0]
        raise ApiError(f"This position cannot be read: {cause}.") from error
    puzzles.check_fits(view.grid)
    return {**view.size_to_json(), "cells": view.lines}


class SaveRequest(Body):
    """A position to write in a format: rows of characters, where `*` marks a mine for formats that store mines."""

    cells: Annotated[
        list[Annotated[str, Field(max_length=MAX_PAGE_SIDE)]], Field(min_length=1, max_length=MAX_PAGE_SIDE)
    ]
    mines: Mines
    format: Annotated[str, Field(max_length=20)]


@route("/position/save", SaveRequest)
async def save_position(request: Request, position: SaveRequest) -> Response:
    """Return a drawn position as a file."""
    data = await server_of(request).study(write_drawn, position.cells, position.mines, position.format)
    return Response(data, media_type="application/octet-stream")


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise ApiError("The data is not base64.") from error
