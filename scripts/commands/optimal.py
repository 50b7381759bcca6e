"""The command `minesweeper optimal`: the best possible win rate on small boards, and the win rates of strategies.

All layouts that the start rule allows are equally likely, and the game is solved exactly as a tree over the states of
knowledge. Deterministic strategies of the kernel play every layout, so their win rates are exact, too; others play a
sample.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Final

import click

from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import BoardError, ConfigError, StrategyError
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.recipe import MAX_SEED, Preset, Recipe, StartRule, parse_click
from minesweeper.player.parallel.workers import available_workers
from minesweeper.player.play.games import play_many
from minesweeper.player.play.stats import Interval, wilson
from minesweeper.player.play.strategies import Strategy
from minesweeper.player.play.strategies.kernel_strategies import NativeStrategy
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.player.play.strategies.optimal import (
    DEFAULT_STATES,
    BestPlay,
    best_start,
    different_cells,
    layout_board,
    start_layouts,
)
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows, with_progress

_EXACT: Final = 200_000
_BOARD: Final = re.compile(r"([^/ ]+)(?:/(\d{1,3})(?:-(\d{1,3}))?)?(?: +(.*))?")
_COLUMNS: Final = columns(
    "board, start, click, strategy: player, wins, games: of, win_percent: win %, win_percent_low: from, "
    "win_percent_high: to, gap_percent: behind, states, seconds"
)
_FIELDS: Final = columns(
    "rows, cols, mines, start, first_click, strategy, wins, games, win_percent, win_percent_low, win_percent_high, "
    "gap_percent, states, seconds"
)


@dataclass(frozen=True)
class AllLayouts:
    """A puzzle source with every layout of a start once."""

    grid: Grid
    first_click: Cell
    layouts: Sequence[int]

    def puzzle(self, index: int) -> Puzzle:
        return Puzzle(layout_board(self.grid, self.layouts[index]), self.first_click)


@dataclass(frozen=True)
class OptimalOptions:
    """The arguments and options of `optimal`."""

    boards: tuple[str, ...] = from_decorator(click.argument("boards", nargs=-1, metavar="[BOARD]..."))
    start: str = option(type=click.Choice([*map(str, StartRule), "both"]), default="both")
    first_click: str = option(
        default="best",
        metavar="best|all|R,C",
        help="First click: the best cell, all cells up to symmetry, or this cell.",
    )
    strategies: str | None = option(
        metavar="NAME,NAME...", help="Strategies to compare, each with its own first click."
    )
    games: int = option(type=click.IntRange(min=1), default=2000, help="Games of strategies that play a sample.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Seed of the samples.")
    most_states: int = option(
        type=click.IntRange(min=1), default=DEFAULT_STATES, help="Skip boards with more states of knowledge."
    )
    style: TableStyle = from_decorator(output_options)

    def click_on(self, grid: Grid) -> Cell | None:
        """Return the fixed first click, or None for ``best`` and ``all``. Raises `ConfigError`."""
        if self.first_click in ("best", "all"):
            return None
        cell = parse_click(self.first_click, grid)
        if cell is None:
            raise ConfigError(f"invalid first click {self.first_click!r}; expected best, all or ROW,COL")
        return cell


@click.command(
    cls=Command,
    short_help="Compute the best possible win rate on small boards.",
    epilog="Example: minesweeper optimal 4x4 5x5/1-4 --strategies champion,progress",
)
@with_options(OptimalOptions)
def main(options: OptimalOptions) -> None:
    """Compute the best possible win rate on every BOARD, by default 4x4 with every number of mines.

    A BOARD is ROWSxCOLS/MINES, ROWSxCOLS/MINES-MINES for a range, or ROWSxCOLS for every number of mines. Boards that
    are too large are skipped, with a line on stderr at the end; it is an error if all are.
    """
    players = [load_strategy(name) for name in options.strategies.split(",")] if options.strategies else []
    rules = [rule for rule in StartRule if options.start in (rule, "both")]
    sizes = [_read_board(text) for text in options.boards or ("4x4",)]
    for grid, _ in sizes:
        options.click_on(grid)
    boards = [(grid, mines, rule) for grid, counts in sizes for rule in rules for mines in counts]
    skipped: dict[str, list[str]] = {}
    rows_found = (
        row
        for grid, mines, rule in with_progress(boards, " boards", len(boards), in_lines=True)
        for row in _solve(grid, mines, rule, players, options, skipped)
    )
    first = next(rows_found, None)
    if first is None:
        reasons = "; ".join(skipped) or "all have too many mines for the start rule"
        raise ConfigError(f"no board can be solved: {reasons}")
    print_rows(chain([first], rows_found), _COLUMNS, options.style, fields=_FIELDS)
    for reason, names in skipped.items():
        click.echo(f"skipped {names[0]}{f' to {names[-1]}' * (len(names) > 1)}: {reason}", err=True)


def _read_board(text: str) -> tuple[Grid, range]:
    match = _BOARD.fullmatch(text.strip())
    if match is None:
        raise ConfigError(
            f"invalid board {text!r}; expected ROWSxCOLS, ROWSxCOLS/MINES or ROWSxCOLS/FROM-TO, e.g. 5x5/1-4"
        )
    grid = Grid.named(f"{match[1]} {match[4] or ''}")
    most = grid.cells - 1
    first = int(match[2]) if match[2] else min(1, most)
    last = int(match[3]) if match[3] else first if match[2] else most
    if not first <= last <= most:
        raise ConfigError(f"invalid number of mines in {text!r}; expected 0 to {most}")
    return grid, range(first, last + 1)


def _solve(
    grid: Grid,
    mines: int,
    rule: StartRule,
    players: Sequence[Strategy],
    options: OptimalOptions,
    skipped: dict[str, list[str]],
) -> Iterator[dict[str, object]]:
    """Yield the rows of one board and start rule: optimal play, then each strategy; or add the board to `skipped`."""
    own = options.click_on(grid)
    found: list[tuple[Recipe, BestPlay, float]] = []
    for cell in different_cells(grid) if own is None else [own]:
        if rule.room(grid, cell) < mines:
            continue
        before = time.perf_counter()
        try:
            play = best_start(grid, mines, cell, rule, most_states=options.most_states)
        except StrategyError as error:
            skipped.setdefault(str(error), []).append(Preset(grid, mines).name)
            return
        recipe = Recipe(grid, mines, cell, rule, options.seed)
        found.append((recipe, play, time.perf_counter() - before))
    if not found:
        return
    first, best, _ = max(found, key=lambda one: one[1].rate)
    if options.first_click != "all":
        found = [(first, best, sum(seconds for _, _, seconds in found))]
    for recipe, play, seconds in found:
        yield _row(recipe, "optimal", play.wins, play.layouts, best, seconds, play.states, exact=True)
    for player in players:
        cell = own or grid.nearest(player.first_click(grid, mines, rule))
        try:
            recipe = replace(first, click=cell)
        except BoardError:
            click.echo(
                f"skipped {player.name} on {first.name}: too many mines for the {rule} start at {cell}", err=True
            )
        else:
            yield _played(recipe, cell, player, best, options)


def _played(recipe: Recipe, cell: Cell, player: Strategy, best: BestPlay, options: OptimalOptions) -> dict[str, object]:
    """Return the row of one strategy, which plays all layouts or a sample."""
    before = time.perf_counter()
    layouts = start_layouts(recipe.grid, recipe.mines, cell, recipe.rule)
    exact = isinstance(player, NativeStrategy) and len(layouts) <= _EXACT
    puzzles = AllLayouts(recipe.grid, cell, layouts) if exact else recipe
    games = range(len(layouts) if exact else options.games)
    workers = 1 if exact else available_workers()
    wins = sum(game.won for game in play_many(puzzles, games, player, seed=options.seed, workers=workers))
    return _row(recipe, player.name, wins, len(games), best, time.perf_counter() - before, None, exact)


def _row(
    recipe: Recipe, player: str, wins: int, games: int, best: BestPlay, seconds: float, states: int | None, exact: bool
) -> dict[str, object]:
    rate = Interval(wins / games, -inf, inf) if exact else wilson(wins, games)
    return {
        **recipe.to_json(),
        "board": recipe.name,
        "click": recipe.click_name,
        "strategy": player,
        "wins": wins,
        "games": games,
        **rate.percent_columns("win"),
        "gap_percent": round(float(100 * best.rate) - 100 * wins / games, 4),
        "states": states,
        "seconds": round(seconds, 3),
    }
