"""Read a game that another program recorded, through ms_toollib, and print it as JSON: a program of its own.

It runs as a process of its own because ms_toollib ends the process that hands it a broken file. `recording` starts it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ms_toollib

HIDDEN = 10


def main(path: str) -> None:
    """Print the board of the video at `path`, what was clicked and seen, and what it says of itself."""
    kind = {".avf": "AvfVideo", ".evf": "EvfVideo", ".rmv": "RmvVideo", ".mvf": "MvfVideo"}[Path(path).suffix.lower()]
    video = getattr(ms_toollib, kind)(path)
    video.parse()
    video.analyse()
    acts = [act for act in (_act(event, video.pix_size) for event in video.events) if act is not None]
    # The counts of the video itself are those of the moment at which it is shown: its beginning.
    done = video.events[-1].key_dynamic_params
    game = {
        "mines": [[cell == -1 for cell in row] for row in video.board],
        "seconds": video.rtime,
        "clicks": done.left + done.right + done.double,
        "software": video.software,
        "player": video.player_identifier,
        "acts": acts,
    }
    print(json.dumps(game))


def _act(event: Any, side: int) -> dict[str, Any] | None:
    """What an event opened, if it opened anything, and what was seen before and after it."""
    # Levels 2 to 4 change what is seen: a click, a chord, a mine.
    if event.useful_level < 2 or not event.event.is_mouse():
        return None
    mouse = event.event.unwrap_mouse()
    row, col = mouse.y // side, mouse.x // side
    before, after = event.prior_game_board.game_board, event.next_game_board.game_board
    if before[row][col] >= HIDDEN:
        asked = [(row, col)]
    else:
        near = [(r, c) for r in (row - 1, row, row + 1) for c in (col - 1, col, col + 1)]
        asked = [(r, c) for r, c in near if 0 <= r < len(before) and 0 <= c < len(before[0]) and before[r][c] == HIDDEN]
    return {"seconds": event.time, "cell": (row, col), "asked": asked, "before": _shown(before), "after": _shown(after)}


def _shown(board: list[list[int]]) -> str:
    return "\n".join("".join(str(cell) if 0 <= cell <= 8 else "#" for cell in row) for row in board)


if __name__ == "__main__":
    main(sys.argv[1])
