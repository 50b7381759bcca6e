"""SVG: a drawing of one puzzle, after its first click or in paper form. Written only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from minesweeper.db.formats.format import writer
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.logic.paper import Generosity, paper_form


def write(records: Iterable[PuzzleRecord], stream: BinaryIO, *, clues: Generosity | None = None) -> int:
    """Draw one puzzle; with `clues`, its paper form. Return 1."""

    def encode(record: PuzzleRecord) -> bytes:
        if clues is None:
            return f"{record.puzzle._repr_svg_()}\n".encode()
        from minesweeper.player.render.svg import draw_svg

        form = paper_form(record.puzzle, clues)
        return f"{draw_svg(form.cells, form.name, form.grid, zeros=True)}\n".encode()

    return writer(encode)(records, stream)
