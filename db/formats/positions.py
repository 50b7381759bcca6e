"""Reader of positions in any format, recognised by content.

A position is a view as text, a drawing with rulers as ``packs show``, ``autoplay --watch`` and ``analyse`` print it,
the section ``[view]`` of MINESWEEPER-BOARD, a text of JSMinesweeper, a grid of Gem Hunter, a picture of a board, or a
puzzle in any readable format of packs. A recorded game is read as its board and first click; it is recognised by its
file extension.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple

from minesweeper.db.formats import board_text, mine
from minesweeper.db.formats.format import MAX_BYTES, Readable, check_rectangle, imported_record, peek, quote, text_of
from minesweeper.db.formats.registry import FORMATS, JSON_LINES, RECORDED, Format, format_named, format_recognised
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.board import HIDDEN, Board, Puzzle, View, cells_of, grid_of_text
from minesweeper.player.core.errors import BoardError, FormatError, counted
from minesweeper.player.core.game import Game
from minesweeper.player.core.grid import KINDS, LABEL_PATTERN, Cell, check_size
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.mine_range import MINES_PATTERN, MineRange, MinesLike, as_mines, parse_mines
from minesweeper.player.gems.puzzle import TRAP, UNKNOWN_CELL
from minesweeper.player.gems.text import parse_puzzle
from minesweeper.player.see.reading import Reading, is_picture, read_image

Source = str | bytes | Path | BinaryIO
Snapshot = View | Board | Puzzle
OpenedCells = Iterable[Cell] | Literal["all"]

_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_GRID: Final = "|".join(sorted(KINDS, key=len, reverse=True))
_NAME: Final = re.compile(
    rf"\b([0-9]{{1,4}})x([0-9]{{1,4}})/({MINES_PATTERN})(?![0-9])(?: ((?:{_GRID})\b(?: ?holes [0-9.#/]+)?))?"
)
_HEAD: Final = re.compile(rf"\s*[0-9]{{1,9}}[xX][0-9]{{1,9}}/{MINES_PATTERN}( +{LABEL_PATTERN})?\s*")
_MINES: Final = re.compile(r"^mines\s+([0-9]{1,8})\s*$", re.MULTILINE)
_CLICK: Final = re.compile(r"^first click\s+([0-9]{1,4}),([0-9]{1,4})\s*$", re.MULTILINE)
_ROW: Final = re.compile(r"\s*([0-9]{1,4}) (.*)")
_CLUES: Final = {".": 0} | {str(clue): clue for clue in range(9)}
_HIDDEN: Final = "#s*X?abcdef"
# Blocks, squares and tiles that people paste for hidden cells.
_SQUARES: Final = (
    "\u2588\u2593\u2592\u2591\u25a0\u25a1\u25a2\u25a3\u25aa\u25ab"
    "\u25fb\u25fc\u25fd\u25fe\u2b1b\u2b1c\U0001f7e6\U0001f7e9"
)
# People also write h, f and m: hidden, a flag and a mine.
_TYPED: Final = str.maketrans(dict.fromkeys(_SQUARES + "?_xXhHfFmM", "#") | dict.fromkeys(",;| \t\r\ufe0f", ""))
_TEXT_FORMATS: Final = "a view under ROWSxCOLS/MINES, a drawing with rulers, a Gem Hunter grid"


class ViewFormat(NamedTuple):
    """A format of views: its title, the extension of its files, and the function that writes it.

    A `foreign` format, of another program, has rectangles only.
    """

    title: str
    extension: str
    write: Callable[[View], str]
    foreign: bool = False


POSITION_FORMATS: Final = {
    "text": ViewFormat("text, as here", ".txt", View.to_text),
    "view.board": ViewFormat("MINESWEEPER-BOARD view", ".board", board_text.to_text, foreign=True),
    "view.mine": ViewFormat("JSMinesweeper view", ".mine", mine.to_text, foreign=True),
    "view.svg": ViewFormat("a drawing", ".svg", View._repr_svg_),
}
"""The formats of views, by name."""


def read_position(source: Source, mines: MinesLike | None = None, *, opened: OpenedCells = (), index: int = 0) -> View:
    r"""Read a view from text, bytes, a binary stream, or the file at a `Path`.

    A puzzle is read as its view after the first click, and a board without one as a view without open cells; `opened`
    lists cells to open after that, or is ``"all"`` for every safe cell. `mines` is the number of mines if the text
    lacks it, or its range or density, as in `View`. `index` chooses a puzzle of a pack, from 0. Raise `FormatError` or
    `BoardError` for an invalid position, and `OSError` for a file that cannot be read.

    >>> ms.read_position("2x3/1\n01#\n01#")
    <View 2x3/1, 2 hidden>
    """
    return view_of(read_shown(source, mines, index=index), opened)


def view_of(shown: Snapshot, opened: OpenedCells = ()) -> View:
    """Return the view of a position with more cells open. Raise `FormatError` for a cell that cannot be opened."""
    cells = opened if opened == "all" else tuple(opened)
    if isinstance(shown, View):
        if cells:
            raise FormatError("cannot open cells of a view; expected a puzzle or a board")
        return shown
    board = shown.board if isinstance(shown, Puzzle) else shown
    if cells == "all":
        return board.view(board.safe_map)
    game = Game(board)
    for cell in (*([shown.first_click] if isinstance(shown, Puzzle) else []), *cells):
        if not (0 <= cell[0] < board.rows and 0 <= cell[1] < board.cols):
            raise FormatError(f"the cell {cell} is outside the board of {board.grid.name} cells")
        if board.mine_map[cell]:
            raise FormatError(f"the cell {cell} is a mine; expected a safe cell to open")
        try:
            game.open(cell)
        except BoardError:
            break  # All safe cells are open.
    return game.view


def write_position(shown: View | Puzzle, name: str) -> bytes:
    """Return a view or puzzle in a format of `POSITION_FORMATS`, or a puzzle in a format of packs.

    Raise `FormatError` for other formats, and for a view in a format with mines.
    """
    if isinstance(shown, Puzzle) and name not in POSITION_FORMATS:
        pack = format_named(name)
        if pack.in_file:
            raise FormatError(f"the format {name!r} cannot be written to a stream")
        stream = io.BytesIO()
        pack.write([imported_record(shown)], stream)
        return stream.getvalue()
    if name not in POSITION_FORMATS:
        raise FormatError(f"a view cannot be written as {format_named(name).title}, which needs all mines")
    view = shown if isinstance(shown, View) else view_of(shown)
    form = POSITION_FORMATS[name]
    if form.foreign:
        check_rectangle(view, form.title)
    return form.write(view).encode()


def write_drawn(rows: Sequence[str], mines: int, name: str) -> bytes:
    """Return a drawn position in a format, see `write_position`; in `rows`, `*` marks a mine for formats with mines.

    The puzzle's first click is an open cell, a zero if possible; without open cells, any safe cell.
    """
    view = View.from_text("\n".join(row.replace("*", "#") for row in rows), mines)
    marked = [(row, col) for row, line in enumerate(rows) for col, code in enumerate(line) if code == "*"]
    if name in POSITION_FORMATS or len(marked) != view.mines:
        return write_position(view, name)
    board = Board.from_cells(view.grid, marked)
    opened, zeros = view.opened, board.safe_map & (board.clues == 0)
    for marks in (zeros & opened, opened, zeros, board.safe_map):
        if marks.any():
            return write_position(Puzzle(board, cells_of(marks)[0]), name)
    raise FormatError("every cell is a mine; a puzzle needs a safe first click")


def read_shown(
    source: Source,
    mines: MinesLike | None = None,
    *,
    index: int = 0,
    limited: bool = False,
    note: Callable[[str], object] = lambda words: None,
) -> Snapshot:
    """Read a position as `read_position` does, but return a puzzle or board as it is; `limited` as for `reading`.

    If typed rows can be read in two ways, `note` gets a sentence that says which one was taken.
    """
    if isinstance(source, Path):
        if source.suffix.lower() in RECORDED:
            played = recorded(source)
            return played.puzzle if isinstance(played, PuzzleRecord) else played
        with source.open("rb") as file:
            return read_shown(file, mines, index=index, limited=limited, note=note)
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    head, stream = peek(io.BytesIO(data) if isinstance(data, bytes) else data)
    if is_picture(head):
        return _of_picture(head, mines, note)
    pack = format_recognised(head)
    if pack is JSON_LINES and (view := _analysis(head)) is not None:
        return view
    if pack is not None and pack.name not in ("board", "mine"):
        return _of_pack(pack, stream, index, limited=limited)
    if len(head) > MAX_BYTES:
        raise FormatError(f"the position is too long; expected at most {MAX_BYTES >> 20} MiB: {quote(head)}")
    text = _COLOUR.sub("", text_of(head)).lstrip("\r\n") if b"\0" not in head else ""
    if not text.strip():
        raise FormatError("no position in empty input" if not head.strip() else _unknown(head))
    for read in (_marked, _drawn, _gems, partial(_typed, note=note)):
        shown = read(text, mines)
        if shown is not None:
            found = _mines_of(shown)
            if mines is not None and as_mines(mines) != found:
                words = counted(found, "mine") if isinstance(found, int) else f"{found} mines"
                raise BoardError(f"the position has {words}; expected {as_mines(mines)}")
            return shown
    raise FormatError(_unknown(text))


def _of_picture(head: bytes, mines: MinesLike | None, note: Callable[[str], object]) -> View:
    """Read the largest board in a picture, and say which of its cells are doubtful."""
    if len(head) > MAX_BYTES:
        raise FormatError(f"the picture is too long; expected at most {MAX_BYTES >> 20} MiB")
    reading = read_image(head)
    if reading.doubtful:
        note(f"{reading.in_words()}; check the drawing, or write the position as text")
    return reading.view if mines is None else View(reading.cells, mines)


def _finished(reading: Reading) -> Board:
    """Return the board of a game that is won, so that only mines are hidden, or lost, with its mines shown."""
    if reading.doubtful:
        raise FormatError(f"the picture has {reading.in_words()}; write the board as text")
    hidden = reading.cells == HIDDEN
    board = Board(reading.mines_shown | reading.flags if reading.mines_shown.any() else hidden)
    if (board.clues != reading.cells)[~hidden].any():
        raise FormatError("the picture shows no whole board; expected a game that is won or lost")
    return board


def _mines_of(shown: Snapshot) -> int | MineRange:
    if isinstance(shown, View):
        return shown.mine_count
    return (shown.board if isinstance(shown, Puzzle) else shown).mines


def _analysis(head: bytes) -> View | None:
    """Read the view in the output of ``analyse --json``; return None for other text."""
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return None
    view, mines = found.get("view"), found.get("mines")
    if isinstance(view, list) and all(isinstance(row, str) for row in view) and type(mines) in (int, str):
        return View.from_text("\n".join(view), parse_mines(str(mines)), str(found.get("grid") or ""))
    return None


def recorded(path: Path) -> Readable:
    """Read the puzzle of a recorded game, or its board if the first click was a mine."""
    from minesweeper.player.play.recorded_games import read_recording

    game = read_recording(path)
    first = game.clicks[0].cell if game.clicks else None
    return game.board if first is None or game.board.mine_map[first] else imported_record(Puzzle(game.board, first))


def drawings(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of a text in no format of packs, each with its place and for `drawing`.

    A part begins at a ruler of columns, or at a row after a blank line if the text has no ruler.
    """
    lines = [data] if len(data) > MAX_BYTES or b"\0" in data else data.splitlines(keepends=True)
    text = [_COLOUR.sub("", line.decode("latin-1")).strip() for line in lines]
    starts = [number for number, (line, below) in enumerate(pairwise(text)) if _ruler(line) and _is_first_row(below)]
    starts = starts or [number for number, (above, line) in enumerate(pairwise(["", *text])) if line and not above]
    for start, end in pairwise([0, *starts[1:], len(lines)] if starts else ()):
        yield (f"line {start + 1}" if len(starts) > 1 else ""), b"".join(lines[start:end])


