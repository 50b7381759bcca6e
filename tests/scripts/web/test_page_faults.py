"""The page in the browser, as a folder of static files: faults that players met."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import PHONE, assist, box_of, open_tab, serving, settle
from playwright.sync_api import Browser, Page, expect

from minesweeper.scripts.dev.page import ask
from minesweeper.scripts.web.settings import Settings

EXPERT = {"mode": "no-guess", "preset": "expert", "seed": 7}
MEASURE = """() => Object.fromEntries(["#words", "#more-words", "#board", "#title", "#ending"].map(name => {
    const { left, right, top, bottom } = document.querySelector(name).getBoundingClientRect();
    return [name.slice(1), { left, right, top, bottom }];
}))"""


@pytest.fixture
def laptop(local_page: Page) -> Page:
    return local_page


@pytest.fixture
def phone(browser: Browser, place: str, complaints: list[str]) -> Iterator[Page]:
    yield from open_tab(browser, complaints, base_url=place, **PHONE | {"viewport": {"width": 360, "height": 640}})


def begin(page: Page, **request: Any) -> Any:
    """Start a game by a request, and return it."""
    page.goto("")
    page.wait_for_selector("[data-index]")
    game = ask(page, "newGame", request)
    page.evaluate("id => sessionStorage.setItem('sweep-game', id)", json.dumps(game["id"]))
    page.reload()
    expect(page.locator("#board.live")).to_be_visible()
    settle(page)
    return game


def advice(page: Page, question: str, game: Any) -> Any:
    return ask(page, "advise", question, game)


def cell(page: Page, game: Any, place: list[int]) -> Any:
    return page.locator(f"[data-index='{place[0] * game['cols'] + place[1]}']")


def lose(page: Page, game: Any) -> None:
    """Open a cell that is certain to be a mine."""
    cell(page, game, advice(page, "certain", game)["mines"][0]).click()
    expect(page.locator("#ending")).to_be_visible()
    expect(page.locator("#ending-stats div")).not_to_have_count(0)


def show_hint(phone: Page) -> None:
    """Tap Hint once: it took three taps."""
    phone.locator("#hint").tap()
    expect(phone.locator("#words")).to_contain_text("safe: ")


def test_the_hint_button_leads_to_a_safe_cell_and_stays_there(laptop: Page) -> None:
    begin(laptop, **EXPERT)
    words = laptop.locator("#words")
    laptop.locator("#hint").click()
    expect(words).to_contain_text("Look around row")
    laptop.locator("#hint").click()
    expect(words).to_contain_text("It follows from")
    for _ in range(2):
        laptop.locator("#hint").click()
        expect(words).to_contain_text(re.compile(r"^Row \d+ column \d+.* safe: "))
        expect(laptop.locator("#board .is-safe")).not_to_have_count(0)


def test_on_a_turned_board_the_words_count_as_the_rulers_do(phone: Page) -> None:
    begin(phone, **EXPERT)
    show_hint(phone)
    expect(phone.locator("#board .is-safe")).not_to_have_count(0)
    row, column = phone.evaluate("""() => {
        const cell = document.querySelector("#board .is-safe").getBoundingClientRect();
        const numbers = [...document.querySelectorAll("#board .ruler span")].map(span => {
            const { left, right, top, bottom } = span.getBoundingClientRect();
            return { text: span.textContent, x: (left + right) / 2, y: (top + bottom) / 2 };
        });
        const near = (name, middle) =>
            numbers.find(number => Math.abs(number[name] - middle) < 3 && number.x !== number.y)?.text;
        return [near("y", (cell.top + cell.bottom) / 2), near("x", (cell.left + cell.right) / 2)];
    }""")
    expect(phone.locator("#words")).to_contain_text(f"ow {row} column {column}")
    expect(phone.locator("#board .is-safe").first).to_have_attribute(
        "aria-label", re.compile(f"^row {row}, column {column}:")
    )
    phone.set_viewport_size({"width": 740, "height": 360})
    expect(phone.locator("body")).not_to_have_class(re.compile("turned"))
    expect(phone.locator("#words")).to_contain_text(f"ow {column} column {row}")
    expect(phone.locator("#board .is-safe").first).to_have_attribute(
        "aria-label", re.compile(f"^row {column}, column {row}:")
    )


def test_on_a_phone_nothing_covers_the_message_and_the_frame_goes_around_the_board(phone: Page) -> None:
    begin(phone, **EXPERT)
    show_hint(phone)
    expect(phone.locator("#more-words")).to_be_visible()
    at = phone.evaluate(MEASURE)
    assert at["words"]["right"] <= at["more-words"]["left"]
    last = box_of(phone.locator("[data-index='479']"))
    assert at["board"]["bottom"] >= last["y"] + last["height"]


def test_on_a_phone_chances_have_numbers(phone: Page) -> None:
    begin(phone, **EXPERT)
    assist(phone, "Chances")
    chance = phone.locator("#board .chance:not(.sure-safe, .sure-mine)").first
    expect(chance).not_to_have_css("font-size", "0px")
    size = box_of(phone.locator("[data-index='0']"))
    assert size["width"] >= 22


def test_the_explanations_on_a_phone_speak_of_taps(phone: Page) -> None:
    begin(phone, **EXPERT)
    phone.locator("#settings summary").click()
    phone.locator("#settings").get_by_role("button").click()
    for place in ("#help", "#settings"):
        expect(phone.locator(place)).not_to_contain_text(
            re.compile("right click|mouse", re.IGNORECASE), use_inner_text=True
        )
        expect(phone.locator(place)).to_contain_text("long press", use_inner_text=True)


def test_after_a_loss_on_a_phone_the_statistics_and_the_result_are_there(phone: Page) -> None:
    lose(phone, begin(phone, **EXPERT))
    expect(phone.locator("#ending-stats")).to_be_visible()
    expect(phone.locator("#ending-share")).to_be_visible()


def test_a_click_on_a_certain_mine_is_a_mistake_and_no_bad_luck(laptop: Page) -> None:
    lose(laptop, begin(laptop, **EXPERT))
    expect(laptop.locator("#ending-stats")).to_contain_text("Mistakes1")
    expect(laptop.locator("#ending-stats")).not_to_contain_text("Luck")


def test_with_the_assistant_open_its_answers_are_in_the_window(laptop: Page) -> None:
    begin(laptop, **EXPERT)
    for width, height in ((1280, 720), (1366, 768)):
        laptop.set_viewport_size({"width": width, "height": height})
        assist(laptop, "May I guess?")
        expect(laptop.locator("#words")).to_have_text(re.compile("certain to be safe"))
        expect(laptop.locator("#words p")).to_be_in_viewport(ratio=1)


def test_a_long_title_is_not_cut(laptop: Page) -> None:
    begin(laptop, mode="no-guess", preset="beginner", difficulty="easy", tier="1 clue")
    expect(laptop.locator("#title")).to_have_text("No-guess beginner 9x9/10, easy, hardest step: 1 clue")
    cut = "title => title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight + 1"
    assert not laptop.locator("#title").evaluate(cut)


def test_a_search_shows_its_progress_and_can_be_cancelled(laptop: Page) -> None:
    game = begin(laptop, **EXPERT)
    laptop.locator("#new").click()
    laptop.locator("#sizes [value=custom]").check()
    for name, value in {"rows": 9, "cols": 9, "mines": 10}.items():
        laptop.locator(f"#{name}").fill(f"{value}")
    # No board has both.
    laptop.locator("#difficulty").select_option("easy")
    laptop.locator("#tier").select_option("mine count")
    laptop.locator("#start").click()
    expect(laptop.locator("#searching")).to_contain_text("Searching for a board")
    laptop.locator("#cancel").click()
    expect(laptop.locator("#new-game")).to_be_hidden()
    safe = cell(laptop, game, advice(laptop, "certain", game)["safe"][0])
    safe.click()
    # The search would go on for 20 seconds.
    expect(safe).to_have_class(re.compile("open"), timeout=10_000)


def test_a_watched_player_says_why(laptop: Page) -> None:
    laptop.goto("?page=watch")
    expect(laptop.locator("#words")).to_contain_text("ready to play")
    laptop.locator("#seed").fill("5")
    laptop.locator("#seed").press("Tab")
    laptop.locator("#step").click()
    expect(laptop.locator("#words")).to_contain_text("First click")
    laptop.locator("#step").click()
    expect(laptop.locator("#words")).to_contain_text(re.compile("(safe|mines?): the clue"))


def test_the_tab_of_the_leaderboard_is_hidden_without_results(browser: Browser, pack: Path) -> None:
    for database, is_shown in ((None, False), (pack, True)):
        with serving(Settings(database=database)) as port:
            context = browser.new_context(base_url=f"http://127.0.0.1:{port}", service_workers="block")
            page = context.new_page()
            page.goto("/")
            expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
            expect(page.get_by_role("link", name="Leaderboard")).to_be_visible(visible=is_shown)
            context.close()


def test_a_board_of_the_largest_size_is_drawn_and_opened(laptop: Page) -> None:
    begin(laptop, mode="classic", rows=100, cols=100, mines=1500, seed=1)
    expect(laptop.locator("#board [data-index]")).to_have_count(10_000)
    laptop.locator("[data-index='5050']").click()
    expect(laptop.locator("[data-index='5050']")).to_have_class(re.compile("open"))
    laptop.locator("[data-zoom=in]").click()
    expect(laptop.locator("[data-index='5050']")).to_be_in_viewport()
