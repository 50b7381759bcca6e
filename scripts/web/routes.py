"""The routes of the page: games and moves, help, the player's record, the leaderboard, and analyses of positions."""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64decode
from dataclasses import replace
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from minesweeper.db.formats.positions import POSITION_FORMATS, write_position
from minesweeper.db.formats.registry import FORMATS
from minesweeper.db.people import clicks_to_json, player_record
from minesweeper.db.store import Store
from minesweeper.generator.filters import PuzzleFilter
from minesweeper.player.board import HIDDEN, Board, Cell, Puzzle, View, cells_of
from minesweeper.player.errors import FormatError
from minesweeper.player.game import Status
from minesweeper.player.kaboom.game import Kaboom, Rules
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.recipe import Preset, StartRule
from minesweeper.player.stats import wilson
from minesweeper.player.strategies.loading import default_strategy, playable_strategies
from minesweeper.scripts.web import boards, jobs, share_links
from minesweeper.scripts.web.live_games import BoardGame, KaboomGame, LiveGame, now
from minesweeper.scripts.web.request_models import (
    CellRequest,
    EmptyRequest,
    HelpRequest,
    NewGame,
    PositionRequest,
    RecordingRequest,
    SaveRequest,
    WatchRequest,
)
from minesweeper.scripts.web.router import Context, Router, response_of
from minesweeper.scripts.web.server import COOKIE, Server
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE, ApiError, ErrorKind

api = Router()

_YEAR: Final = 365 * 24 * 3600
_LISTED_GAMES: Final = 200
_REVIEWS_PER_REQUEST: Final = 4


@api.get("/options")
async def options(context: Context) -> dict[str, Any]:
    """Return the boards, strategies and formats that the page offers."""
    settings = context.server.settings
    packs = await asyncio.to_thread(boards.list_packs, settings.database)
    return {
        "presets": [
            {"name": name, **size._asdict(), "standard": boards.presets().get(name) == size}
            for name, size in settings.sizes.items()
        ],
        "begins_with": settings.begins_with,
        "limits": {"rows": [1, MAX_SIDE], "cols": [1, MAX_SIDE], "cells": MAX_CELLS},
        "difficulties": list(WORDS),
        "strategies": [*playable_strategies(), *settings.players],
        "default_strategy": default_strategy(),
        "database": packs is not None,
        "packs": packs or [],
        "puzzles": sum(pack["puzzles"] for pack in packs or []),
        "today": now().date().isoformat(),
        "formats": [
            *(
                {"name": name, "title": form.title, "ending": form.extension, "mines": False}
                for name, form in POSITION_FORMATS.items()
            ),
            *(
                {"name": pack.name, "title": pack.title, "ending": pack.extensions[0], "mines": True}
                for pack in FORMATS
                if not pack.in_file
            ),
        ],
    }


@api.post("/games")
async def new_game(request: NewGame, context: Context) -> Response:
    """Start a game, and a session if necessary."""
    game = await _new_game(request, context)
    response = response_of(game.state())
    session = context.session
    if session is None:
        session = context.server.sessions.begin(client=context.client)
        response.set_cookie(COOKIE, session.key, httponly=True, samesite="strict", path="/", max_age=_YEAR)
    context.server.sessions.add(session, game)
    return response


@api.get("/games/{game_id}")
async def show(context: Context) -> dict[str, Any]:
    """Return the state of a game."""
    return context.game.state()


