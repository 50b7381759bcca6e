"""Check solution paths of Minesweeper puzzles without a solver: python check_path.py [FILE.path ...]

Files, or standard input, have a path in each line, as JSON. Each step must follow from the open clues that it names
(and the number of mines if "count"); all safe cells must open.
"""

import fileinput
import json
import sys
from itertools import product


def follows(claims, clues, others, mines):
    """Return whether clues, (unknown cells, mines there), and mines unless None force claims, {cell: is a mine}."""
    order, waiting = {}, list(clues)
    while waiting:  # Linked clues one after the other, so that few are begun and not finished at a time.
        clue = next((clue for clue in waiting if clue[0] & order.keys()), waiting[0])
        waiting.remove(clue)
        order.update(dict.fromkeys(sorted(clue[0])))
    room, needed = [len(cells) for cells, _ in clues], tuple(need for _, need in clues)
    states = {(needed, 0, False)}  # Mines that the clues still need, mines placed, whether a claim is wrong.
    for cell in order | claims:
        touched, before, states = [i for i, (cells, _) in enumerate(clues) if cell in cells], states, set()
        room = [left - (i in touched) for i, left in enumerate(room)]
        for (needs, placed, wrong), mine in product(before, (False, True)):
            left = tuple(need - (mine and i in touched) for i, need in enumerate(needs))
            if all(0 <= left[i] <= room[i] for i in touched):
                states.add((left, placed + (mine and mines is not None), wrong or claims.get(cell, mine) != mine))
    free = others - len(order | claims)  # Any number of these cells may be mines.
    return not any(wrong and (mines is None or 0 <= mines - placed <= free) for _, placed, wrong in states)


def around(cell, rows, cols, grid):
    """Return a cell and its neighbours; some may lie off the board. Odd rows of hexagons lie to the right."""
    (row, col), missing = cell, {(-1, 1), (1, 1)} if cell[0] % 2 == 0 else {(-1, -1), (1, -1)}
    steps = set(product((-1, 0, 1), (-1, 0, 1))) - (missing if "hex" in grid else set())
    down = rows if "torus" in grid or "vertical" in grid else rows + 2  # Modulo rows + 2, row -1 is off the board.
    right = cols if "torus" in grid or ("cylinder" in grid and "vertical" not in grid) else cols + 2
    return {((row + i) % down, (col + j) % right) for i, j in steps}


def check(path):
    """Raise ValueError unless a path holds."""
    board = {(r, c): mark == "*" for r, row in enumerate(path["board"]) for c, mark in enumerate(row) if mark != "-"}
    grid = path.get("grid", "").split()
    near = {cell: board.keys() & around(cell, path["rows"], path["cols"], grid) for cell in board}
    mines, unknown, opened = {cell for cell in board if board[cell]}, set(board), set()
    click = {"tier": 0, "safe": [path["first_click"]], "mines": [], "clues": [], "count": False}
    for number, step in enumerate([click, *path["steps"]]):
        claims = {tuple(cell): name == "mines" for name in ("safe", "mines") for cell in step[name]}
        named, tier = {tuple(cell) for cell in step["clues"]}, 4 if step["count"] else min(len(step["clues"]), 3)
        clues = [(near[at] & unknown, len(near[at] & unknown & mines)) for at in sorted(named)]
        left = len(unknown & mines) if step["count"] else None
        once = 0 < len(claims) == len(step["safe"]) + len(step["mines"])
        fits = once and claims.keys() <= unknown and named <= opened and step["tier"] == tier
        if not (fits and (follows(claims, clues, len(unknown), left) if number else not claims.keys() & mines)):
            raise ValueError(f"step {number} does not follow from open clues, or decides no unknown cell")
        unknown, safe = unknown - claims.keys(), [cell for cell in claims if not claims[cell]]
        for cell in safe:
            safe += [] if near[cell] & mines else near[cell] & unknown  # A zero opens the cells around it.
            unknown -= set(safe)
        opened.update(safe)
    if unknown - mines or (path["rows"] * path["cols"], path["mines"]) != (sum(map(len, path["board"])), len(mines)):
        raise ValueError("safe cells stay closed, or the board contradicts the size or the number of mines")


if __name__ == "__main__":
    confirmed = 0
    try:
        with fileinput.input(encoding="utf-8") as lines:
            for line in lines:
                check(json.loads(line))
                confirmed += 1
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        sys.exit(f"{fileinput.filename()}, line {confirmed + 1}: {error!r}")
    print(f"{confirmed} path{'s' * (confirmed != 1)} confirmed")
    sys.exit(confirmed == 0)
