"""MBF, also ABF: the binary board files of Minesweeper Arbiter and others. One board, no first click.

Byte 0 is the width, byte 1 the height, bytes 2 and 3 the number of mines, most significant first; then come two bytes
for each mine, its column and its row, in any order.
"""

from __future__ import annotations

from typing import Final

from minesweeper.db.formats.format import quote, reader, whole, writer
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.lazy_numpy import np

_MAX_SIDE: Final = 255
_HEAD: Final = 4

write = writer(lambda record: to_bytes(record.puzzle.board))
"""Write one board. Raise `FormatError` for a side over 255 or more than 65535 mines."""
read = reader(whole, lambda data: from_bytes(data))
"""Read the board."""


def looks_like(head: bytes) -> bool:
    """Return True if the length matches the number of mines, and all mines are inside."""
    if len(head) < _HEAD or len(head) != _HEAD + 2 * int.from_bytes(head[2:_HEAD], "big"):
        return False
    places = head[_HEAD:]
    return all(col < head[0] for col in places[::2]) and all(row < head[1] for row in places[1::2])


def to_bytes(board: Board) -> bytes:
    """Return a board as MBF. Raise `FormatError` for a side over 255 or more than 65535 mines."""
    if max(board.rows, board.cols) > _MAX_SIDE or board.mines > 0xFFFF:
        raise FormatError(
            f"{board.name} is too large for mbf; expected sides of at most {_MAX_SIDE} and at most 65535 mines"
        )
    places = np.argwhere(board.mine_map)[:, ::-1].astype(np.uint8)
    return bytes([board.cols, board.rows]) + board.mines.to_bytes(2, "big") + places.tobytes()


def from_bytes(data: bytes) -> Board:
    """Read MBF. Raise `FormatError` or `BoardError` for other data."""
    if len(data) < _HEAD:
        raise FormatError(f"{counted(len(data), 'byte')}; expected at least {_HEAD}: {quote(data)}")
    width, height, mines = data[0], data[1], int.from_bytes(data[2:_HEAD], "big")
    if len(data) != _HEAD + 2 * mines:
        size = f"{height}x{width} with {counted(mines, 'mine')}"
        raise FormatError(f"{counted(len(data), 'byte')}; expected {_HEAD + 2 * mines} for {size}")
    places = data[_HEAD:]
    return Board.from_cells(Grid(height, width), zip(places[1::2], places[::2], strict=True))
