"""Boards fixed by (seed, index), uniform over what the start rule allows."""

from collections import Counter
from math import comb, log

import pytest
from hypothesis import given, strategies as st

from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import MAX_SEED, Recipe, StartRule, parse_click


def test_a_board_depends_on_seed_and_index_only() -> None:
    # Stored runs rely on these very boards.
    recipe = Recipe("16x30/99", seed=7)
    assert recipe.puzzle(0).id == "3b3d077464a99dd47e57"
    assert recipe.puzzle(12).id == "9f0132635e097b68d423"
    assert Recipe("16x30/99", click=None, rule="safe", seed=MAX_SEED).puzzle(2**40).id == "9efacfbb6900f513325f"


@given(
    st.integers(1, 12), st.integers(1, 12), st.sampled_from(["opening", "safe"]), st.integers(0, MAX_SEED), st.data()
)
def test_boards_keep_the_start_rule(rows: int, cols: int, rule: StartRule, seed: int, data: st.DataObject) -> None:
    click = data.draw(st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1)) | st.none())
    room = rows * cols - len(StartRule(rule).zone(Grid(rows, cols), click or (min(1, rows - 1), min(1, cols - 1))))
    mines = data.draw(st.integers(0, room))
    puzzle = Recipe(Grid(rows, cols), mines, click, rule, seed).puzzle(data.draw(st.integers(0, 2**63 - 1)))
    assert puzzle.board.mines == mines
    assert click is None or puzzle.first_click == click
    if rule == "opening":
        assert puzzle.board.clues[puzzle.first_click] == 0


@pytest.mark.parametrize(("click", "rule"), [((0, 0), "opening"), ((1, 1), "safe"), (None, "safe"), (None, "opening")])
def test_layouts_are_uniform(click: tuple[int, int] | None, rule: StartRule) -> None:
    recipe = Recipe("3x4/3", click=click, rule=rule, seed=11)
    draws = 3_000
    seen = Counter((puzzle.first_click, puzzle.board.to_bytes()) for puzzle in map(recipe.puzzle, range(draws)))
    expected: dict[tuple[int, int], tuple[float, int]] = {}
    for where in [click] if click is not None else [(row, col) for row in range(3) for col in range(4)]:
        layouts = comb(12 - len(StartRule(rule).zone(Grid(3, 4), where)), 3)
        share = 1 if click is not None else 1 / 12
        expected[where] = (draws * share / layouts, layouts)
    observed = Counter(where for where, _ in seen)
    assert all(observed[where] <= layouts for where, (_, layouts) in expected.items())
    chi_square = sum((times - expected[where][0]) ** 2 / expected[where][0] for (where, _), times in seen.items())
    chi_square += sum((layouts - observed[where]) * each for where, (each, layouts) in expected.items())
    freedom = sum(layouts for _, layouts in expected.values()) - 1
    # Within five standard deviations of a chi-square distribution.
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5


def test_counting_the_puzzles_of_a_recipe() -> None:
    assert Recipe("3x4/3", click=(0, 0), seed=0).log_puzzles() == pytest.approx(log(comb(8, 3)))
    assert Recipe("9x9/0", rule="safe", seed=0).log_puzzles() == pytest.approx(0)


@pytest.mark.parametrize(
    ("text", "click"), [("center", (8, 15)), ("corner", (0, 0)), ("random", None), ("0,29", (0, 29)), (" 3, 4", (3, 4))]
)
def test_first_clicks(text: str, click: tuple[int, int] | None) -> None:
    assert parse_click(text, Grid(16, 30)) == click


@pytest.mark.parametrize("text", ["16,0", "0,30", "-1,0", "a", "1", "1,2,3", "", "1.5,2", "9" * 5000 + ",1"])
def test_bad_first_clicks(text: str) -> None:
    with pytest.raises(BoardError, match="first click"):
        parse_click(text, Grid(16, 30))


def test_impossible_recipes() -> None:
    for mines, click, rule, seed, message in [
        (73, (4, 4), "opening", 0, "expected 0 to 72"),
        (73, None, "opening", 0, "expected 0 to 72"),
        (78, (0, 0), "opening", 0, "expected 0 to 77"),
        (-1, (4, 4), "safe", 0, "expected 0 to 80"),
        (10, (9, 0), "safe", 0, "cell of 9x9"),
        (10, (4, 4), "safe", -1, "seed"),
        (10, (4, 4), "safe", 2**63, "seed"),
    ]:
        with pytest.raises(BoardError, match=message):
            Recipe(Grid(9, 9), mines, click, rule, seed)  # type: ignore[arg-type]
