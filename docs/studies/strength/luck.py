"""Games that a strong player loses to unavoidable guesses, and a bound on the win rate of every player.

A *mine swap* of a board exchanges mines with safe cells so that no clue of a cell that is safe on both boards changes.
Until one of its cells is opened, a player cannot distinguish the two boards, and a cell that is safe on one is a mine
on the other. If a player opens a mine of a swap whose cells are all hidden, the loss was an *unavoidable guess*: no
further clue could have helped, and every player has to guess there. All other losses are other guesses, where further
clues or another choice could have helped. Only mine swaps in small windows are found (see
`generator.screening.mine_swaps`), so the share of unavoidable guesses is a lower bound.

Mine swaps also bound the win rate of every player. All boards that a start rule allows are equally likely. k swaps that
do not touch each other can be made independently. They give 2^k boards that look the same until a cell that differs is
opened, so a deterministic player wins on at most one of them. Let Q(b) be these boards for the swaps that a fixed rule
chooses on board b. Boards with the same Q form a class. All its members are in that Q, so at most one is won, and

    win rate <= mean over boards of 1 / size of the class.

A randomised player is a mixture of deterministic ones, so the bound holds for it, too. The mean is estimated from
random boards and has an interval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import combinations
from typing import Final, TypeVar

import click

from minesweeper.generator.screening import mine_swaps
from minesweeper.player.core.board import HIDDEN, Board, Puzzle
from minesweeper.player.core.recipe import MAX_SEED, Recipe, StartRule, parse_board, standard_presets
from minesweeper.player.parallel.workers import available_workers, map_ranges
from minesweeper.player.play.games import play, play_many
from minesweeper.player.play.replay import Replay
from minesweeper.player.play.stats import mean_interval, wilson
from minesweeper.player.play.strategies import Strategy
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.console.arena import Arena, parse_arena
from minesweeper.scripts.console.options import (
    complete_presets,
    from_decorator,
    option,
    with_options,
    workers_option,
)
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

PRESETS: Final = ("beginner", "intermediate", "expert")

_COLUMNS: Final = columns(
    "board, start, first_click: click, games, win_percent: win %, unavoidable_percent: lost to unavoidable guesses %, "
    "guess_percent: lost to other guesses %, win_percent_low: from, win_percent_high: to, "
    "boards: boards for the bound, bound_percent: win % at most, bound_error: ±"
)
_MOST_SWAPS: Final = 8

_T = TypeVar("_T")
MineSwap = tuple[int, ...]
"""The numbers of the cells of a mine swap, ascending."""


class GameFate(StrEnum):
    """The end of a game."""

    WON = "won"
    UNAVOIDABLE_GUESS = "unavoidable guess"
    OTHER_GUESS = "other guess"


def game_fate(puzzle: Puzzle, strategy: Strategy, seed: int) -> GameFate:
    """Play a game and classify its end."""
    result = play(puzzle, strategy, seed=seed, keep_moves=True)
    if result.won:
        return GameFate.WON
    replay = Replay(puzzle, result.moves)
    hidden = replay.after(len(replay.clicks) - 1).view.cells.ravel() == HIDDEN
    row, col = replay.clicks[-1].cell
    fatal = row * puzzle.board.cols + col
    swaps = (swap for swap in mine_swaps(puzzle) if fatal in swap.mines)
    unavoidable = any(hidden[[*swap.mines, *swap.safe]].all() for swap in swaps)
    return GameFate.UNAVOIDABLE_GUESS if unavoidable else GameFate.OTHER_GUESS


def win_bound(puzzle: Puzzle) -> float:
    """Return 1 / size of the class of a puzzle: the largest share of the class that a player wins."""
    chosen = separate_swaps(puzzle)
    members = 0
    for count in range(len(chosen) + 1):
        for swaps in combinations(sorted(chosen), count):
            members += not swaps or separate_swaps(Puzzle(swapped(puzzle.board, swaps), puzzle.first_click)) == chosen
    return 1 / members


def swapped(board: Board, swaps: Iterable[MineSwap]) -> Board:
    """Return the board after mine swaps."""
    mine_map = board.mine_map.copy()
    for swap in swaps:
        mine_map.ravel()[list(swap)] ^= True
    return Board(mine_map)


def separate_swaps(puzzle: Puzzle) -> frozenset[MineSwap]:
    """Choose mine swaps that do not touch each other, by a rule that depends only on their cells."""
    chosen: list[MineSwap] = []
    for swap in sorted({tuple(sorted(found.mines + found.safe)) for found in mine_swaps(puzzle)}):
        if len(chosen) < _MOST_SWAPS and not any(_touch(swap, other, puzzle.board.cols) for other in chosen):
            chosen.append(swap)
    return frozenset(chosen)


def _touch(one: MineSwap, other: MineSwap, cols: int) -> bool:
    return any(abs(a // cols - b // cols) <= 1 and abs(a % cols - b % cols) <= 1 for a in one for b in other)


def _count_fates(recipe: Recipe, strategy: Strategy, games: range) -> Counter[GameFate]:
    """Count the ends of games; only lost games are played again with their moves."""
    results = play_many(recipe, games, strategy, seed=recipe.seed)
    return Counter(
        GameFate.WON if result.won else game_fate(recipe.puzzle(index), strategy, recipe.seed)
        for index, result in zip(games, results, strict=True)
    )


def _sum_bounds(recipe: Recipe, boards: range) -> tuple[float, float]:
    """Return the sums of `win_bound` and of its square."""
    bounds = [win_bound(recipe.puzzle(index)) for index in boards]
    return sum(bounds), sum(bound * bound for bound in bounds)


@dataclass(frozen=True)
class BoardsOptions:
    """The boards of a study, and the processes that play on them."""

    boards: tuple[str, ...] = option(
        *("--board", "boards"),
        multiple=True,
        default=PRESETS,
        metavar="ROWSxCOLS/MINES|PRESET",
        shell_complete=complete_presets,
        help="Boards; repeatable.",
    )
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Seed of the boards.")
    workers: int | None = from_decorator(workers_option)

    def arenas(self, rules: Iterable[str], first_click: str, games: int) -> list[Arena]:
        """Return the arenas of all boards and start rules. Raises `BoardError`."""
        presets = [parse_board(board, standard_presets()) for board in self.boards]
        return [parse_arena(board, rule, first_click, self.seed, games) for board in presets for rule in rules]

    def map(self, function: Callable[[range], _T], count: int) -> list[_T]:
        """Apply a function to the parts of range(count), in several processes."""
        return [found for _, found in map_ranges(function, range(count), self.workers or available_workers())]


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    boards: BoardsOptions = from_decorator(with_options(BoardsOptions, "boards"))
    start: str = option(type=click.Choice([*map(str, StartRule), "both"]), default="both")
    strategy: str = option(default="champion", metavar="NAME", help="The player.")
    games: int = option(type=click.IntRange(min=1), default=20_000, help="Games on each board.")
    bound_boards: int = option(type=click.IntRange(min=2), default=200_000, help="Random boards for the bound.")
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/strength/luck.py --board expert --games 2000")
@with_options(Options)
def main(options: Options) -> None:
    """Count the games that a strategy loses to unavoidable guesses, and bound the win rate of every player.

    A loss is an unavoidable guess if the opened mine could be exchanged with hidden safe cells without changing any
    clue. The bound holds for every player.
    """
    strategy = load_strategy(options.strategy)
    rules = [rule for rule in StartRule if options.start in (rule, "both")]
    arenas = options.boards.arenas(rules, "strategy", options.games)
    print_rows((_row(arena, strategy, options) for arena in arenas), _COLUMNS, options.style)


def _row(arena: Arena, strategy: Strategy, options: Options) -> dict[str, object]:
    recipe = arena.recipe(strategy)
    counts = options.boards.map(partial(_count_fates, recipe, strategy), options.games)
    fates: Counter[GameFate] = sum(counts, Counter())
    sums = options.boards.map(partial(_sum_bounds, recipe), options.bound_boards)
    total, squares = map(sum, zip(*sums, strict=True))
    mean = total / options.bound_boards
    deviation = math.sqrt(max(squares - total * mean, 0) / (options.bound_boards - 1))
    return {
        "board": recipe.name,
        "start": recipe.rule,
        "first_click": "random" if recipe.click is None else "{},{}".format(*recipe.click),
        "games": options.games,
        **wilson(fates[GameFate.WON], options.games).percent_columns("win", 2),
        "unavoidable_percent": round(100 * fates[GameFate.UNAVOIDABLE_GUESS] / options.games, 2),
        "guess_percent": round(100 * fates[GameFate.OTHER_GUESS] / options.games, 2),
        "boards": options.bound_boards,
        "bound_percent": round(100 * mean, 2),
        "bound_error": round(100 * mean_interval(mean, deviation, options.bound_boards).margin, 2),
    }


if __name__ == "__main__":
    main()
