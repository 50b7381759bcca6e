"""Grids: the cells of a board and which of them touch.

A grid is a rectangle of rows and columns. Its cells touch by a side or a corner, or they are hexagons; opposite sides
may meet, and some cells may be missing: *holes*. Its name is ``16x30``, or with its kind ``16x30 torus``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

from minesweeper.player.core.errors import BoardError, check_kind, counted, did_you_mean
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import MOST_CELLS, check_cells

Cell = tuple[int, int]
Size = tuple[int, ...]
"""Rows and columns, as the shape of an array."""
CellLike = Iterable[SupportsIndex]
"""Input of `as_cell`: any pair of integers, of Python or NumPy."""

MAX_SIDE: Final = 4000
SHORTEST_WRAP: Final = 5
"""A shorter side cannot meet the opposite one: two clues could share more cells on both sides of the seam."""
KINDS: Final = {
    "": 0,
    "cylinder": 2,
    "vertical cylinder": 1,
    "torus": 3,
    "hex": 4,
    "hex cylinder": 6,
    "hex vertical cylinder": 5,
    "hex torus": 7,
}
"""The kinds of grids by name, with their numbers in ids and certificates: the sum of 1 if the first row touches the
last one, 2 if the first column touches the last one, 4 for hexagons, and 256 * 2**k if cells lack their neighbour k, in
the order of `_STEPS`; the opposite one, 7 - k, is then missing, too. The rectangle has the empty name."""
RECTANGLE: Final = "rectangle"
"""Another name of the kind of rectangles, for files and options."""
LABEL_PATTERN: Final = "[a-z ]*[a-z](?: +[0-9.#/]+)?"
"""A regular expression of `Grid.label`."""
_STEPS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
_NAME: Final = re.compile(rf"([0-9]{{1,9}}) *[x\u00d7] *([0-9]{{1,9}})(?: +({LABEL_PATTERN}))?", re.IGNORECASE)
_HOLES_NAMED: Final = re.compile(r" holes ([0-9.#/]+)")
_RUN: Final = re.compile("([0-9]*)([.#])")
_HOLES_READ: Final = bytes.maketrans(b".#", b"\0\1")
_HOLES_WRITTEN: Final = bytes.maketrans(b"\0\1", b".#")


def in_words(name: str) -> str:
    """Return the name of a board or grid for people, with the number of its holes: ``16x30/60 torus, 12 holes``."""

    def count(named: re.Match[str]) -> str:
        return f", {counted(sum(int(run or 1) for run in re.findall('([0-9]*)#', named[1])), 'hole')}"

    return _HOLES_NAMED.sub(count, name)


def check_size(size: Size, longest: int = MAX_SIDE) -> None:
    """Raise `BoardError` unless both sides are 1 to `longest`, by default 4000."""
    height, width = size
    if not (1 <= height <= longest and 1 <= width <= longest):
        raise BoardError(f"size '{height}x{width}' is out of range; expected sides of 1 to {longest} cells")


def as_cell(cell: CellLike) -> Cell:
    """Convert a pair of integers to a cell. Raises `BoardError` for anything else."""
    try:
        row, col = cell
        return index(row), index(col)
    except (TypeError, ValueError):
        raise BoardError(f"{cell!r} is not a cell; expected (row, col)") from None


def as_number(number: object, what: str) -> int:
    """Convert an integer of any type. Raises `BoardError`, which names `what` it is, for anything else."""
    try:
        if not isinstance(number, bool):
            return index(number)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise BoardError(f"{number!r} is no {what}; expected a whole number")


def is_cell(cell: object) -> bool:
    """Return whether a value read from JSON is a cell, [row, column]."""
    # isinstance would accept True as an int.
    return isinstance(cell, list) and len(cell) == 2 and all(type(part) is int for part in cell)


def cell_of(grid: Grid, cell: CellLike, what: str = "cell") -> Cell:
    """Convert a pair of integers to a cell of a grid. Raises `BoardError`, which names `what` it is."""
    row, col = found = as_cell(cell)
    if not (0 <= row < grid.rows and 0 <= col < grid.cols):
        raise BoardError(f"{what} {found} is off the board; expected a cell of {grid.rows}x{grid.cols}")
    if grid.holes and grid.holes[row * grid.cols + col]:
        raise BoardError(f"{what} {found} is a hole; expected a cell of the grid")
    return found


@dataclass(frozen=True)
class Grid:
    """The cells of a board, numbered row by row, and their neighbours. Grids compare, hash and pickle by value.

    Raises `BoardError` for a side outside 1 to 4000, an unknown kind, holes of another size, and a size that the kind
    does not allow: sides that meet have at least 5 cells, and an even number of rows of hexagons.

    :param rows: the number of rows
    :param cols: the number of columns
    :param kind: empty for a rectangle, or such as ``torus``, see `KINDS`; a `label`, which has holes, is read as well
    :param holes: a byte for each cell of the rectangle, row by row, 1 for a hole and 0 for a cell; empty without holes

    >>> grid = ms.Grid(12, 12, "torus")
    >>> grid
    <Grid 12x12 torus>
    >>> list(grid.neighbours((0, 5)))
    [(11, 4), (11, 5), (11, 6), (0, 4), (0, 6), (1, 4), (1, 5), (1, 6)]
    >>> ms.Grid.named("3x5 holes 5./2.#2./5.").cells
    14
    """

    rows: int
    cols: int
    kind: str = ""
    holes: bytes = b""

    def __post_init__(self) -> None:
        if not type(self.rows) is type(self.cols) is int:  # as a number of NumPy
            object.__setattr__(self, "rows", as_number(self.rows, "number of rows"))
            object.__setattr__(self, "cols", as_number(self.cols, "number of columns"))
        check_kind(self.kind, str, "the kind of a grid such as 'torus'")
        check_size((self.rows, self.cols))
        if self.kind not in KINDS:
            self._read_label()
        if self.kind:
            self._check_kind()
        if self.holes:
            self._check_holes()

    def _read_label(self) -> None:
        words, holes, lines = " ".join(self.kind.lower().split()).partition("holes")
        kind = "" if words.strip() == RECTANGLE else words.strip()
        if kind not in KINDS or (holes and self.holes):
            known = ", ".join([*filter(None, KINDS), "holes"])
            raise BoardError(f"unknown grid {self.kind[:60]!r}{did_you_mean(kind, KINDS)}; grids: {known}")
        object.__setattr__(self, "kind", kind)
        if holes:
            read = _read_holes(lines)
            made = f"{len(read)}x{len(read[0])}"
            if made != f"{self.rows}x{self.cols}":
                raise BoardError(f"the rows of the holes make {made}; expected {self.rows}x{self.cols}")
            object.__setattr__(self, "holes", b"".join(read))

    def _check_kind(self) -> None:
        name = f"{self.rows}x{self.cols} {self.kind}"
        for wraps, side, what in ((self.wraps_rows, self.rows, "rows"), (self.wraps_cols, self.cols, "columns")):
            if wraps and side < SHORTEST_WRAP:
                raise BoardError(f"{name} has {side} {what} that wrap; expected {SHORTEST_WRAP} or more")
        if self.hexagons and self.wraps_rows and self.rows % 2:
            raise BoardError(f"{name} has {self.rows} rows of hexagons that wrap; expected an even number")
        if (cells := self.rows * self.cols) > MOST_CELLS:
            raise BoardError(f"{name} has {cells:,} cells; expected at most {MOST_CELLS:,} on such a grid")

    def _check_holes(self) -> None:
        check_cells(self.shape, "a grid with holes")
        if len(self.holes) != self.rows * self.cols or self.holes.count(0) + self.holes.count(1) != len(self.holes):
            raise BoardError("invalid holes; expected a byte 0 or 1 for each cell of the rectangle")
        if 0 not in self.holes:
            raise BoardError("every cell of the grid is a hole; expected at least one cell")
        if 1 not in self.holes:
            object.__setattr__(self, "holes", b"")

    def __reduce__(self) -> tuple[Any, ...]:
        return _shared, (self.rows, self.cols, self.kind, self.holes)

    @classmethod
    def named(cls, name: str) -> Grid:
        """Read ``ROWSxCOLS``, e.g. ``16x30``, or with a `label` ``16x30 torus``. Raises `BoardError`."""
        match = _NAME.fullmatch(name.strip())
        if match is None:
            raise BoardError(f"unknown size {name.strip()[:60]!r}; expected ROWSxCOLS, e.g. 16x30 or 16x30 torus")
        return grid_of((int(match[1]), int(match[2])), match[3] or "")

    @property
    def name(self) -> str:
        """The size and the label, as `named` reads them."""
        return f"{self.rows}x{self.cols} {self.label}".rstrip()

    @cached_property
    def label(self) -> str:
        """The kind and the holes, empty for a rectangle without holes: ``torus`` or ``torus holes 5./2.#2./5.``.

        The holes are listed row by row: ``.`` is a cell, ``#`` a hole, and a number before a mark repeats it. Any such
        text is read, also ``holes ...../..#../.....``.
        """
        if not self.holes:
            return self.kind
        marks = self.holes.translate(_HOLES_WRITTEN).decode()
        lines = (marks[start : start + self.cols] for start in range(0, len(marks), self.cols))
        runs = (re.sub(r"(.)\1+", lambda run: f"{len(run[0])}{run[1]}", line) for line in lines)
        return f"{self.kind} holes {'/'.join(runs)}".lstrip()

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of arrays with a value for each cell: (`rows`, `cols`)."""
        return self.rows, self.cols

    @property
    def wraps_rows(self) -> bool:
        """True if the first row touches the last one."""
        return bool(KINDS[self.kind] & 1)

    @property
    def wraps_cols(self) -> bool:
        """True if the first column touches the last one."""
        return bool(KINDS[self.kind] & 2)

    @property
    def hexagons(self) -> bool:
        """True if cells have six neighbours: two in the row, and two in each of the rows above and below.

        Odd rows lie half a cell to the right.
        """
        return bool(KINDS[self.kind] & 4)

    @cached_property
    def cells(self) -> int:
        """The number of cells, without holes."""
        return self.rows * self.cols - self.holes.count(1)

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers of the cells, ``row * cols + col``, without holes."""
        return [cell for cell, hole in enumerate(self.holes) if not hole] or range(self.rows * self.cols)

    @cached_property
    def hole_map(self) -> NDArray[np.bool_]:
        """A read-only array of bool of this `shape`, True for a hole."""
        return np.frombuffer(self.holes or bytes(self.rows * self.cols), dtype=np.bool_).reshape(self.shape)

    def with_holes(self, hole_map: NDArray[np.bool_]) -> Grid:
        """Return the grid of this kind with these holes, and no others.

        `hole_map` is an array of bool of this `shape`, True for a hole. Raises `BoardError` if every cell is a hole,
        and for a map of another size.
        """
        if hole_map.shape != self.shape:
            raise BoardError(f"a map of holes of size {hole_map.shape}; expected {self.shape}")
        return Grid(self.rows, self.cols, self.kind, hole_map.tobytes())

    def nearest(self, cell: Cell) -> Cell:
        """Return a place of the rectangle, or if that is a hole, the nearest cell."""
        row, col = cell
        if not self.holes or not (0 <= row < self.rows and 0 <= col < self.cols and self.hole_map[row, col]):
            return cell
        cells = (divmod(number, self.cols) for number in self.numbers)
        return min(cells, key=lambda other: (other[0] - row) ** 2 + (other[1] - col) ** 2)

    def indent(self, row: int) -> float:
        """Return how far a row lies to the right, in widths of a cell: 0, or 0.5 for odd rows of hexagons."""
        return row % 2 / 2 if self.hexagons else 0.0

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        """Yield the up to 8 cells that touch `cell`, row by row on a rectangle."""
        row, col = cell
        height, width, wrap_rows, wrap_cols = self._wrapping
        holes = self.holes
        if holes and holes[row * width + col]:
            return
        for down, right in self.steps[row % 2]:
            r, c = row + down, col + right
            if wrap_rows:
                r %= height
            if wrap_cols:
                c %= width
            if 0 <= r < height and 0 <= c < width and not (holes and holes[r * width + c]):
                yield r, c

    @cached_property
    def _wrapping(self) -> tuple[int, int, bool, bool]:
        return self.rows, self.cols, self.wraps_rows, self.wraps_cols

    @cached_property
    def steps(self) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
        """The steps to the neighbours of a cell in an even row and in an odd row."""
        even, odd = (tuple(step for step in _STEPS if step not in missing) for missing in self._missing)
        return even, odd

    @cached_property
    def _missing(self) -> tuple[list[Cell], list[Cell]]:
        """The steps to neighbours that a cell in an even row and one in an odd row lack."""
        if self.hexagons:
            return [(-1, 1), (1, 1)], [(-1, -1), (1, -1)]
        missing = [step for k, step in enumerate(_STEPS) if KINDS[self.kind] >> 8 + k & 1]
        return missing, missing

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
        height, width, wrap_rows, wrap_cols = self._wrapping
        row, col = np.divmod(numbers, width)
        down, right = self._step_arrays
        r, c = row[:, None] + down[row % 2], col[:, None] + right[row % 2]
        if wrap_rows:
            r %= height
        if wrap_cols:
            c %= width
        found: NDArray[np.intp] = (r * width + c)[(r >= 0) & (r < height) & (c >= 0) & (c < width)]
        return found[~self.hole_map.ravel()[found]] if self.holes else found

    @cached_property
    def _step_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        steps = np.array(self.steps)
        return steps[..., 0], steps[..., 1]

    @cached_property
    def numbered(self) -> Mapping[int, list[int]]:
        """The neighbours of cells, all as numbers; they are listed on first use."""
        return _Numbered(self)

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up the values of the neighbours of every cell, in an array of this `shape` and the same type."""
        padded = np.zeros((self.rows + 2, self.cols + 2), dtype=values.dtype)
        padded[1:-1, 1:-1] = values * ~self.hole_map if self.holes else values
        for axis, wraps in enumerate((self.wraps_rows, self.wraps_cols)):
            if wraps:
                lines = np.moveaxis(padded, axis, 0)
                lines[0], lines[-1] = lines[-2], lines[1]
        rows_of_three = padded[:-2] + padded[1:-1] + padded[2:]
        sums: NDArray[Any] = rows_of_three[:, :-2] + rows_of_three[:, 1:-1] + rows_of_three[:, 2:] - padded[1:-1, 1:-1]
        for odd, missing in enumerate(self._missing):
            for down, right in missing:
                sums[odd::2] -= padded[1 + down :, 1 + right :][odd : self.rows : 2, : self.cols]
        return sums * ~self.hole_map if self.holes else sums

    def count(self, marks: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Count, for every cell of a map, the marked cells among its neighbours (0 to 8)."""
        counts: NDArray[np.int8] = self.sum(marks.view(np.int8))
        return counts

    def images(self, click: Cell) -> Iterator[tuple[Grid, NDArray[np.intp]]]:
        """Yield the symmetric images of a board with its first click: the grid of each, and the place of every cell.

        They are the turns and mirror images that keep the neighbours; of those that differ only by a move across sides
        that meet, the one that moves the click to the first row and column, if it can.
        """
        numbers = np.arange(self.rows * self.cols)
        at = click[0] * self.cols + click[1]
        # Odd rows of hexagons lie half a cell to the right: count columns in half cells.
        unit = 2 if self.hexagons else 1
        for symmetry in range(8):
            down, back, turned = symmetry & 1, symmetry & 2, symmetry & 4
            if (turned and self.hexagons) or not self._keeps(symmetry):
                continue
            row, col = np.divmod(numbers, self.cols)
            col = unit * col + row % unit
            col = unit * self.cols - 1 - col if back else col
            row = self.rows - 1 - row if down else row
            image = self
            if turned:
                row, col = col, row
                swapped = {"cylinder": "vertical cylinder", "vertical cylinder": "cylinder"}
                image = grid_of((self.cols, self.rows), swapped.get(self.kind, self.kind))
            if image.wraps_rows:
                row = row - row[at] + (0 if image.wraps_cols else col[at] % unit)
            if image.wraps_cols:
                col = col - col[at] + row[at] % unit
            if (row[at] + col[at]) % unit:
                continue
            row = row % image.rows
            places = row * image.cols + (col - row % unit) // unit % image.cols
            if self.holes:
                moved = np.zeros(len(places), dtype=np.bool_)
                moved[places] = self.hole_map.ravel()
                image = image.with_holes(moved.reshape(image.shape))
            yield image, places

    def _keeps(self, symmetry: int) -> bool:
        """Return whether cells lack the same neighbours in an image of squares."""
        down, back, turned = (1 - 2 * bool(symmetry & bit) for bit in (1, 2, 4))
        missing = {(row * down, col * back)[::turned] for row, col in self._missing[0]}
        return self.hexagons or missing == {*self._missing[0]}

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


def grid_of(shape: Size, grid: Grid | str = "") -> Grid:
    """Return the grid of arrays of this shape: `grid`, or the one of this kind or label.

    Grids that were used lately are shared, so they keep their lists of neighbours. Raises `BoardError` for a `grid` of
    another size, and as `Grid` does.
    """
    if isinstance(grid, str):
        return _shared(*shape, grid)
    if not isinstance(grid, Grid):
        raise BoardError(f"{grid!r} is no grid; expected a Grid or its label, e.g. torus")
    if grid.shape != shape:
        raise BoardError(f"the cells make {'x'.join(map(str, shape))}; expected {grid.name}")
    return grid


@lru_cache(maxsize=16)
def _shared(rows: int, cols: int, kind: str, holes: bytes = b"") -> Grid:
    return Grid(rows, cols, kind, holes)


def _read_holes(text: str) -> list[bytes]:
    """Read the rows of holes, a byte for each cell. Raises `BoardError`."""
    expected = "expected rows of '.' for a cell and '#' for a hole, with '/' between them, e.g. holes 5./2.#2./5."
    lines = text.replace("/", " ").split()
    if not lines:
        raise BoardError(f"no holes; {expected}")
    found: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if not re.fullmatch("([0-9]{0,4}[.#])+", line):
            raise BoardError(f"row {number} of the holes is {line[:60]!r}; {expected}")
        runs = [(int(count or 1), mark) for count, mark in _RUN.findall(line)]
        width = sum(count for count, _ in runs)
        check_size((number, width))
        check_cells((number, width), "a grid with holes")
        found.append("".join(mark * count for count, mark in runs).encode().translate(_HOLES_READ))
        if width != len(found[0]):
            raise BoardError(f"row {number} of the holes has {width} cells; row 1 has {len(found[0])}")
    return found


class Sized:
    """Base of values with a `grid` and a number of `mines`: sizes and names."""

    if TYPE_CHECKING:  # The classes below have these as fields or properties.

        @property
        def grid(self) -> Grid: ...
        @property
        def mines(self) -> int: ...

    @property
    def written_mines(self) -> int | str:
        """The number of mines as names and JSON have it."""
        return self.mines

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.grid.rows

    @property
    def cols(self) -> int:
        """The number of columns."""
        return self.grid.cols

    @property
    def name(self) -> str:
        """Size, mines and label of the grid, e.g. ``16x30/99`` or ``16x30/99 torus``."""
        return f"{self.rows}x{self.cols}/{self.written_mines} {self.grid.label}".rstrip()

    @property
    def title(self) -> str:
        """The name for people, with the number of its holes: ``16x30/60 torus, 12 holes``."""
        return in_words(self.name)

    def size_to_json(self) -> dict[str, int | str]:
        """Return rows, cols, mines and, unless it is a rectangle, the label of the grid as plain data for JSON."""
        size: dict[str, int | str] = {"rows": self.rows, "cols": self.cols, "mines": self.written_mines}
        return size | {"grid": self.grid.label} if self.grid.label else size
