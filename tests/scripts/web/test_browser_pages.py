"""The other pages in a browser: contents, accessibility, and width on phones."""

import base64
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from random import Random

from conftest import assist, begin, box_of, click_on, forgive, new_page, settle, visit
from looks import draw_board, position
from PIL import Image
from playwright.sync_api import Browser, Page, Request, Route, expect
from recordings import record

from minesweeper import HIDDEN, Board, Puzzle, Store
from minesweeper.scripts.web.puzzles import board_token

Check = Callable[[Page], None]
PATHS = ("/", "/watch", "/leaderboard", "/analyse", "/record")


def test_watching_goes_back_and_forth_runs_to_the_end_and_begins_the_same_board_again(page: Page) -> None:
    visit(page, "/watch")
    # A server may begin with another size.
    expect(page.locator("#preset")).to_have_value("expert")
    page.locator("#preset").select_option("beginner")
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "9")
    page.locator("#seed").fill("5")
    page.locator("#seed").press("Tab")
    expect(page.locator("#step")).to_be_enabled()
    words, hidden = page.locator("#words"), page.locator("#board .hidden-cell")
    step = page.get_by_role("button", name="Step", exact=True)
    expect(words).to_contain_text("ready to play")
    expect(page.get_by_role("button", name="One step back")).to_be_disabled()
    seen = []
    for _ in range(2):
        step.click()
        expect(words).not_to_contain_text("ready to play" if not seen else seen[0])
        seen.append(words.text_content() or "")
    assert "First click" in seen[0]
    left = hidden.count()
    page.keyboard.press("ArrowLeft")
    expect(words).to_have_text(seen[0])
    page.keyboard.press("ArrowRight")
    expect(words).to_have_text(seen[1])
    assert hidden.count() == left
    page.get_by_role("button", name="Same board").click()
    expect(hidden).to_have_count(81)
    step.click()
    expect(words).to_have_text(seen[0])
    page.locator("#speed").fill("20")
    page.get_by_role("button", name="Run").click()
    expect(words).to_contain_text("It ")
    expect(step).to_be_disabled()
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        panel = box_of(page.locator(".fields"))
        for button in page.locator(".fields button").all():
            box = box_of(button)
            assert panel["x"] <= box["x"]
            assert box["x"] + box["width"] <= panel["x"] + panel["width"] - 8


def test_a_plan_of_few_clicks_is_watched(page: Page) -> None:
    # The first click opens the left half.
    begin(page, mode="shared", token=board_token(Puzzle(Board.from_text("....*...."), (0, 0))))
    click_on(page.locator("#board [data-index='8']"))
    expect(page.locator("#ending-stats")).to_contain_text("Clicks of the shortest plan found2")
    page.get_by_role("link", name="Watch the plan").click()
    words, step = page.locator("#words"), page.get_by_role("button", name="Step", exact=True)
    expect(words).to_contain_text("Shortest plan is ready to play")
    step.click()
    expect(words).to_contain_text("1/2: A left click on")
    expect(page.locator("#board .hidden-cell")).to_have_count(5)
    step.click()
    expect(words).to_contain_text("It won.")
    page.locator("#preset").select_option("intermediate")
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "16")
    page.locator("#speed").fill("20")
    page.get_by_role("button", name="Run").click()
    expect(words).to_contain_text("It won.", timeout=60_000)


def test_a_server_adds_sizes_to_watch_and_may_begin_with_one(page: Page) -> None:
    def add(route: Route) -> None:
        offered = route.fetch().json()
        offered["sizes"].insert(0, {"name": "7x8/9", "rows": 7, "cols": 8, "mines": 9})
        route.fulfill(json=offered | {"begins_with": "7x8/9"})

    page.route("**/api/options", add)
    visit(page, "/watch")
    expect(page.locator("#preset")).to_have_value("7x8/9")
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "8")


