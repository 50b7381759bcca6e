"""The sequential test against its definition, and in simulated matches."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from minesweeper.player.stats import SequentialTest


def best_log_likelihood(counts: tuple[int, int, int], mean: float) -> float:
    """Maximise the likelihood of the results -1, 0 and 1 with this mean over its free parameter, the chance of 0."""
    unequal = np.linspace(0, 1, 200_001)[1:-1]
    chances = np.array([(unequal - mean) / 2, 1 - unequal, (unequal + mean) / 2])
    chances = chances[:, (chances > 0).all(axis=0)]
    return float((np.array(counts)[:, None] * np.log(chances)).sum(axis=0).max())


@pytest.mark.parametrize("counts", [(60, 500, 90), (5, 3, 4), (400, 100, 500), (1, 10_000, 2)])
@pytest.mark.parametrize("claims", [(0.0, 0.01), (-0.02, 0.05), (0.1, 0.3)])
def test_the_ratio_compares_the_likeliest_chances(counts: tuple[int, int, int], claims: tuple[float, float]) -> None:
    behind, _, ahead = counts
    expected = best_log_likelihood(counts, claims[1]) - best_log_likelihood(counts, claims[0])
    ratio = SequentialTest(*claims).log_likelihood_ratio(ahead, behind, sum(counts))
    assert ratio == pytest.approx(expected, rel=1e-4, abs=1e-4)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 2000))
def test_the_ratio_changes_sign_when_the_players_are_swapped(ahead: int, behind: int, same: int) -> None:
    test = SequentialTest(-0.02, 0.02)
    boards = ahead + behind + same
    ratio = test.log_likelihood_ratio(ahead, behind, boards)
    assert ratio == pytest.approx(-test.log_likelihood_ratio(behind, ahead, boards), abs=1e-6)


def test_bounds_are_those_of_wald() -> None:
    test = SequentialTest(0, 0.01, alpha=0.01, beta=0.1)
    assert (test.lower, test.upper) == (log(0.1 / 0.99), log(0.9 / 0.01))
    assert test.verdict(600, 300, 10_000) is True
    assert test.verdict(300, 600, 10_000) is False
    assert test.verdict(11, 10, 100) is None
    assert test.verdict(0, 0, 0) is None


@pytest.mark.parametrize(("lead", "expected"), [(0.0, False), (0.03, True)])
def test_simulated_matches_are_seldom_decided_wrongly(lead: float, expected: bool) -> None:
    rng = np.random.default_rng(4)
    test = SequentialTest(0.0, 0.03)
    wrong = 0
    for _ in range(200):
        results = rng.choice([-1, 0, 1], size=20_000, p=[0.1 - lead / 2, 0.8, 0.1 + lead / 2])
        ahead, behind = np.cumsum(results == 1), np.cumsum(results == -1)
        for boards in range(100, 20_001, 100):
            verdict = test.verdict(int(ahead[boards - 1]), int(behind[boards - 1]), boards)
            if verdict is not None:
                wrong += verdict is not expected
                break
        else:
            pytest.fail("not decided in 20000 boards")
    # The risk is at most 5%: 10 of 200, and with a probability of 0.999 at most 21.
    assert wrong <= 21


@pytest.mark.parametrize("settings", [(0.1, 0.1), (0.2, 0.1), (0.0, 1.0), (0.0, 0.1, 0.0), (0.0, 0.1, 0.05, 0.5)])
def test_settings_that_cannot_be_are_refused(settings: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        SequentialTest(*settings)
