"""Reasons against brute force: their clues force the cell, and no smaller set of clues does."""

from collections.abc import Callable
from itertools import combinations, groupby, islice

import numpy as np
import pytest
from oracle import Assignments, forced, layouts, reduced
from rectangle import count_neighbours
from views import random_views

from minesweeper.generator.screening import screen_by_sat, screen_range
from minesweeper.player import Cell, Grid, Recipe, kernel_api, solution_path
from minesweeper.player.core.board import HIDDEN, Board, Puzzle, View, cells_of
from minesweeper.player.core.errors import BoardError, InconsistentView, OutOfTime
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic import closure, reasoner
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.reasons import counterexample, easiest_step, explanation, reason

ONE_TWO_ONE = View.from_text("2x5/2\n#121#\n#####")
# In the first two, several clues touch the first cell, which counts once. In the last one, several mines move at once.
RARE_VIEWS = [
    "4x3/7\n2##\n##3\n##3\n###",
    "5x5/6\n#2###\n2##2#\n##10#\n3###0\n##1##",
    "5x4/9\n#4##\n###3\n244#\n####\n#23#",
]


def small_views(count: int, seed: int) -> list[View]:
    few_clues = (view for view in random_views(seed) if np.count_nonzero(view.cells >= 0) <= 9)
    return list(islice(few_clues, count))


def check_words(found: Deduction, view: View) -> None:
    words = found.in_words()
    assert f"{found.cell}" in words.partition(":")[0]
    for clue in found.clues:
        assert f"{view.cells[clue]} at {clue}" in words


def test_reasons_force_their_cell_and_none_is_smaller() -> None:
    seen: set[tuple[bool, int]] = set()
    for view in [*small_views(250, seed=1), *map(View.from_text, RARE_VIEWS)]:
        known = closure(view, "sat")
        brute = Assignments(view)
        for row, col in np.argwhere(known.safe_map | known.mine_map).tolist():
            found = reason(view, (row, col), seconds=60)
            assert found.mine == known.mine_map[row, col]
            assert found.smallest
            assert brute.forced(found.cell, found.clues, found.mine_count)
            assert (found.mine_count, len(found.clues)) == brute.smallest((row, col)), f"{view}\n{found}"
            check_words(found, view)
            seen.add((found.mine_count, len(found.clues)))
            if found.tier >= Tier.MORE_CLUES and kernel_api.available():
                # Of equally small sets, it is the first in reading order.
                sets = combinations(sorted(reduced(view, {})[0]), len(found.clues))
                assert found.clues == next(one for one in sets if brute.forced(found.cell, one, found.mine_count))
    assert {(False, 1), (False, 2), (False, 3), (True, 0), (True, 1), (True, 2), (True, 3)} <= seen


@pytest.mark.kernel
def test_of_more_than_64_clues_the_first_smallest_reason_is_found() -> None:
    rows = "##222####3# #32##22#5## #212#2#4### #3100235#53 ##3211##3#1 35##2133311 2###312#111 #66#3#2233# ####321###3"
    view = View.from_text("\n".join(["11x11/40", *rows.split(), "2##4#113#4#", "0112111#22#"]))
    found = reason(view, (0, 0), seconds=60)
    assert found.clues == ((0, 9), (1, 6), (2, 1), (2, 3), (6, 4), (7, 7), (9, 0), (10, 9))
    safe, mines = forced(view, {}, found.clues, count=True)
    assert found.cell in (mines if found.mine else safe)


