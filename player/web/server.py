"""What the requests of one server share.

The functions are async although nothing waits in them: others would be sent to a thread each time.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from fastapi import Depends, Request

from player.web.errors import NotFound
from player.web.plays import Play
from player.web.pool import Pool
from player.web.sessions import Session, Sessions
from player.web.settings import Settings
from player.workers import available_workers

COOKIE: Final = "sweep_session"


class Server:
    """Sessions and two pools of processes: `quick` for clicks and help, `slow` for all that need not be instant."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings)
        self.quick = Pool(max(2, available_workers()), settings.waiting)
        self.slow = Pool(max(1, available_workers() // 2), settings.waiting // 4)

    async def close(self) -> None:
        """End the processes."""
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
        raise NotFound("This game is gone: start a new one.")
    return session.game(game_id)


AnyGame = Annotated[Play, Depends(find_game)]
