"""The Starlette application, and the function that serves it until Ctrl-C."""

from __future__ import annotations

import gzip
import logging
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

import click
import numpy as np
import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from minesweeper.db.store import Store
from minesweeper.player.errors import DatabaseError, MinesweeperError
from minesweeper.player.logic import choose_engine
from minesweeper.player.strategies.loading import load_strategy
from minesweeper.scripts.web.connections import configuration
from minesweeper.scripts.web.files import SERVICE_WORKER, STATIC, digest, served_files
from minesweeper.scripts.web.middleware import SecurityMiddleware
from minesweeper.scripts.web.routes import api
from minesweeper.scripts.web.server import Server
from minesweeper.scripts.web.settings import ApiError, Settings

PAGES: Final = ("/", "/play", "/watch", "/leaderboard", "/analyse", "/record", "/review/{id}", "/share/{token}")
_FOREVER: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {
    "": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
_ERRORS: Final = (ApiError, MinesweeperError, ValidationError, HTTPException, ClientDisconnect)
_log = logging.getLogger(__name__)


def create_app(
    settings: Settings | None = None, static: Path = STATIC, on_start: Callable[[], object] = lambda: None
) -> Starlette:
    """Create the application. Its worker processes start on first use and end with it.

    :param static: folder with the page's files.
    :param on_start: function to call when the server is ready.
    """
    settings = settings or Settings()
    files = {address: _File(address, content) for address, content in served_files(static).items()}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.server = Server(settings)
        on_start()
        yield
        await app.state.server.close()

    async def document(request: Request) -> Response:
        return files["/"].response(request.headers)

    async def service_worker(request: Request) -> Response:
        return files[SERVICE_WORKER].response(request.headers)

    async def file(request: Request) -> Response:
        found = files.get(request.scope["path"])
        return await missing(request) if found is None else found.response(request.headers, cache=_FOREVER)

    async def missing(request: Request) -> Response:
        return files["/"].response(request.headers, status=404)

    return Starlette(
        routes=[
            Mount("/api", routes=api),
            *(Route(path, document) for path in PAGES),
            Route(SERVICE_WORKER, service_worker),
            Route("/static/{path:path}", file),
            Route("/{path:path}", missing),
        ],
        middleware=[Middleware(SecurityMiddleware, hosts=settings.hosts)],
        exception_handlers=dict.fromkeys(_ERRORS, _error_response),
        lifespan=lifespan,
    )


class _File:
    """A file of the page in memory, also compressed."""

    def __init__(self, address: str, content: bytes) -> None:
        self._contents = {"": content, "gzip": gzip.compress(content, mtime=0)}
        self._digest = digest(content)
        self._type = _TYPES.get(PurePosixPath(address).suffix, "text/plain")

    def response(self, request: Headers, *, cache: str = "no-cache", status: int = 200) -> Response:
        """Return the response to a request: the file, compressed if the client accepts that, or 304 if it has it."""
        coding = "gzip" if "gzip" in request.get("accept-encoding", "") else ""
        headers = {"ETag": f'"{self._digest}{coding}"', "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if status == 200 and headers["ETag"] in request.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if coding:
            headers["Content-Encoding"] = coding
        return Response(self._contents[coding], status, headers, self._type)


async def _error_response(_: Request, error: Exception) -> JSONResponse:
    message, code, status = f"{error}", "bad_input", 422
    match error:
        case ApiError():
            code, status = error.kind.code, error.kind.status
        case DatabaseError():
            _log.warning("The database cannot be used: %s.", error)
            message, code, status = "The database of this server cannot be used now.", "broken", 500
        case ValidationError():
            first = error.errors(include_url=False, include_context=False)[0]
            problem = "Only digits and the letters a to f are allowed" if "pattern" in first["type"] else first["msg"]
            place = ".".join(str(part) for part in first["loc"])
            message = f"{place or 'The request'}: {problem}."
        case HTTPException():
            message, status = f"{error.detail}.", error.status_code
            code = "not_found" if status == 404 else "bad_input"
        case ClientDisconnect():
            message, status = "The request was not finished.", 400
    return JSONResponse({"error": message, "code": code}, status)


def serve(host: str, port: int, settings: Settings, *, open_page: bool) -> int:
    """Serve until Ctrl-C and return the exit status. The allowed host names follow from `host`.

    Raises `OSError` for an address in use, `DatabaseError` for a file that is no database.
    """
    _ = np.ndarray  # Loads NumPy now, not during the first request.
    choose_engine("auto")  # Warns if the kernel is missing.
    for player in settings.players:
        load_strategy(player)  # Fails now for a strategy that cannot be loaded.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on sockets with an explicit protocol; without it each small response waits 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{host}:{port}") from error
        if settings.database is not None:
            Store(settings.database).close()  # Fails now for a file that is no database.
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        # The names of a server for the whole network are unknown here, so all are allowed.
        hosts = () if host in ("0.0.0.0", "::") else tuple({*Settings.hosts, shown})
        settings = replace(settings, hosts=hosts)
        listening.listen()

        def announce() -> None:
            click.echo(f"Play at {address} in your browser; Ctrl-C stops the server.")
            if open_page:
                webbrowser.open(address)

        app = create_app(settings, on_start=announce)
        uvicorn.Server(configuration(app, settings)).run(sockets=[listening])
        return 0
