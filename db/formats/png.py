"""PNG: a picture of one puzzle, as SVG draws it. Written only."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

from minesweeper.db.formats import svg
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.logic.paper import Generosity
from minesweeper.player.render.browser import draw_png


def write_file(records: Iterable[PuzzleRecord], path: Path, *, clues: Generosity | None = None) -> int:
    """Draw one puzzle; with `clues`, its paper form. Return 1."""
    drawing = io.BytesIO()
    count = svg.write(records, drawing, clues=clues)
    found = re.search(rb'width="(\d+)" height="(\d+)"', drawing.getvalue())
    page = b"<!DOCTYPE html><style>body{margin:0;background:#fff}svg{display:block}</style>" + drawing.getvalue()
    path.write_bytes(draw_png(page, *map(int, found.groups())) if found else b"")
    return count