def drawing(data: bytes) -> Readable:
    """Read one of `drawings`, such as the output of ``packs show``, or the picture of a finished game."""
    if is_picture(data):
        return _finished(read_image(data))
    shown = read_shown(data)
    if isinstance(shown, View):
        raise FormatError("this is a view; expected a puzzle or a board (analyse reads views)")
    return imported_record(shown) if isinstance(shown, Puzzle) else shown


def _unknown(found: str | bytes) -> str:
    titles = ", ".join(pack.title for pack in FORMATS if pack.readable)
    return (
        f"unknown format: {quote(found.strip())}; expected {_TEXT_FORMATS}, {titles}, "
        f"or a recorded game in a file ({', '.join(RECORDED)})"
    )


def _of_pack(pack: Format, stream: BinaryIO, index: int, *, limited: bool) -> Snapshot:
    """Read the puzzle number `index` of a pack."""
    if not pack.readable:
        raise FormatError(f"{pack.title} is only written, not read; expected a position")
    count = 0
    with pack.reading(stream, limited=limited) as reader:
        for count, found in enumerate(reader, 1):
            if count > index:
                return found.puzzle if isinstance(found, PuzzleRecord) else found
    raise FormatError(f"no puzzle with index {index} in {pack.title}; puzzles: {count}")


