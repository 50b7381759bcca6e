"""Board URLs as PTT's Minesweeper and its relatives use them: one on each line, no first click.

``b`` is the size: 1 for 9 x 9, 2 for 16 x 16, 3 for 30 x 16 (width x height), else width and height with equally many
digits. ``m`` is the mines row by row, five bits a character (``0`` to ``9``, then ``a`` to ``v``), zeros at the end.
"""

from __future__ import annotations

import re
from math import prod
from typing import Final

from minesweeper.db.formats.format import first_line, lines, quote, reader, text_of, writer
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import check_size
from minesweeper.player.core.lazy_numpy import np

_DIGITS: Final = b"0123456789abcdefghijklmnopqrstuv"
_SIZE: Final = re.compile(r"(?:^|[?&#])b=([0-9]{1,8})(?=&|$)")
_MINES: Final = re.compile(r"(?:^|[?&#])m=([0-9a-vA-V]*)(?=&|$)")
_SHORT: Final = {"1": (9, 9), "2": (16, 16), "3": (16, 30)}
_BITS: Final = 5

write = writer(lambda record: f"{to_query(record.puzzle.board)}\n".encode())
"""Write the query of each board in a line, ``b=...&m=...``."""
read = reader(lines, lambda line: from_url(text_of(line)))
"""Read the board of each line, a query or a whole URL."""


def looks_like(head: bytes) -> bool:
    """Return True if the first line has a size and mines."""
    line = first_line(head).decode("latin-1")
    return _SIZE.search(line) is not None and _MINES.search(line) is not None


def to_query(board: Board) -> str:
    """Return a board as the query of a URL, without the question mark."""
    short = [name for name, size in _SHORT.items() if size == board.grid.shape]
    width = len(str(max(board.grid.shape)))
    size = short[0] if short else f"{board.cols:0{width}}{board.rows:0{width}}"
    cells = board.mine_map.ravel()
    groups = np.concatenate([cells, np.zeros(-cells.size % _BITS, dtype=np.bool_)]).reshape(-1, _BITS)
    values = groups @ np.array([16, 8, 4, 2, 1])
    return f"b={size}&m={np.frombuffer(_DIGITS, dtype=np.uint8)[values].tobytes().decode()}"


def from_url(text: str) -> Board:
    """Read a URL or its query. Raise `FormatError` or `BoardError` for an invalid one."""
    text = text.strip()
    size, mines = _SIZE.search(text), _MINES.search(text)
    if size is None or mines is None:
        raise FormatError(f"invalid board URL; expected b=SIZE and m=MINES: {quote(text)}")
    name, digits = size[1], mines[1].lower().encode()
    if name not in _SHORT and len(name) % 2:
        raise FormatError(f"invalid size b={name[:60]}; expected 1, 2, 3 or width and height with equally many digits")
    shape = _SHORT.get(name) or (int(name[len(name) // 2 :]), int(name[: len(name) // 2]))
    check_size(shape)
    cells = prod(shape)
    if len(digits) != -(-cells // _BITS):
        raise FormatError(f"{counted(len(digits), 'character')} in m; expected {-(-cells // _BITS)} for {cells} cells")
    values = np.frombuffer(bytes(_DIGITS.index(digit) for digit in digits), dtype=np.uint8)
    bits = np.unpackbits(values[:, None], axis=1)[:, 8 - _BITS :].ravel().astype(np.bool_)
    if bits[cells:].any():
        raise FormatError(f"mines after the last of {cells} cells; expected zeros: {quote(text)}")
    return Board(bits[:cells].reshape(shape))
