"""Families of random boards on which strategies compete, and games stored in blocks in a database."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import click

from minesweeper.db.records import GameRecord, Sample
from minesweeper.db.series import SeriesKey, SeriesResults
from minesweeper.db.store import GameRecorder, Store
from minesweeper.player.core.errors import ConfigError, Fault, StrategyError, WorkerDied, did_you_mean
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import MAX_SEED, Preset, Recipe, StartRule, parse_click
from minesweeper.player.core.results import GameResult, forfeits_in_words
from minesweeper.player.core.steps import Engine
from minesweeper.player.kernel_api import NATIVE_STRATEGIES, require
from minesweeper.player.parallel.workers import Workers
from minesweeper.player.play.games import play_many
from minesweeper.player.play.strategies import Strategy, call_strategy, usual_first_click
from minesweeper.player.play.strategies.loading import load_strategy, result_name
from minesweeper.player.play.strategies.program import Program
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.options import BOARDS, BoardOptions, from_decorator, option
from minesweeper.scripts.console.terminal import INTERRUPTED

log = logging.getLogger(__name__)

DEFAULT_CLICK: Final = "usual"
CLICKS: Final = "usual|strategy|center|corner|random|R,C"
CLICK_HELP: Final = "First click: usual is a good cell, the same for all; strategy is the choice of each."
_SECONDS_PER_BLOCK: Final = 10.0


@dataclass(frozen=True)
class Entrant:
    """A competing strategy, the name of its results, and the games that it forfeited since it was loaded."""

    name: str
    strategy: Strategy
    faults: Counter[Fault] = field(default_factory=Counter, compare=False)
    first_error: list[str] = field(default_factory=list, compare=False)

    @property
    def shown(self) -> str:
        """The name, after the one that a program has declared."""
        if not isinstance(self.strategy, Program):
            return self.name
        # Only its workers may have started it. Results that are stored are shown without a program that starts.
        with suppress(StrategyError):
            self.strategy.begin(Random(0))
        self.strategy.close()
        declared = self.strategy.declared_name
        return f"{declared} ({self.name})" if declared else self.name

    @classmethod
    def from_text(cls, text: str) -> Entrant:
        """Load a strategy as `player.play.strategies.loading.load_strategy` does."""
        strategy = load_strategy(text)
        return cls(result_name(text, strategy), strategy)

    @classmethod
    def of_kernel(cls, text: str, use: str) -> Entrant:
        """Load a strategy of the kernel. Raises `ConfigError` for another one, `EngineError` without the kernel."""
        require(use)
        if text not in (names := NATIVE_STRATEGIES[1:]):
            raise ConfigError(f"{use} is {text!r}{did_you_mean(text, names)}; expected {', '.join(names)}")
        return cls.from_text(text)


@dataclass(frozen=True)
class Arena:
    """A family of random boards and the number of games on them.

    With `own_click`, each strategy chooses its first click. Two strategies then play the same boards only if they
    choose the same cell.
    """

    boards: Recipe
    own_click: bool
    games: int

    def recipe(self, strategy: Strategy) -> Recipe:
        """Return the boards that a strategy plays.

        Raises `BoardError` if its first click leaves no room for the mines.
        """
        boards = self.boards
        if not self.own_click:
            return boards
        own = call_strategy(strategy, lambda: strategy.first_click(boards.grid, boards.mines, boards.rule))
        return replace(boards, click=boards.grid.nearest(own))


@dataclass(frozen=True)
class ArenaOptions:
    """The options of `match` and `gain` that describe their boards, by default those of the preset expert."""

    boards: BoardOptions = from_decorator(common.board_options)
    start: str = option(group=BOARDS, type=common.START_RULES, default="opening", help="Start rule of the boards.")
    first_click: str = option(group=BOARDS, default=DEFAULT_CLICK, metavar=CLICKS, help=CLICK_HELP)
    seed: int = option(group=BOARDS, type=click.IntRange(0, MAX_SEED), default=0, help="Seed of the boards.")

    def arena(self, games: int) -> Arena:
        """Return the arena. Raises `BoardError`."""
        by_size = self.boards.board or self.boards.size
        boards = self.boards if by_size else replace(self.boards, board="expert")
        return parse_arena(boards.chosen(), self.start, self.first_click, self.seed, games)


def parse_arena(board: Preset, rule: str, click: str, seed: int, games: int) -> Arena:
    """Return an arena; `click` is ``usual`` (a good cell, the same for all), ``strategy``, or text for `parse_click`.

    Raises `BoardError`.
    """
    start, grid = StartRule.named(rule), board.grid
    own, usual = click == "strategy", grid.nearest(usual_first_click(grid, start))
    cell = usual if own or click == DEFAULT_CLICK else parse_click(click, grid)
    return Arena(board.recipe(cell, start, seed), own, games)


def print_end(entrants: Iterable[Entrant], interrupted: bool) -> None:
    """Print to stderr which entrants forfeited games in this run, and exit with 130 if it was interrupted."""
    for entrant in entrants:
        if entrant.faults:
            lost = f"{entrant.name}: {forfeits_in_words(entrant.faults)}, counted as lost; -v logs each"
            click.echo("; the first: ".join([lost, *entrant.first_error]), err=True)
    if interrupted:
        click.echo("interrupted: run the same command to continue", err=True)
        sys.exit(INTERRUPTED)


def continue_series(
    store: Store,
    entrant: Entrant,
    recipe: Recipe,
    games: int,
    *,
    engine: Engine,
    workers: Workers,
    stop: Callable[[], bool],
    report: Callable[[], object] = lambda: None,
    each_game: bool = False,
    time_limit: float | None = None,
) -> SeriesResults:
    """Play until a series has `games` games or `stop()` is true, and return its results.

    An error of the strategy loses the game. Results are stored in blocks every 10 s and at the end; with `each_game`,
    also as rows of the table ``games``. `report` is called after every game. Raises `click.ClickException` if a worker
    is killed.
    """
    key = SeriesKey(entrant.name, recipe)
    while (standing := store.series.results(key)).games < games and not stop():
        numbers = range(standing.games, games)
        log.info("%s on %s: from %d games to %d", entrant.name, recipe.name, standing.games, games)
        played = play_many(
            recipe,
            numbers,
            entrant.strategy,
            seed=recipe.seed,
            engine=engine,
            workers=workers,
            stop=stop,
            time_limit=time_limit,
            forfeits=True,
        )
        first = numbers.start
        try:
            with closing(played) as results:
                while block := _next_block(results, entrant, report):
                    if each_game:
                        _record_games(store, entrant.name, recipe, first, block)
                    if not store.series.add_block(key, first, _totals(block)):
                        log.info("%s on %s: another process has stored these games", entrant.name, recipe.name)
                        break  # Continue after the games that the other process has stored.
                    first += len(block)
        except WorkerDied as error:
            raise click.ClickException(f"{error}; run the same command to continue") from error
    return standing


def _totals(results: list[GameResult]) -> SeriesResults:
    return SeriesResults(
        won=np.array([result.won for result in results], dtype=np.bool_),
        opened=sum(result.opened for result in results),
        guesses=sum(result.guesses for result in results),
        seconds=sum(result.seconds for result in results),
        forfeits=sum(result.fault is not None for result in results),
    )


def _next_block(results: Iterator[GameResult], entrant: Entrant, report: Callable[[], object]) -> list[GameResult]:
    """Collect the results of the next 10 s."""
    block: list[GameResult] = []
    deadline = time.monotonic() + _SECONDS_PER_BLOCK
    for result in results:
        block.append(result)
        if result.fault is not None:
            entrant.faults[result.fault] += 1
            entrant.first_error[:] = entrant.first_error or [result.error]
        report()
        if time.monotonic() >= deadline:
            break
    return block


def _record_games(store: Store, name: str, recipe: Recipe, first: int, block: list[GameResult]) -> None:
    with GameRecorder(store) as recorder:
        for index, result in enumerate(block, first):
            board = Sample(recipe, index)
            recorder.add(
                GameRecord(name, board, result.won, result.opened, result.guesses, result.seconds, result.fault)
            )
