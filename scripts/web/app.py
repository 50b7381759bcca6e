"""The application: what belongs to one server, its pages and its errors; and serving it until Ctrl-C."""

from __future__ import annotations

import logging
import socket
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
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
from minesweeper.player.logic import choose_engine
from minesweeper.player.strategies import load_strategy
from minesweeper.scripts.web import routes
from minesweeper.scripts.web.connections import configuration
from minesweeper.scripts.web.guard import Guard
from minesweeper.scripts.web.offline import STATIC, service_worker
from minesweeper.scripts.web.server import Server
from minesweeper.scripts.web.settings import Refusal, Settings

PAGES: Final = ("/", "/play", "/watch", "/leaderboard", "/analyse", "/record", "/review/{game_id}", "/share/{token}")


def create_app(settings: Settings | None = None) -> Starlette:
    """Build a server. Its worker processes start when they are first needed, and end with it."""
    settings = settings or Settings()
    script = Response(service_worker(), media_type="text/javascript")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.server = Server(settings)
        app.state.server.keep()
        yield
        await app.state.server.close()

    async def keep_page(_: Request) -> Response:
        return script

    return Starlette(
        routes=[
            Mount("/api", routes=routes.api.routes),
            *(Route(path, _page) for path in PAGES),
            Route("/service-worker.js", keep_page),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=settings.hosts)],
        exception_handlers={
            Refusal: _refused,
            ValidationError: _invalid,
            HTTPException: _http_error,
            ClientDisconnect: _gone,
        },
        lifespan=lifespan,
    )


async def _page(_: Request) -> FileResponse:
    return FileResponse(STATIC / "index.html")


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return JSONResponse({"error": error.words, "code": error.kind.code}, error.kind.status)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ValidationError)
    first = error.errors(include_url=False, include_context=False)[0]
    words = "Expected letters a to f and digits only" if "pattern" in first["type"] else first["msg"]
    place = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"error": f"{place or 'The request'}: {words}.", "code": "bad_input"}, 422)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == 404 else "bad_input"
    return JSONResponse({"error": f"{error.detail}.", "code": code}, error.status_code)


async def _gone(_: Request, __: Exception) -> JSONResponse:
    return JSONResponse({"error": "The request was not finished.", "code": "bad_input"}, 400)


class _Server(uvicorn.Server):
    """Says where it serves as soon as it does."""

    def __init__(self, app: Starlette, config: uvicorn.Config, address: str, open_page: bool) -> None:
        super().__init__(config)
        self._app = app
        self._address = address
        self._open_page = open_page

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._app.state.server.start()
            click.echo(self._address)
            if self._open_page:
                webbrowser.open(self._address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A worker that is killed while it starts may be reaped by its pipes first, of which asyncio warns.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        await super().shutdown(sockets)


def serve(host: str, port: int, settings: Settings, *, open_page: bool) -> int:
    """Serve until Ctrl-C and return the exit status; the names by which a browser may reach it follow from `host`.

    Raises `OSError` if the address cannot be used, `DatabaseError` if the file is no database.
    """
    _ = np.ndarray  # Loads NumPy, which no visitor should wait for.
    choose_engine("auto")  # This warns if the page will be slow.
    for player in settings.players:
        load_strategy(player)  # Says at once what cannot be played.
    if settings.database is not None:
        Store(settings.database, create=False).close()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named; else each waits 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{host}:{port}") from error
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        # Whoever serves to the whole network has names that only the network knows.
        hosts = () if host in ("0.0.0.0", "::") else tuple({*Settings.hosts, shown})
        settings = replace(settings, hosts=hosts)
        app = create_app(settings)
        server = _Server(app, configuration(app, settings), address, open_page)
        server.run(sockets=[listening])
        return 0
