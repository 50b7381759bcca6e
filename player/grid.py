"""Grids: the cells of a board and which of them touch.

A grid is a rectangle of rows and columns. Its cells touch by a side or a corner, or they are hexagons; opposite sides
may meet, and some cells may be missing: *holes*. Its name is ``16x30``, or with its shape ``16x30 torus``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import index
from threading import Lock
from typing import Any, ClassVar, Final, NamedTuple, SupportsIndex

from minesweeper.player.errors import BoardError, counted, did_you_mean
from minesweeper.player.lazy_numpy import NDArray, np
from minesweeper.player.limits import MOST_CELLS, check_cells
from minesweeper.player.native import kernel

Cell = tuple[int, int]
CellLike = Iterable[SupportsIndex]
"""Input of `as_cell`: any pair of integers, of Python or NumPy."""

MAX_SIDE: Final = 4000
SHORTEST_WRAP: Final = 5
"""A shorter side cannot meet the opposite one: two clues could share more cells on both sides of the seam."""
_STEPS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
MOST_HOLE_MAPS: Final = 4096
"""A process can use this many different sets of holes."""
SHAPE_PATTERN: Final = "[a-z ]*[a-z](?: +[0-9.#/]+)?"
"""A regular expression of the name of a shape."""
_HOLES_NAMED: Final = re.compile(r" holes ([0-9.#/]+)")
_SIZE: Final = re.compile(rf"([0-9]{{1,9}})[xX]([0-9]{{1,9}})(?: +({SHAPE_PATTERN}))?")


class Shape(int):
    """Properties of a grid, as bits to combine: sides that meet, and hexagons. Holes have a number above these bits.

    With `HEXAGONS`, a cell has six neighbours: two in its row, and two in each of the rows above and below. Odd rows
    lie half a cell to the right. This is no `Flag` of Python, whose operators take ten times as long.

    The name of a grid with holes lists them row by row, ``holes 5./2.#2./5.``: ``#`` is a hole, and a number before a
    mark repeats it. The number of a set of holes holds in one process only; store the name, as pickles do.
    """

    RECTANGLE: ClassVar[Shape]
    WRAP_ROWS: ClassVar[Shape]  # the first row touches the last one
    WRAP_COLS: ClassVar[Shape]
    HEXAGONS: ClassVar[Shape]

    @classmethod
    def named(cls, name: str | Shape) -> Shape:
        """Return the shape of that name, such as ``torus``; the empty name is the rectangle. Raises `BoardError`."""
        if isinstance(name, Shape):
            return name
        return SHAPES[name] if name in SHAPES else _read_shape(name)

    @property
    def kind(self) -> Shape:
        """The shape without its holes."""
        return Shape(self & 7)

    @property
    def holes(self) -> bytes:
        """A byte for each cell of the rectangle, row by row, 1 for a hole; empty without holes."""
        return _hole_maps[self >> 3].holes if self > 7 else b""

    @property
    def label(self) -> str:
        """The name that `named` reads."""
        return _LABELS[self] if self < 8 else f"{_LABELS[self.kind]} holes {_hole_maps[self >> 3].rows}".strip()

    def with_holes(self, hole_map: NDArray[np.bool_]) -> Shape:
        """Return this shape with these holes, and no others.

        `hole_map` is a (rows, cols) array, True for a hole. Raises `BoardError` if every cell is a hole, for a wrong
        size, and for more than 4,096 different maps.
        """
        rows, cols = hole_map.shape
        check_size(rows, cols)
        check_cells(rows, cols, "a grid with holes")
        holes = hole_map.tobytes()
        if 1 not in holes:
            return self.kind
        if 0 not in holes:
            raise BoardError("every cell of the grid is a hole; expected at least one cell")
        return Shape(self & 7 | _number_holes(rows, cols, holes) << 3)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shape.named, (self.label,)

    def __repr__(self) -> str:
        return f"<Shape {self.label or 'rectangle'}>"


class _HoleMap(NamedTuple):
    row_count: int
    col_count: int
    holes: bytes
    rows: str  # in the name


_hole_maps: Final[dict[int, _HoleMap]] = {}
_adding: Final = Lock()
_listeners: Final[list[Callable[[int, int, int, bytes], int]]] = []


def pass_holes_to(add: Callable[[int, int, int, bytes], int]) -> None:
    """Call `add(rows, cols, 0, holes)` for every map of holes, old and new, in the order of their numbers."""
    with _adding:
        for known in _hole_maps.values():
            add(known.row_count, known.col_count, 0, known.holes)
        _listeners.append(add)


def _number_holes(rows: int, cols: int, holes: bytes) -> int:
    """Return the number of a map of holes. The kernel counts in the same order."""
    with _adding:
        for number, known in _hole_maps.items():
            if known[:3] == (rows, cols, holes):
                return number
        if len(_hole_maps) == MOST_HOLE_MAPS:
            raise BoardError(f"too many grids with holes in one process; expected at most {MOST_HOLE_MAPS:,}")
        marks = holes.translate(bytes.maketrans(b"\0\1", b".#")).decode()
        lines = (marks[start : start + cols] for start in range(0, len(marks), cols))
        runs = (re.sub(r"(.)\1+", lambda run: f"{len(run[0])}{run[1]}", line) for line in lines)
        number = len(_hole_maps) + 1
        _hole_maps[number] = _HoleMap(rows, cols, holes, "/".join(runs))
        for add in _listeners:
            add(rows, cols, 0, holes)
        return number


@lru_cache(maxsize=64)
def _read_shape(name: str) -> Shape:
    words, holes, rows = " ".join(name.split()).partition("holes")
    words = words.strip()
    if words not in SHAPES:
        known = ", ".join([*filter(None, SHAPES), "holes"])
        raise BoardError(f"unknown grid {name[:60]!r}{did_you_mean(words, SHAPES)}; grids: {known}")
    return SHAPES[words].with_holes(_read_holes(rows)) if holes else SHAPES[words]


def _read_holes(text: str) -> NDArray[np.bool_]:
    expected = "expected rows of '.' for a cell and '#' for a hole, with '/' between them, e.g. holes 5./2.#2./5."
    lines = text.replace("/", " ").split()
    if not lines:
        raise BoardError(f"no holes; {expected}")
    rows: list[list[bool]] = []
    for number, line in enumerate(lines, 1):
        if not re.fullmatch("([0-9]{0,4}[.#])+", line):
            raise BoardError(f"row {number} of the holes is {line[:60]!r}; {expected}")
        runs = [(int(count or 1), mark == "#") for count, mark in re.findall("([0-9]*)(.)", line)]
        cols = sum(count for count, _ in runs)
        check_size(number, cols)
        check_cells(number, cols, "a grid with holes")
        rows.append([is_hole for count, is_hole in runs for _ in range(count)])
        if cols != len(rows[0]):
            raise BoardError(f"row {number} of the holes has {cols} cells; row 1 has {len(rows[0])}")
    return np.array(rows)


Shape.RECTANGLE, Shape.WRAP_ROWS, Shape.WRAP_COLS, Shape.HEXAGONS = map(Shape, (0, 1, 2, 4))
SHAPES: Final = {
    "": Shape.RECTANGLE,
    "cylinder": Shape.WRAP_COLS,
    "vertical cylinder": Shape.WRAP_ROWS,
    "torus": Shape(Shape.WRAP_ROWS | Shape.WRAP_COLS),
    "hex": Shape.HEXAGONS,
    "hex cylinder": Shape(Shape.HEXAGONS | Shape.WRAP_COLS),
    "hex vertical cylinder": Shape(Shape.HEXAGONS | Shape.WRAP_ROWS),
    "hex torus": Shape(Shape.HEXAGONS | Shape.WRAP_ROWS | Shape.WRAP_COLS),
}
"""The shapes by name. On a cylinder the left side meets the right one, on a vertical cylinder the top the bottom."""
_LABELS: Final = {shape: name for name, shape in SHAPES.items()}


def size_name(rows: int, cols: int, shape: Shape = Shape.RECTANGLE) -> str:
    """Return a size as text that `parse_size` reads: ``16x30`` or ``16x30 torus``."""
    return f"{rows}x{cols} {shape.label}" if shape else f"{rows}x{cols}"


def board_name(rows: int, cols: int, mines: int, shape: Shape = Shape.RECTANGLE) -> str:
    """Return a size and a number of mines as text: ``16x30/99`` or ``16x30/99 torus``."""
    return f"{rows}x{cols}/{mines} {shape.label}" if shape else f"{rows}x{cols}/{mines}"


def in_words(name: str) -> str:
    """Return the name of a board or grid for people, with the number of its holes: ``16x30/60 torus, 12 holes``."""

    def count(named: re.Match[str]) -> str:
        return f", {counted(sum(int(run or 1) for run in re.findall('([0-9]*)#', named[1])), 'hole')}"

    return _HOLES_NAMED.sub(count, name)


def parse_size(text: str) -> Grid:
    """Read ``ROWSxCOLS``, e.g. ``16x30``, or with a shape ``16x30 torus``; each side is 1 to 4000.

    Raises `BoardError`.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BoardError(f"unknown size {text[:60]!r}; expected ROWSxCOLS, e.g. 16x30 or 16x30 torus")
    return Grid(int(match[1]), int(match[2]), Shape.named(match[3] or ""))


