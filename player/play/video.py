"""A program that reads a recorded game with ms_toollib and prints it as JSON, started by `recorded_games`.

It is a separate process because ms_toollib ends its process on a broken file, takes any time and memory for a crafted
one, and writes a crash log.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

import ms_toollib

CPU_SECONDS = 10
_MEMORY = 2**30
LENGTH = 2**25
"""Most characters of JSON; the longest recordings of people have 4 million."""


def main(path: str) -> None:
    """Print the board, the events of the mouse and the header of the recorded game at `path`."""
    _limit()
    kind = {".avf": "AvfVideo", ".evf": "EvfVideo", ".rmv": "RmvVideo"}[Path(path).suffix.lower()]
    video = getattr(ms_toollib, kind)(path)
    video.parse()
    mice = [(one.time, one.event.unwrap_mouse()) for one in video.events if one.event.is_mouse()]
    game = {
        "mines": [[cell == -1 for cell in row] for row in video.board],
        "events": [(seconds, mouse.mouse, mouse.x, mouse.y) for seconds, mouse in mice],
        "side": video.pix_size,
        "seconds": video.rtime,
        "program": video.software,
        "player": video.player_identifier,
        "mode": video.mode,
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


if __name__ == "__main__":
    main(sys.argv[1])
