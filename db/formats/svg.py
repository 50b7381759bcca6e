"""SVG: a drawing of one puzzle after its first click. Written only."""

from __future__ import annotations

from minesweeper.db.formats.format import first_line, writer

write = writer(lambda record: f"{record.puzzle._repr_svg_()}\n".encode())
"""Draw one puzzle."""


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of a drawing."""
    return first_line(head).startswith(b"<svg")
