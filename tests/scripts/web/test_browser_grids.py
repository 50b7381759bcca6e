"""Other grids than the rectangle in a browser: whole games by mouse, keyboard and touch, and their seams."""

import re
from collections.abc import Callable

import pytest
from conftest import begin, box_of, choose_game, click_on, settle, visit
from playwright.sync_api import Locator, Page, expect

from minesweeper import Cell, Recipe
from minesweeper.generator.screening import screen_range
from minesweeper.player.core.board import Puzzle, cells_of
from minesweeper.scripts.web.puzzles import board_token

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def solvable() -> Callable[[str], Puzzle]:
    """A solvable puzzle of a board, such as ``12x12/20 torus``."""
    return lambda name: next(kept.puzzle for kept in screen_range(Recipe(name, seed=1), 0, 2000))


def cell(page: Page, puzzle: Puzzle, where: Cell) -> Locator:
    return page.locator(f"#board [role=gridcell][data-index='{where[0] * puzzle.board.cols + where[1]}']")


def ghosts(page: Page, puzzle: Puzzle, where: Cell) -> Locator:
    return page.locator(f"#board .ghost[data-index='{where[0] * puzzle.board.cols + where[1]}']")


def is_hidden(where: Locator) -> bool:
    return "hidden-cell" in (where.get_attribute("class") or "")


def analyse_game(page: Page) -> None:
    """Open the position of the game on the page Analyse."""
    page.locator("#assistant summary").click()
    page.locator("#assistant #analyse").click()
    expect(page.locator("#words")).to_contain_text("Certain:")


def test_a_whole_hex_torus_with_three_hints_and_clicks_on_ghost_cells(
    page: Page, solvable: Callable[[str], Puzzle]
) -> None:
    puzzle = solvable("12x12/22 hex torus")
    begin(page, mode="shared", token=board_token(puzzle))
    expect(page.locator("#title")).to_contain_text("12x12/22 hex torus")
    for _ in range(3):
        for shown in ("Look around", "It follows from", "Easiest step"):
            page.keyboard.press("h")
            expect(page.locator("#words")).to_contain_text(shown)
        numbers = [found.get_attribute("data-index") for found in page.locator("[role=gridcell].is-safe").all()]
        assert numbers
        for number in numbers:
            where = divmod(int(number or ""), 12)
            assert not puzzle.board.mine_map[where]
            click_on(cell(page, puzzle, where))
    corner = next(where for where in ((0, 0), (0, 11), (11, 0), (11, 11)) if not puzzle.board.mine_map[where])
    assert ghosts(page, puzzle, corner).count() == 3
    safe = sorted(cells_of(~puzzle.board.mine_map), key=lambda where: 0 < where[0] < 11)
    for where in safe:
        real, ghost = cell(page, puzzle, where), ghosts(page, puzzle, where)
        if is_hidden(real):
            click_on(ghost.first if ghost.count() else real)
            assert not is_hidden(real)
        if ghost.count():
            assert f"{real.get_attribute('class')} ghost" == ghost.first.get_attribute("class")
            assert real.text_content() == ghost.first.text_content()
    expect(page.locator("#words")).to_contain_text("Cleared with help")
    visit(page, "/record")
    expect(page.locator("#kind")).to_contain_text("Shared 12x12/22 hex torus")


