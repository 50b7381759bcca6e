"""Every program of the toolkit: the commands, the page, contests, studies and measurements of speed."""

import os
import sys

from minesweeper.scripts.memory import short_of_memory

_say, _say_ignored = sys.excepthook, sys.unraisablehook


# Half of what Ctrl-C hits in a short run is still loading, so this comes before anything else is loaded.
def _quiet(kind, error, traceback):  # type: ignore[no-untyped-def]
    """Say nothing of a Ctrl-C that nobody caught, and little of too little memory to load what a program needs.

    Python then ends as a program does that SIGINT has ended; of memory it is ended here, with 2.
    """
    if short_of_memory(error):
        print("Error: the system does not give the memory to begin with", file=sys.stderr, flush=True)
        os._exit(2)
    if not issubclass(kind, KeyboardInterrupt):
        _say(kind, error, traceback)


def _end(ignored):  # type: ignore[no-untyped-def]
    """End at once where Python would ignore a Ctrl-C and go on, because it came while something was cleared away."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        _say_ignored(ignored)
        return
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.raise_signal(signal.SIGINT)


sys.excepthook, sys.unraisablehook = _quiet, _end

from minesweeper.scripts.later import load_later  # noqa: E402  Only now, as it loads some more itself.

# Else what NumPy does algebra with begins a thread for every core as it is loaded, and nothing here gives them work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Worker processes inherit it.
load_later("numpy")
