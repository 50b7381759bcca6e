"""Tables of files that may be a stranger's, read in a process of their own with limited memory and time.

A small file may expand to any size, be read without end, or end the process that reads it.
"""

from __future__ import annotations

import mmap
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.limits import memory_limit

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BATCH_MEMORY: Final = 2**30
"""Limit of the memory in use, on Linux. Memory that is only reserved does not count: Arrow reserves a GiB at once."""
_RESERVED: Final = 4 * BATCH_MEMORY
"""Limit of the memory in use or reserved, for code that does not let the thread of `_watch_memory` run."""
BATCH_SECONDS: Final = 10.0
"""Limit of the CPU time for each batch of rows."""
_POLL_SECONDS: Final = 0.01
_STATM: Final = Path("/proc/self/statm")
Batch = tuple[Sequence[str], list[tuple[Any, ...]]]
"""Names of columns, and rows of a table."""
Row = tuple[Sequence[str], tuple[Any, ...]]
"""Names of columns, and the values of a row."""


def rows_of(
    batches: Callable[[Path], Iterator[Batch]], path: Path, *, limited: bool
) -> Generator[tuple[str, Row], None, None]:
    """Yield the rows of a file, each with its place, ``row 7``; `limited`, from a process with limits.

    Raise the errors of `batches`, and `FormatError` at a limit.
    """
    number = 0
    for names, rows in _received(batches, path) if limited else batches(path):
        for values in rows:
            number += 1
            yield f"row {number}", (names, values)


def _received(batches: Callable[[Path], Iterator[Batch]], path: Path) -> Iterator[Batch]:
    # The import is slow.
    import multiprocessing

    from minesweeper.player.core.limits import block_interrupts
    from minesweeper.player.parallel.processes import start_method

    context: Any = multiprocessing.get_context(start_method())
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(batches, path, BATCH_SECONDS, receiver, sender), daemon=True)
    with block_interrupts():
        process.start()
    sender.close()
    try:
        while found := receiver.recv():
            if isinstance(found, Exception):
                raise found
            yield found
    except EOFError:
        process.join()
        raise FormatError(_cause(process.exitcode)) from None
    finally:
        receiver.close()
        process.kill()
        process.join()


def _cause(exitcode: int | None) -> str:
    if exitcode == -getattr(signal, "SIGKILL", 0):
        return _too_large()  # by `_watch_memory`, or by a system without memory
    if exitcode == -getattr(signal, "SIGPROF", 0):
        return f"reading this file takes more than {BATCH_SECONDS:g} seconds for a few rows; expected those of puzzles"
    return "damaged file: it ended the process that read it"


def _too_large() -> str:
    return f"reading this file takes more than {BATCH_MEMORY >> 20} MiB of memory; expected puzzles"


def _send(
    batches: Callable[[Path], Iterator[Batch]],
    path: Path,
    seconds: float,
    receiver: Connection[Any, Any],
    sender: Connection[Any, Any],
) -> None:
    """Send the batches of a file, and then None or an error."""
    # Without a reader, sending ends this process.
    receiver.close()
    # A library that ends the process writes the cause to stderr.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    result: Exception | None = None
    if _STATM.exists():
        threading.Thread(target=_watch_memory, args=(_memory_used() + BATCH_MEMORY,), daemon=True).start()
    try:
        with memory_limit(_RESERVED):
            _limit_time(seconds)
            for batch in batches(path):
                sender.send(batch)
                _limit_time(seconds)
    except MemoryError:
        result = FormatError(_too_large())
    except BrokenPipeError:
        return
    except Exception as error:  # Raised again in the process that receives it.
        result = error
    sender.send(result)


def _watch_memory(limit: int) -> None:
    """Kill this process as soon as it uses more than `limit` bytes."""
    while _memory_used() <= limit:
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _memory_used() -> int:
    """Return the bytes of memory that this process occupies and that no file backs."""
    _, resident, shared, *_ = map(int, _STATM.read_text().split())
    return (resident - shared) * mmap.PAGESIZE


def _limit_time(seconds: float) -> None:
    """Let the system end this process after so much more CPU time."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
