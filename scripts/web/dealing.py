"""Where boards come from: chance, the date, the database, and share links."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import date as Date
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Final

from minesweeper.db.file import DatabaseError
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.generator.filters import PuzzleFilter
from minesweeper.generator.repair import repair
from minesweeper.generator.screening import Kept, screen_range
from minesweeper.player.board import Board, Cell, Puzzle, board_name, parse_size
from minesweeper.player.game import StartRule
from minesweeper.player.kaboom.game import MODES, Rules
from minesweeper.player.recipe import MAX_SEED, Recipe
from minesweeper.player.words import Preset, standard_presets
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE, Kind, Refusal, fits, sizes_among

_CANDIDATES_AT_A_TIME: Final = 500
_CANDIDATES: Final = 20_000
"""After so many boards that logic does not solve, boards are mended instead."""

_KABOOM: Final = re.compile(r"kaboom-(\d+)x(\d+)-(\d+)-([01])([01])([01])-([a-z]+)", re.ASCII)


@lru_cache
def presets() -> dict[str, Preset]:
    """The standard presets that fit the page."""
    return sizes_among(standard_presets())


def check_fits(rows: int, cols: int) -> None:
    """Raise `Refusal` for a board larger than the page takes."""
    if not fits(Preset(rows, cols, 0)):
        raise Refusal(
            Kind.BAD_INPUT,
            f"Boards here have sides of 1 to {MAX_SIDE} and at most {MAX_CELLS} cells, not {rows}x{cols}.",
        )


def size_of(
    sizes: Mapping[str, Preset], name: str | None, rows: int | None, cols: int | None, mines: int | None
) -> Preset:
    """Return the size meant by one of the names of `sizes` or by three numbers. Raises `Refusal`."""
    if name is not None:
        return size_named(sizes, name)
    if rows is None or cols is None or mines is None:
        raise Refusal(Kind.BAD_INPUT, "Expected a preset, or rows, cols and mines.")
    check_fits(rows, cols)
    return Preset(rows, cols, mines)


def size_named(sizes: Mapping[str, Preset], name: str) -> Preset:
    """Return a size by its name. Raises `Refusal` if there is none."""
    if name not in sizes:
        raise Refusal(Kind.BAD_INPUT, f"There is no preset {name!r}; there are {', '.join(sizes)}.")
    return sizes[name]


def random_puzzle(size: Preset, click: Cell, rule: StartRule, seed: int | None = None) -> Puzzle:
    """Deal a uniform random board for a first click, always the same for the same seed.

    Raises `BoardError` if it leaves too little room.
    """
    return Recipe(*size, click, rule, secrets.randbelow(MAX_SEED) if seed is None else seed).puzzle(0)


def solvable_puzzle(
    size: Preset, seed: int | None = None, difficulty: str | None = None, tier: str | None = None
) -> Puzzle:
    """Find a board that logic solves from an opening in its centre, always the same for the same seed.

    `difficulty` is a word of `player.measure.difficulty.WORDS`, `tier` the title of the hardest one that it takes.
    Raises `BoardError` for an impossible size. May look for ever: it needs a limit on its time.
    """
    centre = size.rows // 2, size.cols // 2
    recipe = Recipe(*size, centre, StartRule.OPENING, secrets.randbelow(MAX_SEED) if seed is None else seed)
    for kept in _solvable(recipe):
        hardest = kept.screening.tally.hardest.title
        if PuzzleFilter(difficulty).accepts(kept.puzzle, kept.screening) and tier in (None, hardest):
            return kept.puzzle
    raise AssertionError("there is always another candidate")


def _solvable(recipe: Recipe) -> Iterator[Kept]:
    found = False
    for start in count(0, _CANDIDATES_AT_A_TIME):
        if start >= _CANDIDATES and not found:
            break
        for kept in screen_range(recipe, start, start + _CANDIDATES_AT_A_TIME):
            found = True
            yield kept
    yield from (mended for index in count() if (mended := repair(recipe, index)) is not None)


def daily_puzzle(size: Preset, date: Date) -> Puzzle:
    """Find the solvable board of a day, the same everywhere."""
    return solvable_puzzle(size, int(f"{date:%Y%m%d}"))


def stored_puzzle(
    database: Path | None,
    name: str | None,
    rows: int | None = None,
    cols: int | None = None,
    mines: int | None = None,
    tier: str | None = None,
) -> PuzzleRecord:
    """Fetch a puzzle by id, or any one that fits. Raises `Refusal`."""
    with open_store(database) as store:
        if name is not None:
            try:
                record = store.puzzle(name)
            except DatabaseError as error:
                raise Refusal(Kind.NOT_FOUND, f"There is no single puzzle whose id begins with {name!r}.") from error
        else:
            drawn = store.puzzles(
                rows=rows,
                cols=cols,
                mines=mines,
                tier=tier,
                where=f"rows <= {MAX_SIDE} AND cols <= {MAX_SIDE} AND rows * cols <= {MAX_CELLS}",
                shuffle_seed=secrets.randbelow(2**32),
                limit=1,
            )
            found = next(drawn, None)
            if found is None:
                raise Refusal(Kind.NOT_FOUND, "The database holds no such puzzle.")
            record = found
    check_fits(record.puzzle.board.rows, record.puzzle.board.cols)
    return record


def open_store(database: Path | None) -> Store:
    """Open the database. Raises `Refusal` if there is none."""
    if database is None or not database.exists():
        raise Refusal(Kind.NO_DATABASE, "This server runs without a database: start it with --db FILE.")
    return Store(database, create=False)


def list_packs(database: Path | None) -> list[dict[str, int]] | None:
    """Count the stored puzzles of each size that fits the page, as JSON; None without a database."""
    if database is None or not database.exists():
        return None
    with open_store(database) as store:
        rows = store.db.query(
            "SELECT rows, cols, mines, count(*) AS puzzles FROM puzzles "
            "WHERE rows <= :side AND cols <= :side AND rows * cols <= :cells "
            "GROUP BY 1, 2, 3 ORDER BY rows * cols, mines",
            {"side": MAX_SIDE, "cells": MAX_CELLS},
        )
        return [{key: int(row[key]) for key in ("rows", "cols", "mines", "puzzles")} for row in rows]


def board_token(puzzle: Puzzle) -> str:
    """Write a share link's token that holds the whole puzzle, mines included."""
    board, (row, col) = puzzle.board, puzzle.first_click
    packed = base64.urlsafe_b64encode(board.to_bytes()).decode().rstrip("=")
    return f"board-{board.rows}x{board.cols}-{row}x{col}-{packed}"


