"""Links that puzz.link and similar sites open: one paper form on each line. Written only.

The genre ``mines`` of these sites (pzprjs, ``src/variety/kurotto.js``) has no number of mines, so these forms need
none. After columns and rows, the cells follow row by row: a clue as its digit, and 1 to 20 hidden cells as a letter,
``g`` to ``z``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO, Final

from minesweeper.db.formats.format import writer
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.board import View
from minesweeper.player.logic.paper import Generosity, paper_form

SITE: Final = "https://puzz.link/p?mines"
_HIDDEN: Final = re.compile("#{1,20}")
_BEFORE_G: Final = ord("g") - 1


def write(records: Iterable[PuzzleRecord], stream: BinaryIO, *, clues: Generosity = "minimal") -> int:
    """Write the link of each puzzle in a line, and return their number."""

    def encode(record: PuzzleRecord) -> bytes:
        return f"{to_link(paper_form(record.puzzle, clues, mine_count=False))}\n".encode()

    return writer(encode)(records, stream)


def to_link(view: View) -> str:
    """Return the link of a view; the site does not learn its number of mines."""
    cells = _HIDDEN.sub(lambda hidden: chr(_BEFORE_G + len(hidden[0])), "".join(view.lines))
    return f"{SITE}/{view.cols}/{view.rows}/{cells}"
