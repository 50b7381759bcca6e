"""A program that reads a recorded game with ms_toollib and prints it as JSON, started by `recorded_games`.

It is a separate process because ms_toollib ends its process on a broken file, takes any time and memory for a crafted
one, and writes a crash log.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import ms_toollib

_HIDDEN = 10
CPU_SECONDS = 10
_MEMORY = 2**30
LENGTH = 2**25
"""Most characters of JSON; the longest recordings of people have 4 million."""


def main(path: str) -> None:
    """Print the board, the clicks and the header of the recorded game at `path`."""
    _limit()
    kind = {".avf": "AvfVideo", ".evf": "EvfVideo", ".rmv": "RmvVideo", ".mvf": "MvfVideo"}[Path(path).suffix.lower()]
    video = getattr(ms_toollib, kind)(path)
    video.parse()
    video.analyse()
    clicks = [click for click in (_click(event, video.pix_size) for event in video.events) if click is not None]
    # The counts of the video itself are those of its first event.
    done = video.events[-1].key_dynamic_params
    game = {
        "mines": [[cell == -1 for cell in row] for row in video.board],
        "seconds": video.rtime,
        "click_count": done.left + done.right + done.double,
        "software": video.software,
        "player": video.player_identifier,
        "clicks": clicks,
    }
    text = json.dumps(game)
    if len(text) > LENGTH:
        sys.exit("too long")
    print(text)


def _limit() -> None:
    """Limit CPU time and memory, and forbid files, where the system has such limits."""
    with suppress(ModuleNotFoundError):
        import resource

        limits = {resource.RLIMIT_CPU: CPU_SECONDS, resource.RLIMIT_AS: _MEMORY, resource.RLIMIT_FSIZE: 0}
        for kind, most in limits.items():
            resource.setrlimit(kind, (most, most))


def _click(event: Any, side: int) -> dict[str, Any] | None:
    """Return the click of an event with the views before and after it; None if it opened nothing."""
    # Levels 2 to 4 open cells: a click, a chord, a mine.
    if event.useful_level < 2 or not event.event.is_mouse():
        return None
    mouse = event.event.unwrap_mouse()
    row, col = mouse.y // side, mouse.x // side
    before, after = event.prior_game_board.game_board, event.next_game_board.game_board
    if before[row][col] >= _HIDDEN:
        cells = [(row, col)]
    else:
        near = [(r, c) for r in (row - 1, row, row + 1) for c in (col - 1, col, col + 1)]
        cells = [
            (r, c) for r, c in near if 0 <= r < len(before) and 0 <= c < len(before[0]) and before[r][c] == _HIDDEN
        ]
    return {"seconds": event.time, "cell": (row, col), "cells": cells, "before": _text(before), "after": _text(after)}


def _text(board: list[list[int]]) -> str:
    return "\n".join("".join(str(cell) if 0 <= cell <= 8 else "#" for cell in row) for row in board)


if __name__ == "__main__":
    main(sys.argv[1])
