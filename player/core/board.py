"""Boards, puzzles and views: immutable values, and their plain text.

A cell is ``(row, col)`` counted from 0, a size is written ``ROWSxCOLS`` and a size with its mines ``ROWSxCOLS/MINES``.
The label of a grid that is not a rectangle follows: ``16x30/99 torus``. In texts, ``-`` is a hole of the grid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from minesweeper.player.core.errors import BoardError, check_kind, counted
from minesweeper.player.core.grid import (
    KINDS,
    LABEL_PATTERN,
    MAX_SIDE,
    Cell,
    CellLike,
    Grid,
    Sized,
    as_cell,
    cell_of,
    check_size,
    grid_of,
)
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np
from minesweeper.player.core.limits import check_time
from minesweeper.player.core.mine_range import MINES_PATTERN, MinePrior, MineRange, MinesLike, as_mines, parse_mines

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_Scalar = TypeVar("_Scalar", bound="np.generic")

HIDDEN: Final = -1
MINE_DRAWN: Final = 9
"""The value of a mine in cells to draw."""
_SHOWN: Final = bytes.maketrans(bytes([*range(9), HIDDEN % 256]), b"012345678#")
_HOLES_READ: Final = bytes(code == ord("-") for code in range(256))
_BITS_READ: Final = bytes.maketrans(b"01", b"\0\1")
_BITS_WRITTEN: Final = bytes.maketrans(b"\0\1", b"01")
_DRAWN: Final = bytes.maketrans(b"\0\1", b".*")

_FEW_ZEROS: Final = 20
"""Arrays take longer for so few cells of a wave, and lists of neighbours more memory for many."""
_HIDDEN_MARKS: Final = "#?_x"
_FLAG: Final = "F"
_NO_CLUES: Final = frozenset(("None", "nan", "NaN", "<NA>", "-1"))
"""Hidden cells in arrays of objects or words, as text."""
_NAME = re.compile(rf"([0-9]{{1,9}})[xX]([0-9]{{1,9}})/({MINES_PATTERN})(?: +({LABEL_PATTERN}))?")


def cells_of(marks: NDArray[np.bool_]) -> tuple[Cell, ...]:
    """List the cells that are marked, in reading order."""
    return tuple((row, col) for row, col in np.argwhere(marks).tolist())


def frozen(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return a read-only copy of an array. An array over `bytes` is read-only already and is not copied."""
    base: object = array.base
    if isinstance(base, bytes) and array.flags.c_contiguous:
        return array
    copy = np.array(array, order="C")
    copy.setflags(write=False)
    return copy


def _text_rows(text: str, what: str, marks: str, expected: str) -> list[str]:
    """Split text into equally long rows of these marks and clues, without blanks."""
    check_kind(text, str, f"the text of a {what}")
    lines = ["".join(line.split()) for line in text.strip().splitlines()]
    if not lines:
        raise BoardError(f"no text; expected the rows of a {what}")
    for number, line in enumerate(lines, 1):
        if not line:
            raise BoardError(f"a blank line after row {number - 1} of the {what}; expected the rows of one {what}")
        strange = set(line) - set(f"{marks}-.012345678")
        if strange:
            raise BoardError(f"{min(strange)!r} in row {number} of the {what}; expected {expected} or a clue 0 to 8")
        if len(line) != len(lines[0]):
            cells = counted(len(line), "cell")
            raise BoardError(f"row {number} of the {what} has {cells}: {line[:60]!r}; row 1 has {len(lines[0])}")
    check_size((len(lines), len(lines[0])))
    return lines


