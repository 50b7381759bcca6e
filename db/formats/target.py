"""Destinations of files: regular files, replaced as a whole, and streams such as pipes, appended to."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TypeVar

_T = TypeVar("_T")


def is_stream(path: Path) -> bool:
    """Return True for a pipe, a device, or an open file of the shell (``/dev/stdout``, ``>(gzip >x.gz)``).

    Streams are appended to, never replaced.
    """
    if not path.exists():
        return False
    while path.is_symlink():
        # Links on /proc are the open files of a process; after >> in a shell, one may have other content.
        if path.parent.resolve().parts[1:2] == ("proc",):
            return True
        path = path.parent / path.readlink()
    return not path.is_file()


def write_into(path: Path, write: Callable[[BinaryIO], _T]) -> _T:
    """Append to a stream; a pipe waits for its reader."""
    with path.open("ab") as stream:
        return write(stream)


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Replace a file, or the target of a link, as a whole; append to a stream. Raise `OSError` with the name."""
    if is_stream(path):
        write_into(path, write)
        return
    with atomic_write(path.resolve() if path.is_symlink() else path) as (_, stream):
        write(stream)


@contextmanager
def atomic_write(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Open a temporary file beside `target`, which replaces `target` at the end, unless the block raises.

    SIGTERM and SIGHUP end the process by an exception in the block, so they leave no temporary file. Raise
    `FileExistsError` for a database in use: it may have runs and games, which no pack has.
    """
    if target.is_file() and _is_database_in_use(target):
        raise FileExistsError(
            errno.EEXIST, "this is a database in use; expected another file, or packs merge to add puzzles", str(target)
        )
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        # "x" refuses to overwrite a file of that name.
        with _signals_raise(), part.open("xb") as stream:
            yield part, stream
            stream.flush()
            os.fsync(stream.fileno())
            part.replace(target)
    except BaseException as error:
        # SQLite may have files beside its database.
        for suffix in ("", "-journal", "-wal", "-shm"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)
        if isinstance(error, OSError):
            # The error of a write has no name.
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise


def _is_database_in_use(path: Path) -> bool:
    """Return True for SQLite's write-ahead mode: `DatabaseFile` sets it, and exported packs do not have it."""
    with path.open("rb") as stream:
        head = stream.read(20)
    return head.startswith(b"SQLite format 3\0") and head[18:20] == b"\2\2"


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `SystemExit`, unless the program has handlers of its own or ignores them."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    ending = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ending = [number for number in ending if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)
