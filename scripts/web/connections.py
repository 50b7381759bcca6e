"""The server on a port: seconds per request, and a fair share of connections per client."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import webbrowser
from collections import Counter
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, cast

import click
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from minesweeper.db.store import Store
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.logic import choose_engine
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings

_RESERVED_FILES: Final = 100
"""Open files reserved for the workers, the database and the page's files."""


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
    """Return the client of an address: the address itself, and for IPv6 its /48 network, which one owner may hold."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return address
    return str(known.ipv4_mapped or ipaddress.ip_network((known, 48), strict=False))


class ConnectionLimit:
    """The open connections of a server. Beyond the limit, the client with most connections loses one."""

    def __init__(self, most: int) -> None:
        self._most = min(most, _max_open_files() - _RESERVED_FILES)
        self._clients: dict[Connection, str] = {}  # oldest first
        self._counts: Counter[str] = Counter()

    def add(self, connection: Connection, client: str) -> None:
        """Add a connection; beyond the limit, close one of the client with most, an idle one if possible.

        Close the new one instead if its own client has most and no idle connection.
        """
        self._clients[connection] = client
        self._counts[client] += 1
        if len(self._clients) <= self._most:
            return
        ((largest, most),) = self._counts.most_common(1)
        others = [one for one, owner in self._clients.items() if owner == largest and one is not connection]
        last = others[0] if most > self._counts[client] else connection
        closed = next((one for one in others if not one.is_working), last)
        self.remove(closed)
        closed.abort()

    def remove(self, connection: Connection) -> None:
        """Remove a connection, unless it was removed before."""
        client = self._clients.pop(connection, None)
        if client is not None:
            self._counts -= Counter([client])


class Connection(H11Protocol):
    """A connection of uvicorn with limits for time; h11 limits heads to 16 KiB, and the middleware limits bodies."""

    def __init__(self, limit: ConnectionLimit, settings: Settings, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._limit = limit
        self._settings = settings
        self._receive_timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None

    @property
    def is_working(self) -> bool:
        """True if a whole request has arrived and its response is not complete."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # `pause_writing` is called as soon as the client does not read everything at once.
        transport.set_write_buffer_limits(0)
        super().connection_made(transport)
        self._start_receive_timer()
        self._limit.add(self, client_of(self.client[0] if self.client else ""))

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.remove(self)
        for timer in (self._receive_timer, self._send_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.is_working and self._receive_timer is not None:
            self._receive_timer.cancel()
            self._receive_timer = None
        elif not self.is_working and self._receive_timer is None:
            self._start_receive_timer()

    def pause_writing(self) -> None:
        self._send_timer = self.loop.call_later(self._settings.send_seconds, self.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def abort(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self.transport.abort()

    def _start_receive_timer(self) -> None:
        self._receive_timer = self.loop.call_later(self._settings.receive_seconds, self.transport.close)


def _max_open_files() -> int:
    """Return the number of files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows
        return 2**31
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else soft
