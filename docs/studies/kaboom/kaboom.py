"""The number of forced guesses in a game of Kaboom, by preset, rules and player.

Every player opens all cells that are proven safe. Where none is, `champion` and `safest` open the granted cell that
they rate best, or the safest one if they rate none of them, and `any` opens each granted cell with equal probability.
Kaboom grants every forced guess, so all games are won.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean, quantiles, stdev
from typing import Final

import click

from minesweeper.player.core.board import cells_of
from minesweeper.player.core.game import Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.recipe import StartRule, standard_presets
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.parallel.workers import available_workers, map_ranges
from minesweeper.player.play.kaboom import MODES, Kaboom, Rules
from minesweeper.player.play.stats import mean_interval
from minesweeper.player.play.strategies import usual_first_click
from minesweeper.player.play.strategies.kernel_strategies import rate
from minesweeper.scripts.console.options import from_decorator, option, with_options, workers_option
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

PLAYERS: Final = ("champion", "safest", "any")
_DECILES: Final = 10
_COLUMNS: Final = columns(
    "preset, mode, player, games, guesses, guesses_low: from, guesses_high: to, "
    "tenth: 10% need at most, median, nine_tenths: 90% need at most, none_percent: without a guess %"
)


def count_guesses(preset: str, mode: str, player: str, games: range) -> list[int]:
    """Play games with these seeds to their end, and return the number of forced guesses in each."""
    return [_guesses(preset, mode, player, seed) for seed in games]


def _guesses(preset: str, mode: str, player: str, seed: int) -> int:
    board = standard_presets()[preset]
    game = Kaboom(board.grid, board.mines, rules=Rules(opening_start=True, mode=mode), seed=seed)  # type: ignore[arg-type]
    game.click(usual_first_click(board.grid, StartRule.OPENING))
    random = Random(seed)
    guesses = 0
    while game.status is Status.PLAYING:
        safe = cells_of(game.safe_map)
        guesses += not safe
        game.click(safe[0] if safe else _choose(game, player, random))
    return guesses


def _choose(game: Kaboom, player: str, random: Random) -> Cell:
    granted = cells_of(game.guessable)
    if player == "any":
        return random.choice(granted)
    rated = [one.cell for one in rate(game.view, game.mine_map, player)]
    best = next((cell for cell in rated if cell in granted), None)
    if best is not None:
        return best
    chances = probabilities(game.view).chances
    return min(granted, key=lambda cell: float(chances[cell]))


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    presets: tuple[str, ...] = option(
        *("--preset", "presets"),
        multiple=True,
        type=click.Choice(list(standard_presets())),
        default=("beginner", "intermediate", "expert"),
        help="Repeatable.",
    )
    games: int = option(type=click.IntRange(min=2), default=1000, show_default=True, help="Games of each row.")
    workers: int | None = from_decorator(workers_option)
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/kaboom/kaboom.py --preset beginner --games 200")
@with_options(Options)
def main(options: Options) -> None:
    """Count the forced guesses of games of Kaboom, with an opening start and guesses at the boundary only."""
    print_rows(_rows(options), _COLUMNS, options.style)


def _rows(options: Options) -> Iterator[dict[str, object]]:
    for preset in options.presets:
        for mode in MODES:
            for player in PLAYERS:
                work = partial(count_guesses, preset, mode, player)
                pieces = map_ranges(work, range(options.games), options.workers or available_workers())
                guesses = [one for _, piece in pieces for one in piece]
                found = mean_interval(fmean(guesses), stdev(guesses), len(guesses))
                deciles = quantiles(guesses, n=_DECILES, method="inclusive")
                yield {
                    "preset": preset,
                    "mode": mode,
                    "player": player,
                    "games": len(guesses),
                    "guesses": round(found.value, 2),
                    "guesses_low": round(found.low, 2),
                    "guesses_high": round(found.high, 2),
                    "tenth": round(deciles[0]),
                    "median": round(deciles[4]),
                    "nine_tenths": round(deciles[8]),
                    "none_percent": round(100 * guesses.count(0) / len(guesses), 1),
                }


if __name__ == "__main__":
    main()
