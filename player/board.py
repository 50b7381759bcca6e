"""Boards, puzzles and views: immutable values, and their plain text.

A cell is ``(row, col)`` counted from 0, a size is written ``ROWSxCOLS`` and a size with its mines ``ROWSxCOLS/MINES``.
The shape of a grid that is not a rectangle follows: ``16x30/99 torus``. In texts, ``-`` is a hole of the grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from minesweeper.player.errors import BoardError, counted
from minesweeper.player.grid import (
    MAX_SIDE,
    SHAPE_PATTERN,
    Cell,
    CellLike,
    Grid,
    Shape,
    as_cell,
    board_name,
    cell_of,
    check_shape,
    check_size,
    grid_of,
    in_words,
    size_name,
)
from minesweeper.player.lazy_numpy import NDArray, np
from minesweeper.player.native import kernel
from minesweeper.player.steps import ArrayValue

_Scalar = TypeVar("_Scalar", bound="np.generic")

HIDDEN: Final = -1
MINE_DRAWN: Final = 9
"""The value of a mine in cells to draw."""
_SHOWN: Final = bytes.maketrans(bytes([*range(9), HIDDEN % 256]), b"012345678#")
_BITS_READ: Final = bytes.maketrans(b"01", b"\0\1")
_BITS_WRITTEN: Final = bytes.maketrans(b"\0\1", b"01")
_DRAWN: Final = bytes.maketrans(b"\0\1", b".*")

_HIDDEN_MARKS: Final = "#?_x"
_NAME = re.compile(rf"([0-9]{{1,9}})[xX]([0-9]{{1,9}})/([0-9]{{1,9}})(?: +({SHAPE_PATTERN}))?")


def size_to_json(rows: int, cols: int, mines: int, shape: Shape) -> dict[str, int | str]:
    """Return a size, its mines and, unless it is a rectangle, the name of its grid as plain data for JSON."""
    return {"rows": rows, "cols": cols, "mines": mines, **({"grid": shape.label} if shape else {})}


def cells_of(marks: NDArray[np.bool_]) -> tuple[Cell, ...]:
    """List the cells that are marked, in reading order."""
    rows, cols = np.nonzero(marks)
    return tuple(zip(rows.tolist(), cols.tolist(), strict=True))


def frozen(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return a read-only copy of an array. An array over `bytes` is read-only already and is not copied."""
    base: object = array.base
    if isinstance(base, bytes) and array.flags.c_contiguous:
        return array
    copy = np.array(array, order="C")
    copy.setflags(write=False)
    return copy


def _text_rows(text: str, what: str, marks: str, expected: str) -> list[str]:
    """Split text into equally long rows of these marks and clues, blanks and empty lines dropped."""
    lines = ["".join(line.split()) for line in text.splitlines()]
    grid = [line for line in lines if line]
    if not grid:
        raise BoardError(f"no text; expected the rows of a {what}")
    for number, line in enumerate(grid, 1):
        strange = set(line) - set(f"{marks}-.012345678")
        if strange:
            raise BoardError(f"{min(strange)!r} in row {number} of the {what}; expected {expected} or a clue 0 to 8")
        if len(line) != len(grid[0]):
            cells = counted(len(line), "cell")
            raise BoardError(f"row {number} of the {what} has {cells}: {line[:60]!r}; row 1 has {len(grid[0])}")
    check_size(len(grid), len(grid[0]))
    return grid


def text_shape(rows: list[str], shape: Shape) -> Shape:
    """Return the shape of a grid in text: `shape`, with the holes in the text. Raises `BoardError` for other holes."""
    if not any("-" in row for row in rows):
        return shape
    found = shape.with_holes(np.array([[mark == "-" for mark in row] for row in rows]))
    if shape.holes and found != shape:
        raise BoardError("the holes '-' in the rows are not those of the named grid")
    return found


