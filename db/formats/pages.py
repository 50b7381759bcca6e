"""Headers of the pages of a Parquet file, which say how far a file expands before anything is decoded.

Arrow does not offer them. They are structs of the compact protocol of Thrift
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), defined in ``parquet.thrift``
(https://github.com/apache/parquet-format).
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final, NamedTuple

from minesweeper.db.formats.format import FormatError

_HEADER_BYTES: Final = 2**14
"""Most bytes of a header; writers leave out statistics that are long."""
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS: Final = (4, 5, 6)
_MAX_DEPTH: Final = 8
_DICTIONARY_PAGE: Final = 2
_DATA_PAGES: Final = {0: (5, 2), 3: (8, 4)}
"""By the kind of a page: its field for the data of this kind, whose field for the encoding."""
_BY_DICTIONARY: Final = frozenset({2, 8})
_WHOLE: Final = frozenset({0, 3, 4, 6})
"""Encodings in which every text takes its length: PLAIN, RLE, BIT_PACKED and DELTA_LENGTH_BYTE_ARRAY."""


class Pages(NamedTuple):
    """Bytes of a column chunk after decompression, in all its pages and in its dictionary, by the page headers."""

    size: int
    dictionary: int


def pages_of(stream: BinaryIO, chunk: Any, is_text: bool) -> Pages:
    """Read the headers of the pages of a column chunk; `chunk` is its metadata of Arrow.

    Raise `FormatError` for pages that differ from the metadata, and for texts in an encoding that repeats parts.
    """
    place = chunk.data_page_offset
    if chunk.dictionary_page_offset:
        place = min(place, chunk.dictionary_page_offset)
    end = place + chunk.total_compressed_size
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
        raise FormatError("damaged Parquet file: the header of a page is cut or too long") from None


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
    raise FormatError("damaged Parquet file: unknown field in the header of a page")


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
