"""Automatic games: logic opens every safe cell, and a strategy guesses where it finds none, or makes all moves."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from random import Random
from reprlib import repr as short_repr
from typing import Final

from minesweeper.player.core import limits
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import Fault, OutOfTime, StrategyError, WorkerDied
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell, as_number
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.limits import check_cells
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.core.results import FromPosition, GameResult, Move, PuzzleList, PuzzleSource
from minesweeper.player.core.steps import Engine, Tier
from minesweeper.player.logic import deduce, reasoner
from minesweeper.player.parallel.workers import Workers, map_ranges
from minesweeper.player.play.strategies import Knowledge, Strategy, call_strategy, choose_cell, choose_cells, is_bundled
from minesweeper.player.play.strategies.loading import StrategyLike, as_strategy

log = logging.getLogger(__name__)

_SLOW_SECONDS: Final = 5.0


class _Run:
    """A game in progress with its reasoner; counts the opened cells and the guesses, and may keep the moves.

    Cells are numbered ``row * cols + col``.
    """

    def __init__(self, board: Board, engine: Engine, keep_moves: bool) -> None:
        self.game = Game(board)
        self.cols = board.cols
        self.logic = reasoner(board.grid, board.mines, engine)
        self.moves: list[Move] | None = [] if keep_moves else None
        self.opened = self.guesses = 0
        self._clues = board.clue_bytes
        self._fresh: list[int] = []

    def open(self, tier: Tier | None, cells: Iterable[int], mines: Sequence[int] = ()) -> None:
        """Open cells in order until the game ends; without a tier they are a guess. Skip cells that are open."""
        clicked, opened = self.game.open_in_turn(cells)
        self._fresh += opened
        self.opened += len(opened)
        self.guesses += tier is None and bool(clicked)
        if self.moves is not None and (clicked or mines):
            made, marked = (tuple(divmod(one, self.cols) for one in group) for group in (clicked, mines))
            self.moves.append(Move(tier, made, marked))

    def news(self) -> tuple[list[int], list[int]]:
        """Return the cells opened since the last call, and their clues."""
        fresh, self._fresh = self._fresh, []
        return fresh, [self._clues[cell] for cell in fresh]


def play(
    puzzle: Puzzle,
    strategy: StrategyLike,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    keep_moves: bool = False,
    opened: Sequence[Cell] = (),
    time_limit: float | None = None,
    forfeits: bool = False,
) -> GameResult:
    """Play one game to its end with a strategy: a name, an instance, a class or a function, see `as_strategy`.

    `opened` are safe cells that are open at the start besides the first click. The random choices of the strategy
    depend only on `seed` and the puzzle. A game that takes longer than `time_limit` seconds is lost. Raises
    `StrategyError` if the strategy fails or chooses a cell that is open, off the board or known to be a mine; with
    `forfeits`, or if the strategy forfeits, it loses the game instead.

    >>> game = ms.play(ms.Recipe("expert", seed=3).puzzle(1), "champion", keep_moves=True)
    >>> game.won, game.guesses
    (True, 9)
    >>> [move.reason for move in game.moves[:3]]
    ['first click', '1 clue', '1 clue']
    """
    if not isinstance(puzzle, Puzzle):
        raise TypeError(f"cannot play {short_repr(puzzle)}: expected a Puzzle")
    check_cells(puzzle.board.grid.shape, "games")
    strategy = as_strategy(strategy)
    # The CPU time of another program, which may forfeit, is not known here.
    clock = time.perf_counter if strategy.forfeits else time.process_time
    started = clock()
    run = _Run(puzzle.board, engine, keep_moves)
    fault, words = None, ""
    if strategy.forfeits:
        # A program has a time limit of its own for its start, and an error in it ends the run.
        strategy.begin(Random(f"{seed}/{puzzle.id}"))
    try:
        with limits.time_limit(time_limit, enforced=not is_bundled(strategy)):
            if not strategy.forfeits:
                call_strategy(strategy, lambda: strategy.begin(Random(f"{seed}/{puzzle.id}")))
            run.open(Tier.FIRST_CLICK, (row * run.cols + col for row, col in (puzzle.first_click, *opened)))
            (_play_alone if strategy.plays_alone else _play_with_logic)(run, strategy)
    except OutOfTime:
        if time_limit is None:
            raise
        log.info("%s, a game given up after %g s", strategy.name, time_limit)
        fault, words = Fault.OUT_OF_TIME, f"strategy {strategy.name} exceeded {time_limit:g} s"
    except StrategyError as error:
        if not (strategy.forfeits or forfeits):
            raise
        log.info("%s, a game forfeited: %s", strategy.name, error)
        fault, words = error.fault, str(error)
        strategy.close()
    seconds = clock() - started
    won = run.game.status is Status.WON
    return GameResult(won, run.opened, run.guesses, seconds, tuple(run.moves or ()), fault, words)


def _play_with_logic(run: _Run, strategy: Strategy) -> None:
    """Play a game by logic, and by the strategy where logic finds no safe cell."""
    known_mines: set[int] = set()
    while run.game.status is Status.PLAYING:
        run.logic.learn(*run.news())
        steps = run.logic.advance()
        for step in steps:
            known_mines.update(step.mines)
            run.open(step.tier, step.safe, step.mines)
        if run.game.exploded:
            raise AssertionError(f"logic opened a mine at {run.game.exploded[0]}:\n{run.game.view}")
        if not steps:
            view = run.game.view
            maps = np.zeros((2, *view.cells.shape), dtype=np.bool_)
            maps[1].ravel()[list(known_mines)] = True
            row, col = choose_cell(strategy, view, Knowledge(view, *maps))
            run.open(None, [row * run.cols + col])


def _play_alone(run: _Run, strategy: Strategy) -> None:
    """Play a game by the strategy alone. Logic only classifies the moves, to count the guesses."""
    known_safe: dict[int, Tier] = {}
    while run.game.status is Status.PLAYING:
        mines: tuple[int, ...] = ()
        for step in deduce(run.logic, *run.news()):
            known_safe |= dict.fromkeys(step.safe, step.tier)
            mines += step.mines
        for row, col in choose_cells(strategy, run.game.view):
            number = row * run.cols + col
            run.open(known_safe.get(number), [number], mines)
            mines = ()


Puzzles = str | PuzzleSource | list[Puzzle] | tuple[Puzzle, ...]
"""The puzzles of many games: the name of a board, a `Recipe`, another source of numbered puzzles, or a list."""


def play_many(
    puzzles: Puzzles,
    games: int | range,
    strategy: StrategyLike,
    *,
    seed: int = 0,
    engine: Engine = "auto",
    workers: Workers = 1,
    stop: Callable[[], bool] = lambda: False,
    time_limit: float | None = None,
    isolated: bool = False,
    forfeits: bool = False,
) -> Generator[GameResult, None, None]:
    """Play many puzzles and yield the results in the order of the puzzles.

    :param puzzles: a `Recipe` or what names one (``"beginner"``), another `PuzzleSource` or a list of puzzles
    :param games: the number of puzzles, or their indexes
    :param strategy: a name such as ``"champion"``, an instance, a class or a function, see `as_strategy`
    :param workers: a number of processes (1 for a thread), or a cluster; the results do not depend on it
    :param stop: once it returns True, no new games start; running games are finished and yielded
    :param time_limit: seconds per game, as in `play`; a strategy of your own then plays in a process, which the limit
        can stop, even with one worker
    :param isolated: use a process even for one worker
    :param forfeits: an error of the strategy loses the game, as in `play`

    Raises as `play` does, `WorkerDied`, `BoardError` for an unknown name, and `TypeError` if `puzzles` is of another
    type.

    >>> [game.won for game in ms.play_many(ms.Recipe("expert", seed=3), 4, "champion")]
    [False, True, False, False]
    """
    source = Recipe(puzzles) if isinstance(puzzles, str) else puzzles
    source = PuzzleList(source) if isinstance(source, list | tuple) else source
    if not hasattr(source, "puzzle"):
        raise TypeError(f"cannot play {short_repr(puzzles)}: expected a Recipe, a PuzzleSource or a list of puzzles")
    numbers = games if isinstance(games, range) else range(as_number(games, "number of games"))
    player = as_strategy(strategy)
    work = partial(_play_some, source, player, seed, engine, time_limit, forfeits)
    isolated = isolated or (time_limit is not None and not is_bundled(player))
    return _results(map_ranges(work, numbers, workers, stop=stop, isolated=isolated), player)


def _results(
    pieces: Generator[tuple[range, list[GameResult]], None, None], strategy: Strategy
) -> Generator[GameResult, None, None]:
    with closing(pieces):
        try:
            for _, results in pieces:
                yield from results
        except WorkerDied as error:
            raise WorkerDied(f"{error} while it played {strategy.name}") from error


def _play_some(
    puzzles: PuzzleSource,
    strategy: Strategy,
    seed: int,
    engine: Engine,
    time_limit: float | None,
    forfeits: bool,
    games: range,
) -> list[GameResult]:
    opened = puzzles.opened if isinstance(puzzles, FromPosition) else ()
    results = None
    if not opened:
        # The whole batch gets the time limit of one game. If that is too short, the games are played one by one.
        with suppress(OutOfTime), limits.time_limit(time_limit, enforced=not is_bundled(strategy)):
            results = call_strategy(strategy, lambda: strategy.play_batch(puzzles, games, seed, engine))
    if results is None:
        results = [
            play(
                puzzles.puzzle(index),
                strategy,
                seed=seed,
                engine=engine,
                opened=opened,
                time_limit=time_limit,
                forfeits=forfeits,
            )
            for index in games
        ]
    for index, result in zip(games, results, strict=True):
        if result.seconds >= _SLOW_SECONDS:
            log.info("game %d took %s %.1f s", index, strategy.name, result.seconds)
    log.info("%s, games %d to %d: %d won", strategy.name, games[0], games[-1], sum(game.won for game in results))
    return results
