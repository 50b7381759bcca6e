"""Clicks per 3BV of won games, by strategy, with win rates.

Opening, setting a flag and a chord are one click each, as the community counts. A strategy that only names cells to
open takes a click for each, without flags. The table also has both ZiNi of the same boards, which use knowledge of all
mines. The interval is that of a ratio of sums over independent games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Final, NamedTuple

import click
from luck import BoardsOptions

from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.logic.metrics import metrics
from minesweeper.player.play.games import play
from minesweeper.player.play.stats import mean_interval, wilson
from minesweeper.player.play.strategies import Strategy
from minesweeper.player.play.strategies.efficient import Efficient
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.console.arena import DEFAULT_CLICK
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

_COLUMNS: Final = columns(
    "board, strategy, games, win_percent: win %, win_percent_low: from, win_percent_high: to, "
    "clicks_per_bbbv: clicks per 3BV, error: ±, efficiency_percent: efficiency %, zini_per_bbbv: ZiNi per 3BV, "
    "human_zini_per_bbbv: human ZiNi per 3BV"
)


class Won(NamedTuple):
    """The clicks of a won game, and the metrics of its board."""

    clicks: int
    bbbv: int
    zini: int
    human_zini: int


def won_games(recipe: Recipe, strategy: Strategy, games: range) -> list[Won]:
    """Play games and return measures of the won ones."""
    found = []
    for index in games:
        puzzle = recipe.puzzle(index)
        result = play(puzzle, strategy, seed=recipe.seed, keep_moves=True)
        if result.won:
            one_by_one = sum(len(move.cells) for move in result.moves)
            board = metrics(puzzle.board)
            clicks = 1 + len(strategy.clicks) if isinstance(strategy, Efficient) else one_by_one
            found.append(Won(clicks, board.bbbv, board.greedy_zini, board.human_zini))
    return found


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    boards: BoardsOptions = from_decorator(with_options(BoardsOptions, "boards"))
    start: str = option(type=click.Choice([*map(str, StartRule)]), default=str(StartRule.OPENING), show_default=True)
    strategies: tuple[str, ...] = option(
        *("--strategy", "strategies"),
        multiple=True,
        default=("champion", "efficient"),
        metavar="NAME",
        help="Repeatable.",
    )
    games: int = option(type=click.IntRange(min=1), default=1000, show_default=True, help="Games on each board.")
    style: TableStyle = from_decorator(output_options)


@click.command(
    cls=Command, epilog="Example: python docs/studies/strength/efficiency.py --board intermediate --games 200"
)
@with_options(Options)
def main(options: Options) -> None:
    """Compare the clicks per 3BV of won games between strategies, on the same boards.

    `efficient` uses flags and chords; other strategies take a click for each cell that they name.
    """
    strategies = {name: load_strategy(name) for name in options.strategies}
    rows = (
        _row(arena.recipe(strategy), name, strategy, options)
        for arena in options.boards.arenas([options.start], DEFAULT_CLICK, options.games)
        for name, strategy in strategies.items()
    )
    print_rows(rows, _COLUMNS, options.style)


def _row(recipe: Recipe, name: str, strategy: Strategy, options: Options) -> dict[str, object]:
    won = [one for some in options.boards.map(partial(won_games, recipe, strategy), options.games) for one in some]
    return {
        "board": recipe.name,
        "strategy": name,
        "games": options.games,
        **wilson(len(won), options.games).percent_columns("win", 2),
        **_clicks(won),
    }


def _clicks(won: Sequence[Won]) -> dict[str, object]:
    if not won:
        return dict.fromkeys(("clicks_per_bbbv", "error", "efficiency_percent", "zini_per_bbbv", "human_zini_per_bbbv"))
    clicks, bbbv, zini, human_zini = map(sum, zip(*won, strict=True))
    ratio = clicks / bbbv
    # Variance of a ratio of sums (Cochran, Sampling Techniques, 1977, 2.11).
    squares = sum((one.clicks - ratio * one.bbbv) ** 2 for one in won)
    deviation = sqrt(squares / max(len(won) - 1, 1)) / (bbbv / len(won))
    margin = mean_interval(ratio, deviation, len(won)).margin
    return {
        "clicks_per_bbbv": round(ratio, 3),
        "error": round(margin, 3) if len(won) > 1 else None,
        "efficiency_percent": round(100 * bbbv / clicks, 1),
        "zini_per_bbbv": round(zini / bbbv, 3),
        "human_zini_per_bbbv": round(human_zini / bbbv, 3),
    }


if __name__ == "__main__":
    main()
