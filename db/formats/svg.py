"""SVG: a drawing of one puzzle after its first click. Written only."""

from minesweeper.db.formats.format import writer

write = writer(lambda record: f"{record.puzzle._repr_svg_()}\n".encode())
"""Draw one puzzle."""
