"""Boards for new games: random ones, solvable ones, the daily puzzle, and puzzles of the database."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import date as Date
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Final

from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.generator.filters import NO_FILTER, PuzzleFilter
from minesweeper.generator.repair import repair
from minesweeper.generator.screening import FoundPuzzle, screen_range
from minesweeper.player.board import Cell, Puzzle, board_name
from minesweeper.player.errors import DatabaseError
from minesweeper.player.recipe import MAX_SEED, Preset, Recipe, StartRule, standard_presets
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE, ApiError, ErrorKind, fits, sizes_among

_BATCH: Final = 500
_CANDIDATES: Final = 20_000
"""After this many unsolvable boards, boards are repaired instead."""


@lru_cache
def presets() -> dict[str, Preset]:
    """Return the standard presets that fit the page."""
    return sizes_among(standard_presets())


def check_fits(rows: int, cols: int) -> None:
    """Raise `ApiError` for a board larger than the page accepts."""
    if not fits(Preset(rows, cols, 0)):
        message = f"A board has 1 to {MAX_SIDE} rows and columns, and at most {MAX_CELLS} cells."
        raise ApiError(ErrorKind.BAD_INPUT, message)


def size_of(
    sizes: Mapping[str, Preset], name: str | None, rows: int | None, cols: int | None, mines: int | None
) -> Preset:
    """Return a size by its name or by three numbers. Raises `ApiError`."""
    if name is not None:
        return size_named(sizes, name)
    if rows is None or cols is None or mines is None:
        raise ApiError(ErrorKind.BAD_INPUT, "The size is missing: give a preset, or rows, cols and mines.")
    check_fits(rows, cols)
    return Preset(rows, cols, mines)


def size_named(sizes: Mapping[str, Preset], name: str) -> Preset:
    """Return a size by its name. Raises `ApiError` for an unknown name."""
    if name not in sizes:
        raise ApiError(ErrorKind.BAD_INPUT, f"Unknown preset {name!r}; presets: {', '.join(sizes)}.")
    return sizes[name]


def random_puzzle(size: Preset, click: Cell, rule: StartRule, seed: int | None = None) -> Puzzle:
    """Return a uniform random board for a first click; equal seeds give equal boards.

    Raises `BoardError` if there are too many mines.
    """
    return _recipe(size, click, rule, seed).puzzle(0)


def solvable_puzzle(
    size: Preset, click: Cell | None = None, seed: int | None = None, accepted: PuzzleFilter = NO_FILTER
) -> Puzzle:
    """Return a board that logic solves from an opening at `click`, by default its centre.

    Equal clicks and seeds give equal boards.

    Raises `BoardError` for an impossible size. The search may never end: run it with a time limit.
    """
    recipe = _recipe(size, click or (size.rows // 2, size.cols // 2), StartRule.OPENING, seed)
    return next(kept.puzzle for kept in _solvable(recipe) if accepted.accepts(kept))


def _recipe(size: Preset, click: Cell, rule: StartRule, seed: int | None) -> Recipe:
    return Recipe(*size, click, rule, secrets.randbelow(MAX_SEED) if seed is None else seed)


def _solvable(recipe: Recipe) -> Iterator[FoundPuzzle]:
    found = False
    for start in count(0, _BATCH):
        if start >= _CANDIDATES and not found:
            break
        for kept in screen_range(recipe, start, start + _BATCH):
            found = True
            yield kept
    yield from (repaired for index in count() if (repaired := repair(recipe, index)) is not None)


def daily_puzzle(size: Preset, date: Date) -> Puzzle:
    """Return the solvable board of a date, the same on every server."""
    return solvable_puzzle(size, None, int(f"{date:%Y%m%d}"))


def stored_puzzle(database: Path | None, name: str | None, **filters: Any) -> PuzzleRecord:
    """Return a puzzle by the beginning of its id, or a random one that fits the filters of `Store.puzzles`.

    Raises `ApiError`.
    """
    with open_store(database) as store:
        if name is not None:
            try:
                record = store.puzzle(name)
            except DatabaseError as error:
                raise ApiError(ErrorKind.NOT_FOUND, f"No single puzzle has an id that begins with {name!r}.") from error
        else:
            puzzles = store.puzzles(
                **filters,
                where=f"rows <= {MAX_SIDE} AND cols <= {MAX_SIDE} AND rows * cols <= {MAX_CELLS}",
                shuffle_seed=secrets.randbelow(2**32),
                limit=1,
            )
            found = next(puzzles, None)
            if found is None:
                raise ApiError(ErrorKind.NOT_FOUND, "The database has no such puzzle.")
            record = found
    check_fits(record.puzzle.board.rows, record.puzzle.board.cols)
    return record


def open_store(database: Path | None) -> Store:
    """Open the database. Raises `ApiError` without one."""
    if database is None or not database.exists():
        raise ApiError(ErrorKind.NO_DATABASE, "This server has no database: start it with sweep --db FILE.")
    return Store(database, create=False)


def list_packs(database: Path | None) -> list[dict[str, int]] | None:
    """Return the number of stored puzzles of each size that fits the page, as JSON; None without a database."""
    if database is None or not database.exists():
        return None
    with open_store(database) as store:
        return list(
            store.db.query(
                "SELECT rows, cols, mines, count(*) AS puzzles FROM puzzles "
                "WHERE rows <= :side AND cols <= :side AND rows * cols <= :cells "
                "GROUP BY 1, 2, 3 ORDER BY rows * cols, mines",
                {"side": MAX_SIDE, "cells": MAX_CELLS},
            )
        )


def size_title(name: str, rows: int, cols: int, mines: int) -> str:
    """Return a heading with the kind of game and the size: ``Classic expert 16x30/99``."""
    preset = next((known for known, size in presets().items() if size == Preset(rows, cols, mines)), "")
    return " ".join(word for word in (name, preset, board_name(rows, cols, mines)) if word)
