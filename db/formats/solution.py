"""Solution paths as JSON lines: one puzzle on each line, with its board and the steps of its solution.

`player.logic.path` defines the steps. Puzzles that logic does not solve have the steps up to the end of logic. A reader
proves every step, by SAT; the paths of other programs need not be canonical.
"""

from __future__ import annotations

import json

from minesweeper.db.formats.format import imported_record, lines, reader, writer
from minesweeper.db.formats.jsonl import board_of, object_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.logic.path import solution_path

_encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
write = writer(lambda record: f"{_encode(solution_path(record.puzzle).to_json())}\n".encode())
"""Write one line for each puzzle."""
read = reader(lines, lambda line: _from_json(line))
"""Read the puzzle of each line that is not blank, and check its path."""


def _from_json(line: bytes) -> PuzzleRecord:
    # Imported here, because checking needs SAT.
    from minesweeper.player.logic.path_check import check_path

    data = object_of(line)
    return imported_record(check_path(data, board_of(data)))
