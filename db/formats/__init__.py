"""Puzzle packs: files that carry puzzles from one program to another. The file's extension tells its format."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from minesweeper.db.formats import parquet
from minesweeper.db.formats.format import Format, FormatError, Found, only_one, peeked
from minesweeper.db.formats.known import JSON_LINES, RECORDED, format_by_extension, format_of, format_recognised
from minesweeper.db.formats.target import atomic_write, copied, is_stream, write_into
from minesweeper.db.records import PuzzleRecord

_AT_A_TIME: Final = 2**18
"""Bytes that a file is read by: each time, a thread that proves puzzles meanwhile may take over."""


@contextmanager
def reading(path: str | Path, pack: Format | None = None, stdin: BinaryIO | None = None) -> Iterator[Iterator[Found]]:
    """Open a file, a recorded game, or a folder of Parquet parts, to find its puzzles and boards, one after the other.

    The format is `pack`, or that of the file's extension, or else the content tells it; a folder of Parquet parts is
    read as one file. What this gives is a `db.formats.format.Reader`, which can go on after a `FormatError`. Raises
    `FormatError` for a format that is only written, or what is none, and `OSError` for a file that can't be read.
    """
    if (Path(path) / parquet.MANIFEST).is_file():
        yield parquet.read_folder(Path(path))
        return
    if str(path) == "-" and stdin is not None:
        with _reading(stdin, pack, str(path)) as reader:
            yield reader
        return
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    if pack is None and Path(path).suffix.lower() in RECORDED:
        from minesweeper.db.formats.positions import recorded

        yield recorded(Path(path))
        return
    pack = pack or format_by_extension(path)
    with Path(path).open("rb", _AT_A_TIME) as stream:
        if pack is not None and pack.read_file is not None and stream.seekable():
            yield pack.read_file(Path(path))
        else:
            with _reading(stream, pack, str(path)) as reader:
                yield reader


@contextmanager
def _reading(stream: BinaryIO, pack: Format | None, name: str) -> Iterator[Iterator[Found]]:
    """Find the puzzles of a stream, whose content tells the format if it is not given."""
    if pack is None:
        head, stream = peeked(stream)
        pack = format_recognised(head)
        if pack is None:
            from minesweeper.db.formats.positions import drawing

            yield drawing(head) if head.strip() else iter(())
            return
    if pack.read is None and pack.read_file is None:
        raise FormatError(f"expected a format that can be read, {pack.name} can only be written: {name!r}")
    with pack.reading(stream) as reader:
        yield reader


def save(records: Iterable[PuzzleRecord], path: str | Path, pack: Format | None = None) -> int:
    """Write puzzles to a file in a format, that of its extension unless given, and return how many they are.

    The file appears, or replaces an older one, once it is complete; if anything is raised, nothing has changed. What is
    no file, a pipe or a device, is written into; it gets JSON lines if its name has no extension.
    Raises `FormatError` for an unknown extension and `OSError` for a place that can't be written to.
    """
    takes = is_stream(Path(path))
    if pack is None:
        pack = JSON_LINES if takes and not Path(path).suffix else format_of(path)
    if pack.single:
        records = only_one(records, pack.name)
    # A link stays a link: what it points to is replaced.
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    try:
        if takes:
            return write_into(Path(path), stream_writer(records, pack))
        with atomic_write(target) as (part, stream):
            return pack.write(records, stream) if pack.write is not None else _write_file(records, pack, part)
    except OSError as error:
        # The user knows nothing of the file's other name.
        raise OSError(error.errno, error.strerror, str(path)) from error


def save_each(records: Iterable[PuzzleRecord], folder: str | Path, pack: Format) -> int:
    """Write each puzzle to a file of its own in a folder that exists, named after its id, and return how many."""
    count = 0
    for record in records:
        count += save([record], Path(folder) / f"{record.id}{pack.extensions[0]}", pack)
    return count


def stream_writer(records: Iterable[PuzzleRecord], pack: Format) -> Callable[[BinaryIO], int]:
    """Return what writes puzzles in a format to a stream, and says how many they are."""
    if pack.write is not None:
        return partial(pack.write, records)
    return copied(partial(_write_file, records, pack))


def _write_file(records: Iterable[PuzzleRecord], pack: Format, path: Path) -> int:
    return pack.write_file(records, path) if pack.write_file is not None else 0
