"""Play games: logic opens all that can be known, and a strategy guesses when nothing can, or makes all the moves."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

import numpy as np

from minesweeper.player import limits
from minesweeper.player.board import Cell, Puzzle, View
from minesweeper.player.game import Game, Status
from minesweeper.player.logic import Engine, Reasoner, reasoner
from minesweeper.player.results import Fault, FromPosition, GameResult, Move, PuzzleSource
from minesweeper.player.steps import Tier
from minesweeper.player.strategies import Knowledge, Strategy, StrategyError, call_strategy, choose_cell, choose_cells
from minesweeper.player.workers import Workers, map_ranges

log = logging.getLogger(__name__)

_SLOW_SECONDS: Final = 5.0


@dataclass
class _Score:
    """What has come of a game so far; `moves` is None unless they are to be kept."""

    moves: list[Move] | None
    opened: int = 0
    guesses: int = 0

    def add(self, tier: Tier | None, cells: tuple[Cell, ...], mines: tuple[Cell, ...] = ()) -> None:
        """Count a move, which is a guess if it has no tier."""
        self.guesses += tier is None
        if self.moves is not None:
            self.moves.append(Move(tier, cells, mines))


def play(
    puzzle: Puzzle,
    strategy: Strategy,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    keep_moves: bool = False,
    opened: Sequence[Cell] = (),
    time_limit: float | None = None,
) -> GameResult:
    """Play one game to its end; `opened` are safe cells that are open at its start, besides the first click.

    The game's chances come from `seed` and the puzzle alone. After `time_limit` seconds it is given up, which loses it:
    a guess where logic was not done would be no guess. Raises `StrategyError` if the strategy fails, or names a
    cell that is open, off the board or known to be a mine; one that forfeits loses the game instead.
    """
    call_strategy(strategy, lambda: strategy.begin(Random(f"{seed}/{puzzle.id}")))
    started = time.perf_counter()
    game, score = Game(puzzle.board), _Score([] if keep_moves else None)
    fault = None
    try:
        with limits.time_limit(time_limit):
            (_play_alone if strategy.plays_alone else _play_out)(
                game, (puzzle.first_click, *opened), strategy, engine, score
            )
    except limits.OutOfTime:
        if time_limit is None:
            raise
        log.info("%s, a game given up after %g s", strategy.name, time_limit)
        fault = Fault.OUT_OF_TIME
    except StrategyError as error:
        if not strategy.forfeits:
            raise
        log.info("%s, a game forfeited: %s", strategy.name, error)
        fault = error.fault
        strategy.close()
    seconds = time.perf_counter() - started
    won = game.status is Status.WON
    return GameResult(won, score.opened, score.guesses, seconds, tuple(score.moves or ()), fault)


def _positions(
    game: Game, firsts: tuple[Cell, ...], engine: Engine, score: _Score
) -> Iterator[tuple[View, Reasoner, list[Cell]]]:
    """Open the cells that a game starts with. As long as it goes on, tell logic what was opened, and yield the view,
    logic, and a list for the cells that are opened next.
    """
    logic = reasoner(game.view.rows, game.view.cols, game.view.mines, engine)
    clicks, fresh = [], []
    for cell in firsts:
        if game.status is Status.PLAYING and (found := game.open(cell)):
            clicks.append(cell)
            fresh += found
    score.add(Tier.FIRST_CLICK, tuple(clicks))
    score.opened = len(fresh)
    while game.status is Status.PLAYING:
        view = game.view
        cells = [row * view.cols + col for row, col in fresh]
        logic.learn(cells, view.cells.ravel()[cells].tolist())
        fresh = []
        yield view, logic, fresh
        score.opened += len(fresh)


def _play_out(game: Game, firsts: tuple[Cell, ...], strategy: Strategy, engine: Engine, score: _Score) -> None:
    """Play a game from its first click, by logic and, where that is at its end, by the strategy."""
    known_mines = np.zeros_like(game.view.cells, dtype=np.bool_)
    for view, logic, fresh in _positions(game, firsts, engine, score):
        steps = logic.advance()
        for step in steps:
            known_mines.ravel()[list(step.mines)] = True
            clicks = []
            for cell in step.safe:
                place = divmod(cell, view.cols)
                if game.status is Status.PLAYING and (found := game.open(place)):
                    fresh += found
                    clicks.append(place)
            score.add(step.tier, tuple(clicks), tuple(divmod(mine, view.cols) for mine in step.mines))
        if game.exploded:
            raise AssertionError(f"logic opened a mine at {game.exploded[0]}:\n{view}")
        if not steps:
            guess = choose_cell(strategy, view, Knowledge(view, np.zeros_like(known_mines), known_mines))
            fresh += game.open(guess)
            score.add(None, (guess,))


def _play_alone(game: Game, firsts: tuple[Cell, ...], strategy: Strategy, engine: Engine, score: _Score) -> None:
    """Play a game from its first click, all by the strategy. Logic only looks on, and tells what was a guess."""
    known_safe: dict[Cell, Tier] = {}
    for view, logic, fresh in _positions(game, firsts, engine, score):
        mines: tuple[Cell, ...] = ()
        while steps := logic.advance():
            for step in steps:
                known_safe |= dict.fromkeys((divmod(cell, view.cols) for cell in step.safe), step.tier)
                mines += tuple(divmod(mine, view.cols) for mine in step.mines)
        for cell in choose_cells(strategy, view):
            found = game.open(cell) if game.status is Status.PLAYING else []
            # A cell may have been opened by a zero before it in the same answer.
            if found or cell in game.exploded:
                score.add(known_safe.get(cell), (cell,), mines)
                mines = ()
            fresh += found


def play_many(
    deals: PuzzleSource,
    games: range,
    strategy: Strategy,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    workers: Workers = 1,
    stop: Callable[[], bool] = lambda: False,
    time_limit: float | None = None,
) -> Generator[GameResult, None, None]:
    """Play the puzzles of `deals` that `games` numbers, and yield their results in that order.

    The results do not depend on the workers: a number of processes, a thread if it is 1, or a cluster. Once `stop` says
    so, no new games start; those under way are finished and yielded. `time_limit` is for each game, as in `play`.
    Raises as `play` does, and `WorkerDied`.
    """
    work = partial(_play_some, deals, strategy, seed, engine, time_limit)
    for _, results in map_ranges(work, games, workers, stop=stop):
        yield from results


def _play_some(
    deals: PuzzleSource, strategy: Strategy, seed: int, engine: Engine, time_limit: float | None, games: range
) -> list[GameResult]:
    opened = deals.opened if isinstance(deals, FromPosition) else ()
    results = None
    if not opened:
        # Played at once, games have the time of one: few batches need as much, and then one of them may.
        with suppress(limits.OutOfTime), limits.time_limit(time_limit):
            results = call_strategy(strategy, lambda: strategy.play_batch(deals, games, seed, engine))
    if results is None:
        results = [
            play(deals.puzzle(index), strategy, seed=seed, engine=engine, opened=opened, time_limit=time_limit)
            for index in games
        ]
    for index, result in zip(games, results, strict=True):
        if result.seconds >= _SLOW_SECONDS:
            log.info("game %d took %s %.1f s", index, strategy.name, result.seconds)
    log.info("%s, games %d to %d: %d won", strategy.name, games[0], games[-1], sum(game.won for game in results))
    return results
