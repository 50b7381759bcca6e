"""SVG: a drawing of one puzzle, as the player sees it after the first click. Written only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from minesweeper.db.formats.format import only_one
from minesweeper.db.records import PuzzleRecord


def write(records: Iterable[PuzzleRecord], stream: BinaryIO) -> int:
    """Draw one puzzle; raises `FormatError` for more than one."""
    count = 0
    for record in only_one(records, "svg"):
        stream.write(record.puzzle._repr_svg_().encode() + b"\n")
        count += 1
    return count
