"""The adversary: cruel, but fair."""

import pickle
from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest
from oracle import layouts
from rectangle import count_neighbours

from minesweeper.player import HIDDEN, Cell, Grid, View, closure, kernel_api
from minesweeper.player.core.board import Board, cells_of
from minesweeper.player.core.errors import BoardError, EngineError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.logic import Deductions
from minesweeper.player.play.kaboom import Kaboom, Mode, Rules, Why

pytestmark = pytest.mark.kernel
RULES = [
    Rules(),
    Rules(opening_start=True),
    Rules(guess_anywhere=True),
    Rules(outside_counts=False),
    Rules(mode="cruelest"),
]


def fits(layout: Board, view: View) -> bool:
    shown = view.cells != HIDDEN
    return layout.mines == view.mines and bool((layout.clues[shown] == view.cells[shown]).all())


def at(view: View, *, rules: Rules | None = None, seed: int = 0) -> Kaboom:
    """A small game that has come to this view."""
    game = Kaboom(view.grid, view.mines, rules=rules, seed=seed)
    game.resume(view)
    return game


def careful_cell(game: Kaboom, random: Random) -> Cell:
    """Return a random cell that is proven safe or, failing that, one where a guess is survived."""
    return random.choice(cells_of(game.safe_map) or cells_of(game.guessable))


def play_carefully(game: Kaboom, random: Random, until: int | None = None) -> None:
    while game.status is Status.PLAYING and until != 0:
        before = game.view
        outcome = game.click(careful_cell(game, random))
        assert outcome.survived
        assert outcome.cell in outcome.opened
        assert (game.view.cells[before.cells != HIDDEN] == before.cells[before.cells != HIDDEN]).all()
        until = None if until is None else until - 1


