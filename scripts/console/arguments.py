"""Position arguments of commands: a file, stdin, a stored puzzle or a game."""

from __future__ import annotations

import io
import re
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Cell

if TYPE_CHECKING:
    from typing import BinaryIO

    from minesweeper.db.formats.positions import OpenedCells, Snapshot
    from minesweeper.player.core.mine_range import MinesLike

_CELL: Final = re.compile(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*")
_PUZZLE: Final = re.compile(r"[0-9a-f]{1,20}")
_VIEW: Final = re.compile(rb"\s*[0-9]{1,4}x[0-9]{1,4}/[0-9]{1,8}\s*\n[#.0-8]+\s*(\n|$)")
_LONGEST_VIEW: Final = 2**24
_GAME: Final = re.compile(r"game:([0-9]{1,18}|last)")


def parse_cell(text: str) -> Cell:
    """Read ``ROW,COL``. Raises `BoardError`."""
    match = _CELL.fullmatch(text)
    if match is None:
        raise BoardError(f"{text!r} is not a cell; expected ROW,COL, e.g. 3,4")
    return int(match[1]), int(match[2])


def parse_opened(text: str | None) -> OpenedCells:
    """Read ``all`` or cells separated by blanks."""
    return "all" if text == "all" else [parse_cell(cell) for cell in (text or "").split()]


def shown_by(name: str, db: str, mines: MinesLike | None = None, index: int = 0) -> Snapshot:
    """Read the position with a name.

    The name is "-" for stdin, a file, an id of a puzzle in the database `db` or the beginning of one, or ``game:ID`` or
    ``game:last`` for the puzzle or board of a game there. A file takes precedence.
    """
    if name == "-":
        return _read(sys.stdin.buffer, mines, index)
    game = _GAME.fullmatch(name)
    if Path(name).exists() or (game is None and not _PUZZLE.fullmatch(name)):
        try:
            with Path(name).open("rb") as file:
                return _read(file, mines, index, Path(name))
        except FileNotFoundError:
            raise BoardError(f"no file {name!r}; expected a file, '-', a puzzle's id or game:ID") from None
    from minesweeper.db.store import Store

    with Store(db, create=False) as store:
        if game is None:
            return store.puzzle(name).puzzle
        return store.puzzle_of(store.game(game[1]))


def _read(stream: BinaryIO, mines: MinesLike | None, index: int, path: Path | None = None) -> Snapshot:
    """Read a position from a stream, or from `path` that it was opened from.

    A view under ROWSxCOLS/MINES is read without importing the modules of all other formats.
    """
    # Another buffer around a file would close it.
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    head = buffered.peek()
    source: bytes | BinaryIO | Path = path or buffered
    if _VIEW.match(head) and b"." not in head:
        from minesweeper.player.core.board import View

        source = buffered.read(_LONGEST_VIEW)
        with suppress(BoardError):
            return View.from_text(source.decode(errors="replace"), mines)
    from minesweeper.db.formats.positions import read_shown

    return read_shown(source, mines, index=index, limited=True, note=partial(click.echo, err=True))
