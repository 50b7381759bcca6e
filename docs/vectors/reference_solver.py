"""An exact solver in plain Python: layouts, closure and mine probabilities. It needs no package and favours clarity.

It answers `solve` messages: python check_vectors.py vectors.txt python reference_solver.py
"""

import json
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb


def around(cell, rows, cols, grid):
    """Return a cell and the cells that touch it, row by row on a rectangle; some may lie off the board."""
    r, c = cell
    # Odd rows of hexagons lie half a cell to the right.
    missing = {(down, -1 if r % 2 else 1) for down in (-1, 1)} if "hex" in grid else set()
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) not in missing]
    wraps_down = "vertical" in grid or "torus" in grid
    wraps_right = "torus" in grid or ("cylinder" in grid and "vertical" not in grid)
    cells = [(r + down, c + right) for down, right in steps]
    return [(y % rows if wraps_down else y, x % cols if wraps_right else x) for y, x in cells]


def components(view, grid):
    """Return the parts of a view that share no cell, and its unconstrained cells.

    A part has groups of cells that touch the same clues, [(cells, numbers of the clues)], and the clues' needs.
    """
    symbols = {(r, c): symbol for r, row in enumerate(view) for c, symbol in enumerate(row) if symbol != "-"}
    groups = {}
    for (r, c), symbol in symbols.items():
        if symbol == "#":
            near = around((r, c), len(view), len(view[0]), grid)
            clues = tuple(at for at in near if symbols.get(at, "#") != "#")
            groups.setdefault(clues, []).append((r, c))
    unconstrained = groups.pop((), [])
    parts = [{at} for at, symbol in symbols.items() if symbol != "#"]
    for clues in groups:
        joined = [part for part in parts if not part.isdisjoint(clues)]
        parts = [*(part for part in parts if part.isdisjoint(clues)), set().union(*joined)]
    found = []
    for part in parts:
        number = {clue: place for place, clue in enumerate(sorted(part))}
        own = [(cells, [number[at] for at in clues]) for clues, cells in groups.items() if clues[0] in number]
        found.append((own, tuple(int(symbols[at]) for at in number)))
    return found, unconstrained


def count(groups, needs):
    """Count the layouts of a part by their number of mines, and those with a mine in the first cell of each group."""

    @cache
    def rest(place, needs):
        if place == len(groups):
            return (Counter() if any(needs) else Counter({0: 1})), []
        cells, clues = groups[place]
        total, mined = Counter(), [Counter() for _ in groups[place:]]
        for mines in range(min([len(cells), *(needs[clue] for clue in clues)]) + 1):
            after = tuple(need - mines * (clue in clues) for clue, need in enumerate(needs))
            if any(after[clue] > room[place + 1][clue] for clue in clues):
                continue
            below, mined_below = rest(place + 1, after)
            for more, ways in below.items():
                total[mines + more] += comb(len(cells), mines) * ways
                mined[0][mines + more] += (comb(len(cells) - 1, mines - 1) if mines else 0) * ways
            for sums, sums_below in zip(mined[1:], mined_below, strict=True):
                for more, ways in sums_below.items():
                    sums[mines + more] += comb(len(cells), mines) * ways
        return total, mined

    # The cells that are left for each clue from a group on.
    room = [[0] * len(needs)]
    for cells, clues in reversed(groups):
        room.insert(0, [left + len(cells) * (clue in clues) for clue, left in enumerate(room[0])])
    return rest(0, needs)


def product(one, other):
    """Multiply two counts by number of mines."""
    result = Counter()
    for mines, ways in one.items():
        for more, others in other.items():
            result[mines + more] += ways * others
    return result


def solve(view, mines, grid=""):
    """Return the number of layouts and {hidden cell: probability of a mine}, empty if no layout fits."""
    parts, unconstrained = components(view, grid)
    counted = [count(*part) for part in parts]
    free = Counter({more: comb(len(unconstrained), more) for more in range(len(unconstrained) + 1)})
    before, after = [Counter({0: 1})], [free]
    for total, _ in counted:
        before.append(product(before[-1], total))
    for total, _ in reversed(counted):
        after.insert(0, product(total, after[0]))
    layouts = after[0][mines]
    chances = {}
    for place, ((groups, _), (_, mined)) in enumerate(zip(parts, counted, strict=True)):
        others = product(before[place], after[place + 1]) if mined and layouts else {}
        for (cells, _), ways in zip(groups, mined, strict=True):
            sure = sum(ways[more] * others.get(mines - more, 0) for more in ways)
            chances.update(dict.fromkeys(cells, Fraction(sure, layouts or 1)))
    left = mines - sum(chances.values())
    chances.update((cell, Fraction(left, len(unconstrained))) for cell in unconstrained)
    return layouts, chances if layouts else {}


def answer(view, mines, grid=""):
    """Return the answer to a solve message."""
    layouts, chances = solve(view, mines, grid)
    if not layouts:
        return {"layouts": "0"}
    rows = [[str(chances[r, c]) if (r, c) in chances else None for c in range(len(row))] for r, row in enumerate(view)]
    safe, sure = ([cell for cell in sorted(chances) if chances[cell] == chance] for chance in (0, 1))
    return {"layouts": str(layouts), "safe": safe, "mines": sure, "probabilities": rows}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"name": "reference", "solves": True}), flush=True)
        elif message["type"] == "game":
            mines, grid = message["mines"], message.get("grid", "")
        elif message["type"] == "solve":
            print(json.dumps(answer(message["view"], mines, grid)), flush=True)
