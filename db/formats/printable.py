"""HTML to print or to read on a phone: a book of puzzles in paper form, then their solutions. Written only."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from typing import IO, BinaryIO, Final

from minesweeper.db.columns import caption_of
from minesweeper.db.formats.format import first_line
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.board import MINE_DRAWN
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.paper import Generosity, PaperForm, paper_forms
from minesweeper.player.logic.path import solution_path
from minesweeper.player.logic.sentences import listed
from minesweeper.player.render.svg import STYLE, draw_svg, extent

PAPERS: Final = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Width and height of the sizes of paper, in millimetres, as all measures below."""
TITLE: Final = "Minesweeper puzzles"
_MAX_IN_MEMORY: Final = 4 * 2**20
_MARGIN: Final = 14.0
_HEADER: Final = 9.0
_INTRODUCTION: Final = 24.0
_CAPTION: Final = 12.0
_GAP: Final = 4.0
_PUZZLE_CELL: Final = 8.0
_SOLUTION_CELL: Final = 2.6
_NEAR: Final = 0.9
"""The part of the side of a cell that remains if a page has more puzzles."""
_MOST_ON_PAGE: Final = 30
_HEAD: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
body{{margin:0 auto;padding:1rem;max-width:{width}mm;font:11pt/1.35 system-ui,sans-serif;background:#fff;color:#111}}
header{{display:flex;justify-content:space-between;height:{header}mm;color:#555}}
h1{{font-size:1.4rem;margin:0}}
.introduction{{margin:0;height:{introduction}mm}}
section{{display:flex;flex-wrap:wrap;justify-content:space-evenly;align-content:flex-start;margin-bottom:2rem}}
section header,.introduction{{flex:0 0 100%}}
figure{{margin:0 0 {gap}mm;break-inside:avoid}}
figure svg{{display:block;width:100%;height:auto}}
figcaption{{height:{caption}mm;font-size:9pt;line-height:1.2;display:flex;align-items:end;overflow:hidden}}
.steps section{{display:block}}
.steps ol{{margin:.4rem 0 0;padding-left:2.2rem;font-size:.8rem;columns:11rem;column-gap:2.5rem}}
@page{{size:{paper};margin:{margin}mm}}
@media print{{
body{{padding:0;max-width:none}}
section{{break-after:page;margin:0}}
}}
</style>
</head>
<body>
"""
_INTRODUCTION_TEXT: Final = """<p class="introduction">Find the mines: each grey cell hides one or is safe. A
number counts the mines in the up to eight cells around it. Every puzzle has one solution, which logic finds without a
guess. Above each you see its mines and how hard it is. Mark the mines with a cross and the safe cells with a dot.{}</p>
"""
_PALE_TEXT: Final = " Pale cells at an edge repeat those of the opposite edge, which they touch."
_STEPS_TEXT: Final = """<p>The small numbers are the steps in which logic decides the cells. Most steps need one clue.
The lists have the clues of the others; (2, 0) is the first cell of the third row.</p>
"""


@dataclass(frozen=True)
class Printed:
    """A puzzle for a book: its name and its caption, the cells to print, and the mines."""

    name: str
    caption: str
    id: str
    cells: NDArray[np.int8]
    mine_map: NDArray[np.bool_]
    grid: Grid
    numbers: dict[Cell, int] = field(default_factory=dict)
    notes: str = ""

    @property
    def wraps(self) -> bool:
        """True if any sides of the board meet."""
        return self.grid.wraps_rows or self.grid.wraps_cols


@dataclass(frozen=True)
class Book:
    """The form of a book: its title, the paper, and the puzzles on a page, by default as many as stay readable."""

    title: str = TITLE
    paper: str = "A4"
    per_page: int | None = None

    def area(self) -> tuple[float, float]:
        """The width and the height for puzzles on a page, in millimetres."""
        width, height = PAPERS[self.paper]
        return width - 2 * _MARGIN, height - 2 * _MARGIN - _HEADER - 1

    def cell(self, count: int, size: tuple[float, float], height: float) -> float:
        """The side of a cell if a page of this height has `count` puzzles of a size in cells."""
        width = self.area()[0]
        return max(
            min((width / across - _GAP) / size[1], (height / -(-count // across) - _CAPTION - _GAP) / size[0])
            for across in range(1, count + 1)
        )

    def fitting(self, size: tuple[float, float], height: float, largest: float) -> int:
        """The number of puzzles for which a cell stays nearly as large as it can be, or as `largest`."""
        least = _NEAR * min(self.cell(1, size, height), largest)
        return max(count for count in range(1, _MOST_ON_PAGE + 1) if self.cell(count, size, height) >= least)


def write(
    records: Iterable[PuzzleRecord],
    stream: BinaryIO,
    *,
    steps: bool = False,
    clues: Generosity = "minimal",
    paper: str = "A4",
    per_page: int | None = None,
    title: str = TITLE,
) -> int:
    """Write a book of all puzzles and then all solutions, and return the number of puzzles.

    With `steps`, each solution numbers its cells by the step that decides them, and lists the clues of each step that
    needs more than one. `clues` are those of `paper_form`.
    """
    book = Book(title, paper, per_page)
    return write_book((_printed(record, clues, steps) for record in records), stream, book, steps=steps)


def _printed(record: PuzzleRecord, clues: Generosity, steps: bool) -> Printed:
    board = record.puzzle.board
    (form,) = paper_forms([record.puzzle], clues)
    words = f"{caption_of(record, ['size', 'mines'])}, {form.in_words()}"
    solved = _in_steps(form) if steps else ({}, "")
    solution = caption_of(record, ["id"])
    return Printed(board.title, words, solution, form.view.cells, board.mine_map, board.grid, *solved)


def _in_steps(form: PaperForm) -> tuple[dict[Cell, int], str]:
    """Return the number of the step that decides each cell, and a list of the steps of more than one clue."""
    path = solution_path(form.view)
    numbers = {cell: number for number, step in enumerate(path.steps, 1) for cell in (*step.safe, *step.mines)}
    items = []
    for number, step in enumerate(path.steps, 1):
        if step.tier > Tier.ONE_CLUE:
            sources = [f"{form.view.cells[clue]} at {clue}" for clue in step.clues] + [
                "the mine count"
            ] * step.mine_count
            items.append(f'<li value="{number}">{listed(sources)}</li>')
    return numbers, f"<ol>{''.join(items)}</ol>"


def write_book(puzzles: Iterable[Printed], stream: BinaryIO, book: Book, *, steps: bool = False) -> int:
    """Write puzzles and then their solutions, and return their number; `steps` leave room for lists of steps."""
    sizes = {"caption": _CAPTION, "gap": _GAP, "header": _HEADER, "introduction": _INTRODUCTION, "margin": _MARGIN}
    title, width = escape(book.title), PAPERS[book.paper][0]
    stream.write(_HEAD.format(title=title, style=STYLE, width=width, paper=book.paper, **sizes).encode())
    remaining = iter(puzzles)
    first, count = next(remaining, None), 0
    # A temporary file of the solutions saves memory for a large pack.
    with tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY) as solutions:
        introduction = _INTRODUCTION_TEXT.format(_PALE_TEXT if first is not None and first.wraps else "")
        pages = _Pages(stream, book, title, introduction, _PUZZLE_CELL, book.per_page)
        largest = _PUZZLE_CELL if steps else _SOLUTION_CELL
        answers = _Pages(solutions, book, "Solutions", _STEPS_TEXT if steps else "", largest, 1 if steps else None)
        for count, puzzle in enumerate(chain([first] if first else [], remaining), 1):
            pages.add(puzzle, puzzle.cells, f"<b>{count}.</b>&nbsp;{puzzle.caption}")
            shown = np.where(puzzle.mine_map, np.int8(MINE_DRAWN), puzzle.grid.count(puzzle.mine_map))
            heading = f"<b>{count}.</b>&nbsp;{puzzle.id}"
            answers.add(puzzle, shown, heading, puzzle.numbers, puzzle.notes)
        pages.end()
        answers.end()
        stream.write(f'<main class="{"steps" if steps else ""}">\n'.encode())
        solutions.seek(0)
        while chunk := solutions.read(2**16):
            stream.write(chunk)
    stream.write(b"</main>\n</body>\n</html>\n")
    return count


class _Pages:
    """Pages of drawings of one size, each written to `stream` once it is full."""

    def __init__(
        self, stream: IO[bytes], book: Book, title: str, introduction: str, largest: float, per_page: int | None
    ) -> None:
        self._stream, self._book, self._title = stream, book, title
        self._introduction, self._largest, self._per_page = introduction, largest, per_page
        self._size, self._cell, self._room = (0.0, 0.0), 0.0, 0
        self._figures: list[str] = []
        self._written = 0

    def add(
        self,
        puzzle: Printed,
        cells: NDArray[np.int8],
        caption: str,
        numbers: dict[Cell, int] | None = None,
        notes: str = "",
    ) -> None:
        """Add a drawing with its caption."""
        size = extent(puzzle.grid)
        if size != self._size:
            self.end()
            self._size = size
        if not self._figures:
            self._measure()
        drawing = draw_svg(cells, puzzle.name, puzzle.grid, numbers=numbers, style=False, zeros=True)
        above, width = f"<figcaption><span>{caption}</span></figcaption>", self._cell * size[1]
        self._figures.append(f'<figure style="width:{width:.1f}mm">{above}{drawing}{notes}</figure>\n')
        if len(self._figures) == self._room:
            self.end()

    def _measure(self) -> None:
        """Choose the number of drawings on this page and the side of their cells."""
        size = self._size
        height = self._book.area()[1] - (_INTRODUCTION if self._introduction and not self._written else 0)
        self._room = self._per_page or self._book.fitting(size, height, self._largest)
        self._cell = min(self._book.cell(self._room, size, height), self._largest)

    def end(self) -> None:
        """Write the drawings that wait."""
        if not self._figures:
            return
        self._written += 1
        first = self._written == 1
        heading = f"<h1>{self._title}</h1>" if first else f"<b>{self._title}</b>"
        head = f"<header>{heading}<span>{self._written}</span></header>{self._introduction if first else ''}"
        self._stream.write(f"<section>{head}\n{''.join(self._figures)}</section>\n".encode())
        self._figures.clear()


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of an HTML page."""
    return first_line(head).lower().startswith(b"<!doctype html")
