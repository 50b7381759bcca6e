"""HTML to print or to read on a phone: puzzles, then their solutions. Written only."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import BinaryIO, Final

from minesweeper.db.columns import caption_of
from minesweeper.db.formats.format import first_line
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.board import Puzzle
from minesweeper.player.drawing.svg import STYLE, draw_svg
from minesweeper.player.errors import counted
from minesweeper.player.steps import Tier
from minesweeper.player.why.deduction import listed
from minesweeper.player.why.path import solution_path

_MAX_IN_MEMORY: Final = 4 * 2**20
_HEAD: Final = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Minesweeper puzzles</title>
<style>
{STYLE}
:root{{color-scheme:light dark}}
body{{margin:0 auto;padding:1rem;max-width:60rem;font:1rem/1.4 system-ui,sans-serif;background:#fff;color:#1c1f24}}
h1{{font-size:1.4rem;margin:1rem 0}}
main{{display:flex;flex-wrap:wrap;gap:1.5rem}}
figure{{margin:0;max-width:100%;break-inside:avoid}}
figure svg{{display:block;max-width:100%;height:auto}}
figcaption{{margin:0 0 .4rem;font-size:.85rem;width:0;min-width:100%}}
.steps ol{{margin:.4rem 0 0;padding-left:2.2rem;font-size:.8rem;width:0;min-width:calc(100% - 2.2rem);
column-width:11rem;column-gap:2.5rem}}
.solutions figure svg{{max-height:12rem;max-width:min(22rem,100%);width:auto}}
@media (prefers-color-scheme:dark){{body{{background:#14171b;color:#e8eaee}}}}
@page{{size:A4;margin:14mm}}
@media print{{
body{{background:#fff;color:#000;padding:0;max-width:none;font-size:10pt}}
main{{gap:5mm}}
main figure svg{{max-height:76mm;width:auto}}
h1.solutions-title{{break-before:page}}
.solutions figure svg{{max-height:45mm;max-width:84mm}}
}}
</style>
</head>
<body>
<h1>Minesweeper puzzles</h1>
<p>Start from the coloured cell. A number is the number of mines next to its cell. Puzzles with a hardest step can be
solved by logic, without a guess.</p>
<main>
"""
_BETWEEN: Final = '</main>\n<h1 class="solutions-title">Solutions</h1>\n<main class="solutions">\n'
_BETWEEN_STEPS: Final = """</main>
<h1 class="solutions-title">Solutions</h1>
<p>The small numbers are the steps in which logic decides the cells, from the coloured cell on. A zero opens the cells
around it, which have no number. Most steps need one clue. The lists have the clues of the others; (2, 0) is the first
cell of the third row.</p>
<main class="steps">
"""
_FOOT: Final = "</main>\n</body>\n</html>\n"


def write(records: Iterable[PuzzleRecord], stream: BinaryIO, *, steps: bool = False) -> int:
    """Write a page of all puzzles and then all solutions, and return the number of puzzles.

    With `steps`, each solution numbers its cells by the step of the solution path that decides them, and lists the
    clues of each step that needs more than one.
    """
    stream.write(_HEAD.encode())
    count = 0
    # A temporary file of the solutions saves memory for a large pack.
    with tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY) as solutions:
        for record in records:
            count += 1
            puzzle = record.puzzle
            stream.write(
                _figure(
                    f"<b>{count}.</b> {caption_of(record)}",
                    draw_svg(puzzle.view.cells, puzzle.board.name, marked=puzzle.first_click, style=False),
                )
            )
            caption = f"<b>{count}.</b> {caption_of(record, ['id'])}"
            if steps:
                solutions.write(_solution_in_steps(puzzle, caption))
                continue
            solution = draw_svg(puzzle.board.shown, puzzle.board.name, marked=puzzle.first_click, style=False)
            solutions.write(_figure(caption, solution))
        stream.write((_BETWEEN_STEPS if steps else _BETWEEN).encode())
        solutions.seek(0)
        while chunk := solutions.read(2**16):
            stream.write(chunk)
    stream.write(_FOOT.encode())
    return count


def _solution_in_steps(puzzle: Puzzle, caption: str) -> bytes:
    path = solution_path(puzzle)
    numbers = {cell: number for number, step in enumerate(path.steps, 1) for cell in (*step.safe, *step.mines)}
    drawing = draw_svg(puzzle.board.shown, puzzle.board.name, marked=puzzle.first_click, numbers=numbers, style=False)
    items = []
    for number, step in enumerate(path.steps, 1):
        if step.tier > Tier.ONE_CLUE:
            sources = [f"{puzzle.board.clues[clue]} at {clue}" for clue in step.clues] + [
                "the mine count"
            ] * step.mine_count
            items.append(f'<li value="{number}">{listed(sources)}</li>')
    end = "" if path.solved else f"<p>Logic ends after {counted(len(path.steps), 'step')}.</p>"
    return _figure(caption, f"{drawing}<ol>{''.join(items)}</ol>{end}")


def _figure(caption: str, drawing: str) -> bytes:
    return f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>\n".encode()


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of an HTML page."""
    return first_line(head).lower().startswith(b"<!doctype html")
