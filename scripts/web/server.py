"""What the requests of one server share.

The functions are async although nothing waits in them: others would be sent to a thread each time.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from fastapi import Depends, Request

from minesweeper.player.workers import available_workers
from minesweeper.scripts.web.errors import Kind, Refusal
from minesweeper.scripts.web.plays import Play
from minesweeper.scripts.web.pool import Pool
from minesweeper.scripts.web.sessions import Session, Sessions
from minesweeper.scripts.web.settings import Settings

COOKIE: Final = "sweep_session"


class Server:
    """Sessions and two pools of processes: `quick` for clicks and help, `slow` for all that need not be instant."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self.quick = Pool(max(2, available_workers()), settings.waiting)
        self.slow = Pool(max(1, available_workers() // 2), settings.waiting // 4)

        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to start the quick processes, so that whoever plays first need not wait for them."""
        self._starting = asyncio.create_task(self.quick.start())

    async def close(self) -> None:
        """End the processes."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        await asyncio.gather(self.quick.close(), self.slow.close())


async def get_server(request: Request) -> Server:
    """The server that a request came to."""
    server: Server = request.app.state.server
    return server


AnyServer = Annotated[Server, Depends(get_server)]


async def find_session(request: Request, server: AnyServer) -> Session | None:
    """The session that a request's cookie names, if it is still there."""
    return server.sessions.find(request.cookies.get(COOKIE))


MaybeSession = Annotated[Session | None, Depends(find_session)]


async def find_game(game_id: str, session: MaybeSession) -> Play:
    """The game that a request's path names, if it is in its session."""
    if session is None:
        raise Refusal(Kind.NOT_FOUND, "This game is gone: start a new one.")
    return session.game(game_id)


AnyGame = Annotated[Play, Depends(find_game)]
