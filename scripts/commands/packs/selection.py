"""Options that select puzzles, shared by the `packs` commands."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import click

from minesweeper.db.formats.format import Readable
from minesweeper.db.parts import PuzzleFolder, open_puzzles
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Filters, Store, skip_damaged
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.errors import counted
from minesweeper.player.core.grid import KINDS, RECTANGLE, Grid
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.paper import Generosity
from minesweeper.scripts.console.options import START_RULES, drawn_seed, option, with_options, words


@dataclass(frozen=True)
class Selection:
    """The options that select puzzles: those that match all conditions, at most `limit` of them."""

    size: Grid | None = option(
        metavar="ROWSxCOLS",
        callback=lambda _context, _parameter, text: text and Grid.named(text),
        help="Only boards of this size, rectangles unless a grid follows.",
    )
    grid: str | None = option(
        type=words([RECTANGLE, *filter(None, KINDS)]),
        metavar="NAME",
        help="Only boards of this grid without holes: rectangle, torus and so on, of any size.",
    )
    mines: int | None = option(type=click.IntRange(min=0), help="Only boards with this many mines.")
    start: str | None = option(type=START_RULES, help="Only puzzles made with this start rule.")
    tier: str | None = option(
        type=words([tier.title for tier in Tier]), help="Only puzzles whose hardest step is of this tier."
    )
    difficulty: str | None = option(type=words(WORDS), help="Only puzzles of this difficulty for their size.")
    paper_tier: str | None = option(
        type=words([tier.title for tier in Tier if tier != Tier.MINE_COUNT]),
        help="Only puzzles whose paper form needs this tier, apart from the mine count.",
    )
    run: int | None = option(type=click.IntRange(min=1), help="Only puzzles of this run.")
    where: str | None = option(metavar="SQL", help='Only puzzles for which this is true, e.g. "steps_2_clues > 20".')
    sort: Sequence[str] = option(
        metavar="COLUMN,...",
        callback=lambda _context, _parameter, text: [name.strip() for name in text.split(",")] if text else [],
        help="Sorted by these columns, e.g. paper_score, or -bbbv for high values first.",
    )
    clues: Generosity | None = option(
        metavar="minimal|N|easy",
        callback=lambda _context, _parameter, text: int(text) if text and text.isdecimal() else text,
        help="Clues of the paper form: none to spare, the default; N to spare; or enough for easy logic. They are for "
        "formats that print it and for the columns paper_tier, paper_cells and paper_score.",
    )
    limit: int | None = option(type=click.IntRange(min=1), help="At most this many.")
    shuffled: bool = option(
        "--random", "shuffled", is_flag=True, help="In random order; with --limit, a random sample."
    )
    seed: int | None = option(type=int, metavar="N", help="Determines the random order.")

    def __post_init__(self) -> None:
        if self.seed is not None and not self.shuffled:
            raise click.UsageError("--seed without --random; add --random")
        if self.size is not None and self.grid is not None and self.size.label not in ("", self.grid):
            raise click.UsageError(f"--grid {self.grid} with --size {self.size.name}; expected one grid")

    @property
    def filters(self) -> Filters:
        """The conditions as arguments of `Store.puzzles`."""
        others = Filters(start=self.start, run=self.run, tier=self.tier, difficulty=self.difficulty, where=self.where)
        return {**self._board, **others, "paper_tier": self.paper_tier, "clues": self.clues}

    @property
    def _board(self) -> Filters:
        label = None if self.grid is None else self.grid.removeprefix(RECTANGLE)
        if self.size is None:
            return Filters(grid=label, mines=self.mines)
        rows, cols = self.size.shape
        return Filters(rows=rows, cols=cols, grid=self.size.label or label or "", mines=self.mines)

    def puzzles(
        self, store: Store | PuzzleFolder, *, tabular: bool = False, **settings: Any
    ) -> Generator[Any, None, None]:
        """Yield them from a database or a folder of parts; `settings` are further arguments of its `puzzles`.

        With `tabular`, those of a database are tables.
        """
        seed = drawn_seed() if self.shuffled and self.seed is None else self.seed
        find = store.tables if tabular and isinstance(store, Store) else store.puzzles
        return find(limit=self.limit, shuffle_seed=seed, sort=self.sort, **self.filters, **settings)

    def in_files(self, found: Iterable[tuple[str, Readable]]) -> Iterator[tuple[str, Readable]]:
        """Yield the puzzles and boards of files that match. Raise `click.UsageError` for other conditions."""
        for name in ("start", "tier", "difficulty", "paper_tier", "run", "where", "sort", "shuffled"):
            if getattr(self, name):
                flag = name.replace("shuffled", "random").replace("_", "-")
                raise click.UsageError(
                    f"--{flag} with files; expected --size, --grid, --mines, --limit or packs import"
                )
        wanted = {name: value for name, value in self._board.items() if value is not None}
        matching = (one for one in found if wanted.items() <= _board_values(one[1]).items())
        return islice(matching, self.limit)


def _board_values(found: Readable) -> dict[str, object]:
    board = found.puzzle.board if isinstance(found, PuzzleRecord) else found
    return {"rows": board.rows, "cols": board.cols, "grid": board.grid.label, "mines": board.mines}


@contextmanager
def selected(
    db: str, selection: Selection, *, tabular: bool = False
) -> Iterator[tuple[Store | PuzzleFolder, Iterator[Any]]]:
    """Open a database or a folder of parts with its selected puzzles; exit with 1 at the end if any was skipped."""
    skipped = False

    def skip(name: str, error: ValueError) -> None:
        nonlocal skipped
        skipped = True
        skip_damaged(name, error)

    # An open query of a store that closes would leave files beside the database.
    with open_puzzles(db) as store, closing(selection.puzzles(store, tabular=tabular, on_bad=skip)) as found:
        yield store, found
    if skipped:
        sys.exit(1)


def why_none(store: Store | PuzzleFolder, place: str) -> str:
    """Return why no puzzle of a database or folder `place` was selected: none is stored, or none matches."""
    if stored := store.count():
        return f"no match among {counted(stored, 'puzzle')} in {place}; packs stats shows the values that occur"
    return f"no puzzles in {place}; generate and packs import add some"


def no_games(place: str, games: str = "games", command: str = "autoplay") -> str:
    """Return that a database `place` has no games of a kind, and the command that records some."""
    return f"no {games} in {place}; {command} --db {place} records some"


selection_options = with_options(Selection, "selection", group="Selection")