@api.post("/games/{game_id}/open")
async def open_cell(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Open a cell."""
    async with context.game.in_turn(cell.turn):
        return await context.game.open((cell.row, cell.col), context.server.click)


@api.post("/games/{game_id}/chord")
async def chord(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Open the unflagged cells around a clue."""
    async with context.game.in_turn(cell.turn):
        return await context.game.chord((cell.row, cell.col), context.server.click)


@api.post("/games/{game_id}/flag")
async def flag(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Set or remove a flag."""
    async with context.game.in_turn(cell.turn):
        return context.game.flag((cell.row, cell.col))


@api.post("/games/{game_id}/undo")
async def undo(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Undo the fatal move; in Kaboom any move."""
    async with context.game.lock:
        return context.game.undo()


@api.post("/games/{game_id}/reveal")
async def reveal(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Show the mines of a lost game."""
    async with context.game.lock:
        return context.game.reveal()


@api.get("/games/{game_id}/share")
async def share(context: Context) -> dict[str, Any]:
    """Return the token of a share link."""
    token = context.game.share
    if token is None:
        message = "The link would show where the mines are: win the game or give it up first."
        raise ApiError(ErrorKind.NOT_NOW, message)
    return {"token": token}


@api.post("/games/{game_id}/help")
async def help_player(request: HelpRequest, context: Context) -> dict[str, Any]:
    """Note help by the engine in the browser before it is shown, and make the moves that it found."""
    async with context.game.lock:
        return await context.game.help(request.safe, request.mines, context.server.click)


@api.post("/watch")
async def watch(request: WatchRequest, context: Context) -> dict[str, Any]:
    """Return all moves of a strategy on a puzzle; the engine in the browser plays its own strategies."""
    settings = context.server.settings
    # A request must not choose the files and commands that the server runs.
    known = [*playable_strategies(), *settings.players]
    if request.strategy not in known:
        message = f"Unknown strategy {request.strategy!r}; strategies: {', '.join(known)}."
        raise ApiError(ErrorKind.BAD_INPUT, message)
    puzzle = share_links.read_board_token(request.token)
    moves = await context.server.study(jobs.moves_of, puzzle, request.strategy)
    return {"moves": [{"reason": move.reason, "cells": move.cells, "mines": move.mines} for move in moves]}


@api.get("/games/{game_id}/stats")
async def stats(context: Context) -> dict[str, Any]:
    """Return the statistics of a game at its first end, and the player's best time before it.

    Empty for a game that does not count. Statistics of the whole board are included only if the game is won.
    """
    game = context.game
    if game.ended is None:
        if game.counts or game.status is Status.PLAYING:
            raise ApiError(ErrorKind.NOT_NOW, "This game has not ended: there are no statistics yet.")
        return {}
    ended = game.ended
    if ended.stats is None:
        found, _ = await context.server.review(ended)
        ended = game.ended = replace(ended, stats=found)
    unranked, best = await context.server.compare(context.player, ended)
    return ended.to_json() | {"unranked": unranked, "best_before": best}


@api.get("/record")
async def record(context: Context) -> dict[str, Any]:
    """Return the player's record: sums by kind of board, and the newest games."""
    has_database = context.server.settings.database is not None
    games = [] if context.session is None or not has_database else await context.server.record(context.session)
    if context.session is not None:
        for place in [i for i, game in enumerate(games) if game.stats is None][:_REVIEWS_PER_REQUEST]:
            games[place] = await context.server.with_stats(context.session, games[place].name)
    return player_record(games, now().date()) | {
        "keeps": has_database,
        "games": [game.to_json() for game in games[:_LISTED_GAMES]],
    }


@api.get("/record/export")
async def export_record(context: Context) -> JSONResponse:
    """Return the whole record as a file: every game with its clicks, and with its mines if the player may see them."""
    games = []
    for game in await context.server.record(context.player, whole=True):
        entry = game.to_json() | {"recorded_clicks": clicks_to_json(game.recorded_clicks)}
        live = context.player.games.get(game.name)
        if game.won or (live is not None and live.is_over):
            entry["mines"] = game.board.to_text().splitlines()
        games.append(entry)
    return JSONResponse({"games": games}, headers={"Content-Disposition": 'attachment; filename="sweep-record.json"'})


@api.post("/record/delete")
async def delete_record(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Delete the player's record."""
    await context.server.forget(context.player)
    return {"deleted": True}


@api.get("/record/{game_id}/review")
async def review(context: Context) -> dict[str, Any]:
    """Return the review of a game that is over."""
    _, found = await context.server.review(await context.server.ended_game(context.player, context.game_id))
    return found


@api.post("/recording")
async def review_recorded(recording: RecordingRequest, context: Context) -> dict[str, Any]:
    """Return the review of a recorded game of another program."""
    return await context.server.study(jobs.review_recorded, _decoded(recording.data), recording.name)


@api.get("/leaderboard")
async def leaderboard(context: Context) -> dict[str, Any]:
    """Return the results of strategies on the same boards."""
    return {"rows": await context.server.query(_leaderboard)}


def _leaderboard(store: Store) -> list[dict[str, Any]]:
    rows = store.leaderboard()
    for row in rows:
        rate = wilson(row["wins"], row["games"])
        row["low"], row["high"] = round(100 * rate.low, 2), round(100 * rate.high, 2)
    return rows


@api.post("/position")
async def read_position(file: PositionRequest, context: Context) -> dict[str, Any]:
    """Return the position in a text or file, which may be from a stranger."""
    data = _decoded(file.text) if file.base64 else file.text
    try:
        view = await context.server.study(jobs.read_pasted, data, file.mines)
    except FormatError as error:
        cause = f"{error}".partition("; expected")[0]
        raise ApiError(ErrorKind.BAD_INPUT, f"{cause}; expected ROWSxCOLS/MINES, then the rows.") from error
    boards.check_fits(view.rows, view.cols)
    return {"rows": view.rows, "cols": view.cols, "mines": view.mines, "cells": view.lines}


@api.post("/position/save")
async def save_position(position: SaveRequest, _: Context) -> Response:
    """Return a drawn position as a file."""
    rows = position.cells
    view = View.from_text("\n".join(row.replace("*", "#") for row in rows), position.mines)
    marked = [(row, col) for row, line in enumerate(rows) for col, code in enumerate(line) if code == "*"]
    shown: View | Puzzle = view
    if position.format not in POSITION_FORMATS and len(marked) == view.mines:
        shown = _with_first_click(Board.from_cells(view.rows, view.cols, marked), view)
    return Response(write_position(shown, position.format), media_type="application/octet-stream")


def _with_first_click(board: Board, view: View) -> Puzzle:
    """Return a puzzle whose first click is an open cell, a zero if possible; without open cells, any safe cell."""
    opened, zeros = view.cells != HIDDEN, board.clues == 0
    for marks in (zeros & opened, opened, zeros, ~board.mine_map):
        if marks.any():
            return Puzzle(board, cells_of(marks)[0])
    raise ApiError(ErrorKind.BAD_INPUT, "Every cell is a mine, so the puzzle has no first click.")


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise ApiError(ErrorKind.BAD_INPUT, "The data is not base64.") from error


async def _new_game(request: NewGame, context: Context) -> LiveGame:
    match request.mode:
        case "again":
            return context.own_game(request.game).again()
        case "pack":
            filters = request.model_dump(include={"rows", "cols", "mines", "tier"})
            return await _stored_game("pack", context.server, request.puzzle, **filters)
        case "daily":
            return await _daily_game(request.preset or "expert", request.date or now().date(), context.server)
        case "shared":
            return await _shared_game(request.token or "", context.server)
    size = boards.size_of(context.server.settings.sizes, request.preset, request.rows, request.cols, request.mines)
    if request.mode == "kaboom":
        return _kaboom_game(size, Rules(**request.rules.model_dump()), request.seed)
    if request.mode == "no-guess":
        return await _no_guess_game(request, size, context.server)
    request.start.check_mines(*size, None)
    View.hidden(*size)  # Raises for an impossible size.
    return BoardGame("classic", (size, request.start), seed=request.seed)


async def _no_guess_game(request: NewGame, size: Preset, server: Server) -> LiveGame:
    """Return a game that begins with the player's first click; with a seed, the opened puzzle of the seed."""
    filters = [] if request.difficulty is None else [request.difficulty]
    filters += [] if request.tier is None else [f"hardest step: {request.tier}"]
    accepted = PuzzleFilter(request.difficulty, request.tier)

    # A board may not exist, or take too long to find: that is said before the game, not after its first click.
    is_sure = size in boards.presets().values() and not filters

    async def deal(click: Cell | None = None) -> Puzzle:
        run = server.click if is_sure else server.study
        try:
            return await run(boards.solvable_puzzle, size, click, request.seed, accepted)
        except ApiError as error:
            if error.kind is not ErrorKind.TOO_SLOW:
                raise
            seconds = server.settings.study_seconds
            fix = "another difficulty or hardest step" if filters else "fewer mines"
            message = f"No solvable board was found in {seconds:g} seconds. Try {fix}."
            raise ApiError(ErrorKind.TOO_SLOW, message) from error

    found = None if is_sure and request.seed is None else await deal()
    if request.seed is not None and found is not None:
        game = BoardGame("no-guess", found)
        game.is_repeat = True
    else:
        game = BoardGame("no-guess", (size, StartRule.OPENING), deal=deal)
    game.title = ", ".join([game.title, *filters])
    return game


async def _stored_game(mode: str, server: Server, name: str | None, **filters: Any) -> LiveGame:
    """Return a game on a puzzle of the database, see `boards.stored_puzzle`."""
    record = await asyncio.to_thread(boards.stored_puzzle, server.settings.database, name, **filters)
    return BoardGame(mode, record.puzzle, share=f"puzzle-{record.id}")


async def _daily_game(preset: str, date: Any, server: Server) -> LiveGame:
    size = boards.size_named(boards.presets(), preset)
    puzzle = await server.click(boards.daily_puzzle, size, date)
    return BoardGame("daily", puzzle, name=f"Daily {date}", share=f"daily-{date}-{preset}")


async def _shared_game(token: str, server: Server) -> LiveGame:
    match token.partition("-")[0]:
        case "daily":
            return await _daily_game(*share_links.read_daily_token(token), server)
        case "puzzle":
            return await _stored_game("shared", server, token[7:])
        case "kaboom":
            return _kaboom_game(*share_links.read_kaboom_token(token))
        case "board":
            return BoardGame("shared", share_links.read_board_token(token), share=token)
    raise ApiError(ErrorKind.BAD_INPUT, "This is not a share link.")


def _kaboom_game(size: Preset, rules: Rules, seed: int | None = None) -> LiveGame:
    kaboom = Kaboom(*size, rules=rules, seed=secrets.randbits(64) if seed is None else seed)
    game = KaboomGame(kaboom)
    game.is_repeat = seed is not None
    return game