def test_arrows_stay_in_a_column_of_hexagons_and_cross_the_seam(page: Page, solvable: Callable[[str], Puzzle]) -> None:
    puzzle = solvable("12x12/20 hex cylinder")
    begin(page, mode="shared", token=board_token(puzzle))
    cell(page, puzzle, (6, 5)).focus()
    left = []
    for key, where in (
        *(("ArrowUp", (row, 5)) for row in (5, 4, 3)),
        *(("ArrowLeft", (3, col)) for col in (4, 3, 2, 1, 0, 11)),
        ("ArrowRight", (3, 0)),
        *(("ArrowUp", (row, 0)) for row in (2, 1, 0)),
        ("ArrowUp", (0, 0)),
    ):
        page.keyboard.press(key)
        expect(cell(page, puzzle, where)).to_be_focused()
        box = box_of(cell(page, puzzle, where))
        left.append(box["x"])
    # Odd rows lie half a cell to the right.
    assert left[0] > left[1] < left[2]
    hidden = next(where for where in cells_of(puzzle.board.mine_map) if is_hidden(cell(page, puzzle, where)))
    cell(page, puzzle, hidden).hover()
    page.keyboard.press("f")
    expect(cell(page, puzzle, hidden)).to_have_class("cell hidden-cell flag")


def test_a_grid_is_chosen_in_the_dialog_and_analysed(page: Page, check_accessibility: Callable[[Page], None]) -> None:
    choose_game(page, "Classic")
    page.get_by_label("Grid").select_option("Torus")
    page.locator("#start").click()
    expect(page.locator("#title")).to_have_text("Classic 9x9/10 torus")
    assert page.locator("#board .ghost").count() == 4 * 9 + 4
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Custom").check()
    page.get_by_role("spinbutton", name="Rows").fill("5")
    page.get_by_label("Grid").select_option("Hex torus")
    page.locator("#start").click()
    expect(page.locator("#new-error")).to_contain_text("even in number")
    page.get_by_role("spinbutton", name="Rows").fill("6")
    page.locator("#start").click()
    expect(page.locator("#title")).to_have_text("Classic 6x12/24 hex torus")
    click_on(page.locator("#board [role=gridcell]").nth(30))
    check_accessibility(page)
    analyse_game(page)
    assert "~hex.torus/24/" in page.url
    expect(page.locator("#grid")).to_have_value("hex torus")


def test_a_ring_is_won_by_keyboard_with_hints(page: Page, check_accessibility: Callable[[Page], None]) -> None:
    choose_game(page, "No guess", "Custom")
    for name, value in ("Rows", "9"), ("Columns", "11"), ("Mines", "8"):
        page.get_by_role("spinbutton", name=name).fill(value)
    page.get_by_label("Holes").select_option("ring")
    page.locator("#start").click()
    expect(page.locator("#title")).to_have_text(re.compile(r"^No-guess 9x11/8, \d+ holes$"))
    check_accessibility(page)
    cells = page.locator("#board [role=gridcell]")
    assert cells.count() + page.locator("#board .hole").count() == 9 * 11
    page.locator("#board [tabindex='0']").press("Space")
    settle(page)
    for _ in range(9 * 11):
        if page.locator("#ending").is_visible():
            break
        for shown in ("Look around", "It follows from", "Easiest step"):
            page.keyboard.press("h")
            expect(page.locator("#words")).to_contain_text(shown)
        go_to(page, page.locator("#board .is-safe").first)
        page.keyboard.press("Space")
        settle(page)
    expect(page.locator("#words")).to_contain_text("Cleared with help")
    visit(page, "/record")
    expect(page.locator("#kind")).to_contain_text(re.compile(r"No-guess 9x11/8, \d+ holes"))


ARROWS = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}


def go_to(page: Page, target: Locator) -> None:
    """Move the focus to a cell of a board of 11 columns by the fewest arrows, which skip holes."""
    shown = page.locator("#board [role=gridcell]").evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.index))"
    )
    cells = {divmod(index, 11) for index in shown}

    def at(where: Locator) -> Cell:
        return divmod(int(where.get_attribute("data-index") or ""), 11)

    def after(where: Cell, key: str) -> Cell:
        (row, col), (down, right) = where, ARROWS[key]
        places = ((row + step * down, col + step * right) for step in range(1, 11))
        return next((place for place in places if place in cells), where)

    reached: dict[Cell, list[str]] = {at(page.locator("#board :focus")): []}
    queue = [*reached]
    while at(target) not in reached:
        where = queue.pop(0)
        for key in ARROWS:
            if (found := after(where, key)) not in reached:
                reached[found] = [*reached[where], key]
                queue.append(found)
    for key in reached[at(target)]:
        page.keyboard.press(key)
    expect(target).to_be_focused()


