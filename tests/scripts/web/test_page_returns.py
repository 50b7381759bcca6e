"""The parts of the static page for players who come back: first row, calendar, rating, practice and replays."""

import re
from typing import Any

import pytest
from conftest import LAPTOP, box_of, click_on, settle, visit
from playwright.sync_api import Browser, Page, expect


@pytest.fixture
def page(local_page: Page) -> Page:
    return local_page


def row(page: Page, name: str) -> Any:
    return page.locator("#start-row").get_by_role("button", name=name)


def open_cell(page: Page, index: int) -> None:
    page.locator(f"#board [data-index='{index}']").click()
    expect(page.locator("#board .open").first).to_be_visible()
    settle(page)


def play(page: Page) -> None:
    """Win the game by opening what the engine proves, as a player who finds it all alone."""
    script = """async () => {
      const { ask } = await (await import("./static/js/main.js")).$run("js/engine.js");
      const id = JSON.parse(sessionStorage.getItem("sweep-game"));
      let game = await ask("game", id);
      while (game.status !== "won") {
        const { safe } = await ask("advise", "certain", game, {});
        const [[row, col]] = safe.length ? safe : [[game.rows >> 1, game.cols >> 1]];
        game = await ask("move", id, "open", row * game.cols + col);
      }
    }"""
    page.evaluate(script)


def test_an_expert_game_is_one_click_away_and_the_game_before_another(page: Page) -> None:
    visit(page)
    assert page.locator("dialog[open], [popover]:popover-open").count() == 0
    expect(row(page, "Beginner")).to_have_attribute("aria-current", "true")
    open_cell(page, 40)
    expect(row(page, "Continue")).to_be_hidden()
    row(page, "Expert").click()
    expect(page.locator("#title")).to_have_text("No-guess expert 16x30/99")
    row(page, "Continue").click()
    expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10")
    expect(page.locator("#board .open").first).to_be_visible()
    # The expert game has no move yet.
    expect(row(page, "Continue")).to_be_hidden()


def test_the_clock_of_a_game_stands_while_another_one_is_played(page: Page) -> None:
    visit(page)
    open_cell(page, 40)
    script = """async () => {
      const { ask } = await (await import("./static/js/main.js")).$run("js/engine.js");
      const id = JSON.parse(sessionStorage.getItem("sweep-game"));
      await ask("newGame", { mode: "classic", preset: "beginner" });
      const began = performance.now();
      while (performance.now() < began + 50);
      return (await ask("game", id)).seconds;
    }"""
    assert page.evaluate(script) < 0.05


def seconds(page: Page) -> int:
    """The time on the clock in whole seconds."""
    minutes, rest = (page.locator("#clock").text_content() or "").split(":")
    return 60 * int(minutes) + int(rest)


def test_the_clock_never_goes_back_and_stands_while_nobody_sees_the_board(page: Page) -> None:
    """Time to think was lost by a reload and by another game, and a tab in the background counted on."""
    visit(page)
    open_cell(page, 40)
    page.wait_for_function("document.querySelector('#clock').textContent === '0:01'")
    page.reload()
    expect(page.locator("#clock")).to_have_text(re.compile("0:(0[1-9]|[1-5][0-9])"))
    before = seconds(page)
    row(page, "Expert").click()
    row(page, "Continue").click()
    expect(page.locator("#title")).to_have_text("No-guess beginner 9x9/10")
    assert seconds(page) >= before
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    shown = seconds(page)
    page.evaluate("new Promise(resolve => setTimeout(resolve, 1500))")
    assert seconds(page) == shown
    page.evaluate(hide, False)
    expect(page.locator("#board")).to_have_attribute("aria-busy", "false")
    assert seconds(page) == shown
    expect(page.locator("#clock")).not_to_have_text(f"{shown // 60}:{shown % 60:02}")


