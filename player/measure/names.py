"""What puzzles are called: their ids, and the ids that turns and mirrors share."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from minesweeper.player import kernel_api
from minesweeper.player.board import SYMMETRIES, Board, Cell, Puzzle, id_head, transformed_cell


class Names(NamedTuple):
    """The `id` of a puzzle, the smallest id among its 8 symmetric images, and its mines as `Board.to_bytes` packs them.

    `canonical_id` is equal for puzzles that are turns or mirrors of each other.
    """

    id: str
    canonical_id: str
    mine_bits: bytes


def names(puzzle: Puzzle) -> Names:
    """Name a puzzle."""
    board = puzzle.board
    bits = kernel_api.packed_symmetries(board) if kernel_api.available() else _images_one_by_one(board)
    size = len(bits) // SYMMETRIES
    heads = _heads(board.rows, board.cols, puzzle.first_click)
    places = range(0, len(bits), size)
    digests = [sha256(head + bits[place : place + size]).digest() for head, place in zip(heads, places, strict=True)]
    return Names(digests[0][:10].hex(), min(digests)[:10].hex(), bits[:size])


def _images_one_by_one(board: Board) -> bytes:
    """The mines of the symmetric images of a board, packed, one after the other."""
    return b"".join(board.transformed(symmetry).to_bytes() for symmetry in range(SYMMETRIES))


@lru_cache(maxsize=4096)
def _heads(rows: int, cols: int, click: Cell) -> list[bytes]:
    """For each symmetry, what an id says besides the mines: the size and the first click of the image."""
    sizes = [(cols, rows) if symmetry % 2 else (rows, cols) for symmetry in range(SYMMETRIES)]
    clicks = [transformed_cell(rows, cols, click, symmetry) for symmetry in range(SYMMETRIES)]
    return [id_head(*size, image) for size, image in zip(sizes, clicks, strict=True)]
