"""Boards, views and probabilities as SVG drawings for notebooks, pages and print, with light and dark colours."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from minesweeper.player.lazy_numpy import NDArray, np
from minesweeper.player.limits import check_cells

_CELL: Final = 20
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


def draw_svg(
    cells: NDArray[np.int8],
    title: str,
    *,
    marked: tuple[int, int] | None = None,
    numbers: Mapping[tuple[int, int], int] | None = None,
    fills: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    style: bool = True,
    zeros: bool = False,
) -> str:
    """Draw (rows, cols) cells: clues, -1 for hidden cells and 9 for mines; the cell `marked` is highlighted.

    With `zeros`, zeros have their number, as in print, where they need not lie in openings.
    `numbers` are small numbers in the corners of cells. `fills` are light CSS colours of cells, each with a short text;
    the cell `marked` then has a frame. Without `style`, the surrounding page must contain `STYLE`. Raises
    `BoardError` for more than a million cells.
    """
    rows, cols = cells.shape
    check_cells(rows, cols, "a drawing")
    width, height = _CELL * cols + 2, _CELL * rows + 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="b" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{title}</title>'
    ]
    if style:
        parts.append(f"<style>{STYLE}</style>")
    parts.append(f'<rect width="{width}" height="{height}" fill="var(--e)"/>')
    hidden = "".join(f"M{_CELL * col + 1} {_CELL * row + 1}h20v20h-20z" for row, col in _places(cells < 0))
    if hidden:
        parts.append(f'<path fill="var(--h)" d="{hidden}"/>')
    for (row, col), (colour, _) in (fills or {}).items():
        parts.append(f'<path fill="{colour}" d="M{_CELL * col + 1} {_CELL * row + 1}h20v20h-20z"/>')
    if marked is not None and not fills:
        row, col = marked
        parts.append(f'<rect x="{_CELL * col + 1}" y="{_CELL * row + 1}" width="20" height="20" fill="var(--a)"/>')
    lines = "".join(f"M1 {_CELL * row + 1}h{width - 2}" for row in range(rows + 1))
    lines += "".join(f"M{_CELL * col + 1} 1v{height - 2}" for col in range(cols + 1))
    parts.append(f'<path stroke="var(--l)" d="{lines}"/>')
    for clue in range(0 if zeros else 1, 9):
        places = _places(cells == clue)
        if places:
            texts = "".join(f'<text x="{_CELL * c + 11}" y="{_CELL * r + 16}">{clue}</text>' for r, c in places)
            parts.append(f'<g fill="var(--{clue or 8})">{texts}</g>')
    mines = "".join(
        f'<path d="M{_CELL * c + 4} {_CELL * r + 11}h14m-7-7v14m-5-12 10 10m0-10-10 10" stroke="var(--t)"/>'
        f'<circle cx="{_CELL * c + 11}" cy="{_CELL * r + 11}" r="5"/>'
        for r, c in _places(cells > 8)
    )
    if mines:
        parts.append(f'<g fill="var(--t)" stroke-width="1.5">{mines}</g>')
    if fills:
        texts = "".join(
            f'<text x="{_CELL * c + 11}" y="{_CELL * r + 14}">{text}</text>' for (r, c), (_, text) in fills.items()
        )
        parts.append(f'<g font-size="9" font-weight="400">{texts}</g>')
        if marked is not None:
            row, col = marked
            place = f'x="{_CELL * col + 1}" y="{_CELL * row + 1}" width="20" height="20"'
            parts.append(f'<rect {place} fill="none" stroke="#000" stroke-width="2"/>')
    if numbers:
        small = (f'<text x="{_CELL * c + 2}" y="{_CELL * r + 7}">{number}</text>' for (r, c), number in numbers.items())
        parts.append(f'<g fill="var(--t)" class="n">{"".join(small)}</g>')
    return "".join([*parts, "</svg>"])


def chances_in_html(
    cells: NDArray[np.int8], title: str, chances: NDArray[np.float64], best: tuple[int, int] | None, words: str
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
    drawing = draw_svg(cells, title, marked=best, fills=fills)
    return f"<figure>{drawing}<figcaption>{escape(words)}</figcaption></figure>"


def percent(probability: float) -> str:
    """Return an uncertain probability in whole percent, never as 0 or 100."""
    rounded = round(100 * probability)
    if rounded < 1:
        return "<1"
    return ">99" if rounded > 99 else str(rounded)


def _places(marks: NDArray[np.bool_]) -> list[list[int]]:
    found: list[list[int]] = np.argwhere(marks).tolist()
    return found
