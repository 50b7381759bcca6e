"""Automatic games: logic opens every safe cell, and a strategy guesses where it finds none, or makes all moves."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from reprlib import repr as short_repr
from typing import Final

import numpy as np

from minesweeper.player import limits
from minesweeper.player.board import Cell, Puzzle, View
from minesweeper.player.game import Game, Status
from minesweeper.player.logic import Engine, Reasoner, reasoner
from minesweeper.player.results import Fault, FromPosition, GameResult, Move, PuzzleList, PuzzleSource
from minesweeper.player.steps import Tier
from minesweeper.player.strategies import (
    Knowledge,
    Strategy,
    StrategyError,
    as_strategy,
    call_strategy,
    choose_cell,
    choose_cells,
)
from minesweeper.player.workers import Workers, map_ranges

log = logging.getLogger(__name__)

_SLOW_SECONDS: Final = 5.0


@dataclass
class _Score:
    """The counts of a game so far; `moves` is None unless they are kept."""

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
    strategy: Strategy | str,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    keep_moves: bool = False,
    opened: Sequence[Cell] = (),
    time_limit: float | None = None,
) -> GameResult:
    """Play one game to its end with a strategy, or the strategy of this name.

    `opened` are safe cells that are open at the start besides the first click. The random choices of the strategy
    depend only on `seed` and the puzzle. A game that takes longer than `time_limit` seconds is lost. Raises
    `StrategyError` if the strategy fails or chooses a cell that is open, off the board or known to be a mine; a
    strategy that forfeits loses the game instead.
    """
    if not isinstance(puzzle, Puzzle):
        raise TypeError(f"cannot play {short_repr(puzzle)}: expected a Puzzle")
    strategy = as_strategy(strategy)
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
    """Open the first cells of a game. While it continues, pass newly opened cells to the reasoner, and yield the view,
    the reasoner, and a list to which the caller appends the cells that it opens.
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
    """Play a game by logic, and by the strategy where logic finds no safe cell."""
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
    """Play a game by the strategy alone. Logic only classifies the moves, to count the guesses."""
    known_safe: dict[Cell, Tier] = {}
    for view, logic, fresh in _positions(game, firsts, engine, score):
        mines: tuple[Cell, ...] = ()
        while steps := logic.advance():
            for step in steps:
                known_safe |= dict.fromkeys((divmod(cell, view.cols) for cell in step.safe), step.tier)
                mines += tuple(divmod(mine, view.cols) for mine in step.mines)
        for cell in choose_cells(strategy, view):
            found = game.open(cell) if game.status is Status.PLAYING else []
            # A zero earlier in the same answer may have opened this cell.
            if found or cell in game.exploded:
                score.add(known_safe.get(cell), (cell,), mines)
                mines = ()
            fresh += found


Puzzles = PuzzleSource | list[Puzzle] | tuple[Puzzle, ...]
"""The puzzles of many games: a `Recipe`, another source of numbered puzzles, or a list."""


def play_many(
    puzzles: Puzzles,
    games: int | range,
    strategy: Strategy | str,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    workers: Workers = 1,
    stop: Callable[[], bool] = lambda: False,
    time_limit: float | None = None,
) -> Generator[GameResult, None, None]:
    """Play many puzzles and yield the results in the order of the puzzles.

    :param puzzles: a `Recipe`, another `PuzzleSource` or a list of puzzles
    :param games: the number of puzzles, or their indexes
    :param strategy: a strategy, or the text from which `load_strategy` creates one, such as ``"champion"``
    :param workers: a number of processes (1 for a thread), or a cluster; the results do not depend on it
    :param stop: once it returns True, no new games start; running games are finished and yielded
    :param time_limit: seconds per game, as in `play`

    Raises as `play` does, `WorkerDied`, and `TypeError` if `puzzles` is of another type.
    """
    source = PuzzleList(puzzles) if isinstance(puzzles, list | tuple) else puzzles
    if not hasattr(source, "puzzle"):
        raise TypeError(f"cannot play {short_repr(puzzles)}: expected a Recipe, a PuzzleSource or a list of puzzles")
    numbers = games if isinstance(games, range) else range(games)
    work = partial(_play_some, source, as_strategy(strategy), seed, engine, time_limit)
    return _results(map_ranges(work, numbers, workers, stop=stop))


def _results(pieces: Generator[tuple[range, list[GameResult]], None, None]) -> Generator[GameResult, None, None]:
    for _, results in pieces:
        yield from results


def _play_some(
    puzzles: PuzzleSource, strategy: Strategy, seed: int, engine: Engine, time_limit: float | None, games: range
) -> list[GameResult]:
    opened = puzzles.opened if isinstance(puzzles, FromPosition) else ()
    results = None
    if not opened:
        # The whole batch gets the time limit of one game. If that is too short, the games are played one by one.
        with suppress(limits.OutOfTime), limits.time_limit(time_limit):
            results = call_strategy(strategy, lambda: strategy.play_batch(puzzles, games, seed, engine))
    if results is None:
        results = [
            play(puzzles.puzzle(index), strategy, seed=seed, engine=engine, opened=opened, time_limit=time_limit)
            for index in games
        ]
    for index, result in zip(games, results, strict=True):
        if result.seconds >= _SLOW_SECONDS:
            log.info("game %d took %s %.1f s", index, strategy.name, result.seconds)
    log.info("%s, games %d to %d: %d won", strategy.name, games[0], games[-1], sum(game.won for game in results))
    return results