def test_a_pause_hides_the_board_and_stops_the_clock_until_any_action(page: Page) -> None:
    visit(page)
    pause, board = page.get_by_role("button", name="Pause the game"), page.locator("#board")
    expect(pause).to_be_disabled()
    page.keyboard.press("p")
    expect(board).to_be_visible()
    open_cell(page, 40)
    for resume in (pause.click, lambda: page.keyboard.press("p"), page.locator("#words").click):
        pause.click()
        expect(board).to_be_hidden()
        stood = seconds(page)
        hidden = board.locator(".hidden-cell").count()
        page.evaluate("new Promise(resolve => setTimeout(resolve, 1500))")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert seconds(page) == stood
        resume()
        expect(board).to_be_visible()
        assert seconds(page) <= stood + 1
        assert board.locator(".hidden-cell").count() == hidden
    pause.click()
    page.get_by_role("button", name="Hint").click()
    expect(board.locator(".zone, .asked").first).to_be_visible()


def test_the_classic_look_is_that_of_all_boards(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page)
    tile = "getComputedStyle(document.querySelector('#board .hidden-cell')).backgroundColor"
    colour = "document.querySelector('meta[name=theme-color]').content"
    assert (page.evaluate(tile), page.evaluate(colour)) == ("rgb(64, 80, 106)", "#1a2029")
    page.locator("#settings summary").click()
    page.get_by_label("Classic look").check()
    assert page.evaluate(tile) == "rgb(184, 184, 184)"
    visit(page, "?page=watch")
    assert page.evaluate(tile) == "rgb(184, 184, 184)"
    page.get_by_role("button", name="Switch to the light theme").click()
    assert (page.evaluate(tile), page.evaluate(colour)) == ("rgb(184, 184, 184)", "#fffdf8")


def test_one_line_helps_until_the_first_game_has_ended(browser: Browser, place: str) -> None:
    page = browser.new_page(base_url=place, **LAPTOP)
    visit(page)
    line = page.locator("#first-help")
    expect(line).to_contain_text("right click flags")
    click_on(row(page, "Beginner"))
    expect(line).to_be_visible()
    page.locator("#assistant summary").click()
    page.locator("#play-on").click()
    expect(page.locator("#ending")).to_be_visible()
    expect(line).to_be_hidden()
    visit(page)
    expect(line).to_be_hidden()
    page.close()


@pytest.mark.parametrize(("width", "language"), [(360, "en"), (360, "de"), (390, "en")])
def test_the_first_row_fits_a_phone(phone: Page, width: int, language: str) -> None:
    phone.set_viewport_size({"width": width, "height": 640})
    visit(phone)
    phone.locator("#board [data-index='40']").tap()
    expect(phone.locator("#board .open").first).to_be_visible()
    settle(phone)
    row(phone, "Expert").tap()
    expect(phone.locator("#title")).to_contain_text("expert")
    expect(row(phone, "Continue")).to_be_visible()
    phone.locator("#language").select_option(language)
    expect(phone.locator("html")).to_have_attribute("lang", language)
    expect(phone.locator("#start-row .resume")).to_be_visible()
    box = box_of(phone.locator("#start-row"))
    assert box["height"] < 60
    assert phone.evaluate("document.documentElement.scrollWidth") <= width
    expect(phone.locator("#start-row button").last).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("zone", "now", "month"),
    [
        ("Pacific/Kiritimati", "2026-02-28T23:59:30Z", "February"),
        ("Pacific/Pago_Pago", "2026-03-01T00:00:30Z", "March"),
    ],
)
def test_the_days_of_the_page_are_those_of_utc(browser: Browser, place: str, zone: str, now: str, month: str) -> None:
    page = browser.new_page(base_url=place, timezone_id=zone, **LAPTOP)
    page.clock.set_fixed_time(now)
    visit(page)
    row(page, "Beginner").click()
    open_cell(page, 40)
    play(page)
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#date")).to_have_value(now[:10])
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Record").click()
    expect(page.locator("#month-name")).to_have_text(f"{month} 2026")
    today = page.locator(".day:not(.future)").last
    expect(today).to_have_attribute("aria-label", f"{month[:3]} {int(now[8:10])}, 2026: not played")
    page.close()