def grid_of_text(lines: list[str], grid: Grid | str) -> Grid:
    """Return the grid of the rows of a text: as `grid_of`, with the holes in the text.

    Raises `BoardError` for other holes or another size than those of `grid`.
    """
    known = grid_of((len(lines), len(lines[0])), grid)
    if not any("-" in line for line in lines):
        return known
    found = Grid(*known.shape, known.kind, "".join(lines).encode().translate(_HOLES_READ))
    if known.holes and found != known:
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
class Board(Sized):
    r"""The positions of all mines: `cells` has a byte for each cell of its `grid`, row by row, 1 for a mine, else 0.

    Boards compare and hash by value. Raises `BoardError` for a map that is not two-dimensional, has a side outside 1 to
    4000, does not fit the grid or has a mine in a hole.

    :param mine_map: array of bool, True for a mine
    :param grid: a `Grid` of that size, or its label such as ``torus``; by default a rectangle

    >>> board = ms.Board.from_text("..*\n...")
    >>> board.mines
    1
    >>> board.clues.tolist()
    [[0, 1, -1], [0, 1, 1]]
    >>> print(board.to_text(clues=True))
    .1*
    .11
    """

    grid: Grid
    cells: bytes

    def __init__(self, mine_map: NDArray[np.bool_], grid: Grid | str = "") -> None:
        if isinstance(mine_map, str):
            raise TypeError("expected a map of mines, got str; Board.from_text reads text")
        array = np.asarray(cell_array(mine_map))
        if array.ndim != 2 or array.dtype != np.bool_:
            raise BoardError(f"{array.ndim}-dimensional array of {array.dtype}; expected two dimensions of bool")
        vars(self).update(grid=grid_of(array.shape, grid), cells=array.tobytes())
        self._check_holes()

    def _check_holes(self) -> None:
        if self.grid.holes and (self.mine_map & self.grid.hole_map).any():
            cell = cells_of(self.mine_map & self.grid.hole_map)[0]
            raise BoardError(f"mine {cell} is in a hole of the grid; expected mines in its cells")

    @classmethod
    def unchecked(cls, grid: Grid, cells: bytes) -> Board:
        """Construct without validation."""
        board = cls.__new__(cls)
        vars(board).update(grid=grid, cells=cells)
        return board

    @classmethod
    def from_cells(cls, grid: Grid, mines: Iterable[CellLike]) -> Board:
        """Build a board from its mine cells. Raises `BoardError` for a cell off the board or given twice.

        >>> print(ms.Board.from_cells(ms.Grid(2, 3), [(0, 2)]))
        ..*
        ...
        """
        check_kind(grid, Grid, "a Grid")
        check_kind(mines, Iterable, "a list of cells")
        mine_map = np.zeros(grid.shape, dtype=np.bool_)
        for mine in mines:
            cell = cell_of(grid, mine, "mine")
            if mine_map[cell]:
                raise BoardError(f"mine {cell} is given twice")
            mine_map[cell] = True
        return cls.unchecked(grid, mine_map.tobytes())

    @classmethod
    def from_text(cls, text: str, grid: Grid | str = "") -> Board:
        """Read rows of ``*`` (mine), ``-`` (hole) and ``.`` or a digit (safe). A digit must be the cell's true clue.

        `grid` is a `Grid` or its label. Blanks between cells are dropped. Raises `BoardError` with the wrong row.
        """
        lines = _text_rows(text, "board", "*", "'*', '.'")
        marks = np.frombuffer("".join(lines).encode(), dtype=np.uint8).reshape(len(lines), -1)
        board = cls(marks == ord("*"), grid_of_text(lines, grid))
        wrong = (marks >= ord("0")) & (marks != board.clues + ord("0"))
        if wrong.any():
            row, col = divmod(int(wrong.argmax()), board.cols)
            true = counted(int(board.clues[row, col]), "mine")
            raise BoardError(f"clue {lines[row][col]!r} at {(row, col)} is wrong; the cell touches {true}")
        return board

    @classmethod
    def from_bytes(cls, grid: Grid, data: bytes) -> Board:
        """Unpack the result of `to_bytes`. Raises `BoardError` for a wrong length or a set padding bit."""
        check_kind(data, bytes, "the bytes of a board")
        cells = grid.rows * grid.cols
        if len(data) != (cells + 7) // 8:
            size = f"{grid.rows}x{grid.cols}"
            raise BoardError(f"{counted(len(data), 'byte')} for a {size} board; expected {(cells + 7) // 8}")
        bits = f"{int.from_bytes(data):0{8 * len(data)}b}".encode()
        if bits.find(b"1", cells) >= 0:
            raise BoardError(f"a padding bit is set; expected zeros after the last of {cells} cells")
        board = cls.unchecked(grid, bits[:cells].translate(_BITS_READ))
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

    @cached_property
    def mine_map(self) -> NDArray[np.bool_]:
        """The mines: a read-only array of the shape of the grid."""
        return np.frombuffer(self.cells, dtype=np.bool_).reshape(self.grid.shape)

    @property
    def safe_map(self) -> NDArray[np.bool_]:
        """The safe cells: an array of the shape of the grid."""
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
        """The clue of every safe cell, -1 at mines: a read-only array of the shape of the grid."""
        return frozen(np.where(self.mine_map, np.int8(-1), self.grid.count(self.mine_map)))

    @cached_property
    def clue_bytes(self) -> bytes:
        """The clues as bytes, row by row, which are faster to read one by one; 255 at mines."""
        return self.clues.tobytes()

    @property
    def shown(self) -> NDArray[np.int8]:
        """All clues and mines for drawing: an array of the shape of the grid with `MINE_DRAWN` for a mine."""
        return np.where(self.mine_map, np.int8(MINE_DRAWN), self.clues)

    def view(self, opened: ArrayLike) -> View:
        r"""Return the view with some cells open: an array of bool of the shape of the grid, True for an open cell.

        Mines stay hidden.

        >>> print(ms.Board.from_text("..*\n...").view([[True, True, False], [False, False, True]]))
        2x3/1
        01#
        ##1
        """
        marks = np.asarray(opened)
        if marks.dtype != np.bool_ or marks.shape != self.grid.shape:
            raise BoardError(
                f"array {marks.shape} of {marks.dtype}; expected {self.rows}x{self.cols} of bool, True if open"
            )
        return View(np.where(marks, self.clues, np.int8(HIDDEN)), self.mines, self.grid)

    def opening(self, cell: CellLike) -> NDArray[np.intp]:
        """List the cells that a click on a safe cell opens, numbered ``row * cols + col``: a zero opens its opening.

        Raises `OutOfTime` if a limit of the caller runs out.
        """
        cell = as_cell(cell)
        number = cell[0] * self.cols + cell[1]
        if self.clues[cell] > 0:
            return np.array([number])
        clues, around = self.clue_bytes, self.grid.numbered
        closed = bytearray(b"\1") * len(clues)
        marks = np.frombuffer(closed, dtype=np.bool_)
        wave, opened = [number], []
        while wave:
            marks[wave] = False
            opened += wave
            zeros = [one for one in wave if not clues[one]]
            if len(zeros) < _FEW_ZEROS:
                wave = sorted({near for one in zeros for near in around[one] if closed[near]})
            else:
                check_time()
                reached = np.unique(self.grid.around(np.array(zeros)))
                wave = reached[marks[reached]].tolist()
        return np.array(opened)

    def _repr_svg_(self) -> str:
        from minesweeper.player.render.svg import draw_svg

        return draw_svg(self.shown, self.title, self.grid)

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
        check_kind(board, Board, "a Board")
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
        """20 hexadecimal digits: the first 80 bits of the SHA-256 of grid, first click and mines."""
        return ids_on_grid(self.board.grid, [self.first_click], [self.board.to_bytes()])[0]

    def images(self) -> Iterator[Puzzle]:
        """Yield its symmetric images, as `Grid.images` defines them; some may be equal."""
        board, (row, col) = self.board, self.first_click
        for grid, places in board.grid.images(self.first_click):
            mine_map = np.zeros(len(places), dtype=np.bool_)
            mine_map[places] = board.mine_map.ravel()
            click = divmod(int(places[row * board.cols + col]), grid.cols)
            yield Puzzle(Board.unchecked(grid, mine_map.tobytes()), click)

    @property
    def view(self) -> View:
        """The view after the first click."""
        opened = np.zeros(self.board.grid.shape, dtype=np.bool_)
        opened.flat[self.board.opening(self.first_click)] = True
        return self.board.view(opened)

    def _repr_svg_(self) -> str:
        from minesweeper.player.render.svg import draw_svg

        return draw_svg(self.view.cells, self.board.title, self.board.grid, marked=self.first_click)

    def __repr__(self) -> str:
        return f"<Puzzle {self.id} {self.board.title} at {self.first_click}>"


