"""The difficulty of puzzles: monotonic scores, hand-calculated values, and ratings."""

import pytest
from hypothesis import given, strategies as st

from minesweeper.player.core.difficulty import rate_solution
from minesweeper.player.core.steps import Tally

CELLS = st.integers(0, 400)
TALLIES = st.builds(Tally, CELLS, CELLS, CELLS, CELLS)
SAFE = 100


@given(TALLIES, st.integers(0, 3), st.integers(2, 40))
def test_more_cells_and_more_clues_at_once_are_harder(tally: Tally, tier: int, at_once: int) -> None:
    more = [cells + (number == tier) for number, cells in enumerate(tally)]
    score = rate_solution(tally, at_once, SAFE).score
    assert rate_solution(Tally(*more), at_once, SAFE).score > score
    assert rate_solution(tally, at_once + 1, SAFE).score > score
    assert rate_solution(tally, 2, SAFE) == rate_solution(tally, 0, SAFE) == rate_solution(tally, None, SAFE)


@given(TALLIES, st.integers(0, 2))
def test_the_first_cell_of_a_harder_tier_is_more_work_than_one_of_an_easier_one(tally: Tally, tier: int) -> None:
    easier, harder = list(tally), list(tally)
    easier[tier] += 1
    easier[tier + 1], harder[tier + 1] = 0, 1
    assert rate_solution(Tally(*harder), 2, SAFE).score > rate_solution(Tally(*easier), 2, SAFE).score


@pytest.mark.parametrize(
    ("steps", "at_once", "safe_cells", "word"),
    [
        ((0, 0, 0, 0), 0, 71, "easy"),
        ((0, 0, 0, 0), 0, 0, "easy"),
        ((60, 3, 0, 0), 2, 381, "easy"),
        ((40, 0, 0, 1), 1, 381, "medium"),
        ((40, 0, 0, 1), 6, 381, "hard"),
        ((0, 5, 0, 0), 2, 10, "medium"),
        ((412, 24, 4, 9), 3, 1200, "hard"),
        ((412, 24, 4, 9), 3, 381, "fiendish"),
        # The lower bounds. A cell that two clues decide counts 1; 49 that one clue decides count 0.98.
        *(((0, least, 0, 0), 2, SAFE, word) for least, word in ((4, "medium"), (7, "hard"), (10, "expert"))),
        *(((49, least - 1, 0, 0), 2, SAFE, word) for least, word in ((4, "easy"), (7, "medium"), (10, "hard"))),
        *[((0, 15, 0, 0), 2, SAFE, "fiendish"), ((49, 14, 0, 0), 2, SAFE, "expert")],
    ],
)
def test_ratings_depend_on_the_size(steps: tuple[int, int, int, int], at_once: int, safe_cells: int, word: str) -> None:
    assert rate_solution(Tally(*steps), at_once, safe_cells).word == word


@pytest.mark.parametrize(
    ("steps", "at_once", "score"),
    [
        # By hand: 0.02 a + b + 8 sqrt(c) + 16 sqrt(d) + 4 (k - 2) for the cells a, b, c, d and k clues at once.
        ((0, 0, 0, 0), None, 0.0),
        ((95, 0, 0, 0), 1, 1.9),
        ((60, 3, 0, 0), 2, 4.2),  # 1.2 + 3
        ((100, 0, 1, 0), None, 10.0),  # 2 + 8
        ((0, 0, 0, 1), 1, 16.0),
        ((0, 0, 9, 0), 3, 28.0),  # 24 + 4
        ((250, 1, 0, 1), 5, 34.0),  # 5 + 1 + 16 + 12
        ((0, 4, 16, 0), 8, 60.0),  # 4 + 32 + 24
        ((412, 24, 4, 9), 3, 100.24),  # 8.24 + 24 + 16 + 48 + 4
    ],
)
def test_scores_worked_out_by_hand(steps: tuple[int, int, int, int], at_once: int | None, score: float) -> None:
    assert rate_solution(Tally(*steps), at_once, SAFE).score == pytest.approx(score, rel=1e-12)
