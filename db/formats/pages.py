"""Footer and page headers of a Parquet file, which say how far a file expands before anything is decoded.

Arrow does not offer the headers, and ends the process when Python reads some damaged footers through it. Both are
structs of the compact protocol of Thrift
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), defined in ``parquet.thrift``
(https://github.com/apache/parquet-format).
"""

from __future__ import annotations

from io import SEEK_END
from typing import Any, BinaryIO, Final, NamedTuple

from minesweeper.player.errors import FormatError

_HEADER_BYTES: Final = 2**14
"""Most bytes of a header; writers leave out statistics that are long."""
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS: Final = (4, 5, 6)
_LIST, _SET = 9, 10
_ROW_GROUPS, _COLUMNS, _METADATA, _PLACES = 4, 1, 3, (7, 9, 11)
"""Fields of the footer, of a row group and of a chunk, and those of its metadata with its length and offsets."""
_LONG: Final = 15
"""Lists of at least this number of elements have their number in a field of its own."""
_MAX_DEPTH: Final = 8
_DICTIONARY_PAGE: Final = 2
_DATA_PAGES: Final = {0: (5, 2), 3: (8, 4)}
"""By the kind of a page: its field for the data of this kind, whose field for the encoding."""
_BY_DICTIONARY: Final = frozenset({2, 8})
_WHOLE: Final = frozenset({0, 3, 4, 6})
"""Encodings in which every text takes its length: PLAIN, RLE, BIT_PACKED and DELTA_LENGTH_BYTE_ARRAY."""


class Chunk(NamedTuple):
    """A column chunk: the offset of its first page, and its length in bytes."""

    offset: int
    length: int


class Group(NamedTuple):
    """A row group: its size in bytes after decompression, its rows and its column chunks, by the footer."""

    size: int
    rows: int
    chunks: list[Chunk]


class Pages(NamedTuple):
    """Bytes of a column chunk after decompression, in all its pages and in its dictionary, by the page headers."""

    size: int
    dictionary: int


def groups_of(stream: BinaryIO) -> list[Group]:
    """Read the footer of a file. Raise `FormatError` for a damaged one."""
    size = stream.seek(-8, SEEK_END)
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(max(0, size - length))
    footer, _ = _header(stream.read(length))
    groups = []
    for group in _structs(footer.get(_ROW_GROUPS)):
        expanded, rows = _numbers(group, 2, 3)
        groups.append(Group(expanded, rows, [_chunk(chunk) for chunk in _structs(group.get(_COLUMNS))]))
    return groups


def _chunk(chunk: dict[int, Any]) -> Chunk:
    (metadata,) = _structs([chunk.get(_METADATA)])
    length, data, dictionary = _numbers(metadata, *_PLACES)
    return Chunk(min(data, dictionary or data), length)


def _numbers(struct: dict[int, Any], *fields: int) -> tuple[int, ...]:
    found = tuple(struct.get(field, 0) for field in fields)
    if not all(type(number) is int and number >= 0 for number in found):
        raise FormatError("damaged Parquet file: the footer lacks a size or place")
    return found


def _structs(found: Any) -> list[dict[int, Any]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise FormatError("damaged Parquet file: the footer lacks row groups or columns")
    return found


def pages_of(stream: BinaryIO, chunk: Chunk, is_text: bool) -> Pages:
    """Read the headers of the pages of a chunk.

    Raise `FormatError` for damaged headers, and for texts in an encoding that repeats parts of others.
    """
    place, end = chunk.offset, chunk.offset + chunk.length
    size = dictionary = 0
    allowed = _WHOLE | _BY_DICTIONARY
    while place < end:
        stream.seek(place)
        header, length = _header(stream.read(_HEADER_BYTES))
        kind, expanded, compressed = (header.get(field) for field in (1, 2, 3))
        if type(expanded) is not int or type(compressed) is not int or min(expanded, compressed) < 0:
            raise FormatError("damaged Parquet file: a page without a size")
        place += length + compressed
        size += expanded
        if kind == _DICTIONARY_PAGE:
            dictionary += expanded
        elif kind in _DATA_PAGES and is_text:
            data, field = _DATA_PAGES[kind]
            encoding = header[data].get(field) if isinstance(header.get(data), dict) else None
            if encoding not in allowed:
                raise FormatError("texts in this Parquet file are not encoded one by one or in a dictionary first")
            if encoding in _WHOLE:
                allowed = _WHOLE
    return Pages(size, dictionary)


def _header(data: bytes) -> tuple[dict[int, Any], int]:
    """Return the fields of the struct at the beginning of `data`, by number, and its length."""
    try:
        return _struct(data, 0, _MAX_DEPTH)
    except (IndexError, RecursionError):
        raise FormatError("damaged Parquet file: the footer or the header of a page is cut or too long") from None


def _struct(data: bytes, place: int, depth: int) -> tuple[dict[int, Any], int]:
    found: dict[int, Any] = {}
    field = 0
    while head := data[place]:
        place += 1
        if head >> 4:
            field += head >> 4
        else:
            field, place = _integer(data, place)
        found[field], place = _value(data, place, head & 15, depth)
    return found, place + 1


def _value(data: bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return the value of a type at a place, and the place after it; None for values that no header needs."""
    if kind in _INTEGERS:
        return _integer(data, place)
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, place
    if kind == _BYTE:
        return None, place + 1
    if kind == _DOUBLE:
        return None, place + 8
    if kind == _BINARY:
        length, place = _varint(data, place)
        return None, place + length
    if kind == _STRUCT and depth:
        return _struct(data, place, depth - 1)
    if kind in (_LIST, _SET) and depth:
        head, place, values = data[place], place + 1, []
        count = head >> 4
        if count == _LONG:
            count, place = _varint(data, place)
        for _ in range(count):
            value, place = _element(data, place, head & 15, depth - 1)
            values.append(value)
        return values, place
    raise FormatError("damaged Parquet file: unknown field in its footer or the header of a page")


def _element(data: bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return the value of an element of a list, where truth values take a byte."""
    data[place]
    return (None, place + 1) if kind in (_TRUE, _FALSE) else _value(data, place, kind, depth)


def _integer(data: bytes, place: int) -> tuple[int, int]:
    """Decode a zigzag number."""
    number, place = _varint(data, place)
    return number >> 1 ^ -(number & 1), place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while shift < 70:
        byte = data[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            break
    return number, place
