"""The neighbours of cells of any grid, by the places of their middles, apart from `minesweeper.player.core.grid`."""

import re
from itertools import product
from math import dist, sqrt

Cells = dict[tuple[int, int], set[tuple[int, int]]]


def plain_neighbours(rows: int, cols: int, name: str) -> Cells:
    """Return the neighbours of every cell of a grid with this name, such as ``hex torus holes 2.#2./5.``."""
    kind, _, holes = name.partition("holes")
    words = kind.split()
    hexagons = "hex" in words
    heights = [-rows, 0, rows] if {"torus", "vertical"} & {*words} else [0]
    widths = [-cols, 0, cols] if "torus" in words or (words[-1:] == ["cylinder"] and "vertical" not in words) else [0]

    def middle(row: int, col: int) -> tuple[float, float]:
        return (row * sqrt(3) / 2, col + row % 2 / 2) if hexagons else (row, col)

    def touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
        y, x = middle(*one)
        for down, right in product(heights, widths):
            r, c = middle(*other)
            there = (r + (down * sqrt(3) / 2 if hexagons else down), c + right)
            if dist((y, x), there) < (1.1 if hexagons else 1.5):
                return True
        return False

    marks = "".join(int(count or 1) * mark for count, mark in re.findall(r"(\d*)([.#])", holes)) or "." * (rows * cols)
    cells = [cell for cell, mark in zip(product(range(rows), range(cols)), marks, strict=True) if mark == "."]
    return {one: {other for other in cells if other != one and touch(one, other)} for one in cells}
