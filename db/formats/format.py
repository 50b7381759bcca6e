"""Tools that the formats share."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, Final, Generic, TypeVar, cast

from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import SoundRows, portions
from minesweeper.player.core.board import Board, Puzzle, View
from minesweeper.player.core.errors import BoardError, FormatError, did_you_mean
from minesweeper.player.core.grid import in_words
from minesweeper.player.core.recipe import StartRule

_Piece = TypeVar("_Piece")
Readable = PuzzleRecord | Board

MAX_BYTES: Final = 16 * 2**20
"""Limit of a line, and of a file with one puzzle: enough for a million cells in any format."""
IMPORTED: Final = "imported"
NO_ENGINE: Final = "none"
_MAX_QUOTED: Final = 60
_ROWS: Final = 200
"""Rows of a portion: few, because Python's garbage collector scans waiting ones repeatedly."""


@dataclass(frozen=True)
class Tabular(Generic[_Piece]):
    """Functions that make a table of pieces of a file.

    `size` returns the bytes of a piece, more or less, and `rows` the sound rows of several. For others it returns None
    or raises an error of a wrong value.
    """

    size: Callable[[_Piece], int]
    rows: Callable[[Sequence[_Piece]], SoundRows | None]


@dataclass(frozen=True)
class Portion(Generic[_Piece]):
    """Puzzles of a file as sound rows of a table, and the pieces from which `records` reads them one by one."""

    rows: SoundRows
    pieces: Sequence[tuple[str, _Piece]]
    parse: Callable[[_Piece], Readable]

    def records(self) -> Iterator[tuple[str, Readable]]:
        """Yield the puzzles as records, each with its place."""
        return ((place, self.parse(piece)) for place, piece in self.pieces)


class Reader(Iterator[Readable], Generic[_Piece]):
    """Iterator over the puzzles of a file, or its boards in a format without first clicks.

    `place` names the current piece of the file. Raise `FormatError` naming the place of an invalid piece; `next` then
    continues with the following one if the format allows. A `tabular` format also has portions.
    """

    def __init__(
        self,
        pieces: Iterable[tuple[str, _Piece]],
        parse: Callable[[_Piece], Readable],
        tabular: Tabular[_Piece] | None = None,
    ) -> None:
        # A generator would be closed with one that yields from it.
        self._pieces = chain(pieces)
        self._parse = parse
        self._tabular = tabular
        self._ahead: deque[tuple[str, _Piece] | FormatError] = deque()
        self.place = ""

    def portion(self) -> Portion[_Piece] | None:
        """Return the next puzzles as rows of a table; None if `next` has to read them, or at the end of the file."""
        if self._tabular is None or self._ahead:
            return None
        size = self._tabular.size
        found = next(portions(self._until_error(), lambda one: size(one[1]), _ROWS), [])
        try:
            rows = self._tabular.rows([piece for _, piece in found]) if found else None
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            rows = None
        if rows is None:
            self._ahead.extendleft(reversed(found))
            return None
        return Portion(rows, found, self._parse)

    def _until_error(self) -> Iterator[tuple[str, _Piece]]:
        """Yield pieces up to an error, which follows them."""
        try:
            yield from self._pieces
        except FormatError as error:
            self._ahead.append(error)

    def __next__(self) -> Readable:
        found = self._ahead.popleft() if self._ahead else next(self._pieces)
        if isinstance(found, FormatError):
            raise found
        self.place, piece = found
        try:
            return self._parse(piece)
        except (FormatError, BoardError) as error:
            raise FormatError(f"{self.place}: {error}" if self.place else str(error)) from error
        except RecursionError:
            raise FormatError(f"{self.place}: the values are nested too deeply; expected those of a puzzle") from None


def writer(encode: Callable[[PuzzleRecord], bytes]) -> Callable[[Iterable[PuzzleRecord], BinaryIO], int]:
    """Return a function that writes encoded puzzles one after the other, and returns their number."""

    def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
        count = 0
        for record in records:
            stream.write(encode(record))
            count += 1
        return count

    return write


