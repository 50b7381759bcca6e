"""What every exchange format is: a way to write puzzles to a stream of bytes, and to read them back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from db.records import PuzzleRecord


class FormatError(ValueError):
    """A file that is not in the format it should be in, or a name that belongs to no format."""


@dataclass(frozen=True)
class Format:
    """One way to keep puzzles in a file.

    `write` returns how many puzzles it wrote. `read` yields puzzles as it reaches them and raises `FormatError`,
    naming the place, for whatever it can't read. Both keep only one puzzle in memory.
    """

    name: str
    extensions: tuple[str, ...]
    write: Callable[[Iterable[PuzzleRecord], BinaryIO], int]
    read: Callable[[BinaryIO], Iterator[PuzzleRecord]]