def _marked(text: str, mines: MinesLike | None) -> Snapshot | None:
    """Read a text of MINESWEEPER-BOARD or JSMinesweeper: a view, or else a board."""
    head = text.lstrip().partition("\n")[0].strip()
    if head.startswith(board_text.MARK):
        if re.search(r"^\s*\[view\]\s*$", text, re.MULTILINE):
            return board_text.view_from_text(text.lstrip())
        found = board_text.board_from_text(text.lstrip())
        return found.puzzle if isinstance(found, PuzzleRecord) else found
    if not mine.HEAD.fullmatch(head):
        return None
    view = mine.view_from_text(text)
    try:
        # With all mines marked and all other cells open, it is a board.
        return mine.board_from_text(text) if view.mines else view
    except FormatError:
        return view


def _drawn(text: str, mines: MinesLike | None) -> Snapshot | None:
    """Read the first drawing: a ruler of the columns, then numbered rows; other lines have the mines or the click."""
    lines = text.splitlines()
    for number, line in enumerate(lines[:-1]):
        width = _ruler(line)
        if width and _is_first_row(lines[number + 1]):
            rows: list[str] = []
            for below in lines[number + 1 :]:
                row = _ROW.fullmatch(below)
                cells = "" if row is None else "".join(row[2].split())
                if row is None or int(row[1]) != len(rows) or len(cells) != width:
                    break
                rows.append(cells)
            if rows:
                return _of_drawing(rows, "\n".join(lines[:number] + lines[number + 1 + len(rows) :]), mines)
    return None