def _with_holes(lines: list[str], grid: Grid) -> list[str]:
    """Return the rows of a text with a mark at each hole."""
    if not grid.holes:
        return lines
    holes = grid.hole_map.tolist()
    return [
        "".join("-" if hole else mark for mark, hole in zip(*row, strict=True))
        for row in zip(lines, holes, strict=True)
    ]


@dataclass(frozen=True, init=False)
class Board:
    r"""The positions of all mines.

    Constructed from a (rows, cols) array of bool and the shape of its grid or its name, by default a rectangle; `cells`
    holds a byte for each cell, row by row, 1 for a mine, else 0. Boards compare and hash by value. Raises `BoardError`
    for a map that is not two-dimensional, has a side outside 1 to 4000, a mine in a hole or does not allow the shape.

    >>> board = ms.Board.from_text("..*\n...")
    >>> board.mines
    1
    >>> board.clues.tolist()
    [[0, 1, -1], [0, 1, 1]]
    >>> print(board.to_text(clues=True))
    .1*
    .11
    """

    rows: int
    cols: int
    cells: bytes
    shape: Shape = Shape.RECTANGLE

    def __init__(self, mine_map: NDArray[np.bool_], shape: Shape | str = Shape.RECTANGLE) -> None:
        array = np.asarray(mine_map)
        if array.ndim != 2 or array.dtype != np.bool_:
            raise BoardError(f"{array.ndim}-dimensional array of {array.dtype}; expected two dimensions of bool")
        rows, cols = map(int, array.shape)
        shape = Shape.named(shape)
        check_shape(rows, cols, shape)
        vars(self).update(rows=rows, cols=cols, cells=array.tobytes(), shape=shape)
        self._check_holes()

    def _check_holes(self) -> None:
        if self.shape.holes and (self.mine_map & self.grid.hole_map).any():
            cell = cells_of(self.mine_map & self.grid.hole_map)[0]
            raise BoardError(f"mine {cell} is in a hole of the grid; expected mines in its cells")

    @classmethod
    def unchecked(cls, rows: int, cols: int, cells: bytes, shape: Shape = Shape.RECTANGLE) -> Board:
        """Construct without validation."""
        board = cls.__new__(cls)
        vars(board).update(rows=rows, cols=cols, cells=cells, shape=shape)
        return board

    @classmethod
    def from_cells(cls, rows: int, cols: int, mines: Iterable[CellLike], shape: Shape | str = Shape.RECTANGLE) -> Board:
        """Build a board from its mine cells. Raises `BoardError` for a cell off the board or given twice."""
        grid = grid_of(rows, cols, Shape.named(shape))
        mine_map = np.zeros((rows, cols), dtype=np.bool_)
        for mine in mines:
            cell = cell_of(grid, mine, "mine")
            if mine_map[cell]:
                raise BoardError(f"mine {cell} is given twice")
            mine_map[cell] = True
        return cls(mine_map, grid.shape)

    @classmethod
    def from_text(cls, text: str, shape: Shape | str = Shape.RECTANGLE) -> Board:
        """Read rows of ``*`` (mine) and ``.`` or a digit (safe). A digit must be the cell's true clue.

        Blanks between cells and empty lines are dropped. Raises `BoardError` with the number of the wrong row.
        """
        grid = _text_rows(text, "board", "*", "'*', '.'")
        marks = np.frombuffer("".join(grid).encode(), dtype=np.uint8).reshape(len(grid), -1)
        board = cls(marks == ord("*"), text_shape(grid, Shape.named(shape)))
        wrong = (marks >= ord("0")) & (marks != board.clues + ord("0"))
        if wrong.any():
            row, col = divmod(int(wrong.argmax()), board.cols)
            true = counted(int(board.clues[row, col]), "mine")
            raise BoardError(f"clue {grid[row][col]!r} at {(row, col)} is wrong; the cell touches {true}")
        return board

    @classmethod
    def from_bytes(cls, rows: int, cols: int, data: bytes, shape: Shape | str = Shape.RECTANGLE) -> Board:
        """Unpack the result of `to_bytes`. Raises `BoardError` for a wrong length or a set padding bit."""
        shape = Shape.named(shape)
        check_shape(rows, cols, shape)
        cells = rows * cols
        if len(data) != (cells + 7) // 8:
            size = size_name(rows, cols)
            raise BoardError(f"{counted(len(data), 'byte')} for a {size} board; expected {(cells + 7) // 8}")
        bits = f"{int.from_bytes(data):0{8 * len(data)}b}".encode()
        if bits.find(b"1", cells) >= 0:
            raise BoardError(f"a padding bit is set; expected zeros after the last of {cells} cells")
        board = cls.unchecked(rows, cols, bits[:cells].translate(_BITS_READ), shape)
        board._check_holes()
        return board

    def to_bytes(self) -> bytes:
        """Pack the mines as one bit for each cell, row by row, most significant bit first, zeros at the end."""
        size = (len(self.cells) + 7) // 8
        return (int(self.cells.translate(_BITS_WRITTEN), 2) << 8 * size - len(self.cells)).to_bytes(size)

    def to_text(self, *, clues: bool = False) -> str:
        """Return text that `from_text` reads; with `clues`, safe cells show their clue (0 as ``.``)."""
        if not clues:
            cells, cols = self.cells.translate(_DRAWN).decode(), self.cols
            lines = [cells[start : start + cols] for start in range(0, len(cells), cols)]
        else:
            lines = ["".join(".12345678*"[clue] for clue in row) for row in self.clues.tolist()]
        return "\n".join(_with_holes(lines, self.grid))

    @property
    def grid(self) -> Grid:
        """The cells and their neighbours."""
        return grid_of(self.rows, self.cols, self.shape)

    @cached_property
    def mine_map(self) -> NDArray[np.bool_]:
        """The mines: a read-only (rows, cols) array."""
        return np.frombuffer(self.cells, dtype=np.bool_).reshape(self.rows, self.cols)

    @property
    def safe_map(self) -> NDArray[np.bool_]:
        """The safe cells: a (rows, cols) array."""
        safe: NDArray[np.bool_] = ~(self.mine_map | self.grid.hole_map)
        return safe

    @cached_property
    def mines(self) -> int:
        """The number of mines."""
        return self.cells.count(1)

    @property
    def safe_cells(self) -> int:
        """The number of safe cells."""
        return self.grid.cells - self.mines

    @cached_property
    def clues(self) -> NDArray[np.int8]:
        """The clue of every safe cell, -1 at mines: a read-only (rows, cols) array."""
        return frozen(np.where(self.mine_map, np.int8(-1), self.grid.count(self.mine_map)))

    @property
    def shown(self) -> NDArray[np.int8]:
        """All clues and mines for drawing: a (rows, cols) array with `MINE_DRAWN` for a mine."""
        return np.where(self.mine_map, np.int8(MINE_DRAWN), self.clues)

    @property
    def name(self) -> str:
        """Size, mines and shape, e.g. ``16x30/99`` or ``16x30/99 torus``."""
        return board_name(self.rows, self.cols, self.mines, self.shape)

    @property
    def title(self) -> str:
        """The name for people, with the number of its holes: ``16x30/60 torus, 12 holes``."""
        return in_words(self.name)

    def size_to_json(self) -> dict[str, int | str]:
        """Return rows, cols, mines and, unless it is a rectangle, the grid as plain data for JSON."""
        return size_to_json(self.rows, self.cols, self.mines, self.shape)

    def opening(self, cell: CellLike) -> NDArray[np.intp]:
        """List the cells that a click on a safe cell opens, numbered ``row * cols + col``: a zero opens its opening."""
        cell = as_cell(cell)
        number = cell[0] * self.cols + cell[1]
        if self.clues[cell] > 0:
            return np.array([number])
        clues, closed = self.clues.ravel(), ~self.mine_map.ravel()
        wave = np.array([number])
        closed[wave] = False
        waves = [wave]
        while wave.size:
            reached = np.unique(self.grid.around(wave[clues[wave] == 0]))
            wave = reached[closed[reached]]
            closed[wave] = False
            waves.append(wave)
        return np.concatenate(waves)

    def _repr_svg_(self) -> str:
        from minesweeper.player.drawing.svg import draw_svg

        return draw_svg(self.shown, self.title, shape=self.shape)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Board {self.title}>"


