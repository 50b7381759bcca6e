"""PDF: the book of `db.formats.printable`, printed by an installed browser. Written only."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from minesweeper.db.formats import printable
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.render.browser import print_pdf


def write_file(records: Iterable[PuzzleRecord], path: Path, **form: Any) -> int:
    """Write a book as PDF and return the number of puzzles; `form` is that of `printable.write`."""
    page = io.BytesIO()
    count = printable.write(records, page, **form)
    path.write_bytes(print_pdf(page.getvalue()) if count else b"")
    return count