def test_at_a_guess_the_player_shows_what_it_weighs_before_it_opens(own_page: Page) -> None:
    """The server plays strategies that are only in Python."""
    page = own_page
    page.add_init_script(
        """{
            const start = Worker;
            window.moves = [];
            window.Worker = class extends start {
                constructor(...options) {
                    super(...options);
                    this.addEventListener("message", ({ data }) => data.answer?.move && moves.push(data.answer.move));
                }
            };
        }"""
    )
    visit(page, "/watch")
    page.locator("#strategy").select_option("local")
    words, chosen = page.locator("#words"), page.locator("#board .asked")
    expect(words).to_contain_text("Local is ready to play")
    while "It will guess" not in words.inner_text():
        if page.locator("#step").is_disabled():
            page.get_by_role("button", name="New board").click()
            expect(words).to_contain_text("ready to play")
        hidden = page.locator("#board .hidden-cell").count()
        made = page.evaluate("moves.length")
        page.get_by_role("button", name="Step", exact=True).click()
        page.wait_for_function("made => moves.length > made", arg=made)
        move = page.evaluate("moves.at(-1)")
        expect(words).not_to_contain_text("ready to play")
        if move["reason"] == "guess":
            expect(words).to_contain_text("It will guess")
    row, col = move["cells"][0]
    expect(chosen).to_have_count(1)
    expect(chosen).to_have_attribute("data-index", str(30 * row + col))
    assert page.locator("#board .hidden-cell").count() == hidden
    uncertain = {
        30 * r + c: chance
        for r, line in enumerate(move["chances"])
        for c, chance in enumerate(line)
        if chance is not None and 0 < chance < 1
    }
    shown = page.locator("#board [data-index]:has(.chance)")
    told = shown.evaluate_all("cells => cells.map(cell => [Number(cell.dataset.index), cell.innerText])")
    assert {index for index, _ in told} == set(uncertain)
    for index, text in told:
        assert text in ("<1", ">99") or abs(float(text) - 100 * uncertain[index]) <= 0.5001
    expect(page.locator("#ratings li.chosen")).to_have_count(1)
    expect(words).to_contain_text(f"{100 * uncertain[30 * row + col]:.1f}".removesuffix(".0"))
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("#board .chance")).to_have_count(0)
    expect(page.locator(f"#board [data-index='{30 * row + col}']")).to_have_class(re.compile("open|exploded"))


def test_the_leaderboard_shows_the_games_of_the_database_and_a_column_of_forfeits_if_there_are_any(
    page: Page, check_accessibility: Check
) -> None:
    visit(page, "/leaderboard")
    expect(page.locator("svg.chart .bar")).to_have_count(2)
    champion, local = page.get_by_role("row").nth(1), page.get_by_role("row").nth(2)
    expect(champion).to_contain_text("champion")
    expect(champion).to_contain_text("80.00")
    expect(local).to_contain_text("50.00")

    row = {"games": 4, "wins": 1, "win_rate_percent": 25.0, "low": 4.6, "high": 69.9}
    row |= {"guesses_per_game": 1.0, "seconds_per_game": 0.01, "forfeits": 0}
    rows = [
        row | {"boards": "9x9/10", "strategy": "champion"},
        row | {"boards": "16x16/40", "strategy": "champion"},
        row | {"boards": "16x16/40", "strategy": "exec:node solver.js", "forfeits": 3},
    ]
    page.route("**/api/leaderboard", lambda route: route.fulfill(json={"rows": rows}))
    visit(page, "/leaderboard")
    expect(page.locator("table")).to_have_count(2)
    expect(page.locator("table").first.locator("th").last).to_have_text("ms a game")
    expect(page.locator("table").last.locator("th").last).to_have_text("Forfeits")
    expect(page.locator("table").last.locator("td:last-child")).to_have_text(["0", "3"])
    # axe-core also checks that the two tables have different names.
    check_accessibility(page)

    page.route("**/api/leaderboard", lambda route: route.fulfill(json={"rows": []}))
    visit(page, "/leaderboard")
    expect(page.locator("#boards")).to_contain_text("There are no results yet")