@dataclass(frozen=True, init=False)
class Puzzle:
    r"""A board and its first click, a safe cell. Raises `BoardError` for a click on a mine or off the board.

    >>> puzzle = ms.Puzzle(ms.Board.from_text("..*\n..."), (1, 0))
    >>> puzzle.id
    '6ac0d92a3b594fca954a'
    >>> print(puzzle.view)
    2x3/1
    01#
    01#
    """

    board: Board
    first_click: Cell

    def __init__(self, board: Board, first_click: CellLike) -> None:
        row, col = first_click = cell_of(board.grid, first_click, "first click")
        if board.cells[row * board.cols + col]:
            raise BoardError(f"first click {first_click} is a mine; expected a safe cell")
        vars(self).update(board=board, first_click=first_click)

    @classmethod
    def unchecked(cls, board: Board, first_click: Cell) -> Puzzle:
        """Construct without validating the first click."""
        puzzle = cls.__new__(cls)
        vars(puzzle).update(board=board, first_click=first_click)
        return puzzle

    @cached_property
    def id(self) -> str:
        """20 hexadecimal digits: the first 80 bits of the SHA-256 of size, shape, first click and mines."""
        from hashlib import sha256

        board = self.board
        shape = b"~%d" % board.shape.kind if board.shape else b""
        if board.shape.holes:
            shape += b"~" + Board.unchecked(board.rows, board.cols, board.shape.holes).to_bytes()
        head = b"%dx%d%b@%d,%d:" % (board.rows, board.cols, shape, *self.first_click)
        return sha256(head + board.to_bytes()).hexdigest()[:20]

    def images(self) -> Iterator[Puzzle]:
        """Yield its symmetric images, as `Grid.images` defines them; some may be equal."""
        board, (row, col) = self.board, self.first_click
        for grid, places in board.grid.images(self.first_click):
            mine_map = np.zeros(len(places), dtype=np.bool_)
            mine_map[places] = board.mine_map.ravel()
            click = divmod(int(places[row * board.cols + col]), grid.cols)
            yield Puzzle(Board(mine_map.reshape(grid.rows, grid.cols), grid.shape), click)

    @property
    def view(self) -> View:
        """The view after the first click."""
        cells = np.full(self.board.mine_map.size, HIDDEN, dtype=np.int8)
        opened = self.board.opening(self.first_click)
        cells[opened] = self.board.clues.ravel()[opened]
        return View(cells.reshape(self.board.mine_map.shape), self.board.mines, self.board.shape)

    def _repr_svg_(self) -> str:
        from minesweeper.player.drawing.svg import draw_svg

        return draw_svg(self.view.cells, self.board.title, shape=self.board.shape, marked=self.first_click)

    def __repr__(self) -> str:
        return f"<Puzzle {self.id} {self.board.title} at {self.first_click}>"


