"""SVG: a drawing of one puzzle, as the player sees it after the first click. Written only."""

from __future__ import annotations

from minesweeper.db.formats.format import first_line, writer

write = writer(lambda record: f"{record.puzzle._repr_svg_()}\n".encode(), "svg")
"""Draw one puzzle; raises `FormatError` for more than one."""


def looks_like(head: bytes) -> bool:
    """Whether this begins as a drawing does."""
    return first_line(head).startswith(b"<svg")
