"""A player that uses the exact probabilities of ms_toollib and no other library. Protocol: docs/reference/protocol.md.

pip install ms-toollib
autoplay --strategy "exec:python docs/examples/players/ms_toollib_player.py" --preset expert
"""

import json
import sys

import ms_toollib

HIDDEN, MINE = 10, 11


def safest(view: list[str], mines: int) -> list[tuple[int, int]]:
    """Return all certainly safe cells or else a cell with the lowest mine probability."""
    board = [[HIDDEN if symbol == "#" else int(symbol) for symbol in row] for row in view]
    hidden = [(r, c) for r, row in enumerate(board) for c, value in enumerate(row) if value == HIDDEN]
    chances, *_ = ms_toollib.cal_probability_onboard(board, mines)
    safe = [cell for cell in hidden if chances[cell[0]][cell[1]] <= 0]
    return safe or [min(hidden, key=lambda cell: chances[cell[0]][cell[1]])]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"name": "ms_toollib", "plays": "moves"}), flush=True)
    elif message["type"] == "game":
        mines = message["mines"]
    elif message["type"] == "move":
        print(json.dumps({"open": safest(message["view"], mines)}), flush=True)