def drop(page: Page, name: str, data: bytes) -> None:
    script = """([name, bytes]) => {
        const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(bytes)], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, [name, list(data)])


def analyse(page: Page, position: str) -> None:
    page.get_by_label("Paste a position").fill(position)
    page.get_by_role("button", name="Analyse the text").click()


HOLD = """{
    const send = Worker.prototype.postMessage;
    window.held = [];
    Worker.prototype.postMessage = function (data) {
        if (data.name !== "NAME" && data.args?.[0] !== "NAME") return send.call(this, data);
        held.push(() => new Promise((processed) => {
            this.addEventListener("message", (event) => event.data.id === data.id && setTimeout(processed));
            send.call(this, data);
        }));
    };
}"""


def hold(page: Page, name: str) -> None:
    """Hold the calls of a name, and the questions of a name, to the worker of the next page until `release`."""
    page.add_init_script(HOLD.replace("NAME", name))


def release(page: Page, number: int) -> None:
    """Wait for a held call, make it, and wait until the page has processed the answer."""
    page.wait_for_function("number => held[number]", arg=number)
    page.evaluate("number => held[number]()", number)


def test_late_analyses_replace_neither_typed_text_nor_later_ones(own_page: Page) -> None:
    page = own_page
    hold(page, "analyse")
    page.goto("/analyse")
    page.wait_for_function("() => held[0]")
    typed = {"#rows": "3", "#cols": "4", "#mines": "5", "#text": "2x3/1\n"}
    for field, value in typed.items():
        page.locator(field).fill(value)
    release(page, 0)
    expect(page.locator("#board .is-mine").first).to_be_visible()
    for field, value in typed.items():
        expect(page.locator(field)).to_have_value(value)
    for number, text in enumerate(("1x7/3\n#1#####\n", "2x3/1\n###\n111\n"), start=1):
        analyse(page, text)
        page.wait_for_function("number => held[number]", arg=number)
    release(page, 2)
    release(page, 1)
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "3")


def test_watching_shows_the_board_of_the_last_choice(own_page: Page) -> None:
    hold(own_page, "newGame")
    own_page.goto("/watch")
    release(own_page, 0)
    for preset in ("intermediate", "beginner"):
        own_page.locator("#preset").select_option(preset)
    release(own_page, 2)
    release(own_page, 1)
    expect(own_page.locator("#board")).to_have_attribute("aria-colcount", "9")


def test_the_example_does_not_replace_text_that_was_typed_while_the_page_loaded(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/options", lambda route: held.append(route))
    with page.expect_request("**/api/options"):
        page.goto("/analyse")
    page.locator("#text").fill("2x3/1\n###\n111\n")
    held[0].continue_()
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Analyse the text").click()
    expect(page.locator("#board .is-mine")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("2x3/1\n###\n111\n")


def test_positions_are_pasted_and_drawn_and_analysed(page: Page, complaints: list[str]) -> None:
    visit(page, "/analyse")
    words, board = page.locator("#words"), page.locator("#board")
    # The example.
    expect(board.locator(".is-mine").first).to_be_visible()
    expect(page.locator("#steps li").first).to_be_visible()
    analyse(page, "1x3/1\n#2#\n")
    expect(page.locator("#words.lost")).to_be_visible()
    analyse(page, "2x3/1\n###\n111\n")
    expect(board.locator(".is-mine")).to_have_count(1)
    expect(board.locator(".is-safe")).to_have_count(2)
    # Where nothing is certain, the best guess is marked.
    analyse(page, "1x7/3\n#1#####\n")
    expect(words).to_contain_text("Layouts that fit: 12.")
    expect(words).to_contain_text("The best guess is row 0 column")
    expect(board.locator(".asked")).to_have_count(1)
    # An unavoidable guess is marked with its two layouts.
    analyse(page, "4x3/3\n#1#\n1#1\n#2#\n##1\n")
    expect(words).to_contain_text("No further clue can tell which of 6 cells hold the mines.")
    expect(board.locator(".chance.unavoidable")).to_have_count(6)
    expect(words.locator(".layouts [role=img]")).to_have_count(2)
    analyse(page, "hello")
    expect(words).to_have_text("This position cannot be read: 'hello'.")
    forgive(complaints, "422")
    page.locator("#rows").fill("1")
    page.locator("#cols").fill("2")
    page.locator("#mines").fill("1")
    page.get_by_role("button", name="Blank board").click()
    page.get_by_role("button", name="clue 1", exact=True).click()
    board.locator("[data-index='0']").click()
    expect(board.locator("[data-index='1']")).to_have_class("cell hidden-cell is-mine")


def test_a_cell_is_looked_at_supposed_and_played_on_from(page: Page, check_accessibility: Check) -> None:
    visit(page, "/analyse")
    analyse(page, "1x6/2\n#1##1#\n")
    board, about, ratings = page.locator("#board"), page.locator("#cell-words"), page.locator("#ratings li")
    expect(ratings.first).to_have_text("row 0, column 2: mine 50\u00a0%, progress 50\u00a0%, win 50\u00a0%")
    expect(page.locator("#words")).to_contain_text("The next one: with row 0 column 0, perfect play wins in 25.0 %")
    mine = page.get_by_role("button", name="If it is a mine")
    expect(mine).to_be_disabled()
    board.locator("[data-index='2']").click()
    expect(about).to_have_text("Row 0 column 2 is a mine in 2 of 4 layouts: 50 %.")
    mine.click()
    expect(about).to_contain_text("Suppose that row 0 column 2 is a mine. Layouts that fit: 2.")
    expect(board.locator(".sure-mine, .sure-safe")).to_have_count(2)
    check_accessibility(page)
    ratings.nth(1).get_by_role("button").click()
    expect(about).to_have_text(
        "Suppose that row 0 column 2 is a mine. Row 0 column 0 is a mine in 0 of 2 layouts: 0 %."
    )
    mine.click()
    expect(about).to_contain_text("That contradicts the clues.")
    board.locator("[data-index='2']").click()
    mine.click()
    expect(about).to_have_text("Row 0 column 2 is a mine in 2 of 4 layouts: 50 %.")
    expect(board.locator(".chance.best")).to_have_count(1)
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator("#title")).to_have_text("Position 1x6/2")
    expect(page.locator("#board .open")).to_have_text(["1", "1"])


def test_keys_draw_in_the_cell_under_the_mouse_and_go_on(page: Page) -> None:
    visit(page, "/analyse")
    analyse(page, "2x4/1\n####\n####\n")
    board = page.locator("#board")
    expect(board).to_have_attribute("aria-colcount", "4")
    board.locator("[data-index='0']").hover()
    page.keyboard.type("12 f-")
    expect(board.locator("[data-index='0']")).to_have_text("1")
    expect(board.locator("[data-index='1']")).to_have_text("2")
    expect(board.locator("[data-index='3']")).to_have_class(re.compile("flag"))
    expect(board.locator(".hole")).to_have_count(1)
    expect(page.locator("#grid")).to_have_value("")
    page.get_by_role("button", name="hidden cell").click()
    board.locator(".hole").click()
    expect(board.locator(".hole")).to_have_count(0)
    page.get_by_role("button", name="hole", exact=True).click()
    board.locator("[data-index='6']").click()
    expect(board.locator(".hole")).to_have_count(1)
    page.locator("#text").fill("3")
    page.keyboard.type("45")
    expect(page.locator("#text")).to_have_value("345")


def test_links_empty_texts_and_other_pictures_are_answered_in_words(page: Page) -> None:
    visit(page, "/analyse")
    words, board = page.locator("#words"), page.locator("#board")
    analyse(page, " ")
    expect(words).to_contain_text("There is no text yet")
    analyse(page, "https://example.org/sweep/?page=analyse#1x6/2/h1hh1h")
    expect(board).to_have_attribute("aria-colcount", "6")
    analyse(page, f"/share/{board_token(Puzzle(Board.from_text('..*.....*'), (0, 7)))}")
    expect(board).to_have_attribute("aria-colcount", "9")
    expect(board.locator(".open")).to_have_count(1)
    page.locator("#file").set_input_files({"name": "shot.heic", "mimeType": "", "buffer": b"heic"})
    expect(words).to_contain_text("save it as PNG or JPEG")


def test_a_picture_is_read_beside_it_and_never_sent(page: Page) -> None:
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    visit(page, "/analyse")
    words, board, picture = page.locator("#words"), page.locator("#board"), page.locator("#picture canvas")
    drawn = draw_board(Random(4), "classic", position(Random(4), "9x9/10", 0.6), 24)
    whole = {"name": "shot.png", "mimeType": "image/png", "buffer": in_png(drawn.image)}
    expect(picture).to_be_hidden()
    sent.clear()
    page.locator("#file").set_input_files(whole)
    expect(picture).to_be_visible()
    expect(board).to_have_attribute("aria-colcount", "9")
    expect(board.locator(".hidden-cell")).to_have_count(int((drawn.shown.cells == HIDDEN).sum()))
    expect(page.locator("#mines")).to_have_value("10")
    expect(words).not_to_contain_text("doubtful")
    # Part of a board: each cell is doubtful until it is drawn.
    whole_board = draw_board(Random(4), "classic", position(Random(4), "16x16/40", 0.6), 24)
    left, top, pitch = whole_board.box
    part = whole_board.image.crop((0, 0, int(left + 10 * pitch), int(top + 20 * pitch)))
    page.evaluate(PASTE, base64.b64encode(in_png(part)).decode())
    expect(words).to_contain_text(f"{9 * 16} cells are doubtful")
    expect(board.locator(".doubtful")).to_have_count(9 * 16)
    page.get_by_role("button", name="clue 1", exact=True).click()
    board.locator(".doubtful").first.click()
    expect(words).to_contain_text(f"{9 * 16 - 1} cells are doubtful")
    page.locator("#file").set_input_files(whole | {"buffer": in_png(drawn.image.crop((0, 0, 9, 9)))})
    expect(words).to_contain_text("No board was found")
    page.locator("#file").set_input_files(whole | {"buffer": b"no picture"})
    expect(words).to_contain_text("is no picture")
    # The part of the kernel that reads pictures comes with the first one.
    assert {(one.method, one.url.rpartition("/")[2]) for one in sent} == {("GET", "more.wasm.gzip")}


def in_png(image: Image.Image) -> bytes:
    data = BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


PASTE = """text => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "shot.png", { type: "image/png" }));
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""


