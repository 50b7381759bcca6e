"""HTML to print or to read on a phone: a book of puzzles in paper form, then their solutions. Written only."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from typing import Any, BinaryIO, Final

from minesweeper.db.columns import SHORT_ID, column_named
from minesweeper.db.formats.format import first_line
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.core.board import MINE_DRAWN
from minesweeper.player.core.errors import OutOfTime, TooWide
from minesweeper.player.core.grid import Cell, Grid, in_words
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.limits import time_limit
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.paper import NEEDS, Generosity, PaperForm, paper_forms
from minesweeper.player.logic.path import solution_path
from minesweeper.player.logic.sentences import ENGLISH, NamedClue, Sentence
from minesweeper.player.render.svg import STYLE, draw_svg, extent

PAPERS: Final = {"A4": (210.0, 297.0), "A5": (148.0, 210.0), "Letter": (215.9, 279.4), "6x9in": (152.4, 228.6)}
"""Width and height of the sizes of paper, in millimetres, as all measures below."""
_MAX_IN_MEMORY: Final = 4 * 2**20
_MARGIN: Final = 14.0
_ROUNDED: Final = 0.5
_TITLE: Final = 13.0
_HEADING: Final = 9.0
_CAPTION: Final = 12.0
_GAP: Final = 4.0
_GAP_WHERE_SIDES_MEET: Final = 12.0
_PUZZLE_CELL: Final = 8.0
_SOLUTION_CELL: Final = 2.6
_STEPS_CELL: Final = 6.0
_NEAR: Final = 0.85
"""The part of the side of a cell that remains if a page has more puzzles."""
_MOST_ON_PAGE: Final = 30
_CHARACTER: Final = 2.1
_LINE: Final = 4.8
"""Upper bounds of the mean width of a character of the introduction and of the height of its lines."""
_NARROWEST: Final = 52.0
"""Width of the caption of a puzzle; that of a solution takes half of it."""
_SMALL_PAPER: Final = 23
"""The cells of puzzles that are as wide as paper, if it is smaller than A4."""
_LONG_LIST: Final = 500
"""Characters of a list of steps that may continue on the next page."""
MOST_SECONDS: Final = 10.0
"""Limit of the search for the steps of a puzzle."""
_HEAD: Final = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
body{{margin:0 auto;padding:1rem;max-width:{area}mm;font:10pt/1.35 system-ui,sans-serif;background:#fff;color:#111}}
h1{{font-size:1.5rem;margin:0 0 2mm}}
h2{{font-size:1.1rem;margin:0;height:{heading}mm}}
p{{margin:0 0 2mm}}
section{{margin-bottom:2rem;orphans:1;widows:1}}
figure{{display:inline-block;vertical-align:top;box-sizing:border-box;margin:0 0 {gap}mm;max-width:100%;
break-inside:avoid}}
figure svg{{display:block;width:100%;height:auto;break-inside:avoid}}
figcaption{{font-size:8.5pt;line-height:1.2;padding-bottom:1mm;break-after:avoid}}
.solutions figcaption{{font-size:7pt}}
.puzzles figure{{margin:0}}
.puzzles figcaption{{height:{caption}mm;box-sizing:border-box;display:flex;align-items:end}}
ol{{margin:1mm 0 0;padding-left:2.2rem;font-size:8pt;line-height:1.3;overflow-wrap:anywhere}}
.long{{display:block;break-inside:auto}}
.long ol{{columns:11rem;column-gap:2rem}}
@page{{size:{width}mm {height}mm;margin:{margin}mm;@bottom-center{{content:counter(page);font:9pt sans-serif}}}}
@media print{{
body{{padding:0;max-width:none}}
section{{margin:0}}
section+section,.solutions{{break-before:page}}
}}
</style>
</head>
<body>
"""


@dataclass(frozen=True)
class Printed:
    """A puzzle for a book: its name, the size, mines and difficulty in words, the cells to print, and the mines.

    `steps` numbers the cells of the solution, and `notes` list the clues of steps as HTML. A new `section` begins a
    page.
    """

    name: str
    caption: str
    id: str
    cells: NDArray[np.int8]
    mine_map: NDArray[np.bool_]
    grid: Grid
    steps: dict[Cell, int] | None = None
    notes: str = ""
    section: str = ""
    rated: bool = False