def test_arrows_and_home_skip_holes_and_no_pointer_hits_them(page: Page, solvable: Callable[[str], Puzzle]) -> None:
    puzzle = solvable("5x7/4 holes #5.#/7./2.3#2./7./#5.#")
    begin(page, mode="shared", token=board_token(puzzle))
    expect(page.locator("#title")).to_have_text("Shared 5x7/4, 7 holes")
    expect(page.locator("#board [tabindex='0']")).to_have_attribute("data-index", "10")
    cell(page, puzzle, (2, 1)).focus()
    for key, where in (
        ("ArrowRight", (2, 5)),
        ("ArrowLeft", (2, 1)),
        ("ArrowUp", (1, 1)),
        ("End", (1, 6)),
        ("ArrowUp", (1, 6)),
        ("PageDown", (3, 6)),
        ("Control+Home", (0, 1)),
        ("ArrowLeft", (0, 1)),
        ("Control+End", (4, 5)),
        ("Home", (4, 1)),
    ):
        page.keyboard.press(key)
        expect(cell(page, puzzle, where)).to_be_focused()
    before = page.locator("#board").inner_html()
    page.locator("#board .hole").nth(3).click(force=True, button="right")
    assert page.locator("#board").inner_html() == before


def test_holes_are_written_as_rows_and_analysed(page: Page) -> None:
    choose_game(page, "Classic", "Custom")
    page.get_by_label("Grid").select_option("Torus")
    page.get_by_label("Holes").select_option("own rows")
    page.locator("#hole-rows").fill(".....\n..#.")
    page.get_by_role("spinbutton", name="Mines").fill("3")
    page.locator("#start").click()
    expect(page.locator("#new-error")).to_contain_text("rows of equal length")
    page.locator("#hole-rows").fill(".....\n.....\n..#..\n.....\n.....\n.....")
    expect(page.get_by_role("spinbutton", name="Rows")).to_have_value("6")
    page.locator("#start").click()
    expect(page.locator("#title")).to_have_text("Classic 6x5/3 torus, 1 hole")
    click_on(page.locator("#board [role=gridcell]").nth(0))
    analyse_game(page)
    assert "#6x5~torus~" in page.url
    expect(page.locator("#grid")).to_have_value("torus")
    page.locator("#copy").click()
    assert page.locator("#text").input_value().startswith("6x5/3 torus holes 5./5./2.#2./5./5./5.\n")
    page.locator("#text").fill("3x3/2\n###\n1-1\n.1#")
    page.locator("#read").click()
    expect(page.locator("#words")).to_contain_text("Certain: 2 safe cells, 2 mines")
    assert page.locator("#board .hole").count() == 1


def test_a_grid_is_watched(page: Page) -> None:
    visit(page, "/watch")
    page.get_by_label("Grid").select_option("Hex cylinder")
    expect(page.locator("#title")).to_contain_text("hex cylinder")
    page.locator("#step").click()
    expect(page.locator("#words")).to_contain_text("opens")


def test_a_finger_flags_through_a_ghost_cell(phone: Page, solvable: Callable[[str], Puzzle]) -> None:
    puzzle = solvable("8x8/8 torus")
    begin(phone, mode="shared", token=board_token(puzzle))
    hidden = next(
        where for where in cells_of(puzzle.board.mine_map) if 0 in where and is_hidden(cell(phone, puzzle, where))
    )
    phone.locator("#flag-mode").tap()
    ghosts(phone, puzzle, hidden).first.tap()
    expect(cell(phone, puzzle, hidden)).to_have_class("cell hidden-cell flag")
