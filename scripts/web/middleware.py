"""Checks of every request and security headers of every response."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minesweeper.scripts.web.settings import max_body

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


class SecurityMiddleware:
    """ASGI middleware that rejects foreign host names (DNS rebinding), foreign origins and large requests."""

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
        if scope["method"] == "POST":
            # An HTML form cannot send JSON, and modern browsers send the origin of other pages' requests.
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "The request is not JSON: send it with Content-Type: application/json."
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != host:
                return 403, "This request comes from another page."
        return None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdecimal() else host.lower()
