"""Functions as endpoints: what each is given of a request, and how its answer is sent.

As little as will do, since every click passes here: a framework that finds out for each request what a function wants
took a quarter of the server's time.
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
from minesweeper.scripts.web.plays import Play
from minesweeper.scripts.web.pool import Requester, asking
from minesweeper.scripts.web.server import COOKIE, Server, Session
from minesweeper.scripts.web.settings import Kind, Refusal

Answer = dict[str, Any] | Response
"""What is sent as JSON, or as it is."""

_GetFunction = TypeVar("_GetFunction", bound=Callable[["Visit"], Coroutine[Any, Any, Answer]])
_PostFunction = TypeVar("_PostFunction", bound=Callable[[Any, "Visit"], Coroutine[Any, Any, Answer]])


@dataclass(frozen=True, slots=True)
class Visit:
    """A request, and who makes it: `session` is the one that its cookie names, if it is still there."""

    server: Server
    client: str
    session: Session | None
    game_id: str

    @property
    def player(self) -> Session:
        """The session, which must be there. Raises `Refusal`."""
        if self.session is None:
            raise Refusal(Kind.NOT_FOUND, "You have not played here yet.")
        return self.session

    @property
    def game(self) -> Play:
        """The game that the path names. Raises `Refusal` if it is not in the session."""
        return self.own_game(self.game_id)

    def own_game(self, name: str | None) -> Play:
        """Return the player's game of that name. Raises `Refusal`."""
        if self.session is None or name is None:
            raise Refusal(Kind.NOT_FOUND, "This game is gone: start a new one.")
        return self.session.game(name)


class Endpoints:
    """Functions by the paths that they answer, as `routes`."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def get(self, path: str) -> Callable[[_GetFunction], _GetFunction]:
        """Answer by a function of the visit."""

        def add(function: _GetFunction) -> _GetFunction:
            async def endpoint(request: Request) -> Response:
                return sent(await function(await _visit(request)))

            self.routes.append(Route(path, endpoint, methods=["GET"]))
            return function

        return add

    def post(self, path: str) -> Callable[[_PostFunction], _PostFunction]:
        """Answer by a function of what the request says, a model of `requests`, and of the visit."""

        def add(function: _PostFunction) -> _PostFunction:
            model, *_ = inspect.get_annotations(function, eval_str=True).values()
            assert issubclass(model, BaseModel)

            async def endpoint(request: Request) -> Response:
                visit = await _visit(request)
                return sent(await function(model.model_validate_json(await request.body()), visit))

            self.routes.append(Route(path, endpoint, methods=["POST"]))
            return function

        return add


def sent(answer: Answer) -> Response:
    """Write an answer as JSON, unless it is written already."""
    return answer if isinstance(answer, Response) else Response(to_json(answer), media_type="application/json")


async def _visit(request: Request) -> Visit:
    """Find out who makes a request; work is done for them from here on."""
    server: Server = request.app.state.server
    client = client_of(request.client.host if request.client else "")
    session = await server.session(request.cookies.get(COOKIE), client)
    asking.set(Requester(client, None if session is None else session.key))
    return Visit(server, client, session, request.path_params.get("game_id", ""))
