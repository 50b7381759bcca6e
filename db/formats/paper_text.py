"""The paper form of one puzzle as the text of a view, which `analyse` and `gemhunter solve` read. Written only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from minesweeper.db.formats.format import writer
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.logic.paper import Generosity, paper_form


def write(records: Iterable[PuzzleRecord], stream: BinaryIO, *, clues: Generosity = "minimal") -> int:
    """Write the form of a puzzle, and return 1."""
    return writer(lambda record: f"{paper_form(record.puzzle, clues).to_text()}\n".encode())(records, stream)