def test_a_game_is_analysed_step_by_step_and_its_position_survives_a_reload(
    page: Page, check_accessibility: Check
) -> None:
    begin(page, mode="no-guess", preset="beginner", seed=4)
    click_on(page.locator("#board [data-index='0']"), button="right")
    assist(page, "Analyse")
    expect(page.locator("#step-name")).to_contain_text("steps")
    expect(page.locator("#board [data-index='0']")).to_have_class(re.compile("flag"))
    page.get_by_role("button", name="One step on").click()
    page.get_by_role("button", name="One step on").click()
    expect(page.locator("#step-name")).to_contain_text("step 2 of")
    expect(page.locator("#board .settled").first).to_be_visible()
    expect(page.locator("#steps [aria-current=step]")).to_have_count(1)
    check_accessibility(page)
    page.reload()
    expect(page.locator("#board [data-index='0']")).to_have_class(re.compile("flag"))
    expect(page.locator("#board .is-safe").first).to_be_visible()


def test_a_dropped_file_is_read_mines_are_drawn_and_all_is_saved(page: Page) -> None:
    visit(page, "/analyse")
    # A board of 2 rows and 6 columns, with a mine in the second column.
    drop(page, "one.mbf", bytes([6, 2, 0, 1, 1, 0]))
    board = page.locator("#board")
    expect(board).to_have_attribute("aria-colcount", "6")
    page.get_by_role("button", name="mine", exact=True).click()
    page.locator("#board [data-index='0']").click()
    page.get_by_role("button", name="clue 0", exact=True).click()
    page.locator("#board [data-index='1']").click()
    page.get_by_role("button", name="Count the mines").click()
    expect(page.locator("#board [data-index='1']")).to_have_class(re.compile("n1"))
    page.locator("#format").select_option("mbf")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    assert download.value.path().read_bytes() == bytes([6, 2, 0, 1, 0, 0])
    assert download.value.suggested_filename == "position.mbf"


