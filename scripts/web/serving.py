"""Serve the page until Ctrl-C."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path

import click
import uvicorn
from fastapi import FastAPI

from minesweeper.db.store import Store
from minesweeper.player.logic import choose_engine
from minesweeper.player.strategies import load_strategy
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings


class _Server(uvicorn.Server):
    """Says where it serves as soon as it does."""

    def __init__(self, app: FastAPI, config: uvicorn.Config, address: str, open_page: bool) -> None:
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


def serve(host: str, port: int, database: Path | None, *, open_page: bool, players: tuple[str, ...] = ()) -> int:
    """Serve until Ctrl-C and return the exit status.

    Raises `OSError` if the address cannot be used, `DatabaseError` if the file is no database.
    """
    choose_engine("auto")  # This warns if the page will be slow.
    for player in players:
        load_strategy(player)  # Says at once what cannot be played.
    if database is not None:
        Store(database, create=False).close()
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
        settings = Settings(database=database, hosts=hosts, players=players)
        app = create_app(settings)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=60,  # longer than people think between clicks
        )
        server = _Server(app, config, address, open_page)
        server.run(sockets=[listening])
        return 0
