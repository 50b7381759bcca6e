"""Play games: logic opens all that can be known, and a strategy guesses when nothing can."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from random import Random
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from player.board import HIDDEN, Cell, Puzzle
from player.game import Game, Status
from player.logic import Engine, Tier, reasoner
from player.strategies import Knowledge, Strategy, StrategyError

_SECONDS_PER_TASK: Final = 0.2
_MOST_GAMES_PER_TASK: Final = 4096


class Reason(StrEnum):
    """Why cells were opened or marked together."""

    FIRST_CLICK = "first click"
    ONE_CLUE = "1 clue"
    TWO_CLUES = "2 clues"
    MORE_CLUES = "more clues"
    MINE_COUNT = "mine count"
    GUESS = "guess"


_REASONS: Final = {
    Tier.ONE_CLUE: Reason.ONE_CLUE,
    Tier.TWO_CLUES: Reason.TWO_CLUES,
    Tier.MORE_CLUES: Reason.MORE_CLUES,
    Tier.MINE_COUNT: Reason.MINE_COUNT,
}


@dataclass(frozen=True, slots=True)
class Move:
    """The cells clicked for one reason, in order, and the mines recognised with them."""

    reason: Reason
    cells: tuple[Cell, ...]
    mines: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game went: `opened` counts the safe cells open at its end, `guesses` the cells opened without certainty.

    The first click is no guess. `seconds` is the time it took, which equality ignores; `moves` is empty unless asked
    for.
    """

    won: bool
    opened: int
    guesses: int
    seconds: float = field(compare=False)
    moves: tuple[Move, ...] = ()


class WorkerDied(RuntimeError):
    """A worker process was killed."""


class Deals(Protocol):
    """Puzzles by number, such as `generator.sampling.Recipe`."""

    def puzzle(self, index: int) -> Puzzle:
        """Return puzzle number `index`, the same each time."""


@dataclass(frozen=True)
class PuzzleList:
    """Deals from a list of puzzles."""

    puzzles: Sequence[Puzzle]

    def puzzle(self, index: int) -> Puzzle:
        return self.puzzles[index]


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
        moves.append(Move(Reason.FIRST_CLICK, (first_click,)))
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
                moves.append(Move(_REASONS[step.tier], tuple(clicks), tuple(divmod(mine, cols) for mine in step.mines)))
        if game.exploded:
            raise AssertionError(f"logic opened a mine at {game.exploded[0]}:\n{view}")
        if not steps:
            mines = known_mines.reshape(rows, cols)
            guess = strategy.choose(view, Knowledge(view, np.zeros_like(mines), mines))
            _check_guess(guess, view.cells, mines, strategy)
            guesses += 1
            fresh = game.open(guess)
            if moves is not None:
                moves.append(Move(Reason.GUESS, (guess,)))
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


def available_workers() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_many(
    deals: Deals,
    games: range,
    strategy: Strategy,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    workers: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[GameResult]:
    """Play the puzzles of `deals` that `games` numbers, and yield their results in that order.

    The results do not depend on the number of workers, which are processes unless there is only one. Once `stop` says
    so, no new games start; those under way are finished and yielded. Raises as `play` does, and `WorkerDied`.
    """
    play_some = partial(_play_some, deals, strategy, seed, engine)
    tasks = _Tasks(games)
    if workers == 1:
        while not stop() and (task := tasks.take()):
            started = time.perf_counter()
            results = play_some(task)
            tasks.took(len(task), time.perf_counter() - started)
            yield from results
        return
    # Forked workers start at once, and already have what they need.
    fork = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if fork else "spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(play_some,))
    waiting: deque[Future[tuple[list[GameResult], float]]] = deque()
    try:
        while True:
            # More tasks than workers, so that none is idle while a slow one holds back the order.
            while len(waiting) < 3 * workers and not stop() and (task := tasks.take()):
                waiting.append(pool.submit(_work, task))
            # Tasks that no worker has taken are given back, from the last, so that the results have no gap.
            while stop() and waiting and waiting[-1].cancel():
                waiting.pop()
            if not waiting:
                return
            results, seconds = waiting.popleft().result()
            tasks.took(len(results), seconds)
            yield from results
    except BrokenProcessPool:
        raise WorkerDied("a worker process was killed") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class _Tasks:
    """Cuts games into tasks that each keep a worker busy for a moment, as far as the games so far can tell."""

    def __init__(self, games: range) -> None:
        self._games = games
        self._size = 1

    def take(self) -> range:
        task, self._games = self._games[: self._size], self._games[self._size :]
        return task

    def took(self, games: int, seconds: float) -> None:
        fitting = int(games * _SECONDS_PER_TASK / max(seconds, 1e-9))
        self._size = max(1, min(fitting, 2 * self._size, _MOST_GAMES_PER_TASK))


def _play_some(deals: Deals, strategy: Strategy, seed: int, engine: Engine, games: range) -> list[GameResult]:
    puzzles = [deals.puzzle(index) for index in games]
    results = strategy.play_batch(puzzles, seed, engine)
    if results is None:
        results = [play(puzzle, strategy, seed=seed, engine=engine) for puzzle in puzzles]
    return results


_play_here: Callable[[range], list[GameResult]]


def _start_worker(play_some: Callable[[range], list[GameResult]]) -> None:
    """Set up a worker process: what it plays, and that an interruption is its parent's business."""
    global _play_here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _play_here = play_some


def _work(games: range) -> tuple[list[GameResult], float]:
    started = time.perf_counter()
    results = _play_here(games)
    return results, time.perf_counter() - started
