"""The Starlette application, and the function that serves it until Ctrl-C."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import socket
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
import numpy as np
import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from minesweeper.db.store import Store
from minesweeper.player.errors import BoardError, FormatError
from minesweeper.player.logic import choose_engine
from minesweeper.player.strategies.loading import load_strategy
from minesweeper.scripts.web import routes
from minesweeper.scripts.web.connections import configuration
from minesweeper.scripts.web.middleware import SecurityMiddleware
from minesweeper.scripts.web.server import Server
from minesweeper.scripts.web.settings import ApiError, Settings

PAGES: Final = ("/", "/play", "/watch", "/leaderboard", "/analyse", "/record", "/review/{game_id}", "/share/{token}")
STATIC: Final = Path(__file__).with_name("static")
_ERRORS: Final = (ApiError, BoardError, FormatError, ValidationError, HTTPException, ClientDisconnect)


def create_app(settings: Settings | None = None, static: Path = STATIC) -> Starlette:
    """Create the application. Its worker processes start on first use and end with it.

    :param static: folder with the page's files.
    """
    settings = settings or Settings()
    script = Response(service_worker(static), media_type="text/javascript")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.server = Server(settings)
        app.state.server.save_regularly()
        yield
        await app.state.server.close()

    async def page(_: Request) -> Response:
        return FileResponse(static / "index.html")

    async def missing(_: Request) -> Response:
        return FileResponse(static / "index.html", 404)

    async def page_cache(_: Request) -> Response:
        return script

    return Starlette(
        routes=[
            Mount("/api", routes=routes.api.routes),
            *(Route(path, page) for path in PAGES),
            Route("/service-worker.js", page_cache),
            Mount("/static", StaticFiles(directory=static)),
            Route("/{path:path}", missing),
        ],
        middleware=[Middleware(SecurityMiddleware, hosts=settings.hosts)],
        exception_handlers=dict.fromkeys(_ERRORS, _error_response),
        lifespan=lifespan,
    )


def service_worker(static: Path = STATIC, document: Path | None = None) -> str:
    """Return the script of the service worker with digests of the page's files: a new file is a new script.

    :param document: the HTML document, by default that of the folder
    """
    worker = STATIC / "js" / "service-worker.js"
    files = {"/": _digest(document or static / "index.html")}
    for path in sorted(path for path in static.rglob("*") if path.is_file() and path.name != worker.name):
        files[f"/static/{path.relative_to(static).as_posix()}"] = _digest(path)
    script = f"const FILES = {json.dumps(files, indent=0)};\n"
    version = hashlib.sha256((script + _digest(worker)).encode()).hexdigest()[:16]
    return f'{script}const VERSION = "sweep-{version}";\n{worker.read_text("utf-8")}'


def _digest(path: Path) -> str:
    """Return the first 96 bits of the SHA-256 of a file in base64, enough to distinguish two versions."""
    return base64.b64encode(hashlib.sha256(path.read_bytes()).digest()[:12]).decode()


async def _error_response(_: Request, error: Exception) -> JSONResponse:
    message, code, status = f"{error}", "bad_input", 422
    match error:
        case ApiError():
            code, status = error.kind.code, error.kind.status
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


class _Server(uvicorn.Server):
    """A server that prints its address when it is ready."""

    def __init__(self, app: Starlette, config: uvicorn.Config, address: str, open_page: bool) -> None:
        super().__init__(config)
        self._app = app
        self._address = address
        self._open_page = open_page

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._app.state.server.start()
            click.echo(f"Play at {self._address} in your browser; Ctrl-C stops the server.")
            if self._open_page:
                webbrowser.open(self._address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # asyncio warns about a worker that is killed during its start, when its pipes close first.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        await super().shutdown(sockets)


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
        app = create_app(settings)
        server = _Server(app, configuration(app, settings), address, open_page)
        server.run(sockets=[listening])
        return 0