@pytest.mark.kernel
def test_a_reason_found_in_no_time_lacks_the_clues_that_can_be_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clues are dropped one by one, the farthest first."""

    def out_of_time(_: object) -> None:
        raise OutOfTime("now")

    monkeypatch.setattr("minesweeper.player.logic.reasons._MOST_CLUES", 0)
    monkeypatch.setattr("minesweeper.player.logic.reasons._smallest_hitting_set", out_of_time)
    checked = 0
    for view in small_views(90, seed=2):
        known = closure(view, "sat")
        brute = Assignments(view)
        for row, col in np.argwhere(known.tiers >= Tier.MORE_CLUES).tolist():
            found = reason(view, (row, col))
            if found.tier < Tier.MORE_CLUES:
                continue
            assert found.smallest == (not found.clues)
            needed = sorted(reduced(view, {})[0])
            for clue in sorted(needed, key=lambda at: -max(abs(at[0] - row), abs(at[1] - col))):
                rest = tuple(at for at in needed if at != clue)
                if brute.forced((row, col), rest, found.mine_count):
                    needed.remove(clue)
            assert found.clues == tuple(needed)
            checked += len(needed) > 1
    assert checked > 10


def test_given_cells_count_as_known() -> None:
    for view in small_views(90, seed=3):
        known = closure(view, "sat")
        cells = [(row, col) for row, col in np.argwhere(known.safe_map | known.mine_map).tolist()]
        given = {cell: bool(known.mine_map[cell]) for cell in cells[::2]}
        brute = Assignments(view, given)
        for cell in cells[1::2]:
            found = reason(view, cell, given=given, seconds=60)
            assert found.mine == known.mine_map[cell]
            assert (found.mine_count, len(found.clues)) == brute.smallest(cell)
            assert brute.forced(cell, found.clues, found.mine_count)
            assert set(found.given) <= set(given)
            check_words(found, view)


def test_given_makes_a_step_small() -> None:
    alone = reason(ONE_TWO_ONE, (1, 3))
    on_top = reason(ONE_TWO_ONE, (1, 3), given={(1, 2): False})
    assert (alone.tier, len(alone.clues)) == (Tier.TWO_CLUES, 2)
    assert on_top.clues == ((0, 2),)
    assert on_top.given == ((1, 2),)


@pytest.mark.parametrize(
    ("view", "cell", "words"),
    [
        ("2x2/1\n1#\n##", None, None),
        ("2x2/3\n3#\n##", (0, 1), "the clue 3 at (0, 0) touches only 3 cells where a mine can be"),
        ("2x2/0\n0#\n##", (0, 1), "the clue 0 at (0, 0) touches no mine"),
        (
            "2x5/2\n#121#\n#####",
            (1, 1),
            "the clues 1 at (0, 3) and 2 at (0, 2) share 2 cells, which hold at most 1 mine; "
            "the clue at (0, 2) needs 2, so its other cell must be a mine",
        ),
        (
            "2x4/2\n1111\n####",
            (1, 2),
            "the clues 1 at (0, 0) and 1 at (0, 1) share 2 cells, which hold at least 1 mine, "
            "all that the clue at (0, 1) needs",
        ),
        ("1x2/0\n##", (0, 0), "there is no mine"),
        (
            "1x5/2\n#1#1#",
            (0, 2),
            "if (0, 2) were a mine, the clues 1 at (0, 1) and 1 at (0, 3) and the number of mines, 2, "
            "could not all be true",
        ),
    ],
)
def test_words(view: str, cell: Cell | None, words: str | None) -> None:
    position = View.from_text(view)
    if cell is None or words is None:
        with pytest.raises(BoardError, match="could be a mine or safe"):
            reason(position, (0, 1))
    else:
        assert f"is {'a mine' if reason(position, cell).mine else 'safe'}: {words}" in reason(position, cell).in_words()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: reason(ONE_TWO_ONE, (0, 1)), r"\(0, 1\) is open; expected a hidden cell"),
        (lambda: counterexample(ONE_TWO_ONE, (2, 0)), r"\(2, 0\) is off the board; expected a cell of 2x5"),
        (lambda: reason(ONE_TWO_ONE, (0, 0), given={(0, 1): False}), "hidden cell"),
        (lambda: reason(ONE_TWO_ONE, (0, 0), given={(0, 0): False}), "is given"),
        (lambda: counterexample(ONE_TWO_ONE, (0, 0)), "is safe in every layout"),
        (lambda: counterexample(ONE_TWO_ONE, (1, 1)), "is a mine in every layout"),
        (lambda: easiest_step(ONE_TWO_ONE, given={(1, 1): False, (1, 2): False}), "do not fit the view"),
    ],
)
def test_questions_that_make_no_sense(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(BoardError, match=message):
        ask()


def test_a_view_that_nothing_fits() -> None:
    view = View.from_text("1x6/1\n#1##1#")
    for ask in (easiest_step, lambda view: reason(view, (0, 0)), lambda view: counterexample(view, (0, 0))):
        with pytest.raises(InconsistentView) as wrong:
            ask(view)
        assert wrong.value.clues == ((0, 1), (0, 4))
        assert wrong.value.mine_count


def test_counterexamples_fit_the_view_and_differ_at_the_cell() -> None:
    asked = 0
    for view in small_views(200, seed=4):
        known = closure(view, "sat")
        possible = layouts(view)
        for row, col in np.argwhere((view.cells < 0) & ~known.safe_map & ~known.mine_map).tolist():
            safe, mine = counterexample(view, (row, col))
            for board in (safe, mine):
                assert any(np.array_equal(board.mine_map, layout) for layout in possible)
            assert not safe.mine_map[row, col]
            assert mine.mine_map[row, col]
            asked += 1
    assert asked > 200


def test_counterexamples_are_alike_far_away() -> None:
    puzzle = Recipe("16x30/99", seed=3).puzzle(0)
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    view = game.view
    known = closure(view)
    open_questions = np.argwhere(
        (view.cells < 0) & (count_neighbours(view.cells >= 0) > 0) & ~known.safe_map & ~known.mine_map
    )
    for row, col in open_questions.tolist():
        safe, mine = counterexample(view, (row, col))
        opened = view.cells >= 0
        for board in (safe, mine):
            assert board.mines == view.mines
            assert np.array_equal(board.clues[opened], view.cells[opened])
        assert np.count_nonzero(safe.mine_map != mine.mine_map) <= 16


def solve_by_hints(puzzle: Puzzle) -> list[Tier]:
    """Follow hints, taking earlier ones as given, until the puzzle is solved; return the tiers used."""
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    mines: dict[Cell, bool] = {}
    tiers = []
    while game.status is Status.PLAYING:
        step = easiest_step(game.view, given=mines)
        assert step is not None
        assert step.safe or step.mines
        assert not set(step.mines) & set(mines)
        check_words(step, game.view)
        for cell in step.safe:
            assert not puzzle.board.mine_map[cell]
            if game.status is Status.PLAYING:
                game.open(cell)
        for cell in step.mines:
            assert puzzle.board.mine_map[cell]
            mines[cell] = True
        tiers.append(step.tier)
    return tiers


BEGINNER, INTERMEDIATE = Recipe("9x9/10", seed=1), Recipe("16x16/40", seed=2)


@pytest.mark.parametrize(
    ("recipe", "boards"), [(BEGINNER, 40), (INTERMEDIATE, 8), pytest.param(INTERMEDIATE, 40, marks=pytest.mark.long)]
)
def test_hints_solve_solvable_puzzles(recipe: Recipe, boards: int) -> None:
    hardest = [max(solve_by_hints(kept.puzzle)) for kept in screen_range(recipe, 0, boards)]
    assert len(hardest) >= 4
    assert len(set(hardest)) >= 2


@pytest.mark.long
def test_hints_solve_solvable_expert_puzzles() -> None:
    recipe = Recipe("16x30/99", seed=1)
    assert {max(solve_by_hints(kept.puzzle)) for kept in screen_range(recipe, 0, 1000)} == {
        Tier.TWO_CLUES,
        Tier.MORE_CLUES,
        Tier.MINE_COUNT,
    }


@pytest.mark.kernel
def test_an_explanation_follows_the_path_with_smallest_reasons() -> None:
    pairs = 0
    for view in small_views(150, seed=8):
        steps = list(solution_path(view).steps)
        known: dict[Cell, bool] = {}
        for step, (_, group) in zip(steps, groupby(explanation(view), lambda hint: hint.clues), strict=True):
            hints = list(group)
            pairs += len(hints) > 1
            assert sorted(cell for hint in hints for cell in hint.safe) == list(step.safe)
            assert sorted(cell for hint in hints for cell in hint.mines) == list(step.mines)
            for hint in hints:
                check_words(hint, view)
                found = reason(view, hint.cell, given=known, seconds=60)
                assert (found.mine, found.mine_count) == (hint.mine, hint.mine_count)
                assert len(found.clues) == len(hint.clues)
                if len(found.clues) == 1 and not found.mine_count:
                    assert found.given == hint.given
            known |= dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
    assert pairs > 3


def test_without_the_kernel_reasons_are_minimal_and_steps_have_the_easiest_tier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_api, "available", lambda: False)
    for view in small_views(25, seed=9):
        known = closure(view, "sat")
        brute = Assignments(view)
        steps = list(explanation(view))
        decided = {cell: mine for step in steps for cell, mine in step.decided.items()}
        assert decided.keys() == set(map(tuple, np.argwhere(known.tiers > 0).tolist()))
        assert all(step.tier <= known.tiers[step.cell] for step in steps)
        assert easiest_step(view) == next(iter(steps), None)
        for cell, mine in decided.items():
            found = reason(view, cell)
            check_words(found, view)
            assert found.mine == known.mine_map[cell] == mine
            assert brute.forced(cell, found.clues, found.mine_count)
            for clue in found.clues:
                assert not brute.forced(cell, tuple(at for at in found.clues if at != clue), found.mine_count)
            if found.smallest:
                assert (found.mine_count, len(found.clues)) == brute.smallest(cell)


@pytest.mark.kernel
def test_reasons_of_more_clues_than_the_kernel_tries_are_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hitting sets find sets of the same size as the kernel's own search."""
    large = 0
    for view in small_views(150, seed=11):
        for row, col in np.argwhere(closure(view).tiers >= Tier.MORE_CLUES).tolist():
            found = reason(view, (row, col), seconds=60)
            with monkeypatch.context() as limited:
                limited.setattr("minesweeper.player.logic.reasons._MOST_CLUES", 0)
                other = reason(view, (row, col), seconds=60)
            assert other.smallest
            assert (other.tier, len(other.clues)) == (found.tier, len(found.clues))
            assert other.cell in forced(view, {}, other.clues, count=other.mine_count)[other.mine]
            large += len(found.clues) > 2
    assert large >= 5


