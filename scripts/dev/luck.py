"""What a strong player loses to luck alone, and how often any player can win at most.

Two boards can't be told apart if they differ by an *exchange*: mines and safe cells that trade places and change no
clue of a cell that is safe in both. Until one of its cells is opened, whatever else was opened shows the same on both;
and what is safe on one of them is a mine on the other. So a player who opens a mine of an exchange, all of whose cells
were hidden, has lost a toss of a coin that nothing could have told and that every player has to make. Other losses are
those of guesses at which something was left to learn, by cells elsewhere or by another choice. The exchanges looked for
are those of small windows (`player.kernel_api.mine_swaps`): larger ones are counted with the other guesses, so the
share is a lower bound.

The same gives a bound for everybody. All boards that a start rule allows are equally likely. Exchanges of which no cell
touches a cell of another can be made or not, each on its own: k of them make 2^k boards of which no two can be told
apart until one that differs is opened, so a player that leaves nothing to chance wins on at most one of them. Let Q(b)
be these boards for the exchanges that a fixed rule chooses on b. Boards with the same Q form a class; all its members
lie in that Q, so at most one of the class is won, and

    chance to win <= mean over boards of 1 / size of its class.

A player that rolls dice is a mixture of players that do not, so the bound holds for it too. It is a mean over random
boards, so it comes with an interval.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import combinations
from typing import Final

import click

from minesweeper.player import kernel_api
from minesweeper.player.board import HIDDEN, Board, Puzzle, board_name
from minesweeper.player.game import StartRule
from minesweeper.player.play.games import play, play_many
from minesweeper.player.play.replay import Replay
from minesweeper.player.recipe import MAX_SEED, Recipe
from minesweeper.player.stats import mean_interval, wilson
from minesweeper.player.strategies import Strategy, load_strategy
from minesweeper.player.words import parse_board, standard_presets
from minesweeper.player.workers import available_workers, map_ranges
from minesweeper.scripts.arena import Arena, parse_arena
from minesweeper.scripts.options import (
    complete_presets,
    from_decorator,
    option,
    with_options,
    workers_option,
)
from minesweeper.scripts.terminal import Command, TableStyle, columns, output_options, print_rows

PRESETS: Final = ("beginner", "intermediate", "expert")

_COLUMNS: Final = columns(
    "board, start, first_click: click, games, win_percent: win %, coin_percent: lost to coins %, "
    "guess_percent: lost to other guesses %, win_percent_low: from, win_percent_high: to, boards: of so many boards, "
    "bound_percent: anybody wins at most %, bound_error: ±"
)


Coin = tuple[int, ...]
"""The cells of an exchange, by number, ascending."""

_MOST_COINS: Final = 8


class Fate(StrEnum):
    """How a game ended."""

    WON = "won"
    COIN = "coin"
    GUESS = "guess"


def fate(puzzle: Puzzle, strategy: Strategy, seed: int) -> Fate:
    """Play a game, and say whether it was lost to a coin that nothing could have told."""
    result = play(puzzle, strategy, seed=seed, keep_moves=True)
    if result.won:
        return Fate.WON
    replay = Replay(puzzle, result.moves)
    hidden = replay.after(len(replay.clicks) - 1).view.cells.ravel() == HIDDEN
    row, col = replay.clicks[-1].cell
    fatal = row * puzzle.board.cols + col
    coins = (found for found in kernel_api.mine_swaps(puzzle) if fatal in found.mines)
    return Fate.COIN if any(hidden[[*coin.mines, *coin.safe]].all() for coin in coins) else Fate.GUESS


def hope(puzzle: Puzzle) -> float:
    """One by the size of the class of a puzzle: the share of its boards that a player may win at most."""
    chosen = separate_coins(puzzle)
    alike = 0
    for count in range(len(chosen) + 1):
        for made in combinations(sorted(chosen), count):
            mine_map = puzzle.board.mine_map.copy()
            for coin in made:
                mine_map.ravel()[list(coin)] ^= True
            alike += not made or separate_coins(Puzzle(Board(mine_map), puzzle.first_click)) == chosen
    return 1 / alike


def separate_coins(puzzle: Puzzle) -> frozenset[Coin]:
    """Choose exchanges that don't touch each other, by a rule that asks for nothing but their cells."""
    chosen: list[Coin] = []
    for coin in sorted({tuple(sorted(found.mines + found.safe)) for found in kernel_api.mine_swaps(puzzle)}):
        if len(chosen) < _MOST_COINS and not any(_touch(coin, other, puzzle.board.cols) for other in chosen):
            chosen.append(coin)
    return frozenset(chosen)


