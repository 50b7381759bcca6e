"""Intervals and tests against published values, exact sums and simulated matches."""

from fractions import Fraction
from math import comb, log
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from minesweeper.player.play.stats import SequentialTest, mcnemar, mean_interval, paired_difference, wilson


def test_a_mean_interval_has_the_normal_quantile() -> None:
    assert 2 * mean_interval(0, 1, 4).margin == NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_has_the_published_values(wins: int, games: int, low: float, high: float) -> None:
    rate = wilson(wins, games)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)
    mirrored = wilson(games - wins, games)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - rate.high, 1 - rate.low))


@given(st.integers(0, 10**7), st.data())
def test_wilson_interval_holds_the_rate_and_stays_within_0_and_1(games: int, data: st.DataObject) -> None:
    rate = wilson(data.draw(st.integers(0, games)), games)
    assert 0 <= rate.low <= rate.value <= rate.high <= 1
    assert rate.low < rate.high


@pytest.mark.parametrize(("wins", "games"), [(-1, 5), (6, 5)])
def test_rejects_impossible_wins(wins: int, games: int) -> None:
    with pytest.raises(ValueError, match="expected 0 to 5"):
        wilson(wins, games)


def test_intervals_are_written_as_columns_and_text() -> None:
    assert wilson(1, 2).percent_columns("win", 2) == {
        "win_percent": 50,
        "win_percent_low": 9.45,
        "win_percent_high": 90.55,
    }
    assert mean_interval(0.25, 0, 1).percent_columns("gain") == {
        "gain_percent": 25,
        "gain_percent_low": None,
        "gain_percent_high": None,
    }
    assert wilson(1, 2).in_percent() == "50.00% (95% interval 9.45% to 90.55%)"


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_sums_the_binomial_tail_exactly(only_first: int, only_second: int) -> None:
    total, fewer = only_first + only_second, min(only_first, only_second)
    tail = Fraction(sum(comb(total, count) for count in range(fewer + 1)), 2**total)
    assert mcnemar(only_first, only_second) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-9)


def test_mcnemar_takes_millions_of_boards() -> None:
    # With a million boards the normal approximation is good: z = 4 means p = 6.33e-5.
    assert mcnemar(500_000 + 2_000, 500_000 - 2_000) == pytest.approx(6.33e-5, rel=0.02)
    assert mcnemar(0, 1_000_000) == 0


def test_paired_difference_has_the_published_form() -> None:
    # Agresti and Min (2005): centre (b* - c*) / n*, with 1/2 added to either count and 2 to the boards.
    difference = paired_difference(30, 10, 100)
    assert difference.value == pytest.approx(0.2)
    assert (difference.low + difference.high) / 2 == pytest.approx(20 / 102)
    assert difference.margin == pytest.approx(1.959964 * ((41 - 20**2 / 102) / 102**2) ** 0.5, rel=1e-6)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_paired_difference_is_antisymmetric_and_bounded(first: int, second: int, both: int) -> None:
    games = first + second + both
    ahead, behind = paired_difference(first, second, games), paired_difference(second, first, games)
    assert -1 <= ahead.low <= ahead.high <= 1
    assert (ahead.low, ahead.high) == pytest.approx((-behind.high, -behind.low))


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
    for _ in range(100):
        results = rng.choice([-1, 0, 1], size=20_000, p=[0.1 - lead / 2, 0.8, 0.1 + lead / 2])
        ahead, behind = np.cumsum(results == 1), np.cumsum(results == -1)
        for boards in range(100, 20_001, 100):
            verdict = test.verdict(int(ahead[boards - 1]), int(behind[boards - 1]), boards)
            if verdict is not None:
                wrong += verdict is not expected
                break
        else:
            pytest.fail("not decided in 20000 boards")
    # The risk is at most 5%: 5 of 100, and with a probability of 0.999 at most 13.
    assert wrong <= 13


@pytest.mark.parametrize("settings", [(0.1, 0.1), (0.2, 0.1), (0.0, 1.0), (0.0, 0.1, 0.0), (0.0, 0.1, 0.05, 0.5)])
def test_settings_that_cannot_be_are_refused(settings: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        SequentialTest(*settings)
