"""The other pages in a browser: contents, accessibility, and width on phones."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import assist, begin, forgive, serving, settle, visit
from playwright.sync_api import Page, expect
from recordings import record

from minesweeper.player.board import Board
from minesweeper.player.recipe import Preset, standard_presets
from minesweeper.scripts.web.settings import Settings

Check = Callable[[Page], None]
PATHS = ("/", "/watch", "/leaderboard", "/analyse", "/record")


def test_watching_steps_and_runs_to_the_end(page: Page) -> None:
    visit(page, "/watch")
    page.locator("#preset").select_option("beginner")
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "9")
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("#words")).to_contain_text("First click")
    expect(page.locator("#board .hidden-cell")).not_to_have_count(81)
    page.locator("#speed").fill("20")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#words")).to_contain_text("It ")
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()


def test_watching_goes_back_and_forth_and_begins_the_same_board_again(page: Page) -> None:
    visit(page, "/watch")
    page.locator("#seed").fill("5")
    page.locator("#seed").press("Tab")
    expect(page.locator("#step")).to_be_enabled()
    words, hidden = page.locator("#words"), page.locator("#board .hidden-cell")
    expect(words).to_contain_text("ready to play")
    expect(page.get_by_role("button", name="One step back")).to_be_disabled()
    seen = []
    for _ in range(2):
        page.get_by_role("button", name="Step", exact=True).click()
        expect(words).not_to_contain_text("ready to play" if not seen else seen[0])
        seen.append(words.inner_text())
    left = hidden.count()
    page.keyboard.press("ArrowLeft")
    expect(words).to_have_text(seen[0])
    page.keyboard.press("ArrowRight")
    expect(words).to_have_text(seen[1])
    assert hidden.count() == left
    page.get_by_role("button", name="Same board").click()
    expect(hidden).to_have_count(480)
    page.get_by_role("button", name="Step", exact=True).click()
    expect(words).to_have_text(seen[0])


def test_at_a_guess_the_player_shows_what_it_weighs_before_it_opens(page: Page) -> None:
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


def test_an_empty_leaderboard_says_how_to_fill_it(page: Page) -> None:
    page.route("**/api/leaderboard", lambda route: route.fulfill(json={"rows": []}))
    visit(page, "/leaderboard")
    expect(page.locator("#boards")).to_contain_text("No games are stored yet")


def test_the_leaderboard_has_a_column_of_forfeits_where_there_are_any(page: Page, check_accessibility: Check) -> None:
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


def test_the_leaderboard_shows_the_games_of_the_database(page: Page) -> None:
    visit(page, "/leaderboard")
    expect(page.locator("svg.chart .bar")).to_have_count(2)
    champion, local = page.get_by_role("row").nth(1), page.get_by_role("row").nth(2)
    expect(champion).to_contain_text("champion")
    expect(champion).to_contain_text("80.00")
    expect(local).to_contain_text("50.00")


def drop(page: Page, name: str, data: bytes) -> None:
    script = """([name, bytes]) => {
        const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(bytes)], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, [name, list(data)])


def paste(page: Page, position: str) -> None:
    """Analyse a position as text."""
    visit(page, "/analyse")
    page.get_by_label("Paste a position").fill(position)
    page.get_by_role("button", name="Analyse the text").click()


def test_a_pasted_position_is_analysed(page: Page) -> None:
    paste(page, "1x3/1\n#2#\n")
    expect(page.locator("#words.lost")).to_be_visible()
    paste(page, "2x3/1\n###\n111\n")
    expect(page.locator("#board .is-mine")).to_have_count(1)
    expect(page.locator("#board .is-safe")).to_have_count(2)


GATES = """{
    const step = () => Promise.withResolvers();
    const gates = Array.from({ length: 3 }, () => ({ made: step(), open: step(), answered: step() }));
    let made = 0;
    const pass = async () => {
        const gate = gates[made++];
        gate.made.resolve();
        await gate.open.promise;
        return gate.answered;
    };
    window.requested = (number) => gates[number].made.promise;
    window.release = async (number) => {
        await gates[number].made.promise;
        gates[number].open.resolve();
        await gates[number].answered.promise;
    };
    HOLD
}"""


def hold(page: Page, path: str) -> None:
    """Hold the requests of the next page until `release`. A route would not see those of a service worker."""
    hook = """
    const send = window.fetch;
    window.fetch = async (path, ...rest) => {
        if (path !== "PATH") return send(path, ...rest);
        const answered = await pass();
        const answer = await send(path, ...rest);
        answer.clone().text().then(answered.resolve);
        return answer;
    };"""
    page.add_init_script(GATES.replace("HOLD", hook.replace("PATH", path)))


