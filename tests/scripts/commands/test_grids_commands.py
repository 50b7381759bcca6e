"""Commands on other grids: holes from a file, formats, drawings, positions and tasks."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line

import minesweeper as ms
from minesweeper import Grid, Store
from minesweeper.db.formats.positions import read_shown
from minesweeper.player.render.svg import draw_svg
from minesweeper.player.render.text import draw
from minesweeper.scripts.commands import analyse, generate, tasks
from minesweeper.scripts.commands.packs.command import main

RING = "##....##\n#......#\n...##...\n...##...\n#......#\n##....##\n"
HOLES = "holes 2#4.2#/#6.#/3.2#3./3.2#3./#6.#/2#4.2#"

pytestmark = pytest.mark.usefixtures("folder")


def packs(*arguments: str) -> Result:
    return ended(CliRunner().invoke(main, arguments))


@pytest.fixture
def stored() -> list[str]:
    """The ids of two stored puzzles on a ring, which is a file."""
    Path("ring.txt").write_text(RING)
    words = ["--board", "6x8/5 holes @ring.txt", "--count", "2", "--seed", "1", "--db", "p.db"]
    result = ended(CliRunner().invoke(generate.main, words))
    assert "6x8/5, 16 holes, opening start at " in result.output
    with Store("p.db") as store:
        return sorted(record.id for record in store.puzzles())


@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "db", "parquet", "path"])
def test_puzzles_with_holes_are_exported_and_imported(stored: list[str], name: str) -> None:
    packs("export", f"all.{name}", "--db", "p.db")
    packs("import", f"all.{name}", "--db", "q.db")
    with Store("q.db") as store:
        records = list(store.puzzles(grid=HOLES))
    assert sorted(record.id for record in records) == stored
    assert {record.puzzle.board.grid.label for record in records} == {HOLES}
    assert "2 puzzles proved" in packs("verify", "--db", "q.db").output
    assert "2 of 2 puzzles" in packs("list", "--size", "6x8 holes @ring.txt", "--db", "q.db").output


@pytest.mark.parametrize("label", ["holes ##./...", "holes 2#1./3.", None])
def test_holes_in_another_spelling_are_imported(label: str | None) -> None:
    line = {"board": ["--.", "..."], "first_click": [1, 0], "grid": label}
    Path("one.jsonl").write_text(json.dumps(line))
    packs("import", "one.jsonl", "--db", "p.db")
    with Store("p.db") as store:
        assert [record.puzzle.board.name for record in store.puzzles()] == ["2x3/0 holes 2#./3."]


def test_holes_of_another_board_are_refused() -> None:
    line = {"board": ["--.", "..*"], "first_click": [1, 0], "grid": "holes #../..."}
    Path("one.jsonl").write_text(json.dumps(line))
    refused = CliRunner().invoke(main, ["import", "one.jsonl", "--db", "p.db"])
    assert "the holes '-' in the rows are not those of the named grid" in refused.output


def test_more_than_4096_different_sets_of_holes_are_exported_and_verified() -> None:
    count = 4200
    boards = (Grid(4, 4, "", bytes(number >> bit & 1 for bit in range(16))) for number in range(1, count + 1))
    rows = (ms.Board.from_cells(grid, []).to_text().splitlines() for grid in boards)
    lines = [json.dumps({"board": board, "first_click": [3, 3]}) for board in rows]
    Path("many.jsonl").write_text("\n".join(lines))
    packs("import", "many.jsonl", "--db", "p.db")
    assert f"{count} puzzles proved, 0 failed" in packs("verify", "--db", "p.db").output
    packs("export", "out.jsonl", "--db", "p.db")
    assert len({json.loads(line)["grid"] for line in Path("out.jsonl").read_text().splitlines()}) == count


@pytest.mark.parametrize("name", ["sgt", "board", "mine", "mbf"])
def test_formats_of_other_programs_refuse_holes(stored: list[str], name: str) -> None:
    refused = CliRunner().invoke(main, ["export", f"one.{name}", "--db", "p.db", "--limit", "1"])
    assert "have rectangles only, no 6x8, 16 holes; expected jsonl, csv or db" in error_line(refused)


def test_what_packs_show_prints_is_read_again(stored: list[str]) -> None:
    shown = packs("show", stored[0], "--db", "p.db").output
    with Store("p.db") as store:
        puzzle = store.puzzle(stored[0]).puzzle
    assert read_shown(shown) == puzzle.view
    assert read_shown(draw(puzzle.board) + f"\nfirst click {puzzle.first_click[0]},{puzzle.first_click[1]}\n") == puzzle
    assert read_shown(puzzle.board.to_text()) == puzzle.board
    result = CliRunner().invoke(analyse.main, ["-", "--json"], input=shown)
    assert json.loads(result.stdout)["grid"] == HOLES


def test_holes_from_a_broken_file_are_refused() -> None:
    Path("words.txt").write_text("these are words\n")
    for path, complaint in (("words.txt", "unknown size"), ("none.txt", "No such file")):
        refused = CliRunner().invoke(main, ["list", "--size", f"6x8 holes @{path}"])
        assert complaint in error_line(refused)


def test_drawings_frame_holes_and_books_print_no_clue_in_them() -> None:
    puzzle = ms.Recipe(f"6x8/5 {HOLES}", seed=1).puzzle(0)
    drawing = ms.paper_form(puzzle)._repr_svg_()
    assert "<title>6x8/5, 16 holes</title>" in drawing
    assert '<path stroke="var(--l)" stroke-width="5"' in drawing
    assert "<rect" not in drawing
    (framed,) = [path for path in drawing.split("<path") if 'stroke-width="5"' in path]
    assert framed.count("h20v20h-20z") == puzzle.board.grid.cells
    form = ms.paper_form(puzzle)
    printed = draw_svg(form.cells, "", form.grid, zeros=True)
    assert printed.count("</text>") == form.opened.sum()


@pytest.mark.parametrize(("encoding", "words"), [("grid", "- is no cell."), ("cells", "not listed are no cells.")])
def test_tasks_say_what_a_hole_is(encoding: str, words: str) -> None:
    result = CliRunner().invoke(
        tasks.main, ["--board", f"6x8/5 {HOLES}", "--kind", "deduce", "--count", "1", "--encoding", encoding]
    )
    task = json.loads(result.stdout)
    assert words in task["prompt"]
    assert task["grid"] == HOLES
    view = ms.View.from_text("\n".join(task["view"]), task["mines"], HOLES)
    assert task["answer"]["safe"] == np.argwhere(ms.closure(view).safe_map).tolist()