def kaboom_token(rows: int, cols: int, mines: int, rules: Rules) -> str:
    """Write a share link's token for a Kaboom game."""
    switches = f"{rules.opening_start:d}{rules.guess_anywhere:d}{rules.outside_counts:d}"
    return f"kaboom-{rows}x{cols}-{mines}-{switches}-{rules.mode}"


def read_board_token(token: str) -> Puzzle:
    """Read what `board_token` writes. Raises `Refusal`."""
    parts = token.split("-", 3)
    try:
        rows, cols = parse_size(parts[1])
        check_fits(rows, cols)
        row, col = (int(number) for number in parts[2].split("x"))
        packed = base64.b64decode(parts[3] + "=" * (-len(parts[3]) % 4), altchars=b"-_", validate=True)
        return Puzzle(Board.from_bytes(rows, cols, packed), (row, col))
    except (IndexError, binascii.Error, ValueError) as error:
        raise Refusal(Kind.BAD_INPUT, "This share link is damaged or incomplete.") from error


def read_kaboom_token(token: str) -> tuple[Preset, Rules]:
    """Read what `kaboom_token` writes. Raises `Refusal`."""
    match = _KABOOM.fullmatch(token)
    mode = next((mode for mode in MODES if match and match[7] == mode), None)
    if match is None or mode is None:
        raise Refusal(Kind.BAD_INPUT, "This share link is damaged or incomplete.")
    rows, cols, mines = (int(number) for number in match.group(1, 2, 3))
    check_fits(rows, cols)
    opening_start, guess_anywhere, outside_counts = (switch == "1" for switch in match.group(4, 5, 6))
    return Preset(rows, cols, mines), Rules(opening_start, guess_anywhere, outside_counts, mode)


def read_daily_token(token: str) -> tuple[str, Date]:
    """Read ``daily-YYYY-MM-DD-PRESET``. Raises `Refusal`."""
    try:
        date, preset = Date.fromisoformat(token[6:16]), token[17:]
    except ValueError as error:
        raise Refusal(Kind.BAD_INPUT, "This share link is damaged or incomplete.") from error
    return preset, date


def size_title(name: str, rows: int, cols: int, mines: int) -> str:
    """Write a heading: what is played, on which size."""
    preset = next((known for known, size in presets().items() if size == Preset(rows, cols, mines)), "")
    return " ".join(word for word in (name, preset, board_name(rows, cols, mines)) if word)
