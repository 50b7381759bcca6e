"""New games and moves."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter, Response

from minesweeper.player.board import BoardError, Puzzle, View
from minesweeper.player.game import StartRule
from minesweeper.player.kaboom.game import Kaboom, Rules
from minesweeper.player.presets import Preset
from minesweeper.player.strategies import default_strategy, playable_strategies
from minesweeper.scripts.web import dealing
from minesweeper.scripts.web.autoplaying import moves_of, next_moves
from minesweeper.scripts.web.errors import Kind, Refusal
from minesweeper.scripts.web.plays import BoardPlay, KaboomPlay, Play
from minesweeper.scripts.web.requests import CellRequest, NewGame, Nothing, StepRequest
from minesweeper.scripts.web.server import COOKIE, AnyGame, AnyServer, MaybeSession, Server
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE

router = APIRouter()

_YEAR: Final = 365 * 24 * 3600


@router.get("/options")
async def options(server: AnyServer) -> dict[str, Any]:
    """What can be played here."""
    packs = await asyncio.to_thread(dealing.list_packs, server.settings.database)
    return {
        "presets": [
            {"name": name, "rows": size.rows, "cols": size.cols, "mines": size.mines}
            for name, size in dealing.presets().items()
        ],
        "limits": {"rows": [1, MAX_SIDE], "cols": [1, MAX_SIDE], "cells": MAX_CELLS},
        "starts": list(StartRule),
        "strategies": [*playable_strategies(), *server.settings.players],
        "default_strategy": default_strategy(),
        "database": packs is not None,
        "packs": packs or [],
        "puzzles": sum(pack["puzzles"] for pack in packs or []),
        "today": _today().isoformat(),
    }


@router.post("/games")
async def new_game(wanted: NewGame, server: AnyServer, session: MaybeSession, response: Response) -> dict[str, Any]:
    """Start a game, and a session if need be."""
    try:
        play = await _deal(wanted, server)
    except BoardError as error:
        raise Refusal(Kind.BAD_INPUT, f"{error}") from error
    if session is None:
        session = server.sessions.begin()
        response.set_cookie(COOKIE, session.key, httponly=True, samesite="strict", path="/", max_age=_YEAR)
    server.sessions.add(session, play)
    return play.state()


@router.get("/games")
async def list_games(session: MaybeSession) -> dict[str, Any]:
    """This session's games, newest first."""
    games = [] if session is None else [play.state() for play in reversed(session.games.values())]
    return {"games": [{key: game[key] for key in ("id", "mode", "title", "status")} for game in games]}


@router.get("/games/{game_id}")
async def show(play: AnyGame) -> dict[str, Any]:
    """A game as it stands."""
    return play.state()


