"""MINESWEEPER-BOARD v0.1: a text with a board, a view of it, or both; no first click.

::

    # MINESWEEPER-BOARD v0.1
    # Render: ascii

    rows: 3
    columns: 4
    mines: 2
    game_mode: classic

    [real]
    0011
    112*
    *211

    [view]
    001U
    11UU
    UUUU

``[real]`` has ``*`` and true clues. ``[view]`` has clues, ``U`` for a hidden cell, and ``F``, ``?``, ``X``, ``@`` and
``#`` for cells that bear a flag, a question mark or what a lost game shows; to logic they are all hidden. Only the
rendering ``ascii`` is read. Other comments and other keys are passed over. We write ``first_click: ROW,COL`` as such a
key, and read it.
"""

from __future__ import annotations

import re
from typing import BinaryIO, Final

import numpy as np

from minesweeper.db.formats.format import FormatError, Found, Reader, echo, first_line, imported, text_of, whole, writer
from minesweeper.player.board import HIDDEN, Board, Puzzle, View, check_size

MARK: Final = "# MINESWEEPER-BOARD"
_VERSION: Final = f"{MARK} v0.1"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_CLICK: Final = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")
_MOST_LINES: Final = 10_000
_VIEW: Final = {str(clue): clue for clue in range(9)} | dict.fromkeys("UF?X@#*", HIDDEN)

write = writer(lambda record: to_text(record.puzzle).encode(), "board")
"""Write one board with its first click; raises `FormatError` for more than one."""


def read(stream: BinaryIO) -> Reader[bytes]:
    """Find the board; raises `FormatError` if the file is anything else, such as a view alone."""
    return Reader((("", whole(stream)) for _ in range(1)), lambda data: board_from_text(text_of(data)))


def looks_like(head: bytes) -> bool:
    """Whether the first line says so."""
    return first_line(head).startswith(MARK.encode())


def to_text(shown: Puzzle | Board | View) -> str:
    """Write the section ``[real]`` of a puzzle or board, or the section ``[view]`` of a view."""
    board = shown.board if isinstance(shown, Puzzle) else shown
    head = [_VERSION, "# Render: ascii", "", f"rows: {board.rows}", f"columns: {board.cols}", f"mines: {board.mines}"]
    head.append("game_mode: classic")
    if isinstance(shown, Puzzle):
        head.append("first_click: {},{}".format(*shown.first_click))
    if isinstance(board, View):
        section, cells, letters = "[view]", board.cells, "012345678U"
    else:
        section, cells, letters = "[real]", board.clues, "012345678*"
    rows = ["".join(letters[value] for value in row) for row in cells.tolist()]
    return "\n".join([*head, "", section, *rows, ""])


def view_from_text(text: str) -> View:
    """Read the section ``[view]``; raises `FormatError` or `BoardError` naming what is wrong."""
    keys, sections = _parts(text)
    if "view" not in sections:
        raise FormatError("expected a section [view]")
    cells = []
    for number, line in enumerate(sections["view"], 1):
        strange = set(line) - _VIEW.keys()
        if strange:
            raise FormatError(f"expected 0 to 8 or U in row {number} of [view]: {min(strange)!r}")
        cells.append([_VIEW[char] for char in line])
    return View(np.array(cells, dtype=np.int8), _number(keys, "mines"))


def board_from_text(text: str) -> Found:
    """Read the section ``[real]``, with the first click if it is named; raises `FormatError` or `BoardError`."""
    keys, sections = _parts(text)
    if "real" not in sections:
        raise FormatError("expected a section [real], found a view; analyse reads views")
    board = Board.from_text("\n".join(sections["real"]))
    if board.mines != _number(keys, "mines"):
        raise FormatError(f"expected {keys['mines']} mines, as the key says, found {board.mines}")
    if "first_click" not in keys:
        return board
    click = _CLICK.fullmatch(keys["first_click"])
    if click is None:
        raise FormatError(f"expected first_click as ROW,COL: {echo(keys['first_click'])}")
    return imported(Puzzle(board, (int(click[1]), int(click[2]))))


def _parts(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Split a file into its keys and the rows of its sections, which have the size that the keys say."""
    lines = [line.strip() for line in text.splitlines()]
    if not lines or lines[0] != _VERSION:
        raise FormatError(f"line 1: expected {_VERSION!r}: {echo(text[:100])}")
    if len(lines) > _MOST_LINES:
        raise FormatError(f"expected at most {_MOST_LINES} lines, found {len(lines)}")
    keys: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        if line in ("[real]", "[view]"):
            if line[1:-1] in sections:
                raise FormatError(f"line {number}: expected the section {line} once")
            rows = sections.setdefault(line[1:-1], [])
        elif rows is not None:
            rows.append(line)
        elif line.startswith("#"):
            name, _, value = line[1:].partition(":")
            if name.strip().lower() == "render" and value.strip() != "ascii":
                raise FormatError(f"line {number}: expected the rendering ascii: {echo(value.strip())}")
        else:
            name, colon, value = line.partition(":")
            if not colon:
                raise FormatError(f"line {number}: expected 'key: value' or a section [real] or [view]: {echo(line)}")
            keys[name.strip()] = value.strip()
    height, width = _number(keys, "rows"), _number(keys, "columns")
    check_size(height, width)
    for name, section in sections.items():
        if len(section) != height:
            raise FormatError(f"expected {height} rows in [{name}], found {len(section)}")
        for number, line in enumerate(section, 1):
            if len(line) != width:
                raise FormatError(
                    f"expected {width} cells in row {number} of [{name}], found {len(line)}: {echo(line)}"
                )
    return keys, sections


def _number(keys: dict[str, str], name: str) -> int:
    value = keys.get(name)
    if value is None or _NUMBER.fullmatch(value) is None:
        raise FormatError(f"expected '{name}: NUMBER': {echo(value)}")
    return int(value)
