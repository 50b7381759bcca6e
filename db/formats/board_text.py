"""MINESWEEPER-BOARD v0.1: a text with a board, a view of it, or both; no first click.

Example:

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

``[real]`` has ``*`` and clues. ``[view]`` has clues, ``U`` for a hidden cell, and ``F``, ``?``, ``X``, ``@`` and ``#``
for flags, question marks and the marks of a lost game; all of these are read as hidden. Only the rendering ``ascii`` is
read. Other comments and keys are ignored. The key ``first_click: ROW,COL`` is our addition.
"""

from __future__ import annotations

import re
from typing import Final

from minesweeper.db.formats.format import Readable, first_line, imported_record, quote, reader, text_of, whole, writer
from minesweeper.player.core.board import HIDDEN, Board, Puzzle, View
from minesweeper.player.core.errors import FormatError, counted
from minesweeper.player.core.grid import check_size
from minesweeper.player.core.lazy_numpy import np

MARK: Final = "# MINESWEEPER-BOARD"
_VERSION: Final = f"{MARK} v0.1"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_CLICK: Final = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")
_MAX_LINES: Final = 10_000
_VIEW: Final = {str(clue): clue for clue in range(9)} | dict.fromkeys("UF?X@#*", HIDDEN)

write = writer(lambda record: to_text(record.puzzle).encode())
"""Write one board with its first click."""
read = reader(whole, lambda data: board_from_text(text_of(data)))


def looks_like(head: bytes) -> bool:
    """Return True if the first line is that of the format."""
    return first_line(head).startswith(MARK.encode())


def to_text(shown: Puzzle | Board | View) -> str:
    """Return the text of a puzzle or board, section ``[real]``, or of a view, section ``[view]``."""
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
    """Read the section ``[view]``. Raise `FormatError` or `BoardError` for other text."""
    keys, sections = _parts(text)
    if "view" not in sections:
        raise FormatError("the section [view] is missing")
    cells = []
    for number, line in enumerate(sections["view"], 1):
        strange = set(line) - _VIEW.keys()
        if strange:
            raise FormatError(f"invalid character {min(strange)!r} in row {number} of [view]; expected 0 to 8 or U")
        cells.append([_VIEW[char] for char in line])
    return View(np.array(cells, dtype=np.int8), _number(keys, "mines"))


def board_from_text(text: str) -> Readable:
    """Read the section ``[real]``, and the first click if given. Raise `FormatError` or `BoardError`."""
    keys, sections = _parts(text)
    if "real" not in sections:
        raise FormatError("the section [real] is missing; analyse reads views")
    board = Board.from_text("\n".join(sections["real"]))
    if board.mines != _number(keys, "mines"):
        raise FormatError(f"{counted(board.mines, 'mine')} on the board; expected {keys['mines']}, as the key says")
    if "first_click" not in keys:
        return board
    click = _CLICK.fullmatch(keys["first_click"])
    if click is None:
        raise FormatError(f"invalid first_click {quote(keys['first_click'])}; expected ROW,COL")
    return imported_record(Puzzle(board, (int(click[1]), int(click[2]))))


def _parts(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the keys of a file and the rows of its sections, after a check of their size."""
    lines = [line.strip() for line in text.splitlines()]
    if not lines or lines[0] != _VERSION:
        raise FormatError(f"line 1 is invalid; expected {_VERSION!r}: {quote(text[:100])}")
    if len(lines) > _MAX_LINES:
        raise FormatError(f"{len(lines)} lines; expected at most {_MAX_LINES}")
    keys: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        if line in ("[real]", "[view]"):
            if line[1:-1] in sections:
                raise FormatError(f"line {number}: second section {line}; expected one")
            rows = sections.setdefault(line[1:-1], [])
        elif rows is not None:
            rows.append(line)
        elif line.startswith("#"):
            name, _, value = line[1:].partition(":")
            if name.strip().lower() == "render" and value.strip() != "ascii":
                raise FormatError(f"line {number}: unknown rendering {quote(value.strip())}; expected ascii")
        else:
            name, colon, value = line.partition(":")
            if not colon:
                raise FormatError(f"line {number}: {quote(line)}; expected 'key: value', [real] or [view]")
            keys[name.strip()] = value.strip()
    height, width = _number(keys, "rows"), _number(keys, "columns")
    check_size((height, width))
    for name, section in sections.items():
        if len(section) != height:
            raise FormatError(f"{counted(len(section), 'row')} in [{name}]; expected {height}")
        for number, line in enumerate(section, 1):
            if len(line) != width:
                raise FormatError(
                    f"{counted(len(line), 'cell')} in row {number} of [{name}]; expected {width}: {quote(line)}"
                )
    return keys, sections


def _number(keys: dict[str, str], name: str) -> int:
    value = keys.get(name)
    if value is None or _NUMBER.fullmatch(value) is None:
        raise FormatError(f"invalid or missing key {name}: {quote(value)}; expected '{name}: NUMBER'")
    return int(value)