def ids_on_grid(grid: Grid, first_clicks: Iterable[Cell], mine_bits: Iterable[bytes]) -> list[str]:
    """Return the ids of puzzles of one grid, from their first clicks and their mines as `Board.to_bytes` packs them."""
    from hashlib import sha256

    label = b"~%d" % KINDS[grid.kind] if grid.kind or grid.holes else b""
    if grid.holes:
        label += b"~" + Board.unchecked(grid, grid.holes).to_bytes()
    size = b"%dx%d%b" % (grid.rows, grid.cols, label)
    return [
        sha256(b"%b@%d,%d:%b" % (size, row, col, bits)).hexdigest()[:20]
        for (row, col), bits in zip(first_clicks, mine_bits, strict=True)
    ]


class CellArray(ArrayValue):
    """Base of dataclasses with `cells`, a read-only array of int8 in rows. They compare and hash by value."""

    cells: NDArray[np.int8]

    def _check(self, least: int, expected: str, longest: int = MAX_SIDE) -> None:
        """Freeze the cells. Raises `BoardError` for a side above `longest` or values that are not `least` to 8."""
        array = np.asarray(self.cells)
        if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
            raise BoardError(f"{array.ndim}-dimensional array of {array.dtype}; expected two dimensions of integers")
        check_size(array.shape, longest)
        if array.min() < least or array.max() > 8:
            raise BoardError(f"cells from {array.min()} to {array.max()}; expected {expected}")
        object.__setattr__(self, "cells", frozen(array.astype(np.int8)))

    def __hash__(self) -> int:
        return hash((self.cells.shape, self.cells.tobytes()))