@pytest.mark.parametrize("games", [200, pytest.param(8000, marks=pytest.mark.long)])
def test_who_opens_proven_cells_and_guesses_only_when_forced_always_wins(games: int) -> None:
    random = Random(7)
    for number in range(games):
        rows, cols = random.randint(2, 8), random.randint(2, 8)
        rules = RULES[number % len(RULES)]
        mines = random.randint(0, max(0, rows * cols // 3 - 1 if rows * cols > 20 else (rows * cols - 9) // 2))
        game = Kaboom(Grid(rows, cols), mines, rules=rules, seed=number)
        play_carefully(game, random)
        assert game.status is Status.WON
        assert np.count_nonzero(game.view.cells == HIDDEN) == mines


@pytest.mark.parametrize("games", [150, pytest.param(4000, marks=pytest.mark.long)])
def test_any_needless_risk_kills_and_shows_a_layout_that_fits_all_clues(games: int) -> None:
    random = Random(8)
    judged: Counter[Why] = Counter()
    for number in range(games):
        rules = RULES[number % len(RULES)]
        game = Kaboom(Grid(6, 7), random.randint(6, 12), rules=rules, seed=number)
        play_carefully(game, random, until=random.randint(1, 12))
        if game.status is not Status.PLAYING:
            continue
        view = game.view
        known = closure(view, "sat")
        for cell in random.sample(cells_of(view.cells == HIDDEN), 3):
            outcome = pickle.loads(pickle.dumps(game)).click(cell)
            judged[outcome.why] += 1
            if known.safe_map[cell]:
                assert outcome.survived
            elif known.mine_map[cell] or (known.safe_map.any() and rules.outside_counts):
                assert not outcome.survived
            if not outcome.survived:
                assert outcome.layout is not None
                assert outcome.layout.mine_map[cell]
                assert fits(outcome.layout, view)
    assert min(judged[why] for why in Why if why is not Why.FIRST_CLICK) > 0


def judged_by_definition(view: View, known: Deductions, rules: Rules) -> dict[Cell, Why]:
    """Judge every hidden cell by the closure of the SAT engine."""
    hidden = view.cells == HIDDEN
    if hidden.all():
        return dict.fromkeys(cells_of(hidden), Why.FIRST_CLICK)
    boundary = hidden & (count_neighbours(~hidden) > 0)
    needless = (known.safe_map if rules.outside_counts else known.safe_map & boundary).any()
    uncertain = hidden & ~known.safe_map & ~known.mine_map
    anywhere = rules.guess_anywhere or known.mine_map[boundary].all()
    granted = uncertain & (anywhere | boundary) & ~needless
    found = dict.fromkeys(cells_of(hidden), Why.OUTSIDE if granted.any() else Why.NEEDLESS_GUESS)
    for marks, why in (
        (granted, Why.FORCED_GUESS),
        (known.safe_map, Why.PROVEN_SAFE),
        (known.mine_map, Why.PROVEN_MINE),
    ):
        found |= dict.fromkeys(cells_of(marks), why)
    return found


def test_verdicts_follow_their_definition() -> None:
    random = Random(9)
    for number in range(60):
        rules = RULES[number % len(RULES)]
        game = Kaboom(Grid(6, 6), random.randint(4, 10), rules=rules, seed=number)
        play_carefully(game, random, until=random.randint(0, 10))
        if game.status is Status.PLAYING:
            expected = judged_by_definition(game.view, closure(game.view, "sat"), rules)
            assert {cell: game.judge(cell) for cell in expected} == expected
            assert set(cells_of(game.safe_map)) == {cell for cell in expected if expected[cell] is Why.PROVEN_SAFE}
            assert set(cells_of(game.mine_map)) == {cell for cell in expected if expected[cell] is Why.PROVEN_MINE}
            guessable = {cell for cell in expected if expected[cell] in (Why.FIRST_CLICK, Why.FORCED_GUESS)}
            assert set(cells_of(game.guessable)) == guessable


def test_verdicts_follow_their_definition_in_every_position_of_a_row() -> None:
    """Positions with one outside cell left are rare in games."""
    positions = set()
    for marks in product("*.#", repeat=6):
        if "." not in marks:
            continue
        board = Board.from_text("".join(marks).replace("#", "."))
        hidden = [mark != "." for mark in marks]
        positions.add(View(np.where([hidden], HIDDEN, board.clues), board.mines))
    alone = 0
    for view in positions:
        known = closure(view, "sat")
        hidden = view.cells == HIDDEN
        alone += np.count_nonzero(hidden & (count_neighbours(~hidden) == 0)) == 1
        for rules in (RULES[0], *RULES[2:4]):
            game = at(view, rules=rules)
            if game.status is Status.PLAYING:
                expected = judged_by_definition(view, known, rules)
                assert {cell: game.judge(cell) for cell in expected} == expected
    assert alone > 50


@pytest.mark.parametrize(
    ("text", "rules", "verdicts"),
    [
        # The clue takes the only mine, so the outside is free of mines.
        ("1x6/1\n#1####", Rules(), {0: Why.NEEDLESS_GUESS, 3: Why.PROVEN_SAFE}),
        ("1x6/1\n#1####", Rules(outside_counts=False), {0: Why.FORCED_GUESS, 3: Why.PROVEN_SAFE}),
        ("1x7/3\n#1#####", Rules(), {0: Why.FORCED_GUESS, 5: Why.OUTSIDE}),
        ("1x7/3\n#1#####", Rules(guess_anywhere=True), {0: Why.FORCED_GUESS, 5: Why.FORCED_GUESS}),
        # Every boundary cell is a proven mine.
        ("1x7/3\n#2#####", Rules(), {0: Why.PROVEN_MINE, 5: Why.FORCED_GUESS}),
    ],
)
def test_a_guess_outside_the_boundary_depends_on_the_rules(text: str, rules: Rules, verdicts: dict[int, Why]) -> None:
    game = at(View.from_text(text), rules=rules)
    assert {col: game.judge((0, col)) for col in verdicts} == verdicts


def test_a_guess_that_no_clue_can_spare_the_player_may_come_early_if_the_rules_say_so() -> None:
    view = View.from_text("2x4/1\n#10#\n#10#")
    assert at(view).judge((0, 0)) is Why.NEEDLESS_GUESS
    for seed in range(8):
        game = at(view, rules=Rules(unavoidable_early=True), seed=seed)
        assert (game.judge((0, 0)), game.judge((0, 3))) == (Why.FORCED_GUESS, Why.PROVEN_SAFE)
        assert game.click((seed % 2, 0)).survived
        assert game.judge((1 - seed % 2, 0)) is Why.PROVEN_MINE
    # A clue may still decide this mine.
    avoidable = at(View.from_text("1x4/1\n#1##"), rules=Rules(unavoidable_early=True))
    assert avoidable.judge((0, 0)) is Why.NEEDLESS_GUESS


@pytest.mark.parametrize("opening", [False, True])
def test_the_first_click_survives_anywhere_and_opens_a_zero_if_asked_to(opening: bool) -> None:
    for seed in range(30):
        game = Kaboom("4x4/7", rules=Rules(opening_start=opening), seed=seed)
        outcome = game.click((seed % 4, seed // 4 % 4))
        assert outcome.why is Why.FIRST_CLICK
        assert not opening or game.view.cells[outcome.cell] == 0


def is_uniform(counts: Counter[bytes], possible: int) -> bool:
    """A chi-squared test at five standard deviations."""
    draws = counts.total()
    expected = draws / possible
    statistic = sum((counts[one] - expected) ** 2 / expected for one in counts) + (possible - len(counts)) * expected
    return statistic < possible - 1 + 5 * (2 * (possible - 1)) ** 0.5


@pytest.mark.parametrize("mine", [True, False])
def test_layouts_are_drawn_uniformly_from_all_that_decide_the_click_that_way(mine: bool) -> None:
    view = View.from_text("3x4/4\n####\n#2##\n####")
    cell = (2, 3) if mine else (0, 0)
    possible = [layout for layout in layouts(view) if layout[cell] == mine]
    why = Why.OUTSIDE if mine else Why.FORCED_GUESS
    assert at(view).judge(cell) is why
    draws = [at(view, seed=seed)._draw(cell, why).to_bytes() for seed in range(20 * len(possible))]
    drawn = Counter(draws)
    assert set(drawn) <= {Board(layout).to_bytes() for layout in possible}
    assert is_uniform(drawn, len(possible))


def views_after(view: View, cell: Cell, opening: bool) -> list[View]:
    """By trying every layout: what opening a cell that is safe, or must be a zero, can lead to."""
    found = {}
    for layout in layouts(view):
        board = Board(layout)
        if board.clues[cell] == -1 or (opening and board.clues[cell]):
            continue
        cells = view.cells.copy()
        for row, col in Game(board).open(cell):
            cells[row, col] = board.clues[row, col]
        found[cells.tobytes()] = View(cells, view.mines)
    return list(found.values())


def open_or_certain(view: View) -> int:
    """By trying every layout: how many cells are open, or the same in all of them."""
    every = layouts(view)
    hidden = view.cells == HIDDEN
    return int(np.count_nonzero(~hidden | every.all(axis=0) | ~every.any(axis=0)))


def test_the_cruelest_click_leaves_the_fewest_cells_open_or_certain() -> None:
    rng, random = np.random.default_rng(12), Random(12)
    differed = opened_areas = 0
    for number in range(80):
        truth = Board(rng.random((3, 4)) < 0.25)
        game = Game(truth)
        for row, col in rng.permutation(np.argwhere(~truth.mine_map))[: number % 4].tolist():
            if game.status is Status.PLAYING:
                game.open((row, col))
        opening = number % 3 == 0 and game.view.mines <= 3
        kaboom = at(
            View.hidden(Grid(3, 4), truth.mines) if opening else game.view, rules=Rules(opening, mode="cruelest")
        )
        survived = cells_of(kaboom.safe_map) + cells_of(kaboom.guessable)
        if not survived or kaboom.status is not Status.PLAYING:
            continue
        cell = random.choice(survived)
        outcomes = {after.cells.tobytes(): open_or_certain(after) for after in views_after(kaboom.view, cell, opening)}
        assert kaboom.click(cell).survived
        assert outcomes[kaboom.view.cells.tobytes()] == min(outcomes.values())
        differed += min(outcomes.values()) < max(outcomes.values())
        opened_areas += kaboom.view.cells[cell] == 0
    assert differed > 20
    assert opened_areas > 5


def test_a_search_that_is_cut_off_still_shows_what_fits() -> None:
    """An opening on a large board has more results than the search compares."""
    for seed in range(5):
        game = Kaboom("16x30/60", rules=Rules(opening_start=True, mode="cruelest"), seed=seed)
        game.click((8, 15))
        assert game.view.cells[8, 15] == 0
        closure(game.view, "sat")  # raises an exception if nothing fits


def test_a_chord_is_judged_cell_by_cell_with_what_is_known_by_then() -> None:
    view = View.from_text("3x3/1\n###\n#1#\n###")
    second: set[Why] = set()
    for seed in range(30):
        outcomes = at(view, seed=seed).chord((1, 1), [(2, 2)])
        one_by_one = at(view, seed=seed)
        assert outcomes == [one_by_one.click(outcome.cell) for outcome in outcomes]
        assert outcomes[0].why is Why.FORCED_GUESS
        assert all(outcome.survived for outcome in outcomes[:-1])
        second.update(outcome.why for outcome in outcomes[1:2])
    assert second == {Why.NEEDLESS_GUESS, Why.PROVEN_SAFE}


def test_a_chord_needs_flags_that_equal_the_clue() -> None:
    game = at(View.from_text("3x3/1\n###\n#1#\n###"))
    assert game.chord((1, 1), []) == []
    assert game.chord((1, 1), [(0, 0), (2, 2)]) == []
    assert game.chord((0, 0), []) == []


def test_a_death_can_be_taken_back() -> None:
    view = View.from_text("1x7/3\n#2#####")
    game = at(view)
    outcome = game.click((0, 0))
    assert outcome.why is Why.PROVEN_MINE
    assert game.status is Status.LOST
    with pytest.raises(BoardError, match="lost"):
        game.click((0, 5))
    game.undo()
    assert game.view == view
    assert game.click((0, 5)).survived
    with pytest.raises(BoardError, match="not lost"):
        game.undo()


@pytest.mark.parametrize(
    ("mode", "seed", "shown"),
    [
        ("uniform", 7, "0013#\n111##\n#123#\n#####\n#####"),
        ("cruelest", 1, "1233#\n2####\n#####\n#####\n#####"),
        ("cruelest", 6, "12232\n#####\n#####\n#####\n#####"),
    ],
)
def test_a_seed_gives_the_same_game_in_every_version(mode: Mode, seed: int, shown: str) -> None:
    """The page and the database keep games of Kaboom as seeds and clicks."""
    game = Kaboom("5x5/6", rules=Rules(mode=mode), seed=seed)
    for _ in range(5):
        game.click((cells_of(game.safe_map) or cells_of(game.guessable))[0])
    assert game.view.to_text() == f"5x5/6\n{shown}"


def test_rules_are_values() -> None:
    assert len({*RULES, Rules(), Rules(guess_anywhere=True)}) == len(RULES)


def test_the_first_and_the_largest_seed_are_seeds() -> None:
    assert all(Kaboom("4x4/2", seed=seed).click((1, 1)).survived for seed in (0, 2**64 - 1))


def test_the_same_seed_and_clicks_give_the_same_game_also_after_pickling() -> None:
    games = [Kaboom("8x8/12", seed=5) for _ in range(2)]
    for number in range(10):
        cell = careful_cell(games[0], Random(number))
        first, second = (game.click(cell) for game in games)
        assert {first} == {second}
        games[1] = pickle.loads(pickle.dumps(games[1]))
        if games[0].status is not Status.PLAYING:
            break
    assert games[0].view == games[1].view


def test_a_game_needs_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_api, "available", lambda: False)
    with pytest.raises(EngineError, match=r"^Kaboom needs the native engine, which "):
        Kaboom("4x4/2")


@pytest.mark.parametrize(
    ("request_it", "message"),
    [
        (lambda: Kaboom("4x4/8", rules=Rules(opening_start=True)), "expected 0 to 7"),
        (lambda: Kaboom("4x4/2", seed=-1), "seed"),
        (lambda: Kaboom("4x4/2", seed=2**64), "seed"),
        (lambda: Rules(mode="kind"), "'kind'"),  # type: ignore[arg-type]
        (lambda: Kaboom("3x3/1").click((3, 0)), "cell of 3x3"),
        (lambda: at(View.from_text("3x3/1\n###\n#1#\n###")).click((1, 1)), "hidden"),
    ],
)
def test_bad_requests_are_refused(request_it: Callable[[], object], message: str) -> None:
    with pytest.raises(BoardError, match=message):
        request_it()
