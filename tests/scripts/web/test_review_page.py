"""A review as one HTML file: it works with keys and without a network, and is accessible."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect
from recordings import record

from minesweeper.player import Board, read_recording, review_recording
from minesweeper.scripts.web.files import review_page, write_page

# A needless guess, a certain cell, a known mine: see tests/player/test_recorded_games.py.
NEEDLESS = "..........\n..*.......\n..........\n.*......*."


def review_of(path: Path, board: str, clicks: list[tuple[int, int]]) -> dict[str, object]:
    record(path, Board.from_text(board), clicks)
    return review_recording(read_recording(path)).to_json()


def test_a_review_is_stepped_through_from_a_file_alone(
    browser: Browser, check_accessibility: Callable[[Page], None], tmp_path: Path, complaints: list[str]
) -> None:
    review = review_of(tmp_path / "game.evf", NEEDLESS, [(0, 0), (3, 3), (3, 0), (1, 2)])
    write_page(review, tmp_path / "game.html")
    context = browser.new_context(viewport={"width": 360, "height": 740}, reduced_motion="reduce", offline=True)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: re.match("file:|data:", asked.url) or complaints.append(asked.url))
    page.goto((tmp_path / "game.html").as_uri())
    words = page.locator("#words")
    # The first click that was not certain is shown first.
    expect(words).to_contain_text("Needless guess: row 3, column 3")
    expect(words).to_contain_text("A safe cell could be deduced: row 2 column 2 is safe")
    expect(page.locator("#board .why").first).to_be_visible()
    for key, name in (
        ("ArrowLeft", "click 1 of"),
        ("End", "the end"),
        ("ArrowUp", "click 4 of"),
        ("Home", "click 1 of"),
    ):
        page.keyboard.press(key)
        expect(page.locator("#moment-name")).to_contain_text(name)
        check_accessibility(page)
    page.keyboard.press("End")
    expect(page.locator("#board .exploded")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_no_text_of_a_recording_gets_out_of_its_place(tmp_path: Path) -> None:
    review = review_of(tmp_path / "game.evf", "...*....*.", [(0, 0), (0, 6)])
    page = review_page(review | {"player": "</script><script>alert(1)</script>"})
    assert "alert(1)</script>" not in page
    held = re.search(r'id="review">(.*?)</script>', page)
    assert held is not None
    assert json.loads(held[1])["player"] == "</script><script>alert(1)</script>"


def test_what_a_review_page_needs_is_in_it(tmp_path: Path) -> None:
    page = review_page(review_of(tmp_path / "game.evf", "...*....*.", [(0, 0), (0, 6)]))
    assert not re.search(r'(src|href)="(?!data:)|url\(["\']?(?!data:|"data:)|@import', page)
