"""Options that select puzzles, shared by the `packs` commands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import click

from minesweeper.db.parts import PuzzleFolder
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Filters, Store
from minesweeper.player.board import parse_size
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.steps import Tier
from minesweeper.scripts.options import START_RULES, drawn_seed

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Selection:
    """The puzzles that match `filters`, at most `limit` of them, in random order if there is a seed."""

    filters: Filters
    limit: int | None = None
    shuffle_seed: int | None = None

    def puzzles(self, store: Store | PuzzleFolder, **settings: Any) -> Iterator[PuzzleRecord]:
        """Yield them from a database or a folder of parts; `settings` are further arguments of its `puzzles`."""
        return store.puzzles(limit=self.limit, shuffle_seed=self.shuffle_seed, **self.filters, **settings)


_OPTIONS: Final = (
    click.option("--size", metavar="ROWSxCOLS", help="Only boards of this size."),
    click.option("--mines", type=click.IntRange(min=0), metavar="N", help="Only boards with this many mines."),
    click.option("--start", type=START_RULES, help="Only puzzles made with this start rule."),
    click.option(
        "--tier",
        type=click.Choice([tier.title for tier in Tier]),
        help="Only puzzles whose hardest step is of this tier.",
    ),
    click.option(
        "--difficulty", type=click.Choice(list(WORDS)), help="Only puzzles of this difficulty for their size."
    ),
    click.option("--run", type=click.IntRange(min=1), metavar="N", help="Only puzzles of this run."),
    click.option("--where", metavar="SQL", help='Only puzzles for which this is true, e.g. "steps_2_clues > 20".'),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most this many."),
    click.option("--random", "shuffled", is_flag=True, help="In random order; with --limit, a random sample."),
    click.option("--seed", type=int, metavar="N", help="Determines the random order."),
)


def selection_options(function: _F) -> _F:
    """Add the options that select puzzles, given to the command as `selection`."""

    @functools.wraps(function)
    def command(**options: Any) -> Any:
        size, start = options.pop("size"), options.pop("start")
        rows, cols = (None, None) if size is None else parse_size(size)
        names = ("mines", "tier", "difficulty", "run", "where")
        filters = Filters(rows=rows, cols=cols, rule=start, **{name: options.pop(name) for name in names})  # type: ignore[typeddict-item]
        limit, shuffled, seed = (options.pop(name) for name in ("limit", "shuffled", "seed"))
        if seed is not None and not shuffled:
            raise click.UsageError("--seed without --random; add --random")
        if shuffled and seed is None:
            seed = drawn_seed()
        return function(selection=Selection(filters, limit, seed), **options)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command  # type: ignore[return-value]
