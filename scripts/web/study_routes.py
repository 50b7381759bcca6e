"""The leaderboard, and positions from anywhere."""

from __future__ import annotations

import asyncio
import binascii
from base64 import b64decode
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from minesweeper.db.formats import FormatError, read_position
from minesweeper.player.board import BoardError, View
from minesweeper.player.stats import wilson
from minesweeper.scripts.web import assistance
from minesweeper.scripts.web.dealing import check_fits, open_store
from minesweeper.scripts.web.errors import Kind, Refusal
from minesweeper.scripts.web.requests import AnalyseRequest, PositionRequest
from minesweeper.scripts.web.server import AnyServer, Server

router = APIRouter()


@router.get("/leaderboard")
async def leaderboard(server: AnyServer) -> dict[str, Any]:
    """How strategies did on the same boards, straight from the database."""
    return {"rows": await asyncio.to_thread(_standings, server.settings.database)}


@router.post("/analyse")
async def analyse(position: AnalyseRequest, server: AnyServer) -> dict[str, Any]:
    """Everything that follows from a pasted position."""
    try:
        data = b64decode(position.text, validate=True) if position.base64 else position.text
        view = read_position(data, position.mines)
    except (BoardError, FormatError, binascii.Error) as error:
        raise Refusal(Kind.BAD_INPUT, f"{error}") from error
    return await _analysed(view, server)


@router.post("/position")
async def analyse_position(position: PositionRequest, server: AnyServer) -> dict[str, Any]:
    """Everything that follows from a drawn position."""
    try:
        view = View.from_text("\n".join(position.cells), position.mines)
    except BoardError as error:
        raise Refusal(Kind.BAD_INPUT, f"{error}") from error
    return await _analysed(view, server)


async def _analysed(view: View, server: Server) -> dict[str, Any]:
    check_fits(view.rows, view.cols)
    return await server.slow.run(server.settings.study_seconds, assistance.analyse_view, view)


def _standings(database: Path | None) -> list[dict[str, Any]]:
    with open_store(database) as store:
        rows = store.leaderboard()
    for row in rows:
        rate = wilson(row["wins"], row["games"])
        row["low"], row["high"] = round(100 * rate.low, 2), round(100 * rate.high, 2)
    return rows
