"""The size of the board: it fits the window, zooms, and does not move when messages change."""

from typing import Any

import pytest
from conftest import another, assist, begin, box_of, click_on, settle, visit
from playwright.sync_api import Page, expect

from minesweeper.player.core.board import Board, Puzzle
from minesweeper.scripts.web.puzzles import board_token

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LAPTOP, DESK, LARGE = (1280, 720), (1920, 1080), (2560, 1440)


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})


def place(page: Page) -> Any:
    return page.locator("#board").bounding_box()


def cell_size(page: Page) -> float:
    box = box_of(page.locator("#board [role=gridcell]").first)
    return box["width"]


def scrolls(page: Page) -> bool:
    """Return whether a part of the board is out of view."""
    script = "box => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight"
    return bool(page.locator(".board-scroll").evaluate(script)) or bool(
        page.evaluate("document.documentElement.scrollHeight > innerHeight")
    )


def test_a_board_fits_the_window(page: Page) -> None:
    visit(page)
    for window, preset, least in [
        (LAPTOP, "expert", 24),
        (DESK, "expert", 40),
        (LARGE, "expert", 70),
        (LARGE, "beginner", 90),
        (LAPTOP, "super-expert", 18),
        (DESK, "super-expert", 30),
        (LARGE, "super-expert", 40),
    ]:
        resize(page, *window)
        another(page, mode="classic", preset=preset)
        assert not scrolls(page), (window, preset)
        assert least <= cell_size(page) <= window[1] / 15, (window, preset)
    # Cells of 5 pixels were too small for a mouse, too.
    another(page, mode="classic", rows=100, cols=100, mines=1000)
    resize(page, *LAPTOP)
    assert cell_size(page) == 14


def test_a_board_is_zoomed_by_buttons_and_by_the_wheel(page: Page) -> None:
    begin(page, mode="classic", preset="expert")
    fits = cell_size(page)
    while page.get_by_role("button", name="Larger").is_enabled():
        page.get_by_role("button", name="Larger").click()
    assert cell_size(page) == 64
    page.get_by_role("button", name="Fit").click()
    assert cell_size(page) == fits
    page.locator("#board [data-index='470']").hover()
    before = page.locator("#board [data-index='470']").bounding_box()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    expect(page.get_by_role("button", name="Fit")).to_be_enabled()
    assert cell_size(page) > fits
    after = page.locator("#board [data-index='470']").bounding_box()
    assert before is not None
    assert after is not None
    # The cell under the mouse stays there, as far as the board's edges allow.
    assert abs(before["x"] - after["x"]) < 2 * cell_size(page)
    chosen = cell_size(page)
    another(page, mode="classic", preset="beginner")
    assert cell_size(page) != chosen
    another(page, mode="classic", preset="expert")
    assert cell_size(page) == chosen, "a board of this size had this zoom"


def test_two_fingers_zoom_from_the_whole_board_to_large_cells(phone: Page) -> None:
    begin(phone, mode="classic", preset="super-expert")
    assert cell_size(phone) == 22
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    while phone.get_by_role("button", name="Smaller").is_enabled():
        phone.get_by_role("button", name="Smaller").tap()
    assert not scrolls(phone)
    session = phone.context.new_cdp_session(phone)

    def fingers(kind: str, apart: float) -> None:
        points = [{"x": 180 - apart, "y": 250}, {"x": 180 + apart, "y": 250}] if apart else []
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 20)
    for apart in (40, 80, 120, 160):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    expect(phone.locator("#board [role=gridcell]").first).to_have_css("width", "64px")
    assert phone.locator("#board .hidden-cell").count() == 1500


