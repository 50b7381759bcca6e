"""Intervals and tests against published values and exact sums."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from statistics import NormalDist

import pytest
from hypothesis import given, strategies as st

from minesweeper.player.stats import mcnemar, mean_interval, paired_difference, wilson


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
