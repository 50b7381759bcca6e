"""Help with a game: hint, cheat, and questions about what is known."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from minesweeper.player.game import Status
from minesweeper.player.why.wording import counted
from minesweeper.scripts.web import assistance
from minesweeper.scripts.web.errors import Kind, Refusal
from minesweeper.scripts.web.plays import KaboomPlay, Play
from minesweeper.scripts.web.requests import Nothing
from minesweeper.scripts.web.server import AnyGame, AnyServer

router = APIRouter(prefix="/games/{game_id}")


@router.post("/hint")
async def hint(_: Nothing, play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """The easiest deduction."""
    _must_be_playing(play)
    play.helped = True
    seconds = server.settings.help_seconds
    return await server.quick.run(seconds, assistance.find_hint, play.view, sorted(play.flags), play.granted)


@router.post("/cheat")
async def cheat(_: Nothing, play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Open and flag everything that can be known."""
    _must_be_playing(play)
    seconds = server.settings.help_seconds
    async with play.lock:
        if play.is_untouched:
            return {"game": play.state(), "opened": 0, "flagged": 0, "words": assistance.FIRST_CLICK, "guess": None}
        play.helped = True
        changed = []
        flagged = 0
        while play.status is Status.PLAYING:
            safe, mines = await server.quick.run(seconds, assistance.find_certain, play.view)
            flagged += len(set(mines) - play.flags)
            play.flags.update(mines)
            if not safe:
                break
            changed += await play.open_all(safe, server.quick, seconds)
        guess = None
        if play.status is Status.PLAYING:
            guess = await server.quick.run(seconds, assistance.prove_guess, play.view, play.granted)
        words = f"Opened {counted(len(changed), 'cell')} and set {counted(flagged, 'flag')}."
        if guess is not None:
            words += f" {assistance.guess_in_words(play.view, play.granted)}"
        return {"game": play.state(changed), "opened": len(changed), "flagged": flagged, "words": words, "guess": guess}


@router.get("/may-guess")
async def may_guess(play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Whether a guess is forced."""
    _must_be_playing(play)
    return await server.quick.run(server.settings.help_seconds, assistance.may_guess, play.view, play.granted)


@router.get("/check-flags")
async def check_flags(play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Which flags logic contradicts. The truth beyond logic is not told."""
    _must_be_playing(play)
    play.helped = True
    flags = sorted(play.flags)
    return await server.quick.run(server.settings.help_seconds, assistance.check_flags, play.view, flags)


@router.get("/probabilities")
async def probabilities(play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """How likely each cell is a mine."""
    _must_be_playing(play)
    play.helped = True
    seconds = server.settings.help_seconds
    return await server.quick.run(seconds, assistance.find_probabilities, play.view, play.granted)


@router.get("/explain")
async def explain(play: AnyGame, server: AnyServer) -> dict[str, Any]:
    """Why the last click was fatal, and what was known before it."""
    if play.status is not Status.LOST or play.before is None:
        raise Refusal(Kind.NOT_NOW, "Only a lost game can be explained.")
    why = play.kaboom.fatal.why.value if isinstance(play, KaboomPlay) and play.kaboom.fatal else None
    before = play.view if isinstance(play, KaboomPlay) else play.before
    return await server.quick.run(server.settings.help_seconds, assistance.explain_loss, before, play.exploded[0], why)


def _must_be_playing(play: Play) -> None:
    if play.status is not Status.PLAYING:
        raise Refusal(Kind.NOT_NOW, f"This game is {play.status.value}.")
