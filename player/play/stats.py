"""Intervals for win rates, and tests that compare two players on the same boards."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isfinite, lgamma, log, sqrt
from typing import Final

_QUANTILE: Final = 1.9599639845400536
"""Half the width of a 95% interval of a normal distribution, in standard deviations."""
_UNSEEN: Final = 1e-3
"""The count of a result that never occurred, to avoid a likelihood of zero."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate or another estimate with its 95% confidence interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def percent_columns(self, name: str, digits: int = 4) -> dict[str, float | None]:
        """Return the columns ``<name>_percent``, ``<name>_percent_low`` and ``<name>_percent_high`` of a table.

        An infinite end becomes None.
        """
        ends = {"": self.value, "_low": self.low, "_high": self.high}
        return {f"{name}_percent{end}": round(100 * x, digits) if isfinite(x) else None for end, x in ends.items()}

    def in_percent(self) -> str:
        """Write the value and the interval: ``83.10% (95% interval 80.65% to 85.29%)``."""
        return f"{self.value:.2%} (95% interval {self.low:.2%} to {self.high:.2%})"


def wilson(wins: int, games: int) -> Interval:
    """Estimate a win rate in [0, 1] from `wins` of `games`; no games give the interval from 0 to 1.

    The interval stays within [0, 1] and is accurate for rates near its ends (Wilson, *Probable inference, the law of
    succession, and statistical inference*, JASA 22, 1927). Raises `ValueError` unless 0 <= wins <= games.
    """
    if not 0 <= wins <= games:
        raise ValueError(f"{wins} wins of {games} games: expected 0 to {games}")
    if games == 0:
        return Interval(0.0, 0.0, 1.0)
    z = _QUANTILE
    rate = wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    reach = z / (1 + z * z / games) * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    # Rounding must not put an end beyond the rate, which can be 0 or 1.
    return Interval(rate, min(rate, max(0.0, centre - reach)), max(rate, min(1.0, centre + reach)))


def mean_interval(mean: float, deviation: float, count: int) -> Interval:
    """Return the normal interval of a mean of `count` numbers, from their standard deviation; infinite for one."""
    reach = _QUANTILE * deviation / sqrt(count) if count > 1 else inf
    return Interval(mean, mean - reach, mean + reach)


def paired_difference(only_first: int, only_second: int, games: int) -> Interval:
    """Estimate the difference of the win rates of two players, in [-1, 1], from games on the same boards.

    `only_first` and `only_second` count the boards that only one of them won. The Wald interval has half a board added
    to each count (Agresti and Min, *Simple improved confidence intervals for comparing matched proportions*, Statistics
    in Medicine 24, 2005). Raises `ValueError` for impossible counts.
    """
    _check_pairs(only_first, only_second, games)
    if games == 0:
        return Interval(0.0, -1.0, 1.0)
    first, second, boards = only_first + 0.5, only_second + 0.5, games + 2
    centre = (first - second) / boards
    reach = _QUANTILE * sqrt((first + second) / boards - centre * centre) / sqrt(boards)
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
    whole = lgamma(total + 1) - total * log(2)
    tail = sum(exp(whole - lgamma(count + 1) - lgamma(total - count + 1)) for count in range(fewer + 1))
    return min(1.0, 2 * tail)


def _check_pairs(only_first: int, only_second: int, games: int) -> None:
    if min(only_first, only_second) < 0 or only_first + only_second > games:
        raise ValueError(
            f"{only_first} and {only_second} boards won by one player only: expected at most {games} in all"
        )


@dataclass(frozen=True)
class SequentialTest:
    """A test that decides between two differences of win rates, `gain` and `null`, as used for chess programs.

    Two players meet on common boards until the test decides. Each board counts 1 if only the first player won it, -1 if
    only the second, else 0; the mean is the difference. The bounds are Wald's (*Sequential tests of statistical
    hypotheses*, Annals of Mathematical Statistics 16, 1945). Each hypothesis uses the most likely probabilities of the
    three results that it allows (Li, Liu and Ying, *Generalized sequential probability ratio test for separate families
    of hypotheses*, Sequential Analysis 33, 2014).

    `alpha` bounds the probability of accepting the gain if the difference is `null`, `beta` that of rejecting it if the
    difference is `gain`. Raises `ValueError` unless -1 < null < gain < 1 and both lie between 0 and 0.5.
    """

    null: float
    gain: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1 < self.null < self.gain < 1:
            raise ValueError(f"gain {self.gain} and null {self.null}: expected -1 < null < gain < 1")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha {self.alpha} and beta {self.beta}: expected values between 0 and 0.5")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the gain is rejected."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the gain is accepted."""
        return log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, only_first: int, only_second: int, boards: int) -> float:
        """Return the log-likelihood ratio after `boards` boards; positive values favour the gain."""
        counts = (only_second or _UNSEEN, boards - only_first - only_second or _UNSEEN, only_first or _UNSEEN)
        chances = zip(counts, _likeliest(counts, self.gain), _likeliest(counts, self.null), strict=True)
        return sum(count * log(gain / null) for count, gain, null in chances)

    def verdict(self, only_first: int, only_second: int, boards: int) -> bool | None:
        """Return True to accept the gain, False to reject it, None if more boards are needed."""
        ratio = self.log_likelihood_ratio(only_first, only_second, boards)
        if ratio >= self.upper:
            return True
        return False if ratio <= self.lower else None


def _likeliest(counts: tuple[float, float, float], mean: float) -> list[float]:
    """Return the most likely probabilities of the results -1, 0 and 1 with this mean, given their counts.

    They are ``share / (1 + tilt * (result - mean))`` with the tilt that gives the mean (Van den Bergh, proposition 1.1
    of the note on Fishtest, hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf).
    """
    total = sum(counts)
    terms = [(count / total, result - mean) for count, result in zip(counts, (-1, 0, 1), strict=True)]
    # Between these ends all probabilities are positive, and the sum below decreases from infinity to minus infinity.
    low, high = -1 / (1 - mean), 1 / (1 + mean)
    for _ in range(200):
        tilt = (low + high) / 2
        if not low < tilt < high:
            break
        if sum(share * distance / (1 + tilt * distance) for share, distance in terms) > 0:
            low = tilt
        else:
            high = tilt
    return [share / (1 + tilt * distance) for share, distance in terms]