@dataclass(frozen=True, eq=False, init=False)
class View(CellArray, Sized):
    r"""The position as the player sees it: a clue or `HIDDEN` for every cell, and the number of mines on the board.

    A view has no flags. Views compare and hash by value. Raises `BoardError` for other values, or for a number of mines
    that is negative or larger than the number of hidden cells, and `TypeError` for anything that is no position.

    If only a range of the number of mines is known, what holds for every number that fits is certain, and chances are
    weighted by the density. Functions that need one number raise `BoardError`.

    :param cells: rows of cells: an array, a data frame or lists of integers or whole floats, -1 (`HIDDEN`) or a clue
        0 to 8, where NaN, None and masked cells are hidden too; or the text that `from_text` reads, as one string, as a
        string for each row or for each cell; or a `Puzzle`, a `Game` or another value that has a view. The attribute
        `cells` is a read-only array of int8, 0 in holes
    :param mines: the number of mines on the board, unless `cells` has it; or its range or density: a ``range``, a
        density between 0 and 1, ``"unknown"``, or a `MineRange`
    :param grid: a `Grid` of that size, or its label such as ``torus``; by default a rectangle

    >>> view = ms.View([[-1, 1, 2, 1, -1], [-1, -1, -1, -1, -1]], mines=2)
    >>> view
    <View 2x5/2, 7 hidden>
    >>> view == ms.View(["?121F", "?????"], mines=2) == ms.View("2x5/2\n#121#\n#####")
    True
    >>> view.cells[0].tolist()
    [-1, 1, 2, 1, -1]
    """

    cells: NDArray[np.int8]
    mine_count: int | MineRange
    grid: Grid

    def __init__(self, cells: ViewLike, mines: MinesLike | None = None, grid: Grid | str = "") -> None:
        if isinstance(cells, Board):
            raise TypeError("a Board shows every mine; expected board.view(opened), with the cells that are open")
        found = cells if isinstance(cells, View) else getattr(cells, "view", None)
        if not isinstance(found, View):
            array = cell_array(cells)
            found = View.from_text(array, mines, grid) if isinstance(array, str) else None
        if found is not None:
            if mines is not None and as_mines(mines) != found.mine_count:
                raise BoardError(f"{as_mines(mines)} mines given; the position has {found.mine_count}")
            array, mines, grid = found.cells, found.mine_count, grid or found.grid
        if mines is None:
            raise BoardError("no number of mines; expected mines=NUMBER")
        vars(self).update(cells=array, mine_count=as_mines(mines))
        self._check(HIDDEN, f"{HIDDEN} (hidden) or a clue 0 to 8")
        vars(self).update(grid=grid_of(self.cells.shape, grid))
        if self.grid.holes:
            vars(self).update(cells=frozen(np.where(self.grid.hole_map, np.int8(0), self.cells)))
        hidden = int(np.count_nonzero(self.cells == HIDDEN))
        if isinstance(self.mine_count, MineRange):
            vars(self).update(prior=self.mine_count.prior(self.grid.cells, hidden))
        elif not 0 <= self.mine_count <= hidden:
            raise BoardError(f"{counted(self.mine_count, 'mine')}; expected 0 to {hidden}, the number of hidden cells")

    @property
    def mines(self) -> int:
        """The number of mines on the board. Raises `BoardError` if it is not known."""
        if isinstance(self.mine_count, int):
            return self.mine_count
        raise BoardError(f"the number of mines is not known ({self.mine_count}); expected one number for this")

    @property
    def written_mines(self) -> int | str:
        return self.mine_count if isinstance(self.mine_count, int) else str(self.mine_count)

    @cached_property
    def prior(self) -> MinePrior:
        """The numbers of mines that the board may have."""
        return MinePrior(self.mines)

    @classmethod
    def hidden(cls, grid: Grid, mines: int) -> View:
        """Return the view before the first click."""
        return cls(np.full(grid.shape, HIDDEN, dtype=np.int8), mines, grid)

    @property
    def opened(self) -> NDArray[np.bool_]:
        """The open cells: an array of bool of the shape of the grid."""
        opened: NDArray[np.bool_] = (self.cells != HIDDEN) & ~self.grid.hole_map
        return opened

    @classmethod
    def from_text(cls, text: str, mines: MinesLike | None = None, grid: Grid | str = "") -> View:
        """Read rows of hidden cells, holes ``-`` and clues ``0`` to ``8``.

        A hidden cell is ``#``, ``?``, ``_`` or ``x``, the same character in the whole text, or ``F`` if it has a flag,
        which says nothing about its mine. ``.`` is a zero beside one of these; in a text without them it is a hidden
        cell, or a zero if there are no mines. Blanks between cells are dropped. The number of mines is `mines` or in a
        first line ``ROWSxCOLS/MINES``, which may name a grid, e.g. ``16x30/99 torus``; `grid` is that grid or its label
        if it does not. For a `MineRange` this is ``16x30/90-110`` or ``16x30/?``, and after an ``@`` the density:
        ``16x30/?@0.2``. Raises `BoardError` with the wrong row, or if the number of mines is missing or contradictory.
        """
        check_kind(text, str, "the text of a view")
        head, _, rest = text.lstrip().partition("\n")
        named = _NAME.fullmatch(head.strip())
        if named is not None:
            if mines is not None and as_mines(mines) != parse_mines(named[3]):
                raise BoardError(f"first line {head.strip()!r} contradicts the given number of mines, {mines}")
            text, mines, grid = rest, parse_mines(named[3]), named[4] or grid
        if mines is None:
            raise BoardError("no number of mines; expected mines=NUMBER or a first line ROWSxCOLS/MINES, e.g. 16x30/99")
        lines = _text_rows(text, "view", _HIDDEN_MARKS + _FLAG, "'#'")
        hidden = [mark for mark in _HIDDEN_MARKS if any(mark in line for line in lines)]
        if len(hidden) > 1:
            raise BoardError(f"hidden cells are {hidden[0]!r} and {hidden[1]!r}; expected one character for all")
        shape = len(lines), len(lines[0])
        if named is not None and shape != (int(named[1]), int(named[2])):
            found = "{}x{}".format(*shape)
            raise BoardError(f"the rows make {found}; expected {named[1]}x{named[2]}, as in the first line")
        hidden_marks = [*hidden, _FLAG] if hidden or any(_FLAG in line for line in lines) else "." if mines else ""
        values = bytes([HIDDEN % 256 if chr(code) in hidden_marks else max(code - ord("0"), 0) for code in range(128)])
        cells = "".join(lines).encode().translate(values + bytes(128))
        return cls(np.frombuffer(cells, dtype=np.int8).reshape(shape), mines, grid_of_text(lines, grid))

    def showing(self, cell: Cell, clue: int) -> View:
        """Return this view with one more cell open, showing `clue`. Raises `BoardError` as the class does."""
        cells = self.cells.copy()
        cells[cell] = clue
        return View(cells, self.mine_count, self.grid)

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

    def _repr_svg_(self) -> str:
        from minesweeper.player.render.svg import draw_svg

        return draw_svg(self.cells, self.title, self.grid)

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


