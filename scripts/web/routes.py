"""What the page may ask of the server: games and moves, help with a game, the leaderboard, positions from anywhere."""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from minesweeper.db.formats.format import FormatError
from minesweeper.db.formats.known import FORMATS
from minesweeper.db.formats.positions import POSITION_FORMATS, read_position, write_position
from minesweeper.db.people import clicks_to_json, player_record
from minesweeper.db.store import Store
from minesweeper.generator.filters import PuzzleFilter
from minesweeper.player.board import HIDDEN, Board, BoardError, Cell, Puzzle, View, cells_of
from minesweeper.player.game import StartRule, Status
from minesweeper.player.kaboom.game import Kaboom, Rules
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.play.recorded_games import RecordingError
from minesweeper.player.stats import wilson
from minesweeper.player.strategies import default_strategy, playable_strategies
from minesweeper.player.why.wording import counted
from minesweeper.player.words import Preset
from minesweeper.scripts.web import boards, jobs, share_links
from minesweeper.scripts.web.live_games import BoardGame, KaboomGame, LiveGame
from minesweeper.scripts.web.request_models import (
    AnalyseRequest,
    CellRequest,
    EmptyRequest,
    NewGame,
    NextRequest,
    PositionRequest,
    RecordingRequest,
    SaveRequest,
    StepRequest,
)
from minesweeper.scripts.web.router import Context, Router, response_of
from minesweeper.scripts.web.server import COOKIE, Server
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE, ApiError, ErrorKind

api = Router()

_YEAR: Final = 365 * 24 * 3600
_GAMES_TOLD: Final = 200
_JUDGED_AT_ONCE: Final = 4


@api.get("/options")
async def options(context: Context) -> dict[str, Any]:
    """What can be played here."""
    packs = await asyncio.to_thread(boards.list_packs, context.server.settings.database)
    return {
        "presets": [
            {"name": name, **size._asdict(), "standard": boards.presets().get(name) == size}
            for name, size in context.server.settings.sizes.items()
        ],
        "begins_with": context.server.settings.begins_with,
        "limits": {"rows": [1, MAX_SIDE], "cols": [1, MAX_SIDE], "cells": MAX_CELLS},
        "starts": list(StartRule),
        "difficulties": list(WORDS),
        "strategies": [*playable_strategies(), *context.server.settings.players],
        "default_strategy": default_strategy(),
        "database": packs is not None,
        "packs": packs or [],
        "puzzles": sum(pack["puzzles"] for pack in packs or []),
        "today": _today().isoformat(),
        "formats": [
            *(
                {"name": name, "title": form.title, "ending": form.ending, "mines": False}
                for name, form in POSITION_FORMATS.items()
            ),
            *(
                {"name": pack.name, "title": pack.title, "ending": pack.extensions[0], "mines": True}
                for pack in FORMATS
                if pack.write is not None
            ),
        ],
    }


@api.post("/games")
async def new_game(wanted: NewGame, context: Context) -> Response:
    """Start a game, and a session if need be."""
    try:
        play = await _deal(wanted, context)
    except BoardError as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"{error}") from error
    answer = response_of(play.state())
    session = context.session
    if session is None:
        session = context.server.sessions.begin(client=context.client)
        answer.set_cookie(COOKIE, session.key, httponly=True, samesite="strict", path="/", max_age=_YEAR)
    context.server.sessions.add(session, play)
    return answer


@api.get("/games")
async def list_games(context: Context) -> dict[str, Any]:
    """This session's games, newest first."""
    games = [] if context.session is None else [play.state() for play in reversed(context.session.games.values())]
    return {"games": [{key: game[key] for key in ("id", "mode", "title", "status")} for game in games]}


@api.get("/games/{game_id}")
async def show(context: Context) -> dict[str, Any]:
    """A game as it stands."""
    return context.game.state()