class CellArray(ArrayValue):
    """Base of dataclasses with `cells`, a read-only (rows, cols) array of int8. They compare and hash by value."""

    cells: NDArray[np.int8]

    def _check(self, least: int, expected: str, longest: int = MAX_SIDE) -> None:
        """Freeze the cells. Raises `BoardError` for a side above `longest` or values that are not `least` to 8."""
        array = np.asarray(self.cells)
        if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
            raise BoardError(f"{array.ndim}-dimensional array of {array.dtype}; expected two dimensions of integers")
        rows, cols = array.shape
        check_size(rows, cols, longest)
        if array.min() < least or array.max() > 8:
            raise BoardError(f"cells from {array.min()} to {array.max()}; expected {expected}")
        object.__setattr__(self, "cells", frozen(array.astype(np.int8)))

    @property
    def rows(self) -> int:
        return int(self.cells.shape[0])

    @property
    def cols(self) -> int:
        return int(self.cells.shape[1])

    def __hash__(self) -> int:
        return hash((self.cells.shape, self.cells.tobytes()))


@dataclass(frozen=True, eq=False)
class View(CellArray):
    r"""The position as the player sees it: a clue or `HIDDEN` for every cell, and the number of mines on the board.

    `cells` is a read-only (rows, cols) array of int8 with -1 (`HIDDEN`) or a clue 0 to 8. `shape` is that of the grid
    or its name; its holes become 0. A view has no flags. Views compare and hash by value. Raises
    `BoardError` for other values, or for a number of mines that is negative or larger than the number of hidden cells.

    >>> view = ms.View.from_text("2x5/2\n#121#\n#####")
    >>> view
    <View 2x5/2, 7 hidden>
    >>> view.cells[0].tolist()
    [-1, 1, 2, 1, -1]
    """

    cells: NDArray[np.int8]
    mines: int
    shape: Shape = Shape.RECTANGLE

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", Shape.named(self.shape))
        self._check(HIDDEN, f"{HIDDEN} (hidden) or a clue 0 to 8")
        check_shape(self.rows, self.cols, self.shape)
        if self.shape.holes:
            object.__setattr__(self, "cells", frozen(np.where(self.grid.hole_map, np.int8(0), self.cells)))
        hidden = int(np.count_nonzero(self.cells == HIDDEN))
        if not 0 <= self.mines <= hidden:
            raise BoardError(f"{counted(self.mines, 'mine')}; expected 0 to {hidden}, the number of hidden cells")

    @classmethod
    def hidden(cls, rows: int, cols: int, mines: int, shape: Shape | str = Shape.RECTANGLE) -> View:
        """Return the view before the first click."""
        check_size(rows, cols)
        return cls(np.full((rows, cols), HIDDEN, dtype=np.int8), mines, Shape.named(shape))

    @property
    def grid(self) -> Grid:
        """The cells and their neighbours."""
        return grid_of(self.rows, self.cols, self.shape)

    @property
    def opened(self) -> NDArray[np.bool_]:
        """The open cells: a (rows, cols) array."""
        opened: NDArray[np.bool_] = (self.cells != HIDDEN) & ~self.grid.hole_map
        return opened

    def size_to_json(self) -> dict[str, int | str]:
        """Return rows, cols, mines and, unless it is a rectangle, the grid as plain data for JSON."""
        return size_to_json(self.rows, self.cols, self.mines, self.shape)

    @property
    def native(self) -> tuple[kernel.View]:
        """The first argument of kernel functions that work on a view."""
        return (kernel.View(self.cells, self.mines, self.grid.native),)

    @classmethod
    def from_text(cls, text: str, mines: int | None = None, shape: Shape | str = Shape.RECTANGLE) -> View:
        """Read rows of hidden cells and clues ``0`` to ``8``.

        A hidden cell is ``#``, ``?``, ``_`` or ``x``, the same character in the whole text. ``.`` is a zero beside one
        of these; in a text without them it is a hidden cell, or a zero if there are no mines. Blanks between cells and
        empty lines are dropped. The number of mines is `mines` or in a first line ``ROWSxCOLS/MINES``, which may name
        a grid, e.g. ``16x30/99 torus``. Raises `BoardError` with the number of the wrong row, or if the number of mines
        is missing or contradictory.
        """
        head, _, rest = text.lstrip().partition("\n")
        named, shape = _NAME.fullmatch(head.strip()), Shape.named(shape)
        if named is not None:
            if mines is not None and mines != int(named[3]):
                raise BoardError(f"first line {head.strip()!r} contradicts the given number of mines, {mines}")
            text, mines, shape = rest, int(named[3]), Shape.named(named[4]) if named[4] else shape
        if mines is None:
            raise BoardError("no number of mines; expected a first line ROWSxCOLS/MINES, e.g. 16x30/99")
        grid = _text_rows(text, "view", _HIDDEN_MARKS, "'#'")
        hidden = [mark for mark in _HIDDEN_MARKS if any(mark in line for line in grid)]
        if len(hidden) > 1:
            raise BoardError(f"hidden cells are {hidden[0]!r} and {hidden[1]!r}; expected one character for all")
        if named is not None and (len(grid), len(grid[0])) != (int(named[1]), int(named[2])):
            found = size_name(len(grid), len(grid[0]))
            raise BoardError(f"the rows make {found}; expected {named[1]}x{named[2]}, as in the first line")
        hidden_mark = hidden[0] if hidden else "." if mines else ""
        values = bytes([HIDDEN % 256 if chr(code) in hidden_mark else max(code - ord("0"), 0) for code in range(128)])
        cells = "".join(grid).encode().translate(values + bytes(128))
        return cls(np.frombuffer(cells, dtype=np.int8).reshape(len(grid), -1), mines, text_shape(grid, shape))

    def showing(self, cell: Cell, clue: int) -> View:
        """Return this view with one more cell open, showing `clue`. Raises `BoardError` as the class does."""
        cells = self.cells.copy()
        cells[cell] = clue
        return View(cells, self.mines, self.shape)

    def extends(self, earlier: NDArray[np.int8]) -> bool:
        """Return True if every cell open in `earlier`, the cells of a view, shows the same clue here."""
        return earlier.shape == self.cells.shape and bool(((earlier == HIDDEN) | (earlier == self.cells)).all())

    def to_text(self) -> str:
        """Return text that `from_text` reads, with the first line."""
        return "\n".join([self.name, *self.lines])

    @property
    def lines(self) -> list[str]:
        """The rows of `to_text`."""
        shown, cols = self.cells.tobytes().translate(_SHOWN).decode(), self.cols
        return _with_holes([shown[start : start + cols] for start in range(0, len(shown), cols)], self.grid)

    @property
    def name(self) -> str:
        """Size, mines and shape, e.g. ``16x30/99`` or ``16x30/99 torus``."""
        return board_name(self.rows, self.cols, self.mines, self.shape)

    @property
    def title(self) -> str:
        """The name for people, with the number of its holes: ``16x30/60 torus, 12 holes``."""
        return in_words(self.name)

    def _repr_svg_(self) -> str:
        from minesweeper.player.drawing.svg import draw_svg

        return draw_svg(self.cells, self.title, shape=self.shape)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<View {self.title}, {int(np.count_nonzero(self.cells == HIDDEN))} hidden>"


def hidden_cell(view: View, cell: CellLike) -> Cell:
    """Convert a pair of integers to a hidden cell of a view. Raises `BoardError` for anything else."""
    found = cell_of(view.grid, cell)
    if view.cells[found] != HIDDEN:
        raise BoardError(f"cell {found} is open; expected a hidden cell")
    return found


ViewLike = View | Puzzle | str
"""Input of `as_view`."""


def as_view(view: ViewLike) -> View:
    """Return a view, the view of a text as `View.from_text` reads it, or the view after the first click of a puzzle.

    Raises `TypeError` for anything else, and `BoardError`.
    """
    if isinstance(view, View):
        return view
    if isinstance(view, Puzzle):
        return view.view
    if isinstance(view, str):
        return View.from_text(view)
    raise TypeError(f"expected a View, its text or a Puzzle, got {type(view).__name__}")
