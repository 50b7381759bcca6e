"""What every exchange format is: a way to write puzzles to a stream of bytes, and to read them back."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, TypeVar, cast

from minesweeper.db.records import PuzzleRecord
from minesweeper.player.board import Board, BoardError, Puzzle
from minesweeper.player.game import StartRule

_Piece = TypeVar("_Piece")
Found = PuzzleRecord | Board

LONGEST: Final = 8 * 2**20
"""The most bytes of one line, or of a file that holds one puzzle: enough for a million cells in any format."""
IMPORTED: Final = "imported"
NO_ENGINE: Final = "none"
_ECHO: Final = 60


class FormatError(ValueError):
    """A file that is not in the format it should be in, or a name that belongs to no format."""


class Reader(Iterator[Found], Generic[_Piece]):
    """What a file holds, one after the other: puzzles, or boards where the format knows no first click.

    Raises `FormatError` naming the place for a record that can't be read; asked again, it goes on with the next one,
    if there is a way to find it.
    """

    def __init__(self, pieces: Iterable[tuple[str, _Piece]], parse: Callable[[_Piece], Found]) -> None:
        self._pieces = iter(pieces)
        self._parse = parse
        self.place = ""

    def __next__(self) -> Found:
        self.place, piece = next(self._pieces)
        try:
            return self._parse(piece)
        except (FormatError, BoardError) as error:
            raise FormatError(f"{self.place}: {error}" if self.place else str(error)) from error


Write = Callable[[Iterable[PuzzleRecord], BinaryIO], int]
Read = Callable[[BinaryIO], Iterator[Found]]


@dataclass(frozen=True)
class Format:
    """One way to keep puzzles in a file.

    `write` returns how many puzzles it wrote; `read` is None for formats that are only written, else a function that
    returns a `Reader`. Both keep few puzzles in memory. `title` says in a word or two what it is.
    A format that needs a file of its own, not a stream, has `read_file` and `write_file` instead. `single` formats hold
    one puzzle in a file. `looks_like` says of the first bytes of a file, or all of a short one, whether they are of
    this format; it may be wrong about what no format is.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    write: Write | None = None
    read: Read | None = None
    write_file: Callable[[Iterable[PuzzleRecord], Path], int] | None = None
    read_file: Callable[[Path], Iterator[Found]] | None = None
    single: bool = False
    looks_like: Callable[[bytes], bool] = lambda head: False

    @contextmanager
    def reading(self, stream: BinaryIO) -> Iterator[Iterator[Found]]:
        """Find the puzzles of a stream; for a format that needs a file, it is copied to one."""
        if self.read_file is None:
            assert self.read is not None
            yield self.read(stream)
            return
        with tempfile.NamedTemporaryFile(suffix=self.extensions[0]) as copy:
            shutil.copyfileobj(stream, copy)
            copy.flush()
            yield self.read_file(Path(copy.name))


def writer(encode: Callable[[PuzzleRecord], bytes], single: str = "") -> Write:
    """Return a function that writes puzzles one after the other; for a format `single`, it refuses a second one."""

    def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
        count = 0
        for record in only_one(records, single) if single else records:
            stream.write(encode(record))
            count += 1
        return count

    return write


class _Again(io.RawIOBase):
    """A stream whose beginning was read, from its beginning."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def peeked(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Read the first bytes of a stream, more than `LONGEST` only if it is longer; and give it back as if unread."""
    if stream.seekable():
        place = stream.tell()
        head = stream.read(LONGEST + 1)
        stream.seek(place)
        return head, stream
    head = stream.read(LONGEST + 1)
    return head, cast(BinaryIO, io.BufferedReader(_Again(head, stream)))


def first_line(head: bytes) -> bytes:
    """The first line that is not empty, without blanks around it."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].strip()


def lines(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file that are not empty, each with its name, "line 7".

    Raises `FormatError` for a line longer than `LONGEST`, and reads no further.
    """
    number = 0
    while line := stream.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise FormatError(f"line {number}: expected at most {LONGEST >> 20} MiB in a line: {echo(line)}")
        if line.strip():
            yield f"line {number}", line


def whole(stream: BinaryIO) -> bytes:
    """Read a file that holds one puzzle; raises `FormatError` if it is longer than `LONGEST`."""
    data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise FormatError(f"expected at most {LONGEST >> 20} MiB for one puzzle: {echo(data)}")
    return data


def text_of(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark; raises `FormatError` for what is none."""
    try:
        # Not by the codec that takes the mark away, which is three times as slow.
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise FormatError(f"expected UTF-8 text, found byte 0x{data[error.start]:02x}: {echo(data)}") from None


def only_one(records: Iterable[PuzzleRecord], name: str) -> Iterator[PuzzleRecord]:
    """Yield the first record; raises `FormatError` if there is another, which the format has no room for."""
    for count, record in enumerate(records):
        if count:
            raise FormatError(f"expected one puzzle for a file in the format {name}, found more; write to a folder")
        yield record


def imported(puzzle: Puzzle) -> PuzzleRecord:
    """The record of a puzzle that a file tells nothing more about, not known to be solvable.

    All that is sure of its start is what every puzzle keeps; that its first click is a zero may be chance.
    """
    return PuzzleRecord(puzzle, StartRule.SAFE, None, None, NO_ENGINE, IMPORTED, None)


def echo(value: object) -> str:
    """Show what was found, cut short if it is long."""
    if isinstance(value, str | bytes) and len(value) > _ECHO:
        return f"{value[:_ECHO]!r}..."
    shown = repr(value)
    return shown if len(shown) <= _ECHO else f"{shown[:_ECHO]}..."
