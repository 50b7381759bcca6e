"""The Play page in a browser: whole games by mouse, keyboard and touch, and all help."""

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from conftest import another, assist, begin, choose_game, click_on, forgive, settle, visit
from playwright.sync_api import Locator, Page, expect
from rectangle import neighbours

from minesweeper.player.core.board import Board, Puzzle, cells_of
from minesweeper.player.core.game import Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.kaboom import Kaboom, Rules
from minesweeper.scripts.web.puzzles import board_token

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SMALL = Puzzle(Board.from_text("..*.\n....\n*...\n..*."), (1, 1))
"""The first click is a 2, next to five hidden cells."""


def cell(page: Page, where: Cell) -> Locator:
    return page.locator(f"#board [role=row]:nth-child({where[0] + 1}) [role=gridcell]:nth-child({where[1] + 1})")


def click(page: Page, where: Cell, button: Literal["left", "middle", "right"] = "left") -> None:
    click_on(cell(page, where), button=button)


def help_with(page: Page, name: str) -> None:
    assist(page, name)
    settle(page)


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    settle(page)


def set_up(page: Page, *settings: str) -> None:
    page.locator("#settings summary").click()
    for label in settings:
        page.get_by_label(label).check()


def is_hidden(page: Page, where: Cell) -> bool:
    return "hidden-cell" in (cell(page, where).get_attribute("class") or "")


def mine_cells(puzzle: Puzzle) -> tuple[Cell, ...]:
    return cells_of(puzzle.board.mine_map)


def safe_cells(puzzle: Puzzle) -> tuple[Cell, ...]:
    return cells_of(~puzzle.board.mine_map)


def near(puzzle: Puzzle, where: Cell) -> list[Cell]:
    return list(neighbours(puzzle.board.rows, puzzle.board.cols, where))


def share(puzzle: Puzzle) -> dict[str, Any]:
    """Return the request for a game on the board of a puzzle."""
    return {"mode": "shared", "token": board_token(puzzle)}


@pytest.fixture
def game(page: Page, stored_puzzle: Puzzle) -> Page:
    """A page with a game on a beginner puzzle whose first cell is open."""
    begin(page, **share(stored_puzzle))
    return page


def test_the_new_game_dialog_deals_from_the_pack(page: Page, stored_puzzle: Puzzle) -> None:
    choose_game(page, "From a pack")
    page.get_by_label("or puzzle id").fill(stored_puzzle.id)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    clue = str(stored_puzzle.board.clues[stored_puzzle.first_click])
    expect(cell(page, stored_puzzle.first_click)).to_have_class(f"cell open n{clue}")
    assist(page, "Share")
    expect(page.get_by_label("Link to this puzzle")).to_have_value(re.compile(f"/share/puzzle-{stored_puzzle.id}$"))


def test_a_refused_game_says_why_in_the_dialog(page: Page) -> None:
    choose_game(page, "Classic", "Custom")
    page.get_by_role("spinbutton", name="Mines").fill("400")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#new-error")).to_contain_text("mines")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_whole_puzzle_by_mouse(game: Page, stored_puzzle: Puzzle) -> None:
    for mine in mine_cells(stored_puzzle):
        cell(game, mine).click(button="right")
    settle(game)
    expect(game.locator("#mines-left")).to_have_text("0")
    for safe in safe_cells(stored_puzzle):
        if is_hidden(game, safe):
            click(game, safe)
            if stored_puzzle.board.clues[safe]:
                click(game, safe, "middle")
    expect(game.locator("#words")).to_contain_text("Cleared in")
    expect(game.locator("#board")).to_have_class("board is-won")


def test_a_whole_puzzle_by_keyboard(page: Page) -> None:
    begin(page, **share(SMALL))
    page.locator("#board [tabindex='0']").focus()
    page.keyboard.press("Control+Home")
    at = (0, 0)
    for where in [*mine_cells(SMALL), *safe_cells(SMALL)]:
        if not is_hidden(page, where):
            continue
        for forward, back, steps in (
            ("ArrowDown", "ArrowUp", where[0] - at[0]),
            ("ArrowRight", "ArrowLeft", where[1] - at[1]),
        ):
            for _ in range(abs(steps)):
                page.keyboard.press(forward if steps > 0 else back)
        at = where
        expect(cell(page, where)).to_be_focused()
        press(page, "f" if SMALL.board.mine_map[where] else "Space")
    expect(page.locator("#mines-left")).to_have_text("0")
    expect(page.locator("#words")).to_contain_text("Cleared in")
    expect(page.locator("#said")).to_contain_text("Cleared in")