class HasView(Protocol):
    """A value with a view: a `Puzzle`, a `Game`, a result of `solve`."""

    @property
    def view(self) -> View: ...


ViewLike: TypeAlias = "View | HasView | ArrayLike"
"""Input of `as_view`: a position in any form that `View` takes."""


def as_view(view: ViewLike, mines: MinesLike | None = None) -> View:
    """Return a position in any form as a `View`, which lists the forms. Raises as `View` does."""
    return view if mines is None and isinstance(view, View) else View(view, mines)


def cell_array(cells: object) -> NDArray[Any] | str:
    """Return rows of cells as an array, of integers where they are whole numbers, or as the text of a view.

    Raises `BoardError` for rows of unequal lengths and for broken numbers, and `TypeError` for no rows at all.
    """
    if isinstance(cells, str):
        return cells
    try:
        array: NDArray[Any] = cells.to_numpy() if hasattr(cells, "to_numpy") else np.asarray(cells)
    except ValueError:
        raise BoardError("rows of unequal lengths; expected as many cells in every row") from None
    if not array.ndim:
        expected = "text, rows or an array of cells, a View, a Puzzle or a Game"
        raise TypeError(f"expected a position ({expected}), got {type(cells).__name__}")
    if isinstance(cells, np.ma.MaskedArray):
        array = np.where(cells.mask, np.int64(HIDDEN), array)
    if array.dtype.kind in "OU":
        if array.ndim == 1 and all(isinstance(row, str) for row in array):
            return "\n".join(array)
        return "\n".join(map(_marks, array)) if array.ndim == 2 else array
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), HIDDEN, array)
        if not (np.isfinite(array) & (array == np.floor(array))).all():
            wrong = array[~np.isfinite(array) | (array != np.floor(array))][0]
            raise BoardError(f"invalid cell {wrong}; expected a whole number, or NaN for a hidden cell")
        array = array.astype(np.int64)
    return array


def _marks(row: NDArray[Any]) -> str:
    """Join the cells of a row of objects or words to the row of a text."""
    words = [str(cell).strip().removesuffix(".0") for cell in row]
    marks = [_FLAG if word in _NO_CLUES else word for word in words]
    for mark in marks:
        if len(mark) != 1:
            raise BoardError(f"invalid cell {mark!r}; expected a clue 0 to 8, or '#' for a hidden cell")
    return "".join(marks)
