"""Solution paths as JSON lines: one puzzle on each line, with its board and the steps of its solution.

`player.why.path` defines the steps. Puzzles that logic does not solve have the steps up to the end of logic.
"""

from __future__ import annotations

import json

from minesweeper.db.formats.format import writer
from minesweeper.player.why.path import solution_path

_encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
write = writer(lambda record: f"{_encode(solution_path(record.puzzle).to_json())}\n".encode())
"""Write one line for each puzzle."""
