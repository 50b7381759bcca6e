"""How sure are we? Intervals for win rates, and tests that compare two players on the same boards."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Interval:
    """A share or a difference of shares, with the ends of its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def wilson(wins: int, games: int, confidence: float = 0.95) -> Interval:
    """Estimate a win rate in [0, 1] from `wins` of `games`; no games give the interval from 0 to 1.

    Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927): it keeps inside
    [0, 1] and stays honest for rates near its ends. Raises `ValueError` unless 0 <= wins <= games.
    """
    if not 0 <= wins <= games:
        raise ValueError(f"expected 0 to {games} wins, the number of games: {wins}")
    if games == 0:
        return Interval(0.0, 0.0, 1.0)
    z = _normal_quantile(confidence)
    rate = wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    reach = z / (1 + z * z / games) * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    # Rounding must not push an end past the rate itself, which no win or only wins put at the very end.
    return Interval(rate, min(rate, max(0.0, centre - reach)), max(rate, min(1.0, centre + reach)))


def paired_difference(only_first: int, only_second: int, games: int, confidence: float = 0.95) -> Interval:
    """Estimate how much more the first of two players wins, in [-1, 1], from games on the same boards.

    `only_first` and `only_second` count the boards that one of them won and the other lost. Wald interval with half a
    board added to either count (Agresti and Min, *Simple improved confidence intervals for comparing matched
    proportions*, Statistics in Medicine 24, 2005). Raises `ValueError` for counts that cannot be.
    """
    _check_pairs(only_first, only_second, games)
    if games == 0:
        return Interval(0.0, -1.0, 1.0)
    first, second, boards = only_first + 0.5, only_second + 0.5, games + 2
    centre = (first - second) / boards
    reach = _normal_quantile(confidence) * sqrt((first + second) / boards - centre * centre) / sqrt(boards)
    return Interval((only_first - only_second) / games, max(-1.0, centre - reach), min(1.0, centre + reach))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the p-value, in [0, 1], of the hypothesis that two players win equally often on the same boards.

    The exact two-sided test on the boards that only one of them won (McNemar, *Note on the sampling error of the
    difference between correlated proportions or percentages*, Psychometrika 12, 1947).
    """
    _check_pairs(only_first, only_second, only_first + only_second)
    fewer, total = min(only_first, only_second), only_first + only_second
    if total == 0 or 2 * fewer == total:
        return 1.0
    # Sum the lower tail upwards from its largest term: each term is the one above it times a ratio below 1.
    term = exp(lgamma(total + 1) - lgamma(fewer + 1) - lgamma(total - fewer + 1) - total * log(2))
    tail = 0.0
    for count in range(fewer, -1, -1):
        tail += term
        if term < tail * 1e-17:
            break
        term *= count / (total - count + 1)
    return min(1.0, 2 * tail)


def _check_pairs(only_first: int, only_second: int, games: int) -> None:
    if min(only_first, only_second) < 0 or only_first + only_second > games:
        raise ValueError(f"expected at most {games} boards won by one player only: {only_first} and {only_second}")


def _normal_quantile(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1: {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)