def test_a_whole_puzzle_by_touch(phone: Page) -> None:
    begin(phone, **share(SMALL))
    first, second, _ = mine_cells(SMALL)
    phone.locator("#flag-mode").tap()
    cell(phone, first).tap()
    expect(cell(phone, first)).to_have_class("cell hidden-cell flag")
    phone.reload()
    expect(phone.locator("#flag-mode")).to_have_attribute("aria-pressed", "true")
    phone.locator("#flag-mode").tap()
    finger = {"pointerType": "touch", "pointerId": 5, "bubbles": True, "isPrimary": True}
    cell(phone, second).dispatch_event("pointerdown", finger)
    expect(cell(phone, second)).to_have_class("cell hidden-cell flag")
    cell(phone, second).dispatch_event("pointerup", finger)
    for safe in safe_cells(SMALL):
        if is_hidden(phone, safe):
            cell(phone, safe).tap()
            settle(phone)
    expect(phone.locator("#words")).to_contain_text("Cleared in")


def test_clues_are_chorded_by_both_buttons_in_either_order_by_c_and_by_a_click(
    game: Page, stored_puzzle: Puzzle
) -> None:
    clue, hidden = next(
        (clue, hidden)
        for clue in safe_cells(stored_puzzle)
        if not is_hidden(game, clue)
        for hidden in [[one for one in near(stored_puzzle, clue) if is_hidden(game, one)]]
        if any(not stored_puzzle.board.mine_map[one] for one in hidden)
    )

    def by_both(first: Literal["left", "right"], second: Literal["left", "right"]) -> None:
        cell(game, clue).hover()
        for button in (first, second):
            game.mouse.down(button=button)
        for button in (first, second):
            game.mouse.up(button=button)

    ways: dict[str, Callable[[], None]] = {
        "left, then right": lambda: by_both("left", "right"),
        "right, then left": lambda: by_both("right", "left"),
        "a click": lambda: cell(game, clue).click(),
        "c": lambda: cell(game, clue).press("c"),
    }
    for name, chord in ways.items():
        another(game, **share(stored_puzzle))
        for one in hidden:
            if stored_puzzle.board.mine_map[one]:
                click(game, one, "right")
        chord()
        settle(game)
        for one in hidden:
            assert is_hidden(game, one) == bool(stored_puzzle.board.mine_map[one]), name


def test_losing_explains_and_undo_goes_on(game: Page, stored_puzzle: Puzzle) -> None:
    mine = mine_cells(stored_puzzle)[0]
    click(game, mine)
    expect(cell(game, mine)).to_have_class("cell exploded")
    expect(game.locator("#board .is-safe").first).to_be_visible()
    expect(game.locator("#words")).to_contain_text("safe way")
    expect(game.locator("#board .cell.mine")).to_have_count(stored_puzzle.board.mines - 1)
    game.keyboard.press("u")
    expect(game.locator("#words")).to_contain_text("undone")
    expect(game.locator("#board .exploded, #board .mine")).to_have_count(0)


def test_a_hint_shows_where_to_look_then_its_clues_and_gives_its_reason(game: Page, stored_puzzle: Puzzle) -> None:
    press(game, "h")
    expect(game.locator("#board .zone").first).to_be_visible()
    expect(game.locator("#words")).to_contain_text("Look around row")
    press(game, "h")
    expect(game.locator("#board .zone")).to_have_count(0)
    expect(game.locator("#board .is-safe, #board .is-mine")).to_have_count(0)
    press(game, "h")
    expect(game.locator("#board .why").first).to_be_visible()
    known = game.locator("#board .is-safe, #board .is-mine")
    expect(known.first).to_be_visible()
    expect(game.locator("#words")).to_contain_text("row")
    for index in range(known.count()):
        where = divmod(int(known.nth(index).get_attribute("data-index") or ""), 9)
        marked_mine = "is-mine" in (known.nth(index).get_attribute("class") or "")
        assert marked_mine == bool(stored_puzzle.board.mine_map[where])


def test_an_engine_that_gives_no_answer_is_replaced_and_the_clock_waits_for_the_player(
    own_page: Page, stored_puzzle: Puzzle
) -> None:
    page = own_page
    page.clock.install()
    page.add_init_script(
        """{
            const send = Worker.prototype.postMessage;
            window.lost = 0;
            Worker.prototype.postMessage = function (data) {
                if (data.args?.[0] !== "hint" || window.lost++ > 0) send.call(this, data);
            };
        }"""
    )
    begin(page, **share(stored_puzzle))
    page.clock.fast_forward(5000)
    expect(page.locator("#clock")).to_have_text("0:00")
    page.keyboard.press("h")
    # The page notes the help by a call of its own first.
    page.wait_for_function("window.lost === 1")
    expect(page.locator("#board")).to_have_attribute("aria-busy", "true")
    page.clock.fast_forward(31_000)
    expect(page.locator("#words")).to_contain_text("30 seconds")
    page.keyboard.press("h")
    expect(page.locator("#words")).to_contain_text("Look around row")
    click(page, next(safe for safe in safe_cells(stored_puzzle) if is_hidden(page, safe)))
    page.clock.fast_forward(61_000)
    expect(page.locator("#clock")).to_have_text("1:01")