@dataclass(frozen=True)
class Book:
    """The form of a book: the paper, the puzzles on a page, by default as many as stay readable, and its texts."""

    title: str | None = None
    paper: str = "A4"
    per_page: int | None = None
    introduction: str | None = None
    first_number: int = 1
    language: str = ENGLISH
    steps: bool = False

    @property
    def area(self) -> tuple[float, float]:
        """The width and the height for puzzles on a page, in millimetres."""
        width, height = PAPERS[self.paper]
        # A browser rounds lengths.
        return width - 2 * _MARGIN - _ROUNDED, height - 2 * _MARGIN - _ROUNDED

    def words(self, name: str) -> str:
        """Return a text of the book in its language."""
        return Sentence(f"book.{name}").in_words(self.language)

    def size(self, grid: Grid) -> str:
        """Return the size of a grid and its kind in words."""
        words = in_words(grid.name).replace("x", " × ", 1)
        return re.sub("[a-z]+", lambda word: Sentence(f"grid.{word[0]}").in_words(self.language), words)

    def introduction_of(self, *, rated: bool, pale: bool) -> str:
        """Return the introduction of a book, with sentences about the difficulty and about sides that meet."""
        if self.introduction is not None:
            return self.introduction
        names = ("rules", *["rated"] * rated, "marks", *["pale"] * pale)
        return " ".join(map(self.words, names))

    def slot(self, grid: Grid, height: float) -> tuple[int, float, float, float]:
        """Return the number of puzzles on a page of this height, the width and height of each, and its cell side."""
        width, gap, size = self.area[0], _gap(grid), extent(grid, numbered=self.steps)
        largest = min(_PUZZLE_CELL, PAPERS[self.paper][0] / _SMALL_PAPER)

        def cell(count: int) -> tuple[float, int]:
            """Return the side of a cell and the number of columns if a page has `count` puzzles."""
            most = count if self.per_page else min(count, max(1, int(width / _NARROWEST)))
            sides = {
                across: ((width / across - gap) / size[1], (height / -(-count // across) - _CAPTION) / size[0])
                for across in range(1, most + 1)
            }
            return max((min(both), across) for across, both in sides.items())

        least = _NEAR * min(cell(1)[0], largest)
        count = self.per_page or max(count for count in range(1, _MOST_ON_PAGE + 1) if cell(count)[0] >= least)
        side, across = cell(count)
        return count, width / across, height / -(-count // across), min(side, _PUZZLE_CELL if count == 1 else largest)


def _gap(grid: Grid) -> float:
    return _GAP_WHERE_SIDES_MEET if grid.wraps_rows or grid.wraps_cols else _GAP


def write(
    records: Iterable[PuzzleRecord],
    stream: BinaryIO,
    *,
    clues: Generosity = "minimal",
    sections: str | None = None,
    **form: Any,
) -> int:
    """Write a book of all puzzles and then all solutions, and return the number of puzzles.

    `clues` are those of `paper_form`. Each value of the column `sections` begins a section. `form` are fields of
    `Book`: with `steps`, each solution numbers its cells by the step that decides them, and lists the clues of each
    step that needs more than one.
    """
    book = Book(**form)
    return write_book((_printed(record, book, clues, sections) for record in records), stream, book)


def _printed(record: PuzzleRecord, book: Book, clues: Generosity, sections: str | None) -> Printed:
    board = record.puzzle.board
    (form,) = paper_forms([record.puzzle], clues)
    size = book.size(board.grid)
    caption = Sentence("book.caption", size=size, mines=board.mines, needs=form.in_words(book.language))
    section = ""
    if sections == "paper_tier":
        section = Sentence(f"section.{NEEDS[form.hardest]}").in_words(book.language)
    elif sections:
        section = size if sections == "size" else str(column_named(sections).read(record))
    steps, notes = _in_steps(form, book) if book.steps else (None, "")
    shown = form.view.cells, board.mine_map, board.grid, steps, notes, section
    return Printed(board.title, caption.in_words(book.language), record.id[:SHORT_ID], *shown, rated=True)


def _in_steps(form: PaperForm, book: Book) -> tuple[dict[Cell, int], str]:
    """Return the number of the step that decides each cell, and a list of the steps of more than one clue."""
    try:
        with time_limit(MOST_SECONDS):
            path = solution_path(form.view)
    except (OutOfTime, TooWide):
        return {}, f"<p>{book.words('nosteps')}</p>"
    numbers = {cell: number for number, step in enumerate(path.steps, 1) for cell in (*step.safe, *step.mines)}
    items = []
    for number, step in enumerate(path.steps, 1):
        if step.tier > Tier.ONE_CLUE:
            sources: list[object] = [NamedClue(int(form.view.cells[clue]), clue) for clue in step.clues]
            sources += [Sentence("count.needed")] * step.mine_count
            words = Sentence("book.step", sources=sources).in_words(book.language)
            items.append(f'<li value="{number}">{words}{"" if step.smallest else book.words("enough")}</li>')
    return numbers, f"<ol>{''.join(items)}</ol>"


def write_book(puzzles: Iterable[Printed], stream: BinaryIO, book: Book) -> int:
    """Write puzzles and then their solutions, and return their number."""
    count, room, section, grid, rated, pale = 0, 0, None, None, False, False
    width, height = book.area
    # At the longest.
    lines = 1 + len(book.introduction_of(rated=True, pale=True)) * _CHARACTER // width
    # Temporary files save memory for a large pack; the introduction depends on all puzzles.
    with ExitStack() as files:
        pages, solutions = (files.enter_context(tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY)) for _ in range(2))
        for count, puzzle in enumerate(puzzles, 1):
            if puzzle.section != section:
                heading = f"<h2>{escape(puzzle.section)}</h2>" if puzzle.section else ""
                pages.write(f'{"</section>" * (count > 1)}<section class="puzzles">{heading}'.encode())
                above = (_HEADING if heading else 0) + (_TITLE + _LINE * lines if count == 1 else 0)
                room, section = 0, puzzle.section
            if not room or puzzle.grid != grid:
                room, *slot = book.slot(puzzle.grid, height - above)
                above, grid = 0, puzzle.grid
            room -= 1
            rated |= puzzle.rated
            pale |= _gap(puzzle.grid) > _GAP
            number = f"<b>{count - 1 + book.first_number}.</b>&nbsp;"
            pages.write(_figure(puzzle, puzzle.cells, f"{number}{puzzle.caption}", book, slot).encode())
            shown = np.where(puzzle.mine_map, np.int8(MINE_DRAWN), puzzle.grid.count(puzzle.mine_map))
            solutions.write(_figure(puzzle, shown, f"{number}{puzzle.id}", book).encode())
        pages.write(b"</section>" if count else b"")
        title = escape(book.title or book.words("title"))
        texts = {"title": title, "language": book.language, "style": STYLE, "area": width}
        sizes = {"caption": _CAPTION, "gap": _GAP, "heading": _HEADING, "margin": _MARGIN}
        paper = dict(zip(("width", "height"), PAPERS[book.paper], strict=True))
        stream.write(_HEAD.format(**texts, **sizes, **paper).encode())
        introduction = escape(book.introduction_of(rated=rated, pale=pale))
        stream.write(f"<h1>{title}</h1><p>{introduction}</p>\n".encode())
        pages.seek(0)
        shutil.copyfileobj(pages, stream)
        note = f"<p>{book.words('steps')}</p>" if book.steps else ""
        stream.write(f'\n<section class="solutions"><h1>{book.words("solutions")}</h1>{note}\n'.encode())
        solutions.seek(0)
        shutil.copyfileobj(solutions, stream)
        stream.write(b"</section>\n</body>\n</html>\n")
    return count


def _figure(
    puzzle: Printed, cells: NDArray[np.int8], caption: str, book: Book, slot: Sequence[float] | None = None
) -> str:
    """Return a puzzle in its slot, or a solution, as HTML."""
    page, (_, cols) = book.area[0], extent(puzzle.grid, numbered=book.steps)
    numbers, notes = (puzzle.steps, puzzle.notes) if slot is None else (None, "")
    if slot is not None:
        width, height, side = slot
        form = f"width:{width:.2f}mm;height:{height:.2f}mm"
    else:
        side = min(_STEPS_CELL if book.steps else _SOLUTION_CELL, page / cols)
        across = max(1, int(page / max(side * cols + _gap(puzzle.grid), _NARROWEST / 2)))
        width = page / across
        form = "" if across == 1 or len(notes) > _LONG_LIST else f"width:{width:.2f}mm"
    look: dict[str, Any] = {"style": False, "zeros": True, "numbered": book.steps}
    drawing = draw_svg(cells, puzzle.name, puzzle.grid, numbers=numbers, **look)
    above = f'<figcaption style="max-width:{width - _gap(puzzle.grid):.2f}mm"><span>{caption}</span></figcaption>'
    kind = f' style="{form}"' if form else ' class="long"'
    return f'<figure{kind}>{above}<div style="width:{side * cols:.2f}mm;max-width:100%">{drawing}</div>{notes}</figure>'


def looks_like(head: bytes) -> bool:
    """Return True for the beginning of an HTML page."""
    return first_line(head).lower().startswith(b"<!doctype html")
