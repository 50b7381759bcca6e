"""The autoplayer's games on the page."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, Puzzle, View
from minesweeper.player.game import Status
from minesweeper.player.logic import closure
from minesweeper.player.play.games import play
from minesweeper.player.results import Move
from minesweeper.player.strategies import Knowledge, load_strategy
from minesweeper.player.strategies.native import NativeStrategy
from minesweeper.scripts.web.assistance import find_probabilities
from minesweeper.scripts.web.plays import BoardPlay
from minesweeper.scripts.web.pool import Pool

_RATINGS = 8


def moves_of(puzzle: Puzzle, strategy: str) -> tuple[Move, ...]:
    """Play a whole game and return its moves."""
    with closing(load_strategy(strategy)) as player:
        return play(puzzle, player, keep_moves=True).moves


def rate_guess(view: View, strategy: str, chosen: Cell) -> dict[str, Any]:
    """Tell what a strategy considered at a guess, best first, and all chances of a mine, as JSON."""
    chances = find_probabilities(view)["mine"]
    return {"ratings": _ratings(view, strategy, chosen, chances), "chances": chances}


def _ratings(view: View, strategy: str, chosen: Cell, chances: list[list[float]] | None) -> list[dict[str, Any]]:
    mines = closure(view).mines
    player = load_strategy(strategy)
    if isinstance(player, NativeStrategy):
        rated = player.rate(view, Knowledge(view, np.zeros_like(mines), mines))
        return [
            {"cell": rating.cell, "mine_probability": round(1 - rating.safety, 6), "progress": rating.progress}
            for rating in rated[:_RATINGS]
        ]
    if chances is None:
        return [{"cell": chosen, "mine_probability": None, "progress": None}]
    uncertain = np.argwhere((view.cells == HIDDEN) & ~mines).tolist()
    others = sorted(
        (cell for row, col in uncertain if (cell := (row, col)) != chosen), key=lambda at: chances[at[0]][at[1]]
    )
    return [
        {"cell": (row, col), "mine_probability": chances[row][col], "progress": None}
        for row, col in [chosen, *others][:_RATINGS]
    ]


async def next_moves(game: BoardPlay, count: int, pool: Pool, seconds: float) -> dict[str, Any]:
    """Make the next moves of a watched game, and tell about them."""
    made: list[dict[str, Any]] = []
    changed: list[Cell] = []
    assert game.strategy is not None
    while game.moves and len(made) < count and game.status is Status.PLAYING:
        move = game.moves[0]
        weighed: dict[str, Any] = {"ratings": None, "chances": None}
        if move.is_guess:
            weighed = await pool.run(seconds, rate_guess, game.view, game.strategy, move.cells[0])
        game.moves.pop(0)
        changed += await game.open_all(list(move.cells), pool, seconds)
        game.flags.update(move.mines)
        made.append({"reason": move.reason, "cells": move.cells, "mines": move.mines} | weighed)
    return {"game": game.state(changed), "moves": made}