def check_size(rows: int, cols: int, longest: int = MAX_SIDE) -> None:
    """Raise `BoardError` unless both sides are 1 to `longest`, by default 4000."""
    if not (1 <= rows <= longest and 1 <= cols <= longest):
        raise BoardError(f"size {size_name(rows, cols)!r} is out of range; expected sides of 1 to {longest} cells")


def check_shape(rows: int, cols: int, shape: Shape) -> None:
    """Raise `BoardError` unless a board of this size may have this shape."""
    check_size(rows, cols)
    if not shape:
        return
    name = size_name(rows, cols, shape.kind)
    for wraps, side, what in ((Shape.WRAP_ROWS, rows, "rows"), (Shape.WRAP_COLS, cols, "columns")):
        if shape & wraps and side < SHORTEST_WRAP:
            raise BoardError(f"{name} has {side} {what} that wrap; expected {SHORTEST_WRAP} or more")
    if shape & Shape.HEXAGONS and shape & Shape.WRAP_ROWS and rows % 2:
        raise BoardError(f"{name} has {rows} rows of hexagons that wrap; expected an even number")
    if rows * cols > MOST_CELLS:
        raise BoardError(f"{name} has {rows * cols:,} cells; expected at most {MOST_CELLS:,} on such a grid")
    if shape.holes and _hole_maps[shape >> 3][:2] != (rows, cols):
        raise BoardError(f"the rows of the holes make {size_name(*_hole_maps[shape >> 3][:2])}; expected {name}")