def test_kaboom_grants_the_guess_that_it_recommends_and_the_cheat_proves_that_it_is_needed(page: Page) -> None:
    begin(page, mode="kaboom", rows=10, cols=10, mines=20, seed=3, rules={"opening_start": False})
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#words")).to_contain_text("The first click is always safe")
    click(page, (0, 0))
    help_with(page, "Cheat")
    expect(page.locator(".layouts [role=img]").first).to_be_visible()
    expect(page.locator("#words")).to_contain_text("Here it is a mine")
    help_with(page, "May I guess?")
    expect(page.locator("#words.guess")).to_contain_text("Yes, but only next to the clues")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#words")).to_contain_text("granted")
    expect(page.locator("#board .asked")).to_have_count(1)
    click_on(page.locator("#board .asked"))
    expect(page.locator("#words")).to_contain_text("1 guess granted so far")
    expect(page.locator("#board .exploded")).to_have_count(0)


def certain(page: Page, what: str) -> Locator:
    """Return a cell that the chances show as certain."""
    return page.locator("#board .cell", has=page.locator(f".sure-{what}")).first


def test_the_best_guess_has_a_star_and_is_named(page: Page) -> None:
    begin(page, **share(SMALL))
    help_with(page, "Chances")
    expect(page.locator("#words")).to_contain_text("The best guess is row 3, column 3: 14 % a mine")
    expect(page.locator("#board .best")).to_have_count(1)
    expect(cell(page, (3, 3))).to_have_attribute("aria-label", re.compile("14 % a mine, the best guess"))
    expect(cell(page, (3, 3))).to_have_text("14")
    page.set_viewport_size({"width": 100, "height": 720})
    expect(cell(page, (3, 3)).locator(".chance")).to_have_css("font-size", "0px")


def test_the_player_beside_you_makes_a_move_or_plays_to_the_end(game: Page, stored_puzzle: Puzzle) -> None:
    help_with(game, "Next move")
    expect(game.locator("#board .why").first).to_be_visible()
    help_with(game, "Play on")
    game.get_by_role("button", name="Pause", exact=True).click()
    help_with(game, "Cheat")
    expect(game.locator("#ending")).to_contain_text("Won with help")
    # Speed of a game with help says nothing about the player.
    expect(game.locator("#ending")).to_contain_text("3BV")
    expect(game.locator("#ending")).not_to_contain_text("3BV a")
    game.locator("#ending").get_by_role("button", name="Same board").click()
    expect(game.locator("#ending")).to_be_hidden()
    settle(game)
    assert not is_hidden(game, stored_puzzle.first_click)
    expect(game.get_by_role("button", name="Play on")).to_be_enabled()


def test_chances_cover_every_hidden_cell_and_a_wrong_flag_is_found(game: Page, stored_puzzle: Puzzle) -> None:
    assist(game, "Chances")
    expect(game.locator("#board .chance")).to_have_count(game.locator("#board .hidden-cell").count())
    for mine in mine_cells(stored_puzzle):
        chance = cell(game, mine).inner_text()
        told = f"{chance} % a mine" if chance else "certainly a mine"
        expect(cell(game, mine)).to_have_attribute("aria-label", re.compile(f"hidden, {told}"))
    certain(game, "safe").click(button="right")
    help_with(game, "Check flags")
    expect(game.locator("#words")).to_contain_text("1 of 1 flag.")
    expect(game.locator("#board .flag.is-safe")).to_have_count(1)
    assist(game, "Chances")
    expect(game.locator("#board .chance")).to_have_count(0)


def test_a_board_larger_than_the_window_begins_in_its_middle(phone: Page) -> None:
    begin(phone, mode="no-guess", preset="super-expert")
    expect(cell(phone, (15, 25))).to_be_in_viewport()