def hold_engine(page: Page, name: str) -> None:
    """Hold the questions of a name, or calls of a path, to the worker of the next page until `release`."""
    hook = """
    const send = Worker.prototype.postMessage;
    Worker.prototype.postMessage = async function (data) {
        if (data.question !== "NAME" && data.path !== "NAME") return send.call(this, data);
        const answered = await pass();
        this.addEventListener("message", (event) => event.data.id === data.id && answered.resolve());
        return send.call(this, data);
    };"""
    page.add_init_script(GATES.replace("HOLD", hook.replace("NAME", name)))


def release(page: Page, number: int) -> None:
    """Wait for a held request, send it, and wait until the page has processed the answer."""
    page.evaluate("number => release(number)", number)
    page.evaluate("() => fetch('/api/options?').then((answer) => answer.text())")


def test_a_late_answer_never_overwrites_typed_text(page: Page) -> None:
    hold_engine(page, "analyse")
    page.goto("/analyse")
    page.evaluate("() => requested(0)")
    typed = {"#rows": "3", "#cols": "4", "#mines": "5", "#text": "2x3/1\n"}
    for field, value in typed.items():
        page.locator(field).fill(value)
    release(page, 0)
    expect(page.locator("#board .is-mine").first).to_be_visible()
    for field, value in typed.items():
        expect(page.locator(field)).to_have_value(value)


def test_the_example_does_not_replace_text_that_was_typed_while_the_page_loaded(page: Page) -> None:
    hold(page, "/api/options")
    page.goto("/analyse")
    page.locator("#text").fill("2x3/1\n###\n111\n")
    release(page, 0)
    expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Analyse the text").click()
    expect(page.locator("#board .is-mine")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("2x3/1\n###\n111\n")


def test_the_answer_about_an_earlier_text_does_not_replace_the_last(page: Page) -> None:
    hold_engine(page, "analyse")
    page.goto("/analyse")
    release(page, 0)
    for text in ("1x7/3\n#1#####\n", "2x3/1\n###\n111\n"):
        page.get_by_label("Paste a position").fill(text)
        page.get_by_role("button", name="Analyse the text").click()
    release(page, 2)
    release(page, 1)
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "3")


def test_watching_shows_the_board_of_the_last_choice(page: Page) -> None:
    hold_engine(page, "/api/games")
    page.goto("/watch")
    release(page, 0)
    for preset in ("intermediate", "beginner"):
        page.locator("#preset").select_option(preset)
    release(page, 2)
    release(page, 1)
    expect(page.locator("#board")).to_have_attribute("aria-colcount", "9")


def test_a_text_that_is_no_position_gets_a_short_error(page: Page, complaints: list[str]) -> None:
    paste(page, "hello")
    words = "Unknown format of a position: 'hello'; expected ROWSxCOLS/MINES, then the rows."
    expect(page.locator("#words")).to_have_text(words)
    forgive(complaints, "422")


def test_the_example_can_be_analysed(page: Page) -> None:
    visit(page, "/analyse")
    expect(page.locator("#board .is-mine").first).to_be_visible()
    expect(page.locator("#steps li").first).to_be_visible()


def test_where_nothing_is_certain_the_best_guess_is_marked(page: Page) -> None:
    paste(page, "1x7/3\n#1#####\n")
    expect(page.locator("#words")).to_contain_text("Layouts that fit: 12.")
    expect(page.locator("#words")).to_contain_text("The best guess is row 0 column")
    expect(page.locator("#board .asked")).to_have_count(1)


def test_an_unavoidable_guess_is_marked_with_its_two_layouts(page: Page) -> None:
    paste(page, "4x3/3\n#1#\n1#1\n#2#\n##1\n")
    expect(page.locator("#words")).to_contain_text(
        "No further clue can tell which of 6 cells hold the mines: guess early."
    )
    expect(page.locator("#board .chance.unavoidable")).to_have_count(6)
    expect(page.locator("#words .layouts [role=img]")).to_have_count(2)


def test_a_position_is_drawn_with_the_brush(page: Page) -> None:
    visit(page, "/analyse")
    page.locator("#rows").fill("1")
    page.locator("#cols").fill("2")
    page.locator("#mines").fill("1")
    page.get_by_role("button", name="Blank board").click()
    page.get_by_role("button", name="clue 1", exact=True).click()
    page.locator("#board [data-index='0']").click()
    expect(page.locator("#board [data-index='1']")).to_have_class("cell hidden-cell is-mine")


def test_a_game_is_analysed_step_by_step_and_its_position_survives_a_reload(
    page: Page, check_accessibility: Check
) -> None:
    begin(page, {"mode": "no-guess", "preset": "beginner", "seed": 4})
    page.locator("#board [data-index='0']").click(button="right")
    settle(page)
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


def test_a_dropped_recording_opens_its_review(page: Page, tmp_path: Path) -> None:
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


def test_a_broken_recording_is_one_line_and_the_page_stays(page: Page, complaints: list[str]) -> None:
    visit(page, "/analyse")
    drop(page, "broken.avf", b"nonsense")
    expect(page.locator("#words")).to_have_text("'broken.avf' is broken: expected a complete avf file.")
    expect(page.get_by_label("Paste a position")).to_be_visible()
    forgive(complaints, "422")