def test_an_upright_phone_turns_a_wide_board_and_cells_are_large_enough_to_tap(phone: Page) -> None:
    small = """found => found.filter(one => Math.min(one.getBoundingClientRect().width, one.offsetHeight) < 44)
        .map(one => one.outerHTML)"""
    visit(phone)
    for window, preset, shown in [
        ((360, 640), "beginner", (9, 9)),
        ((390, 844), "expert", (30, 16)),
        ((844, 390), "expert", (16, 30)),
        ((844, 390), "intermediate", (16, 16)),
    ]:
        resize(phone, *window)
        another(phone, mode="classic", preset=preset)
        # It scrolled both ways where cells of 20 pixels fit, also a square board.
        assert scrolls(phone) == (preset == "expert" and window == (390, 844)), window
        size, board = cell_size(phone), place(phone)
        assert round(size) >= 20, window
        assert (round(board["height"] // size), round(board["width"] // size)) == shown, window
        # The arrow keys move on the screen; names stay those of the board.
        phone.locator("#board [data-index='0']").focus()
        phone.keyboard.press("ArrowDown")
        down = box_of(phone.locator("#board :focus"))
        assert down["y"] > board["y"] + size, window
        assert phone.locator("button:visible, summary:visible, nav a:visible").evaluate_all(small) == [], window


def test_a_proof_is_seen_without_a_click_and_rulers_number_the_rows_that_it_names(page: Page) -> None:
    puzzle = Puzzle(Board.from_text("..*.\n....\n*...\n..*."), (1, 1))
    visit(page, f"/share/{board_token(puzzle)}")
    expect(page.locator(".ruler").first).to_be_hidden()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#words .layouts .picture")).to_have_count(2)
    for picture in page.locator("#words .layouts .picture").all():
        expect(picture).to_be_in_viewport(ratio=1)
    expect(page.locator(".ruler.rows span").last).to_be_in_viewport(ratio=1)
    last = page.locator("#board [role=row]").last.bounding_box()
    ruler = page.locator(".ruler.rows span").last.bounding_box()
    assert last is not None
    assert ruler is not None
    assert abs(last["y"] - ruler["y"]) < 1


def test_nothing_that_comes_and_goes_moves_the_board(page: Page) -> None:
    visit(page)
    for window in [(360, 740), (1280, 800), (1920, 1080)]:
        resize(page, *window)
        another(page, mode="kaboom", rows=10, cols=10, mines=20, seed=3, rules={"opening_start": False})
        before = place(page)
        page.locator("#board [data-index='0']").click()
        page.get_by_role("button", name="Hint").click()
        for name in ("Chances", "May I guess?", "Check flags", "Chances", "Cheat"):
            assist(page, name)
            settle(page)
            assert place(page) == before, (window, name)
        click_on(page.locator("#board .hidden-cell:not(.asked, .flag)").first)
        expect(page.locator("#words")).to_be_in_viewport()
        assert place(page) == before, window


def test_on_a_phone_words_are_seen_without_scrolling_and_shown_in_full_over_the_board(phone: Page) -> None:
    begin(phone, mode="no-guess", preset="beginner", seed=3)
    before = place(phone)
    phone.get_by_role("button", name="Hint").tap()
    expect(phone.locator("#words .legend")).to_be_attached()
    expect(phone.locator("#words p").first).to_be_in_viewport()
    if phone.get_by_role("button", name="More").is_visible():
        phone.get_by_role("button", name="More").tap()
        expect(phone.locator("#words .legend")).to_be_in_viewport()
    assert place(phone) == before
    assist(phone, "Cheat")
    expect(phone.locator("#words.won")).to_be_in_viewport()
    assert place(phone) == before


def test_a_long_message_is_shown_in_full_beside_the_board(page: Page) -> None:
    resize(page, 1000, 640)
    begin(page, mode="no-guess", preset="intermediate", seed=3)
    legend = page.locator("#words .legend")
    while True:
        page.get_by_role("button", name="Hint").click()
        expect(page.locator("#words")).to_contain_text("Easiest step")
        if "Easiest step: 1 clue" not in page.locator("#words").inner_text():
            break
        assist(page, "Next move")
        settle(page)
    page.reload()
    settle(page)
    for colours in ("look here", "the clues", "the cluessafe"):
        page.get_by_role("button", name="Hint").click()
        expect(legend).to_have_text(colours)
    expect(legend).to_be_in_viewport(ratio=1)


def test_a_phone_on_its_side_shows_the_start_row_until_the_first_click_and_beginner_cells_fill_it(phone: Page) -> None:
    resize(phone, 844, 390)
    visit(phone)
    start = phone.locator("#start-row")
    expect(start.get_by_role("button", name="Daily")).to_be_in_viewport(ratio=1)
    # They had 25 pixels.
    assert round(cell_size(phone)) == 35
    phone.locator("#board [data-index='40']").tap()
    expect(start).to_be_hidden()
    expect(phone.get_by_role("button", name="Pause the game")).to_be_in_viewport(ratio=1)


def test_a_message_stays_in_sight_while_the_seed_of_a_watched_game_is_typed(phone: Page) -> None:
    visit(phone, "/watch")
    phone.locator("#seed").fill("5")
    phone.locator("#seed").press("Tab")
    phone.get_by_role("button", name="Step", exact=True).tap()
    expect(phone.locator("#words")).to_contain_text("First click")
    expect(phone.locator("#words")).to_be_in_viewport(ratio=1)


def test_german_words_do_not_touch_their_buttons_beside_an_expert_board(page: Page) -> None:
    resize(page, 1366, 768)
    page.evaluate("localStorage.setItem('sweep-language', 'de')")
    visit(page)
    another(page, mode="classic", preset="expert")
    tight = """buttons => buttons.filter(one => {
        const text = document.createRange();
        text.selectNodeContents(one);
        return text.getBoundingClientRect().width > one.clientWidth - 12;
    }).map(one => one.textContent)"""
    assert page.locator(".main-buttons button").evaluate_all(tight) == []


def test_buttons_are_as_wide_as_their_words(page: Page) -> None:
    begin(page, mode="kaboom", preset="expert")
    page.locator("#assistant").evaluate("drawer => { drawer.open = true; }")
    shown = "[...document.querySelectorAll('.side button')].filter(button => button.offsetParent)"
    for window in [(844, 390), LAPTOP]:
        resize(page, *window)
        assert page.evaluate(f"{shown}.length") > 10
        wide = f"{shown}.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
        assert page.evaluate(wide) == [], window


def test_the_choices_are_one_screen_on_a_phone_and_remembered(phone: Page) -> None:
    visit(phone)
    phone.get_by_role("button", name="New game").tap()
    phone.get_by_label("Kaboom").check()
    phone.get_by_label("Not too rough").check()
    phone.get_by_label("Cruelest").check()
    # Only the seed, the last field, may need scrolling.
    for seen in ("Kaboom", "Not too rough", "Cruelest"):
        expect(phone.get_by_label(seen)).to_be_in_viewport()
    expect(phone.get_by_role("button", name="Play", exact=True)).to_be_in_viewport(ratio=1)
    phone.get_by_role("button", name="Play", exact=True).tap()
    expect(phone.locator("#title")).to_have_text("Kaboom 10x10/20")
    phone.reload()
    phone.get_by_role("button", name="New game").tap()
    for label in ("Kaboom", "Not too rough", "Cruelest"):
        expect(phone.get_by_label(label)).to_be_checked()
