"""The application: what belongs to one server, its pages and its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from minesweeper.scripts.web import routes
from minesweeper.scripts.web.errors import Refusal
from minesweeper.scripts.web.guard import Guard
from minesweeper.scripts.web.server import Server
from minesweeper.scripts.web.settings import Settings

STATIC: Final = Path(__file__).with_name("static")
PAGES: Final = ("/", "/play", "/watch", "/leaderboard", "/analyse", "/share/{token}")


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build a server. Its worker processes start when they are first needed, and end with it."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.server = Server(settings)
        app.state.server.keep()
        yield
        await app.state.server.close()

    app = FastAPI(title="Minesweeper", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.add_middleware(Guard, hosts=settings.hosts)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.include_router(routes.router, prefix="/api")
    for path in PAGES:
        app.add_api_route(path, _page, methods=["GET", "HEAD"], response_class=FileResponse)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


async def _page() -> FileResponse:
    return FileResponse(STATIC / "index.html")


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return JSONResponse({"error": error.words, "code": error.kind.code}, error.kind.status)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    words = "Expected letters a to f and digits only" if "pattern" in first["type"] else first["msg"]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return JSONResponse({"error": f"{place or 'The request'}: {words}.", "code": "bad_input"}, 422)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == 404 else "bad_input"
    return JSONResponse({"error": f"{error.detail}.", "code": code}, error.status_code)
