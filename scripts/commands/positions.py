"""The command `minesweeper positions`: the positions of many games with exact labels, as Parquet files.

The rows of a file depend only on the options and its range of games, and a file appears as a whole. So an interrupted
run continues with the files that are missing, and its result does not depend on the number of workers.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.db.formats.parquet import pyarrow
from minesweeper.db.formats.target import atomic_write
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.logic.bulk import Positions, When, positions
from minesweeper.player.parallel.workers import available_workers, interruptible, map_ranges
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.arena import ArenaOptions, Entrant
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import INTERRUPTED, Command, progress_bar

if TYPE_CHECKING:
    from minesweeper.player.core.recipe import Recipe

_GAMES_AT_A_TIME: Final = 50  # all moves of 50 expert games take 60 MB
_KEY: Final = b"minesweeper"


@dataclass(frozen=True)
class PositionsOptions(ArenaOptions):
    """The arguments and options of the command."""

    out: Path = option(
        type=click.Path(file_okay=False, path_type=Path), metavar="DIR", required=True, help="The folder of the files."
    )
    games: int = option(type=click.IntRange(min=1), default=1000, help="Number of games.")
    every_move: bool = option(is_flag=True, help="Write the positions before all moves, not only before guesses.")
    strategy: str = option(default="safest", help="The strategy of the native engine that guesses.")
    games_per_file: int = option(type=click.IntRange(min=1), default=1000, help="Games in each file.")
    workers: int | None = from_decorator(common.workers_option)


@dataclass(frozen=True)
class _Dataset:
    """The files of a folder, each with the positions of `games_per_file` games."""

    folder: Path
    recipe: Recipe
    when: When
    entrant: Entrant
    games: int
    games_per_file: int

    @property
    def key(self) -> dict[str, Any]:
        """The arguments that determine the rows, which every file has in its metadata."""
        choices = {"when": self.when, "strategy": self.entrant.name, "games_per_file": self.games_per_file}
        return {**self.recipe.to_json(), **choices}

    def games_of(self, number: int) -> range:
        first = number * self.games_per_file
        return range(first, min(self.games, first + self.games_per_file))

    def check(self) -> None:
        """Raise `FormatError` unless all files that exist are of these options."""
        for path in self.folder.glob("games-*.parquet"):
            self._games_in(path)

    def write(self, numbers: range) -> int:
        """Write the files with these numbers that are missing or lack games, and return their number of rows."""
        rows = 0
        for number in numbers:
            games = self.games_of(number)
            path = self.folder / f"games-{games.start:09}.parquet"
            try:
                if self._games_in(path) < len(games):
                    rows += self._write(path, games)
            except OSError as error:
                # Arrow's own message is long and names no file.
                raise OSError(error.errno, os.strerror(error.errno or errno.EIO), str(path)) from error
        return rows

    def _games_in(self, path: Path) -> int:
        """Return the number of games in a file. Raises `FormatError` for a file of other options."""
        if not path.exists():
            return 0
        arrow, files = pyarrow()
        try:
            with path.open("rb") as stream:
                found = json.loads((files.read_schema(stream).metadata or {})[_KEY])
            games = int(found.pop("games"))
        except (arrow.ArrowException, ValueError, KeyError):
            raise FormatError(f"{path} is damaged or of another program; expected positions; delete it") from None
        if found != self.key:
            raise FormatError(f"{path} has positions of other options; expected the same options, or a new folder")
        return games

    def _write(self, path: Path, games: range) -> int:
        rows = 0
        with atomic_write(path) as (_, stream), ExitStack() as stack:
            writer = None
            for start in range(games.start, games.stop, _GAMES_AT_A_TIME):
                some = range(start, min(games.stop, start + _GAMES_AT_A_TIME))
                found = positions(self.recipe, some, when=self.when, strategy=self.entrant.strategy.name)
                table = _table(found, {**self.key, "games": len(games)})
                if writer is None:
                    options = {"compression": "zstd", "use_dictionary": False}
                    writer = stack.enter_context(pyarrow()[1].ParquetWriter(stream, table.schema, **options))
                writer.write_table(table)
                rows += len(found)
        return rows


@click.command(
    cls=Command,
    short_help="Write the positions of many games as Parquet.",
    epilog="Example: minesweeper positions --out guesses/ --board expert --games 10000",
)
@with_options(PositionsOptions)
def main(options: PositionsOptions) -> None:
    """Write the positions of many games to Parquet files in the folder --out, with exact labels.

    Every position has the view, the probability of a mine in each cell, the cells that logic decides, the next move and
    the result of the game. The default boards are those of the preset expert. The same options give the same rows.
    Running the same command again continues it, also with more --games. Needs the extra parquet.
    """
    pyarrow()
    when: When = "every move" if options.every_move else "guess"
    entrant = Entrant.of_kernel(options.strategy, "--strategy")
    recipe = options.arena(options.games).recipe(entrant.strategy)
    dataset = _Dataset(options.out, recipe, when, entrant, options.games, options.games_per_file)
    options.out.mkdir(exist_ok=True)
    dataset.check()
    numbers = range(-(-options.games // options.games_per_file))
    rows, games = 0, 0
    with interruptible() as stop, progress_bar(" games", options.games) as bar:
        work = map_ranges(dataset.write, numbers, min(options.workers or available_workers(), len(numbers)), stop=stop)
        with closing(work) as written:
            for files, count in written:
                rows += count
                games = dataset.games_of(files[-1]).stop
                bar.update(games - bar.n)
    click.echo(
        f"{dataset.recipe.title}, seed {dataset.recipe.seed}: {counted(rows, 'position')} written, "
        f"{games} of {counted(options.games, 'game')} in {options.out}"
    )
    if games < options.games:
        click.echo("interrupted; the same command continues")
        sys.exit(INTERRUPTED)


def _table(found: Positions, key: Mapping[str, Any]) -> Any:
    """Return an Arrow table with a column for each array; a row has the elements of one position as a list."""
    arrow, _ = pyarrow()
    columns = {}
    for name in (
        *(field.name for field in fields(Positions) if field.name not in ("grid", "mine_range")),
        "tier",
        "safety",
    ):
        array = getattr(found, name)
        columns[name] = arrow.array(array.ravel())
        if array.ndim > 1:
            columns[name] = arrow.FixedSizeListArray.from_arrays(columns[name], math.prod(array.shape[1:]))
    return arrow.table(columns, metadata={_KEY: json.dumps(key)})