def test_early_guesses_of_a_recording_are_compared_by_estimates(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    rows = [
        ".*.......",
        "*.......*",
        ".........",
        "....*....",
        "..*......",
        ".......*.",
        "*........",
        "....*....",
        ".*....*..",
    ]
    record(path, Board.from_text("\n".join(rows)), [(0, 0), (4, 4), (0, 1)])
    visit(page, "/analyse")
    drop(page, "early.evf", path.read_bytes())
    words = page.locator("#words")
    expect(words).to_contain_text("Forced guess")
    expect(words).to_contain_text(re.compile(r"By estimate, the best guess was \d+\.\d% better\."))
    expect(words).not_to_contain_text("chance to win")


def test_a_dropped_recording_opens_its_review_and_a_broken_one_is_one_line(
    page: Page, complaints: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.evf"
    record(path, Board.from_text("...*....*."), [(0, 0), (0, 6), (0, 3)])
    visit(page, "/analyse")
    drop(page, "of a friend.EVF", path.read_bytes())
    expect(page.locator("#title")).to_have_text("of a friend.EVF, lost")
    expect(page.locator("#moment-name")).to_have_text("click 2 of 3")
    expect(page.locator("#words")).to_contain_text("Forced guess")
    expect(page.locator("#words")).to_contain_text("The chance to win was")
    expect(page.locator("#stats")).to_contain_text("Win chance lost by guesses")
    expect(page.locator("#guesses li")).to_have_count(2)
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("#board .is-mine")).to_have_count(1)
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Paste a position")).to_be_visible()
    drop(page, "broken.avf", b"nonsense")
    expect(page.locator("#words")).to_have_text("'broken.avf' is broken: expected a complete avf file.")
    expect(page.get_by_label("Paste a position")).to_be_visible()
    forgive(complaints, "422")


def test_no_page_has_an_accessibility_fault(page: Page, check_accessibility: Check) -> None:
    for path in PATHS:
        visit(page, path)
        check_accessibility(page)


def test_no_state_of_a_game_has_an_accessibility_fault(page: Page, check_accessibility: Check) -> None:
    begin(page, mode="kaboom", preset="intermediate", seed=7)
    click_on(page.locator("#board [data-index='136']"))
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#board .zone").first).to_be_visible()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#board .why").first).to_be_visible()
    assist(page, "Verdicts")
    expect(page.locator("#board .refused").first).to_be_visible()
    assist(page, "Chances")
    expect(page.locator("#board .chance").first).to_be_visible()
    check_accessibility(page)
    assist(page, "Verdicts")
    assist(page, "Chances")
    expect(page.locator("#board .chance")).to_have_count(0)
    assist(page, "Cheat")
    settle(page)
    expect(page.locator(".layouts").first).to_be_visible()
    check_accessibility(page)
    flagged = page.locator("#board .flag").first
    mine = page.locator(f"#board [data-index='{flagged.get_attribute('data-index')}']")
    mine.click(button="right")
    mine.click()
    expect(page.locator("#board .exploded")).to_have_count(1)
    expect(page.locator("#words")).to_contain_text(re.compile("is a mine|are mines"))
    check_accessibility(page)


def test_the_settings_and_the_dialog_have_no_accessibility_fault(page: Page, check_accessibility: Check) -> None:
    visit(page, "/")
    page.locator("#settings summary").click()
    expect(page.get_by_label("Question marks")).to_be_visible()
    check_accessibility(page)
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Kaboom").check()
    check_accessibility(page)


def test_the_grid_tells_cells_and_keeps_one_tab_stop(page: Page) -> None:
    begin(page, mode="kaboom", preset="expert")
    grid = page.get_by_role("grid")
    assert grid.get_by_role("row").count() == 16
    assert page.locator("#board [tabindex='0']").count() == 1
    page.get_by_role("link", name="Skip to the game").press("Enter")
    for _ in page.locator("#start-row button:visible").all():
        page.keyboard.press("Tab")
        expect(page.locator("#start-row :focus")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.locator("#board [tabindex='0']")).to_be_focused()
    expect(page.locator("#board [data-index='31']")).to_have_attribute("aria-label", "row 1, column 1: hidden")


def test_nothing_overflows_a_narrow_phone(phone: Page) -> None:
    wide = "found => found.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    for path in PATHS:
        visit(phone, path)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path
        if path == "/":
            phone.get_by_role("button", name="New game").tap()
        assert phone.locator("button:visible, .button:visible, .choice:visible").evaluate_all(wide) == [], path


def test_the_theme_follows_the_system_until_it_is_switched(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, "/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Switch to the light theme").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_a_click_repaints_only_the_cells_that_change(page: Page) -> None:
    begin(page, mode="classic", preset="expert", seed=1)
    click_on(page.locator("#board [data-index='255']"))
    page.evaluate(
        """() => {
            window.touched = new Set();
            new MutationObserver(changes => {
                for (const { target } of changes) window.touched.add(target.closest("[data-index]").dataset.index);
            }).observe(document.querySelector("#board"), {attributes: true, childList: true, subtree: true,
                attributeFilter: ["aria-label"]});
        }"""
    )
    hidden = page.locator("#board .hidden-cell").first
    click_on(hidden, button="right")
    assert page.evaluate("[...window.touched]") == [hidden.get_attribute("data-index")]


def test_a_game_ends_on_a_card_is_reviewed_and_found_in_the_record(page: Page, check_accessibility: Check) -> None:
    begin(page, mode="no-guess", preset="beginner", seed=4)
    assist(page, "Cheat")
    expect(page.locator("#ending")).to_contain_text("Won with help")
    check_accessibility(page)
    page.get_by_role("link", name="Review").click()
    expect(page.locator("#moment-name")).to_contain_text("click 1 of")
    check_accessibility(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#words")).to_contain_text("opened for you")
    page.get_by_role("link", name="Record").click()
    expect(page.locator("#tiles")).to_contain_text("games in all")
    expect(page.locator("#games tbody tr")).to_have_count(1)
    # Times are those of the player.
    ended = " ".join(page.locator("#games tbody td").first.inner_text().split())
    now = datetime.now(timezone(timedelta(hours=5, minutes=30))).replace(tzinfo=None)
    assert abs(now - datetime.strptime(ended, "%b %d, %Y, %I:%M %p")) < timedelta(minutes=10)
    assert page.locator("#games tbody td").nth(4).inner_text() == "–"
    expect(page.locator("svg.chart")).to_have_count(2)
    check_accessibility(page)


def test_the_server_keeps_games_for_another_browser_of_the_player_until_they_are_deleted(
    page: Page, browser: Browser, database: Path, address: str, complaints: list[str]
) -> None:
    board = Board.from_text("....*.....")
    begin(page, mode="shared", token=board_token(Puzzle(board, (0, 0))))
    click_on(page.locator("#board [data-index='5']"))
    page.locator("#board [data-index='9']").click()
    expect(page.locator("#ending")).to_contain_text("Won in")
    page.get_by_role("link", name="Record").click()
    expect(page.locator("#games tbody tr")).to_have_count(1)
    with Store(database) as store:
        (game,) = (one for one in store.people.games() if one.board == board)
    assert (game.won, game.mode, game.clicks) == (True, "shared", 2)

    other = browser.new_context(base_url=address, storage_state={"cookies": page.context.cookies()})
    elsewhere = new_page(other, complaints)
    visit(elsewhere, "/record")
    expect(elsewhere.locator("#games tbody tr")).to_contain_text("Shared 1x10/1")
    elsewhere.locator("#games").get_by_role("link").click()
    expect(elsewhere.locator("#title")).to_have_text("Shared 1x10/1, won")
    other.close()

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete all").click()
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")
    visit(page, "/record")
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")
    with Store(database) as store:
        assert not [one for one in store.people.games() if one.board == board]


def test_markup_in_names_stays_text(page: Page) -> None:
    markup = "<img src=x onerror=alert(1)><b>bold</b>"
    entry = {"id": "one", "kind": "classic 1x9/1", "mode": "classic", "title": markup, "won": False, "seconds": 1}
    games = {"games": [entry | {"ended": "2026-01-01 00:00:00", "clicks": 1, "unranked": ""}]}
    visit(page, "/record")
    page.locator("#import").set_input_files(
        {"name": "record.json", "mimeType": "application/json", "buffer": json.dumps(games).encode()}
    )
    expect(page.locator("#games")).to_contain_text(markup)
    row = {"boards": "9x9/10", "strategy": markup, "games": 4, "wins": 1, "win_rate_percent": 25.0, "low": 4.6}
    row |= {"high": 69.9, "guesses_per_game": 1.0, "seconds_per_game": 0.01, "forfeits": 0}
    page.route("**/api/leaderboard", lambda route: route.fulfill(json={"rows": [row]}))
    visit(page, "/leaderboard")
    expect(page.locator("#boards table")).to_contain_text(markup)
    expect(page.locator("#main img, #main table b")).to_have_count(0)


def test_a_lost_game_shows_its_mines_and_is_reviewed(phone: Page) -> None:
    begin(phone, mode="kaboom", preset="expert", seed=7)
    phone.locator("#board [data-index='255']").tap()
    settle(phone)
    assist(phone, "Cheat")
    settle(phone)
    mine = phone.locator(f"#board [data-index='{phone.locator('#board .flag').first.get_attribute('data-index')}']")
    phone.get_by_role("button", name="Flag mode").tap()
    mine.tap()
    phone.get_by_role("button", name="Flag mode").tap()
    mine.tap()
    expect(phone.locator("#ending")).to_contain_text("Lost after")
    expect(phone.locator("#ending")).to_be_in_viewport(ratio=1)
    card, fatal, words = (phone.locator(one).bounding_box() for one in ("#ending", "#board .exploded", "#words"))
    assert card is not None
    for other in (fatal, words):
        assert other is not None
        assert other["y"] + other["height"] <= card["y"] or card["y"] + card["height"] <= other["y"]
    # A finger may be on its way to a link when the statistics come.
    statistics, review = phone.locator("#ending-stats"), phone.get_by_role("link", name="Review")
    expect(statistics).to_contain_text("Mistakes")
    place = box_of(review)
    statistics.evaluate("list => list.replaceChildren()")
    assert box_of(review) == place
    review.tap()
    expect(phone.locator("#words")).to_contain_text("It was a mine")
