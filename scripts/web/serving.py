"""The server on a port."""

from __future__ import annotations

import socket
import webbrowser
from dataclasses import replace
from typing import Any

import click
import uvicorn
from starlette.applications import Starlette

from minesweeper.db.store import Store
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.logic import choose_engine
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings


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
        uvicorn.Server(configuration(app)).run(sockets=[listening])
        return 0


def configuration(app: Starlette, **others: Any) -> uvicorn.Config:
    """Return the configuration of uvicorn: the pure Python parser, which limits heads to 16 KiB, and no websockets."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,  # longer than people think between clicks
        limit_concurrency=800,  # connections; systems allow a process 1024 open files by default
        **others,
    )
