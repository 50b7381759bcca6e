"""The solver of this toolkit, by either engine: python check_vectors.py vectors.txt python toolkit_solver.py sat"""

import json
import sys

import numpy as np

from minesweeper.player import View, closure, count_layouts, probabilities, reason
from minesweeper.player.board import cells_of
from minesweeper.player.logic import InconsistentView


def solve(rows: list[str], mines: int, engine: str) -> dict[str, object]:
    """Return the answer to a solve message."""
    view = View.from_text("\n".join(rows), mines)
    try:
        known = closure(view, engine)
    except InconsistentView:
        return {"layouts": 0}
    counter = "native" if engine == "native" else "exact"
    chances = probabilities(view, counter).chances
    reasons = np.full(view.cells.shape, None)
    for cell in cells_of(known.safe_map | known.mine_map):
        found = reason(view, cell, seconds=600)
        reasons[cell] = f"{len(found.clues)}{'+count' * found.mine_count}"
    return {
        "layouts": str(count_layouts(view)),
        "safe": cells_of(known.safe_map),
        "mines": cells_of(known.mine_map),
        "probabilities": np.where(np.isnan(chances), None, chances).tolist(),
        "reasons": reasons.tolist(),
    }


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"name": "minesweeper-toolkit", "solves": True}), flush=True)
    elif message["type"] == "game":
        mines = message["mines"]
    elif message["type"] == "solve":
        print(json.dumps(solve(message["view"], mines, sys.argv[1])), flush=True)
