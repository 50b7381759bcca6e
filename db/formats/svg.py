"""SVG: a drawing of one puzzle, as the player sees it after the first click. Written only."""

from __future__ import annotations

from minesweeper.db.formats.format import writer

write = writer(lambda record: f"{record.puzzle._repr_svg_()}\n".encode(), "svg")
"""Draw one puzzle; raises `FormatError` for more than one."""