@api.post("/games/{game_id}/open")
async def open_cell(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Open a cell."""
    play = context.game
    async with play.in_turn(cell.turn):
        return await play.open((cell.row, cell.col), context.server.quick, context.server.settings.click_seconds)


@api.post("/games/{game_id}/chord")
async def chord(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Open what is not flagged around a clue."""
    play = context.game
    async with play.in_turn(cell.turn):
        return await play.chord((cell.row, cell.col), context.server.quick, context.server.settings.click_seconds)


@api.post("/games/{game_id}/flag")
async def flag(cell: CellRequest, context: Context) -> dict[str, Any]:
    """Set a flag or take it away."""
    play = context.game
    async with play.in_turn(cell.turn):
        return play.flag((cell.row, cell.col))


@api.post("/games/{game_id}/undo")
async def undo(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Take the fatal move back; in Kaboom, any."""
    play = context.game
    async with play.lock:
        return play.undo()


@api.post("/games/{game_id}/reveal")
async def reveal(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Give a lost game up."""
    play = context.game
    async with play.lock:
        return play.reveal()


@api.get("/games/{game_id}/share")
async def share(context: Context) -> dict[str, Any]:
    """The token of a link that recreates the game."""
    play = context.game
    if play.share is None:
        raise ApiError(
            ErrorKind.NOT_NOW, "The link would tell where the mines are: it is given when the game is won, or given up."
        )
    return {"token": play.share}


@api.post("/games/{game_id}/step")
async def step(steps: StepRequest, context: Context) -> dict[str, Any]:
    """Let the autoplayer go on."""
    play = context.game
    if not isinstance(play, BoardGame) or play.strategy is None:
        raise ApiError(ErrorKind.NOT_NOW, "Nobody plays this game but you.")
    async with play.lock:
        return await _next_moves(play, steps.moves, context.server)


@api.post("/games/{game_id}/hint")
async def hint(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """The easiest deduction."""
    play = context.game
    play.must_go_on()
    play.helped = True
    return await context.server.help(jobs.find_hint, play.view, sorted(play.flags), play.granted)


@api.post("/games/{game_id}/cheat")
async def cheat(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Open and flag everything that can be known."""
    play = context.game
    play.must_go_on()
    async with play.lock:
        if play.is_untouched:
            return {"game": play.state(), "opened": 0, "flagged": 0, "words": jobs.FIRST_CLICK, "guess": None}
        play.helped = True
        changed, flagged, guess = [], 0, None
        while play.status is Status.PLAYING:
            safe, mines = await context.server.help(jobs.find_certain, play.view)
            flagged += len(set(mines) - play.flags)
            play.flags.update(mines)
            if not safe:
                break
            changed += await play.open_all(safe, context.server.quick, context.server.settings.help_seconds)
        if play.status is Status.PLAYING:
            guess = await context.server.help(jobs.prove_guess, play.view, play.granted)
        words = f"OpenedCells {counted(len(changed), 'cell')} and set {counted(flagged, 'flag')}."
        if guess is not None:
            words += f" {jobs.guess_in_words(play.view, play.granted)}"
        return {"game": play.state(changed), "opened": len(changed), "flagged": flagged, "words": words, "guess": guess}


@api.post("/games/{game_id}/next")
async def next_move(wanted: NextRequest, context: Context) -> dict[str, Any]:
    """Let the player beside you make the easiest certain move or, if there is none and it may, the best guess."""
    play = context.game
    play.must_go_on()
    async with play.lock:
        if play.is_untouched and wanted.guess:
            play.helped = True
            changed = await play.open_all(
                [(play.view.rows // 2, play.view.cols // 2)], context.server.quick, context.server.settings.help_seconds
            )
            return {"game": play.state(changed), "move": {"found": False, "words": "It makes the first click."}}
        move = await context.server.help(jobs.find_hint, play.view, sorted(play.flags), play.granted)
        play.helped = play.helped or not play.is_untouched
        changed = []
        if move["found"]:
            play.flags.update((row, col) for row, col in move["mines"])
            safe = [(row, col) for row, col in move["safe"]]
            changed = await play.open_all(safe, context.server.quick, context.server.settings.help_seconds)
        elif wanted.guess and move["guess"] is not None:
            changed = await play.open_all(
                [move["guess"]["cell"]], context.server.quick, context.server.settings.help_seconds
            )
        return {"game": play.state(changed), "move": move}


@api.get("/games/{game_id}/may-guess")
async def may_guess(context: Context) -> dict[str, Any]:
    """Whether a guess is forced."""
    play = context.game
    play.must_go_on()
    return await context.server.help(jobs.may_guess, play.view, play.granted)


@api.post("/games/{game_id}/analyse")
async def analyse_game(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """The position, to be looked at elsewhere; as long as the game goes on, that is help."""
    play = context.game
    play.helped = play.helped or play.status is Status.PLAYING
    return {key: value for key, value in play.state().items() if key in ("rows", "cols", "mines", "cells", "flags")}


@api.get("/games/{game_id}/check-flags")
async def check_flags(context: Context) -> dict[str, Any]:
    """Which flags logic contradicts. The truth beyond logic is not told."""
    play = context.game
    play.must_go_on()
    play.helped = True
    return await context.server.help(jobs.check_flags, play.view, sorted(play.flags))


@api.get("/games/{game_id}/probabilities")
async def probabilities(context: Context) -> dict[str, Any]:
    """How likely each cell is a mine."""
    play = context.game
    play.must_go_on()
    play.helped = True
    return await context.server.help(jobs.find_probabilities, play.view, play.granted)


@api.get("/games/{game_id}/verdicts")
async def verdicts(context: Context) -> dict[str, Any]:
    """What a click on each hidden cell would do, where an adversary decides."""
    play = context.game
    play.must_go_on()
    if not isinstance(play, KaboomGame):
        raise ApiError(ErrorKind.NOT_NOW, "Only Kaboom decides what a click does when it is made.")
    play.helped = True
    return play.verdicts()


@api.get("/games/{game_id}/explain")
async def explain(context: Context) -> dict[str, Any]:
    """Why the last click was fatal, and what was known before it."""
    play = context.game
    if play.status is not Status.LOST or play.before is None:
        raise ApiError(ErrorKind.NOT_NOW, "Only a lost game can be explained.")
    why = play.kaboom.fatal.why.value if isinstance(play, KaboomGame) and play.kaboom.fatal else None
    before = play.view if isinstance(play, KaboomGame) else play.before
    return await context.server.help(jobs.explain_loss, before, play.exploded[0], why)


@api.get("/games/{game_id}/figures")
async def figures(context: Context) -> dict[str, Any]:
    """What a game came to at its first end, and the player's best time before; empty if it is not counted.

    As long as the game could go on, nothing that depends on the whole board.
    """
    play = context.game
    if play.ended is None:
        play.must_have_ended()
        return {}
    game = play.ended
    if game.stats is None:
        found, _ = await context.server.review(game)
        game = play.ended = replace(game, stats=found)
    unranked, best = await context.server.compare(context.player, game)
    return game.to_json() | {"unranked": unranked, "best_before": best}


@api.get("/record")
async def record(context: Context) -> dict[str, Any]:
    """All that this player has played to an end: sums by kind of board, and the newest games."""
    keeps = context.server.settings.database is not None
    games = [] if context.session is None or not keeps else await context.server.record(context.session)
    if context.session is not None:
        # Who asked for the figures of a game has them already; a few others are worked out now.
        for place in [i for i, game in enumerate(games) if game.stats is None][:_JUDGED_AT_ONCE]:
            games[place] = await context.server.with_figures(context.session, games[place].name)
    return player_record(games, _today()) | {
        "keeps": keeps,
        "games": [game.to_json() for game in games[:_GAMES_TOLD]],
    }


@api.get("/record/export")
async def export_record(context: Context) -> JSONResponse:
    """The whole record as a file: every game with its clicks, and with its mines where they may be known."""
    told = []
    for game in await context.server.record(context.player, whole=True):
        entry = game.to_json() | {"recorded_clicks": clicks_to_json(game.recorded_clicks)}
        play = context.player.games.get(game.name)
        if game.won or (play is not None and play.is_over):
            entry["mines"] = game.board.to_text().splitlines()
        told.append(entry)
    return JSONResponse({"games": told}, headers={"Content-Disposition": 'attachment; filename="sweep-record.json"'})


@api.post("/record/delete")
async def delete_record(_: EmptyRequest, context: Context) -> dict[str, Any]:
    """Forget all that this player has played."""
    await context.server.forget(context.player)
    return {"deleted": True}


@api.get("/record/{game_id}/review")
async def review(context: Context) -> dict[str, Any]:
    """Every click of a game that is over, judged."""
    _, told = await context.server.review(await context.server.ended_game(context.player, context.game_id))
    return told


@api.post("/recording")
async def review_recorded(recording: RecordingRequest, context: Context) -> dict[str, Any]:
    """Every click of a game that another program recorded, judged."""
    try:
        return await context.server.study(jobs.review_recorded, _decoded(recording.data), recording.name)
    except RecordingError as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"{error}") from error


@api.get("/leaderboard")
async def leaderboard(context: Context) -> dict[str, Any]:
    """How strategies did on the same boards, straight from the database."""
    return {"rows": await context.server.query(_standings)}


@api.post("/analyse")
async def analyse(position: AnalyseRequest, context: Context) -> dict[str, Any]:
    """Everything that follows from a pasted position."""
    data = _decoded(position.text) if position.base64 else position.text
    try:
        view = read_position(data, position.mines)
    except (BoardError, FormatError) as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"{error}") from error
    return await _analysed(view, context.server)


def _decoded(text: str) -> bytes:
    """Read base64. Raises `ApiError`."""
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise ApiError(ErrorKind.BAD_INPUT, "This is not base64.") from error


@api.post("/position")
async def analyse_position(position: PositionRequest, context: Context) -> dict[str, Any]:
    """Everything that follows from a drawn position."""
    try:
        view = View.from_text("\n".join(position.cells), position.mines)
    except BoardError as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"{error}") from error
    return await _analysed(view, context.server)


@api.post("/position/save")
async def save_position(position: SaveRequest, _: Context) -> Response:
    """A drawn position in a format, as bytes."""
    rows = position.cells
    try:
        view = View.from_text("\n".join(row.replace("*", "#") for row in rows), position.mines)
        marked = [(row, col) for row, line in enumerate(rows) for col, code in enumerate(line) if code == "*"]
        shown: View | Puzzle = view
        if position.format not in POSITION_FORMATS and len(marked) == view.mines:
            shown = _with_first_click(Board.from_cells(view.rows, view.cols, marked), view)
        data = write_position(shown, position.format)
    except (BoardError, FormatError) as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"{error}") from error
    return Response(data, media_type="application/octet-stream")


def _with_first_click(board: Board, view: View) -> Puzzle:
    """Begin a board at an open cell, at a zero if there is one; where nothing is open, at any safe cell."""
    opened, zeros = view.cells != HIDDEN, board.clues == 0
    for marks in (zeros & opened, opened, zeros, ~board.mine_map):
        if marks.any():
            return Puzzle(board, cells_of(marks)[0])
    raise ApiError(ErrorKind.BAD_INPUT, "A board of mines alone has no first click.")


async def _analysed(view: View, server: Server) -> dict[str, Any]:
    boards.check_fits(view.rows, view.cols)
    return await server.study(jobs.analyse_view, view)


def _standings(store: Store) -> list[dict[str, Any]]:
    rows = store.leaderboard()
    for row in rows:
        rate = wilson(row["wins"], row["games"])
        row["low"], row["high"] = round(100 * rate.low, 2), round(100 * rate.high, 2)
    return rows


def _today() -> Any:
    return datetime.now(UTC).date()


async def _deal(wanted: NewGame, context: Context) -> LiveGame:
    match wanted.mode:
        case "again":
            return context.own_game(wanted.game).again()
        case "pack":
            return await _stored(wanted, context.server)
        case "daily":
            return await _daily(wanted.preset or "expert", wanted.date or _today(), context.server)
        case "shared":
            return await _shared(wanted.token or "", context.server)
        case "watch":
            return await _watched(wanted, context)
    size = boards.size_of(context.server.settings.sizes, wanted.preset, wanted.rows, wanted.cols, wanted.mines)
    if wanted.mode == "kaboom":
        return _kaboom(size, Rules(**wanted.rules.model_dump()), wanted.seed)
    if wanted.mode == "no-guess":
        return await _no_guess(wanted, size, context.server)
    wanted.start.check_mines(*size, None)
    View.hidden(*size)
    return BoardGame("classic", boards.size_title("Classic", *size), (size, wanted.start), seed=wanted.seed)


async def _no_guess(wanted: NewGame, size: Preset, server: Server) -> LiveGame:
    wish = [] if wanted.difficulty is None else [wanted.difficulty]
    wish += [] if wanted.tier is None else [f"hardest step: {wanted.tier}"]
    try:
        accepted = PuzzleFilter(wanted.difficulty, wanted.tier)
        found = await server.study(boards.solvable_puzzle, size, wanted.seed, accepted)
    except ApiError as refusal:
        if refusal.kind is not ErrorKind.TOO_SLOW:
            raise
        kind = "".join(f", {word}" for word in wish)
        words = f"{counted(size.mines, 'mine')} on {size.rows}x{size.cols} cells{kind}: no such board that logic solves"
        seconds = f"was found in {server.settings.study_seconds:g} seconds"
        way_out = "another wish" if wish else "fewer mines"
        raise ApiError(ErrorKind.TOO_SLOW, f"{words} {seconds}. Try {way_out}.") from refusal
    play = BoardGame("no-guess", ", ".join([_title("No-guess", found), *wish]), found)
    play.is_known = wanted.seed is not None
    return play


def _board_play(name: str | None, context: Context) -> BoardGame:
    """Return the player's game of that name, unless an adversary places its mines. Raises `ApiError`."""
    play = context.own_game(name)
    if not isinstance(play, BoardGame):
        raise ApiError(ErrorKind.NOT_NOW, "Kaboom has no board: its mines fall when you click.")
    return play


async def _stored(wanted: NewGame, server: Server) -> LiveGame:
    filters = (wanted.puzzle, wanted.rows, wanted.cols, wanted.mines, wanted.tier)
    record = await asyncio.to_thread(boards.stored_puzzle, server.settings.database, *filters)
    return BoardGame("pack", _title("Pack", record.puzzle), record.puzzle, share=f"puzzle-{record.id}")


async def _daily(preset: str, date: Any, server: Server) -> LiveGame:
    size = boards.size_named(boards.presets(), preset)
    puzzle = await server.study(boards.daily_puzzle, size, date)
    return BoardGame("daily", _title(f"Daily {date}", puzzle), puzzle, share=f"daily-{date}-{preset}")


async def _shared(token: str, server: Server) -> LiveGame:
    match token.partition("-")[0]:
        case "daily":
            return await _daily(*share_links.read_daily_token(token), server)
        case "puzzle":
            record = await asyncio.to_thread(boards.stored_puzzle, server.settings.database, token[7:])
            return BoardGame("shared", _title("Shared", record.puzzle), record.puzzle, share=token)
        case "kaboom":
            return _kaboom(*share_links.read_kaboom_token(token))
        case "board":
            puzzle = share_links.read_board_token(token)
            return BoardGame("shared", _title("Shared", puzzle), puzzle, share=token)
    raise ApiError(ErrorKind.BAD_INPUT, "This is no share link.")


async def _watched(wanted: NewGame, context: Context) -> LiveGame:
    server = context.server
    strategy = wanted.strategy or default_strategy()
    # Nobody else's files and commands are run.
    known = [*playable_strategies(), *server.settings.players]
    if strategy not in known:
        raise ApiError(ErrorKind.BAD_INPUT, f"There is no strategy {strategy!r}; there are {', '.join(known)}.")
    if wanted.game is not None:
        puzzle = _seen_to_the_end(_board_play(wanted.game, context))
    elif wanted.puzzle is not None:
        puzzle = (await asyncio.to_thread(boards.stored_puzzle, server.settings.database, wanted.puzzle)).puzzle
    else:
        size = boards.size_of(server.settings.sizes, wanted.preset, wanted.rows, wanted.cols, wanted.mines)
        puzzle = boards.random_puzzle(size, (size.rows // 2, size.cols // 2), wanted.start, wanted.seed)
    moves = await server.study(jobs.moves_of, puzzle, strategy)
    return BoardGame("watch", _title(strategy, puzzle), puzzle, moves=moves, strategy=strategy)


def _seen_to_the_end(play: BoardGame) -> Puzzle:
    """Return the board of a game that tells nothing new to its player. Raises `ApiError`."""
    if play.puzzle is None or not (play.is_over or play.is_watched):
        raise ApiError(ErrorKind.NOT_NOW, "This game can still go on: finish it or give it up first.")
    return play.puzzle


def _kaboom(size: Preset, rules: Rules, seed: int | None = None) -> LiveGame:
    kaboom = Kaboom(*size, rules=rules, seed=secrets.randbits(64) if seed is None else seed)
    play = KaboomGame(boards.size_title("Kaboom", *size), kaboom)
    play.is_known = seed is not None
    return play


def _title(name: str, puzzle: Puzzle) -> str:
    return boards.size_title(name, puzzle.board.rows, puzzle.board.cols, puzzle.board.mines)


async def _next_moves(game: BoardGame, count: int, server: Server) -> dict[str, Any]:
    """Make the next moves of a watched game, and tell about them."""
    made: list[dict[str, Any]] = []
    changed: list[Cell] = []
    assert game.strategy is not None
    while game.moves and len(made) < count and game.status is Status.PLAYING:
        move = game.moves[0]
        weighed: dict[str, Any] = {"ratings": None, "chances": None}
        if move.is_guess:
            weighed = await server.help(jobs.rate_guess, game.view, game.strategy, move.cells[0])
        game.moves.pop(0)
        changed += await game.open_all(list(move.cells), server.quick, server.settings.help_seconds)
        game.flags.update(move.mines)
        made.append({"reason": move.reason, "cells": move.cells, "mines": move.mines} | weighed)
    return {"game": game.state(changed), "moves": made}
