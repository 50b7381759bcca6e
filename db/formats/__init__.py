"""Puzzle packs: files of puzzles in the formats of this and other programs."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from minesweeper.db.formats import parquet
from minesweeper.db.formats.format import Readable, Reader, peek
from minesweeper.db.formats.registry import (
    JSON_LINES,
    PAPER_TEXT,
    PICTURE,
    RECORDED,
    Format,
    Writable,
    format_by_extension,
    format_of,
    format_recognised,
)
from minesweeper.db.formats.target import atomic_write, is_stream, write_into
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.errors import DatabaseError, FormatError

_BUFFER_BYTES: Final = 2**18
"""A large buffer means few reads, each of which lets another thread run."""


@contextmanager
def reading(
    path: str | Path, pack: Format | None = None, stdin: BinaryIO | None = None, *, limited: bool = False
) -> Iterator[Iterator[Readable]]:
    """Open a file, a recorded game or a folder of Parquet parts, and yield a `Reader` of its puzzles and boards.

    The format is `pack`, or else that of the file's extension, or else that of its content. With `limited`, a file that
    may expand to any size, SQLite or Parquet, is read in a process with limited memory and time. Raise `FormatError`
    for a format that is only written or unknown, and `OSError` for a file that cannot be read.
    """
    if (Path(path) / parquet.MANIFEST).is_file():
        yield parquet.read_folder(Path(path), limited=limited)
        return
    if str(path) == "-" and stdin is not None:
        with _reading(stdin, pack, str(path), limited=limited) as reader:
            yield reader
        return
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; expected a file", str(path))
    if pack is None and Path(path).suffix.lower() in RECORDED:
        from minesweeper.db.formats.positions import recorded

        yield Reader([("", Path(path))], recorded)
        return
    named = format_by_extension(path)
    # Other programs' texts and pictures have these extensions, too.
    pack = pack or (None if named in (PAPER_TEXT, PICTURE) else named)
    with Path(path).open("rb", _BUFFER_BYTES) as stream:
        if pack is not None and pack.in_file and pack.readable and stream.seekable():
            with pack.read_file(Path(path), limited=limited) as reader:
                yield reader
        else:
            with _reading(stream, pack, str(path), limited=limited) as reader:
                yield reader


@contextmanager
def _reading(stream: BinaryIO, pack: Format | None, name: str, *, limited: bool) -> Iterator[Iterator[Readable]]:
    """Read the puzzles of a stream, in the format of its content unless given."""
    if pack is None:
        head, stream = peek(stream)
        pack = format_recognised(head)
        if pack is None:
            from minesweeper.db.formats.positions import drawing, drawings

            yield Reader(drawings(head), drawing)
            return
    if not pack.readable:
        raise FormatError(f"the format {pack.name} is only written, not read: {name!r}")
    with pack.reading(stream, limited=limited) as reader:
        yield reader


def save(records: Writable, path: str | Path, pack: Format | None = None) -> int:
    """Write puzzles to a file, by default in the format of its extension, and return their number.

    The complete file replaces an older one; an error, or no puzzles, change nothing. A pipe or device is appended to;
    without an extension, in JSON lines. Raise `FormatError` for an unknown extension and `OSError` if writing fails.
    """
    to_stream = is_stream(Path(path))
    if pack is None:
        pack = JSON_LINES if to_stream and not Path(path).suffix else format_of(path)
    # Replace the target of a link, not the link.
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; expected a file", str(path))
    try:
        if to_stream:
            return write_into(Path(path), partial(pack.write, records))
        remaining: Iterator[Any] = iter(records)
        first = next(remaining, None)
        if first is None:
            return 0
        records = chain([first], remaining)
        with atomic_write(target) as (part, stream):
            try:
                return pack.write_file(records, part) if pack.in_file else pack.write(records, stream)
            except DatabaseError as error:
                raise DatabaseError(str(error).replace(repr(str(part)), repr(str(path)))) from error
    except OSError as error:
        # Name the file of the user, not the temporary one.
        raise OSError(error.errno, error.strerror, str(path)) from error


def save_each(records: Iterable[PuzzleRecord], folder: str | Path, pack: Format) -> int:
    """Write each puzzle to a file named after its id in an existing folder, and return their number."""
    count = 0
    for record in records:
        count += save([record], Path(folder) / f"{record.id}{pack.extensions[0]}", pack)
    return count