def test_safe_mode_needs_two_clicks_and_countdown_clues_count_flags_down(game: Page, stored_puzzle: Puzzle) -> None:
    board = stored_puzzle.board
    mine, clue = next(
        (mine, clue)
        for mine in mine_cells(stored_puzzle)
        for clue in near(stored_puzzle, mine)
        if not is_hidden(game, clue)
    )
    hidden = next(safe for safe in safe_cells(stored_puzzle) if is_hidden(game, safe))
    set_up(game, "Countdown clues", "Safe mode")
    click(game, mine, "right")
    left = int(board.clues[clue]) - 1
    expect(cell(game, clue)).to_have_text(str(left) if left else "·")
    click(game, hidden)
    assert is_hidden(game, hidden)
    cell(game, hidden).dblclick()
    settle(game)
    assert not is_hidden(game, hidden)


def test_a_right_click_on_a_clue_flags_the_rest_and_flags_become_question_marks(page: Page) -> None:
    begin(page, **share(Puzzle(SMALL.board, (0, 0))))
    set_up(page, "flags the rest", "Question marks")
    click(page, (1, 1), "right")
    expect(page.locator("#board .flag")).to_have_count(0)
    for safe in ((2, 2), (2, 1), (1, 2)):
        click(page, safe)
    click(page, (1, 0), "right")
    expect(page.locator("#board .flag")).to_have_count(1)
    expect(cell(page, (2, 0))).to_have_class(re.compile("flag"))
    click(page, (2, 0), "right")
    expect(cell(page, (2, 0))).to_have_text("?")
    page.reload()
    expect(cell(page, (2, 0))).to_have_text("?")
    cell(page, (2, 0)).click(button="right")
    expect(cell(page, (2, 0))).to_have_text("")


def test_kaboom_grants_safe_cells_kills_on_a_certain_mine_and_shows_its_verdicts(page: Page) -> None:
    begin(page, mode="kaboom", preset="beginner", seed=4)
    click(page, (4, 4))
    assist(page, "Chances")
    certain(page, "safe").click()
    expect(page.locator("#words")).to_contain_text("certain to be safe")
    certain(page, "mine").click()
    expect(page.locator("#board .exploded")).to_have_count(1)
    expect(page.locator("#words")).to_contain_text("mine")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#board .exploded")).to_have_count(0)

    another(page, mode="kaboom", rows=8, cols=8, mines=20, seed=1, rules={"opening_start": False})
    assert page.url.endswith("/share/kaboom-8x8-20-0010-uniform")
    click(page, (4, 4))
    assist(page, "Verdicts")
    expect(page.locator("#board .granted")).to_have_count(8)
    expect(page.locator("#board .refused")).to_have_count(55)
    # Any move can be undone.
    page.keyboard.press("u")
    expect(page.locator("#board .hidden-cell")).to_have_count(64)
    page.reload()
    expect(page.locator("#title")).to_have_text("Kaboom 8x8/20")


def test_a_won_game_of_kaboom_has_its_forced_guesses_as_a_score(page: Page) -> None:
    begin(page, mode="kaboom", preset="beginner", rules={"mode": "cruelest"}, seed=4)
    game = Kaboom("9x9/10", rules=Rules(opening_start=True, mode="cruelest"), seed=4)
    cell, guesses = (4, 4), -1  # the first click is no guess
    while game.status is Status.PLAYING:
        guesses += not game.safe_map.any()
        click(page, cell)
        game.click(cell)
        cell = next(iter((*cells_of(game.safe_map), *cells_of(game.guessable))), cell)
    expect(page.locator("#words.won")).to_contain_text(f"Your score: {guesses} forced guess")
    expect(page.locator("#words.won")).to_contain_text("The strategy champion needs 3.98 on average.")


def test_kaboom_is_played_again_with_the_same_luck_and_takes_a_seed(page: Page) -> None:
    choose_game(page, "Kaboom")
    page.get_by_role("checkbox", name="The first click opens an area").uncheck()
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("Kaboom beginner 9x9/10")
    expect(page.locator("#same")).to_be_disabled()
    settle(page)
    seen = []
    for _ in range(3):
        click(page, (4, 4))
        help_with(page, "Next move")
        seen.append(page.locator("#board").inner_text())
        if len(seen) == 1:
            assist(page, "Same board")
        else:
            another(page, mode="kaboom", preset="beginner", seed=7, rules={"opening_start": False})
        expect(page.locator("#board .hidden-cell")).to_have_count(81)
    assert seen[0] == seen[1] == seen[2]