def check_rectangle(shown: Board | View, title: str) -> None:
    """Raise `FormatError` unless the grid is a rectangle, for a format of another program."""
    if shown.grid.label:
        raise FormatError(f"{title} have rectangles only, no {in_words(shown.grid.name)}; expected jsonl, csv or db")


def chosen_columns(columns: Sequence[str] | None, known: Sequence[str], default: Sequence[str]) -> Sequence[str]:
    """Return the columns to write, some of `known`. Raise `FormatError` for an unknown one."""
    for name in columns or ():
        if name not in known:
            raise FormatError(f"unknown column {name!r}{did_you_mean(name, known)}; columns: {', '.join(known)}")
    return columns or default


def reader(
    pieces: Callable[[BinaryIO], Iterable[tuple[str, _Piece]]],
    parse: Callable[[_Piece], Readable],
    tabular: Tabular[_Piece] | None = None,
) -> Callable[[BinaryIO], Reader[_Piece]]:
    """Return a function that reads the puzzle or board of each piece of a stream: its `lines`, or the `whole` of it."""
    return lambda stream: Reader(pieces(stream), parse, tabular)


class _Rewound(io.RawIOBase):
    """A stream that returns its first bytes, which were read before, and then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def peek(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Return up to `MAX_BYTES` + 1 first bytes of a stream, and a stream that still has them."""
    if stream.seekable():
        place = stream.tell()
        head = stream.read(MAX_BYTES + 1)
        stream.seek(place)
        return head, stream
    head = stream.read(MAX_BYTES + 1)
    return head, cast(BinaryIO, io.BufferedReader(_Rewound(head, stream)))


def first_line(head: bytes) -> bytes:
    """Return the first line that is not blank, stripped."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].strip()


def lines(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a stream that are not blank, each with its place, ``line 7``.

    Raise `FormatError` for a line longer than `MAX_BYTES`.
    """
    number = 0
    while line := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(line) > MAX_BYTES:
            raise FormatError(f"line {number} is too long; expected at most {MAX_BYTES >> 20} MiB: {quote(line)}")
        if line.strip():
            yield f"line {number}", line


def whole(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Yield the data of a file with one puzzle. Raise `FormatError` if it is longer than `MAX_BYTES`."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FormatError(f"too much data for one puzzle; expected at most {MAX_BYTES >> 20} MiB: {quote(data)}")
    yield "", data


def text_of(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark. Raise `FormatError` for other data."""
    try:
        # The codec utf-8-sig takes three times as long.
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise FormatError(f"byte 0x{data[error.start]:02x} is not UTF-8 text: {quote(data)}") from None


def only_one(records: Iterable[PuzzleRecord], name: str) -> Iterator[PuzzleRecord]:
    """Yield the first record. Raise `FormatError` if there is a second one, for the format `name`."""
    for count, record in enumerate(records):
        if count:
            raise FormatError(f"the format {name} holds one puzzle in a file; to write more, name a folder")
        yield record


def imported_record(puzzle: Puzzle) -> PuzzleRecord:
    """Return a record of a puzzle without a proof.

    Recorded as a safe start: a zero at the first click may be coincidence.
    """
    return PuzzleRecord(puzzle, StartRule.SAFE, None, None, NO_ENGINE, IMPORTED, None)


def quote(value: object) -> str:
    """Return the repr of a value, of bytes as text, shortened to one line."""
    if isinstance(value, bytes):
        value = value[: 4 * _MAX_QUOTED].decode(errors="replace")
    if isinstance(value, str) and len(value) > _MAX_QUOTED:
        return f"{value[:_MAX_QUOTED]!r}..."
    shown = repr(value)
    return shown if len(shown) <= _MAX_QUOTED else f"{shown[:_MAX_QUOTED]}..."
