"""Boards, views and probabilities as SVG drawings for notebooks, pages and print, with light and dark colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from minesweeper.player.core.grid import Grid, grid_of
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import check_cells

_CELL: Final = 20
_SQUARE: Final = f"h{_CELL}v{_CELL}h-{_CELL}z"
# A hexagon of this width, and the distance between rows.
_HEXAGON_HEIGHT: Final = 24
_HEXAGON_PITCH: Final = 18
_HEXAGON: Final = "m10 0l10 6v12l-10 6l-10-6v-12z"
_RULER: Final = 16
_STYLE: Final = """
.b{--e:#fff;--h:#c9ced6;--l:#9aa1ac;--t:#1c1f24;--a:#ffd84d;--1:#1646d8;--2:#14751f;--3:#c81e1e;--4:#5b1fa6;--5:#8a3b00;
--6:#00707a;--7:#1c1f24;--8:#666c76;font:600 14px system-ui,sans-serif;text-anchor:middle}
.n{font-size:6px;text-anchor:start;stroke:var(--e);stroke-width:2px;paint-order:stroke}
@media (prefers-color-scheme:dark){.b{--e:#22262d;--h:#4a525f;--l:#171a1f;--t:#e8eaee;--a:#8a6d00;--1:#8db4ff;
--2:#7ed487;--3:#ff9088;--4:#d0a5ff;--5:#f0ad70;--6:#6fd6df;--7:#e8eaee;--8:#aab1bc}}
@media print{.b{--e:#fff;--h:#d9dce1;--l:#7d848f;--t:#000;--a:#ffe680;--1:#1646d8;--2:#14751f;--3:#c81e1e;--4:#5b1fa6;
--5:#8a3b00;--6:#00707a;--7:#000;--8:#555}}
"""
STYLE: Final = " ".join(_STYLE.split())
"""The CSS of the drawings; a page with many drawings needs it once."""


class _Plan:
    """The places of drawn cells. Beyond sides that meet, a border repeats the cells of the opposite side."""

    def __init__(self, cells: NDArray[np.int8], grid: Grid) -> None:
        self.border = int(grid.wraps_rows), int(grid.wraps_cols)
        around = [(side, side) for side in self.border]
        self.cells = np.pad(cells, around, mode="wrap") if any(self.border) else cells
        self.has_holes = bool(grid.holes)
        self._exists = np.pad(~grid.hole_map, around, mode="wrap")
        self.hexagons = grid.hexagons
        self.rows, self.cols = self.cells.shape
        self.outline = _HEXAGON if self.hexagons else _SQUARE
        self.down = (_HEXAGON_HEIGHT - _CELL) // 2 if self.hexagons else 0
        self._pitch = _HEXAGON_PITCH if self.hexagons else _CELL
        self.width = _CELL * self.cols + 2 + (_CELL // 2 if self.hexagons else 0)
        self.height = self._pitch * self.rows + 2 + (_HEXAGON_HEIGHT - _HEXAGON_PITCH if self.hexagons else 0)

    def corner(self, row: int, col: int) -> tuple[int, int]:
        """Return the upper left corner of the box around a drawn cell."""
        odd = self.hexagons and (row - self.border[0]) % 2
        return _CELL * col + 1 + (_CELL // 2 if odd else 0), self._pitch * row + 1

    def drawn(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the place of a cell among the drawn ones."""
        return cell[0] + self.border[0], cell[1] + self.border[1]

    def outlines(self, places: Iterable[Sequence[int]]) -> str:
        """Return the path around each of these drawn cells."""
        return "".join("M{} {}".format(*self.corner(row, col)) + self.outline for row, col in places)

    def places(self, marks: NDArray[np.bool_]) -> list[list[int]]:
        """List the drawn cells that are marked."""
        return _places(marks & self._exists)

    def all(self) -> str:
        """Return the path around each drawn cell."""
        return self.outlines(_places(self._exists))

    def lines(self) -> str:
        """Return the path of all lines between cells."""
        if self.hexagons or self.has_holes:
            return self.all()
        across = "".join(f"M1 {_CELL * row + 1}h{self.width - 2}" for row in range(self.rows + 1))
        return across + "".join(f"M{_CELL * col + 1} 1v{self.height - 2}" for col in range(self.cols + 1))

    def repeated(self) -> list[list[int]]:
        """List the drawn cells of the border."""
        marks = np.ones(self.cells.shape, dtype=np.bool_)
        above, left = self.border
        marks[above : self.rows - above, left : self.cols - left] = False
        return self.places(marks)


def extent(grid: Grid, *, numbered: bool = False) -> tuple[float, float]:
    """Return the height and the width of a drawing, `numbered` as in `draw_svg`, in the widths of a cell."""
    plan = _Plan(np.zeros(grid.shape, dtype=np.int8), grid)
    more = _RULER * numbered - 2
    return (plan.height + more) / _CELL, (plan.width + more) / _CELL


def draw_svg(
    cells: NDArray[np.int8],
    title: str,
    grid: Grid | str = "",
    *,
    marked: tuple[int, int] | None = None,
    numbers: Mapping[tuple[int, int], int] | None = None,
    fills: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    style: bool = True,
    zeros: bool = False,
    numbered: bool = False,
) -> str:
    """Draw the cells of a grid: clues, -1 for hidden cells and 9 for mines; the cell `marked` is highlighted.

    `grid` is a `Grid` or its label. Beyond sides that meet, pale cells repeat those of the opposite side. With
    `zeros`, zeros have their number, as in print, where they need not lie in openings. `numbers` are small numbers
    in the corners of cells. `numbered` adds the numbers of rows and columns. `fills` are light CSS colours of
    cells, each with a short text; the cell `marked` then has a frame. Without `style`, the surrounding page must
    contain `STYLE`. Raises `BoardError` for more than a million cells.
    """
    check_cells(cells.shape, "a drawing")
    plan = _Plan(cells, grid_of(cells.shape, grid))
    cells, width, height, down = plan.cells, plan.width, plan.height, plan.down
    ruler = _RULER * numbered
    size = f'{width + ruler} {height + ruler}" width="{width + ruler}" height="{height + ruler}"'
    box = f'viewBox="{-ruler} {-ruler} {size}'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" class="b" {box} role="img"><title>{title}</title>']
    if style:
        parts.append(f"<style>{STYLE}</style>")
    if plan.has_holes:
        # The outer half of this stroke frames holes, which would look like open cells.
        frame = '<path stroke="var(--l)" stroke-width="5" paint-order="stroke"'
        parts.append(f'{frame} fill="var(--e)" d="{plan.all()}"/>')
    else:
        parts.append(f'<rect width="{width}" height="{height}" fill="var(--e)"/>')
    hidden = plan.outlines(_places(cells < 0))
    if hidden:
        parts.append(f'<path fill="var(--h)" d="{hidden}"/>')
    filled = {plan.drawn(cell): fill for cell, fill in (fills or {}).items()}
    parts += [f'<path fill="{colour}" d="{plan.outlines([cell])}"/>' for cell, (colour, _) in filled.items()]
    if marked is not None and not fills:
        parts.append(f'<path fill="var(--a)" d="{plan.outlines([plan.drawn(marked)])}"/>')
    inside = ' fill="none"' if plan.hexagons or plan.has_holes else ""
    parts.append(f'<path{inside} stroke="var(--l)" d="{plan.lines()}"/>')
    for clue in range(0 if zeros else 1, 9):
        places = [plan.corner(*place) for place in plan.places(cells == clue)]
        if places:
            texts = "".join(f'<text x="{x + 10}" y="{y + down + 15}">{clue}</text>' for x, y in places)
            parts.append(f'<g fill="var(--{clue or 8})">{texts}</g>')
    mines = "".join(
        f'<path d="M{x + 3} {y + down + 10}h14m-7-7v14m-5-12 10 10m0-10-10 10" stroke="var(--t)"/>'
        f'<circle cx="{x + 10}" cy="{y + down + 10}" r="5"/>'
        for x, y in (plan.corner(*place) for place in _places(cells > 8))
    )
    if mines:
        parts.append(f'<g fill="var(--t)" stroke-width="1.5">{mines}</g>')
    if filled:
        corners = ((*plan.corner(*cell), text) for cell, (_, text) in filled.items())
        texts = "".join(f'<text x="{x + 10}" y="{y + down + 13}">{text}</text>' for x, y, text in corners)
        parts.append(f'<g font-size="9" font-weight="400">{texts}</g>')
        if marked is not None:
            frame = plan.outlines([plan.drawn(marked)])
            parts.append(f'<path d="{frame}" fill="none" stroke="#000" stroke-width="2"/>')
    if numbers:
        placed = ((*plan.corner(*plan.drawn(cell)), number) for cell, number in numbers.items())
        small = (f'<text x="{x + (9 if down else 1)}" y="{y + 6 + down}">{number}</text>' for x, y, number in placed)
        parts.append(f'<g fill="var(--t)" class="n">{"".join(small)}</g>')
    if numbered:
        (above, left), (rows, cols) = plan.border, plan.cells.shape
        rulers = [(-8, plan.corner(row, 0)[1] + down + 13, row - above) for row in range(above, rows - above)]
        rulers += [(plan.corner(above, col)[0] + 10, -4, col - left) for col in range(left, cols - left)]
        texts = "".join(f'<text x="{x}" y="{y}">{number}</text>' for x, y, number in rulers)
        parts.append(f'<g fill="var(--t)" font-size="9" font-weight="400">{texts}</g>')
    if any(plan.border):
        pale = plan.outlines(plan.repeated())
        parts.append(f'<path fill="var(--e)" fill-opacity=".6" stroke="var(--l)" stroke-dasharray="3 2" d="{pale}"/>')
    return "".join([*parts, "</svg>"])


def chances_in_html(
    cells: NDArray[np.int8],
    title: str,
    chances: NDArray[np.float64],
    best: tuple[int, int] | None,
    words: str,
    grid: Grid,
) -> str:
    """Draw the mine probabilities of hidden cells in percent, from green to red, with `words` below.

    `chances` is 0 and 1 in cells that are certain, and NaN in cells that stay grey. The cell `best` has a frame.
    """
    fills = {}
    for row, col in _places(~np.isnan(chances)):
        chance = float(chances[row, col])
        text = f"{chance:.0%}"[:-1] if chance in (0, 1) else escape(percent(chance))
        fills[row, col] = f"hsl({120 * (1 - chance):.0f} 65% 75%)", text
    if fills:
        words = (
            f"{words} Numbers in coloured cells: the probability of a mine in percent; 0 and 100 are certain.".strip()
        )
    drawing = draw_svg(cells, title, grid, marked=best, fills=fills)
    return f"<figure>{drawing}<figcaption>{escape(words)}</figcaption></figure>"


def deduction_in_html(
    cells: NDArray[np.int8],
    title: str,
    grid: Grid,
    decided: Mapping[tuple[int, int], bool],
    clues: Iterable[tuple[int, int]],
    words: str,
) -> str:
    """Draw a deduction: the cells decided, True for a mine, in green and red, and its clues, with `words` below."""
    fills = dict.fromkeys(clues, ("var(--a)", ""))
    fills |= {cell: ("hsl(0 65% 75%)", "*") if mine else ("hsl(120 65% 75%)", "s") for cell, mine in decided.items()}
    drawing = draw_svg(cells, title, grid, fills=fills)
    words = f"{words} Green (s): safe; red (*): mines; yellow: the clues."
    return f"<figure>{drawing}<figcaption>{escape(words)}</figcaption></figure>"


def rates_in_html(title: str, rates: Iterable[tuple[str, Sequence[float]]], notes: Iterable[str] = ()) -> str:
    """Draw win rates, each with the ends of its interval, as a table with a small chart, and `notes` below."""
    rows = []
    for name, rate in rates:
        value, low, high = (100 * share for share in rate)
        rows.append(
            f'<tr><td>{escape(name)}</td><td>{value:.2f}%</td><td>{low:.2f}% to {high:.2f}%</td><td><svg width="204" '
            f'height="12" viewBox="-2 0 204 12" role="img"><path stroke="#8888" d="M0 6h200"/><path stroke="#1646d8" '
            f'stroke-width="3" d="M{2 * low:.1f} 6H{2 * high:.1f}"/><circle cx="{2 * value:.1f}" cy="6" r="4" '
            f'fill="#1646d8"/></svg></td></tr>'
        )
    head = "<tr><th>strategy<th>games won<th>95% interval<th>0% to 100%</tr>"
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><caption>{escape(title)}</caption>{head}{''.join(rows)}</table>{below}"


def percent(probability: float) -> str:
    """Return an uncertain probability in whole percent, never as 0 or 100."""
    rounded = round(100 * probability)
    if rounded < 1:
        return "<1"
    return ">99" if rounded > 99 else str(rounded)


def _places(marks: NDArray[np.bool_]) -> list[list[int]]:
    found: list[list[int]] = np.argwhere(marks).tolist()
    return found