def first_tier(view: View) -> Tier:
    knowledge = reasoner(view.grid, view.mines, "sat")
    opened = [number for number, clue in enumerate(view.cells.ravel().tolist()) if clue >= 0]
    knowledge.learn(opened, view.cells.ravel()[opened].tolist())
    return knowledge.advance()[0].tier


def test_an_explanation_begins_with_the_easiest_tier_and_ends_with_all_that_is_known() -> None:
    for view in small_views(200, seed=6):
        known = closure(view, "sat")
        steps, easiest = list(explanation(view)), easiest_step(view)
        assert (easiest is None) == (not steps)
        if easiest is not None:
            assert easiest.tier == steps[0].tier == first_tier(view)
            assert all(known.mine_map[cell] if mine else known.safe_map[cell] for cell, mine in easiest.decided.items())
        assert sorted(cell for step in steps for cell in step.safe) == list(cells_of(known.safe_map))
        assert sorted(cell for step in steps for cell in step.mines) == list(cells_of(known.mine_map))


@pytest.mark.parametrize("kernel", [True, False])
def test_reasons_with_the_mine_count_on_a_large_board(kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All mines are in sight, so the count alone clears the corner; many clues are needed to see that."""
    if not kernel:
        monkeypatch.setattr(kernel_api, "available", lambda: False)
    elif not kernel_api.available():
        pytest.skip("the kernel was not built")
    mines = [(row, col) for row in range(2, 15, 3) for col in range(1, 26, 3)]
    board = Board.from_cells(Grid(16, 30), [*mines, (14, 28), (14, 29), (15, 28)])
    cells = board.clues.copy()
    cells[15, 29] = HIDDEN
    view = View(cells, board.mines)
    found = reason(view, (15, 29), seconds=0.1)
    assert found.mine_count
    assert not found.mine
    assert (15, 29) in forced(view, {}, found.clues, count=True)[0]


@pytest.mark.kernel
def test_one_or_two_clues_are_a_smallest_set_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_api, "available", lambda: False)
    found = [reason(view, cell) for view, cell in (("1x3/1\n1#0", (0, 1)), ("2x3/1\n11#\n###", (1, 2)))]
    assert [(len(step.clues), step.smallest) for step in found] == [(1, True), (2, True)]


def test_the_kernel_finds_smallest_and_sat_minimal_reasons_with_the_mine_count(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = set()
    recipe = Recipe("8x8/9", seed=3)
    for kept in screen_range(recipe, 0, 500):
        for hard in screen_by_sat(kept.puzzle).hard_steps:
            if hard.step.tier is not Tier.MINE_COUNT:
                continue
            board = kept.puzzle.board
            undecided = np.frombuffer(hard.undecided, np.bool_).reshape(board.mine_map.shape)
            view = View(np.where(undecided | board.mine_map, HIDDEN, board.clues), board.mines)
            cell = divmod((hard.step.safe + hard.step.mines)[0], board.cols)
            found = reason(view, cell, seconds=60)
            with monkeypatch.context() as without:
                without.setattr(kernel_api, "available", lambda: False)
                other = reason(view, cell, seconds=60)
            assert found.smallest
            assert other.smallest is (not other.clues)
            assert other.mine_count
            assert len(other.clues) >= len(found.clues)
            for step in (found, other):
                assert step.mine == found.mine
                assert cell in forced(view, {}, step.clues, count=True)[found.mine]
                for clue in step.clues:
                    rest = [at for at in step.clues if at != clue]
                    assert cell not in forced(view, {}, rest, count=True)[found.mine]
            sizes.add(len(found.clues))
    assert max(sizes) >= 5
