"""The text of JSMinesweeper's board files: one board or view, no first click.

The first line is ``WxHxMINES``; then come the rows: ``0`` to ``8``, ``H`` for a hidden cell, ``F`` for a flag. A reader
also accepts ``M`` and ``m`` (a mine), ``?`` and ``h`` (hidden). A text with all safe cells open and all mines marked is
a board. Any other is a view, whose flags are ignored.
"""

from __future__ import annotations

import re
from typing import Final

from minesweeper.db.formats.format import first_line, quote, reader, text_of, whole, writer
from minesweeper.player.core.board import HIDDEN, Board, View
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import check_size
from minesweeper.player.core.lazy_numpy import NDArray, np

HEAD: Final = re.compile(r"\s*([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})\s*")
_MARKED: Final = 9
_VALUES: Final = {str(clue): clue for clue in range(9)} | dict.fromkeys("Hh?", HIDDEN) | dict.fromkeys("FMm", _MARKED)

write = writer(lambda record: f"{to_text(record.puzzle.board)}\n".encode())
"""Write one board."""
read = reader(whole, lambda data: board_from_text(text_of(data)))


def looks_like(head: bytes) -> bool:
    """Return True if the first line is WxHxMINES."""
    return HEAD.fullmatch(first_line(head).decode("latin-1")) is not None


def to_text(shown: Board | View) -> str:
    """Return a board, with ``F`` for its mines, or a view as text."""
    cells = shown.cells if isinstance(shown, View) else np.where(shown.mine_map, np.int8(_MARKED), shown.clues)
    rows = ["".join("012345678FH"[value] for value in row) for row in cells.tolist()]
    return "\n".join([f"{shown.cols}x{shown.rows}x{shown.mines}", *rows])


def view_from_text(text: str) -> View:
    """Read a view; flags and marked mines are hidden cells. Raise `FormatError` or `BoardError` for other text."""
    cells, mines = _cells(text)
    return View(np.where(cells == _MARKED, np.int8(HIDDEN), cells), mines)


def board_from_text(text: str) -> Board:
    """Read a board: clues and marked mines. Raise `FormatError` or `BoardError` for other text."""
    cells, mines = _cells(text)
    board = Board(cells == _MARKED)
    if (cells == HIDDEN).any() or board.mines != mines:
        raise FormatError(
            f"view with {np.count_nonzero(cells == HIDDEN)} hidden cells and {board.mines} marks; "
            f"expected a board, all safe cells open and {mines} mines marked"
        )
    wrong = np.argwhere((cells != board.clues) & ~board.mine_map)
    if len(wrong):
        row, col = wrong[0].tolist()
        raise FormatError(f"clue {cells[row, col]} at {(row, col)} is wrong; expected {board.clues[row, col]}")
    return board


def _cells(text: str) -> tuple[NDArray[np.int8], int]:
    """Return the cells, marks as `_MARKED`, and the number of mines."""
    head, _, rest = text.lstrip().partition("\n")
    match = HEAD.fullmatch(head)
    if match is None:
        raise FormatError(f"line 1 is invalid; expected WIDTHxHEIGHTxMINES, e.g. 30x16x99: {quote(head)}")
    width, height, mines = int(match[1]), int(match[2]), int(match[3])
    check_size((height, width))
    lines = [line.strip() for line in rest.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) != height:
        raise FormatError(f"{counted(len(lines), 'row')} after the first line; expected {height}")
    cells = np.empty((height, width), dtype=np.int8)
    for number, line in enumerate(lines, 2):
        if len(line) != width:
            raise FormatError(f"line {number}: {counted(len(line), 'cell')}; expected {width}: {quote(line)}")
        try:
            cells[number - 2] = [_VALUES[char] for char in line]
        except KeyError as error:
            raise FormatError(f"line {number}: invalid character {error.args[0]!r}; expected 0 to 8, H or F") from None
    return cells, mines