def test_a_link_deals_its_puzzle_and_a_reloaded_page_goes_on_with_its_game(page: Page, stored_puzzle: Puzzle) -> None:
    visit(page, f"/share/puzzle-{stored_puzzle.id}")
    mine = mine_cells(stored_puzzle)[0]
    click(page, mine, "right")
    page.reload()
    expect(cell(page, mine)).to_have_class("cell hidden-cell flag")

    another(page, mode="daily", preset="beginner", date="2026-02-03")
    dealt = page.locator("#board").inner_text()
    assist(page, "Share")
    visit(page, page.get_by_label("Link to this puzzle").input_value())
    assert page.locator("#board").inner_text() == dealt

    another(page, mode="no-guess", preset="beginner")
    assist(page, "Share")
    expect(page.locator("#words")).to_contain_text("would show where the mines are")


def test_fast_clicks_are_drawn_at_once(game: Page, stored_puzzle: Puzzle) -> None:
    """Moves once waited for the responses of all earlier moves, so the board did not change for seconds."""
    hidden = [safe for safe in safe_cells(stored_puzzle) if is_hidden(game, safe)][:6]
    script = """cells => cells.map(index => {
        const cell = document.querySelector(`#board [data-index='${index}']`);
        const { x, y } = cell.getBoundingClientRect();
        const at = { bubbles: true, isPrimary: true, pointerType: "mouse", clientX: x + 9, clientY: y + 9 };
        for (const name of ["pointerdown", "pointerup"]) cell.dispatchEvent(new PointerEvent(name, at));
        return cell.classList.contains("pending");
    })"""
    assert game.evaluate(script, [9 * row + col for row, col in hidden]) == [True] * len(hidden)
    settle(game)
    for safe in hidden:
        assert not is_hidden(game, safe)
    expect(game.locator("#board .pending")).to_have_count(0)


def test_keys_act_on_the_cell_under_the_mouse_and_the_focus_stays_on_the_board(page: Page) -> None:
    begin(page, mode="no-guess", preset="beginner")
    page.reload()
    expect(page.locator("#words")).to_contain_text("the first click is safe")
    page.keyboard.press("ArrowUp")
    expect(cell(page, (3, 4))).to_be_focused()
    press(page, "n")
    expect(cell(page, (4, 4))).to_be_focused()
    cell(page, (8, 8)).hover()
    press(page, "Space")
    # The first click of a no-guess game is the player's own, and an opening.
    expect(cell(page, (8, 8))).to_have_class("cell open n0")
    page.locator("#board .hidden-cell").first.hover()
    press(page, "f")
    expect(page.locator("#board .flag")).to_have_count(1)
    page.locator("#settings summary").click()
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("heading", name="How to play")).to_be_visible()
    expect(page.locator("#help .by-mouse")).to_be_visible()
    expect(page.locator("#help .by-touch")).to_be_hidden()


def test_a_result_without_flags_is_copied_and_counters_run(page: Page) -> None:
    begin(page, **share(Puzzle(Board.from_text("....*...."), (0, 0))))
    set_up(page, "during the game")
    click(page, (0, 5))
    expect(page.locator("#live")).to_have_text(re.compile(r"^\d+\.\d\d 3BV/s, 2\.00 a click$"))
    click(page, (0, 8))
    expect(page.locator("#mines-left")).to_have_text("0")
    expect(page.locator("#ending-title")).to_contain_text("no flags")
    expect(page.locator("#ending-stats")).to_contain_text("3BV")
    page.get_by_role("button", name="Copy result").click()
    result = page.get_by_label("Result", exact=True)
    expect(result).to_have_value(
        re.compile(r"^Sweep, Shared 1x9/1: Won in .*, no flags\n.*3BV 2.*\nhttp.*/share/board-")
    )


def test_the_board_of_an_earlier_day_is_chosen_in_a_calendar(page: Page) -> None:
    choose_game(page, "Daily")
    page.get_by_label("Day", exact=True).fill("2026-02-03")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#title")).to_have_text("Daily 2026-02-03 beginner 9x9/10")


def test_unknown_addresses_and_bad_links_say_so(page: Page, complaints: list[str]) -> None:
    answer = page.goto("/nowhere/at-all")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", name="No such page")).to_be_visible()
    visit(page, "/share/board-9x9-4x4-nonsense")
    expect(page.locator("#words")).to_contain_text("damaged or incomplete")
    expect(page.locator("#board [role=gridcell]")).to_have_count(81)
    visit(page, "/share/puzzle-ffff")
    expect(page.locator("#words")).to_contain_text("No single puzzle has an id that begins with 'ffff'")
    forgive(complaints, "404")


def test_another_tab_has_its_own_kind_of_game(page: Page) -> None:
    begin(page, mode="classic", preset="beginner")
    other = page.context.new_page()
    begin(other, mode="kaboom", preset="beginner")
    assist(page, "Again")
    settle(page)
    expect(page.locator("#title")).to_contain_text("Classic")
