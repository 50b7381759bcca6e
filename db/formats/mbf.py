"""MBF, also ABF: the binary board files of Minesweeper Arbiter and others. One board, no first click.

Byte 0 is the width, byte 1 the height, bytes 2 and 3 the number of mines, most significant first; then come two bytes
for each mine, its column and its row, in any order.
"""

from __future__ import annotations

from typing import BinaryIO, Final

import numpy as np

from minesweeper.db.formats.format import FormatError, Reader, echo, whole, writer
from minesweeper.player.board import Board, size_name

_LONGEST_SIDE: Final = 255
_HEAD: Final = 4

write = writer(lambda record: to_bytes(record.puzzle.board), "mbf")
"""Write one board; raises `FormatError` for more than one, a side over 255 or more than 65535 mines."""


def read(stream: BinaryIO) -> Reader[bytes]:
    """Find the board; raises `FormatError` if the file is anything else."""
    return Reader((("", whole(stream)) for _ in range(1)), from_bytes)


def looks_like(head: bytes) -> bool:
    """Whether the length is that of so many mines, and they lie inside."""
    if len(head) < _HEAD or len(head) != _HEAD + 2 * int.from_bytes(head[2:_HEAD], "big"):
        return False
    places = head[_HEAD:]
    return all(col < head[0] for col in places[::2]) and all(row < head[1] for row in places[1::2])


def to_bytes(board: Board) -> bytes:
    """Write a board as MBF; raises `FormatError` for a side over 255 or more than 65535 mines."""
    if max(board.rows, board.cols) > _LONGEST_SIDE or board.mines > 0xFFFF:
        raise FormatError(f"expected sides of at most {_LONGEST_SIDE} and at most 65535 mines for mbf: {board.name!r}")
    places = np.argwhere(board.mine_map)[:, ::-1].astype(np.uint8)
    return bytes([board.cols, board.rows]) + board.mines.to_bytes(2, "big") + places.tobytes()


def from_bytes(data: bytes) -> Board:
    """Read MBF; raises `FormatError` or `BoardError` for anything else."""
    if len(data) < _HEAD:
        raise FormatError(f"expected at least {_HEAD} bytes, found {len(data)}: {echo(data)}")
    cols, rows, mines = data[0], data[1], int.from_bytes(data[2:_HEAD], "big")
    if len(data) != _HEAD + 2 * mines:
        size = size_name(rows, cols)
        raise FormatError(f"expected {_HEAD + 2 * mines} bytes for {size} with {mines} mines, found {len(data)}")
    places = data[_HEAD:]
    return Board.from_cells(rows, cols, zip(places[1::2], places[::2], strict=True))