def test_a_won_daily_puzzle_counts_in_the_row_the_calendar_and_the_rating(page: Page) -> None:
    visit(page)
    row(page, "Daily").click()
    expect(page.locator("#title")).to_contain_text("Daily")
    play(page)
    page.reload()
    expect(row(page, "Daily")).to_have_text("Daily1 ✓")
    expect(page.locator("#words")).to_contain_text("This game is won")
    visit(page, "./?page=record")
    assert page.locator("#days .day.won").count() == 1
    expect(page.locator("#days .day.won")).to_have_attribute("aria-label", re.compile("won, "))
    expect(page.locator("#days .day.won")).to_have_attribute("href", re.compile("review.[0-9a-z]+"))
    # The first win against a puzzle that is harder than 1000 points brings more than half of 40.
    rating = re.search(r"(\d+) \(\+(\d+)\)", page.locator("#tiles").inner_text())
    assert rating is not None
    assert int(rating[1]) == 1000 + int(rating[2])
    assert 10 < int(rating[2]) < 40
    page.locator("#copy-days").click()
    expect(page.locator("#copied")).not_to_have_text("")
    page.locator("#month-back").click()
    day = page.locator("#days a.missed").last
    name = str(day.get_attribute("href")).partition("daily-")[2][:10]
    day.click()
    expect(page.locator("#title")).to_have_text(f"Daily {name} intermediate 16x16/40")


def test_a_review_plays_the_game_back_beside_the_best_one(page: Page) -> None:
    visit(page)
    for _ in range(2):
        click_on(row(page, "Beginner"))
        play(page)
    game = page.evaluate("JSON.parse(sessionStorage.getItem('sweep-game'))")
    visit(page, f"./?page=review&id={game}")
    expect(page.locator("#rival-name")).to_contain_text("Your best game of this kind")
    page.locator("#moment").fill("0")
    expect(page.locator("#board .open")).to_have_count(0)
    page.locator("#replay-speed").select_option("8")
    page.locator("#replay").click()
    # The game lasts as long as the engine needed to solve it.
    expect(page.locator("#moment-name")).to_have_text("the end")
    expect(page.locator("#replay")).to_have_attribute("aria-pressed", "false")
    assert page.locator("#own-share").evaluate("bar => bar.value") == 1
    page.locator("#first").click()
    assert page.locator("#own-share").evaluate("bar => bar.value") < 1


def test_practice_says_whether_a_cell_is_safe_and_why(page: Page) -> None:
    visit(page)
    page.locator("#new").click()
    page.locator("#modes label", has_text="Practice").click()
    page.locator("#tier").select_option("1 clue")
    page.locator("#start").click()
    expect(page.locator("#title")).to_have_text("Practice, 1 clue")
    script = """async () => {
      const { ask } = await (await import("./static/js/main.js")).$run("js/engine.js");
      const id = JSON.parse(sessionStorage.getItem("sweep-game"));
      const [, size, , ] = (await ask("puzzle", id)).split("-");
      const [rows, cols] = size.split("x").map(Number);
      const lines = Array.from({ length: rows }, (_, row) =>
        Array.from({ length: cols }, (_, col) => {
          const cell = document.querySelector(`[data-index="${row * cols + col}"]`);
          return cell.classList.contains("hidden-cell") ? "#" : cell.textContent || "0";
        }).join(""));
      const { safe, mines } = await ask("advise", "certain", { rows, cols, mines: 40, cells: lines }, {});
      return [safe, mines].map((cells) => cells.map(([row, col]) => row * cols + col));
    }"""
    safe, mines = page.evaluate(script)
    opened = page.locator("#board .open").count()
    for cell, answer, reason in ((mines[0], "No.", "mine"), (safe[0], "Right.", "safe")):
        page.locator(f"#board [data-index='{cell}']").click()
        expect(page.locator("#words")).to_contain_text(answer)
        expect(page.locator("#words")).to_contain_text(reason)
    # The cells stay closed, so that the position can be tried again.
    assert page.locator("#board .open").count() == opened
    expect(page.locator("#start-row").get_by_role("button", name="Continue")).to_be_hidden()
    page.get_by_role("button", name="Next position").click()
    expect(page.locator("#words")).to_contain_text("Which cell is certainly safe?")
    expect(page.locator("#title")).to_have_text("Practice, 1 clue")
    visit(page, "./?page=record")
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")


def test_the_record_leads_to_practice(page: Page) -> None:
    visit(page)
    click_on(row(page, "Beginner"))
    play(page)
    visit(page, "./?page=record")
    page.locator("#steps a").first.click()
    expect(page.locator("#title")).to_contain_text("Practice, ")
