"""Limits for HTTP connections: bytes and seconds per request, and a fair share of connections per client."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections import Counter
from functools import lru_cache, partial
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from minesweeper.scripts.web.settings import MAX_HEAD, Settings, max_body

_RESERVED_FILES: Final = 100
"""Open files reserved for the workers, the database and the page's files."""


def configuration(app: Starlette, settings: Settings, **others: Any) -> uvicorn.Config:
    """Return a configuration in which uvicorn handles every connection as a `Connection`, and no websockets."""
    return uvicorn.Config(
        app,
        # uvicorn expects a class, and only calls it.
        http=cast(Any, partial(Connection, ConnectionLimit(settings.connections), settings)),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,  # longer than people think between clicks
        **others,
    )


@lru_cache(maxsize=4096)
def client_of(address: str) -> str:
    """Return the client of an address: the address itself, and for IPv6 its /64 network, which one owner holds."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return address
    return str(known.ipv4_mapped or ipaddress.ip_network((known, 64), strict=False))


class ConnectionLimit:
    """The open connections of a server. Beyond the limit, the client with most connections loses one."""

    def __init__(self, most: int) -> None:
        self._most = min(most, _max_open_files() - _RESERVED_FILES)
        self._clients: dict[Connection, str] = {}  # oldest first
        self._counts: Counter[str] = Counter()

    def add(self, connection: Connection, client: str) -> None:
        """Add a connection; beyond the limit, close an idle one of the client with most, else the new one."""
        self._clients[connection] = client
        self._counts[client] += 1
        if len(self._clients) <= self._most:
            return
        ((largest, _),) = self._counts.most_common(1)
        others = (one for one, owner in self._clients.items() if owner == largest and one is not connection)
        closed = next((one for one in others if not one.is_working), connection)
        self.remove(closed)
        closed.abort()

    def remove(self, connection: Connection) -> None:
        """Remove a connection, unless it was removed before."""
        client = self._clients.pop(connection, None)
        if client is not None:
            self._counts -= Counter([client])


class Connection(asyncio.Protocol):
    """A connection that passes events on to uvicorn's protocol and adds limits for size and time."""

    def __init__(self, limit: ConnectionLimit, settings: Settings, **arguments: Any) -> None:
        self._limit = limit
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._http: Any = AutoHTTPProtocol(**arguments)
        self._transport: asyncio.Transport
        self._received = 0
        self._receive_timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None

    @property
    def is_working(self) -> bool:
        """True if a whole request has arrived and its response is not complete."""
        cycle = self._http.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop has a class of its own.
        # `pause_writing` is called as soon as the client does not read everything at once.
        self._transport.set_write_buffer_limits(0)
        self._http.connection_made(transport)
        self._start_receive_timer()
        self._limit.add(self, client_of(self._http.client[0] if self._http.client else ""))

    def connection_lost(self, error: Exception | None) -> None:
        self._limit.remove(self)
        for timer in (self._receive_timer, self._send_timer):
            if timer is not None:
                timer.cancel()
        self._http.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        self._http.data_received(data)
        cycle = self._http.cycle
        has_head = cycle is not None and not cycle.response_complete
        if has_head and not cycle.more_body:
            self._received = 0
            if self._receive_timer is not None:
                self._receive_timer.cancel()
                self._receive_timer = None
            return
        self._received += len(data)
        if self._received > MAX_HEAD + (max_body(cycle.scope["path"]) if has_head else 0):
            self._reject("431 Request Header Fields Too Large", f"The request is too large: at most {MAX_HEAD} bytes.")
        elif self._receive_timer is None:
            self._start_receive_timer()

    def eof_received(self) -> bool | None:
        return cast("bool | None", self._http.eof_received())

    def pause_writing(self) -> None:
        self._send_timer = self._loop.call_later(self._settings.send_seconds, self.abort)
        self._http.pause_writing()

    def resume_writing(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        self._http.resume_writing()

    def abort(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self._transport.abort()

    def _start_receive_timer(self) -> None:
        seconds = self._settings.receive_seconds
        message = f"The request took too long: it must arrive within {seconds:g} seconds."
        self._receive_timer = self._loop.call_later(seconds, self._reject, "408 Request Timeout", message)

    def _reject(self, status: str, message: str) -> None:
        cycle = self._http.cycle
        # Reply only if part of a request has arrived and no response is being sent.
        if self._received and not self._transport.is_closing() and (cycle is None or cycle.response_complete):
            content = json.dumps({"error": message, "code": "bad_input"})
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            self._transport.write(f"{head}Connection: close\r\n\r\n{content}".encode())
        self._transport.close()


def _max_open_files() -> int:
    """Return the number of files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows
        return 2**31
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else soft