def _touch(one: Coin, other: Coin, cols: int) -> bool:
    return any(abs(a // cols - b // cols) <= 1 and abs(a % cols - b % cols) <= 1 for a in one for b in other)


def _lost(recipe: Recipe, strategy: Strategy, games: range) -> Counter[Fate]:
    """Count the fates of games; those that are won are not played a second time, with all their moves."""
    results = play_many(recipe, games, strategy, seed=recipe.seed)
    return Counter(
        Fate.WON if result.won else fate(recipe.puzzle(index), strategy, recipe.seed)
        for index, result in zip(games, results, strict=True)
    )


def _hope(recipe: Recipe, boards: range) -> tuple[float, float]:
    """The sum over boards of the share that may be won, and of its squares."""
    shares = [hope(recipe.puzzle(index)) for index in boards]
    return sum(shares), sum(share * share for share in shares)


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    boards: tuple[str, ...] = option(
        *("--board", "boards"),
        multiple=True,
        metavar="ROWSxCOLS/MINES|PRESET",
        shell_complete=complete_presets,
        help="Repeatable. [default: beginner, intermediate, expert]",
    )
    start: str = option(type=click.Choice([*map(str, StartRule), "both"]), default="both")
    strategy: str = option(default="champion", metavar="NAME", help="Who plays.")
    games: int = option(type=click.IntRange(min=1), default=20_000, help="Games on each board.")
    bound_boards: int = option(type=click.IntRange(min=2), default=200_000, help="Random boards for the bound.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Fixes the boards.")
    workers: int | None = from_decorator(workers_option)
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python scripts/dev/luck.py --board expert --games 2000")
@with_options(Options)
def main(options: Options) -> None:
    """Count what a strategy loses to coins that nothing could tell, and bound what any player can win.

    A game is lost to a coin if the mine that was opened could trade places with safe cells, all still hidden, without a
    change of any clue. The bound holds for every player, whatever it knows and however it plays.
    """
    strategy = load_strategy(options.strategy)
    rules = [rule for rule in StartRule if options.start in (rule, "both")]
    arenas = [
        parse_arena(parse_board(board, standard_presets()), rule, "strategy", options.seed, options.games)
        for board in options.boards or PRESETS
        for rule in rules
    ]
    print_rows((_row(arena, strategy, options) for arena in arenas), _COLUMNS, options.style)


def _row(arena: Arena, strategy: Strategy, options: Options) -> dict[str, object]:
    recipe = arena.recipe(strategy)
    workers = options.workers or available_workers()
    fates: Counter[Fate] = Counter()
    for _, counted in map_ranges(partial(_lost, recipe, strategy), range(options.games), workers):
        fates += counted
    total = squares = 0.0
    for _, (sum_, square) in map_ranges(partial(_hope, recipe), range(options.bound_boards), workers):
        total += sum_
        squares += square
    mean = total / options.bound_boards
    deviation = math.sqrt(max(squares - total * mean, 0) / (options.bound_boards - 1))
    return {
        "board": board_name(recipe.rows, recipe.cols, recipe.mines),
        "start": recipe.rule,
        "first_click": "random" if recipe.click is None else "{},{}".format(*recipe.click),
        "games": options.games,
        **wilson(fates[Fate.WON], options.games).percent_columns("win", 2),
        "coin_percent": round(100 * fates[Fate.COIN] / options.games, 2),
        "guess_percent": round(100 * fates[Fate.GUESS] / options.games, 2),
        "boards": options.bound_boards,
        "bound_percent": round(100 * mean, 2),
        "bound_error": round(100 * mean_interval(mean, deviation, options.bound_boards).margin, 2),
    }


if __name__ == "__main__":
    main()
