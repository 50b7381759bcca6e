"""Play games: logic opens all that can be known, and a strategy guesses when nothing can."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from functools import partial
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Cell, Puzzle
from minesweeper.player.game import Game, Status
from minesweeper.player.logic import Engine, reasoner
from minesweeper.player.results import Deals, GameResult, Move
from minesweeper.player.steps import Tier
from minesweeper.player.strategies import Knowledge, Strategy, StrategyError
from minesweeper.player.workers import map_ranges

log = logging.getLogger(__name__)

_SLOW_SECONDS: Final = 5.0


def play(
    puzzle: Puzzle, strategy: Strategy, *, seed: int = 0, engine: Engine = "auto", keep_moves: bool = False
) -> GameResult:
    """Play one game to its end.

    The game's chances come from `seed` and the puzzle alone. Raises `StrategyError` if the strategy names a cell that
    is open, off the board or known to be a mine.
    """
    strategy.begin(Random(f"{seed}/{puzzle.id}"))
    started = time.perf_counter()
    moves: list[Move] | None = [] if keep_moves else None
    won, opened, guesses = _play_out(Game(puzzle.board), puzzle.first_click, strategy, engine, moves)
    return GameResult(won, opened, guesses, time.perf_counter() - started, tuple(moves or ()))


def _play_out(
    game: Game, first_click: Cell, strategy: Strategy, engine: Engine, moves: list[Move] | None
) -> tuple[bool, int, int]:
    """Play a game from its first click; return whether it was won, the cells opened and the guesses."""
    view = game.view
    rows, cols = view.rows, view.cols
    logic = reasoner(rows, cols, view.mines, engine)
    known_mines = np.zeros(rows * cols, dtype=np.bool_)
    guesses = 0
    fresh = game.open(first_click)
    opened = len(fresh)
    if moves is not None:
        moves.append(Move(Tier.FIRST_CLICK, (first_click,)))
    while game.status is Status.PLAYING:
        cells = [row * cols + col for row, col in fresh]
        view = game.view
        logic.learn(cells, view.cells.ravel()[cells].tolist())
        fresh = []
        steps = logic.advance()
        for step in steps:
            known_mines[list(step.mines)] = True
            clicks = []
            for cell in step.safe:
                place = divmod(cell, cols)
                if game.status is Status.PLAYING and (found := game.open(place)):
                    fresh += found
                    clicks.append(place)
            if moves is not None:
                moves.append(Move(step.tier, tuple(clicks), tuple(divmod(mine, cols) for mine in step.mines)))
        if game.exploded:
            raise AssertionError(f"logic opened a mine at {game.exploded[0]}:\n{view}")
        if not steps:
            mines = known_mines.reshape(rows, cols)
            guess = strategy.choose(view, Knowledge(view, np.zeros_like(mines), mines))
            _check_guess(guess, view.cells, mines, strategy)
            guesses += 1
            fresh = game.open(guess)
            if moves is not None:
                moves.append(Move(None, (guess,)))
        opened += len(fresh)
    return game.status is Status.WON, opened, guesses


def _check_guess(guess: Cell, cells: NDArray[np.int8], mines: NDArray[np.bool_], strategy: Strategy) -> None:
    row, col = guess
    if not (0 <= row < cells.shape[0] and 0 <= col < cells.shape[1]):
        raise StrategyError(f"expected a cell on the board from strategy {strategy.name}: {guess}")
    if cells[guess] != HIDDEN:
        raise StrategyError(f"expected a hidden cell from strategy {strategy.name}, this one is open: {guess}")
    if mines[guess]:
        raise StrategyError(f"expected a cell that may be safe from strategy {strategy.name}, this is a mine: {guess}")


def play_many(
    deals: Deals,
    games: range,
    strategy: Strategy,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    workers: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> Generator[GameResult, None, None]:
    """Play the puzzles of `deals` that `games` numbers, and yield their results in that order.

    The results do not depend on the number of workers, which are processes unless there is only one. Once `stop` says
    so, no new games start; those under way are finished and yielded. Raises as `play` does, and `WorkerDied`.
    """
    for _, results in map_ranges(partial(_play_some, deals, strategy, seed, engine), games, workers, stop=stop):
        yield from results


def _play_some(deals: Deals, strategy: Strategy, seed: int, engine: Engine, games: range) -> list[GameResult]:
    results = strategy.play_batch(deals, games, seed, engine)
    if results is None:
        results = [play(deals.puzzle(index), strategy, seed=seed, engine=engine) for index in games]
    for index, result in zip(games, results, strict=True):
        if result.seconds >= _SLOW_SECONDS:
            log.info("game %d took %s %.1f s", index, strategy.name, result.seconds)
    log.info("%s, games %d to %d: %d won", strategy.name, games[0], games[-1], sum(game.won for game in results))
    return results
