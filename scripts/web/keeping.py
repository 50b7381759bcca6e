"""Games of the page as JSON for the database, mines included, and back. What players are told is `Play.state`."""

from __future__ import annotations

import base64
import secrets
from dataclasses import asdict
from typing import Any

from minesweeper.player.board import Board, Cell, Puzzle, View
from minesweeper.player.kaboom.game import Kaboom, Rules
from minesweeper.scripts.web.plays import BoardPlay, KaboomPlay, Play


def saved(play: Play) -> dict[str, Any] | None:
    """Write a game down; None for one that there is no need to keep: watched, or without a first click."""
    if play.is_untouched or (isinstance(play, BoardPlay) and play.strategy is not None):
        return None
    told = play.state()
    kept = {name: told[name] for name in ("mode", "title", "rows", "cols", "mines", "cells", "flags", "exploded")}
    kept |= {"seconds": play.seconds, "helped": play.helped, "revealed": play.revealed, "undos": play.undos}
    kept["turn"] = play.turn
    if isinstance(play, KaboomPlay):
        return kept | {"rules": asdict(play.kaboom.rules)}
    assert isinstance(play, BoardPlay)
    puzzle = play.puzzle
    assert puzzle is not None
    mines = base64.b64encode(puzzle.board.to_bytes()).decode()
    return kept | {"board": mines, "first_click": list(puzzle.first_click), "share": play.given_share}


def restored(name: str, kept: dict[str, Any]) -> Play:
    """Set a game up again as it stood. A lost game of Kaboom comes back before its last click, as one with help."""
    rows, cols = kept["rows"], kept["cols"]
    play: Play
    if "rules" in kept:
        kaboom = Kaboom(rows, cols, kept["mines"], rules=Rules(**kept["rules"]), seed=secrets.randbits(64))
        lines = "\n".join(kept["cells"])
        kaboom.resume(View.from_text(f"{rows}x{cols}/{kept['mines']}\n{lines}\n"))
        play = KaboomPlay(kept["title"], kaboom)
        play.undos = kept["undos"] + len(kept["exploded"])
    else:
        board = Board.from_bytes(rows, cols, base64.b64decode(kept["board"]))
        puzzle = Puzzle(board, _cell(kept["first_click"]))
        shown = [(row, col) for row in range(rows) for col in range(cols) if kept["cells"][row][col] != "#"]
        play = BoardPlay(kept["mode"], kept["title"], puzzle, share=kept["share"])
        play.replay([*shown, *map(_cell, kept["exploded"])])
        play.undos = kept["undos"]
    play.id = name
    play.flags = set(map(_cell, kept["flags"]))
    play.helped = kept["helped"] or bool(play.undos)
    play.revealed = kept["revealed"]
    play.turn = kept["turn"]
    play.resume_clock(kept["seconds"])
    return play


def _cell(pair: list[int]) -> Cell:
    return pair[0], pair[1]