def _is_first_row(line: str) -> bool:
    row = _ROW.fullmatch(line)
    return row is not None and row[1] == "0"


def _ruler(line: str) -> int:
    """Return the number of columns in a ruler, the last digits of 0, 1, 2, ...; 0 for other lines."""
    digits = "".join(line.split())
    return len(digits) if digits and digits == ("0123456789" * (len(digits) // 10 + 1))[: len(digits)] else 0


def _of_drawing(rows: list[str], around: str, mines: MinesLike | None) -> Snapshot:
    size = len(rows), len(rows[0])
    check_size(size)
    for number, row in enumerate(rows):
        strange = set(row) - set(_HIDDEN) - set("-") - _CLUES.keys()
        if strange:
            raise FormatError(f"invalid {min(strange)!r} in row {number} of the drawing; expected #, . or a clue")
    click, named, told = _CLICK.search(around), _NAME.search(around), _MINES.search(around)
    if named is not None and size != (int(named[1]), int(named[2])):
        found = "{}x{}".format(*size)
        raise FormatError(f"the drawing shows {found} cells; expected all of {named[1]}x{named[2]}")
    grid = grid_of_text(rows, (named[4] or "") if named is not None else "")
    if click is not None and not set("".join(rows)) - set("*-") - _CLUES.keys():
        board = Board.from_text("\n".join(rows), grid)
        return Puzzle(board, (int(click[1]), int(click[2])))
    if named is not None:
        mines = parse_mines(named[3])
    elif told is not None:
        mines = int(told[1])
    if mines is None:
        raise FormatError("the drawing lacks the number of mines; expected ROWSxCOLS/MINES, or --mines")
    cells = [[_CLUES.get(char, HIDDEN) for char in row] for row in rows]
    return View(np.array(cells, dtype=np.int8), mines, grid)


def _gems(text: str, mines: MinesLike | None) -> View | None:
    """Read a Gem Hunter grid; its traps and gems are hidden cells.

    Only a grid without unknown cells determines the number of traps.
    """
    rows = [line for line in text.splitlines() if line.strip()]
    if not any("," in row for row in rows) or any(set(row) - set("012345678_TG, \t") for row in rows):
        return None
    try:
        cells = parse_puzzle(text).cells
    except BoardError as error:
        raise FormatError(f"{error}") from error
    if mines is None:
        if (cells == UNKNOWN_CELL).any():
            raise FormatError("a Gem Hunter grid with unknown cells lacks the number of traps; add --mines")
        mines = int(np.count_nonzero(cells == TRAP))
    return View(np.where(cells <= TRAP, np.int8(HIDDEN), cells), mines)


def _typed(text: str, mines: MinesLike | None, note: Callable[[str], object]) -> Snapshot | None:
    """Read rows under ``ROWSxCOLS/MINES``, or rows alone; rows with mines are a board."""
    head, _, rest = text.lstrip().partition("\n")
    named = _HEAD.fullmatch(head) is not None
    rows = [line.translate(_TYPED) for line in (rest if named else text).strip().splitlines()]
    cells = set("".join(rows))
    if not cells - set("*-.012345678") and "*" in cells and not named:
        return Board.from_text("\n".join(rows))
    if not named and not _looks_like_cells(rows):
        return None
    try:
        view = View.from_text("\n".join([head, *rows] if named else rows), mines)
    except BoardError as error:
        if _looks_like_cells(rows) and not (named and mines is not None):
            error.add_note(_example(rows, mines))
        raise
    if "." in cells:
        zero = view.mine_count == 0 or "#" in cells
        note(f"'.' is read as {'the clue 0' if zero else 'a hidden cell'}; # is hidden and 0 is zero in any text")
    return view


def _looks_like_cells(rows: Sequence[str]) -> bool:
    """Return True if at least half of the characters are clues or usual marks of hidden cells."""
    text = "".join(rows)
    return 2 * sum(text.count(mark) for mark in "#.*012345678") >= max(len(text), 1)


def _example(rows: Sequence[str], mines: MinesLike | None) -> str:
    """Return how to write the first two rows of a position."""
    width = max(map(len, rows[:2]))
    shown = ["".join(cell if cell in "012345678" else "#" for cell in row).ljust(width, "#") for row in rows[:2]]
    hidden = "".join(shown).count("#")
    head = f"{len(shown)}x{width}/{min(hidden, mines if isinstance(mines, int) else 1 + hidden // 5)}"
    words = "use # for hidden cells and 0 to 8 for clues, and give the number of mines in the first line or by --mines"
    return "\n".join([f"{words}, for example:", head, *shown])
