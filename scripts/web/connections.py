"""What a connection may cost: bytes and seconds for each request, and a share for each client where places are few."""

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

from minesweeper.scripts.web.settings import MAX_HEAD, Settings, most_of_body

_FILES_OF_OUR_OWN: Final = 100
"""Open files kept for the workers, the database and the page's files."""


def configuration(app: Starlette, settings: Settings, **others: Any) -> uvicorn.Config:
    """Tell uvicorn how to serve: every connection is a `Connection`, and there is no other way in."""
    return uvicorn.Config(
        app,
        # uvicorn asks for a class, and calls it.
        http=cast(Any, partial(Connection, Places(settings.connections), settings)),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,  # longer than people think between clicks
        **others,
    )


@lru_cache(maxsize=4096)
def client_of(address: str) -> str:
    """Name whom an address belongs to: whoever has one of IPv6 has all that begin with the same 64 bits."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return address
    return str(known.ipv4_mapped or ipaddress.ip_network((known, 64), strict=False))


class Places:
    """The connections of one server. If there are too many, the client that has most of them loses one."""

    def __init__(self, most: int) -> None:
        self._most = min(most, _open_files() - _FILES_OF_OUR_OWN)
        # In the order in which they came.
        self._taken: dict[Connection, str] = {}
        self._of_client: Counter[str] = Counter()

    def take(self, connection: Connection, client: str) -> None:
        """Let a connection in; another one, or itself, is closed if there is no room."""
        self._taken[connection] = client
        self._of_client[client] += 1
        if len(self._taken) <= self._most:
            return
        ((biggest, _),) = self._of_client.most_common(1)
        of_biggest = [one for one, owner in self._taken.items() if owner == biggest and one is not connection]
        gone = next((one for one in of_biggest if not one.is_working), connection)
        self.leave(gone)
        gone.end()

    def leave(self, connection: Connection) -> None:
        """Note that a connection is over; it may be told twice."""
        client = self._taken.pop(connection, None)
        if client is not None:
            self._of_client[client] -= 1
            if not self._of_client[client]:
                del self._of_client[client]


class Connection(asyncio.Protocol):
    """uvicorn's side of a connection, which has no such limits by itself: it gets what comes in as long as it is not
    too much or too slow."""

    def __init__(self, places: Places, settings: Settings, **given: Any) -> None:
        self._places = places
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._http: Any = AutoHTTPProtocol(**given)
        self._transport: asyncio.Transport
        self._received = 0
        self._coming_in: asyncio.TimerHandle | None = None
        self._going_out: asyncio.TimerHandle | None = None

    @property
    def is_working(self) -> bool:
        """Whether a request has come in whole, and is being answered."""
        cycle = self._http.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop has its own class.
        # Whatever the other side does not take at once is noticed, see `pause_writing`.
        self._transport.set_write_buffer_limits(0)
        self._http.connection_made(transport)
        self._wait_for_request()
        self._places.take(self, client_of(self._http.client[0] if self._http.client else ""))

    def connection_lost(self, error: Exception | None) -> None:
        self._places.leave(self)
        for timer in (self._coming_in, self._going_out):
            if timer is not None:
                timer.cancel()
        self._http.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        self._http.data_received(data)
        cycle = self._http.cycle
        has_head = cycle is not None and not cycle.response_complete
        if has_head and not cycle.more_body:
            self._received = 0
            if self._coming_in is not None:
                self._coming_in.cancel()
                self._coming_in = None
            return
        self._received += len(data)
        if self._received > MAX_HEAD + (most_of_body(cycle.scope["path"]) if has_head else 0):
            self._refuse("431 Request Header Fields Too Large", f"A request's head may have at most {MAX_HEAD} bytes.")
        elif self._coming_in is None:
            self._wait_for_request()

    def eof_received(self) -> bool | None:
        return cast("bool | None", self._http.eof_received())

    def pause_writing(self) -> None:
        self._going_out = self._loop.call_later(self._settings.send_seconds, self.end)
        self._http.pause_writing()

    def resume_writing(self) -> None:
        if self._going_out is not None:
            self._going_out.cancel()
            self._going_out = None
        self._http.resume_writing()

    def end(self) -> None:
        """Hang up, whatever has not been sent."""
        self._transport.abort()

    def _wait_for_request(self) -> None:
        seconds = self._settings.receive_seconds
        words = f"A request must come in within {seconds:g} seconds."
        self._coming_in = self._loop.call_later(seconds, self._refuse, "408 Request Timeout", words)

    def _refuse(self, status: str, words: str) -> None:
        cycle = self._http.cycle
        # Nobody who has asked nothing expects an answer, and in the middle of one there is no place for another.
        if self._received and not self._transport.is_closing() and (cycle is None or cycle.response_complete):
            content = json.dumps({"error": words, "code": "bad_input"})
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            self._transport.write(f"{head}Connection: close\r\n\r\n{content}".encode())
        self._transport.close()


def _open_files() -> int:
    """How many files this process may open."""
    try:
        import resource
    except ImportError:  # Windows
        return 2**31
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else soft
