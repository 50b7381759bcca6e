"""A small router: it passes each request to a function with its context, and sends the result as JSON.

Every click passes through here. A framework that inspects each function's arguments per request took a quarter of the
server's time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from minesweeper.scripts.web.connections import client_of
from minesweeper.scripts.web.live_games import LiveGame
from minesweeper.scripts.web.server import COOKIE, Server, Session
from minesweeper.scripts.web.settings import ApiError, ErrorKind

Result = dict[str, Any] | Response
"""Data to send as JSON, or a complete response."""

_GetFunction = TypeVar("_GetFunction", bound=Callable[["Context"], Coroutine[Any, Any, Result]])
_PostFunction = TypeVar("_PostFunction", bound=Callable[[Any, "Context"], Coroutine[Any, Any, Result]])


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a request; `session` is None without a cookie or if it has expired."""

    server: Server
    client: str
    session: Session | None
    game_id: str

    @property
    def player(self) -> Session:
        """The session. Raises `ApiError` if it is missing."""
        if self.session is None:
            raise ApiError(ErrorKind.NOT_FOUND, "You have not played here yet.")
        return self.session

    @property
    def game(self) -> LiveGame:
        """The game in the request's path. Raises `ApiError` if it is not in the session."""
        return self.own_game(self.game_id)

    def own_game(self, name: str | None) -> LiveGame:
        """Return one of the player's games. Raises `ApiError`."""
        game = None if self.session is None else self.session.games.get(name or "")
        if game is None:
            raise ApiError(ErrorKind.NOT_FOUND, "This game is gone: start a new one.")
        return game


class Router:
    """Functions by path, as Starlette's `routes`."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def get(self, path: str) -> Callable[[_GetFunction], _GetFunction]:
        """Return a decorator for a function of the context."""

        def add(function: _GetFunction) -> _GetFunction:
            async def endpoint(request: Request) -> Response:
                return response_of(await function(await _context(request)))

            self.routes.append(Route(path, endpoint, methods=["GET"]))
            return function

        return add

    def post(self, path: str) -> Callable[[_PostFunction], _PostFunction]:
        """Return a decorator for a function of the request's body, a model of `request_models`, and the context."""

        def add(function: _PostFunction) -> _PostFunction:
            model, *_ = inspect.get_annotations(function, eval_str=True).values()
            assert issubclass(model, BaseModel)

            async def endpoint(request: Request) -> Response:
                context = await _context(request)
                return response_of(await function(model.model_validate_json(await request.body()), context))

            self.routes.append(Route(path, endpoint, methods=["POST"]))
            return function

        return add


def response_of(result: Result) -> Response:
    """Return a complete response: the result as JSON, unless it is a response already."""
    return result if isinstance(result, Response) else Response(to_json(result), media_type="application/json")


async def _context(request: Request) -> Context:
    """Return the context of a request."""
    server: Server = request.app.state.server
    client = client_of(request.client.host if request.client else "")
    session = await server.session(request.cookies.get(COOKIE), client)
    return Context(server, client, session, request.path_params.get("game_id", ""))
