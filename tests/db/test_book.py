"""Books: every puzzle and its solution, on pages that hold them, in HTML and PDF; and pictures."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pysat.solvers import Solver
from sample_records import sampled

from minesweeper import HIDDEN, Board, Puzzle, Recipe, paper_form, solution_path
from minesweeper.db.formats import printable, save
from minesweeper.db.formats.printable import PAPERS, Book
from minesweeper.db.formats.registry import format_named
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator import puzzles
from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.paper import paper_forms
from minesweeper.player.render.browser import VARIABLE

pytestmark = pytest.mark.kernel
IN_STEPS = "...*\n..*.\n...."


def test_a_printed_pack_has_every_puzzle_and_then_every_solution() -> None:
    stream = io.BytesIO()
    write = format_named("html").write
    assert write is not None
    assert write([sampled(0), sampled(1)], stream) == 2
    page = stream.getvalue().decode()
    puzzles, solutions = page.split("Solutions</h1>")
    assert puzzles.count("<figure ") == solutions.count("<figure ") == 2
    assert (puzzles.count("<circle"), solutions.count("<circle")) == (0, 20)
    assert re.findall(r"<b>(\d+)\.</b>", puzzles) == ["1", "2"]
    for record, drawn in zip((sampled(0), sampled(1)), puzzles.split("<figure ")[1:], strict=True):
        form = paper_form(record.puzzle)
        texts = [int(text) for text in re.findall(r">(\d)</text>", drawn)]
        assert sorted(texts) == sorted(form.cells[form.cells != HIDDEN].tolist())
        assert record.id[:12] in solutions


def test_a_printed_pack_has_solutions_in_steps(tmp_path: Path) -> None:
    solved = replace(sampled(0), puzzle=Puzzle(Board.from_text(IN_STEPS), (0, 0)))
    save([solved], tmp_path / "book.html", format_named("html").with_options(steps=True, clues="easy"))
    first = (tmp_path / "book.html").read_text().split("Solutions</h1>")[1]
    path = solution_path(paper_form(solved.puzzle, "easy"))
    numbers = [number for number, step in enumerate(path.steps, 1) for _ in (*step.safe, *step.mines)]
    drawn = re.findall(r">(\d+)</text>", first.partition('class="n"')[2].partition("</g>")[0])
    assert sorted(map(int, drawn)) == numbers
    hard = [number for number, step in enumerate(path.steps, 1) if step.tier > Tier.ONE_CLUE]
    assert hard
    assert re.findall(r'value="(\d+)"', first) == list(map(str, hard))
    row, col = path.steps[hard[0] - 1].clues[0]
    assert f'<li value="{hard[0]}">{solved.puzzle.board.clues[row, col]} at ({row}, {col})' in first


def book_of(records: list[PuzzleRecord], **options: Any) -> tuple[str, str]:
    """Return the puzzles and the solutions of a book as HTML."""
    stream = io.BytesIO()
    assert format_named("html").with_options(**options).write(records, stream) == len(records)
    puzzles, solutions = stream.getvalue().decode().split('<section class="solutions">')
    return puzzles, solutions


def made(size: str, count: int) -> list[PuzzleRecord]:
    found = puzzles(Recipe(size, seed=1), count)
    return [replace(sampled(index), puzzle=puzzle) for index, puzzle in enumerate(found)]


def neighbours_of(kind: str, rows: int, cols: int, cell: tuple[int, int]) -> list[tuple[int, int]]:
    """List the neighbours of a cell of a printed grid."""
    row, col = cell
    around = [(row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    if kind == "hexagons":
        far = -1 if row % 2 else 1  # odd rows are half a cell to the right
        around = [(r, c) for r, c in around if r == row or c != col + far]
    if kind == "torus":
        around = [(r % rows, c % cols) for r, c in around]
    return [(r, c) for r, c in around if 0 <= r < rows and 0 <= c < cols]


def solved_by_hand(
    clues: dict[tuple[int, int], int], rows: int, cols: int, mines: int, kind: str = ""
) -> tuple[str, bool, set[tuple[int, int]]]:
    """Solve printed clues: return the clues at a time as in a caption, whether the mine count is needed, and the mines.

    Sets of one and two clues are compared by counting; SAT answers whether more clues, or the count, decide a cell.
    """
    near = {cell: {*neighbours_of(kind, rows, cols, cell)} - clues.keys() for cell in clues}
    number = {(row, col): row * cols + col + 1 for row in range(rows) for col in range(cols) if (row, col) not in clues}
    known: dict[tuple[int, int], bool] = {}

    def left(clue: tuple[int, int]) -> tuple[set[tuple[int, int]], int]:
        return near[clue] - known.keys(), clues[clue] - sum(known.get(cell, False) for cell in near[clue])

    def alone() -> dict[tuple[int, int], bool]:
        sets = map(left, clues)
        return {cell: need > 0 for cells, need in sets if need in (0, len(cells)) for cell in cells}

    def in_pairs() -> dict[tuple[int, int], bool]:
        found, sets = {}, [one for one in map(left, clues) if one[0]]
        for (one, some), (other, more) in permutations(sets, 2):
            if more - some == len(other - one) and not one.isdisjoint(other):
                found |= dict.fromkeys(other - one, True) | dict.fromkeys(one - other, False)
        return found

    def by_sat(counted: bool) -> dict[tuple[int, int], bool]:
        with Solver("minicard") as solver:
            for clue, total in clues.items():
                cells = [number[cell] for cell in near[clue]]
                solver.add_atmost(cells, total)
                solver.add_atmost([-one for one in cells], len(cells) - total)
            if counted:
                solver.add_atmost([*number.values()], mines)
                solver.add_atmost([-one for one in number.values()], len(number) - mines)
            fixed = [number[cell] * (1 if mine else -1) for cell, mine in known.items()]
            assert solver.solve(fixed)
            model = {*solver.get_model()}
            guess = {cell: number[cell] in model for cell in number.keys() - known.keys()}
            return {c: m for c, m in guess.items() if not solver.solve([*fixed, number[c] * (-1 if m else 1)])}

    hardest, needs_count = 0, False
    while len(known) < len(number):
        rules: list[Callable[[], dict[tuple[int, int], bool]]] = [alone, in_pairs, partial(by_sat, False)]
        for tier, rule in enumerate(rules, 1):
            if found := rule():
                hardest = max(hardest, tier)
                break
        else:
            needs_count, found = True, by_sat(True)
            assert found
        known |= found
    words = ("the number of mines alone", "one clue at a time", "two clues at a time", "several clues at a time")
    return words[hardest], needs_count, {cell for cell, mine in known.items() if mine}


CAPTION = re.compile(r"<b>\d+\.</b>&nbsp;(\d+) × (\d+)([^,]*), (\d+) mines?, \w+: ([^,<]*)(,[^<]*)?<")


@pytest.mark.parametrize("size", ["9x9/10", "16x16/40", "12x12/25 torus", "12x12/22 hex"])
def test_printed_clues_have_one_solution_as_hard_as_the_caption_says(size: str) -> None:
    records = made(size, 3)
    page, _ = book_of(records)
    for record, figure in zip(records, page.split("<figure")[1:], strict=True):
        found = CAPTION.search(figure)
        assert found
        rows, cols, mines = int(found[1]), int(found[2]), int(found[4])
        kind = found[3].strip()
        border, pitch = int(kind == "torus"), 18 if kind == "hexagons" else 20
        clues = {}
        for x, y, clue in re.findall(r'<text x="(\d+)" y="(\d+)">(\d)</text>', figure):
            row = (int(y) - 16) // pitch - border
            shift = 10 * (kind == "hexagons" and row % 2)
            cell = row, (int(x) - 11 - shift) // 20 - border
            if 0 <= cell[0] < rows and 0 <= cell[1] < cols:
                clues[cell] = int(clue)
        words, counted, solution = solved_by_hand(clues, rows, cols, mines, kind)
        assert (words, counted) == (found[5], found[6] is not None or found[5].startswith("the number"))
        assert solution == {(row, col) for row, col in np.argwhere(record.puzzle.board.mine_map).tolist()}


SLOT = re.compile(
    r'<figure style="width:([\d.]+)mm;height:([\d.]+)mm">.*?<div style="width:([\d.]+)mm.*?viewBox="0 0 (\d+) (\d+)"'
)


@pytest.mark.parametrize("paper", PAPERS)
def test_drawings_fit_the_pages_of_a_book(paper: str) -> None:
    sizes = ["9x9/10", "16x30/99", "30x50/300", "50x4/20", "12x12/25 torus"]
    packed = [record for size in sizes for record in made(size, 9)]
    page, _ = book_of(packed, paper=paper, title="A & B")
    assert "<title>A &amp; B</title>" in page
    assert "@page{{size:{}mm {}mm".format(*PAPERS[paper]) in page
    width, height = Book(paper=paper).area
    found = [tuple(map(float, one)) for one in SLOT.findall(page)]
    assert len(found) == len(packed)
    for across, down, drawn, wide, high in found:
        assert drawn <= across <= width
        assert drawn * high / wide + 11 <= down <= height + 0.01


def test_every_page_of_small_puzzles_has_six_the_first_too() -> None:
    """The first page had four, and an incomplete last row was spread over the width."""
    page, _ = book_of(made("9x9/10", 14))
    slots = [(across, down) for across, down, *_ in SLOT.findall(page)]
    assert len(set(slots[:6])) == len(set(slots[6:])) == 1
    width, height = Book().area
    assert 2 * float(slots[0][0]) == pytest.approx(width, abs=0.1)
    assert 3 * float(slots[6][1]) == pytest.approx(height, abs=0.1)
    # A title, and five lines of introduction.
    assert 3 * float(slots[0][1]) == pytest.approx(height - 13 - 5 * 4.8, abs=0.1)
    assert "space-evenly" not in page


def test_captions_of_a_book_are_whole_sentences() -> None:
    """They were cut inside a character, and counted "0 clues added"."""
    page, solutions = book_of(made("9x9/10", 2))
    assert "overflow:hidden" not in page
    assert "added" not in page
    widths = [float(width) for width in re.findall(r'<figure style="width:([\d.]+)mm">', solutions)]
    assert len(widths) == 2
    assert min(widths) >= 26


def test_tori_are_apart_and_explained_wherever_they_are() -> None:
    """They were 3 mm apart, and explained only as the first puzzle."""
    tori = made("8x8/10 torus", 2)
    page, solutions = book_of([*made("9x9/10", 1), *tori])
    assert "Pale cells" in page
    assert "Pale cells" not in book_of(made("9x9/10", 1))[0]
    for across, _, drawn, *_ in SLOT.findall(page)[1:]:
        assert float(across) - float(drawn) >= 12
    for across, drawn in re.findall(r'<figure style="width:([\d.]+)mm">.*?<div style="width:([\d.]+)mm', solutions)[1:]:
        assert float(across) - float(drawn) >= 12


def test_hexagons_are_not_said_to_touch_eight_cells() -> None:
    assert "eight cells" not in book_of(made("8x8/8 hex", 1))[0]


def test_solutions_of_all_kinds_share_pages() -> None:
    """Each kind began a page, which was nearly empty."""
    _, solutions = book_of([record for size in ("9x9/10", "16x16/40", "8x8/8 hex") for record in made(size, 1)])
    assert solutions.count("<figure") == 3
    assert solutions.count("<section") == 0
    _, solutions = book_of(made("16x30/40", 1))
    assert f"width:{Book().area[0] / 2:.2f}mm" in solutions


def test_boards_have_the_numbers_of_rows_and_columns_that_steps_cite() -> None:
    """Solutions cited cells of boards without numbers, one on each page."""
    for part, figures in zip(book_of(made("9x9/10", 2), steps=True), (2, 2), strict=True):
        drawn = part.split("<figure")[1:]
        assert len(drawn) == figures
        for one in drawn:
            rulers = re.findall(r'<g fill="var\(--t\)" font-size="9" font-weight="400">(.*?)</g>', one)
            assert re.findall(r">(\d+)<", rulers[0]) == [*map(str, range(9))] * 2
            assert 'style="width:' in one.partition(">")[0]


def test_a_book_says_which_steps_took_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printable, "MOST_SECONDS", 1e-9)
    _, solutions = book_of(made("16x30/99", 1), steps=True)
    assert "The steps of this puzzle take too long to find." in solutions
    assert "<ol>" not in solutions


def test_a_book_has_sections_numbers_and_texts_in_its_language() -> None:
    packed = sorted(made("9x9/10", 8), key=lambda record: next(paper_forms([record.puzzle])).hardest)
    page, solutions = book_of(
        packed, sections="paper_tier", language="de", first_number=41, introduction="Für <dich>.", title="Heft 2"
    )
    tiers = [next(paper_forms([record.puzzle])).hardest for record in packed]
    names = {Tier.ONE_CLUE: "Zum Aufwärmen: eine Zahl nach der anderen", Tier.TWO_CLUES: "Zwei Zahlen zugleich"}
    assert re.findall("<h2>(.*?)</h2>", page) == [names[tier] for tier in dict.fromkeys(tiers)]
    assert len(set(tiers)) == 2
    assert '<html lang="de">' in page
    assert "<h1>Heft 2</h1><p>Für &lt;dich&gt;.</p>" in page
    assert "<h1>Lösungen</h1>" in solutions
    for part in (page, solutions):
        assert re.findall(r"<b>(\d+)\.</b>", part) == list(map(str, range(41, 49)))
    assert "<b>41.</b>&nbsp;9 × 9, 10 Minen, leicht: eine Zahl nach der anderen" in page


def test_books_are_printed_as_pdf_and_puzzles_drawn_as_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = made("9x9/10", 7)
    save(packed, tmp_path / "book.pdf", format_named("pdf").with_options(paper="A5", language="de"))
    printed = (tmp_path / "book.pdf").read_bytes()
    assert set(re.findall(rb"\(D:(\d{14})", printed)) == {b"20000101000000"}, "two runs printed different bytes"
    assert printed.startswith(b"%PDF-")
    (size,) = {tuple(map(float, found)) for found in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)}
    assert size == pytest.approx([side / 25.4 * 72 for side in PAPERS["A5"]], abs=1)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 3
    save(packed[:1], tmp_path / "one.png", format_named("png").with_options(clues="easy"))
    picture = (tmp_path / "one.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (364, 364)
    monkeypatch.setenv(VARIABLE, "no-such-browser")
    with pytest.raises(ConfigError, match="no-such-browser is not installed; expected Chromium, Chrome or Edge"):
        save(packed, tmp_path / "book.pdf")
    assert (tmp_path / "book.pdf").read_bytes() == printed
