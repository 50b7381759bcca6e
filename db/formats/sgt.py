"""Game IDs of Simon Tatham's Mines: one puzzle on each line, ``WxH:x,y,mHEX``, its first click included.

The first part may also name the number of mines, ``30x16n99``. The digits hold one bit a cell, row by row, most
significant first. ``m`` marks masked digits, which hide the mines from readers, and ``u`` unmasked ones. A reader also
accepts web addresses that end in ``#`` and a game ID, and comments: lines that begin with ``#``.

Saved games are read too: lines of a name, the length of the value, and the value. ``PARAMS`` and ``DESC`` (or
``PRIVDESC``, which is not masked) form a game ID. Moves are ignored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from minesweeper.db.formats.format import Reader, first_line, imported_record, lines, quote, text_of, writer
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import Grid

_ID: Final = re.compile(
    r"([0-9]{1,9})x([0-9]{1,9})(?:n([0-9]{1,9}))?a?:([0-9]{1,9}),([0-9]{1,9}),([mu]?)([0-9a-fA-F]+)"
)
_BEGINS: Final = re.compile(rb"(?:#[^\n]*\s+|\s+)*(?:https?:[^\s#]*#)?[0-9]{1,9}x[0-9]{1,9}(n[0-9]{1,9})?a?[:#]")
_ADDRESS: Final = re.compile("https?:[^#]*#")
_WITHOUT_MINES: Final = re.compile(r"[0-9]{1,9}(x[0-9]{1,9})?[0-9a-z.]{0,30}(:r|#)")

_SAVED: Final = b"SAVEFILE:"
_MAX_SAVED: Final = 1 << 20
_FIELD: Final = re.compile(r"([A-Z]{1,8}) *:[0-9]+:(.*)")

write = writer(lambda record: f"{to_id(record.puzzle)}\n".encode())
"""Write the masked game ID of each puzzle in a line."""


def read(stream: BinaryIO) -> Reader[bytes]:
    """Read the puzzle of each line, or of each saved game."""
    return Reader(_pieces(stream), lambda piece: imported_record(_puzzle(text_of(piece))))


def _pieces(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file, those of a saved game as one piece."""
    saved: tuple[str, bytes] | None = None
    for place, line in lines(stream):
        if line.lstrip(b"\xef\xbb\xbf").startswith(_SAVED):
            if saved is not None:
                yield saved
            saved = place, line
        elif saved is None:
            if not line.startswith(b"#"):
                yield place, line
        elif len(saved[1]) > _MAX_SAVED:
            raise FormatError(f"{saved[0]}: the saved game is too long; expected at most {_MAX_SAVED >> 20} MiB")
        else:
            saved = saved[0], saved[1] + line
    if saved is not None:
        yield saved


def _puzzle(text: str) -> Puzzle:
    if not text.startswith(_SAVED.decode()):
        return from_id(text)
    fields = {match[1]: match[2] for match in map(_FIELD.fullmatch, text.splitlines()) if match}
    if fields.get("GAME") != "Mines":
        raise FormatError(f"saved game of {quote(fields.get('GAME', 'nothing'))}; expected one of Mines")
    if "PARAMS" not in fields or not fields.keys() & {"DESC", "PRIVDESC"}:
        raise FormatError("PARAMS or DESC is missing in the saved game")
    described = fields.get("PRIVDESC") or fields["DESC"]
    if described.startswith("r"):
        raise FormatError(f"the saved game has no mines yet; click first, then save: {quote(described)}")
    return from_id(f"{fields['PARAMS']}:{described}")


def looks_like(head: bytes) -> bool:
    """Return True if the first line begins like a game ID or a saved game."""
    return _BEGINS.match(head.removeprefix(b"\xef\xbb\xbf")) is not None or first_line(head).startswith(_SAVED)


def to_id(puzzle: Puzzle, *, masked: bool = True) -> str:
    """Return a puzzle as a game ID."""
    board = puzzle.board
    cells = board.rows * board.cols
    row, col = puzzle.first_click
    data = board.to_bytes()
    digits = (_masked(data, cells) if masked else data).hex()[: (cells + 3) // 4]
    return f"{board.cols}x{board.rows}:{col},{row},{'m' if masked else 'u'}{digits}"


def from_id(text: str) -> Puzzle:
    """Read a game ID, masked or not. Raise `FormatError` or `BoardError` for an invalid one.

    An ID without mines (``r`` descriptors and random seeds) is refused: that program's own generator makes the board.
    """
    text = _ADDRESS.sub("", text.strip(), count=1)
    match = _ID.fullmatch(text)
    if match is None:
        if _WITHOUT_MINES.match(text):
            raise FormatError(f"the game ID has no mines yet; click first, then copy the ID: {quote(text)}")
        raise FormatError(f"invalid game ID; expected WxH:x,y,mHEX: {quote(text)}")
    width, height, col, row = (int(match[group]) for group in (1, 2, 4, 5))
    grid, digits = Grid(height, width), match[7]
    cells = grid.cells
    if len(digits) != (cells + 3) // 4:
        raise FormatError(f"{len(digits)} hexadecimal digits; expected {(cells + 3) // 4} for {cells} cells")
    data = bytes.fromhex(digits + "0" * (len(digits) % 2))
    board = Board.from_bytes(grid, _unmasked(data, cells) if match[6] == "m" else data)
    if match[3] is not None and board.mines != int(match[3]):
        raise FormatError(f"{counted(board.mines, 'mine')}; expected {match[3]}, as the ID begins: {quote(text)}")
    return Puzzle(board, (row, col))


def _masked(data: bytes, cells: int) -> bytes:
    half = len(data) // 2
    first = _mixed(data[:half], data[half:])
    return _without_padding(first + _mixed(data[half:], first), cells)


def _unmasked(data: bytes, cells: int) -> bytes:
    half = len(data) // 2
    second = _without_padding(data[:half] + _mixed(data[half:], data[:half]), cells)[half:]
    return _without_padding(_mixed(data[:half], second) + second, cells)


def _mixed(data: bytes, seed: bytes) -> bytes:
    """Return data XOR the concatenation of SHA1(seed "0"), SHA1(seed "1"), ..."""
    mask, begun = bytearray(), hashlib.sha1(seed, usedforsecurity=False)
    while len(mask) < len(data):
        whole = begun.copy()  # hashing the seed each time would take quadratic time
        whole.update(str(len(mask) // 20).encode())
        mask += whole.digest()
    return (int.from_bytes(data) ^ int.from_bytes(mask[: len(data)])).to_bytes(len(data))


def _without_padding(data: bytes, cells: int) -> bytes:
    spare = 8 * len(data) - cells
    return data[:-1] + bytes([data[-1] >> spare << spare]) if spare else data
