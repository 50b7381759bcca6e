"""CPU time of smallest reasons, for every known cell of many positions of random games."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from minesweeper.player.board import View
from minesweeper.player.game import Game, StartRule, Status
from minesweeper.player.logic import closure
from minesweeper.player.recipe import Recipe
from minesweeper.player.why.reasons import Reason, reason
from minesweeper.scripts.terminal import Command, columns, output_options, print_rows

_COLUMNS = columns(
    "reasons, cells, median: median ms, p99: 99% ms, worst: worst ms, most_clues: most clues, smallest: proven smallest"
)


@dataclass(frozen=True)
class Timing:
    """A reason and the CPU seconds that it took."""

    reason: Reason
    seconds: float


def positions(recipe: Recipe, games: int) -> Iterator[View]:
    """Yield a quarter of the positions of games in which logic opens half of the safe cells at a time.

    Where logic finds no safe cell, open a random one that is no mine.
    """
    random = np.random.default_rng(recipe.seed)
    for index in range(games):
        puzzle = recipe.puzzle(index)
        game = Game(puzzle.board)
        game.open(puzzle.first_click)
        while game.status is Status.PLAYING:
            view = game.view
            if random.random() < 0.25:
                yield view
            safe = np.argwhere(closure(view).safe_map)
            if not len(safe):
                hidden = np.argwhere((view.cells < 0) & ~puzzle.board.mine_map)
                safe = hidden[random.integers(len(hidden))][None]
            for row, col in safe[: (len(safe) + 1) // 2].tolist():
                game.open((row, col))


def summary(name: str, timings: list[Timing]) -> dict[str, object]:
    """Return the row of the table for timings, in milliseconds."""
    seconds = np.array([timing.seconds for timing in timings])
    return {
        "reasons": name,
        "cells": len(timings),
        "median": 1e3 * float(np.median(seconds)),
        "p99": 1e3 * float(np.quantile(seconds, 0.99)),
        "worst": 1e3 * float(seconds.max()),
        "most_clues": max(len(timing.reason.clues) for timing in timings),
        "smallest": f"{np.mean([timing.reason.smallest for timing in timings]):.2%}",
    }


@click.command(cls=Command, epilog="Example: python scripts/dev/bench_reasons.py --games 50")
@click.option("--games", type=click.IntRange(min=1), default=20, show_default=True, help="Random expert games.")
@click.option("--seed", type=click.IntRange(min=0), default=5, show_default=True, help="Seed of the games.")
@output_options
def main(games: int, seed: int, style: Any) -> None:
    """Time smallest reasons in random expert games, in milliseconds per known cell."""
    timings = []
    for view in positions(Recipe(16, 30, 99, (8, 15), StartRule.OPENING, seed), games):
        known = closure(view)
        for row, col in np.argwhere(known.safe_map | known.mine_map).tolist():
            began = time.process_time()
            found = reason(view, (row, col))
            timings.append(Timing(found, time.process_time() - began))
    kinds = {"all": timings} | {
        name: [timing for timing in timings if timing.reason.tier == tier]
        for tier, name in enumerate(("one clue", "two clues", "more clues", "mine count"), 1)
    }
    print_rows([summary(name, group) for name, group in kinds.items() if group], _COLUMNS, style)


if __name__ == "__main__":
    main()