def as_cell(cell: CellLike) -> Cell:
    """Convert a pair of integers to a cell. Raises `BoardError` for anything else."""
    try:
        row, col = cell
        return index(row), index(col)
    except (TypeError, ValueError):
        raise BoardError(f"{cell!r} is not a cell; expected (row, col)") from None


def is_cell(cell: object) -> bool:
    """Return whether a value read from JSON is a cell, [row, column]."""
    # isinstance would accept True as an int.
    return isinstance(cell, list) and len(cell) == 2 and all(type(part) is int for part in cell)


def cell_of(grid: Grid, cell: CellLike, what: str = "cell") -> Cell:
    """Convert a pair of integers to a cell of a grid. Raises `BoardError`, which names `what` it is."""
    row, col = found = as_cell(cell)
    if not (0 <= row < grid.rows and 0 <= col < grid.cols):
        raise BoardError(f"{what} {found} is off the board; expected a cell of {size_name(grid.rows, grid.cols)}")
    if grid.holes and grid.holes[row * grid.cols + col]:
        raise BoardError(f"{what} {found} is a hole; expected a cell of the grid")
    return found


@dataclass(frozen=True)
class Grid:
    """The cells of a board, numbered row by row, and their neighbours.

    `shape` is a `Shape` or its name. Raises `BoardError` for a side outside 1 to 4000, an unknown shape, and a size
    that the shape does not allow: sides that meet have at least 5 cells, and an even number of rows of hexagons.

    >>> grid = ms.Grid(12, 12, "torus")
    >>> grid
    <Grid 12x12 torus>
    >>> list(grid.neighbours((0, 5)))
    [(11, 4), (11, 5), (11, 6), (0, 4), (0, 6), (1, 4), (1, 5), (1, 6)]
    """

    rows: int
    cols: int
    shape: Shape = Shape.RECTANGLE

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", Shape.named(self.shape))
        check_shape(self.rows, self.cols, self.shape)

    @property
    def name(self) -> str:
        """The size and the shape, as `parse_size` reads them."""
        return size_name(self.rows, self.cols, self.shape)

    @cached_property
    def native(self) -> kernel.Grid:
        """The grid in the kernel."""
        return kernel.Grid(self.rows, self.cols, int(self.shape.kind), self.holes)

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.rows, self.cols, self.shape)

    @property
    def cells(self) -> int:
        """The number of cells, without holes."""
        return self.rows * self.cols - self.holes.count(1)

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers of the cells, ``row * cols + col``, without holes."""
        return [cell for cell, hole in enumerate(self.holes) if not hole] or range(self.rows * self.cols)

    @cached_property
    def holes(self) -> bytes:
        """`Shape.holes`: a byte for each cell of the rectangle, 1 for a hole; empty without holes."""
        return self.shape.holes

    @cached_property
    def hole_map(self) -> NDArray[np.bool_]:
        """A read-only (rows, cols) array, True for a hole."""
        holes = self.holes or bytes(self.rows * self.cols)
        return np.frombuffer(holes, dtype=np.bool_).reshape(self.rows, self.cols)

    def with_holes(self, hole_map: NDArray[np.bool_]) -> Grid:
        """Return the grid without the cells that are True in a (rows, cols) array, see `Shape.with_holes`."""
        return Grid(self.rows, self.cols, self.shape.with_holes(hole_map))

    def nearest(self, cell: Cell) -> Cell:
        """Return a place of the rectangle, or if that is a hole, the nearest cell."""
        row, col = cell
        if not self.holes or not (0 <= row < self.rows and 0 <= col < self.cols and self.hole_map[row, col]):
            return cell
        cells = (divmod(number, self.cols) for number in self.numbers)
        return min(cells, key=lambda other: (other[0] - row) ** 2 + (other[1] - col) ** 2)

    def indent(self, row: int) -> float:
        """Return how far a row lies to the right, in widths of a cell: 0, or 0.5 for odd rows of hexagons."""
        return row % 2 / 2 if self.shape & Shape.HEXAGONS else 0.0

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        """Yield the up to 8 cells that touch `cell`, row by row on a rectangle."""
        row, col = cell
        rows, cols, wrap_rows, wrap_cols = self._wrapping
        holes = self.holes
        if holes and holes[row * cols + col]:
            return
        for down, right in self._steps[row % 2]:
            r, c = row + down, col + right
            if wrap_rows:
                r %= rows
            if wrap_cols:
                c %= cols
            if 0 <= r < rows and 0 <= c < cols and not (holes and holes[r * cols + c]):
                yield r, c

    @cached_property
    def _wrapping(self) -> tuple[int, int, bool, bool]:
        return self.rows, self.cols, bool(self.shape & Shape.WRAP_ROWS), bool(self.shape & Shape.WRAP_COLS)

    @cached_property
    def _steps(self) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
        """The steps to the neighbours of a cell in an even row and in an odd row."""
        if not self.shape & Shape.HEXAGONS:
            return _STEPS, _STEPS
        even, odd = ([(down, right) for down, right in _STEPS if not down or right != apart] for apart in (1, -1))
        return tuple(even), tuple(odd)

    @cached_property
    def neighbour_counts(self) -> tuple[int, int]:
        """The fewest and the most neighbours that a cell has."""
        if self.holes:
            counts = self.count(~self.hole_map)[~self.hole_map].tolist()
        else:  # Two of the first cells have them: a corner and an inner cell on a rectangle.
            first = [(row, col) for row in range(min(2, self.rows)) for col in range(min(2, self.cols))]
            counts = [len(list(self.neighbours(cell))) for cell in first]
        return min(counts), max(counts)

    def around(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of the neighbours of cells, given by their numbers; some may be repeated."""
        rows, cols, wrap_rows, wrap_cols = self._wrapping
        row, col = np.divmod(numbers, cols)
        down, right = self._step_arrays
        r, c = row[:, None] + down[row % 2], col[:, None] + right[row % 2]
        if wrap_rows:
            r %= rows
        if wrap_cols:
            c %= cols
        found: NDArray[np.intp] = (r * cols + c)[(r >= 0) & (r < rows) & (c >= 0) & (c < cols)]
        return found[~self.hole_map.ravel()[found]] if self.holes else found

    @cached_property
    def _step_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        steps = np.array(self._steps)
        return steps[..., 0], steps[..., 1]

    @cached_property
    def numbered(self) -> Mapping[int, list[int]]:
        """The neighbours of cells, all as numbers; they are listed on first use."""
        return _Numbered(self)

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up the values of the neighbours of every cell, in a (rows, cols) array of the same type."""
        padded = np.zeros((self.rows + 2, self.cols + 2), dtype=values.dtype)
        padded[1:-1, 1:-1] = values * ~self.hole_map if self.holes else values
        for axis, wraps in enumerate((Shape.WRAP_ROWS, Shape.WRAP_COLS)):
            if self.shape & wraps:
                lines = np.moveaxis(padded, axis, 0)
                lines[0], lines[-1] = lines[-2], lines[1]
        rows_of_three = padded[:-2] + padded[1:-1] + padded[2:]
        sums: NDArray[Any] = rows_of_three[:, :-2] + rows_of_three[:, 1:-1] + rows_of_three[:, 2:] - padded[1:-1, 1:-1]
        if self.shape & Shape.HEXAGONS:
            above_and_below = padded[:-2] + padded[2:]
            sums[::2] -= above_and_below[::2, 2:]
            sums[1::2] -= above_and_below[1::2, :-2]
        return sums * ~self.hole_map if self.holes else sums

    def count(self, marks: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Count, for every cell of a (rows, cols) map, the marked cells among its neighbours (0 to 8)."""
        counts: NDArray[np.int8] = self.sum(marks.view(np.int8))
        return counts

    def images(self, click: Cell) -> Iterator[tuple[Grid, NDArray[np.intp]]]:
        """Yield the symmetric images of a board with its first click: the grid of each, and the place of every cell.

        They are the turns and mirror images that keep the neighbours; of those that differ only by a move across sides
        that meet, the one that moves the click to the first row and column, or to the first two rows of hexagons.
        """
        numbers = np.arange(self.rows * self.cols)
        kind = self.shape.kind
        hexagons = bool(self.shape & Shape.HEXAGONS)
        for symmetry in range(8):
            down, back, turned = symmetry & 1, symmetry & 2, symmetry & 4
            # Odd rows of hexagons lie half a cell to the right, so some images move the cells of odd rows by one.
            parity = bool(down) and self.rows % 2 == 0
            slant = 0 if not hexagons or bool(back) == parity else -1 if back else 1
            if (turned and hexagons) or (slant and not self.shape & Shape.WRAP_COLS):
                continue
            rows, cols = np.divmod(numbers, self.cols)
            cols = (self.cols - 1 - cols if back else cols) + slant * (rows % 2)
            rows = self.rows - 1 - rows if down else rows
            image = self
            if turned:
                rows, cols = cols, rows
                swapped = {Shape.WRAP_ROWS: Shape.WRAP_COLS, Shape.WRAP_COLS: Shape.WRAP_ROWS}
                image = grid_of(self.cols, self.rows, swapped.get(kind, kind))
            at = click[0] * self.cols + click[1]
            if image.shape & Shape.WRAP_ROWS:
                rows = rows - (rows[at] - (rows[at] % 2 if hexagons else 0))
            if image.shape & Shape.WRAP_COLS:
                cols = cols - cols[at]
            places = rows % image.rows * image.cols + cols % image.cols
            if self.holes:
                moved = np.zeros(len(places), dtype=np.bool_)
                moved[places] = self.hole_map.ravel()
                image = image.with_holes(moved.reshape(image.rows, image.cols))
            yield image, places

    def __repr__(self) -> str:
        return f"<Grid {self.name}>"


class _Numbered(dict[int, list[int]]):
    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self._grid = grid

    def __missing__(self, number: int) -> list[int]:
        cols = self._grid.cols
        found = self[number] = [row * cols + col for row, col in self._grid.neighbours(divmod(number, cols))]
        return found


@lru_cache(maxsize=8)
def grid_of(rows: int, cols: int, shape: Shape = Shape.RECTANGLE) -> Grid:
    """Return the one grid of this size and shape, which keeps its lists of neighbours."""
    return Grid(rows, cols, shape)