def test_watching_begins_with_the_board_that_was_asked_for(page: Page) -> None:
    sizes = {"7x8/9": Preset(7, 8, 9), **standard_presets()}
    with serving(Settings(sizes=sizes, begins_with="7x8/9")) as port:
        visit(page, f"http://127.0.0.1:{port}/watch")
        expect(page.locator("#board")).to_have_attribute("aria-colcount", "8")
        expect(page.locator("#preset")).to_have_value("7x8/9")
    visit(page, "/watch")
    expect(page.locator("#preset")).to_have_value("expert")


@pytest.mark.parametrize("path", PATHS)
def test_no_page_has_an_accessibility_fault(page: Page, check_accessibility: Check, path: str) -> None:
    visit(page, path)
    check_accessibility(page)


def test_no_state_of_a_game_has_an_accessibility_fault(page: Page, check_accessibility: Check) -> None:
    begin(page, {"mode": "kaboom", "preset": "intermediate", "seed": 7})
    page.locator("#board [data-index='136']").click()
    settle(page)
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
    game = page.evaluate("fetch(`/api/games/${sessionStorage.getItem('sweep-game')}`).then(answer => answer.json())")
    # An unavoidable guess adds two layouts of its own.
    expect(page.locator(".layouts")).to_have_count(
        1 + page.locator(".unavoidable-words").count() if game["status"] == "playing" else 0
    )
    check_accessibility(page)
    if game["status"] == "playing":
        row, col = game["flags"][0]
        flagged = page.locator(f"#board [data-index='{16 * row + col}']")
        flagged.click(button="right")
        flagged.click()
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
    begin(page, {"mode": "kaboom", "preset": "expert"})
    grid = page.get_by_role("grid")
    assert grid.get_by_role("row").count() == 16
    assert page.locator("#board [tabindex='0']").count() == 1
    page.get_by_role("link", name="Skip to the game").press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#board [tabindex='0']")).to_be_focused()
    expect(page.locator("#board [data-index='31']")).to_have_attribute("aria-label", "row 1, column 1: hidden")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_overflows_a_narrow_phone(phone: Page, path: str) -> None:
    visit(phone, path)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    if path == "/":
        phone.get_by_role("button", name="New game").tap()
    wide = "found => found.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    assert phone.locator("button:visible, .button:visible, .choice:visible").evaluate_all(wide) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_no_button_of_watch_lies_over_the_edge_of_its_panel(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    visit(page, "/watch")
    panel = page.locator(".fields").bounding_box()
    assert panel is not None
    for button in page.locator(".fields button").all():
        box = button.bounding_box()
        assert box is not None
        assert panel["x"] <= box["x"]
        assert box["x"] + box["width"] <= panel["x"] + panel["width"] - 8


def test_the_theme_follows_the_system_until_it_is_switched(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, "/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Switch to the light theme").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_a_click_repaints_only_the_cells_that_change(page: Page) -> None:
    begin(page, {"mode": "classic", "preset": "expert"})
    page.locator("#board [data-index='255']").click()
    settle(page)
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
    with page.expect_response(lambda response: response.url.endswith("/flag")):
        hidden.click(button="right")
    settle(page)
    assert page.evaluate("[...window.touched]") == [hidden.get_attribute("data-index")]


def test_a_game_ends_on_a_card_and_is_found_in_the_record(page: Page, check_accessibility: Check) -> None:
    begin(page, {"mode": "no-guess", "preset": "beginner", "seed": 4})
    with page.expect_response(lambda response: response.url.endswith("/stats")):
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
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete all").click()
    expect(page.locator("#nothing")).to_contain_text("Nothing yet")


def test_a_lost_game_shows_its_mines_and_is_reviewed(phone: Page) -> None:
    begin(phone, {"mode": "kaboom", "preset": "expert", "seed": 7})
    phone.locator("#board [data-index='255']").tap()
    settle(phone)
    assist(phone, "Cheat")
    settle(phone)
    with phone.expect_response(lambda response: response.url.endswith("/reveal")):
        flag = phone.locator("#board .flag").first
        where = flag.get_attribute("data-index")
        phone.get_by_role("button", name="Flag mode").tap()
        flag.tap()
        phone.get_by_role("button", name="Flag mode").tap()
        phone.locator(f"#board [data-index='{where}']").tap()
    expect(phone.locator("#ending")).to_contain_text("Lost after")
    expect(phone.locator("#ending")).to_be_in_viewport(ratio=1)
    card, fatal, words = (phone.locator(one).bounding_box() for one in ("#ending", "#board .exploded", "#words"))
    assert card is not None
    for other in (fatal, words):
        assert other is not None
        assert other["y"] + other["height"] <= card["y"] or card["y"] + card["height"] <= other["y"]
    phone.get_by_role("link", name="Review").tap()
    expect(phone.locator("#words")).to_contain_text("It was a mine")
