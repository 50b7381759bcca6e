"""The difficulty of puzzles: monotonic scores, hand-calculated values, and ratings."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from minesweeper.player.measure.difficulty import difficulty

CELLS = st.integers(0, 400)
SAFE = 100

AT_ONCE = st.none() | st.integers(0, 40)


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.integers(0, 3), AT_ONCE)
def test_more_to_decide_is_harder(steps: tuple[int, int, int, int], tier: int, at_once: int | None) -> None:
    more = list(steps)
    more[tier] += 1
    assert (
        difficulty((more[0], more[1], more[2], more[3]), at_once, SAFE).score > difficulty(steps, at_once, SAFE).score
    )


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.integers(2, 40))
def test_more_clues_at_once_are_harder(steps: tuple[int, int, int, int], at_once: int) -> None:
    assert difficulty(steps, at_once + 1, SAFE).score > difficulty(steps, at_once, SAFE).score
    assert difficulty(steps, 2, SAFE) == difficulty(steps, 0, SAFE) == difficulty(steps, None, SAFE)


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.integers(0, 2), AT_ONCE)
def test_the_first_cell_of_a_harder_tier_is_more_work_than_one_of_an_easier_one(
    steps: tuple[int, int, int, int], tier: int, at_once: int | None
) -> None:
    easier, harder = list(steps), list(steps)
    easier[tier + 1] = harder[tier + 1] = 0
    easier[tier] += 1
    harder[tier + 1] += 1
    assert difficulty((harder[0], harder[1], harder[2], harder[3]), at_once, SAFE).score > (
        difficulty((easier[0], easier[1], easier[2], easier[3]), at_once, SAFE).score
    )


@pytest.mark.parametrize(
    ("steps", "at_once", "safe_cells", "word"),
    [
        ((0, 0, 0, 0), 0, 71, "easy"),
        ((0, 0, 0, 0), 0, 0, "easy"),
        ((60, 0, 0, 0), 1, 71, "easy"),
        ((60, 3, 0, 0), 2, 71, "medium"),
        ((60, 3, 0, 0), 2, 381, "easy"),
        ((40, 0, 0, 1), 1, 381, "medium"),
        ((40, 0, 0, 1), 6, 381, "hard"),
        ((412, 24, 0, 0), 2, 381, "hard"),
        ((0, 5, 0, 0), 2, 10, "medium"),
        ((412, 24, 4, 9), 3, 1200, "hard"),
        ((412, 24, 4, 9), 3, 381, "fiendish"),
    ],
)
def test_ratings_depend_on_the_size(steps: tuple[int, int, int, int], at_once: int, safe_cells: int, word: str) -> None:
    assert difficulty(steps, at_once, safe_cells).word == word


@pytest.mark.parametrize(
    ("steps", "at_once", "score", "word"),
    [
        # By hand: 0.02 a + b + 8 sqrt(c) + 16 sqrt(d) + 4 (k - 2) for the cells a, b, c, d and k clues at once.
        ((0, 0, 0, 0), None, 0.0, "easy"),
        ((95, 0, 0, 0), 1, 1.9, "easy"),  # 1.9
        ((50, 1, 0, 0), 2, 2.0, "easy"),  # 1 + 1
        ((60, 3, 0, 0), 2, 4.2, "medium"),  # 1.2 + 3
        ((0, 0, 1, 0), 2, 8.0, "hard"),  # 8
        ((100, 0, 1, 0), None, 10.0, "expert"),  # 2 + 8
        ((0, 0, 0, 1), 1, 16.0, "fiendish"),  # 16
        ((0, 0, 9, 0), 3, 28.0, "fiendish"),  # 24 + 4
        ((0, 6, 9, 0), 2, 30.0, "fiendish"),  # 6 + 24
        ((250, 1, 0, 1), 5, 34.0, "fiendish"),  # 5 + 1 + 16 + 12
        ((0, 4, 16, 0), 8, 60.0, "fiendish"),  # 4 + 32 + 24
        ((412, 24, 4, 9), 3, 100.24, "fiendish"),  # 8.24 + 24 + 16 + 48 + 4
    ],
)
def test_scores_worked_out_by_hand(
    steps: tuple[int, int, int, int], at_once: int | None, score: float, word: str
) -> None:
    rated = difficulty(steps, at_once, SAFE)
    assert rated.score == pytest.approx(score, rel=1e-12)
    assert rated.word == word


@pytest.mark.parametrize(
    ("least", "word", "before"),
    [(4, "medium", "easy"), (7, "hard", "medium"), (10, "expert", "hard"), (15, "fiendish", "expert")],
)
def test_each_rating_begins_at_its_lower_bound(least: int, word: str, before: str) -> None:
    # A cell that two clues decide counts 1; 49 that one clue decides count 0.98.
    assert difficulty((0, least, 0, 0), 2, SAFE).word == word
    assert difficulty((49, least - 1, 0, 0), 2, SAFE).word == before
