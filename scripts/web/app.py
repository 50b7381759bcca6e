"""The Starlette application: the page's files, checks of every request, headers of every response, and errors."""

from __future__ import annotations

import gzip
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minesweeper.player.core.errors import DatabaseError, MinesweeperError
from minesweeper.scripts.web.files import SERVICE_WORKER, STATIC, digest, served_files
from minesweeper.scripts.web.routes import api
from minesweeper.scripts.web.server import Server
from minesweeper.scripts.web.settings import CODES, ApiError, Settings, max_body

PAGES: Final = (
    *("/", "/play", "/watch", "/watch/{id}", "/leaderboard", "/analyse", "/record", "/review/{id}", "/share/{token}"),
)
_FOREVER: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {
    "": "text/html",
    ".css": "text/css",
    ".gzip": "application/gzip",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_ERRORS: Final = (ApiError, MinesweeperError, ValidationError, HTTPException, ClientDisconnect)
_ELSEWHERE: Final = "This request comes from another page."
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


class SecurityMiddleware:
    """ASGI middleware that rejects foreign host names (DNS rebinding), requests of other sites and large requests."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        received, most = 0, max_body(scope["path"])

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, f"The request is too large: at most {most} bytes")
            return message

        error = self._error(scope)
        if error is not None:
            status, message = error
            response = JSONResponse({"error": message, "code": "bad_input"}, status)
            await response(scope, receive, send_with_headers)
            return
        await self._app(scope, receive_bounded, send_with_headers)

    def _error(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._hosts and _without_port(host) not in self._hosts:
            return 400, "This server has another host name."
        if scope["path"].startswith("/api/") and headers.get("sec-fetch-site") == "cross-site":
            return 403, _ELSEWHERE
        if scope["method"] == "POST":
            # An HTML form cannot send JSON, and modern browsers send the origin of other pages' requests.
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "The request is not JSON: send it with Content-Type: application/json."
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != host:
                return 403, _ELSEWHERE
        return None


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


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdecimal() else host.lower()


async def _error_response(_: Request, error: Exception) -> JSONResponse:
    message, status = f"{error}", 422
    match error:
        case ApiError():
            status = error.status
        case DatabaseError():
            _log.warning("The database cannot be used: %s.", error)
            message, status = "The database of this server cannot be used now.", 500
        case ValidationError():
            first = error.errors(include_url=False, include_context=False)[0]
            problem = "Only digits and the letters a to f are allowed" if "pattern" in first["type"] else first["msg"]
            place = ".".join(str(part) for part in first["loc"])
            message = f"{place or 'The request'}: {problem}."
        case HTTPException():
            message, status = f"{error.detail}.", error.status_code
        case ClientDisconnect():
            message, status = "The request was not finished.", 400
    return JSONResponse({"error": message, "code": CODES.get(status, "bad_input")}, status)