@router.post("/games/{game_id}/open")
async def open_cell(cell: CellRequest, play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Open a cell."""
    async with play.in_turn(cell.turn):
        return await play.open((cell.row, cell.col), server.quick, server.settings.click_seconds)


@router.post("/games/{game_id}/chord")
async def chord(cell: CellRequest, play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Open what is not flagged around a clue."""
    async with play.in_turn(cell.turn):
        return await play.chord((cell.row, cell.col), server.quick, server.settings.click_seconds)


@router.post("/games/{game_id}/flag")
async def flag(cell: CellRequest, play: AnyGame) -> dict[str, Any]:
    """Set a flag or take it away."""
    async with play.in_turn(cell.turn):
        return play.flag((cell.row, cell.col))


@router.post("/games/{game_id}/undo")
async def undo(_: Nothing, play: AnyGame) -> dict[str, Any]:
    """Take the fatal move back."""
    async with play.lock:
        return play.undo()


@router.post("/games/{game_id}/reveal")
async def reveal(_: Nothing, play: AnyGame) -> dict[str, Any]:
    """Give a lost game up."""
    async with play.lock:
        return play.reveal()


@router.get("/games/{game_id}/share")
async def share(play: AnyGame) -> dict[str, Any]:
    """The token of a link that recreates the game."""
    if play.share is None:
        raise Refusal(
            Kind.NOT_NOW, "The link would tell where the mines are: it is given when the game is won, or given up."
        )
    return {"token": play.share}


@router.post("/games/{game_id}/step")
async def step(steps: StepRequest, play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Let the autoplayer go on."""
    if not isinstance(play, BoardPlay) or play.strategy is None:
        raise Refusal(Kind.NOT_NOW, "Nobody plays this game but you.")
    async with play.lock:
        return await next_moves(play, steps.moves, server.quick, server.settings.help_seconds)


def _today() -> Any:
    return datetime.now(UTC).date()


async def _deal(wanted: NewGame, server: Server) -> Play:
    match wanted.mode:
        case "pack":
            return await _stored(wanted, server)
        case "daily":
            return await _daily(wanted.preset or "expert", wanted.date or _today(), server)
        case "shared":
            return await _shared(wanted.token or "", server)
        case "watch":
            return await _watched(wanted, server)
    size = dealing.size_of(wanted.preset, wanted.rows, wanted.cols, wanted.mines)
    if wanted.mode == "kaboom":
        return _kaboom(size, wanted.rules.rules())
    if wanted.mode == "no-guess":
        puzzle = await server.slow.run(server.settings.study_seconds, dealing.solvable_puzzle, size)
        return BoardPlay("no-guess", _title("No-guess", puzzle), puzzle)
    wanted.start.check_mines(size.rows, size.cols, size.mines, None)
    View.hidden(size.rows, size.cols, size.mines)
    return BoardPlay("classic", dealing.size_title("Classic", size.rows, size.cols, size.mines), (size, wanted.start))


async def _stored(wanted: NewGame, server: Server) -> Play:
    filters = (wanted.puzzle, wanted.rows, wanted.cols, wanted.mines, wanted.tier)
    record = await asyncio.to_thread(dealing.stored_puzzle, server.settings.database, *filters)
    return BoardPlay("pack", _title("Pack", record.puzzle), record.puzzle, share=f"puzzle-{record.id}")


async def _daily(preset: str, date: Any, server: Server) -> Play:
    puzzle = await server.slow.run(server.settings.study_seconds, dealing.daily_puzzle, preset, date)
    return BoardPlay("daily", _title(f"Daily {date}", puzzle), puzzle, share=f"daily-{date}-{preset}")


async def _shared(token: str, server: Server) -> Play:
    match token.partition("-")[0]:
        case "daily":
            return await _daily(*dealing.read_daily_token(token), server)
        case "puzzle":
            record = await asyncio.to_thread(dealing.stored_puzzle, server.settings.database, token[7:])
            return BoardPlay("shared", _title("Shared", record.puzzle), record.puzzle, share=token)
        case "kaboom":
            return _kaboom(*dealing.read_kaboom_token(token))
        case "board":
            puzzle = dealing.read_board_token(token)
            return BoardPlay("shared", _title("Shared", puzzle), puzzle, share=token)
    raise Refusal(Kind.BAD_INPUT, "This is no share link.")


async def _watched(wanted: NewGame, server: Server) -> Play:
    strategy = wanted.strategy or default_strategy()
    # Nobody else's files and commands are run.
    known = [*playable_strategies(), *server.settings.players]
    if strategy not in known:
        raise Refusal(Kind.BAD_INPUT, f"There is no strategy {strategy!r}; there are {', '.join(known)}.")
    if wanted.puzzle is not None:
        puzzle = (await asyncio.to_thread(dealing.stored_puzzle, server.settings.database, wanted.puzzle)).puzzle
    else:
        size = dealing.size_of(wanted.preset, wanted.rows, wanted.cols, wanted.mines)
        puzzle = dealing.random_puzzle(size, (size.rows // 2, size.cols // 2), wanted.start)
    moves = await server.slow.run(server.settings.study_seconds, moves_of, puzzle, strategy)
    return BoardPlay("watch", _title(strategy, puzzle), puzzle, moves=moves, strategy=strategy)


def _kaboom(size: Preset, rules: Rules) -> Play:
    kaboom = Kaboom(size.rows, size.cols, size.mines, rules=rules, seed=secrets.randbits(64))
    return KaboomPlay(dealing.size_title("Kaboom", size.rows, size.cols, size.mines), kaboom)


def _title(name: str, puzzle: Puzzle) -> str:
    return dealing.size_title(name, puzzle.board.rows, puzzle.board.cols, puzzle.board.mines)
