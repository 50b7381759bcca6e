"""Where a pack is written to: a file that appears whole or not at all, or something that only takes what is written."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where a file that is open can't be removed anyway.
    fcntl = None  # type: ignore[assignment]


def is_stream(path: Path) -> bool:
    """Whether a path is a pipe, a device, or what the shell has opened (``/dev/stdout``, ``>(gzip >x.gz)``).

    These are written into, never replaced.
    """
    if not path.exists():
        return False
    while path.is_symlink():
        # Links on /proc tell what a process has open; with >> that is a file which has more in it than ours.
        if path.parent.resolve().parts[1:2] == ("proc",):
            return True
        path = path.parent / path.readlink()
    return not path.is_file()


def write_into(path: Path, write: Callable[[BinaryIO], int]) -> int:
    """Write to the end of what only takes; a pipe waits for its reader."""
    with path.open("ab") as stream:
        return write(stream)


def copied(write_file: Callable[[Path], int]) -> Callable[[BinaryIO], int]:
    """Make what needs a file of its own write to a stream: it writes a temporary file, which is copied."""

    def write(stream: BinaryIO) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pack"
            count = write_file(path)
            with path.open("rb") as whole:
                shutil.copyfileobj(whole, stream)
        return count

    return write


@contextmanager
def atomic_write(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Open a part of another name, which gets the name `target` where the block ends; if it raises, nothing changes.

    Parts that killed processes have left are removed: a process holds a lock on its own.
    """
    _remove_leftovers(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        # Made here, so that nothing of this name is ever written over.
        with part.open("xb") as stream:
            _lock(stream)
            yield part, stream
            stream.flush()
            os.fsync(stream.fileno())
            part.replace(target)
    except BaseException:
        _remove(part)
        raise


def _remove_leftovers(target: Path) -> None:
    for part in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        # What can't be opened or locked is not ours to remove.
        with suppress(OSError), part.open("rb") as stream:
            _lock(stream)
            _remove(part)


def _remove(part: Path) -> None:
    """Remove a part, and what SQLite keeps beside it."""
    for beside in ("", "-journal", "-wal", "-shm"):
        part.with_name(part.name + beside).unlink(missing_ok=True)


def _lock(stream: BinaryIO) -> None:
    """Lock a file for as long as it is open; raises `BlockingIOError` if another process has."""
    if fcntl is not None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
