"""Puzzles that the server offers or checks: those of its database, of a day, and of the tokens of share links."""

from __future__ import annotations

import base64
import re
import secrets
from datetime import date as Date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from minesweeper.db.store import Store
from minesweeper.generator.rated_puzzles import deal
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import BoardError, DatabaseError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import standard_presets
from minesweeper.scripts.web.settings import MAX_PAGE_SIDE, ApiError, fits, sizes_among

NO_DATABASE: Final = "This server has no database: start it with sweep --db FILE."
_DAMAGED: Final = "This share link is damaged or incomplete."


def check_fits(grid: Grid) -> None:
    """Raise `ApiError` for a board larger than the page accepts."""
    if not fits(grid):
        raise ApiError(f"A board has 1 to {MAX_PAGE_SIDE} rows and columns.")


def board_token(puzzle: Puzzle) -> str:
    """Return a token that holds the whole puzzle, mines included."""
    board, (row, col) = puzzle.board, puzzle.first_click
    grid = board.grid
    label = f"~{grid.kind.replace(' ', '.')}" if grid.label else ""
    if grid.holes:
        label += f"~{_packed(Board(grid.hole_map)).replace('-', '.')}"
    return f"board-{board.rows}x{board.cols}{label}-{row}x{col}-{_packed(board)}"


def _packed(board: Board) -> str:
    return base64.urlsafe_b64encode(board.to_bytes()).decode().rstrip("=")


def _unpacked(grid: Grid, packed: str) -> Board:
    data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
    return Board.from_bytes(grid, data)


def read_board_token(token: str) -> Puzzle:
    """Read a token of `board_token`. Raises `ApiError`."""
    try:
        kind, size, click, packed = token.split("-", 3)
        name, words, holes, *_ = [*size.split("~"), "", ""]
        if not re.fullmatch("[a-z.]*", words):
            raise ApiError(_DAMAGED)
        grid = Grid.named(f"{name} {words.replace('.', ' ')}")
        check_fits(grid)
        if holes:
            grid = grid.with_holes(_unpacked(grid, holes.replace(".", "-")).mine_map)
        row, col = (int(number) for number in click.split("x"))
        if kind != "board":
            raise ApiError(_DAMAGED)
        return Puzzle(_unpacked(grid, packed), (row, col))
    except BoardError as error:
        raise ApiError(f"{_DAMAGED[:-1]}: {error}.") from error
    except ValueError as error:
        raise ApiError(_DAMAGED) from error


def read_daily_token(token: str) -> tuple[str, Date]:
    """Read the preset and the date of a token ``daily-YYYY-MM-DD-PRESET``. Raises `ApiError`."""
    try:
        day, preset = Date.fromisoformat(token[6:16]), token[17:]
    except ValueError as error:
        raise ApiError(_DAMAGED) from error
    if preset not in sizes_among(standard_presets()):
        raise ApiError(_DAMAGED)
    return preset, day


@lru_cache
def daily_puzzle(preset: str, day: Date) -> Puzzle:
    """Return the solvable board of a date, the same on every server. The search may take seconds."""
    size = standard_presets()[preset]
    return deal(size.grid, size.mines, (size.rows // 2, size.cols // 2), seed=int(f"{day:%Y%m%d}"))


def stored_puzzle(store: Store, name: str | None, **filters: Any) -> Puzzle:
    """Return a puzzle by the beginning of its id, or a random one that fits the filters of `Store.puzzles`.

    Raises `ApiError`.
    """
    if name is not None:
        try:
            record = store.puzzle(name)
        except DatabaseError as error:
            raise ApiError(f"No single puzzle has an id that begins with {name!r}.", 404) from error
    else:
        condition = f"rows <= {MAX_PAGE_SIDE} AND cols <= {MAX_PAGE_SIDE}"
        found = list(store.puzzles(**filters, where=condition, shuffle_seed=secrets.randbelow(2**32), limit=1))
        if not found:
            raise ApiError("The database has no such puzzle.", 404)
        record = found[0]
    check_fits(record.puzzle.board.grid)
    return record.puzzle


def open_store(database: Path | None) -> Store:
    """Open the database. Raises `ApiError` without one."""
    if database is None or not database.exists():
        raise ApiError(NO_DATABASE, 501)
    return Store(database, create=False)


def list_packs(store: Store) -> list[dict[str, int]]:
    """Return the number of stored puzzles of each size that fits the page, as JSON."""
    return list(
        store.db.query(
            "SELECT rows, cols, grid, mines, count(*) AS puzzles FROM puzzles "
            "WHERE rows <= :side AND cols <= :side GROUP BY 1, 2, 3, 4 ORDER BY rows * cols, mines",
            {"side": MAX_PAGE_SIDE},
        )
    )
