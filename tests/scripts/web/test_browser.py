"""The Play page in a browser: whole games by mouse, keyboard and touch, and all help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from conftest import assist, begin, forgive, settle, visit
from playwright.sync_api import Locator, Page, expect

from minesweeper.player.board import Board, Cell, Puzzle, neighbours
from minesweeper.scripts.web.share_links import board_token

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def cell(page: Page, where: Cell) -> Locator:
    return page.locator(f"#board [role=row]:nth-child({where[0] + 1}) [role=gridcell]:nth-child({where[1] + 1})")


def is_hidden(page: Page, where: Cell) -> bool:
    return "hidden-cell" in (cell(page, where).get_attribute("class") or "")


def clue_to_chord(page: Page, puzzle: Puzzle) -> Cell:
    """Return an open clue next to a hidden safe cell."""
    return next(
        near
        for safe in safe_cells(puzzle)
        if is_hidden(page, safe)
        for near in neighbours(puzzle.board.rows, puzzle.board.cols, safe)
        if not is_hidden(page, near)
    )


def safe_cells(puzzle: Puzzle) -> Iterator[Cell]:
    for row in range(puzzle.board.rows):
        for col in range(puzzle.board.cols):
            if not puzzle.board.mine_map[row, col]:
                yield row, col


def mine_cells(puzzle: Puzzle) -> list[Cell]:
    mine_map = puzzle.board.mine_map
    return [(r, c) for r in range(puzzle.board.rows) for c in range(puzzle.board.cols) if mine_map[r, c]]


def begin_stored(page: Page, puzzle: Puzzle) -> None:
    begin(page, {"mode": "pack", "puzzle": puzzle.id})


CALLS = ("open", "flag", "chord", "undo", "reveal", "stats")


@contextmanager
def act(page: Page, name: str) -> Iterator[None]:
    """Run the body, then wait for the response of the call `name`, if it is one, and until all is drawn."""
    if name not in CALLS:
        yield
        settle(page)
        return
    with page.expect_response(lambda response: response.url.endswith(f"/{name}")):
        yield
    settle(page)


def test_the_new_game_dialog_deals_from_the_pack(page: Page, stored_puzzle: Puzzle) -> None:
    visit(page)
    page.get_by_role("button", name="New game").click()
    page.get_by_label("From a pack").check()
    page.get_by_label("or puzzle id").fill(stored_puzzle.id)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    clue = str(stored_puzzle.board.clues[stored_puzzle.first_click])
    assert not is_hidden(page, stored_puzzle.first_click)
    assert cell(page, stored_puzzle.first_click).inner_text() == clue.replace("0", "")


def test_a_refused_game_says_why_in_the_dialog(page: Page, complaints: list[str]) -> None:
    visit(page)
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Classic").check()
    page.get_by_label("Custom").check()
    page.get_by_role("spinbutton", name="Mines").fill("400")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#new-error")).to_contain_text("mines")
    expect(page.get_by_role("dialog")).to_be_visible()
    forgive(complaints, "422")


def test_a_whole_puzzle_by_mouse(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    board = stored_puzzle.board
    for mine in mine_cells(stored_puzzle):
        cell(page, mine).click(button="right")
    settle(page)
    expect(page.locator("#mines-left")).to_have_text("0")
    for safe in safe_cells(stored_puzzle):
        if is_hidden(page, safe):
            with act(page, "open"):
                cell(page, safe).click()
            if board.clues[safe] and any(is_hidden(page, near) for near in neighbours(board.rows, board.cols, safe)):
                cell(page, safe).click(button="middle")
                settle(page)
        if "Cleared" in page.locator("#words").inner_text():
            break
    expect(page.locator("#words")).to_contain_text("Cleared in")
    expect(page.locator("#board")).to_have_class("board is-won")


def test_a_whole_puzzle_by_keyboard(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    page.locator("#board [tabindex='0']").focus()
    page.keyboard.press("Control+Home")
    at = (0, 0)
    for safe in [*mine_cells(stored_puzzle)[:2], *safe_cells(stored_puzzle)]:
        if not is_hidden(page, safe):
            continue
        for key, steps in (("ArrowDown", safe[0] - at[0]), ("ArrowRight", safe[1] - at[1])):
            backwards = {"ArrowDown": "ArrowUp", "ArrowRight": "ArrowLeft"}[key]
            for _ in range(abs(steps)):
                page.keyboard.press(key if steps > 0 else backwards)
        at = safe
        expect(cell(page, safe)).to_be_focused()
        key, name = ("f", "flag") if stored_puzzle.board.mine_map[safe] else ("Space", "open")
        with act(page, name):
            page.keyboard.press(key)
    expect(page.locator("#mines-left")).to_have_text("0")
    expect(page.locator("#words")).to_contain_text("Cleared in")
    expect(page.locator("#said")).to_contain_text("Cleared in")


def test_a_whole_puzzle_by_touch(phone: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(phone, stored_puzzle)
    first, *_ = mine_cells(stored_puzzle)
    phone.locator("#flag-mode").tap()
    with act(phone, "flag"):
        cell(phone, first).tap()
    expect(cell(phone, first)).to_have_class("cell hidden-cell flag")
    phone.locator("#flag-mode").tap()
    for safe in safe_cells(stored_puzzle):
        if is_hidden(phone, safe):
            with act(phone, "open"):
                cell(phone, safe).tap()
    expect(phone.locator("#words")).to_contain_text("Cleared in")


def test_a_long_press_flags(phone: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(phone, stored_puzzle)
    mine = mine_cells(stored_puzzle)[0]
    finger = {"pointerType": "touch", "pointerId": 5, "bubbles": True, "isPrimary": True}
    with act(phone, "flag"):
        cell(phone, mine).dispatch_event("pointerdown", finger)
    cell(phone, mine).dispatch_event("pointerup", finger)
    expect(cell(phone, mine)).to_have_class("cell hidden-cell flag")
    assert phone.locator("#board .exploded").count() == 0


def test_losing_explains_and_undo_goes_on(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    mine = mine_cells(stored_puzzle)[0]
    with act(page, "reveal"):
        cell(page, mine).click()
    expect(cell(page, mine)).to_have_class("cell exploded")
    expect(page.locator("#board .is-safe").first).to_be_visible()
    expect(page.locator("#words")).to_contain_text("safe way")
    expect(page.locator("#board .cell.mine")).to_have_count(stored_puzzle.board.mines - 1)
    page.keyboard.press("u")
    expect(page.locator("#words")).to_contain_text("undone")
    expect(page.locator("#board .exploded, #board .mine")).to_have_count(0)


def test_a_hint_shows_where_to_look_then_its_clues_and_gives_its_reason(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    with act(page, "hint"):
        page.keyboard.press("h")
    expect(page.locator("#board .zone").first).to_be_visible()
    expect(page.locator("#words")).to_contain_text("Look around row")
    page.keyboard.press("h")
    expect(page.locator("#board .zone")).to_have_count(0)
    expect(page.locator("#board .is-safe, #board .is-mine")).to_have_count(0)
    page.keyboard.press("h")
    expect(page.locator("#board .why").first).to_be_visible()
    known = page.locator("#board .is-safe, #board .is-mine")
    expect(known.first).to_be_visible()
    expect(page.locator("#words")).to_contain_text("row")
    for index in range(known.count()):
        row, col = divmod(int(known.nth(index).get_attribute("data-index") or ""), 9)
        marked_mine = "is-mine" in (known.nth(index).get_attribute("class") or "")
        assert marked_mine == bool(stored_puzzle.board.mine_map[row, col])


def test_an_engine_that_gives_no_answer_is_replaced(page: Page, stored_puzzle: Puzzle) -> None:
    page.clock.install()
    page.add_init_script(
        """{
            const send = Worker.prototype.postMessage;
            let lost = 0;
            Worker.prototype.postMessage = function (data) {
                if (data.question !== "hint" || lost++ > 0) send.call(this, data);
            };
        }"""
    )
    begin_stored(page, stored_puzzle)
    page.keyboard.press("h")
    expect(page.locator("#board")).to_have_attribute("aria-busy", "true")
    # Until the worker is ready, no question is sent, and its time limit does not begin.
    while "30 seconds" not in page.locator("#words").inner_text():
        page.clock.fast_forward(31_000)
    page.keyboard.press("h")
    expect(page.locator("#words")).to_contain_text("Look around row")


def test_the_cheat_proves_that_a_guess_is_needed(page: Page) -> None:
    begin(page, {"mode": "kaboom", "rows": 8, "cols": 8, "mines": 20, "rules": {"opening_start": False}})
    with act(page, "open"):
        cell(page, (4, 4)).click()
    with act(page, "cheat"):
        assist(page, "Cheat")
    expect(page.locator(".layouts [role=img]")).to_have_count(2)
    expect(page.locator("#words")).to_contain_text("Here it is a mine")
    with act(page, "may-guess"):
        assist(page, "May I guess?")
    expect(page.locator("#words.guess")).to_be_visible()


def test_the_guess_that_kaboom_recommends_is_marked_and_survived(page: Page) -> None:
    begin(page, {"mode": "kaboom", "rows": 10, "cols": 10, "mines": 20, "rules": {"opening_start": False}})
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#words")).to_contain_text("The first click is always safe")
    with act(page, "open"):
        cell(page, (0, 0)).click()
    won = re.compile("is-won")
    for _ in range(3):
        if won.search(page.locator("#board").get_attribute("class") or ""):
            return  # after the last guess
        with act(page, "cheat"):
            assist(page, "Cheat")
        if won.search(page.locator("#board").get_attribute("class") or ""):
            return
        with act(page, "hint"):
            page.get_by_role("button", name="Hint").click()
        expect(page.locator("#words")).to_contain_text("granted")
        expect(page.locator("#board .asked")).to_have_count(1)
        with act(page, "open"):
            page.locator("#board .asked").click()
        expect(page.locator("#board .exploded")).to_have_count(0)


def certain(page: Page, what: str) -> Locator:
    """Return a cell that the chances show as certain."""
    return page.locator("#board .cell", has=page.locator(f".sure-{what}")).first


def test_the_best_guess_has_a_star_and_is_named(page: Page) -> None:
    puzzle = Puzzle(Board.from_text("..*.\n....\n*...\n..*."), (1, 1))
    begin(page, {"mode": "shared", "token": board_token(puzzle)})
    with act(page, "chances"):
        assist(page, "Chances")
    expect(page.locator("#words")).to_contain_text("The best guess is row 3, column 3: 14 % a mine")
    expect(page.locator("#board .best")).to_have_count(1)
    expect(cell(page, (3, 3))).to_have_attribute("aria-label", re.compile("14 % a mine, the best guess"))
    expect(cell(page, (3, 3))).to_have_text("14")
    page.set_viewport_size({"width": 100, "height": 720})
    expect(cell(page, (3, 3)).locator(".chance")).to_have_css("font-size", "0px")


def test_the_player_beside_you_makes_a_move_or_plays_to_the_end(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    with act(page, "next"):
        assist(page, "Next move")
    expect(page.locator("#board .why").first).to_be_visible()
    with act(page, "next"):
        assist(page, "Play on")
    page.get_by_role("button", name="Pause").click()
    with act(page, "cheat"):
        assist(page, "Cheat")
    expect(page.locator("#ending")).to_contain_text("Won with help")
    # Speed of a game with help says nothing about the player.
    expect(page.locator("#ending")).to_contain_text("3BV")
    expect(page.locator("#ending")).not_to_contain_text("3BV a")
    page.locator("#ending").get_by_role("button", name="Same board").click()
    expect(page.locator("#ending")).to_be_hidden()
    settle(page)
    assert not is_hidden(page, stored_puzzle.first_click)
    expect(page.get_by_role("button", name="Play on")).to_be_enabled()


def test_a_wrong_flag_is_found(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    with act(page, "chances"):
        assist(page, "Chances")
    wrong = certain(page, "safe")
    with act(page, "flag"):
        wrong.click(button="right")
    with act(page, "check-flags"):
        assist(page, "Check flags")
    expect(page.locator("#words")).to_contain_text("1 of 1 flag.")
    expect(page.locator("#board .flag.is-safe")).to_have_count(1)


def test_chances_cover_every_hidden_cell_and_can_be_taken_away(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    with act(page, "chances"):
        assist(page, "Chances")
    expect(page.locator("#board .chance")).to_have_count(page.locator("#board .hidden-cell").count())
    for mine in mine_cells(stored_puzzle):
        chance = cell(page, mine).inner_text()
        told = f"{chance} % a mine" if chance else "certainly a mine"
        expect(cell(page, mine)).to_have_attribute("aria-label", re.compile(f"hidden, {told}"))
    assist(page, "Chances")
    expect(page.locator("#board .chance")).to_have_count(0)


def test_c_chords_the_clue_in_focus(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    board = stored_puzzle.board
    for mine in mine_cells(stored_puzzle):
        cell(page, mine).click(button="right")
    settle(page)
    clue = clue_to_chord(page, stored_puzzle)
    hidden = [near for near in neighbours(board.rows, board.cols, clue) if is_hidden(page, near)]
    cell(page, clue).focus()
    with act(page, "chord"):
        page.keyboard.press("c")
    for near in hidden:
        assert is_hidden(page, near) == bool(board.mine_map[near])


def test_a_board_larger_than_the_window_begins_in_its_middle(phone: Page) -> None:
    begin(phone, {"mode": "no-guess", "preset": "super-expert"})
    expect(cell(phone, (15, 25))).to_be_in_viewport()


def test_no_link_is_given_that_would_tell_mines_of_a_game_in_play(page: Page, complaints: list[str]) -> None:
    begin(page, {"mode": "no-guess", "preset": "beginner"})
    assist(page, "Share")
    expect(page.locator("#words")).to_contain_text("would show where the mines are")
    forgive(complaints, "409")


def test_countdown_clues_count_flags_down(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    board = stored_puzzle.board
    mine, clue = next(
        (mine, near)
        for mine in mine_cells(stored_puzzle)
        for near in neighbours(board.rows, board.cols, mine)
        if not is_hidden(page, near)
    )
    page.locator("#settings summary").click()
    page.get_by_label("Countdown clues").check()
    cell(page, mine).click(button="right")
    left = int(board.clues[clue]) - 1
    expect(cell(page, clue)).to_have_text(str(left) if left else "·")


def test_a_right_click_on_a_clue_flags_the_rest_and_flags_become_question_marks(page: Page) -> None:
    puzzle = Puzzle(Board.from_text("..*.\n....\n*...\n..*."), (0, 0))
    begin(page, {"mode": "shared", "token": board_token(puzzle)})
    page.locator("#settings summary").click()
    page.get_by_label("flags the rest").check()
    page.get_by_label("Question marks").check()
    # The 2 at (1, 1) touches five hidden cells.
    cell(page, (1, 1)).click(button="right")
    settle(page)
    expect(page.locator("#board .flag")).to_have_count(0)
    for safe in ((2, 2), (2, 1), (1, 2)):
        with act(page, "open"):
            cell(page, safe).click()
    cell(page, (1, 0)).click(button="right")
    expect(page.locator("#board .flag")).to_have_count(1)
    expect(cell(page, (2, 0))).to_have_class(re.compile("flag"))
    settle(page)
    cell(page, (2, 0)).click(button="right")
    expect(cell(page, (2, 0))).to_have_text("?")
    settle(page)
    page.reload()
    expect(cell(page, (2, 0))).to_have_text("?")
    cell(page, (2, 0)).click(button="right")
    expect(cell(page, (2, 0))).to_have_text("")


def test_safe_mode_needs_two_clicks(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    page.locator("#settings summary").click()
    page.get_by_label("Safe mode").check()
    hidden = next(safe for safe in safe_cells(stored_puzzle) if is_hidden(page, safe))
    cell(page, hidden).click()
    settle(page)
    assert is_hidden(page, hidden)
    with act(page, "open"):
        cell(page, hidden).dblclick()
    expect(cell(page, hidden)).to_have_class(f"cell open n{stored_puzzle.board.clues[hidden]}")


def test_kaboom_grants_safe_cells_and_kills_on_a_certain_mine(page: Page) -> None:
    begin(page, {"mode": "kaboom", "preset": "beginner"})
    with act(page, "open"):
        cell(page, (4, 4)).click()
    assist(page, "Chances")
    with act(page, "open"):
        certain(page, "safe").click()
    expect(page.locator("#words")).to_contain_text("certain to be safe")
    with act(page, "reveal"):
        certain(page, "mine").click()
    expect(page.locator("#board .exploded")).to_have_count(1)
    expect(page.locator("#words")).to_contain_text("mine")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#board .exploded")).to_have_count(0)


def test_kaboom_shows_its_verdicts_takes_any_move_back_and_keeps_its_options_in_the_address(page: Page) -> None:
    begin(page, {"mode": "kaboom", "rows": 8, "cols": 8, "mines": 20, "rules": {"opening_start": False}})
    assert page.url.endswith("/share/kaboom-8x8-20-001-uniform")
    with act(page, "open"):
        cell(page, (4, 4)).click()
    with act(page, "verdicts"):
        assist(page, "Verdicts")
    expect(page.locator("#board .granted")).to_have_count(8)
    expect(page.locator("#board .refused")).to_have_count(55)
    with act(page, "undo"):
        page.keyboard.press("u")
    expect(page.locator("#board .hidden-cell")).to_have_count(64)
    page.reload()
    expect(page.locator("#title")).to_have_text("Kaboom 8x8/20")


def test_kaboom_is_played_again_with_the_same_luck_and_takes_a_seed(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Kaboom").check()
    page.get_by_role("checkbox", name="The first click opens an area").uncheck()
    page.get_by_label("Seed").fill("7")
    with page.expect_request("**/api/games") as asked:
        page.get_by_role("button", name="Play", exact=True).click()
    assert asked.value.post_data_json["seed"] == 7
    expect(page.locator("#title")).to_have_text("Kaboom beginner 9x9/10")
    expect(page.locator("#same")).to_be_disabled()
    seen = []
    for _ in range(2):
        settle(page)
        with act(page, "open"):
            cell(page, (4, 4)).click()
        with act(page, "next"):
            assist(page, "Next move")
        seen.append(page.locator("#board").inner_text())
        assist(page, "Same board")
        page.get_by_role("button", name="New board").click()
        expect(page.locator("#board .hidden-cell")).to_have_count(81)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_reloaded_page_goes_on_with_its_game(page: Page, stored_puzzle: Puzzle, is_shared: bool) -> None:
    if is_shared:
        page.goto(f"/share/puzzle-{stored_puzzle.id}")
        settle(page)
    else:
        begin_stored(page, stored_puzzle)
    mine = mine_cells(stored_puzzle)[0]
    with act(page, "flag"):
        cell(page, mine).click(button="right")
    page.reload()
    expect(cell(page, mine)).to_have_class("cell hidden-cell flag")


def test_a_shared_link_deals_the_same_puzzle(page: Page) -> None:
    begin(page, {"mode": "daily", "preset": "beginner"})
    dealt = page.locator("#board").inner_text()
    assist(page, "Share")
    link = page.get_by_label("Link to this puzzle").input_value()
    page.goto(link)
    settle(page)
    assert page.locator("#board").inner_text() == dealt


def test_fast_clicks_on_a_slow_line_are_drawn_at_once_and_in_order(page: Page, stored_puzzle: Puzzle) -> None:
    """Moves once waited for the responses of all earlier moves, so the board did not change for seconds."""
    begin_stored(page, stored_puzzle)
    hidden = [safe for safe in safe_cells(stored_puzzle) if is_hidden(page, safe)][:6]
    script = """async (cells) => {
        const answer = window.fetch;
        let number = 0;
        // The second request arrives last: the line is slow, and the moves overtake each other.
        window.fetch = async (...call) => {
            await new Promise((done) => setTimeout(done, number++ === 1 ? 300 : 75));
            const found = await answer(...call);
            await new Promise((done) => setTimeout(done, 75));
            return found;
        };
        const drawn = [];
        for (const index of cells) {
            const cell = document.querySelector(`#board [data-index='${index}']`);
            const at = cell.getBoundingClientRect();
            const mouse = { bubbles: true, isPrimary: true, pointerType: "mouse" };
            const where = { ...mouse, clientX: at.x + 9, clientY: at.y + 9 };
            cell.dispatchEvent(new PointerEvent("pointerdown", where));
            cell.dispatchEvent(new PointerEvent("pointerup", where));
            drawn.push(cell.classList.contains("pending") || !cell.classList.contains("hidden-cell"));
            await new Promise((done) => setTimeout(done, 100));
        }
        return drawn;
    }"""
    assert page.evaluate(script, [9 * row + col for row, col in hidden]) == [True] * len(hidden)
    settle(page)
    for safe in hidden:
        assert not is_hidden(page, safe)
    expect(page.locator("#board .pending")).to_have_count(0)


def test_a_running_game_is_asked_about_before_it_goes(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    with act(page, "flag"):
        cell(page, mine_cells(stored_puzzle)[0]).click(button="right")
    page.keyboard.press("n")
    page.get_by_role("button", name="Stay").click()
    expect(page.locator("#board .flag")).to_have_count(1)
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#running")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.keyboard.press("n")
    page.get_by_role("button", name="New board").click()
    expect(page.locator("#board .flag")).to_have_count(0)


def test_the_first_visit_explains_the_game_and_the_keys_work_at_once(
    page: Page, check_accessibility: Callable[[Page], None]
) -> None:
    fresh = page.context.new_page()
    visit(fresh)
    rules = fresh.get_by_role("heading", name="How to play")
    expect(rules).to_be_visible()
    expect(fresh.locator(".by-mouse")).to_be_visible()
    expect(fresh.locator(".by-touch")).to_be_hidden()
    check_accessibility(fresh)
    cell(fresh, (0, 0)).click()
    settle(fresh)
    expect(rules).to_be_hidden()
    # The first click of a no-guess game is the player's own, and an opening.
    expect(cell(fresh, (0, 0))).to_have_class("cell open n0")
    fresh.reload()
    expect(cell(fresh, (0, 0))).to_have_class("cell open n0")
    expect(rules).to_be_hidden()
    fresh.locator("#settings summary").click()
    fresh.get_by_role("button", name="Help").click()
    expect(rules).to_be_visible()

    begin(page, {"mode": "no-guess", "preset": "beginner"})
    page.reload()
    expect(page.locator("#words")).to_contain_text("the first click is safe")
    page.keyboard.press("ArrowUp")
    expect(cell(page, (3, 4))).to_be_focused()
    cell(page, (8, 8)).hover()
    with act(page, "open"):
        page.keyboard.press("Space")
    expect(cell(page, (8, 8))).to_have_class("cell open n0")
    hidden = page.locator("#board .hidden-cell").first
    hidden.hover()
    with act(page, "flag"):
        page.keyboard.press("f")
    expect(page.locator("#board .flag")).to_have_count(1)


def test_a_result_without_flags_is_copied_and_counters_run(page: Page) -> None:
    puzzle = Puzzle(Board.from_text("....*...."), (0, 0))
    begin(page, {"mode": "shared", "token": board_token(puzzle)})
    page.locator("#settings summary").click()
    page.get_by_label("during the game").check()
    with act(page, "open"):
        cell(page, (0, 5)).click()
    expect(page.locator("#live")).to_have_text(re.compile(r"^\d+\.\d\d 3BV/s, 2\.00 a click$"))
    with act(page, "stats"):
        cell(page, (0, 8)).click()
    expect(page.locator("#mines-left")).to_have_text("0")
    expect(page.locator("#ending-title")).to_contain_text("no flags")
    page.get_by_role("button", name="Copy result").click()
    result = page.get_by_label("Result", exact=True)
    expect(result).to_have_value(
        re.compile(r"^Sweep, Shared 1x9/1: Won in .*, no flags\n.*3BV 2.*\nhttp.*/share/board-")
    )


def test_the_board_of_an_earlier_day_is_chosen_in_a_calendar(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Daily").check()
    page.get_by_label("Day", exact=True).fill("2026-02-03")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("Daily 2026-02-03 beginner 9x9/10")


def test_an_unknown_address_has_a_page(page: Page, complaints: list[str]) -> None:
    answer = page.goto("/nowhere/at-all")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", name="No such page")).to_be_visible()
    forgive(complaints, "404")


def test_a_bad_share_link_says_so(page: Page, complaints: list[str]) -> None:
    page.goto("/share/board-9x9-4x4-nonsense")
    expect(page.locator("#words")).to_contain_text("damaged or incomplete")
    expect(page.locator("#board [role=gridcell]")).to_have_count(81)
    forgive(complaints, "422")


def test_another_tab_has_its_own_kind_of_game(page: Page) -> None:
    begin(page, {"mode": "classic", "preset": "beginner"})
    other = page.context.new_page()
    begin(other, {"mode": "kaboom", "preset": "beginner"})
    assist(page, "Again")
    settle(page)
    expect(page.locator("#title")).to_contain_text("Classic")


@pytest.mark.parametrize("first", ["left", "right"])
def test_both_mouse_buttons_chord_in_either_order(page: Page, stored_puzzle: Puzzle, first: str) -> None:
    begin_stored(page, stored_puzzle)
    for mine in mine_cells(stored_puzzle):
        cell(page, mine).click(button="right")
    settle(page)
    clue = clue_to_chord(page, stored_puzzle)
    cell(page, clue).hover()
    second = "right" if first == "left" else "left"
    page.mouse.down(button=first)  # type: ignore[arg-type]
    page.mouse.down(button=second)  # type: ignore[arg-type]
    with act(page, "chord"):
        page.mouse.up(button=first)  # type: ignore[arg-type]
        page.mouse.up(button=second)  # type: ignore[arg-type]


def test_the_clock_waits_and_the_focus_stays_on_the_board(page: Page, stored_puzzle: Puzzle) -> None:
    begin_stored(page, stored_puzzle)
    expect(page.locator("#words")).to_contain_text("go on from there")
    page.locator("#board [tabindex='0']").focus()
    page.keyboard.press("n")
    expect(page.locator("#board [tabindex='0']")).to_be_focused()
    page.wait_for_timeout(1200)
    expect(page.locator("#clock")).to_have_text("0:00")
